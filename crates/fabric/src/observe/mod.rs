//! Instruments: they look at the world between windows, when all events of an instant are handled.
//!
//! Invariant: looking changes nothing of the world, and the loop pays nothing for it.
//!
//! | module | observes |
//! |---|---|
//! | `goodput` | payload delivered by each flow, over time and at the phases' ends |
//! | `trees` | congestion trees: roots, branches, contributors and victims |
//! | `margins` | distance of loads from the thresholds of marking |
//! | `watch` | quantities that the scenario asks to watch |
//! | `deadlock` | packets that wait for each other in a cycle |
//! | `digest` | all deliveries and counters, in one number |

pub(crate) mod deadlock;
pub(crate) mod digest;
pub(crate) mod goodput;
pub(crate) mod margins;
pub(crate) mod trees;
pub(crate) mod watch;

use units::Time;

use crate::state::world::World;
use goodput::GoodputProbe;
use margins::ThresholdCrossings;
use trees::TreeFinder;
use watch::Watch;

/// The instruments of a run.
#[derive(Debug)]
pub(crate) struct Instruments {
    pub(crate) goodput: GoodputProbe,
    pub(crate) trees: TreeFinder,
    pub(crate) crossings: ThresholdCrossings,
    pub(crate) watch: Watch,
}

impl Instruments {
    /// Returns the time of the next look.
    pub(crate) fn deadline(&self) -> Time {
        self.goodput.deadline()
    }

    /// Looks at the world at a deadline. Returns true if a sample was due, which all instruments take part in.
    pub(crate) fn look(&mut self, deadline: Time, world: &World) -> bool {
        let is_sample = self.goodput.look(deadline, world);
        if is_sample {
            self.trees.look(world);
            self.crossings.look(world);
            self.watch.look(world);
        }
        is_sample
    }
}
