//! The list of flows of a configuration, in its dialects.
//!
//! Invariant: every line is read or is a fault with its place. Starts are exact to the picosecond where they are
//! written as decimals.
//!
//! | columns | of |
//! |---|---|
//! | source, destination, priority, port, bytes, start | HPCC, ns3-datacenter, `SimAI` |
//! | source, destination, priority, bytes, start | `ConWeave` |
//! | source, destination, priority, packets, start, end | ns3-rdma |
//! | the same, and the first rate in Gb/s | ns3-rdma, with TIMELY |
//!
//! A flow of more than 2 GiB, the longest message, becomes a flow of `flows`: of several messages, or without an
//! end where the run is too short for it.

use core::fmt::Write;
use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use topology::hpcc::HpccFabric;
use units::words::{Word, lines, range};
use units::{Bytes, Rate, Span, Time};
use workload::LONGEST_MESSAGE;

use super::config::Config;
use super::fabric::number;
use interop::import::KeyFate;
use interop::import::source::{SourceText, decimal};
use scenario::Diagnostic;

/// Message of a flow that does not end, in bytes: small enough for the lowest rates.
const OF_ENDLESS: u64 = 1 << 26;
/// Largest number of a UDP port.
const LARGEST_PORT: u64 = 65_535;

/// Meaning of the columns behind the priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Columns {
    /// Bytes and start, with or without a port before.
    Bytes,
    /// Packets, start and end, with or without a first rate behind.
    Packets,
}

/// Signs by which the columns of a list are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signs {
    /// True if the configuration is ns3-rdma's.
    pub(super) ns3_rdma: bool,
    /// Payload of a packet in bytes.
    pub(super) payload: u64,
}

/// A line of the list.
struct Row<'a> {
    words: Vec<Word<'a>>,
    from: u32,
    to: u32,
    level: u8,
    bytes: u64,
    /// Start in picoseconds; the largest number for all times past it.
    start: u64,
    /// End in picoseconds.
    end: Option<u64>,
}

/// A list of flows.
pub(super) struct FlowFile<'a> {
    source: SourceText<'a>,
    rows: Vec<Row<'a>>,
    columns: Columns,
    /// End of the last flow in the text.
    end: usize,
    /// Number of lines after that, without empty lines and comments.
    cut: usize,
    /// True if every start is a decimal number.
    exact: bool,
}

/// Fields of a scenario for the flows.
pub(super) struct WrittenFlows {
    /// Text of the list; `None` if there is none.
    pub(super) list: Option<String>,
    /// The entries of `flows`.
    pub(super) flows: String,
}

impl<'a> FlowFile<'a> {
    /// Reads a list, up to the last of the flows that its first line counts.
    pub(super) fn read(source: SourceText<'a>, signs: Signs) -> Result<Self, Diagnostic> {
        let wrong =
            |at: &Range<usize>, message: String, help: &str| source.fault(at, "FLOW_FILE", message, help);
        let mut rows = lines(source.text);
        let head = rows.next().unwrap_or_default();
        let count = head.first().filter(|_| head.len() == 1).and_then(|word| decimal::<usize>(word.text));
        let Some(count) = count.filter(|count| *count > 0) else {
            let help = "begin the list with the number of its flows, and write a flow a line";
            return Err(wrong(&range(&head), "this is not a number of flows".to_owned(), help).into());
        };
        let words: Vec<_> = rows.by_ref().take(count).collect();
        let Some(last) = words.last().filter(|_| words.len() == count) else {
            let message = format!("the list begins with {count} flows, and {} follow", words.len());
            return Err(wrong(&head[0].range(), message, "write the number of its flows").into());
        };
        let (end, first) = (range(last).end, words[0].len());
        let odd = words.iter().find(|row| !(5..=7).contains(&row.len()) || row.len() != first);
        if let Some(row) = odd {
            let help = "write five to seven as in the first line: source, destination, priority, then port, bytes, start, \
                        or bytes, start, or packets, start, end";
            return Err(wrong(&range(row), format!("this line has {} words", row.len()), help).into());
        }
        let columns =
            if signs.ns3_rdma || of_packets(&words, signs) { Columns::Packets } else { Columns::Bytes };
        let columns = if first == 5 { Columns::Bytes } else { columns };
        let exact = words.iter().all(|row| exact_seconds(start_of(row, columns).text).is_some());
        let rows = words.into_iter().map(|words| Row::read(source, words, (columns, signs.payload)));
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        if !signs.ns3_rdma {
            rows.iter().try_for_each(|row| row.ends_after_start(source))?;
        }
        let cut = lines(&source.text[end..]).count();
        Ok(Self { source, rows, columns, end, cut, exact })
    }

