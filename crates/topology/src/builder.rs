//! From a topology as written to a graph, with every check on the way.
//!
//! Invariant: the first fault in the order of the file is the one reported, except that faults of a
//! whole list (too long, a host left out) come before and after those of its entries.

use std::collections::BTreeMap;

use packet::{NodeId, PortId};

use crate::builders::grid::Rows;
use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::graph::{End, Graph, node};
use crate::spec::{Clos, Custom, TopologySpec};
use crate::{MAX_NODES, MAX_SWITCH_PORTS};

impl TopologySpec {
    /// The fabric that this describes. `cables` names the kinds of cable that exist; an
    /// [`End::cable`] is a place among them.
    ///
    /// That all hosts reach each other is not checked here: see
    /// [`Routes::path`](crate::Routes::path).
    ///
    /// # Errors
    /// If a field is wrong, with its path relative to `topology`.
    ///
    /// # Panics
    /// If it is a file: what that holds stands in its place once a scenario is checked.
    pub fn build(&self, cables: &[&str]) -> Result<Graph, TopologyError> {
        match self {
            Self::Custom(custom) => custom.build(cables),
            Self::Clos(clos) => clos.build(cables),
            Self::TwoSwitches(two) => two.build(cables),
            Self::Crossbar(crossbar) => crossbar.build(cables),
            Self::Chain(chain) => chain.build(cables),
            Self::FatTree(tree) => tree.build(cables),
            Self::KaryNTree(tree) => tree.fat_tree().build(cables).map_err(|error| tree.own(error)),
            Self::Dcs648(dcs) => dcs.fat_tree().build(cables),
            Self::Omega(omega) => omega.build(cables),
            Self::Mesh(mesh) => mesh.build(Rows::Mesh, cables),
            Self::Torus(torus) => torus.build(Rows::Torus, cables),
            Self::HyperX(hyperx) => hyperx.build(Rows::HyperX, cables),
            Self::Dragonfly(dragonfly) => dragonfly.build(cables),
            Self::HpccFile(file) => panic!("`{file}` is to be read before it is built"),
        }
    }
}

impl Custom {
    fn build(&self, cables: &[&str]) -> Result<Graph, TopologyError> {
        let nodes = self.hosts.len() + self.switches.len();
        if nodes > MAX_NODES {
            let longer = if self.hosts.len() > self.switches.len() { "hosts" } else { "switches" };
            return Err(TopologyError::new(longer, Kind::TooManyNodes { nodes }));
        }
        let known = self.nodes_by_name()?;
        let names = self.hosts.iter().chain(&self.switches).cloned().collect();
        let mut draft = Draft::new(self.hosts.len(), names);
        let mut first_link = vec![None; self.hosts.len()];
        for (i, link) in self.links.iter().enumerate() {
            let end = |field: &str, given: &String| {
                known.get(given.as_str()).copied().ok_or_else(|| {
                    TopologyError::new(
                        format!("links[{i}].{field}"),
                        Kind::UnknownNode { given: given.clone() },
                    )
                })
            };
            let (from, to) = (end("from", &link.from)?, end("to", &link.to)?);
            if from == to {
                let kind = Kind::SelfLink { name: link.to.clone() };
                return Err(TopologyError::new(format!("links[{i}].to"), kind));
            }
            for (field, end) in [("from", from), ("to", to)] {
                draft
                    .has_room(end, &mut first_link, i)
                    .map_err(|kind| TopologyError::new(format!("links[{i}].{field}"), kind))?;
            }
            draft.link(from, to, cable(cables, &link.cable, || format!("links[{i}].cable"))?);
        }
        if let Some(h) = first_link.iter().position(Option::is_none) {
            let kind = Kind::HostWithoutLink { name: self.hosts[h].clone() };
            return Err(TopologyError::new(format!("hosts[{h}]"), kind));
        }
        Ok(draft.finish())
    }

