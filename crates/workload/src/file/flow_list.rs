//! Flows from a file: HPCC's `flow.txt`.
//!
//! Invariant: every line becomes a flow with a single message, at its time exactly: decimals are read as digits,
//! never as a float.
//!
//! ```text
//! FLOWS
//! SOURCE DESTINATION PRIORITY [PORT] BYTES START      START in seconds, PRIORITY 0 to 7
//! ```
//!
//! Lines have six columns as HPCC writes them, or five as `ConWeave` does, without the port; all have as many as the
//! first. The priority becomes the service level, and the port is ignored.

use packet::{NodeId, ServiceLevel};
use units::words::{Word, lines};
use units::{Bytes, Time};

use super::flaw::{Flaw, number, wrong_number};
use crate::error::FileFault;
use crate::flow::ListedMessage;
use crate::limits::{LONGEST_MESSAGE, MAX_FLOWS};

const COLUMNS: &str = "six, or five without the port: source, destination, priority, port, bytes, start";

/// A line of the file, which is a flow.
pub(crate) struct FlowLine<'a> {
    pub(crate) source: NodeId,
    pub(crate) destination: NodeId,
    /// Numbers of both in the file.
    pub(crate) numbers: (u32, u32),
    pub(crate) priority: ServiceLevel,
    pub(crate) message: ListedMessage,
    /// The word that spells the start.
    start: Word<'a>,
}

/// The meaning of a host's number in a list of flows.
pub(crate) enum HostNumbering<'a> {
    /// A place in the order of the topology's hosts, from 0. Holds the number of hosts.
    Places(u32),
    /// The end of a name, after this beginning. Holds the host of a name.
    Names(&'a str, &'a dyn Fn(&str) -> Option<NodeId>),
}

/// Reads the flows of a file, for a run that begins at `origin`.
pub(crate) fn flow_lines<'t>(
    text: &'t str,
    hosts: &HostNumbering<'_>,
    origin: Time,
) -> Result<Vec<FlowLine<'t>>, Flaw> {
    let mut lines = lines(text);
    let Some(head) = lines.next() else {
        return Err(Flaw::empty(text, "the number of flows, and a flow a line"));
    };
    let [count] = head[..] else {
        let (given, expected) = (head.len(), "one, the number of flows");
        return Err(Flaw::line(&head, FileFault::Columns { given, expected }));
    };
    let given: u64 = number(count, "a number of flows", "a whole number")?;
    let rows: Vec<_> = lines.collect();
    if rows.len() > MAX_FLOWS {
        return Err(Flaw::word(count, FileFault::TooManyFlows { given: rows.len(), most: MAX_FLOWS }));
    }
    let found = rows.len() as u64;
    if given != found || found == 0 {
        return Err(Flaw::word(count, FileFault::Count { given, found }));
    }
    let columns = if rows[0].len() == 5 { 5 } else { 6 };
    let of = |words: &Vec<Word<'_>>| words.len() == columns;
    if let Some(odd) = rows.iter().find(|words| !of(words)) {
        return Err(Flaw::line(odd, FileFault::Columns { given: odd.len(), expected: COLUMNS }));
    }
    rows.iter().map(|words| row(words, hosts, origin)).collect()
}

