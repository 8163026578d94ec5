//! GUIDs, LIDs and numbers of ports of a fabric's nodes.
//!
//! Invariant: no two nodes share a LID, no two ports share a GUID, and ports of a node have different numbers. Only
//! hosts that are ports of the same adapter have the GUID of a node in common. A fabric has the same addresses in every
//! export.
//!
//! | | assigned | of an imported cluster |
//! |---|---|---|
//! | LID | hosts from 1 on, then switches, in the order of the scenario | `nodes.csv` |
//! | GUID of a node | `0x0200000000000000 + LID * 256`: bit 57 marks a GUID that no vendor gave (IEEE 802, U/L) | `nodes.csv` |
//! | GUID of a host's port | the node's, plus the port's number; ibsim counts alike | `nodes.csv` |
//! | number of a port | the scenario's: `from_port` and `to_port` of its links, else counted from 1 | `ports.csv` |
//!
//! What a cluster's tables leave empty is assigned, from LIDs that they do not have.

mod tables;

use core::fmt::Write;
use std::collections::{BTreeMap, BTreeSet};

use packet::{Lid, NodeId, PortId};
use topology::{LinkEnds, TopologySpec};

use super::account::ValueAccount;
use super::error::ExportError;
use crate::import::SourceText;
use scenario::Diagnostic;
use scenario::Plan;

pub(super) use self::tables::{REMEDY as REMEDY_WITHOUT, rows};

/// First of the assigned GUIDs.
const FIRST_GUID: u64 = 0x0200_0000_0000_0000;

/// Addresses of all nodes of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses {
    nodes: Vec<NodeAddress>,
    /// Number of LIDs and GUIDs that were assigned, and of all.
    assigned: (usize, usize),
}

/// Addresses of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeAddress {
    /// GUID of the node. Hosts that are ports of the same adapter have the same GUID.
    pub guid: u64,
    /// GUID of a host's port, or a switch's GUID.
    pub port_guid: u64,
    /// Base LID.
    pub lid: u16,
    /// Numbers of the ports with cables, in the scenario's order.
    pub ports: Vec<u16>,
    /// Largest number of a port, with a cable or without.
    pub last_port: u16,
}

impl Addresses {
    /// Assigns the addresses of a plan's nodes.
    ///
    /// # Errors
    /// If there are more nodes than InfiniBand has unicast LIDs.
    pub fn assigned(plan: &Plan) -> Result<Self, ExportError> {
        let graph = plan.graph();
        if graph.nodes() > Lid::MAX_UNICAST.index() {
            return Err(ExportError::TooManyNodes { nodes: graph.nodes() });
        }
        let (removed, mut given) = (removed(plan), given_ports(plan));
        let mut address = |node: NodeId| {
            let lid = node.lid().0 as u16;
            let guid = assigned_guid(lid);
            let numbers = given.remove(graph.name(node)).unwrap_or_default();
            let last = numbers.last().copied();
            let there = (0..).map(PortId).zip(numbers).filter(|(port, _)| !removed.contains(&(node, *port)));
            let ports: Vec<u16> = match last {
                Some(_) => there.map(|(_, number)| number).collect(),
                None => (1..).take(graph.ports(node).len()).collect(),
            };
            let last_port = last.or(ports.last().copied()).unwrap_or(0);
            let port_guid = if graph.is_host(node) { guid + u64::from(last_port) } else { guid };
            NodeAddress { guid, port_guid, lid, ports, last_port }
        };
        let nodes: Vec<_> = (0..graph.nodes() as u32).map(|index| address(NodeId(index))).collect();
        let all = nodes.len();
        Ok(Self { nodes, assigned: (all, all) })
    }

    /// Takes the addresses of an imported cluster from the tables beside its scenario, `nodes.csv` and `ports.csv`.
    ///
    /// # Errors
    /// If a table is none, or has other nodes or cables than the plan.
    pub fn of_cluster(plan: &Plan, nodes: SourceText<'_>, ports: SourceText<'_>) -> Result<Self, Diagnostic> {
        tables::read(plan, nodes, ports)
    }

    /// Returns the addresses of a node.
    ///
    /// # Panics
    /// If the plan has no such node.
    #[must_use]
    pub fn node(&self, node: NodeId) -> &NodeAddress {
        &self.nodes[node.index()]
    }

    /// Returns the number of a port.
    ///
    /// # Panics
    /// If the plan has no such port.
    #[must_use]
    pub fn port(&self, node: NodeId, port: PortId) -> u16 {
        self.node(node).ports[port.index()]
    }

    /// Returns the nodes in the order of their LIDs.
    #[must_use]
    pub fn by_lid(&self) -> Vec<NodeId> {
        let mut order: Vec<NodeId> = (0..self.nodes.len() as u32).map(NodeId).collect();
        order.sort_unstable_by_key(|node| self.node(*node).lid);
        order
    }

    /// Enters the addresses that were assigned.
    pub(super) fn account(&self) -> Option<ValueAccount> {
        let (assigned, all) = self.assigned;
        let why =
            "assigned by the order of nodes (docs/clusters.md), the same in every export of this fabric";
        let mut written = "GUIDs, LIDs and numbers of ports".to_owned();
        if assigned < all {
            write!(written, " where nodes.csv has none, for {assigned} of {all} nodes")
                .expect("a string takes it");
        }
        (assigned > 0).then(|| ValueAccount::assumed("addresses", written, why))
    }
}

/// Returns the numbers that the links of a topology give to the ports of each node, in order, by name.
fn given_ports(plan: &Plan) -> BTreeMap<&str, Vec<u16>> {
    let mut ports: BTreeMap<&str, Vec<u16>> = BTreeMap::new();
    let TopologySpec::Custom(custom) = &plan.scenario().topology else { return ports };
    for LinkEnds { from, to, from_port, to_port, .. } in &custom.links {
        for (node, port) in [(from, from_port), (to, to_port)] {
            ports.entry(node).or_default().extend(port);
        }
    }
    ports.values_mut().for_each(|ports| ports.sort_unstable());
    ports
}

/// Returns the ports of the complete fabric that lose their cables in the scenario.
fn removed(plan: &Plan) -> BTreeSet<(NodeId, PortId)> {
    let entries = plan.changed_cables().iter().filter(|entry| entry.kind.is_none());
    entries.flat_map(|entry| entry.cables.iter().flat_map(|(one, other)| [*one, *other])).collect()
}

fn assigned_guid(lid: u16) -> u64 {
    FIRST_GUID + (u64::from(lid) << 8)
}