    fn nodes_by_name(&self) -> Result<BTreeMap<&str, NodeId>, TopologyError> {
        let mut known = BTreeMap::new();
        for (list, names) in [("hosts", &self.hosts), ("switches", &self.switches)] {
            for (i, name) in names.iter().enumerate() {
                let fault = |kind| Err(TopologyError::new(format!("{list}[{i}]"), kind));
                if name.is_empty() {
                    return fault(Kind::EmptyName);
                }
                let next = node(known.len());
                if known.insert(name.as_str(), next).is_some() {
                    return fault(Kind::DuplicateName { name: name.clone() });
                }
            }
        }
        Ok(known)
    }
}

impl Clos {
    fn build(&self, cables: &[&str]) -> Result<Graph, TopologyError> {
        let radix = self.checked_radix().map_err(|kind| TopologyError::new("radix", kind))?;
        let host_cable = cable(cables, &self.host_cable, || "host_cable".to_owned())?;
        let trunk_cable = cable(cables, &self.trunk_cable, || "trunk_cable".to_owned())?;
        let (leaves, half) = (radix, radix / 2);
        let hosts = leaves * half;
        let names = (1..=hosts).map(|i| format!("h{i}"));
        let names = names.chain((1..=leaves).map(|i| format!("leaf{i}")));
        let names = names.chain((1..=half).map(|i| format!("spine{i}")));
        let mut draft = Draft::new(hosts, names.collect());
        for leaf in 0..leaves {
            for host in 0..half {
                draft.link(node(leaf * half + host), node(hosts + leaf), host_cable);
            }
            for spine in 0..half {
                draft.link(node(hosts + leaf), node(hosts + leaves + spine), trunk_cable);
            }
        }
        Ok(draft.finish())
    }

    fn checked_radix(&self) -> Result<usize, Kind> {
        let radix = self.radix;
        match usize::from(radix) {
            0 | 1 => Err(Kind::RadixTooSmall { radix }),
            r if r > MAX_SWITCH_PORTS => Err(Kind::TooManyPorts),
            r if r % 2 == 1 => Err(Kind::RadixOdd { radix }),
            r => Ok(r),
        }
    }
}

/// A graph in the making: ports are added at the end of each node's.
pub(crate) struct Draft {
    hosts: usize,
    names: Vec<String>,
    ports: Vec<Vec<End>>,
}

impl Draft {
    pub(crate) fn new(hosts: usize, names: Vec<String>) -> Self {
        let ports = vec![Vec::new(); names.len()];
        Self { hosts, names, ports }
    }

    /// Whether `end` can take link `i` too. A host's link is entered in `first_link`.
    fn has_room(&self, end: NodeId, first_link: &mut [Option<usize>], i: usize) -> Result<(), Kind> {
        match first_link.get_mut(end.index()) {
            Some(Some(first)) => {
                Err(Kind::HostWithSeveralLinks { name: self.names[end.index()].clone(), first: *first })
            }
            Some(none) => {
                *none = Some(i);
                Ok(())
            }
            None if self.ports[end.index()].len() >= MAX_SWITCH_PORTS => Err(Kind::TooManyPorts),
            None => Ok(()),
        }
    }

    pub(crate) fn link(&mut self, a: NodeId, b: NodeId, cable: usize) {
        let (a_port, b_port) = (self.next_port(a), self.next_port(b));
        self.ports[a.index()].push(End { peer: b, peer_port: b_port, cable });
        self.ports[b.index()].push(End { peer: a, peer_port: a_port, cable });
    }

    fn next_port(&self, node: NodeId) -> PortId {
        PortId(u16::try_from(self.ports[node.index()].len()).expect("at most 254 ports"))
    }

    pub(crate) fn finish(self) -> Graph {
        Graph::new(self.hosts, self.names, &self.ports)
    }
}

pub(crate) fn cable(cables: &[&str], given: &str, path: impl Fn() -> String) -> Result<usize, TopologyError> {
    cables
        .iter()
        .position(|name| *name == given)
        .ok_or_else(|| TopologyError::new(path(), Kind::UnknownCable { given: given.to_owned() }))
}
