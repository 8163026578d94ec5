//! Goodput of a flow in a phase.
//!
//! Invariant: goodput is the payload that the destination's host took, over simulated time. Headers, acknowledgements
//! and retransmissions are not counted. The second half of a phase begins where the record says: a phase that a run cut
//! short may count as a whole ([`Phase::until`]).

use serde::Deserialize;
use telemetry::{Phase, RunRecord};
use units::{Bytes, Time};

/// A part of a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum PhasePart {
    /// The second half of the phase, after the transition.
    #[default]
    SecondHalf,
    /// The whole phase.
    Whole,
}

impl PhasePart {
    /// Returns the start of this part of a phase; it ends with the phase.
    #[must_use]
    pub const fn start(self, phase: &Phase) -> Time {
        match self {
            Self::SecondHalf => phase.second_half,
            Self::Whole => phase.from,
        }
    }
}

/// Returns the payload that these flows delivered in a part of a phase.
#[must_use]
pub fn delivered(
    record: &RunRecord,
    flows: impl IntoIterator<Item = usize>,
    phase: &Phase,
    part: PhasePart,
) -> Bytes {
    let from = part.start(phase);
    flows.into_iter().map(|flow| record.delivered_between(flow, from, phase.to)).sum()
}

/// Returns the goodput of these flows together in a part of a phase, in bit/s.
#[must_use]
pub fn goodput(
    record: &RunRecord,
    flows: impl IntoIterator<Item = usize>,
    phase: &Phase,
    part: PhasePart,
) -> f64 {
    delivered(record, flows, phase, part).bps_over(phase.to.since(part.start(phase)))
}

#[cfg(test)]
mod tests {
    use telemetry::Snapshot;
    use units::Span;

    use super::*;

    /// In a phase of 8 ms, two flows deliver 1 and 2 MB in the first half, 3 and 0 MB in the second.
    #[test]
    fn a_phase_counts_whole_and_by_its_second_half() {
        let at = |ms: u64| Span::from_us(1000 * ms).after_start();
        let snapshot = |ms, mb: [u64; 2]| Snapshot {
            at: at(ms),
            delivered: mb.map(|mb| Bytes::new(mb * 1_000_000)).to_vec(),
        };
        let phase = Phase::new(String::new(), Time::ZERO, at(8));
        let record = RunRecord {
            snapshots: vec![snapshot(0, [0, 0]), snapshot(4, [1, 2]), snapshot(8, [4, 2])],
            ..RunRecord::default()
        };
        let gbps = |flows: &[usize], part| goodput(&record, flows.iter().copied(), &phase, part) / 1e9;
        assert_eq!([gbps(&[0], PhasePart::Whole), gbps(&[0], PhasePart::SecondHalf)], [4.0, 6.0]);
        assert_eq!([gbps(&[0, 1], PhasePart::Whole), gbps(&[0, 1], PhasePart::SecondHalf)], [6.0, 6.0]);
    }
}
