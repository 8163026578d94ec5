//! Tables of a summary on the terminal: goodput of flows and groups by phase, groups and counts over the whole run.
//!
//! Invariant: every number stands in the [`Summary`]; nothing is computed here.

use std::path::Path;

use telemetry::RunRecord;

use crate::format::{aligned, grouped, in_blocks, plain_table};
use crate::groups::{GroupSummary, MOST_MEMBERS, shown_alone};
use crate::remarks;
use crate::summary::{
    FailureSummary, FiniteSummary, OthersSummary, PauseSummary, PhaseSummary, Summary, SummaryEnd,
};
use measures::PhasePart;
use measures::spelling::instant;
use measures::steady_state::Unsteady;

/// Papers often give Jain's index of the contributors to congestion alone.
const JAIN_NOTE: &str =
    "Jain (named): Jain's index of all named flows that were active in the phase, victims included.\n";

/// Returns all that a run prints, except the place of its files, in lines of at most `width` characters where possible.
#[must_use]
pub fn tables(summary: &Summary, width: usize) -> String {
    let whole = goodput(summary, PhasePart::Whole, width);
    let second_half = goodput(summary, PhasePart::SecondHalf, width);
    format!(
        "{}\n{}\nGoodput over each phase, in Gb/s\n{whole}\n\n\
         Goodput over the second half of each phase, in Gb/s\n{second_half}\n{}\n{}{}\n",
        head(summary),
        remarks::printed(&summary.remarks),
        notes(summary),
        groups(summary, width),
        counts(summary),
    )
}

/// States the place of the files.
#[must_use]
pub fn written(folder: &Path, names: &[&str]) -> String {
    format!("written to {}: {}\n", folder.display(), names.join(", "))
}

pub(super) fn head(summary: &Summary) -> String {
    let lines = [summary.stands_still_since_s.map(standstill), finite(summary)].into_iter().flatten();
    let finite: String = lines.map(|line| format!("\n{line}")).collect();
    format!(
        "{}, congestion control {}, seed {}: {} s simulated in {}; {} packet-hops, {} a second{finite}",
        summary.scenario,
        summary.congestion_control,
        summary.seed,
        summary.simulated_s,
        on_the_wall(summary.wall_s),
        grouped(summary.packet_hops),
        grouped(summary.packet_hops_per_s as u64),
    )
}

/// Says how much finite traffic was delivered, in a run that waited for it.
fn finite(summary: &Summary) -> Option<String> {
    let FiniteSummary { delivered_messages, .. } = summary.finite?;
    match summary.ended {
        SummaryEnd::Done => {
            let noun = if delivered_messages == 1 { "message" } else { "messages" };
            let at = instant(summary.done_s?);
            Some(format!("all {} finite {noun} delivered at {at}", grouped(delivered_messages)))
        }
        SummaryEnd::NotDone => Some(format!(
            "{} by {}, the longest time of the run",
            delivered_of_finite(summary)?,
            instant(summary.simulated_s)
        )),
        SummaryEnd::GaveUp => Some(format!(
            "{} by {}; {}",
            delivered_of_finite(summary)?,
            instant(summary.simulated_s),
            failed(&summary.failed)
        )),
        SummaryEnd::Stuck => Some(format!(
            "{} by {}; no rank of a job could go on",
            delivered_of_finite(summary)?,
            instant(summary.simulated_s)
        )),
        SummaryEnd::Complete | SummaryEnd::Interrupted => None,
    }
}

/// Most flows that [`failed`] names.
const MOST_NAMED: usize = 5;

/// Returns the first few flows that failed, with the times, in words.
#[must_use]
pub fn failed(all: &[FailureSummary]) -> String {
    let named = all.iter().take(MOST_NAMED);
    let named: Vec<_> = named.map(|one| format!("{} at {}", one.flow, instant(one.at_s))).collect();
    let more = match all.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        1 => ", and 1 other".to_owned(),
        more => format!(", and {more} others"),
    };
    format!("all that was left has failed: the queue pairs of {}{more} gave up", named.join(", "))
}

/// Says since when a fabric stands still.
#[must_use]
pub fn standstill(since_s: f64) -> String {
    format!("stands still since {}; may be a deadlock", instant(since_s))
}

/// Returns [`delivered_of_finite`] of a record; nothing without finite traffic.
#[must_use]
pub fn delivered(record: &RunRecord) -> String {
    record.finite.map(FiniteSummary::from).map_or_else(String::new, delivered_messages)
}

