//! Names of the ports of switches, by the table beside an imported RoCEv2 fabric: `ports.csv`.
//!
//! Invariant: every port of the plan's switches has one name, and the table's cables are the plan's.

use std::collections::{BTreeMap, BTreeSet};

use packet::{NodeId, PortId};

use super::addresses::{REMEDY_WITHOUT, rows};
use crate::import::SourceText;
use crate::import::source::decimal;
use scenario::{Diagnostic, Plan};

/// First line of the table, as `import lldp` writes it.
const OF_PORTS: &str = "switch,port,cluster_port,state,peer,peer_port,speed";

/// Names of ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortNames(BTreeMap<(NodeId, PortId), String>);

impl PortNames {
    /// Returns true for the first line of a table with names, which that of an InfiniBand subnet lacks.
    #[must_use]
    pub fn are_in(table: &str) -> bool {
        table.lines().next().is_some_and(|first| first.trim() == OF_PORTS)
    }

    /// Reads the table, for the switches of a plan.
    ///
    /// # Errors
    /// If a row is wrong, has another cable than the plan, or a port of the plan has no row.
    pub fn read(plan: &Plan, source: SourceText<'_>) -> Result<Self, Diagnostic> {
        let graph = plan.graph();
        let mut names = BTreeMap::new();
        let mut taken = BTreeSet::new();
        for row in rows(source, OF_PORTS)? {
            let wrong = |message: String, help: &str| -> Diagnostic { source.wrong(&row.at, message, help) };
            let [switch, number, name, _, peer, ..] = &row.cells[..] else {
                unreachable!("a row has all cells")
            };
            let Some(node) = graph.find(switch).filter(|node| !graph.is_host(*node)) else {
                return Err(wrong(format!("the scenario has no switch `{switch}`"), REMEDY_WITHOUT));
            };
            let Some(number) = decimal::<u16>(number) else {
                return Err(wrong(format!("`{number}` is not the number of a port"), "write a whole number"));
            };
            if name.is_empty() || !taken.insert((node, name.clone())) {
                let message = format!("`{name}` is not the name of a single port of `{switch}`");
                return Err(wrong(message, "give each port of a switch a name of its own"));
            }
            // A port may have lost its cable in the scenario.
            let Some(port) = graph.port_numbered(node, number) else { continue };
            let there = graph.name(graph.ports(node)[port.index()].peer);
            if there != peer {
                let message = format!(
                    "port {number} of `{switch}` leads to `{peer}`, and in the scenario to `{there}`"
                );
                return Err(wrong(message, REMEDY_WITHOUT));
            }
            if names.insert((node, port), name.clone()).is_some() {
                return Err(wrong(
                    format!("port {number} of `{switch}` has a second row"),
                    "give each port one row",
                ));
            }
        }
        for node in graph.switch_ids() {
            let ports = (0..graph.ports(node).len() as u16).map(PortId);
            if let Some(port) = ports.into_iter().find(|port| !names.contains_key(&(node, *port))) {
                let number = graph.port_number((node, port));
                let message = format!("port {number} of switch `{}` has no row", graph.name(node));
                return Err(source.whole(message, REMEDY_WITHOUT));
            }
        }
        Ok(Self(names))
    }

    /// Returns the names of a switch's ports, in order.
    pub(super) fn of(&self, switch: NodeId) -> Vec<String> {
        let ports = (switch, PortId(0))..=(switch, PortId(u16::MAX));
        self.0.range(ports).map(|(_, name)| name.clone()).collect()
    }
}
