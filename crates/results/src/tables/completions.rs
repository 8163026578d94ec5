//! Completion times as tables: `fct.csv`, HPCC's `fct.txt`, and quantiles by size on the terminal.
//!
//! Invariant: `fct.csv` has one row for each posted message, delivered or not.

use telemetry::{Acknowledged, FlowRecord, MessageRecord, RunRecord};
use units::Time;

use crate::completions::{CompletionSummary, MessageStatistics, microseconds};
use crate::format::{grouped, in_blocks};
use crate::remarks::ClosedLoopSummary;
use crate::rows::MessageRow;
use crate::summary::Summary;
use crate::table::TableRow;
use measures::censoring::BOUND_NOTE;
use measures::rounded;

/// Returns completion times by size and by group as tables for the terminal, in lines of at most `width` characters
/// where possible.
#[must_use]
pub fn printed(summary: &Summary, width: usize) -> String {
    let (groups, loops) = (&summary.groups, closed_loops(&summary.closed_loops, width));
    let Some(summary) = &summary.completions else {
        return "Completion times were not kept (`completions: NotKept`).\n".to_owned();
    };
    let CompletionSummary { posted_messages, delivered_messages, .. } = *summary;
    let mut text = format!(
        "Completion of messages: {} of {} posted; slowdown is against the empty fabric\n",
        grouped(delivered_messages as u64),
        grouped(posted_messages as u64)
    );
    if summary.excluded_flows > 0 {
        text += &format!(
            "{} messages of {} flows are not in it: packets were lost, and their service does not send them again\n",
            grouped(summary.excluded_messages),
            grouped(summary.excluded_flows as u64)
        );
    }
    let by_size: Vec<_> = summary.by_size.iter().map(|bin| (bin.label(), bin.messages)).collect();
    let by_group =
        groups.iter().filter_map(|group| Some((group.group.clone(), group.messages.statistics()?)));
    let by_group: Vec<_> = by_group.collect();
    let tables = [("size", &by_size), ("group", &by_group)].into_iter().filter(|(_, rows)| !rows.is_empty());
    let tables: Vec<_> = tables.map(|(key, rows)| quantiles(key, rows, width)).collect();
    if tables.is_empty() {
        return text;
    }
    text += &tables.join("\n\n");
    text += "\n";
    if by_size.iter().chain(&by_group).any(|(_, messages)| messages.has_bounds()) {
        text += &format!("{BOUND_NOTE}\n");
    }
    text + &loops
}

/// Returns the rates and the hosts that stand still of closed loops, which quantiles hide; nothing if there are none.
fn closed_loops(loops: &[ClosedLoopSummary], width: usize) -> String {
    if loops.is_empty() {
        return String::new();
    }
    let header = [
        "closed loop",
        "hosts",
        "messages/s",
        "alone",
        "stand still",
        "at the end",
        "slowest 1 % of messages",
    ];
    let row = |own: &ClosedLoopSummary| {
        vec![
            own.pattern.clone(),
            grouped(own.hosts as u64),
            grouped(own.messages_per_s as u64),
            own.alone_messages_per_s.map_or_else(|| "-".to_owned(), |alone| grouped(alone as u64)),
            format!("{:.1}", own.still_hosts),
            grouped(own.still_hosts_at_end as u64),
            own.slowest_hundredth_share
                .map_or_else(|| "-".to_owned(), |share| format!("{:.1} % of all time", share * 100.0)),
        ]
    };
    let rows: Vec<_> = loops.iter().map(row).collect();
    format!(
        "\n{}\nA host of a closed loop posts when a message is complete. alone: on the empty fabric. stand still: no message complete\n\
         for ten times as long as the outstanding ones take alone.\n",
        in_blocks(&header.map(str::to_owned), &rows, 1, 1, width)
    )
}

/// Returns a row for each set of messages, in a table with this header above the first column.
fn quantiles(key: &str, rows: &[(String, MessageStatistics)], width: usize) -> String {
    let header = [
        key,
        "delivered",
        "posted",
        "p50 (us)",
        "p95 (us)",
        "p99 (us)",
        "slowdown p50",
        "slowdown p95",
        "slowdown p99",
    ];
    let row = |(name, messages): &(String, MessageStatistics)| {
        let counts =
            [messages.delivered_messages, messages.posted_messages].map(|count| grouped(count as u64));
        let quantiles = messages.fct_us.all().into_iter().chain(messages.slowdown.all());
        let mut row = vec![name.clone()];
        row.extend(counts.into_iter().chain(quantiles.map(|value| value.printed(3))));
        row
    };
    let rows: Vec<_> = rows.iter().map(row).collect();
    in_blocks(&header.map(str::to_owned), &rows, 1, 1, width)
}

/// Returns `fct.csv`: a row for each posted message; delivered messages come first, in order of time.
#[must_use]
pub fn file(record: &RunRecord) -> Option<String> {
    let all = record.completions.as_ref()?;
    let row = |message: &MessageRecord| message_row(&record.flows[message.flow as usize], message, all.end);
    Some(MessageRow::csv(all.messages.iter().map(row)))
}