    /// Returns the time of the first start, rounded down to microseconds: exact for every list in microseconds.
    pub(super) fn first(&self) -> Time {
        let first = self.rows.iter().map(|row| row.start).min().unwrap_or_default();
        if first == u64::MAX { Time::NEVER } else { Time::from_ps(first / 1_000_000 * 1_000_000) }
    }

    /// Returns the time that all flows could take through the slowest link of a host, after the last start.
    pub(super) fn longest(&self, fabric: &HpccFabric) -> Span {
        let slowest = fabric.cables.iter().map(|(_, rate, _)| *rate).min().unwrap_or(Rate::gbps(1));
        let bytes = self.rows.iter().map(|row| row.bytes).fold(0, u64::saturating_add).min(1 << 50);
        let last = self.rows.iter().map(|row| row.start).max().unwrap_or_default();
        let sending = slowest.time_for(Bytes::new(bytes)).ps().saturating_mul(4);
        Span::from_ps((last - last.min(self.first().since_start().ps())).saturating_add(sending))
    }

    pub(super) fn levels(&self) -> BTreeSet<u8> {
        self.rows.iter().map(|row| row.level).collect()
    }

    /// Returns the numbers of the hosts that flows name.
    pub(super) fn hosts(&self) -> BTreeSet<u32> {
        self.rows.iter().flat_map(|row| [row.from, row.to]).collect()
    }

    /// Writes the flows for a run that begins at the first start, and enters them in the account.
    pub(super) fn write(
        &self,
        config: &mut Config<'_>,
        fabric: &HpccFabric,
        (duration, signs): (Span, Signs),
    ) -> Result<WrittenFlows, Diagnostic> {
        let rates = host_rates(fabric);
        for row in &self.rows {
            row.check(self.source, &rates)?;
        }
        let origin = self.first().since_start().ps();
        let end = origin.saturating_add(duration.ps());
        self.note(config, end, signs);
        let (long, listed): (Vec<_>, Vec<_>) =
            self.rows.iter().enumerate().partition(|(_, row)| row.bytes > LONGEST_MESSAGE.get());
        let started: Vec<_> = listed.iter().filter(|(_, row)| row.start < end).collect();
        if started.is_empty() && !listed.is_empty() {
            let given = listed.len().to_string();
            let what = "left out, as they start after the end";
            config.note_part(self.source, None, ("flows after the end", given), KeyFate::NotUsed, what);
        }
        let flows = self.long(config, &long, (&rates, origin, end));
        if started.is_empty() {
            return Ok(WrittenFlows { list: None, flows });
        }
        if flows.is_empty() && self.exact && self.columns == Columns::Bytes {
            return Ok(WrittenFlows { list: Some(self.source.text[..self.end].to_owned()), flows });
        }
        let mut list = format!("{}\n", listed.len());
        for (_, row) in &listed {
            let Row { from, to, level, bytes, start, .. } = row;
            let (seconds, rest) = (start / 1_000_000_000_000, start % 1_000_000_000_000);
            let port = if self.columns == Columns::Bytes && row.words.len() == 6 {
                row.words[3].text
            } else {
                "100"
            };
            writeln!(list, "{from} {to} {level} {port} {bytes} {seconds}.{rest:012}")
                .expect("a string takes it");
        }
        Ok(WrittenFlows { list: Some(list), flows })
    }

    /// Enters the list in the account. Priority 0 of that simulator is apart: `switch-node.cc`, `SendToDev`.
    fn note(&self, config: &mut Config<'_>, end: u64, signs: Signs) {
        let (levels, rows) = (self.levels(), self.rows.len());
        let (fate, what) = if levels.contains(&0) {
            let what = "priority 0 as any other; in that simulator it precedes all, without marks and PAUSE";
            (KeyFate::Changed, what)
        } else if levels.len() > 1 {
            let what = "in the scenario; each priority has headroom of its own, there it is a port's";
            (KeyFate::Approximated, what)
        } else {
            (KeyFate::Used, "in the scenario")
        };
        let flows = if rows == 1 { "flow" } else { "flows" };
        config.note("FLOW_FILE", fate, format!("{rows} {flows}, {what}"));
        if self.cut > 0 {
            let (given, what) = (self.cut.to_string(), "which that simulator does not read");
            config.note_part(
                self.source,
                None,
                ("lines behind the last flow", given),
                KeyFate::NotUsed,
                what,
            );
        }
        if self.columns == Columns::Bytes {
            return;
        }
        let at = range(&self.rows[0].words[3..]);
        let mut part =
            |key, given, fate, what: &str| config.note_part(self.source, Some(&at), (key, given), fate, what);
        let what = format!("packets of {} bytes, start and end, as ns3-rdma has them", signs.payload);
        let fate = if signs.ns3_rdma { KeyFate::Used } else { KeyFate::Changed };
        let why = if signs.ns3_rdma {
            ""
        } else {
            "; read by the file's own simulator they are port, bytes and start"
        };
        part("columns 4 to 6", rows.to_string(), fate, &format!("{what}{why}"));
        let ending = self.rows.iter().filter(|row| row.end.is_some_and(|at| at < end)).count();
        if ending > 0 {
            let what = "they go on until all is sent; there they end at the time of the sixth column";
            part("flows that end early", ending.to_string(), KeyFate::Changed, what);
        }
        if self.rows.iter().any(|row| row.words.len() == 7) {
            let what = "flows start at the rate of their link; there at the rate of the seventh column";
            part("column 7", rows.to_string(), KeyFate::Changed, what);
        }
    }

