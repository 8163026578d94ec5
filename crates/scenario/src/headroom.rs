//! Headroom of the ports of a plan: the given one, and the one that each port's own cable needs.
//!
//! Invariant: a port with at least the headroom that it needs drops no packet of a lane with PFC at its input.

use link_layer::resolve::Intake;
use link_layer::{CablePlan, Headroom};
use packet::{Lane, NodeId, PortId};
use units::Bytes;

use crate::plan::Plan;

/// Headroom of a port's lanes with PFC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortHeadroom {
    /// The node.
    pub node: NodeId,
    /// Its port.
    pub port: PortId,
    /// The port's cable.
    pub cable: CablePlan,
    /// Headroom that loses nothing in the worst case.
    pub needed: Headroom,
    /// Headroom that each lane has.
    pub given: Bytes,
}

impl PortHeadroom {
    /// Returns the bytes that the port lacks; 0 B if it has the headroom that it needs.
    #[must_use]
    pub fn lacking(&self) -> Bytes {
        self.needed.total().saturating_sub(self.given)
    }
}

impl Plan {
    /// Returns the headroom of every port, node by node; none without PFC.
    #[must_use]
    pub fn headrooms(&self) -> Vec<PortHeadroom> {
        let pausing = (0..self.link.data_lanes).map(Lane).find(|lane| self.link.pauses(*lane));
        let nodes = (0..self.graph.nodes() as u32).map(NodeId);
        let ports = nodes
            .flat_map(|node| (0..self.graph.ports(node).len() as u16).map(move |port| (node, PortId(port))));
        ports.filter_map(|(node, port)| self.headroom(node, port, pausing?)).collect()
    }

    fn headroom(&self, node: NodeId, port: PortId, pausing: Lane) -> Option<PortHeadroom> {
        let cable = *self.cable(self.graph.ports(node)[port.index()].cable);
        let intake = if self.graph.is_host(node) { Intake::ADAPTER } else { self.nodes.switch(node).intake };
        let needed = self.link.needed_headroom(&cable, intake)?;
        let own = self.nodes.port(node, port);
        let given = own.capacity[pausing.index()] - own.thresholds()[pausing.index()];
        Some(PortHeadroom { node, port, cable, needed, given })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, ScenarioText};

    fn headrooms(sets: &[&str]) -> Vec<PortHeadroom> {
        let mut source = ScenarioText::find("roce400-leaf-spine").expect("it ships");
        for set in sets {
            source.set(set).expect("it can be set");
        }
        let scenario = Scenario::read(&source).expect("it is read");
        scenario.check(&source).expect("nothing is wrong").headrooms()
    }

    /// 256 hosts, and 16 ports of a leaf to them, and 8 times 16 cables between switches, of two ends each.
    #[test]
    fn each_port_has_what_its_own_cable_needs() {
        let all = headrooms(&[]);
        assert_eq!(all.len(), 2 * 256 + 2 * 128);
        assert!(all.iter().all(|own| own.given == own.needed.total() && own.lacking() == Bytes::ZERO));
        let of_cable = |metres: u64| all.iter().find(|own| own.cable.flight.ps() == metres * 5000);
        let [host, trunk] =
            [3, 30].map(|metres| all.iter().rfind(|own| own.cable.flight.ps() == metres * 5000));
        assert!(of_cable(3).is_some_and(|own| own.node == NodeId(0)), "hosts come first");
        // 27 m more of cable, there and back, at 50 B a nanosecond.
        let [host, trunk] = [host, trunk].map(|own| own.expect("there is one").needed.total().get());
        assert_eq!(trunk - host, 2 * 27 * 5 * 50);
    }

    #[test]
    fn a_given_headroom_may_lack() {
        let all = headrooms(&["link.flow_control.headroom=\"70 KB\"", "adapter.receive_buffer=\"1 MiB\""]);
        assert!(all.iter().all(|own| own.given == Bytes::new(70_000)));
        let lack: Vec<_> = all.iter().filter(|own| own.lacking() > Bytes::ZERO).collect();
        assert!(lack.iter().all(|own| own.needed.total() - own.lacking() == own.given));
        assert!(headrooms(&["link.flow_control=Lossy"]).is_empty());
    }
}
