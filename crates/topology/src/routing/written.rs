//! Tables with entries that the scenario gives.
//!
//! Invariant: as in [`routing`](super), an entry that sends packets to another host, round in a cycle, or to a switch
//! without an entry is refused.

use std::collections::BTreeMap;

use packet::{NodeId, PortId};
use settings::FieldPath;

use super::draft::TablesDraft;
use super::error::{RoutingError, RoutingErrorKind as Kind};
use super::routes::Routes;
use crate::graph::Graph;

/// Numbers of output ports, by switch and host.
pub(super) type WrittenEntries = BTreeMap<String, BTreeMap<String, u16>>;

impl Routes {
    /// Replaces some entries of tables that have a port an entry.
    pub(super) fn with_entries(self, graph: &Graph, written: &WrittenEntries) -> Result<Self, RoutingError> {
        let mut draft = TablesDraft::of(&self, graph.hosts());
        let mut touched = BTreeMap::new();
        for (switch, entries) in written {
            for (host, given) in entries {
                let path = FieldPath::default().name(switch).name(host);
                let (at, to, port) = resolve(graph, switch, host, *given)
                    .map_err(|kind| RoutingError::new(path.clone(), kind))?;
                draft.set(at, to, port);
                touched.entry(to).or_insert(path);
            }
        }
        let routes = draft.finish().with_layers(self.path_layers().clone());
        // Only hosts with a new entry can be reached by other paths than before.
        let mut walks = TableWalks::new(graph);
        for (to, path) in touched {
            walks.check(graph, &routes, to).map_err(|kind| RoutingError::new(path, kind))?;
        }
        Ok(routes)
    }
}

/// Returns the switch, host and port of an entry.
fn resolve(graph: &Graph, switch: &str, host: &str, given: u16) -> Result<(NodeId, NodeId, PortId), Kind> {
    let unknown_switch = || Kind::UnknownSwitch { given: switch.to_owned() };
    let at = graph.find(switch).filter(|at| !graph.is_host(*at)).ok_or_else(unknown_switch)?;
    let unknown_host = || Kind::UnknownHost { given: host.to_owned() };
    let to = graph.find(host).filter(|to| graph.is_host(*to)).ok_or_else(unknown_host)?;
    let no_port = || Kind::NoSuchPort { switch: switch.to_owned(), given, ports: graph.listed_ports(at) };
    let port = graph.port_numbered(at, given).ok_or_else(no_port)?;
    let peer = graph.ports(at)[port.index()].peer;
    if graph.is_host(peer) && peer != to {
        let leads_to = graph.name(peer).to_owned();
        return Err(Kind::WrongHost { switch: switch.to_owned(), given, leads_to, host: host.to_owned() });
    }
    Ok((at, to, port))
}

/// Walks along the tables, to host after host.
pub(super) struct TableWalks {
    /// Number of the last walk through each switch.
    seen: Vec<usize>,
    /// Number of walks so far.
    count: usize,
}

impl TableWalks {
    pub(super) fn new(graph: &Graph) -> Self {
        Self { seen: vec![0; graph.switches()], count: 0 }
    }

    /// Fails unless every switch with an entry for `to` leads there.
    pub(super) fn check(&mut self, graph: &Graph, routes: &Routes, to: NodeId) -> Result<(), Kind> {
        let first = self.count + 1;
        for start in graph.switch_ids().filter(|start| routes.output(*start, to).is_some()) {
            self.count += 1;
            let mut at = start;
            while at != to {
                let seen = &mut self.seen[at.index() - graph.hosts()];
                if *seen == self.count {
                    return Err(cycle(graph, routes, at, to));
                }
                // An earlier walk to this host has passed here, and reached it.
                if *seen >= first {
                    break;
                }
                *seen = self.count;
                let Some(port) = routes.output(at, to) else {
                    let (host, switch) = (graph.name(to).to_owned(), graph.name(at).to_owned());
                    return Err(Kind::LeadsNowhere { host, switch });
                };
                at = graph.ports(at)[port.index()].peer;
            }
        }
        Ok(())
    }
}

/// Returns the cycle in which packets for a host go from this switch.
fn cycle(graph: &Graph, routes: &Routes, from: NodeId, to: NodeId) -> Kind {
    let next = |at: &NodeId| {
        let port = routes.output(*at, to).expect("it is part of a cycle");
        Some(graph.ports(*at)[port.index()].peer).filter(|next| *next != from)
    };
    let switches = core::iter::successors(Some(from), next).chain([from]);
    let cycle = switches.map(|switch| graph.name(switch)).collect::<Vec<_>>().join(" -> ");
    Kind::Loop { host: graph.name(to).to_owned(), cycle }
}
