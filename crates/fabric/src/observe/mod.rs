//! Instruments: they look at the world between windows, when all events of an instant are handled.
//!
//! Invariant: looking changes nothing of the world, and the loop pays nothing for it.
//!
//! | module | observes |
//! |---|---|
//! | `goodput` | payload delivered by each flow, over time and at the phases' ends |
//! | `trees` | congestion trees: roots, branches, contributors and victims |
//! | `margins` | distance of loads from the thresholds of marking |
//! | `port_series`, `source_series` | ports and sources that the scenario asks for |
//! | `timeline` | every output, and the congestion trees, at a few moments |
//! | `watch` | quantities that the scenario asks to watch |
//! | `deadlock` | packets that wait for each other in a cycle |
//! | `tap` | every packet and PAUSE frame at chosen ports, and waits of their outputs |
//! | `last_look` | nodes at the end of a run, for the record |
//! | `digest` | all deliveries and counters, as a single number |

pub(crate) mod deadlock;
pub(crate) mod digest;
pub(crate) mod goodput;
pub(crate) mod last_look;
pub(crate) mod margins;
pub(crate) mod port_series;
pub(crate) mod source_series;
pub(crate) mod tap;
pub(crate) mod timeline;
pub(crate) mod trees;
pub(crate) mod watch;

use units::Time;

use crate::state::world::World;
use goodput::GoodputProbe;
use margins::ThresholdCrossings;
use port_series::PortProbe;
use source_series::SourceProbe;
use timeline::{Sampled, TimelineProbe};
use trees::TreeFinder;
use watch::QuantityWatch;

#[derive(Debug)]
pub(crate) struct Instruments {
    pub(crate) goodput: GoodputProbe,
    pub(crate) trees: TreeFinder,
    pub(crate) crossings: ThresholdCrossings,
    pub(crate) watch: QuantityWatch,
    /// Only if the scenario asks for ports.
    pub(crate) ports: Option<PortProbe>,
    /// Only if the scenario asks for sources.
    pub(crate) sources: Option<SourceProbe>,
    /// Only if the run is to record moments.
    pub(crate) timeline: Option<TimelineProbe>,
}

state_codec::state!(Instruments {
    goodput: part,
    trees: part,
    crossings,
    watch: part,
    ports: part,
    sources: part,
    timeline: part,
});

impl Instruments {
    /// Returns the time of the next look.
    pub(crate) fn deadline(&self) -> Time {
        self.goodput.deadline()
    }

    /// Returns the most moments that are recorded.
    pub(crate) fn moments(&self) -> usize {
        self.timeline.as_ref().map_or(0, TimelineProbe::most)
    }

    /// Looks at the world at a deadline. Returns true if a sample was due, which all instruments take part in.
    pub(crate) fn look(&mut self, deadline: Time, world: &World) -> bool {
        let is_sample = self.goodput.look(deadline, world);
        // The finder looks first, since the timeline records the trees of the same sample.
        if is_sample {
            let is_moment = self.timeline.as_mut().is_some_and(TimelineProbe::begin_sample);
            let trees = self.trees.look(world, self.timeline.is_some());
            if let Some(timeline) = &mut self.timeline {
                let is_worst = self.trees.worst_at() == Some(world.now());
                timeline.look(world, trees, Sampled { is_moment, is_worst });
            }
            self.crossings.look(world);
            self.watch.look(world);
            if let Some(ports) = &mut self.ports {
                ports.look(world);
            }
            if let Some(sources) = &mut self.sources {
                sources.look(world);
            }
        }
        is_sample
    }
}
