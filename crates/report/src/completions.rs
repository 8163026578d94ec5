//! Completion times of messages: `fct.csv`, HPCC's `fct.txt`, and quantiles by size.
//!
//! Invariant: a time is from a message's posting to its last payload being taken by the destination's host; slowdown is
//! that over the time on the empty fabric. Messages that were not delivered are in no row, and counted.

use serde::Serialize;
use telemetry::{Completion, RunRecord};
use units::Time;

use crate::printed::{aligned, grouped, plain_table};
use crate::rounded;
use crate::tables::csv;

/// Upper ends of the bins of sizes, in bytes.
const BINS: [u64; 6] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Messages whose sizes lie in one bin.
#[derive(Clone, Debug, Serialize)]
pub struct SizeBin {
    /// The largest size of the bin; none for the last.
    pub up_to_bytes: Option<u64>,
    /// How many messages were delivered.
    pub messages: usize,
    /// Completion times that half of them, 95 % and 99 % of them are at most.
    pub fct_us: Quantiles,
    /// The same of their slowdowns.
    pub slowdown: Quantiles,
}

/// Values that a share of all are at most, by nearest rank.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Quantiles {
    /// Half of them.
    pub p50: f64,
    /// 95 %.
    pub p95: f64,
    /// 99 %.
    pub p99: f64,
}

impl SizeBin {
    /// The word for it in tables.
    pub(crate) fn label(&self) -> String {
        self.up_to_bytes.map_or_else(|| "longer".to_owned(), |end| format!("to {}", size(end)))
    }
}

impl Quantiles {
    /// Of values in any order; none of no values.
    pub(crate) fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let at = |share| quantile(&values, share).map(|value| rounded(value, 6));
        Some(Self { p50: at(0.5)?, p95: at(0.95)?, p99: at(0.99)? })
    }
}

/// The value that this share of all is at most: the nearest rank.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// What `summary.json` says of completion times.
#[derive(Clone, Debug, Serialize)]
pub struct CompletionSummary {
    /// Messages posted.
    pub posted_messages: u64,
    /// Messages delivered.
    pub delivered_messages: usize,
    /// Flows whose messages could not be told apart: of UC and UD, in a run that lost packets.
    pub untold_flows: usize,
    /// By size, smallest first; bins without a message are left out.
    pub by_size: Vec<SizeBin>,
}

impl CompletionSummary {
    /// Of a run, if its completion times were kept.
    #[must_use]
    pub fn of(record: &RunRecord) -> Option<Self> {
        let all = record.completions.as_ref()?;
        Some(Self {
            posted_messages: all.posted,
            delivered_messages: all.messages.len(),
            untold_flows: all.untold,
            by_size: by_size(&all.messages),
        })
    }
}

fn by_size(messages: &[Completion]) -> Vec<SizeBin> {
    let mut bins: Vec<(Vec<f64>, Vec<f64>)> = vec![Default::default(); BINS.len() + 1];
    for one in messages {
        let (times, slowdowns) = &mut bins[BINS.partition_point(|end| *end < one.size.get())];
        times.push(microseconds(one.time()));
        slowdowns.push(one.slowdown());
    }
    let bin = |(place, (times, slowdowns)): (usize, (Vec<f64>, Vec<f64>))| {
        let messages = times.len();
        let (fct_us, slowdown) = (Quantiles::of(times)?, Quantiles::of(slowdowns)?);
        Some(SizeBin { up_to_bytes: BINS.get(place).copied(), messages, fct_us, slowdown })
    };
    bins.into_iter().enumerate().filter_map(bin).collect()
}

fn microseconds(span: units::Span) -> f64 {
    span.ps() as f64 / 1e6
}

