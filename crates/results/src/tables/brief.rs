//! The brief of a run on the terminal: its verdict, and at most a screen of numbers.
//!
//! Invariant: every number stands in the [`Summary`]. All tables are in [`super::printed`] and its neighbours.

use telemetry::RunRecord;

use super::congestion;
use super::printed::{self, gbps};
use crate::format::{counted, grouped, in_blocks, wrapped_below};
use crate::groups::GroupSummary;
use crate::remarks::Remark;
use crate::summary::Summary;
use crate::verdict::Verdict;
use measures::censoring::CensoredValue;

/// Most rows of a table.
const MOST_ROWS: usize = 8;
/// Most named flows that have columns.
const MOST_FLOWS: usize = 8;
/// Characters before the texts of a verdict.
const LABEL: usize = 10;

/// Returns the output of `backwater sim`: the verdict, the goodput, the groups and the worst tree, in lines of at most
/// `width` characters where possible.
#[must_use]
pub fn printed(summary: &Summary, record: &RunRecord, width: usize) -> String {
    let parts = [
        Some(verdict(&summary.verdict, width)),
        notes(&summary.remarks, width),
        Some(printed::head(summary)),
        goodput(summary, width),
        groups(summary, width),
        congestion::worst_printed(record),
        Some(format!(
            "digest {}; `--tables` adds marks, counts, times by size, more trees, queues, limits",
            summary.digest
        )),
    ];
    parts.into_iter().flatten().map(|part| part.trim_end().to_owned() + "\n").collect::<Vec<_>>().join("\n")
}

/// Returns the four texts of a verdict, each behind its label. A command has a line of its own, which is not broken, so
/// that it can be copied.
#[must_use]
pub fn verdict(verdict: &Verdict, width: usize) -> String {
    let mut text = String::new();
    for (label, part) in verdict.parts() {
        let advised = part.strip_suffix('`').and_then(|part| part.split_once(": `"));
        let (words, command) = match advised {
            Some((words, command)) => (format!("{words}:"), Some(command)),
            None => (part.to_owned(), None),
        };
        text += &wrapped_below(&format!("{label:<LABEL$}{words}"), width, LABEL);
        text += "\n";
        if let Some(command) = command {
            text += &format!("{:LABEL$}{command}\n", "");
        }
    }
    text
}

/// Returns the remarks on what the numbers hide, each behind a label; `None` if there are none.
fn notes(remarks: &[Remark], width: usize) -> Option<String> {
    let notes: Vec<_> = remarks.iter().map(|remark| note(&remark.text, width)).collect();
    (!notes.is_empty()).then(|| notes.join("\n"))
}

/// Returns a remark behind its label, without a line break at its end.
#[must_use]
pub fn note(text: &str, width: usize) -> String {
    wrapped_below(&format!("{:LABEL$}{text}", "Note"), width, LABEL)
}

/// Returns the goodput over the second half of each phase. Flows have columns if they are few.
fn goodput(summary: &Summary, width: usize) -> Option<String> {
    let first = summary.phases.first()?;
    // A group of many named flows has its own column.
    let mut shown = summary.shown();
    let shows_flows = shown.iter().filter(|shown| **shown).count() <= MOST_FLOWS;
    shown.iter_mut().for_each(|shown| *shown &= shows_flows);
    let mut header = vec!["phase".to_owned(), "from (s)".to_owned(), "to (s)".to_owned()];
    let named = first.flows.iter().zip(&shown).filter(|(_, shown)| **shown);
    header.extend(named.map(|(flow, _)| flow.flow.clone()));
    header.extend(first.groups.iter().take(MOST_ROWS).map(|group| group.group.clone()));
    if summary.others.flows > 0 {
        header.push("others".to_owned());
    }
    header.push("total".to_owned());
    let skipped = summary.phases.len().saturating_sub(MOST_ROWS);
    let row = |phase: &crate::summary::PhaseSummary| {
        let mut row = vec![phase.name.clone(), phase.from_s.to_string(), phase.to_s.to_string()];
        let flows = phase.flows.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(flow, _)| flow);
        row.extend(flows.map(|flow| printed::cell(flow.active, flow.second_half_goodput_bps)));
        let groups = phase.groups.iter().take(MOST_ROWS);
        row.extend(groups.map(|group| printed::cell(group.active_flows > 0, group.second_half_goodput_bps)));
        if summary.others.flows > 0 {
            row.push(gbps(phase.others.second_half_total_goodput_bps));
        }
        row.push(gbps(phase.second_half_total_goodput_bps));
        row
    };
    let rows: Vec<_> = summary.phases[skipped..].iter().map(row).collect();
    let last = if skipped > 0 { format!("the last {MOST_ROWS} phases") } else { "each phase".to_owned() };
    let mut text = format!("Goodput over the second half of {last}, in Gb/s\n");
    text += &in_blocks(&header, &rows, 3, 1, width);
    text += "\n";
    if shown.contains(&false) {
        text += &format!("{} by name: phases.csv\n", counted(first.flows.len(), "flow"));
    }
    if summary.others.flows > 0 {
        text += "others: flows with neither a name nor a group\n";
    }
    Some(text)
}