/// Returns `3,900 of 4,032 finite messages delivered`, with the number posted if the total is not known; `None` without
/// finite traffic.
#[must_use]
pub fn delivered_of_finite(summary: &Summary) -> Option<String> {
    summary.finite.map(delivered_messages)
}

fn delivered_messages(finite: FiniteSummary) -> String {
    let delivered = grouped(finite.delivered_messages);
    match finite.messages {
        Some(all) => format!("{delivered} of {} finite messages delivered", grouped(all)),
        None => {
            format!("{delivered} finite messages delivered of {} posted", grouped(finite.posted_messages))
        }
    }
}

/// Returns elapsed real time in a unit that suits its length.
fn on_the_wall(seconds: f64) -> String {
    if seconds < 0.1 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

/// Returns a row for each phase, and a column for each flow and group, followed by the totals.
fn goodput(summary: &Summary, part: PhasePart, width: usize) -> String {
    let mut header = ["phase", "from (s)", "to (s)"].map(str::to_owned).to_vec();
    let shown = summary.shown();
    let named = summary.named().zip(&shown).filter(|(_, shown)| **shown);
    header.extend(named.map(|(name, _)| name.to_owned()));
    header.extend(summary.groups.iter().map(|group| group.group.clone()));
    let totals = totals(summary);
    header.extend(totals.iter().map(|(name, _)| (*name).to_owned()));
    let row = |phase: &PhaseSummary| {
        let mut row = vec![phase.name.clone(), phase.from_s.to_string(), phase.to_s.to_string()];
        let flows = phase.flows.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(flow, _)| flow);
        row.extend(
            flows.map(|flow| cell(flow.active, of(part, flow.goodput_bps, flow.second_half_goodput_bps))),
        );
        let groups = phase.groups.iter();
        row.extend(groups.map(|group| {
            cell(group.active_flows > 0, of(part, group.goodput_bps, group.second_half_goodput_bps))
        }));
        row.extend(totals.iter().map(|(_, cell)| cell(phase, part)));
        row
    };
    let rows: Vec<_> = summary.phases.iter().map(row).collect();
    in_blocks(&header, &rows, 3, 1, width)
}