    /// Writes flows of more than the longest message.
    fn long(
        &self,
        config: &mut Config<'_>,
        long: &[(usize, &Row<'_>)],
        (rates, origin, end): (&BTreeMap<u32, Rate>, u64, u64),
    ) -> String {
        let (mut text, mut endless, mut rounded, mut late) = (String::new(), 0, 0, 0);
        let transport = if self.columns == Columns::Packets { ", transport: Uc" } else { "" };
        for (place, row) in long {
            if row.start >= end {
                late += 1;
                continue;
            }
            let Row { from, to, level, bytes, .. } = row;
            let least = rates[from].min(rates[to]).time_for(Bytes::new((*bytes).min(1 << 50)));
            let (message, load) = if row.start.saturating_add(least.ps()) >= end {
                endless += 1;
                (OF_ENDLESS, "Saturate(outstanding: 2)".to_owned())
            } else {
                let count = bytes.div_ceil(LONGEST_MESSAGE.get());
                rounded += usize::from(bytes % count != 0);
                (bytes.div_ceil(count), format!("Messages({count})"))
            };
            writeln!(
                text,
                "        (name: \"flow{}\", from: \"h{from}\", to: \"h{to}\", start: \"{}\", message: \"{}\", load: {load}, \
                 service_level: {level}{transport}),",
                place + 1,
                Span::from_ps(row.start - origin),
                Bytes::new(message),
            )
            .expect("a string takes it");
        }
        let mut part = |key, count: usize, fate, what: &str| {
            if count > 0 {
                config.note_part(self.source, None, (key, count.to_string()), fate, what);
            }
        };
        let what = "`flows` with `Saturate`: none can end within the run";
        part("flows over 2 GiB that do not end", endless, KeyFate::Used, what);
        let what = "`flows` of several messages of equal size, the longest being 2 GiB";
        part("flows over 2 GiB", long.len() - endless - late, KeyFate::Approximated, what);
        let what = "longer by some bytes, so that all their messages have one size";
        part("flows over 2 GiB, rounded", rounded, KeyFate::Approximated, what);
        part("flows over 2 GiB after the end", late, KeyFate::NotUsed, "left out");
        text
    }
}

impl<'a> Row<'a> {
    fn read(
        source: SourceText<'a>,
        words: Vec<Word<'a>>,
        (columns, payload): (Columns, u64),
    ) -> Result<Self, Diagnostic> {
        let wrong = |word: Word<'_>, what: &str, help: &str| {
            let message = format!("`{}` is not {what}", word.text);
            Diagnostic::from(source.fault(&word.range(), "FLOW_FILE", message, help))
        };
        let host = |word: Word<'_>| {
            decimal(word.text)
                .ok_or_else(|| wrong(word, "the number of a host", "write a whole number from 0"))
        };
        let time = |word: Word<'_>| {
            let time = exact_seconds(word.text).or_else(|| float_seconds(word.text));
            time.ok_or_else(|| wrong(word, "a time in seconds", "write a number such as 2.000010"))
        };
        let (from, to) = (host(words[0])?, host(words[1])?);
        let level = decimal(words[2].text).filter(|level| *level < 8);
        let level = level.ok_or_else(|| wrong(words[2], "a priority", "write 0 to 7"))?;
        let amount = words[if columns == Columns::Bytes { words.len() - 2 } else { 3 }];
        let unit = if columns == Columns::Bytes { 1 } else { payload };
        let bytes = decimal(amount.text).and_then(|amount: u64| amount.checked_mul(unit));
        let size = if columns == Columns::Bytes { "a size in bytes" } else { "a number of packets" };
        let bytes = bytes.filter(|bytes| *bytes > 0).ok_or_else(|| wrong(amount, size, "write 1 or more"))?;
        let start = time(start_of(&words, columns))?;
        let end = if columns == Columns::Packets { Some(time(words[5])?) } else { None };
        Ok(Self { words, from, to, level, bytes, start, end })
    }

    /// Checks that a flow of packets ends after its start. Else its columns are others, and the sign for packets is
    /// wrong.
    fn ends_after_start(&self, source: SourceText<'_>) -> Result<(), Diagnostic> {
        let Some(_) = self.end.filter(|end| *end <= self.start) else { return Ok(()) };
        let is_port = decimal(self.words[3].text).is_some_and(|port: u64| port <= LARGEST_PORT);
        let (word, message, help) = if is_port {
            let message = "the flow ends before it starts".to_owned();
            (self.words[5], message, "write packets, start and end, or port, bytes and start")
        } else {
            let message = format!("`{}` is not the number of a port", self.words[3].text);
            (
                self.words[3],
                message,
                "write 0 to 65535, then bytes and start; or packets, start and a later end",
            )
        };
        Err(source.fault(&word.range(), "FLOW_FILE", message, help).into())
    }

    /// Checks that both ends are different hosts of the fabric.
    fn check(&self, source: SourceText<'_>, rates: &BTreeMap<u32, Rate>) -> Result<(), Diagnostic> {
        let wrong = |word: Word<'_>, message: String, help: &str| {
            Err(source.fault(&word.range(), "FLOW_FILE", message, help).into())
        };
        for (word, host) in [(self.words[0], self.from), (self.words[1], self.to)] {
            if !rates.contains_key(&host) {
                let message = format!("the topology has no host {host} with a link");
                return wrong(word, message, "write the number of a node that is no switch");
            }
        }
        if self.from == self.to {
            let message = format!("the flow leads from host {} back to it", self.to);
            return wrong(self.words[1], message, "write two different hosts");
        }
        Ok(())
    }
}

