//! Paths of packets, output by output.
//!
//! Invariant: a path follows the forwarding tables, and every packet of a flow takes it.

use packet::{FlowId, NodeId, Packet, PortId};

use crate::state::world::{OutputLane, World};

/// The most links of a path; routes that form a loop are refused before a run.
const LONGEST_PATH: usize = 256;

/// Returns the outputs and lanes by which a packet leaves, from the output `first` where it waits to the last switch.
pub(super) fn outputs(world: &World, packet: Packet, first: OutputLane) -> impl Iterator<Item = OutputLane> {
    let next = move |&(node, output, lane): &OutputLane| {
        let (node, input) = world.peer(node, output);
        let (output, next) = world.forwards(node, input, &packet)?;
        Some((node, output, next.unwrap_or(lane)))
    };
    core::iter::successors(Some(first), next).take(LONGEST_PATH)
}

/// Returns the outputs and lanes by which the data of a flow leave, from the adapter of its source on.
pub(super) fn of_flow(world: &World, flow: FlowId) -> impl Iterator<Item = OutputLane> {
    let (source, _) = world.flows[flow.index()].source;
    let probe = world.probe(flow);
    outputs(world, probe, (source, PortId(0), probe.lrh.lane))
}

/// Returns true if a packet that waits for the output `first` will leave by `root`.
pub(super) fn crosses(world: &World, packet: &Packet, first: OutputLane, root: OutputLane) -> bool {
    outputs(world, *packet, first).any(|output| output == root)
}

/// Returns the output for which a packet waits at a switch.
pub(super) fn awaited(node: NodeId, packet: &Packet) -> OutputLane {
    let voq = packet.voq();
    (node, voq.output, voq.lane)
}
