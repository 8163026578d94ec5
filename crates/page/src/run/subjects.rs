//! Flows and groups with the payload that congestion trees kept from them.
//!
//! Invariant: payload is that of `flows.csv`, losses are those of `victims.csv`. Flows of a group count together, and a
//! flow with neither a name nor a group has a row only if it is a victim.

use std::collections::{BTreeMap, BTreeSet};

use results::reader::{ReadError, RunFiles};
use results::rows::{ContributorRow, FlowRow, VictimRow};
use serde::Serialize;

/// Most flows and groups.
const MOST: usize = 64;
/// Most flows with neither a name nor a group.
const MOST_NAMELESS: usize = 8;

/// A flow or a group.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Subject {
    name: String,
    /// `flow`, `group`, or `pair` for a flow without a name, which is known by its hosts.
    kind: &'static str,
    delivered_bytes: u64,
    /// Payload that it would have got in the time for which trees made it wait.
    lost_bytes: u64,
    flows: usize,
    victims: usize,
    contributors: usize,
}

impl Subject {
    /// Returns the share of its payload that was lost to trees.
    fn lost_share(&self) -> f64 {
        self.lost_bytes as f64 / (self.delivered_bytes + self.lost_bytes).max(1) as f64
    }
}

/// Reads flows and groups, those that lost the largest share first.
pub(super) fn read(files: RunFiles<'_>) -> Result<Vec<Subject>, ReadError> {
    let flows = files.flows()?;
    let victims: Vec<VictimRow<'_>> = files.rows()?;
    let contributors: Vec<ContributorRow<'_>> = files.rows()?;
    let mut lost: BTreeMap<&str, u64> = BTreeMap::new();
    for row in &victims {
        *lost.entry(&row.flow).or_default() += row.lost_bytes;
    }
    let giving: BTreeSet<&str> = contributors.iter().map(|row| &*row.flow).collect();
    let mut subjects: BTreeMap<(&'static str, String), Subject> = BTreeMap::new();
    for flow in &*flows {
        let lost_bytes = lost.get(&*flow.flow).copied();
        let Some((kind, name)) = subject_of(flow, lost_bytes.is_some()) else { continue };
        let subject = subjects.entry((kind, name.clone())).or_insert_with(|| Subject {
            name,
            kind,
            delivered_bytes: 0,
            lost_bytes: 0,
            flows: 0,
            victims: 0,
            contributors: 0,
        });
        subject.flows += 1;
        subject.delivered_bytes += flow.delivered_bytes;
        subject.lost_bytes += lost_bytes.unwrap_or(0);
        subject.victims += usize::from(lost_bytes.is_some());
        subject.contributors += usize::from(giving.contains(&*flow.flow));
    }
    let mut subjects: Vec<_> = subjects.into_values().collect();
    // The largest share first: a group of thousands may lose more than a victim that hardly gets anything.
    let worse = |one: &Subject, other: &Subject| {
        other.lost_share().total_cmp(&one.lost_share()).then(other.contributors.cmp(&one.contributors))
    };
    subjects.sort_by(worse);
    let mut nameless = 0;
    subjects.retain(|one| {
        nameless += usize::from(one.kind == "pair");
        one.kind != "pair" || nameless <= MOST_NAMELESS
    });
    subjects.truncate(MOST);
    Ok(subjects)
}

/// Returns kind and name of the subject that a flow belongs to; `None` if it has no row.
fn subject_of(flow: &FlowRow<'_>, is_victim: bool) -> Option<(&'static str, String)> {
    match &flow.group {
        Some(group) => Some(("group", group.to_string())),
        None if flow.named => Some(("flow", flow.flow.to_string())),
        None if is_victim => Some(("pair", format!("{} to {} ({})", flow.src, flow.dst, flow.flow))),
        None => None,
    }
}

/// Returns the sentence on the figure.
pub(super) fn about(subjects: &[Subject]) -> String {
    let held_back = subjects.iter().filter(|one| one.lost_bytes > 0).count();
    let first = match held_back {
        0 => "Congestion trees held nothing of this back.".to_owned(),
        1 => format!("Congestion trees held {} back.", subjects[0].name),
        several => {
            format!("Congestion trees held {several} of {} back, {} most.", subjects.len(), subjects[0].name)
        }
    };
    format!(
        "{first} A bar is the payload that was delivered, as a share of that and of what was lost while trees made packets wait for an \
         output of others. Each curve of goodput has a scale of its own."
    )
}
