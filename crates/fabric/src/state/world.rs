//! The nodes of a fabric, and where its flows begin and end.
//!
//! Invariant: channel adapters have the first node numbers, switches those that follow.

use ca_transport::{Adapter, FiniteMessages};
use link_layer::Port;
use packet::{FlowId, Lane, NodeId, PortId, QpNumber};
use switch_arch::Switch;
use telemetry::{LaneInput, LaneOutput};
use units::{Bytes, Time};

use crate::state::interconnect::Interconnect;

/// All nodes, and the interconnect between them.
#[derive(Debug)]
pub(crate) struct World {
    /// By node number.
    pub(crate) names: Vec<String>,
    pub(crate) adapters: Vec<Adapter>,
    pub(crate) switches: Vec<Switch>,
    /// In the workload's order.
    pub(crate) flows: Vec<FlowEnds>,
    pub(crate) interconnect: Interconnect,
}

/// The two queue pairs of a flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowEnds {
    /// Sends the payload.
    pub(crate) source: (NodeId, QpNumber),
    /// Receives the payload.
    pub(crate) sink: (NodeId, QpNumber),
}

/// A node, by its kind.
pub(crate) enum Node<'a> {
    Adapter(&'a Adapter),
    Switch(&'a Switch),
}

impl World {
    /// The present instant.
    pub(crate) fn now(&self) -> Time {
        self.interconnect.now
    }

    /// Returns the node of this number.
    pub(crate) fn node(&self, node: NodeId) -> Node<'_> {
        match self.switch_index(node) {
            None => Node::Adapter(&self.adapters[node.index()]),
            Some(index) => Node::Switch(&self.switches[index]),
        }
    }

    /// Returns the position in `switches` of the node of this number; `None` for an adapter.
    #[inline]
    pub(crate) fn switch_index(&self, node: NodeId) -> Option<usize> {
        node.index().checked_sub(self.adapters.len())
    }

    /// Returns the switch of this number.
    ///
    /// # Panics
    /// If the node is an adapter.
    pub(crate) fn switch(&self, node: NodeId) -> &Switch {
        &self.switches[node.index() - self.adapters.len()]
    }

    /// Returns the number of the switch at this position in `switches`.
    pub(crate) fn switch_number(&self, index: usize) -> NodeId {
        NodeId((self.adapters.len() + index) as u32)
    }

    /// Returns a port of a node.
    pub(crate) fn port(&self, node: NodeId, port: PortId) -> &Port {
        match self.node(node) {
            Node::Adapter(adapter) => adapter.port(),
            Node::Switch(switch) => switch.view().link(port),
        }
    }

    /// All ports, by node number and port number.
    pub(crate) fn ports(&self) -> impl Iterator<Item = &Port> {
        self.adapters
            .iter()
            .map(Adapter::port)
            .chain(self.switches.iter().flat_map(|switch| switch.view().links()))
    }

    /// Returns the counts of a port and lane: of arrivals and of departures.
    pub(crate) fn lane_counts(&self, node: NodeId, port: PortId, lane: Lane) -> (&LaneInput, &LaneOutput) {
        match self.node(node) {
            Node::Adapter(adapter) => adapter.observed(lane),
            Node::Switch(switch) => switch.view().observed(port, lane),
        }
    }

    /// Returns the payload of a flow that its destination's host has taken.
    pub(crate) fn delivered(&self, flow: FlowId) -> Bytes {
        let (node, queue_pair) = self.flows[flow.index()].sink;
        self.adapters[node.index()].sink(queue_pair).delivered
    }

    /// Returns the messages of finite flows that are posted, delivered, and to come.
    pub(crate) fn finite_messages(&self, now: Time) -> FiniteMessages {
        let each = self.adapters.iter().map(|adapter| adapter.finite_messages(now));
        each.fold(FiniteMessages::default(), FiniteMessages::plus)
    }

    /// The name of a node.
    pub(crate) fn name(&self, node: NodeId) -> &str {
        &self.names[node.index()]
    }
}