/// The table on the terminal.
#[must_use]
pub fn printed(summary: Option<&CompletionSummary>) -> String {
    let Some(summary) = summary else {
        return "Completion times were not kept (`completions: NotKept`).\n".to_owned();
    };
    let mut text = format!(
        "Completion of messages: {} of {} posted; slowdown is against the empty fabric\n",
        grouped(summary.delivered_messages as u64),
        grouped(summary.posted_messages)
    );
    if summary.untold_flows > 0 {
        text += &format!(
            "{} flows are not in it: packets were lost, and their service does not send them again\n",
            grouped(summary.untold_flows as u64)
        );
    }
    if summary.by_size.is_empty() {
        return text;
    }
    let mut table = plain_table();
    table.set_header(["size", "messages", "p50 (us)", "p95 (us)", "p99 (us)", "slowdown p50", "p95", "p99"]);
    for bin in &summary.by_size {
        let mut row = vec![bin.label(), grouped(bin.messages as u64)];
        row.extend([bin.fct_us.p50, bin.fct_us.p95, bin.fct_us.p99].map(|us| format!("{us:.3}")));
        row.extend([bin.slowdown.p50, bin.slowdown.p95, bin.slowdown.p99].map(|one| format!("{one:.3}")));
        table.add_row(row);
    }
    text + &aligned(table, 1) + "\n"
}

fn size(bytes: u64) -> String {
    if bytes >= 1_000_000 { format!("{} MB", bytes / 1_000_000) } else { format!("{} KB", bytes / 1000) }
}

/// `fct.csv`: one row a message that was delivered, in order of time.
#[must_use]
pub fn table(record: &RunRecord) -> Option<String> {
    let header = [
        "flow",
        "src",
        "dst",
        "message",
        "size_bytes",
        "posted_s",
        "completed_s",
        "fct_us",
        "ideal_us",
        "slowdown",
    ];
    let row = |one: &Completion| {
        let flow = &record.flows[one.flow as usize];
        vec![
            flow.name.clone(),
            flow.source.clone(),
            flow.destination.clone(),
            one.number.to_string(),
            one.size.get().to_string(),
            one.posted.seconds().to_string(),
            one.completed.seconds().to_string(),
            microseconds(one.time()).to_string(),
            microseconds(one.ideal).to_string(),
            rounded(one.slowdown(), 6).to_string(),
        ]
    };
    let all = record.completions.as_ref()?;
    Some(csv(header.map(str::to_owned).to_vec(), all.messages.iter().map(row)))
}

/// `fct.txt` as HPCC's simulator writes it: addresses, ports, bytes, start, time and time alone, in ns. Ports say nothing
/// here: they are 10000 and 100.
#[must_use]
pub fn hpcc(record: &RunRecord) -> Option<String> {
    let address = |host: u32| 0x0b00_0001 + (host / 256) * 0x1_0000 + (host % 256) * 0x100;
    let ns = |time: Time| time.ps().div_ceil(1000);
    let line = |one: &Completion| {
        format!(
            "{:08x} {:08x} 10000 100 {} {} {} {}\n",
            address(one.hosts.0),
            address(one.hosts.1),
            one.size.get(),
            one.posted.ps() / 1000,
            ns(one.completed) - one.posted.ps() / 1000,
            ns(one.ideal.after_start())
        )
    };
    Some(record.completions.as_ref()?.messages.iter().map(line).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn messages_are_grouped_by_size() {
        let summary = CompletionSummary::of(&sample::record());
        insta::assert_snapshot!(printed(summary.as_ref()));
        let without = RunRecord { completions: None, ..sample::record() };
        assert!(table(&without).is_none() && hpcc(&without).is_none());
        assert!(printed(CompletionSummary::of(&without).as_ref()).contains("NotKept"));
    }

    #[test]
    fn the_file_has_a_row_a_message() {
        let file = table(&sample::record()).unwrap();
        let first = file.lines().nth(1).unwrap();
        assert_eq!(first, "incast[0],H4,H3,1,1000,0.01,0.010002,2,1.6,1.25");
        assert_eq!(file.lines().count(), 4);
        sample::assert_described("fct.csv", &file);
    }

    /// The addresses of hosts 0 and 300.
    #[test]
    fn hpccs_file_has_its_addresses_and_nanoseconds() {
        let file = hpcc(&sample::record()).unwrap();
        assert_eq!(file.lines().next(), Some("0b000001 0b012c01 10000 100 1000 10000000 2000 1600"));
    }

    #[test]
    fn a_quantile_is_one_of_the_values() {
        let values = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(
            [0.5, 0.95, 0.01].map(|share| quantile(&values, share)),
            [Some(2.0), Some(4.0), Some(1.0)]
        );
        assert_eq!(quantile(&[], 0.5), None);
    }
}
