//! Fabrics by rule: a family of topologies a file, each with its parameters and its routes.
//!
//! Invariant: names and ports follow from the parameters alone. Sizes are checked before anything is
//! made, so a slip of a digit costs a message and no memory.
//!
//! | module | holds |
//! |---|---|
//! | [`chain`] | crossbar, dumbbell, chain |
//! | [`fat_tree`] | folded Clos networks of any number of tiers, k-ary n-trees, the Sun DCS 648 |
//! | [`omega`] | Omega networks |
//! | [`grid`] | mesh, ring and torus, HyperX |
//! | [`dragonfly`] | dragonflies |

pub mod chain;
pub mod dragonfly;
pub mod fat_tree;
pub mod grid;
pub mod omega;

use packet::PortId;

use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::graph::{End, Graph, node};
use crate::{MAX_NODES, MAX_SWITCH_PORTS};

/// A graph in the making, whose links say where their ports stand: at every node ports are numbered in
/// the order of their ranks, without gaps.
pub(crate) struct Wiring {
    hosts: usize,
    names: Vec<String>,
    links: Vec<(Plug, Plug, usize)>,
}

/// An end of a link: the node, and the rank of the port among the node's.
pub(crate) type Plug = (usize, usize);

impl Wiring {
    pub(crate) fn new(hosts: usize, switch_names: impl Iterator<Item = String>) -> Self {
        let names = (1..=hosts).map(|i| format!("h{i}")).chain(switch_names).collect();
        Self { hosts, names, links: Vec::new() }
    }

    pub(crate) fn link(&mut self, a: Plug, b: Plug, cable: usize) {
        self.links.push((a, b, cable));
    }

    pub(crate) fn finish(self) -> Graph {
        let mut plugs: Vec<(Plug, usize)> = Vec::with_capacity(2 * self.links.len());
        for (i, (a, b, _)) in self.links.iter().enumerate() {
            plugs.extend([(*a, 2 * i), (*b, 2 * i + 1)]);
        }
        plugs.sort_unstable();
        let mut port_of = vec![PortId(0); plugs.len()];
        let mut next = vec![0u16; self.names.len()];
        for ((node, _), plug) in &plugs {
            port_of[*plug] = PortId(next[*node]);
            next[*node] += 1;
        }
        let mut ports: Vec<Vec<End>> =
            next.into_iter().map(|count| Vec::with_capacity(count.into())).collect();
        for ((own, _), plug) in plugs {
            let (a, b, cable) = self.links[plug / 2];
            let peer = if plug % 2 == 0 { b.0 } else { a.0 };
            ports[own].push(End { peer: node(peer), peer_port: port_of[plug ^ 1], cable });
        }
        Graph::new(self.hosts, self.names, &ports)
    }
}

/// Fails unless `given` is in this range.
pub(crate) fn within(path: &str, given: u16, least: u16, most: u16) -> Result<usize, TopologyError> {
    if (least..=most).contains(&given) {
        Ok(given.into())
    } else {
        Err(TopologyError::new(path, Kind::OutOfRange { given, least, most }))
    }
}

/// Fails if a switch of this many ports cannot be numbered.
pub(crate) fn ports_fit(path: &str, ports: u64) -> Result<(), TopologyError> {
    if ports > MAX_SWITCH_PORTS as u64 {
        return Err(TopologyError::new(path, Kind::TooManyPorts));
    }
    Ok(())
}

/// Fails if there are more nodes than LIDs.
pub(crate) fn nodes_fit(path: &str, nodes: u64) -> Result<(), TopologyError> {
    if nodes > MAX_NODES as u64 {
        let nodes = usize::try_from(nodes).unwrap_or(usize::MAX);
        return Err(TopologyError::new(path, Kind::TooManyNodes { nodes }));
    }
    Ok(())
}

/// The product, or a number beyond every limit.
pub(crate) fn product(factors: impl IntoIterator<Item = u16>) -> u64 {
    factors.into_iter().fold(1, |product: u64, factor| product.saturating_mul(factor.into()))
}

/// One, for parameters whose natural value it is.
pub(crate) fn one() -> u16 {
    1
}
