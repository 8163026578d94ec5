//! Names of flows in sentences: a flow by itself, or the pattern or group that it is one of many of.
//!
//! Invariant: every flow has one owner.

use std::collections::BTreeMap;

use scenario::Plan;
use telemetry::RunRecord;

use crate::format::grouped;

/// Most named flows of a pattern or group that are named one by one.
const MOST_SINGLE: usize = 3;

/// Owners of all flows of a run.
#[derive(Clone, Debug)]
pub(super) struct Owners {
    /// For each flow, the place of its owner.
    of: Vec<u32>,
    all: Vec<Owner>,
}

/// A flow by itself, or a number of flows with a name in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    name: String,
    /// Number of its flows; `None` of a flow by itself.
    pub(super) flows: Option<usize>,
}

/// The name that a flow has in common with others, or its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Flow(usize),
    Shared(&'a str),
}

impl Owners {
    pub(super) fn new(record: &RunRecord, plan: Option<&Plan>) -> Self {
        let shared: Vec<_> = (0..record.flows.len()).map(|flow| shared_name(record, plan, flow)).collect();
        let mut named: BTreeMap<&str, usize> = BTreeMap::new();
        for name in shared[..record.named()].iter().flatten() {
            *named.entry(name).or_default() += 1;
        }
        let mut places: BTreeMap<Key<'_>, u32> = BTreeMap::new();
        let (mut of, mut all) = (Vec::with_capacity(shared.len()), Vec::<Owner>::new());
        for (flow, name) in shared.iter().enumerate() {
            let is_named = record.flows[flow].named;
            let key = match name {
                Some(name) if !is_named || named[name] > MOST_SINGLE => Key::Shared(name),
                _ => Key::Flow(flow),
            };
            let place = *places.entry(key).or_insert_with(|| {
                let (name, flows) = match key {
                    Key::Flow(flow) => (record.flows[flow].name.to_string(), None),
                    Key::Shared(name) => (name.to_owned(), Some(0)),
                };
                all.push(Owner { name, flows });
                all.len() as u32 - 1
            });
            if let Some(flows) = &mut all[place as usize].flows {
                *flows += 1;
            }
            of.push(place);
        }
        Self { of, all }
    }

    /// Returns the place of a flow's owner.
    pub(super) fn of(&self, flow: usize) -> usize {
        self.of[flow] as usize
    }

    pub(super) fn at(&self, place: usize) -> &Owner {
        &self.all[place]
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }
}

impl Owner {
    /// Returns the flow's name, or `32 flows of storage`: a number of the flows of an owner with many.
    pub(super) fn flows_in_words(&self, flows: usize) -> String {
        match self.flows {
            None => self.name.clone(),
            Some(1) => format!("the flow of {}", self.name),
            Some(all) if all == flows => format!("all {} flows of {}", grouped(all as u64), self.name),
            Some(_) if flows == 1 => format!("1 flow of {}", self.name),
            Some(_) => format!("{} flows of {}", grouped(flows as u64), self.name),
        }
    }

    /// Returns the name alone.
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

/// Returns the name that a flow has in common with others of its group or pattern.
fn shared_name<'a>(record: &'a RunRecord, plan: Option<&'a Plan>, flow: usize) -> Option<&'a str> {
    let one = &record.flows[flow];
    if let Some(group) = one.group {
        return Some(&record.groups[group as usize].name);
    }
    let pattern = plan.and_then(|plan| {
        let workload = plan.workload();
        workload.flows[flow].pattern.map(|pattern| &workload.patterns[pattern as usize])
    });
    let of_pattern = pattern.map(|pattern| pattern.name.as_deref().unwrap_or(&pattern.label));
    // Names that patterns make begin with the pattern's.
    let of_name = one.name.split_once(':').map_or(&*one.name, |(pattern, _)| pattern);
    of_pattern.or((!one.named).then_some(of_name))
}

#[cfg(test)]
mod tests {
    use telemetry::{FlowRecord, GroupRecord};

    use super::*;

    #[test]
    fn few_named_flows_stand_for_themselves_and_many_for_their_group() {
        let flow = |name: &str, named, group| FlowRecord {
            name: name.into(),
            named,
            group,
            ..FlowRecord::default()
        };
        let mut flows: Vec<_> = (1..=4).map(|n| flow(&format!("s{n}"), true, Some(0))).collect();
        flows.extend([flow("F", true, None), flow("G", true, Some(1)), flow("job:a->b", false, Some(1))]);
        flows.extend([flow("poisson:a->b", false, None), flow("poisson:b->a", false, None)]);
        let groups = ["storage", "job"].map(|name| GroupRecord { name: name.to_owned() }).to_vec();
        let record = RunRecord { flows, groups, ..RunRecord::default() };
        let owners = Owners::new(&record, None);
        let words = |flow, flows| owners.at(owners.of(flow)).flows_in_words(flows);
        assert_eq!(words(0, 4), "all 4 flows of storage");
        assert_eq!((words(3, 1), words(4, 1)), ("1 flow of storage".to_owned(), "F".to_owned()));
        assert_eq!((words(5, 1), words(6, 1)), ("G".to_owned(), "the flow of job".to_owned()));
        assert_eq!((words(7, 2), owners.of(7)), ("all 2 flows of poisson".to_owned(), owners.of(8)));
    }
}
