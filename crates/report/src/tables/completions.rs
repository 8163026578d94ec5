//! Completion times as tables: `fct.csv`, HPCC's `fct.txt`, and quantiles by size on the terminal.
//!
//! Invariant: `fct.csv` has one row for each delivered message. Messages that were not delivered are only counted.

use telemetry::{Acknowledged, Completion, RunRecord};
use units::Time;

use crate::completions::{CompletionSummary, microseconds};
use crate::format::{aligned, csv, grouped, plain_table, rounded};

/// Returns completion times by size as a table for the terminal.
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

/// Returns `fct.csv`: one row for each delivered message, in order of time.
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
        "acknowledged_s",
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
            one.acknowledged.map_or_else(String::new, |ack| ack.at.seconds().to_string()),
            microseconds(one.time()).to_string(),
            microseconds(one.ideal).to_string(),
            rounded(one.slowdown(), 6).to_string(),
        ]
    };
    let all = record.completions.as_ref()?;
    Some(csv(header.map(str::to_owned).to_vec(), all.messages.iter().map(row)))
}

/// Returns `fct.txt` in the form of HPCC's simulator: addresses, ports, bytes, start, completion time and ideal time, in
/// ns. As there, a message ends when its last acknowledgement is back at its source, and lines are in order of that time;
/// messages without acknowledgement have none. Ports have no meaning here; they are 10000 and 100.
#[must_use]
pub fn hpcc(record: &RunRecord) -> Option<String> {
    let address = |host: u32| 0x0b00_0001 + (host / 256) * 0x1_0000 + (host % 256) * 0x100;
    let ns = |time: Time| time.ps().div_ceil(1000);
    let line = |(ack, one): (Acknowledged, &Completion)| {
        format!(
            "{:08x} {:08x} 10000 100 {} {} {} {}\n",
            address(one.hosts.0),
            address(one.hosts.1),
            one.size.get(),
            one.posted.ps() / 1000,
            ns(ack.at) - one.posted.ps() / 1000,
            ns(ack.ideal.after_start())
        )
    };
    let messages = record.completions.as_ref()?.messages.iter();
    let mut ended: Vec<_> = messages.filter_map(|one| Some((one.acknowledged?, one))).collect();
    ended.sort_by_key(|(ack, one)| (ack.at, one.flow, one.number));
    Some(ended.into_iter().map(line).collect())
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
        assert_eq!(first, "incast[0],H4,H3,1,1000,0.01,0.010002,0.010003,2,1.6,1.25");
        assert_eq!(file.lines().count(), 4);
        sample::assert_described("fct.csv", &file);
    }

    /// The file has the addresses of hosts 0 and 300, and no line for the message that was not acknowledged.
    #[test]
    fn hpccs_file_has_its_addresses_and_nanoseconds() {
        let file = hpcc(&sample::record()).unwrap();
        assert_eq!(file.lines().next(), Some("0b000001 0b012c01 10000 100 1000 10000000 3000 2600"));
        assert_eq!(file.lines().count(), 2);
    }
}
