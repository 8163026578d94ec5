//! Distance of queues from the thresholds of marking.
//!
//! Invariant: markers count crossings, and the counts are only read here. The time of the first crossing is known to
//! the sample.

use packet::{Lane, NodeId, PortId};
use switch_arch::Switch;
use telemetry::{MarginCounts, MarginRecord};
use units::{Bytes, Time};

use crate::state::world::{Node, World};

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
        let margins = world.switches().map(Switch::view).flat_map(|switch| {
            let lanes = switch.lanes();
            let places = (0..switch.radix() * lanes).map(move |at| (at / lanes, at % lanes));
            places.map(|(port, lane)| switch.margins(PortId(port as u16), Lane(lane as u8)))
        });
        let switches = world.switches().map(Switch::view);
        let ports: usize = switches.map(|switch| switch.radix() * switch.lanes()).sum();
        self.first.resize(ports, [None; 2]);
        let all =
            self.first.iter_mut().zip(margins).flat_map(|(first, margins)| first.iter_mut().zip(margins));
        for (first, margin) in all {
            if first.is_none() && margin.is_some_and(|margin| margin.crossings > 0) {
                *first = Some(now);
            }
        }
    }

    fn first(&self, world: &World, node: NodeId, port: PortId, lane: Lane) -> [Option<Time>; 2] {
        let switch = world.switch(node);
        let port = world.wiring.position(node, port) - world.wiring.first_port(world.hosts);
        self.first.get(port * switch.view().lanes() + lane.index()).copied().unwrap_or_default()
    }

    /// Returns the margins of an output: its queue against the threshold of marking, and against the threshold above
    /// which every packet is marked, for rules that have them.
    pub(crate) fn of(
        &self,
        world: &World,
        (node, port, lane): (NodeId, PortId, Lane),
    ) -> [Option<MarginRecord>; 2] {
        let Node::Switch(switch) = world.node(node) else { return [None; 2] };
        let [some, all] = switch.view().margins(port, lane);
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
