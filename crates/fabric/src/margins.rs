//! How near loads came to their limits: of marking, and of triggers.
//!
//! Invariant: what markers count is read, not counted again; when a threshold was first passed is known to the
//! sample.

use cc_policies::spec::Trigger;
use packet::{Lane, NodeId, PortId};
use scenario::Plan;
use telemetry::{MarginCounts, MarginRecord};
use units::{Bytes, Time};

use crate::world::World;

/// When each threshold was found passed.
#[derive(Debug, Default)]
pub(crate) struct Crossings {
    /// By port of every switch, and lane; empty until the first look.
    first: Vec<[Option<Time>; 2]>,
}

impl Crossings {
    /// Looks at the world, once everything of a sample's instant has happened.
    pub(crate) fn look(&mut self, world: &World) {
        let now = world.fabric.now;
        let margins = world.switches.iter().flat_map(|switch| {
            let lanes = switch.lanes();
            let places = (0..switch.radix() * lanes).map(move |at| (at / lanes, at % lanes));
            places.map(|(port, lane)| switch.margins(PortId(port as u16), Lane(lane as u8)))
        });
        let ports: usize = world.switches.iter().map(|switch| switch.radix() * switch.lanes()).sum();
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
        let ports = &world.fabric.first_port;
        let switch = &world.switches[node.index() - world.adapters.len()];
        let port = (ports[node.index()] - ports[world.adapters.len()]) as usize + port.index();
        self.first.get(port * switch.lanes() + lane.index()).copied().unwrap_or_default()
    }
}

/// What waited for an output against its threshold of marking, and against that of marking all, where it has them.
pub(crate) fn marking(world: &World, node: NodeId, port: PortId, lane: Lane) -> [Option<MarginRecord>; 2] {
    let Some(switch) = node.index().checked_sub(world.adapters.len()) else { return [None; 2] };
    let [some, all] = world.switches[switch].margins(port, lane);
    let [first, first_all] = world.crossings.first(world, node, port, lane);
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

/// The most that a switch's buffer held against what triggers marking by the HP proposal.
pub(crate) fn trigger(plan: &Plan, node: NodeId, buffer: Bytes, peak: Bytes) -> Option<MarginRecord> {
    if plan.graph().is_host(node) {
        return None;
    }
    let limit = match plan.scheme().hp_marking()?.trigger {
        Trigger::Full => buffer.saturating_sub(plan.link().longest_packet()),
        Trigger::Above(threshold) => threshold,
    };
    Some(MarginRecord { load: peak, limit, counts: None })
}
