//! Flows from a file: HPCC's `flow.txt`.
//!
//! Invariant: every line becomes a flow with one message, at its time exactly: decimals are read as digits,
//! never as a float.
//!
//! ```text
//! FLOWS
//! SOURCE DESTINATION PRIORITY [PORT] BYTES START      START in seconds, PRIORITY 0 to 7
//! ```
//!
//! Six columns as HPCC writes them, or five as `ConWeave` does, without the port. All lines have as many as the
//! first. The priority becomes the service level; the port says nothing here.

use packet::{NodeId, ServiceLevel};
use units::words::{Word, lines};
use units::{Bytes, Time};

use super::{FileErrorKind as Kind, Flaw, flaw, number, whole_line};
use crate::builder::Fault;
use crate::flow::{Flow, ListedMessage};
use crate::pattern::{Pattern, one_message};
use crate::synthetic::spec::FlowList;
use crate::{LONGEST_MESSAGE, MAX_FLOWS};

const COLUMNS: &str = "six, or five without the port: source, destination, priority, port, bytes, start";

impl Pattern<'_> {
    /// The flows of the file by source and then by destination, each named by its place in the file too.
    pub(crate) fn flow_list(&self, spec: &FlowList) -> Result<Vec<Flow>, Fault> {
        let text = self.site.file(&spec.file).map_err(|kind| ("file", kind))?;
        let rows = read(text, self.site.hosts.len(), spec.origin)
            .and_then(|rows| self.starts_in_time(rows))
            .map_err(|flaw| ("file", flaw.in_file(&spec.file, text)))?;
        let flow = |(number, row): (usize, Row<'_>)| {
            let one = self.flow(row.source, row.destination, one_message(row.post));
            let (host, name) = (self.site.name(row.source), self.site.name(row.destination));
            Flow {
                name: format!("{}:{number}:{host}->{name}", self.prefix()),
                service_level: row.priority,
                ..one
            }
        };
        let mut flows: Vec<Flow> = (1..).zip(rows).map(flow).collect();
        flows.sort_by_key(|flow| (flow.source, flow.destination));
        Ok(flows)
    }

    /// Flows that start when the run is over are left out of it, unless all are.
    fn starts_in_time<'t>(&self, rows: Vec<Row<'t>>) -> Result<Vec<Row<'t>>, Flaw> {
        match rows.iter().min_by_key(|row| row.post.at) {
            Some(first) if first.post.at >= self.site.end => Err(flaw(first.start, Kind::AfterTheRun)),
            _ => Ok(rows),
        }
    }
}

/// A line of the file.
struct Row<'a> {
    source: NodeId,
    destination: NodeId,
    priority: ServiceLevel,
    post: ListedMessage,
    /// Where its start is written.
    start: Word<'a>,
}

fn read(text: &str, hosts: usize, origin: Time) -> Result<Vec<Row<'_>>, Flaw> {
    let mut lines = lines(text);
    let Some(head) = lines.next() else {
        return Err(Flaw {
            at: 0..text.len().min(1),
            kind: Kind::Empty { what: "the number of flows, and a flow a line" },
        });
    };
    let [count] = head[..] else {
        let (given, expected) = (head.len(), "one, the number of flows");
        return Err(whole_line(&head, Kind::Columns { given, expected }));
    };
    let given: u64 = number(count, "a number of flows", "a whole number")?;
    let rows: Vec<_> = lines.collect();
    if rows.len() > MAX_FLOWS {
        return Err(flaw(count, Kind::TooManyFlows { given: rows.len(), most: MAX_FLOWS }));
    }
    let found = rows.len() as u64;
    if given != found || found == 0 {
        return Err(flaw(count, Kind::Count { given, found }));
    }
    let columns = if rows[0].len() == 5 { 5 } else { 6 };
    let of = |words: &Vec<Word<'_>>| words.len() == columns;
    if let Some(odd) = rows.iter().find(|words| !of(words)) {
        return Err(whole_line(odd, Kind::Columns { given: odd.len(), expected: COLUMNS }));
    }
    rows.iter().map(|words| row(words, hosts, origin)).collect()
}