/// Returns the rate of each host's link, by its number.
fn host_rates(fabric: &HpccFabric) -> BTreeMap<u32, Rate> {
    let cables: BTreeMap<&str, Rate> =
        fabric.cables.iter().map(|(name, rate, _)| (name.as_str(), *rate)).collect();
    let hosts: BTreeSet<&String> = fabric.custom.hosts.iter().collect();
    let ends = fabric.custom.links.iter().flat_map(|link| [(&link.from, link), (&link.to, link)]);
    ends.filter(|(end, _)| hosts.contains(end))
        .filter_map(|(end, link)| Some((number(end)?, cables[link.cable.as_str()])))
        .collect()
}

/// Returns true if the columns behind the priority are packets, start and end. Signs are a port beyond all ports, a
/// size that is no whole number, a seventh column, or sizes below a packet with starts that come before "ends".
fn of_packets(rows: &[Vec<Word<'_>>], signs: Signs) -> bool {
    let value = |row: &[Word<'_>], place: usize| row[place].text.parse::<f64>().unwrap_or(0.0);
    let sure = |row: &Vec<Word<'_>>| {
        let port = decimal::<u64>(row[3].text);
        row.len() == 7
            || (row.len() == 6 && (port.is_some_and(|port| port > LARGEST_PORT) || row[4].text.contains('.')))
    };
    let likely = |row: &Vec<Word<'_>>| {
        row.len() == 6 && value(row, 4) < signs.payload as f64 && value(row, 4) < value(row, 5)
    };
    rows.iter().any(sure) || rows.iter().all(likely)
}

/// Returns the word of the start.
fn start_of<'a>(words: &[Word<'a>], columns: Columns) -> Word<'a> {
    words[if columns == Columns::Bytes { words.len() - 1 } else { 4 }]
}

/// Returns the picoseconds of a decimal number of seconds: digits, and after a point at most twelve, without zeros at
/// the end. A number past all times is the largest.
fn exact_seconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fraction = fraction.trim_end_matches('0');
    if whole.is_empty() || !digits(whole) || !digits(fraction) || fraction.len() > 12 {
        return None;
    }
    // Padded to twelve digits, the fraction is a number of picoseconds.
    let ps: u64 = format!("{fraction:0<12}").parse().ok()?;
    let whole = whole.parse::<u64>().ok().and_then(|whole| whole.checked_mul(1_000_000_000_000));
    Some(whole.and_then(|whole| whole.checked_add(ps)).unwrap_or(u64::MAX))
}

/// Returns the picoseconds of any number of seconds of at least 0: `2e-05`.
fn float_seconds(text: &str) -> Option<u64> {
    let seconds: f64 = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)?;
    Some((seconds * 1e12).round() as u64)
}
