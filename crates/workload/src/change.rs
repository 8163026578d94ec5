//! The declared changes of traffic: what a reader of a time series wants marked.
//!
//! Invariant: only named flows count, and at one instant there is one change.

use std::collections::BTreeMap;

use units::Time;

use crate::flow::Workload;

/// Named flows that start or stop at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// When.
    pub at: Time,
    /// Which, in the order of the scenario: `F1 stops; F2, F3 start`.
    pub what: String,
}

impl Workload {
    /// When named flows start and stop, in order of time. A flow of a counted number of messages starts
    /// and has no declared stop.
    #[must_use]
    pub fn changes(&self) -> Vec<Change> {
        let mut at: BTreeMap<Time, [Vec<&str>; 2]> = BTreeMap::new();
        for flow in self.flows.iter().filter(|flow| flow.named) {
            for (time, verb) in [(flow.posting.stop(), 0), (flow.posting.start(), 1)] {
                if time != Time::NEVER {
                    at.entry(time).or_default()[verb].push(&flow.name);
                }
            }
        }
        at.into_iter().map(|(at, [stops, starts])| Change { at, what: words(&stops, &starts) }).collect()
    }
}

fn words(stops: &[&str], starts: &[&str]) -> String {
    let clause = |names: &[&str], verb: &str| {
        let ending = if names.len() == 1 { "s" } else { "" };
        (!names.is_empty()).then(|| format!("{} {verb}{ending}", names.join(", ")))
    };
    let both = [clause(stops, "stop"), clause(starts, "start")];
    both.into_iter().flatten().collect::<Vec<_>>().join("; ")
}
