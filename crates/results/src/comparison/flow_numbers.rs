//! Numbers of flows that are the same in all runs.
//!
//! Invariant: flows have the same number if they have the same name. Within a run names are distinct.

use std::collections::BTreeMap;

use super::row::ComparedRun;

/// The numbers of the flows of each run.
#[derive(Debug)]
pub(super) struct FlowNumbers {
    /// For each run, the number of each of its flows.
    pub(super) of_runs: Vec<Vec<u32>>,
    /// Number of distinct flows.
    pub(super) flows: usize,
}

impl FlowNumbers {
    /// Numbers the flows of all runs in the order of first appearance.
    pub(super) fn of<'a>(runs: &[ComparedRun<'a>]) -> Self {
        let names = |run: &ComparedRun<'a>| run.record.flows.iter().map(|flow| &*flow.name);
        if let [first, others @ ..] = runs
            && others.iter().all(|other| names(first).eq(names(other)))
        {
            // Runs of the same scenario have the same flows, perhaps a million.
            let flows = first.record.flows.len();
            return Self { of_runs: vec![(0..flows as u32).collect(); runs.len()], flows };
        }
        let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
        let mut number = |name| {
            let next = numbers.len() as u32;
            *numbers.entry(name).or_insert(next)
        };
        let mut of_run =
            |run: &ComparedRun<'a>| run.record.flows.iter().map(|flow| number(&*flow.name)).collect();
        let of_runs = runs.iter().map(&mut of_run).collect();
        Self { of_runs, flows: numbers.len() }
    }
}
