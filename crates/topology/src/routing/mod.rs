//! Which port leads to which host: one linear forwarding table a switch, as IBA 14.2.5.10 has it.
//!
//! Invariant: where a table has an entry for a host, following the tables reaches that host: no way loops,
//! ends at another host, or breaks off. Equal tables are kept once.
//!
//! | module | tables by |
//! |---|---|
//! | `min_hop` | fewest links, chosen by destination or at random |
//! | `guided` | a rule of the topology: destination tags, dimension order, minimal in a dragonfly |
//! | `d_mod_k` | the destination's number, in fat trees |
//! | `up_down` | first up, then down, in any graph |
//! | `written` | the scenario's own entries |
//! | `multipath` | fewest links, chosen flow by flow: several ports an entry |
//! | [`spec`] | what a scenario writes down, and which of these it gets |
//!
//! [`table`] holds one of them.
//!
//! A way has a *layer* as well: what a source adds to a packet's service level so that packets which would
//! wait for each other in a cycle take different lanes. A packet keeps its lane all the way.

mod d_mod_k;
mod guided;
mod min_hop;
mod multipath;
pub mod spec;
pub mod table;
mod up_down;
mod written;

use std::collections::BTreeSet;
use std::sync::Arc;

use packet::{NodeId, PortId};

use self::table::{ForwardingTable, NOWHERE, entry};
use crate::builders::{dragonfly, grid};
use crate::graph::Graph;

/// The linear forwarding tables of a fabric's switches, and the layers of its ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routes {
    hosts: usize,
    /// By switch. Each has an entry for every LID from 0 to the number of hosts.
    tables: Vec<ForwardingTable>,
    layers: Layers,
}

impl Routes {
    /// The forwarding table of a switch.
    ///
    /// # Panics
    /// If the node is not a switch of this fabric.
    #[must_use]
    pub fn table(&self, switch: NodeId) -> &ForwardingTable {
        let place = switch.index().checked_sub(self.hosts).expect("only a switch has a forwarding table");
        &self.tables[place]
    }

    /// Every port by which a switch may send what is for this host, in order: several only under multipath.
    ///
    /// # Panics
    /// If the nodes are not a switch and a host of this fabric.
    pub fn ports(&self, switch: NodeId, to: NodeId) -> impl Iterator<Item = PortId> {
        self.table(switch).ports(to.lid())
    }

    /// The first of these [`ports`](Self::ports): the only one, but under multipath.
    ///
    /// # Panics
    /// If the nodes are not a switch and a host of this fabric.
    #[must_use]
    pub fn output(&self, switch: NodeId, to: NodeId) -> Option<PortId> {
        self.ports(switch, to).next()
    }

    /// Every (node, output port) that a packet crosses between two different nodes, `from`'s own first;
    /// nothing from a node to itself. [`None`] if `to` is not a host, or is not reached. Of several ways, all of
    /// them as long, it is the one by each switch's first port.
    #[must_use]
    pub fn path(&self, graph: &Graph, from: NodeId, to: NodeId) -> Option<Vec<(NodeId, PortId)>> {
        if !graph.is_host(to) {
            return None;
        }
        let mut path = Vec::new();
        let mut at = from;
        while at != to {
            let port = match (graph.is_host(at), path.is_empty()) {
                (true, true) => PortId(0),
                (true, false) => return None,
                (false, _) => self.output(at, to)?,
            };
            path.push((at, port));
            at = graph.ports(at)[port.index()].peer;
            if path.len() > graph.nodes() {
                return None;
            }
        }
        Some(path)
    }

    /// How many layers there are: 1 if no way needs another than its service level's own.
    #[must_use]
    pub fn layers(&self) -> u32 {
        match &self.layers {
            Layers::One => 1,
            Layers::Grid(grid) => grid.layers(),
            Layers::Dragonfly(_) => dragonfly::Shape::LAYERS,
        }
    }

    /// The layer of the way from one host to another, below [`layers`](Self::layers).
    #[must_use]
    pub fn layer(&self, from: NodeId, to: NodeId) -> u32 {
        let (from, to) = (from.index(), to.index());
        match &self.layers {
            Layers::One => 0,
            Layers::Grid(grid) => grid.layer(grid.switch_of(from), grid.switch_of(to)),
            Layers::Dragonfly(shape) => shape.layer(shape.switch_of(from), shape.switch_of(to)),
        }
    }

    /// Bytes of all tables, equal ones counted once.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        let distinct: BTreeSet<*const u8> =
            self.tables.iter().map(|table| table.entries().as_ptr()).collect();
        distinct.len() * (self.hosts + 1)
    }
}

/// What decides on the layer of a way.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Layers {
    /// There is only one.
    One,
    /// Dimension order: where the way passes the end of a row.
    Grid(grid::Grid),
    /// Minimal routing: whether the way leads to a group of lower number.
    Dragonfly(dragonfly::Shape),
}

/// Tables in the making, one after another.
struct Draft {
    hosts: usize,
    entries: Vec<u8>,
}

impl Draft {
    /// Tables that lead nowhere yet.
    fn new(graph: &Graph) -> Self {
        let hosts = graph.hosts();
        Self { hosts, entries: vec![NOWHERE; (hosts + 1) * graph.switches()] }
    }

    /// The table of a switch, by LID.
    fn row(&mut self, switch: NodeId) -> &mut [u8] {
        let stride = self.hosts + 1;
        let first = (switch.index() - self.hosts) * stride;
        &mut self.entries[first..first + stride]
    }

    fn set(&mut self, switch: NodeId, to: NodeId, port: PortId) {
        self.row(switch)[to.lid().index()] = entry(port);
    }

    /// The entries of a switch for its own hosts.
    fn set_own(&mut self, graph: &Graph, switch: NodeId) {
        hosts_of(graph, switch).for_each(|(host, port)| self.set(switch, host, port));
    }

    fn finish(self) -> Routes {
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
        Routes { hosts: self.hosts, tables, layers: Layers::One }
    }
}

/// The hosts cabled to a switch, each with the port that leads to it.
fn hosts_of(graph: &Graph, switch: NodeId) -> impl Iterator<Item = (NodeId, PortId)> {
    ports_of(graph, switch).filter(|(peer, _)| graph.is_host(*peer))
}

/// Every switch that a switch is cabled to, and by which port.
fn trunks_of(graph: &Graph, switch: NodeId) -> impl Iterator<Item = (NodeId, PortId)> {
    ports_of(graph, switch).filter(|(peer, _)| !graph.is_host(*peer))
}

fn ports_of(graph: &Graph, switch: NodeId) -> impl Iterator<Item = (NodeId, PortId)> {
    graph.ports(switch).iter().zip(0..).map(|(end, port)| (end.peer, PortId(port)))
}
