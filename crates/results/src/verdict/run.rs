//! The verdict of a run, made of its record and its plan.
//!
//! Invariant: each number is one of the run's tables, or a sum, a share or a quotient of such numbers. Without a plan the
//! sentences name fewer facts, and none that only a plan has.

use scenario::Plan;
use telemetry::RunRecord;

use super::command::AskedScenario;
use super::loss::{self, Lost};
use super::owners::Owners;
use super::{Verdict, advice, cause, confidence};
use crate::completions::CompletionSummary;
use crate::goodput::PhaseGoodput;
use crate::lossless::Loss;

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
}

/// Returns the verdict of a run. `asked` is the scenario in the command that it advises.
pub(crate) fn verdict(facts: Facts<'_>, asked: &AskedScenario) -> Verdict {
    let owners = Owners::new(facts.record, facts.plan);
    let lost = Lost::of(facts, &owners);
    Verdict {
        loss: loss::sentence(facts, &owners, &lost),
        cause: cause::sentence(facts, &owners, &lost),
        confidence: confidence::sentence(facts),
        advice: advice::sentence(facts, &lost, asked),
    }
}

impl Facts<'_> {
    /// Returns true if no host sent anything.
    pub(super) fn is_idle(&self) -> bool {
        self.record.audit.injected == 0 && self.record.delivered_packets == 0
    }

    /// Returns the packets that a fabric with PFC dropped.
    pub(super) fn not_lossless(&self) -> Option<Loss> {
        self.plan.and_then(|plan| Loss::of(plan, self.record))
    }

    /// Returns true if switches mark packets or sources respond.
    pub(super) fn is_controlled(&self) -> bool {
        self.plan.is_some_and(|plan| plan.congestion_control() != "Off")
    }
}
