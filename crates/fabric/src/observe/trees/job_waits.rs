//! Samples at which data of jobs wait: the evidence for the congestion of critical paths.
//!
//! Invariant: runs without jobs keep nothing and look for nothing. A flow that a tree holds at a sample is noted for
//! each such tree, at the tree's root; another flow for each output where its data wait in a queue of more than one
//! packet.

use std::collections::BTreeSet;

use packet::NodeId;
use scenario::Plan;
use units::{Bytes, Time};

use super::{EVERY_LANE, paths};
use crate::state::world::{OutputLane, World};

/// Most samples of flows that are kept.
const MOST_WAITS: usize = 1 << 20;

/// Data of a flow that waited at a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JobWait {
    /// Time of the sample.
    pub(crate) at: Time,
    /// Number of the flow.
    pub(crate) flow: u32,
    /// The tree's root, or the output where its data waited.
    pub(crate) output: OutputLane,
    /// Number of the tree's root.
    pub(crate) root: Option<u32>,
}

state_codec::value!(JobWait { at, flow, output, root });

/// The waits of jobs so far.
#[derive(Debug)]
pub(super) struct JobWaits {
    /// Flows of jobs come last.
    first_flow: u32,
    longest_packet: Bytes,
    /// Trees that hold a flow at the present sample.
    held: BTreeSet<u32>,
    pub(super) all: Vec<JobWait>,
}

state_codec::state!(JobWaits { first_flow: plan, longest_packet: plan, held: derived, all });

impl JobWaits {
    /// Creates the waits of a plan; `None` without jobs.
    pub(super) fn new(plan: &Plan) -> Option<Self> {
        let first_flow = plan.workload().jobs.first()?.first_flow;
        let longest_packet = plan.link().longest_packet();
        Some(Self { first_flow, longest_packet, held: BTreeSet::new(), all: Vec::new() })
    }

    /// Notes the flows that a tree of the present sample holds.
    pub(super) fn hold(
        &mut self,
        at: Time,
        (output, root): (OutputLane, u32),
        flows: impl Iterator<Item = u32>,
    ) {
        let first = self.first_flow;
        for flow in flows.filter(|flow| *flow >= first) {
            self.held.insert(flow);
            self.note(JobWait { at, flow, output, root: Some(root) });
        }
    }

    /// Notes the outputs where flows that no tree of the present sample holds wait. Called after all trees.
    pub(super) fn look(&mut self, world: &World) {
        let is_queued =
            |node: &NodeId| world.lanes_of(*node).any(|output| world.waiting(output) > self.longest_packet);
        let places = world.switch_numbers().filter(is_queued).map(|node| (node, EVERY_LANE)).collect();
        let first_flow = self.first_flow;
        let packets = world.packets_at(&places, |packets, packet| {
            let key = (packet.flow, packet.voq().output, packet.voq().lane);
            let is_new =
                packets.last().is_none_or(|last| (last.flow, last.voq().output, last.voq().lane) != key);
            if packet.flow.0 >= first_flow && packet.payload > 0 && is_new {
                packets.push(*packet);
            }
        });
        let waits = packets.iter().flat_map(|((node, _), packets)| {
            packets.iter().map(|packet| (packet.flow.0, paths::awaited(*node, packet)))
        });
        let waits: BTreeSet<(u32, OutputLane)> = waits.collect();
        let at = world.now();
        for (flow, output) in waits {
            if !self.held.contains(&flow) && world.waiting(output) > self.longest_packet {
                self.note(JobWait { at, flow, output, root: None });
            }
        }
        self.held.clear();
    }

    fn note(&mut self, wait: JobWait) {
        if self.all.len() < MOST_WAITS {
            self.all.push(wait);
        }
    }
}
