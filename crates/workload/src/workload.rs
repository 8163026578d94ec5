//! All traffic of a run.

use std::collections::BTreeMap;

use units::{Bytes, Time};

use crate::change::TrafficChange;
use crate::finite::FiniteTraffic;
use crate::flow::{Flow, Posting};
use crate::job::Job;
use crate::run::HostTraffic;
use crate::spec::Carriage;

/// All traffic of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// Flows by number ([`FlowId`](packet::FlowId)): named flows of `flows`, then named flows of patterns, then all
    /// others. Flows of patterns are in the order of their patterns, each pattern's by source and then destination.
    pub flows: Vec<Flow>,
    /// Groups of flows, in the order in which the scenario first mentions them: `flows` before `traffic`.
    pub groups: Vec<Group>,
    /// Patterns, in the order of the scenario's `traffic`.
    pub patterns: Vec<Pattern>,
    /// Changes that patterns declare besides their own start and stop: hot spots that come and go.
    pub declared: Vec<TrafficChange>,
    /// Traffic that hosts draw during the run, by the number that [`Posting::Drawn`](crate::Posting::Drawn) refers to.
    pub host_traffic: Vec<HostTraffic>,
    /// Traffic that ends by itself.
    pub finite: FiniteTraffic,
    /// Jobs, in the order of the scenario. Their flows follow all others.
    pub jobs: Vec<Job>,
}

/// Flows that are counted together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Name in tables and files, which no flow has.
    pub name: String,
}

/// A pattern of the scenario, and the time in which it posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Name of the pattern, if the scenario gives it any.
    pub name: Option<String>,
    /// Beginning of the names of its flows: its name, or its kind with a number from the second of a kind on.
    pub label: String,
    /// The way in which its flows are carried.
    pub carriage: Carriage,
    /// Payload of the longest message that it can post.
    pub longest: Bytes,
    /// Declared start; of a list of flows the time of the first.
    pub start: Time,
    /// Declared time from which no further message is posted; [`Time::NEVER`] if none is declared.
    pub stop: Time,
    /// Time of a file's clock at which the run begins; `None` if the pattern is no list of flows.
    pub origin: Option<Time>,
}

impl Workload {
    /// Returns the time at which the run begins by the clock of the lists of flows. Returns 0 if there is no list, or
    /// if their clocks differ.
    #[must_use]
    pub fn origin(&self) -> Time {
        let mut origins = self.patterns.iter().filter_map(|pattern| pattern.origin);
        let first = origins.next().unwrap_or(Time::ZERO);
        if origins.all(|origin| origin == first) { first } else { Time::ZERO }
    }

    /// Returns the starts and stops of named flows, named patterns and hot spots in order of time, a change an
    /// instant. A flow of a counted number of messages has a start and no declared stop. The flows of a named pattern
    /// change together, when the pattern is declared to, whatever their jitter, and go by its name: `local starts`.
    #[must_use]
    pub fn changes(&self) -> Vec<TrafficChange> {
        // The sort is stable: of simultaneous changes flows come first, and hot spots in the order of the scenario.
        let mut all = [self.changes_by_name(), self.declared.clone()].concat();
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

    fn changes_by_name(&self) -> Vec<TrafficChange> {
        let is_of_job = |flow: &&Flow| matches!(flow.posting, Posting::Job { .. });
        let alone = self.flows.iter().filter(|flow| flow.pattern.is_none() && !is_of_job(flow));
        let flows = alone.map(|flow| (&*flow.name, flow.posting.start(), flow.posting.stop()));
        let jobs = self.jobs.iter().map(|job| (&*job.name, job.start, Time::NEVER));
        let patterns = self.patterns.iter();
        let named = patterns.filter_map(|it| Some((it.name.as_deref()?, it.start, it.stop)));
        let mut at: BTreeMap<Time, [Vec<&str>; 2]> = BTreeMap::new();
        for (name, start, stop) in flows.chain(named).chain(jobs) {
            for (time, verb) in [(stop, 0), (start, 1)] {
                at.entry(time).or_default()[verb].push(name);
            }
        }
        // Flows without a declared start or stop are entered there.
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