/// A column of totals: its name, and its cell in a phase.
type TotalColumn = (&'static str, fn(&PhaseSummary, PhasePart) -> String);

/// Returns the columns for flows together: the total, Jain's index of the named flows, and all others if there are any.
fn totals(summary: &Summary) -> Vec<TotalColumn> {
    let total: TotalColumn =
        ("total", |phase, part| gbps(of(part, phase.total_goodput_bps, phase.second_half_total_goodput_bps)));
    let mut columns: Vec<TotalColumn> = Vec::new();
    if summary.others.flows > 0 {
        columns.push(("others", |phase, part| {
            let others = &phase.others;
            gbps(of(part, others.total_goodput_bps, others.second_half_total_goodput_bps))
        }));
    }
    columns.push(total);
    if summary.named().next().is_some() {
        columns.push(("Jain (named)", |phase, part| dash(of(part, phase.jain, phase.second_half_jain))));
    }
    if summary.others.flows > 0 {
        columns.push(("Jain (others)", |phase, part| {
            dash(of(part, phase.others.jain, phase.others.second_half_jain))
        }));
    }
    columns
}

/// Returns a number with three decimals, or a dash.
fn dash(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
}

fn of<T>(part: PhasePart, whole: T, second_half: T) -> T {
    match part {
        PhasePart::Whole => whole,
        PhasePart::SecondHalf => second_half,
    }
}

/// Returns a goodput; a dash if nothing was to be sent, and nothing arrived.
pub(super) fn cell(is_active: bool, goodput: f64) -> String {
    if is_active || goodput > 0.0 { gbps(goodput) } else { "-".to_owned() }
}

/// Explains the columns that are not named by flows.
fn notes(summary: &Summary) -> String {
    let mut text = String::new();
    if summary.named().next().is_some() {
        text += "\n";
        text += JAIN_NOTE;
    }
    if summary.shown().contains(&false) {
        text += &format!(
            "Groups of more than {MOST_MEMBERS} named flows have one column; each flow stands in phases.csv.\n"
        );
    }
    if summary.others.flows > 0 {
        text += if text.is_empty() { "\n" } else { "" };
        text += "others: all flows with neither a name nor a group.\n";
    }
    if summary.ended == SummaryEnd::Done {
        text += if text.is_empty() { "\n" } else { "" };
        text += "The last phase ends with the finite traffic, and all of it counts as its second half.\n";
    }
    for reason in [Unsteady::WarmingUp, Unsteady::NotStationary] {
        let unsteady = summary.phases.iter().filter(|phase| phase.steady_state.reason == Some(reason));
        let names: Vec<_> = unsteady.map(|phase| format!("`{}`", phase.name)).collect();
        if !names.is_empty() {
            text += if text.is_empty() { "\n" } else { "" };
            text += &format!("No steady mean of the total in {}: {reason}.\n", names.join(", "));
        }
    }
    text
}

/// Returns the groups over the whole run, a row for each; nothing if there are none.
fn groups(summary: &Summary, width: usize) -> String {
    if summary.groups.is_empty() {
        return String::new();
    }
    let header = [
        "group",
        "flows",
        "complete",
        "delivered (MB)",
        "Gb/s",
        "marked",
        "waited (ms)",
        "latency (us)",
        "longest (us)",
    ];
    let row = |group: &GroupSummary| {
        let complete =
            format!("{} of {}", grouped(group.completed_flows as u64), grouped(group.finite_flows as u64));
        vec![
            group.group.clone(),
            grouped(group.flows as u64),
            if group.finite_flows == 0 { "-".to_owned() } else { complete },
            format!("{:.3}", group.delivered_bytes as f64 / 1e6),
            gbps(group.goodput_bps),
            grouped(group.received_marks.values().sum()),
            format!("{:.3}", group.waited_s * 1e3),
            dash(group.mean_packet_latency_us),
            dash(group.max_packet_latency_us),
        ]
    };
    let rows: Vec<_> = summary.groups.iter().map(row).collect();
    let table = in_blocks(&header.map(str::to_owned), &rows, 1, 1, width);
    format!(
        "Groups over the whole run\n{table}\n\n{}\
         complete: of the flows whose amount of data is known beforehand. marked: delivered packets.\n\
         waited: in congestion trees whose roots they do not use, all flows added up. latency: mean of delivered \
         packets.\n\n",
        drained(summary)
    )
}

/// Says which numbers of groups count the drain after a run, if there was one.
pub(super) fn drained(summary: &Summary) -> String {
    let drain = summary.audit.drain_s;
    if drain == 0.0 {
        return String::new();
    }
    let end = instant(summary.simulated_s - drain);
    format!(
        "drain: {} after {end}; MB and the times of messages count it, Gb/s, waits and trees end before it\n",
        instant(drain)
    )
}

fn counts(summary: &Summary) -> String {
    let mut table = plain_table();
    let marked: u64 = summary.marks.values().sum();
    let reasons = summary.marks.iter();
    let reasons: Vec<_> =
        reasons.map(|(reason, count)| format!("{} {}", grouped(*count), in_words(reason))).collect();
    let by_reason = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join(", ")) };
    table.add_row(vec!["marks".to_owned(), format!("{} packets{by_reason}", grouped(marked))]);
    let transport = &summary.transport;
    let late = match transport.late_becns {
        0 => String::new(),
        late => format!(", {} by flows with nothing left to send", grouped(late)),
    };
    table.add_row(vec![
        "notifications".to_owned(),
        format!(
            "{} CNPs sent, {} BECNs received{late}; `Trigger_Threshold`, which only counts, reached {} times",
            grouped(transport.cnps),
            grouped(transport.becns),
            grouped(transport.trigger_events)
        ),
    ]);
    table.add_row(vec![
        "transport".to_owned(),
        format!(
            "{} ACKs, {} NAKs, {} timeouts, {} packets and READ requests retransmitted, {} queue pairs failed",
            grouped(transport.acknowledgements),
            grouped(transport.naks),
            grouped(transport.timeouts),
            grouped(transport.retransmitted_packets),
            grouped(transport.failed_queue_pairs)
        ),
    ]);
    if let Some(pauses) = &summary.pauses {
        table.add_row(vec!["pauses".to_owned(), paused(pauses)]);
    }
    if summary.others.flows > 0 {
        table.add_row(vec!["others".to_owned(), others(&summary.others)]);
    }
    table.add_row(vec!["audit".to_owned(), audit(summary)]);
    table.add_row(vec!["digest".to_owned(), summary.digest.clone()]);
    aligned(table, 2)
}

/// Returns the name of a reason for marks, and its meaning.
fn in_words(reason: &str) -> String {
    let meaning = match reason {
        "root" => "over the threshold, with credits",
        "victim_mask" => "over it without credits",
        "propagation" => "waited in a full buffer",
        "generation" => "for an output taken for a root",
        "red" => "by chance, by the length of the queue",
        _ => return reason.to_owned(),
    };
    format!("`{reason}` ({meaning})")
}

