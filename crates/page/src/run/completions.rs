//! Completion times of messages: the share that was delivered within a time.
//!
//! Invariant: undelivered messages count as posted, so that a curve ends below 1 where there are some.

use std::collections::BTreeMap;

use results::reader::{ReadError, RunFiles};
use results::rows::{MessageRow, MessageTimes};
use results::table::TableRow;

use super::facts::{Bound, RunSummary, SizeFacts};
use crate::data::{Line, Panel};
use crate::words;

/// Most points of a curve.
const MOST_POINTS: usize = 300;
/// Most groups with a curve.
const MOST_GROUPS: usize = 7;

/// Returns the curves; `None` if the run kept no completion times, or posted no message.
pub(super) fn panel(files: RunFiles<'_>) -> Result<Option<Panel>, ReadError> {
    if !files.has(MessageRow::FILE) {
        return Ok(None);
    }
    let messages = files.messages()?;
    let flows = files.flows()?;
    let group_of: BTreeMap<&str, &str> =
        flows.iter().filter_map(|row| Some((&*row.flow, row.group.as_deref()?))).collect();
    let mut groups: BTreeMap<&str, Vec<&MessageTimes>> = BTreeMap::new();
    for message in &*messages {
        if let Some(group) = group_of.get(&*message.flow) {
            groups.entry(group).or_default().push(message);
        }
    }
    let left = groups.len().saturating_sub(MOST_GROUPS);
    let mut curves = vec![("all messages", "total", shares(&messages.iter().collect::<Vec<_>>()))];
    curves.extend(groups.iter().take(MOST_GROUPS).map(|(name, of)| (*name, "group", shares(of))));
    let mut times: Vec<f64> =
        curves.iter().flat_map(|(_, _, points)| points.iter().map(|point| point.0)).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    if times.is_empty() {
        return Ok(None);
    }
    let lines = curves.into_iter().map(|(name, kind, points)| {
        let at: BTreeMap<u64, f64> =
            points.into_iter().map(|(time, share)| (time.to_bits(), share)).collect();
        let y = times.iter().map(|time| at.get(&time.to_bits()).copied()).collect();
        Line { name: name.to_owned(), kind, y, shown: true }
    });
    let lines = lines.collect();
    let groups = if left == 0 { String::new() } else { format!(" {left} further groups have no curve.") };
    let about = format!(
        "Share of the posted messages that were delivered within a time after their posting, of {}.{groups}",
        words::count(messages.len(), "message")
    );
    let heading = "Completion times".to_owned();
    Ok(Some(Panel { id: "completions", heading, about, unit: "", x: times, lines, samples_a_pair: 1 }))
}

/// Returns points of the curve of some messages: time in s, and the share of all that were delivered by then.
fn shares(messages: &[&MessageTimes]) -> Vec<(f64, f64)> {
    let mut times: Vec<f64> = messages.iter().filter_map(|message| message.fct_us).collect();
    times.sort_by(f64::total_cmp);
    let (delivered, posted) = (times.len(), messages.len().max(1) as f64);
    let points = delivered.min(MOST_POINTS);
    // Evenly spaced ranks. The last is the rank of the last delivery.
    let ranks = (1..=points).map(|place| place * delivered / points);
    ranks.map(|rank| (times[rank - 1] / 1e6, rank as f64 / posted)).collect()
}

/// Returns sentences on the completion of messages.
pub(super) fn about(summary: &RunSummary, panel: Option<&Panel>) -> Vec<String> {
    let Some(facts) = &summary.completions else {
        return vec!["The run kept no completion times (`completions: NotKept`).".to_owned()];
    };
    let mut sentences: Vec<String> = panel.map(|panel| panel.about.clone()).into_iter().collect();
    if facts.posted_messages == 0 {
        sentences.push("No message was posted.".to_owned());
    }
    sentences.extend(facts.by_size.iter().map(of_size));
    sentences
}

fn of_size(size: &SizeFacts) -> String {
    let class = size.up_to_bytes.map_or_else(
        || "Larger messages".to_owned(),
        |bytes| format!("Messages of up to {}", words::bytes(bytes as f64)),
    );
    let in_us = |us: f64| words::time(us / 1e6);
    let quantile = |bound: &Option<Bound>, spelled| {
        bound.as_ref().map_or_else(|| "not known".to_owned(), |bound| bound.in_words(spelled))
    };
    format!(
        "{class}: {} of {} delivered; median of the completion time {}, 99th percentile {}; slowdown {} and {}.",
        words::thousands(size.delivered_messages),
        words::thousands(size.posted_messages),
        quantile(&size.fct_us.p50, in_us),
        quantile(&size.fct_us.p99, in_us),
        quantile(&size.slowdown.p50, words::short),
        quantile(&size.slowdown.p99, words::short),
    )
}
