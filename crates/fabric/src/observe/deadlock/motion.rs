//! Packets and signals on the wires, and a fabric in which nothing moves any more.
//!
//! Invariant: in a fabric that is still no packet ever starts again. Its events are credits, repeated pauses, and
//! time-outs of hosts without a packet that fits the room of their link.

use std::collections::BTreeSet;

use ca_transport::AdapterTimer;
use link_layer::Signal;
use packet::{Lane, NodeId, PortId};
use switch_arch::SwitchTimer;

use crate::state::event::EventKind;
use crate::state::world::{Node, World};

/// The packets and signals that are on the wires.
pub(super) struct Motion {
    /// Ports and lanes at which a packet will arrive.
    arrivals: BTreeSet<(NodeId, PortId, Lane)>,
    /// Ports and lanes at which a RESUME will arrive.
    resumes: BTreeSet<(NodeId, PortId, Lane)>,
    still: bool,
}

impl Motion {
    /// Returns the motion of the world, from its pending events.
    pub(super) fn of(world: &World) -> Self {
        let mut motion = Self { arrivals: BTreeSet::new(), resumes: BTreeSet::new(), still: true };
        for event in world.pending() {
            match event.kind {
                EventKind::Arrive(port, packet) => {
                    motion.arrivals.insert((event.node, port, event.pool[packet].lrh.lane));
                    motion.still = false;
                }
                EventKind::Signal(port, Signal::Pause { lane, quanta: 0 }) => {
                    // A PAUSE of zero quanta is a RESUME. It ends the wait of its lane, though no packet moves at
                    // present.
                    motion.resumes.insert((event.node, port, lane));
                }
                EventKind::Adapter(AdapterTimer::Post(_)) => {
                    motion.still &=
                        matches!(world.node(event.node), Node::Adapter(adapter) if adapter.is_silent());
                }
                EventKind::Adapter(AdapterTimer::RetransmitTimeout) => {
                    motion.still &= !may_send_again(world, event.node);
                }
                EventKind::Signal(..)
                | EventKind::Switch(SwitchTimer::FlowControl(..))
                | EventKind::Adapter(AdapterTimer::FlowControl(_)) => {}
                // Any other timer belongs to a packet or a host that is at work.
                EventKind::Switch(_) | EventKind::Adapter(_) => motion.still = false,
            }
        }
        // Until both ends agree, a node may yet learn of room that lets it send.
        motion.still &= is_settled(world);
        motion
    }

    /// Returns true if no packet ever starts again in the whole fabric.
    pub(super) const fn is_still(&self) -> bool {
        self.still
    }

    /// Returns true if a packet is on the wire to a port and lane.
    pub(super) fn arrives(&self, node: NodeId, input: PortId, lane: Lane) -> bool {
        self.arrivals.contains(&(node, input, lane))
    }

    /// Returns true if a RESUME is on the wire to a port and lane.
    pub(super) fn resumes(&self, node: NodeId, output: PortId, lane: Lane) -> bool {
        self.resumes.contains(&(node, output, lane))
    }
}

/// Returns true if a time-out may make a host send a packet: a packet no longer than the room on some lane.
fn may_send_again(world: &World, host: NodeId) -> bool {
    let Node::Adapter(adapter) = world.node(host) else { return true };
    let (to, input) = world.peer(host, PortId(0));
    adapter.shortest_packet().is_some_and(|length| world.port(to, input).has_room(length))
}

/// Returns true if both ends of every cable know the room of each other. Every node has then decided with all that it
/// will ever know.
fn is_settled(world: &World) -> bool {
    let mut ends = world.ports().zip(world.graph.far_ends());
    ends.all(|(port, end)| port.knows_room_of(world.port(end.peer, end.peer_port)))
}