fn others(others: &OthersSummary) -> String {
    let OthersSummary { flows, finite_flows, completed_flows } = *others;
    let complete = match finite_flows {
        0 => "none has an end that is known beforehand".to_owned(),
        finite if finite == flows => format!("{} complete", grouped(completed_flows as u64)),
        finite => format!(
            "{} complete of the {} with an end that is known beforehand",
            grouped(completed_flows as u64),
            grouped(finite as u64)
        ),
    };
    let noun = if flows == 1 { "flow" } else { "flows" };
    format!(
        "{} {noun} with neither a name nor a group, {complete}; flows.csv has each",
        grouped(flows as u64)
    )
}

fn paused(pauses: &PauseSummary) -> String {
    let worst = pauses.worst_drops.as_ref().map_or_else(String::new, |worst| format!("; most: {worst}"));
    format!(
        "{} PAUSE frames, outputs paused for {:.3} ms in all; {} packets dropped without room, {} at outputs{worst}",
        grouped(pauses.pauses),
        pauses.paused_s * 1e3,
        grouped(pauses.dropped_at_input_packets),
        grouped(pauses.dropped_at_output_packets),
    )
}

fn audit(summary: &Summary) -> String {
    let audit = &summary.audit;
    let drained = if audit.drained {
        format!("; drained to rest in {:.3} us", audit.drain_s * 1e6)
    } else {
        String::new()
    };
    format!(
        "{} packets injected = {} delivered + {} dropped + {} under way; fullest buffer {:.1} %{drained}",
        grouped(audit.injected_packets),
        grouped(audit.delivered_packets),
        grouped(audit.dropped_packets),
        grouped(audit.under_way_packets),
        audit.fullest_buffer_share * 100.0,
    )
}

impl Summary {
    /// Returns for each named flow true if it has a column of its own.
    pub(super) fn shown(&self) -> Vec<bool> {
        let named = self.phases.first().into_iter().flat_map(|phase| &phase.flows);
        shown_alone(&named.map(|flow| flow.group.as_deref()).collect::<Vec<_>>())
    }

    /// Returns the names of the named flows.
    fn named(&self) -> impl Iterator<Item = &str> {
        self.phases.first().into_iter().flat_map(|phase| &phase.flows).map(|flow| flow.flow.as_str())
    }
}

