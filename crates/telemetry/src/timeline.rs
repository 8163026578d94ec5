//! The load of every output, and the congestion trees, at a few moments of a run.
//!
//! Invariant: moments are evenly spaced but for the sample with the run's worst tree, which is always a moment. Each
//! stands for the interval that ends with it. The interval of the first begins at time zero.

use units::{Bytes, Span, Time};

/// Moments of a run, in order.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// The moments. A rest of the run that is shorter than an interval has none.
    pub moments: Vec<Moment>,
}

impl Timeline {
    /// Most evenly spaced moments of a run that is reported. They are enough for a picture of the fabric that moves,
    /// in a file of some MB for 648 hosts.
    pub const MOST: usize = 64;
    /// Most outputs and lanes at all moments together: 12 MiB.
    const MOST_CELLS: usize = 1 << 19;
    /// Fewest moments, however large the fabric.
    const FEWEST: usize = 8;

    /// Returns the most moments of a run with this number of outputs and lanes, if at most `asked` are asked for: an
    /// even number.
    #[must_use]
    pub const fn most_for(lanes: usize, asked: usize) -> usize {
        let fitting = Self::MOST_CELLS / if lanes == 0 { 1 } else { lanes };
        let fitting = if fitting < Self::FEWEST { Self::FEWEST } else { fitting };
        let most = if asked < fitting { asked } else { fitting };
        // Every second moment is dropped once there are too many, so that half of them has to be a whole number.
        most.next_multiple_of(2)
    }
}

impl LaneMoment {
    /// Size in bytes, at most.
    pub const SIZE: usize = 24;
}

const _: () = assert!(size_of::<LaneMoment>() <= LaneMoment::SIZE, "the estimate of memory counts on it");

/// Outputs and congestion trees at a moment.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// End of the interval.
    pub at: Time,
    /// A value for each lane of the record, in its order.
    pub lanes: Vec<LaneMoment>,
    /// Trees at `at`, those with most branches first.
    pub trees: Vec<TreeMoment>,
}

state_codec::value!(Moment { at, lanes, trees });

/// An output and lane in the interval that ends with a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneMoment {
    /// Bytes sent, as in [`PortSample`](crate::PortSample).
    pub sent: Bytes,
    /// Time for which packets waited with the wire free, for credit or the end of a pause.
    pub stalled: Span,
    /// Bytes that wait in the switch for this output at the end; `None` at an adapter.
    pub queue: Option<u32>,
}

state_codec::value!(LaneMoment { sent, stalled, queue });

/// A congestion tree at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeMoment {
    /// Index of its root.
    pub root: u32,
    /// Branches, parents before children: index of the lane in the record, and distance from the root in links.
    pub branches: Vec<(u32, u32)>,
    /// Source hosts of its contributors, in order, each by the index of its first lane in the record.
    pub contributors: Vec<u32>,
    /// Source hosts of its victims.
    pub victims: Vec<u32>,
}

state_codec::value!(TreeMoment { root, branches, contributors, victims });