fn message_row<'a>(flow: &'a FlowRecord, message: &MessageRecord, end: Time) -> MessageRow<'a> {
    let MessageRecord { completed, acknowledged, .. } = *message;
    // A message that is complete at both of its ends has no age.
    let is_complete = completed.is_some() && (acknowledged.is_some() || !flow.transport.is_reliable());
    MessageRow {
        flow: (&*flow.name).into(),
        src: flow.source.as_str().into(),
        dst: flow.destination.as_str().into(),
        message: message.number.into(),
        size_bytes: message.size.get(),
        posted_s: message.posted.seconds(),
        completed_s: completed.map(Time::seconds),
        acknowledged_s: acknowledged.map(|ack| ack.at.seconds()),
        fct_us: message.time().map(microseconds),
        ideal_us: microseconds(message.ideal),
        slowdown: message.time().map(|time| rounded(message.slowdown(time), 6)),
        age_s: (!is_complete).then(|| message.age(end).seconds()),
    }
}

/// Returns `fct.txt` in the form of HPCC's simulator: addresses, ports, bytes, start, completion time and ideal time,
/// in ns. As there, a message ends when its last acknowledgement is back at its source, and lines are in order of that
/// time. Messages that were not acknowledged have no line. Times of a list of flows count from the same instant as in
/// the list. Ports have no meaning here; they are 10000 and 100.
#[must_use]
pub fn hpcc(record: &RunRecord) -> Option<String> {
    let address = |host: u32| 0x0b00_0001 + (host / 256) * 0x1_0000 + (host % 256) * 0x100;
    let ns = |time: Time| time.ps().div_ceil(1000);
    let completions = record.completions.as_ref()?;
    let origin = completions.origin.ps() / 1000;
    let line = |(ack, one): (Acknowledged, &MessageRecord)| {
        let hosts = record.flows[one.flow as usize].hosts;
        format!(
            "{:08x} {:08x} 10000 100 {} {} {} {}\n",
            address(hosts.0),
            address(hosts.1),
            one.size.get(),
            origin + one.posted.ps() / 1000,
            ns(ack.at) - one.posted.ps() / 1000,
            ns(ack.ideal.after_start())
        )
    };
    let mut ended: Vec<_> =
        completions.messages.iter().filter_map(|one| Some((one.acknowledged?, one))).collect();
    ended.sort_by_key(|(ack, one)| (ack.at, one.flow, one.number));
    Some(ended.into_iter().map(line).collect())
}

/// Returns a line that says how many messages `fct.txt` lacks; `None` if it lacks none.
#[must_use]
pub fn hpcc_note(summary: &CompletionSummary) -> Option<String> {
    let missing = summary.posted_messages - summary.acknowledged_messages;
    (missing > 0).then(|| {
        format!(
            "fct.txt lacks {} of {} posted messages: those that were not acknowledged by the end of the run\n",
            grouped(missing as u64),
            grouped(summary.posted_messages as u64)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::WIDTH;
    use crate::sample;

    #[test]
    fn messages_are_printed_by_size_and_by_group() {
        let printed =
            |record: &RunRecord| printed(&Summary::new(sample::CONTEXT, record, sample::cost()), WIDTH);
        insta::assert_snapshot!(printed(&sample::record()));
        let without = RunRecord { completions: None, ..sample::record() };
        assert!(file(&without).is_none() && hpcc(&without).is_none());
        assert!(printed(&without).contains("NotKept"));
    }

    /// A message that was not acknowledged, or not even delivered, has its age.
    #[test]
    fn the_file_has_a_row_a_posted_message() {
        let file = file(&sample::record()).unwrap();
        let rows: Vec<_> = file.lines().skip(1).collect();
        assert_eq!(rows.len(), 4);
        assert_eq!(rows[0], "incast[0],H4,H3,1,1000,0.01,0.010002,0.010003,2.0,1.6,1.25,");
        assert_eq!(rows[2], "incast[1],H5,H3,1,2500000,0.01,0.0125,,2500.0,1250.0,2.0,0.01");
        assert_eq!(rows[3], "incast[1],H5,H3,2,2500000,0.01,,,,1250.0,,0.01");
    }

    /// The file has the addresses of hosts 0 and 300, and no line for the message that was not acknowledged.
    #[test]
    fn hpccs_file_has_its_addresses_and_nanoseconds() {
        let file = hpcc(&sample::record()).unwrap();
        assert_eq!(file.lines().next(), Some("0b000001 0b012c01 10000 100 1000 10000000 3000 2600"));
        assert_eq!(file.lines().count(), 2);
        let mut summary = CompletionSummary::of(&sample::record()).unwrap();
        assert!(hpcc_note(&summary).is_some_and(|note| note.starts_with("fct.txt lacks 2 of 4 posted")));
        summary.acknowledged_messages = 4;
        assert_eq!(hpcc_note(&summary), None);
    }
}