/// The fault of a list in which no flow starts by the end of the run; `None` if any flow does.
pub(crate) fn after_the_run(lines: &[FlowLine<'_>], end: Time) -> Option<Flaw> {
    let first = lines.iter().min_by_key(|line| line.message.at)?;
    (first.message.at >= end).then(|| Flaw::word(first.start, FileFault::AfterTheRun))
}

fn row<'t>(words: &[Word<'t>], hosts: &HostNumbering<'_>, origin: Time) -> Result<FlowLine<'t>, Flaw> {
    let [bytes, start] = [words[words.len() - 2], words[words.len() - 1]];
    let [(from, source), (to, destination)] = [host(words[0], hosts)?, host(words[1], hosts)?];
    if source == destination {
        return Err(Flaw::word(words[1], FileFault::ToItself { host: to }));
    }
    let (expected, right) = ("a priority", "0 to 7");
    let priority: u8 = number(words[2], expected, right)?;
    if priority > 7 {
        return Err(wrong_number(words[2], expected, right));
    }
    let (expected, right) = ("the size of a message in bytes", "a whole number, 1 to 2147483648");
    let size = Bytes::new(number(bytes, expected, right)?);
    if size == Bytes::ZERO || size > LONGEST_MESSAGE {
        return Err(wrong_number(bytes, expected, right));
    }
    let at = seconds(start)?;
    let late = || Flaw::word(start, FileFault::Start { given: start.text.to_owned() });
    let at = at.checked_sub(origin.ps()).filter(|ps| *ps < u64::MAX).ok_or_else(late)?;
    let message = ListedMessage { at: Time::from_ps(at), bytes: size };
    Ok(FlowLine {
        source,
        destination,
        numbers: (from, to),
        priority: ServiceLevel(priority),
        message,
        start,
    })
}

/// Reads the number of a host. Returns the number and the host.
fn host(word: Word<'_>, hosts: &HostNumbering<'_>) -> Result<(u32, NodeId), Flaw> {
    let given: u32 = number(word, "the number of a host", "a whole number from 0")?;
    let (found, right) = match hosts {
        HostNumbering::Places(hosts) if given < *hosts => (Some(NodeId(given)), String::new()),
        HostNumbering::Places(hosts) => {
            let last = hosts.saturating_sub(1);
            (None, format!("0 to {last}: hosts are numbered in the order of the topology"))
        }
        HostNumbering::Names(prefix, host) => {
            let name = format!("{prefix}{given}");
            (host(&name), format!("the number of a host: the topology has no host `{name}`"))
        }
    };
    found.map(|host| (given, host)).ok_or_else(|| Flaw::word(word, FileFault::Host { given, right }))
}

/// Returns the picoseconds of a decimal number of seconds: digits, and after a point at most twelve, zeros at the end
/// not counted.
fn seconds(word: Word<'_>) -> Result<u64, Flaw> {
    let (whole, fraction) = word.text.split_once('.').unwrap_or((word.text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fraction = fraction.trim_end_matches('0');
    let right = "a decimal number such as 2.000010, to the picosecond";
    let wrong = || wrong_number(word, "a time in seconds", right);
    if whole.is_empty() || !digits(whole) || !digits(fraction) || fraction.len() > 12 {
        return Err(wrong());
    }
    // Padded to twelve digits, the fraction is a number of picoseconds.
    let ps: u64 = format!("{fraction:0<12}").parse().map_err(|_| wrong())?;
    let whole: u64 = whole.parse().map_err(|_| wrong())?;
    whole.checked_mul(1_000_000_000_000).and_then(|whole| whole.checked_add(ps)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::FileError;

    fn said(text: &str, origin: u64) -> String {
        let flaw =
            flow_lines(text, &HostNumbering::Places(4), Time::from_ps(origin)).err().expect("it is wrong");
        let FileError::InFile(found) = flaw.in_file("flow.txt", text) else { unreachable!() };
        format!("{found}: {}", found.fault.help())
    }

    #[test]
    fn both_dialects_mean_the_same() {
        let of = |text| {
            let rows = flow_lines(text, &HostNumbering::Places(4), Time::from_ps(2_000_000_000_000)).unwrap();
            let all = rows.iter().map(|row| (row.source.0, row.destination.0, row.priority.0, row.message));
            all.collect::<Vec<_>>()
        };
        let hpcc = of("2\n0 3 3 100 200000 2.000000\n1 3 4 101 1 2.000010000000000\n");
        let post = |ps, n| ListedMessage { at: Time::from_ps(ps), bytes: Bytes::new(n) };
        assert_eq!(hpcc, [(0, 3, 3, post(0, 200_000)), (1, 3, 4, post(10_000_000, 1))]);
        assert_eq!(of("2\n0 3 3 200000 2\n1 3 4 1 2.00001\n"), hpcc);
        assert_eq!(of("1\n0 3 3 7 2.000000000001\n")[0].3, post(1, 7));
    }

    #[test]
    fn faults_are_reported_with_their_place() {
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
