//! Forwarding tables under construction.
//!
//! Invariant: equal tables are stored once.

use std::collections::BTreeSet;
use std::sync::Arc;

use packet::{NodeId, PortId};

use super::routes::Routes;
use super::table::{ForwardingTable, NOWHERE, entry};
use crate::graph::Graph;

/// Tables under construction, table by table.
pub(super) struct TablesDraft {
    hosts: usize,
    entries: Vec<u8>,
}

impl TablesDraft {
    /// Starts tables without entries.
    pub(super) fn new(graph: &Graph) -> Self {
        let hosts = graph.hosts();
        Self { hosts, entries: vec![NOWHERE; (hosts + 1) * graph.switches()] }
    }

    /// Starts with the entries of other tables. Their choices between several ports are lost.
    pub(super) fn of(routes: &Routes, hosts: usize) -> Self {
        let entries = routes.tables().iter().flat_map(|table| table.entries().iter().copied()).collect();
        Self { hosts, entries }
    }

    /// Returns the table of a switch, by LID.
    pub(super) fn row(&mut self, switch: NodeId) -> &mut [u8] {
        let stride = self.hosts + 1;
        let first = (switch.index() - self.hosts) * stride;
        &mut self.entries[first..first + stride]
    }

    /// Enters the port by which packets for a host leave a switch.
    pub(super) fn set(&mut self, switch: NodeId, to: NodeId, port: PortId) {
        self.row(switch)[to.lid().index()] = entry(port);
    }

    /// Enters the ports of a switch's own hosts.
    pub(super) fn set_own(&mut self, graph: &Graph, switch: NodeId) {
        hosts_of(graph, switch).for_each(|(host, port)| self.set(switch, host, port));
    }

    /// Returns the tables. Equal tables are stored once.
    pub(super) fn finish(self) -> Routes {
        let mut known: BTreeSet<Arc<[u8]>> = BTreeSet::new();
        let share = |row: &[u8]| match known.get(row) {
            Some(table) => Arc::clone(table),
            None => {
                let table: Arc<[u8]> = row.into();
                known.insert(Arc::clone(&table));
                table
            }
        };
        let tables =
            self.entries.chunks_exact(self.hosts + 1).map(share).map(ForwardingTable::linear).collect();
        Routes::new(self.hosts, tables)
    }
}

/// Returns the hosts connected to a switch, each with its port.
pub(super) fn hosts_of(graph: &Graph, switch: NodeId) -> impl Iterator<Item = (NodeId, PortId)> {
    ports_of(graph, switch).filter(|(peer, _)| graph.is_host(*peer))
}

/// Returns the switches connected to a switch, each with its port, once for each cable.
pub(super) fn trunks_of(graph: &Graph, switch: NodeId) -> impl Iterator<Item = (NodeId, PortId)> {
    ports_of(graph, switch).filter(|(peer, _)| !graph.is_host(*peer))
}

fn ports_of(graph: &Graph, switch: NodeId) -> impl Iterator<Item = (NodeId, PortId)> {
    graph.ports(switch).iter().zip(0..).map(|(end, port)| (end.peer, PortId(port)))
}
