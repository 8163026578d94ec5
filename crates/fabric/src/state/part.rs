//! A part of a fabric: some of its nodes, and the interconnect between them.
//!
//! Invariant: a part is complete in itself. It changes no other part, and reaches others by mail alone. Its channel
//! adapters have the first numbers within the part, its switches those that follow, both in the order of the plan.

use ca_transport::Adapter;
use packet::{NodeId, PacketPool};
use switch_arch::Switch;
use units::Time;

use crate::state::interconnect::{Extent, Interconnect, NodeViolation};

/// Some nodes of a fabric.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) adapters: Vec<Adapter>,
    pub(crate) switches: Vec<Switch>,
    pub(crate) interconnect: Interconnect,
    /// Number of each node in the fabric, by its number within the part.
    pub(crate) numbers: Vec<NodeId>,
}

impl Part {
    /// Returns the position in `switches` of the node of this number within the part; `None` for an adapter.
    #[inline]
    pub(crate) fn switch_index(&self, node: NodeId) -> Option<usize> {
        node.index().checked_sub(self.adapters.len())
    }

    /// Returns the number in the fabric of the node of this number within the part.
    pub(crate) fn number(&self, node: NodeId) -> NodeId {
        self.numbers[node.index()]
    }

    /// Returns a time before which the part has nothing to do, its mail for others included; `None` if it has nothing
    /// to do at all. Called once before that mail is collected.
    pub(crate) fn next_time(&mut self) -> Option<Time> {
        // Mail counts as work of its sender until it is received. Otherwise all parts could be idle with an event
        // still under way.
        let mail = self.interconnect.outgoing.take_first();
        self.interconnect.queue.next_time().into_iter().chain(mail).min()
    }

    /// Counts the packets that wait for hosts, by queue pair: see [`Adapter::note_waiting`].
    pub(crate) fn note_waiting(&mut self) {
        let Self { adapters, interconnect, .. } = self;
        adapters.iter_mut().for_each(|adapter| adapter.note_waiting(&interconnect.pool));
    }

    /// Drops the switches, the scheduled events and the packets. Adapters and counts of the part stay.
    pub(crate) fn keep_adapters(&mut self) {
        self.switches = Vec::new();
        self.interconnect.start_over(self.interconnect.now);
        self.interconnect.pool = PacketPool::default();
    }

    /// Brings up all links.
    pub(crate) fn bring_up<X: Extent>(&mut self) {
        let Self { adapters, switches, interconnect, .. } = self;
        let mut nodes = (0..).map(NodeId);
        for (adapter, node) in adapters.iter_mut().zip(&mut nodes) {
            adapter.bring_up(&mut interconnect.access::<X>(node));
        }
        for (switch, node) in switches.iter_mut().zip(nodes) {
            switch.bring_up(&mut interconnect.access::<X>(node));
        }
    }

    /// Returns the earliest violation of a node, with the node's number in the fabric.
    pub(crate) fn broken(&self) -> Option<NodeViolation> {
        self.interconnect.broken.map(|found| NodeViolation { node: self.number(found.node), ..found })
    }
}
