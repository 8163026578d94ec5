//! The declared changes of traffic: what a reader of a time series wants marked.
//!
//! Invariant: only named flows and hot spots count, and at one instant there is one change. Flows of one named pattern
//! change together, when the pattern is declared to, whatever their jitter.

use std::collections::BTreeMap;

use units::Time;

use crate::flow::Workload;

/// Named flows and hot spots that start or stop at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// When.
    pub at: Time,
    /// Which, in the order of the scenario: `F1 stops; F2, F3 start`.
    pub what: String,
}

impl Workload {
    /// When named flows and hot spots start and stop, in order of time. A flow of a counted number of messages starts
    /// and has no declared stop. The flows of a pattern go by its name: `local starts`.
    #[must_use]
    pub fn changes(&self) -> Vec<Change> {
        let mut at: BTreeMap<Time, [Vec<&str>; 2]> = BTreeMap::new();
        for flow in self.flows.iter().filter(|flow| flow.named) {
            let (name, start) = match &flow.group {
                Some(group) => (&group.name, group.start),
                None => (&flow.name, flow.posting.start()),
            };
            for (time, verb) in [(flow.posting.stop(), 0), (start, 1)] {
                let names = &mut at.entry(time).or_default()[verb];
                if names.last() != Some(&name.as_str()) {
                    names.push(name);
                }
            }
        }
        at.remove(&Time::NEVER);
        let of_flows =
            at.into_iter().map(|(at, [stops, starts])| Change { at, what: words(&stops, &starts) });
        let mut all: Vec<_> = of_flows.chain(self.declared.iter().cloned()).collect();
        // In the order of the scenario at one instant, flows first: the sort is stable.
        all.sort_by_key(|change| change.at);
        all.dedup_by(|later, earlier| {
            let same = later.at == earlier.at;
            if same {
                earlier.what = format!("{}; {}", earlier.what, later.what);
            }
            same
        });
        all
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