/// Returns the groups over the whole run.
fn groups(summary: &Summary, width: usize) -> Option<String> {
    let groups = &summary.groups;
    let header = [
        "group",
        "flows",
        "delivered (MB)",
        "Gb/s",
        "waited (ms)",
        "p50 (us)",
        "p99 (us)",
        "times ideal, p99",
    ];
    let value = |value: Option<CensoredValue>| value.map_or_else(|| "-".to_owned(), |value| value.printed(3));
    let row = |group: &GroupSummary| {
        let (times, slowdown) = (group.messages.fct_us, group.messages.slowdown);
        vec![
            group.group.clone(),
            grouped(group.flows as u64),
            format!("{:.3}", group.delivered_bytes as f64 / 1e6),
            gbps(group.goodput_bps),
            format!("{:.3}", group.waited_s * 1e3),
            value(times.map(|times| times.p50)),
            value(times.map(|times| times.p99)),
            value(slowdown.map(|slowdown| slowdown.p99)),
        ]
    };
    let rows: Vec<_> = groups.iter().take(MOST_ROWS).map(row).collect();
    let more = match groups.len().saturating_sub(MOST_ROWS) {
        0 => String::new(),
        more => format!("{} in summary.json\n", counted(more, "further group")),
    };
    (!rows.is_empty()).then(|| {
        format!(
            "Groups over the whole run\n{}\n{more}{}\
             waited: behind congestion of others, all flows added up\n\
             p50, p99: quantiles of the times of messages; ideal: time of a message on the empty fabric\n",
            in_blocks(&header.map(str::to_owned), &rows, 1, 1, width),
            printed::drained(summary)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_brief_as_it_is_printed() {
        let record = sample::record();
        let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        let text = printed(&summary, &record, 100);
        insta::assert_snapshot!(text);
        assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
        // The notes of the sample, more than most runs have, are twelve of these lines.
        assert!(text.lines().count() <= 52, "{text}");
    }

    #[test]
    fn a_command_is_not_broken_and_other_text_is() {
        let command = "backwater sim a --set 'b=1' --set 'c=2'".to_owned();
        let mut one = Summary::new(sample::CONTEXT, &sample::record(), sample::cost()).verdict;
        one.loss = "a b c d e f g h i j k l m n".to_owned();
        one.advice = format!("The reason: `{command}`");
        let text = verdict(&one, 30);
        assert!(text.starts_with("Lost      a b c d e f g h i j\n          k l m n\n"), "{text}");
        assert!(text.ends_with(&format!("Try       The reason:\n          {command}\n")), "{text}");
    }

    #[test]
    fn many_flows_phases_and_groups_are_cut_short() {
        let mut record = sample::record();
        record.groups.clear();
        record.congestion.roots.clear();
        record.completions = None;
        let first = telemetry::FlowRecord { group: None, ..record.flows[0].clone() };
        record.flows = (1..=9)
            .map(|n| telemetry::FlowRecord { name: format!("F{n}").into(), ..first.clone() })
            .collect();
        for snapshot in &mut record.snapshots {
            snapshot.delivered.resize(9, units::Bytes::ZERO);
        }
        record.failed.clear();
        let mut summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        let text = printed(&summary, &record, 100);
        assert!(text.contains("9 flows by name: phases.csv") && !text.contains(" F9 "), "{text}");
        summary.phases = vec![summary.phases[0].clone(); 12];
        assert!(printed(&summary, &record, 100).contains("second half of the last 8 phases, in Gb/s"));
    }
}
