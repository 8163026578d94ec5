//! Patterns and slow hosts, as the plan has them.
//!
//! Invariant: nothing here depends on the run.

use scenario::Plan;
use telemetry::{PatternRecord, SlowHostRecord};
use workload::{MessageSchedule, Posting};

/// Returns the patterns of a plan, in their order.
pub(super) fn patterns(plan: &Plan) -> Vec<PatternRecord> {
    let patterns = plan.workload().patterns.iter().zip(plan.closed_loops());
    patterns.map(|(pattern, closed)| PatternRecord { label: pattern.label.clone(), closed }).collect()
}

/// Returns a rule that says whether a flow posts at times that do not depend on deliveries.
pub(super) fn is_open(plan: &Plan, patterns: &[PatternRecord]) -> impl Fn(u32) -> bool {
    move |flow| {
        let flow = &plan.workload().flows[flow as usize];
        let is_closed = flow.pattern.is_some_and(|pattern| patterns[pattern as usize].closed.is_some());
        let waits = matches!(
            flow.posting,
            Posting::Scheduled(MessageSchedule::Saturate { .. }) | Posting::Job { .. }
        );
        !is_closed && !waits
    }
}

/// Returns the hosts that consume payload at a limited rate, in the order of the topology.
pub(super) fn slow_hosts(plan: &Plan) -> Vec<SlowHostRecord> {
    let hosts = plan.graph().host_names().zip(&plan.nodes().adapters);
    let slow = hosts.filter_map(|(host, adapter)| Some((host, adapter.settings.drain_limit?)));
    slow.map(|(host, takes)| SlowHostRecord { host: host.to_owned(), takes }).collect()
}
