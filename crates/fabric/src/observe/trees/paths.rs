//! Paths of packets, output by output.
//!
//! Invariant: a path follows the forwarding tables. Every packet of a flow takes the same, unless selectors choose ports
//! for them: then all outputs that they may leave by are on it. A
//! packet about which a switch has yet to decide is taken to go minimally.

use std::collections::BTreeSet;

use packet::{FlowId, NodeId, Packet, PortId};

use crate::state::world::{OutputLane, World};

/// The most links of a path; routes that form a loop are refused before a run.
const LONGEST_PATH: usize = 256;

/// The outputs by which a packet may leave.
pub(super) struct Outputs<'w, 'p> {
    world: &'w World<'p>,
    packet: Packet,
    next: Option<OutputLane>,
    /// Outputs beside `next` that the packet may leave by, and all that were met, once a selector chooses.
    others: Vec<OutputLane>,
    met: BTreeSet<OutputLane>,
    links: usize,
}

/// Returns the outputs and lanes by which a packet may leave, from the output `first` where it waits to the last switch.
pub(super) fn outputs<'w, 'p>(world: &'w World<'p>, packet: Packet, first: OutputLane) -> Outputs<'w, 'p> {
    Outputs { world, packet, next: Some(first), others: Vec::new(), met: BTreeSet::new(), links: 0 }
}

impl Iterator for Outputs<'_, '_> {
    type Item = OutputLane;

    fn next(&mut self) -> Option<OutputLane> {
        let at = self.next.take().or_else(|| self.others.pop())?;
        self.links += 1;
        let (node, output, lane) = at;
        let (node, input) = self.world.peer(node, output);
        if let Some(choices) = self.world.choices(node, input, &self.packet) {
            for (output, next) in choices {
                let output = (node, output, next.unwrap_or(lane));
                if self.met.insert(output) {
                    self.others.push(output);
                }
            }
        } else if self.links < LONGEST_PATH || !self.met.is_empty() {
            self.packet.lrh.lane = lane;
            let onward = self.world.pass(node, input, &mut self.packet);
            let onward = onward.map(|output| (node, output, self.packet.lrh.lane));
            // Paths that were apart meet again.
            self.next = onward.filter(|output| self.met.is_empty() || self.met.insert(*output));
        }
        Some(at)
    }
}

/// Returns the outputs and lanes by which the data of a flow may leave, from the adapter of its source on.
pub(super) fn of_flow<'w, 'p>(world: &'w World<'p>, flow: FlowId) -> Outputs<'w, 'p> {
    let (source, _) = world.flows[flow.index()].source;
    // A full packet: short ones may be left to the hash of their flow.
    let mut probe = world.probe(flow);
    probe.wire = u16::MAX;
    outputs(world, probe, (source, PortId(0), probe.lrh.lane))
}

/// Returns true if a packet that waits for the output `first` may leave by `root`.
pub(super) fn crosses(world: &World, packet: &Packet, first: OutputLane, root: OutputLane) -> bool {
    outputs(world, *packet, first).any(|output| output == root)
}

/// Returns the output for which a packet waits at a switch.
pub(super) fn awaited(node: NodeId, packet: &Packet) -> OutputLane {
    let voq = packet.voq();
    (node, voq.output, voq.lane)
}
