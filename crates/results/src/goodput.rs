//! Goodput and fairness of every flow, phase by phase.
//!
//! Invariant: [`measures::phase`] defines goodput and the parts of a phase.

use core::cell::OnceCell;

use measures::statistics::jain;
use measures::steady_state::SteadyInPhase;
use measures::{PhasePart, rounded};
use telemetry::{Phase, RunRecord};

/// A flow in a phase.
#[derive(Clone, Copy, Debug)]
pub struct FlowGoodput {
    /// Whether the flow had data to send.
    pub active: bool,
    whole: f64,
    second_half: f64,
}

/// All flows in a phase.
#[derive(Clone, Debug)]
pub struct PhaseGoodput<'a> {
    /// The phase.
    pub phase: &'a Phase,
    /// Every flow, in the order of the record.
    pub flows: Vec<FlowGoodput>,
    steady: OnceCell<SteadyInPhase>,
}

impl PhaseGoodput<'_> {
    /// Returns the steady state of the phase, which is looked for on the first call. The phase is one of the record.
    pub(crate) fn steady(&self, record: &RunRecord) -> SteadyInPhase {
        *self.steady.get_or_init(|| SteadyInPhase::of(record, self.phase))
    }

    /// Returns the goodput of the flows with these indices.
    #[must_use]
    pub fn of(&self, flows: impl IntoIterator<Item = usize>) -> Vec<FlowGoodput> {
        flows.into_iter().map(|flow| self.flows[flow]).collect()
    }
}

/// Returns the goodput of every flow in every phase of a run.
#[must_use]
pub fn by_phase(record: &RunRecord) -> Vec<PhaseGoodput<'_>> {
    let in_phase = |phase| {
        let flows = (0..record.flows.len()).map(|flow| FlowGoodput::of(record, flow, phase));
        PhaseGoodput { phase, flows: flows.collect(), steady: OnceCell::new() }
    };
    record.phases.iter().map(in_phase).collect()
}

impl FlowGoodput {
    fn of(record: &RunRecord, flow: usize, phase: &Phase) -> Self {
        let rate = |part| measures::phase::goodput(record, [flow], phase, part);
        Self {
            active: record.active(flow, phase),
            whole: rate(PhasePart::Whole),
            second_half: rate(PhasePart::SecondHalf),
        }
    }

    /// Returns the flow's goodput, in bit/s.
    #[must_use]
    pub const fn over(&self, stretch: PhasePart) -> f64 {
        match stretch {
            PhasePart::Whole => self.whole,
            PhasePart::SecondHalf => self.second_half,
        }
    }
}

/// Returns the sum of the flows' goodput, in bit/s.
#[must_use]
pub fn total(flows: &[FlowGoodput], stretch: PhasePart) -> f64 {
    // `sum()` of no values is -0.0.
    flows.iter().fold(0.0, |sum, flow| sum + flow.over(stretch))
}

/// Returns Jain's index of the flows that were active in the phase; `None` if none was, or none got anything.
#[must_use]
pub fn jain_of_active(flows: &[FlowGoodput], stretch: PhasePart) -> Option<f64> {
    jain(flows.iter().filter(|flow| flow.active).map(|flow| flow.over(stretch)))
}

/// Returns the same index with six decimals, for files.
pub(crate) fn rounded_jain(flows: &[FlowGoodput], stretch: PhasePart) -> Option<f64> {
    jain_of_active(flows, stretch).map(|index| rounded(index, 6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_phase_counts_whole_and_by_its_second_half_and_by_its_active_flows() {
        let record = sample::record();
        let phases = by_phase(&record);
        let (first, second) = (&phases[0], &phases[1]);
        assert_eq!(first.flows[0].over(PhasePart::Whole), 8e9);
        assert_eq!(first.flows[0].over(PhasePart::SecondHalf), 12e9);
        assert!(!first.flows[1].active && second.flows[1].active);
        assert_eq!(jain_of_active(&first.of([0, 1]), PhasePart::Whole), Some(1.0));
        assert_eq!(jain_of_active(&first.of([1]), PhasePart::Whole), None);
        assert_eq!(jain_of_active(&second.of([0, 1]), PhasePart::SecondHalf), jain([6e9, 2e9]));
        assert_eq!(total(&second.of([0, 1]), PhasePart::SecondHalf), 8e9);
        assert_eq!(total(&second.of([2, 3]), PhasePart::Whole), 4e9);
        assert!(total(&[], PhasePart::Whole).is_sign_positive(), "nobody's total is printed as 0, not -0");
    }
}
