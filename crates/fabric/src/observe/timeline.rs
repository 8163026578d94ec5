//! Every output, and the congestion trees, at a few evenly spaced samples of a run of unknown length.
//!
//! Invariant: looking changes nothing. The moments are the samples `n`, `2n`, `3n` and so on. Once there are more
//! than the scenario asks for, `n` doubles, and every second moment is dropped. The sample with the worst tree is a
//! moment besides.

use packet::{FlowId, Lane, PortId};
use scenario::Plan;
use telemetry::{LaneMoment, Moment, Timeline, TreeMoment};

use super::trees::FoundTree;
use crate::state::world::{OutputLane, World};

/// Most trees at a moment: those with most branches. Others are counted in the samples of the trees.
const MOST_TREES: usize = 16;

/// Place of a sample among the moments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampled {
    /// The sample is one of the evenly spaced moments.
    pub(crate) is_moment: bool,
    /// A tree of the sample is the worst so far.
    pub(crate) is_worst: bool,
}

/// Records moments.
#[derive(Debug)]
pub(crate) struct TimelineProbe {
    /// Most moments: an even number.
    most: usize,
    /// Number of samples between two moments.
    stride: usize,
    sampled: usize,
    /// Outputs and lanes in the order of the record, which is ascending.
    places: Vec<OutputLane>,
    /// Moments, with counts from the start of the run.
    moments: Vec<Moment>,
    /// The sample with the worst tree so far, which may be among `moments` too.
    worst: Option<Moment>,
}

state_codec::state!(TimelineProbe { most: plan, stride, sampled, places: plan, moments, worst });

impl TimelineProbe {
    /// Creates the probe of a run; `None` if it is to record no moment.
    pub(crate) fn new(plan: &Plan, most: usize) -> Option<Self> {
        let places: Vec<_> = plan.lanes().collect();
        let most = Timeline::most_for(places.len(), most);
        (most > 0).then(|| Self { most, stride: 1, sampled: 0, places, moments: Vec::new(), worst: None })
    }

    /// Returns the most moments that are recorded.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Counts a sample, and returns true if it is a moment.
    pub(crate) fn begin_sample(&mut self) -> bool {
        self.sampled += 1;
        self.sampled.is_multiple_of(self.stride)
    }

    /// Records a sample with its trees if it is a moment, or has the worst tree so far. Called once all events of its
    /// instant are handled.
    pub(crate) fn look(
        &mut self,
        world: &World,
        mut trees: Vec<FoundTree>,
        Sampled { is_moment, is_worst }: Sampled,
    ) {
        if !is_moment && !is_worst {
            return;
        }
        trees.sort_by_key(|tree| core::cmp::Reverse(tree.branches.len()));
        trees.truncate(MOST_TREES);
        let trees = trees.iter().map(|tree| self.tree(world, tree)).collect();
        let lanes = self.places.iter().map(|place| lane_so_far(world, *place)).collect();
        let moment = Moment { at: world.now(), lanes, trees };
        if is_worst {
            // A moment is kept twice until the end, since every second one may still be dropped.
            self.worst = Some(moment.clone());
        }
        if is_moment {
            self.moments.push(moment);
        }
        if self.moments.len() > self.most {
            let mut number = 0;
            self.moments.retain(|_| {
                number += 1;
                // The even moments are the multiples of the doubled stride, so the rest stays evenly spaced.
                number % 2 == 0
            });
            self.stride *= 2;
        }
    }

    fn tree(&self, world: &World, tree: &FoundTree) -> TreeMoment {
        let hosts = |flows: &[u32]| {
            let host =
                |flow: &u32| self.place((world.flows[FlowId(*flow).index()].source.0, PortId(0), Lane(0)));
            let mut hosts: Vec<u32> = flows.iter().map(host).collect();
            hosts.sort_unstable();
            hosts.dedup();
            hosts
        };
        TreeMoment {
            root: tree.root,
            branches: tree.branches.iter().map(|(branch, depth)| (self.place(*branch), *depth)).collect(),
            contributors: hosts(&tree.contributors),
            victims: hosts(&tree.victims),
        }
    }

    /// Returns the place of an output and lane in the record.
    pub(crate) fn place(&self, output: OutputLane) -> u32 {
        let place = self.places.binary_search(&output);
        place.unwrap_or_else(|_| panic!("{output:?} is an output and lane of the fabric")) as u32
    }

    /// Returns the trees of the last moment so far.
    pub(crate) fn last_trees(&self) -> &[TreeMoment] {
        self.moments.last().map_or(&[], |moment| &moment.trees)
    }

    /// Returns the moments, with the counts of their intervals.
    pub(crate) fn timeline(self) -> Timeline {
        // Only now do counts become differences: a moment dropped before would have taken its interval with it.
        let mut moments = self.moments;
        if let Some(worst) = self.worst
            && let Err(place) = moments.binary_search_by_key(&worst.at, |moment| moment.at)
        {
            moments.insert(place, worst);
        }
        for later in (1..moments.len()).rev() {
            let (before, from) = moments.split_at_mut(later);
            for (lane, former) in from[0].lanes.iter_mut().zip(&before[later - 1].lanes) {
                (lane.sent, lane.stalled) = (lane.sent - former.sent, lane.stalled - former.stalled);
            }
        }
        Timeline { moments }
    }
}

/// Returns the counts of an output and lane from the start of the run.
pub(crate) fn lane_so_far(world: &World, at: OutputLane) -> LaneMoment {
    let seen = world.lane_seen(at);
    let queue = (!world.is_host(at.0)).then_some(seen.queue);
    LaneMoment { sent: seen.sent, stalled: seen.stalled, queue }
}