fn row<'t>(words: &[Word<'t>], hosts: usize, origin: Time) -> Result<Row<'t>, Flaw> {
    let [bytes, start] = [words[words.len() - 2], words[words.len() - 1]];
    let (source, destination) = (host(words[0], hosts)?, host(words[1], hosts)?);
    if source == destination {
        return Err(flaw(words[1], Kind::ToItself { host: source.0.into() }));
    }
    let (what, right) = ("a priority", "0 to 7");
    let priority: u8 = number(words[2], what, right)?;
    if priority > 7 {
        return Err(flaw(words[2], Kind::Number { given: words[2].text.to_owned(), what, right }));
    }
    let (what, right) = ("the size of a message in bytes", "a whole number, 1 to 2147483648");
    let size = Bytes::new(number(bytes, what, right)?);
    if size == Bytes::ZERO || size > LONGEST_MESSAGE {
        return Err(flaw(bytes, Kind::Number { given: bytes.text.to_owned(), what, right }));
    }
    let at = seconds(start)?;
    let late = || flaw(start, Kind::Start { given: start.text.to_owned() });
    let at = at.checked_sub(origin.ps()).filter(|ps| *ps < u64::MAX).ok_or_else(late)?;
    let post = ListedMessage { at: Time::from_ps(at), bytes: size };
    Ok(Row { source, destination, priority: ServiceLevel(priority), post, start })
}

fn host(word: Word<'_>, hosts: usize) -> Result<NodeId, Flaw> {
    let given: u64 = number(word, "the number of a host", "a whole number from 0")?;
    if given >= hosts as u64 {
        Err(flaw(word, Kind::Host { given, hosts }))
    } else {
        Ok(NodeId(given as u32))
    }
}

/// Picoseconds of a decimal number of seconds: digits, and after a point up to twelve that are not 0.
fn seconds(word: Word<'_>) -> Result<u64, Flaw> {
    let (whole, fraction) = word.text.split_once('.').unwrap_or((word.text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fraction = fraction.trim_end_matches('0');
    let right = "a decimal number such as 2.000010, to the picosecond";
    let wrong = || flaw(word, Kind::Number { given: word.text.to_owned(), what: "a time in seconds", right });
    if whole.is_empty() || !digits(whole) || !digits(fraction) || fraction.len() > 12 {
        return Err(wrong());
    }
    let ps: u64 = format!("{fraction:0<12}").parse().map_err(|_| wrong())?;
    let whole: u64 = whole.parse().map_err(|_| wrong())?;
    whole.checked_mul(1_000_000_000_000).and_then(|whole| whole.checked_add(ps)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, origin: u64) -> String {
        let flaw = read(text, 4, Time::from_ps(origin)).err().expect("it is wrong");
        flaw.in_file("flow.txt", text).to_string()
    }

    #[test]
    fn both_dialects_say_the_same() {
        let of = |text| {
            let rows = read(text, 4, Time::from_ps(2_000_000_000_000)).unwrap();
            let all = rows.iter().map(|row| (row.source.0, row.destination.0, row.priority.0, row.post));
            all.collect::<Vec<_>>()
        };
        let hpcc = of("2\n0 3 3 100 200000 2.000000\n1 3 4 101 1 2.000010000000000\n");
        let post = |ps, n| ListedMessage { at: Time::from_ps(ps), bytes: Bytes::new(n) };
        assert_eq!(hpcc, [(0, 3, 3, post(0, 200_000)), (1, 3, 4, post(10_000_000, 1))]);
        assert_eq!(of("2\n0 3 3 200000 2\n1 3 4 1 2.00001\n"), hpcc);
        assert_eq!(of("1\n0 3 3 7 2.000000000001\n")[0].3, post(1, 7));
    }

    #[test]
    fn what_is_wrong_is_said_where() {
        let starts = |text, with: &str| {
            let message = said(text, 1_000_000_000_000);
            assert!(message.starts_with(with), "{message}");
        };
        starts("", "flow.txt:1:1: the file is empty");
        starts("1 2\n", "flow.txt:1:1: this line has 2 columns");
        starts("0\n", "flow.txt:1:1: the file begins with 0 flows, and 0 follow");
        starts("2\n0 1 3 9 8 2\n", "flow.txt:1:1: the file begins with 2 flows, and 1 follow: write 1");
        starts("2\n0 1 3 9 8 2\n0 1 3 8 2\n", "flow.txt:3:1: this line has 5 columns");
        starts("1\n0 4 3 9 8 2\n", "flow.txt:2:3: there is no host 4");
        starts("1\n2 2 3 9 8 2\n", "flow.txt:2:3: the flow leads from host 2 back");
        starts("1\n0 1 8 9 8 2\n", "flow.txt:2:5: `8` is not a priority: write 0 to 7");
        starts("1\n0 1 3 9 0 2\n", "flow.txt:2:9: `0` is not the size of a message");
        starts("1\n0 1 3 9 8 2e0\n", "flow.txt:2:11: `2e0` is not a time in seconds");
        starts("1\n0 1 3 9 8 2.0000000000001\n", "flow.txt:2:11: `2.0000000000001` is not a time");
        starts("1\n0 1 3 9 8 0.5\n", "flow.txt:2:11: 0.5 s is before the origin");
    }
}
