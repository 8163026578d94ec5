//! Facts of a run that its sentences are made of.
//!
//! Invariant: nothing here is in words.

use measures::PhasePart;
use scenario::Plan;
use telemetry::RunRecord;

use crate::completions::CompletionSummary;
use crate::goodput::PhaseGoodput;
use crate::lossless::Loss;
use crate::remarks::{ClosedLoopSummary, SlowHostSummary};

/// Facts that sentences are made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    /// Record of the run.
    pub(crate) record: &'a RunRecord,
    /// Plan of the run, if it is at hand.
    pub(crate) plan: Option<&'a Plan>,
    /// Goodput of every flow in every phase.
    pub(crate) goodput: &'a [PhaseGoodput<'a>],
    /// Completion times, if they were kept.
    pub(crate) completions: Option<&'a CompletionSummary>,
    /// Closed loops.
    pub(crate) closed_loops: &'a [ClosedLoopSummary],
    /// Hosts with a limited rate that packets waited for.
    pub(crate) slow_hosts: &'a [SlowHostSummary],
}

impl<'a> Facts<'a> {
    /// Returns every flow's goodput in the second half of a phase, with the flow's number.
    pub(super) fn rates(&self, phase: usize) -> Vec<(usize, f64)> {
        let flows = self.goodput[phase].flows.iter().enumerate();
        flows.map(|(flow, rate)| (flow, rate.over(PhasePart::SecondHalf))).collect()
    }

    /// Returns true if no host sent anything, and no rank of a job did anything.
    pub(super) fn is_idle(&self) -> bool {
        let nothing_sent = self.record.audit.injected == 0 && self.record.delivered_packets == 0;
        nothing_sent && self.record.jobs.iter().all(|job| job.ended == 0)
    }

    /// Returns the packets that a fabric with PFC dropped.
    pub(super) fn not_lossless(&self) -> Option<Loss> {
        self.plan.and_then(|plan| Loss::of(plan, self.record))
    }

    /// Returns the hosts that hold up their links, the longest wait first.
    pub(super) fn slow(self) -> impl Iterator<Item = &'a SlowHostSummary> {
        let simulated = self.record.simulated.seconds();
        self.slow_hosts.iter().filter(move |host| host.holds_up(simulated))
    }

    /// Returns true if switches mark packets or sources respond.
    pub(super) fn is_controlled(&self) -> bool {
        self.plan.is_some_and(|plan| plan.congestion_control() != "Off")
    }
}