pub(super) fn gbps(bps: f64) -> String {
    format!("{:.2}", bps / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use telemetry::FlowRecord;

    use crate::format::WIDTH;
    use crate::{Summary, sample};

    #[test]
    fn the_tables_with_named_and_other_flows() {
        let summary = Summary::new(sample::CONTEXT, &sample::record(), sample::cost());
        insta::assert_snapshot!(tables(&summary, WIDTH));
    }

    /// Ten named flows of a group are its column alone, and the flow without a group has one, too.
    #[test]
    fn a_group_of_many_named_flows_is_one_column() {
        let mut record = sample::record();
        let many = |n| FlowRecord { name: format!("m{n}").into(), group: Some(0), ..record.flows[0].clone() };
        let alone = FlowRecord { group: None, ..record.flows[1].clone() };
        record.flows = (0..10).map(many).chain([alone]).collect();
        for snapshot in &mut record.snapshots {
            snapshot.delivered.resize(11, units::Bytes::ZERO);
        }
        (record.completions, record.congestion) = (None, telemetry::Congestion::default());
        let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        let text = tables(&summary, 200);
        let header = text.lines().find(|line| line.contains("from (s)")).expect("a table");
        let columns: Vec<_> = header.split_whitespace().skip(5).collect();
        assert_eq!(columns, ["F2", "contributors", "total", "Jain", "(named)"], "{header}");
        assert!(text.contains("Groups of more than 8 named flows have one column"));
    }

    #[test]
    fn phases_without_a_steady_mean_are_named() {
        let mut summary = Summary::new(sample::CONTEXT, &sample::record(), sample::cost());
        assert!(!tables(&summary, WIDTH).contains("steady"));
        summary.phases[0].steady_state.reason = Some(Unsteady::NotStationary);
        summary.phases[1].steady_state.reason = Some(Unsteady::WarmingUp);
        let notes = notes(&summary);
        let lines: Vec<_> = notes.lines().filter(|line| line.contains("steady")).collect();
        let expected = [
            "No steady mean of the total in `F2 starts`: goodput settles late or never; the warm-up (MSER-5) would take more than half.",
            "No steady mean of the total in `F1 starts`: goodput is not stationary; it drifts, jumps or swings slowly.",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn the_tables_with_named_flows_only() {
        let mut record = sample::record();
        record.flows.truncate(2);
        record.completions = None;
        record.congestion = telemetry::Congestion::default();
        record.audit.drained = true;
        record.audit.drain = units::Span::from_us(12);
        let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        insta::assert_snapshot!(tables(&summary, WIDTH));
    }

    #[test]
    fn the_tables_with_no_named_flow_and_no_group() {
        let mut record = sample::record();
        record.flows.drain(..2);
        record.flows.iter_mut().for_each(|flow| flow.group = None);
        record.groups.clear();
        record.completions = None;
        record.congestion = telemetry::Congestion::default();
        for snapshot in &mut record.snapshots {
            snapshot.delivered.drain(..2);
        }
        record.failed.clear();
        let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        insta::assert_snapshot!(tables(&summary, WIDTH));
    }

    #[test]
    fn a_run_that_waits_for_finite_traffic_says_when_it_was_done() {
        use telemetry::RunEnding::{AtDuration, Done, GaveUp, NotDone};

        let said = |ended, messages, delivered, done: Option<u64>| {
            let done = done.map(units::Time::from_ps);
            let finite = telemetry::FiniteRecord { messages, posted: 4032, delivered, done };
            let record = RunRecord { ended, finite: Some(finite), ..sample::record() };
            super::finite(&Summary::new(sample::CONTEXT, &record, sample::cost())).unwrap_or_default()
        };
        assert_eq!(
            said(Done, Some(4032), 4032, Some(1_234_567_891)),
            "all 4,032 finite messages delivered at 1.23457 ms"
        );
        assert_eq!(said(Done, Some(1), 1, Some(2_000_000)), "all 1 finite message delivered at 2 us");
        let by = "by 20 ms, the longest time of the run";
        assert_eq!(
            said(NotDone, Some(4032), 17, None),
            format!("17 of 4,032 finite messages delivered {by}")
        );
        assert_eq!(
            said(NotDone, None, 17, None),
            format!("17 finite messages delivered of 4,032 posted {by}")
        );
        assert_eq!(said(AtDuration, Some(4032), 4032, Some(1)), "");
        let gave_up = "17 of 4,032 finite messages delivered by 20 ms; all that was left has failed: the queue pairs of F1 at 12 ms \
                       gave up";
        assert_eq!(said(GaveUp, Some(4032), 17, None), gave_up);
    }

    #[test]
    fn a_few_failures_are_named_and_a_standstill_has_a_line() {
        let one = |flow: usize| FailureSummary { flow: format!("f{flow}"), at_s: 0.001 };
        let all: Vec<_> = (0..7).map(one).collect();
        assert!(failed(&all).ends_with("f4 at 1 ms, and 2 others gave up"), "{}", failed(&all));
        assert!(failed(&all[1..]).ends_with("f5 at 1 ms, and 1 other gave up"), "{}", failed(&all[1..]));
        let record = RunRecord { stands_still: Some(units::Time::from_ps(700_000_000)), ..sample::record() };
        let head = head(&Summary::new(sample::CONTEXT, &record, sample::cost()));
        assert_eq!(head.lines().nth(1), Some("stands still since 700 us; may be a deadlock"));
    }

    #[test]
    fn many_flows_continue_in_another_block() {
        let mut record = sample::record();
        record.groups.clear();
        record.flows = (1..=14)
            .map(|n| FlowRecord { name: format!("F{n}").into(), group: None, ..record.flows[0].clone() })
            .collect();
        for snapshot in &mut record.snapshots {
            snapshot.delivered.resize(14, units::Bytes::ZERO);
        }
        let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        insta::assert_snapshot!(goodput(&summary, PhasePart::Whole, 80));
        for width in [60, 80, 110, 200] {
            let table = goodput(&summary, PhasePart::Whole, width);
            assert!(table.lines().all(|line| line.chars().count() <= width), "{table}");
        }
    }

    #[test]
    fn others_are_complete_as_far_as_their_end_is_known() {
        let text = |finite_flows, completed_flows| {
            others(&OthersSummary { flows: 4032, finite_flows, completed_flows })
        };
        let flows = "4,032 flows with neither a name nor a group";
        assert!(text(0, 0).starts_with(&format!("{flows}, none has an end that is known beforehand;")));
        assert!(text(4032, 17).starts_with(&format!("{flows}, 17 complete;")));
        assert!(text(32, 17).starts_with(&format!("{flows}, 17 complete of the 32 with an end")));
    }

    #[test]
    fn short_runs_are_printed_in_instant() {
        assert_eq!([2.0, 0.1, 0.098_76, 0.000_2].map(on_the_wall), ["2.00 s", "0.10 s", "98.8 ms", "0.2 ms"]);
    }
}
