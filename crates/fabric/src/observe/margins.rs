//! Distance of queues from the thresholds of marking.
//!
//! Invariant: markers count crossings, and the counts are only read here. The time of the first crossing is known to
//! the sample.

use cc_policies::Margin;
use packet::{Lane, NodeId, PortId};
use telemetry::{MarginCounts, MarginRecord};
use units::{Bytes, Time};

use crate::state::world::World;

/// The sample at which each threshold was first found crossed.
#[derive(Debug, Default)]
pub(crate) struct ThresholdCrossings {
    /// By port of every switch, then by lane; empty until the first look.
    first: Vec<[Option<Time>; 2]>,
}

state_codec::value!(ThresholdCrossings { first });

impl ThresholdCrossings {
    /// Records new crossings. Called once all events of a sample's instant are handled.
    pub(crate) fn look(&mut self, world: &World) {
        let now = world.now();
        let lanes = world.lanes;
        let outputs = world.switch_numbers().flat_map(|node| world.lanes_of(node));
        let crossed = outputs.map(|output| world.crossed(output));
        let ports = world.graph.far_ends().len() - world.hosts;
        self.first.resize(ports * lanes, [None; 2]);
        let all =
            self.first.iter_mut().zip(crossed).flat_map(|(first, crossed)| first.iter_mut().zip(crossed));
        for (first, crossed) in all {
            if first.is_none() && crossed {
                *first = Some(now);
            }
        }
    }

    fn first(&self, world: &World, node: NodeId, port: PortId, lane: Lane) -> [Option<Time>; 2] {
        let port = world.graph.position((node, port)) - world.hosts;
        self.first.get(port * world.lanes + lane.index()).copied().unwrap_or_default()
    }

    /// Returns the margins of an output's queue, for rules that have them: below the threshold of marking, and below
    /// the threshold for marking every packet. The margins given are from the end of the run.
    pub(crate) fn of(
        &self,
        world: &World<'_>,
        (node, port, lane): (NodeId, PortId, Lane),
        [some, all]: [Option<Margin>; 2],
    ) -> [Option<MarginRecord>; 2] {
        if world.is_host(node) {
            return [None; 2];
        }
        let [first, first_all] = self.first(world, node, port, lane);
        [(some, first), (all, first_all)].map(|(margin, first)| {
            let margin = margin?;
            Some(MarginRecord {
                load: Bytes::new(margin.load),
                limit: Bytes::new(margin.limit),
                counts: Some(MarginCounts {
                    crossings: margin.crossings,
                    near_misses: margin.near_misses,
                    first,
                }),
            })
        })
    }
}
