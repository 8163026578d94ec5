//! Tables with entries that the scenario writes down.
//!
//! Invariant: as everywhere, what has an entry reaches its host: an entry that sends packets to another
//! host, round in a cycle, or to where nothing leads on is refused.

use std::collections::BTreeMap;

use packet::{NodeId, PortId};

use super::spec::{RoutingError, RoutingErrorKind as Kind};
use super::{Draft, Routes};
use crate::graph::Graph;

/// Output port, counted from 1, by host, by switch.
pub(super) type Written = BTreeMap<String, BTreeMap<String, u16>>;

impl Routes {
    /// These routes with some entries replaced.
    pub(super) fn with(self, graph: &Graph, written: &Written) -> Result<Self, RoutingError> {
        let layers = self.layers;
        let entries = self.tables.iter().flat_map(|table| table.entries().iter().copied()).collect();
        let mut draft = Draft { hosts: self.hosts, entries };
        let mut touched = BTreeMap::new();
        for (switch, entries) in written {
            for (host, given) in entries {
                let path = format!("{switch:?}.{host:?}");
                let (at, to, port) =
                    resolve(graph, switch, host, *given).map_err(|kind| RoutingError::new(&path, kind))?;
                draft.set(at, to, port);
                touched.entry(to).or_insert(path);
            }
        }
        let routes = Self { layers, ..draft.finish() };
        let mut walks = Walks { seen: vec![0; graph.switches()], count: 0 };
        for (to, path) in touched {
            walks.check(graph, &routes, to).map_err(|kind| RoutingError::new(&path, kind))?;
        }
        Ok(routes)
    }
}

/// The entry in terms of the graph.
fn resolve(graph: &Graph, switch: &str, host: &str, given: u16) -> Result<(NodeId, NodeId, PortId), Kind> {
    let unknown_switch = || Kind::UnknownSwitch { given: switch.to_owned() };
    let at = graph.find(switch).filter(|at| !graph.is_host(*at)).ok_or_else(unknown_switch)?;
    let unknown_host = || Kind::UnknownHost { given: host.to_owned() };
    let to = graph.find(host).filter(|to| graph.is_host(*to)).ok_or_else(unknown_host)?;
    let ports = graph.ports(at).len();
    let index = usize::from(given).checked_sub(1).filter(|index| *index < ports);
    let no_port = || Kind::NoSuchPort { switch: switch.to_owned(), given, ports };
    let index = index.ok_or_else(no_port)?;
    let peer = graph.ports(at)[index].peer;
    if graph.is_host(peer) && peer != to {
        let leads_to = graph.name(peer).to_owned();
        return Err(Kind::WrongHost { switch: switch.to_owned(), given, leads_to, host: host.to_owned() });
    }
    Ok((at, to, PortId(given - 1)))
}

/// Follows the tables to one host after another.
struct Walks {
    /// By switch, the last walk that came by.
    seen: Vec<usize>,
    count: usize,
}

impl Walks {
    /// Whether every switch with an entry for `to` leads there.
    fn check(&mut self, graph: &Graph, routes: &Routes, to: NodeId) -> Result<(), Kind> {
        let first = self.count + 1;
        for start in graph.switch_ids().filter(|start| routes.output(*start, to).is_some()) {
            self.count += 1;
            let mut at = start;
            while at != to {
                let seen = &mut self.seen[at.index() - graph.hosts()];
                if *seen == self.count {
                    return Err(cycle(graph, routes, at, to));
                }
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

/// The cycle in which packets for a host go from this switch.
fn cycle(graph: &Graph, routes: &Routes, from: NodeId, to: NodeId) -> Kind {
    let next = |at: &NodeId| {
        let port = routes.output(*at, to).expect("it is part of a cycle");
        Some(graph.ports(*at)[port.index()].peer).filter(|next| *next != from)
    };
    let switches = core::iter::successors(Some(from), next).chain([from]);
    let cycle = switches.map(|switch| graph.name(switch)).collect::<Vec<_>>().join(" -> ");
    Kind::Loop { host: graph.name(to).to_owned(), cycle }
}
