//! All traffic of a run.

use std::collections::BTreeMap;

use units::Time;

use crate::change::TrafficChange;
use crate::flow::Flow;
use crate::run::HostTraffic;

/// All traffic of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// Flows by number ([`FlowId`](packet::FlowId)): named flows first, those of `flows` before those of patterns, then
    /// all others. Flows of patterns are in the order of their patterns, each pattern's by source and then destination.
    pub flows: Vec<Flow>,
    /// Changes that patterns declare besides the starts and stops of named flows: hot spots that come and go.
    pub declared: Vec<TrafficChange>,
    /// Traffic that hosts draw during the run, by the number that [`Posting::Drawn`](crate::Posting::Drawn) refers to.
    pub host_traffic: Vec<HostTraffic>,
}

impl Workload {
    /// Returns the starts and stops of named flows and hot spots in order of time, one change an instant. A flow of a
    /// counted number of messages has a start and no declared stop. The flows of a named pattern change together, when
    /// the pattern is declared to, whatever their jitter, and go by its name: `local starts`.
    #[must_use]
    pub fn changes(&self) -> Vec<TrafficChange> {
        // The sort is stable: at one instant flows come first, and hot spots in the order of the scenario.
        let mut all = [self.changes_of_flows(), self.declared.clone()].concat();
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

    fn changes_of_flows(&self) -> Vec<TrafficChange> {
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
        let change = |(at, [stops, starts]): (Time, [Vec<&str>; 2])| {
            let clauses = [clause(&stops, "stop"), clause(&starts, "start")];
            TrafficChange { at, what: clauses.into_iter().flatten().collect::<Vec<_>>().join("; ") }
        };
        at.into_iter().map(change).collect()
    }
}

fn clause(names: &[&str], verb: &str) -> Option<String> {
    let ending = if names.len() == 1 { "s" } else { "" };
    (!names.is_empty()).then(|| format!("{} {verb}{ending}", names.join(", ")))
}
