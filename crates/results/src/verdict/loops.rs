//! Closed loops: how much they moved, and hosts that stand still.
//!
//! Invariant: times of a loop's messages are not told alone, since a host that waits posts nothing.

use std::collections::{BTreeMap, BTreeSet};

use measures::PhasePart;
use packet::NodeId;

use super::facts::Facts;
use super::messages::closed_loop;
use super::words;
use crate::format::{counted, grouped};
use crate::remarks::ClosedLoopSummary;

/// Most loops that a sentence names.
const MOST_NAMED: usize = 3;

/// Says how much closed loops moved. Times of their messages do not show hosts that wait and post nothing.
pub(super) fn rates(facts: Facts<'_>) -> Option<String> {
    // A loop that has delivered everything has no rate at the end.
    if facts.record.finite.is_some_and(|finite| finite.done.is_some()) {
        return None;
    }
    let (last, plan) = (facts.goodput.last()?, facts.plan?);
    let workload = plan.workload();
    let mut loops: BTreeMap<u32, (f64, BTreeSet<NodeId>)> = BTreeMap::new();
    for (place, flow) in workload.flows.iter().enumerate().filter(|(place, _)| closed_loop(plan, *place)) {
        let Some(pattern) = flow.pattern else { continue };
        let (rate, hosts) = loops.entry(pattern).or_default();
        *rate += last.flows[place].over(PhasePart::SecondHalf);
        hosts.insert(flow.source);
    }
    let several = loops.len() > 1;
    let one = |(pattern, (rate, hosts)): (u32, (f64, BTreeSet<NodeId>))| {
        let ports = hosts.iter().flat_map(|host| &plan.nodes().adapters[host.index()].ports);
        let links: f64 = ports.map(|port| port.wire.rate().get() as f64).sum();
        format!(
            "{} moved {} of the {} that the links of its {} carry",
            workload.patterns[pattern as usize].label,
            words::rate(rate),
            words::rate(links),
            counted(hosts.len(), "host")
        )
    };
    let all: Vec<_> = loops.into_iter().take(MOST_NAMED).map(one).collect();
    (!all.is_empty()).then(|| {
        format!(
            "{} in the second half of the {}; {}: a host that waits posts nothing, which times of messages do not show.",
            words::list(&all),
            if facts.goodput.len() == 1 { "run" } else { "last phase" },
            if several { "they are closed loops" } else { "it is a closed loop" }
        )
    })
}

/// Says how many hosts of closed loops stand still.
pub(super) fn still(facts: Facts<'_>) -> Option<String> {
    let one = |one: &ClosedLoopSummary| {
        format!(
            "{} of {} of {} stand still at the end, {:.1} on average",
            grouped(one.still_hosts_at_end as u64),
            counted(one.hosts, "host"),
            one.pattern,
            one.still_hosts
        )
    };
    let all = facts.closed_loops.iter().filter(|one| one.stands()).take(MOST_NAMED);
    let all: Vec<_> = all.map(one).collect();
    (!all.is_empty()).then(|| format!("{}.", words::list(&all)))
}
