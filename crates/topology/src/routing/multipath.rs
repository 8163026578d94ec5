//! Equal-cost multipath: every port that leads one hop nearer, and a key that chooses one of them.
//!
//! Invariant: a flow keeps its way, since the key is the flow's; memory is two bytes for each switch and host,
//! and equal sets of ports are kept once.
//!
//! Tables of IBA know a packet by its destination alone, so this is for fabrics whose switches look further:
//! they hash a packet's flow (RFC 2992 compares ways of doing that).

use std::collections::BTreeMap;

use packet::{NodeId, PortId};

use super::min_hop::each_nearer;
use super::{NOWHERE, entry, hosts_of, port};
use crate::graph::Graph;

/// Forwarding tables whose entries are sets of ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multipath {
    hosts: usize,
    /// By switch and LID: the place of a set.
    entries: Vec<u16>,
    /// Ports, each set in order; the first is the empty one.
    sets: Vec<Box<[u8]>>,
}

impl Multipath {
    /// All ports on shortest paths.
    ///
    /// # Panics
    /// If the switches' choices make more than 65,535 different sets of ports.
    #[must_use]
    pub fn min_hop(graph: &Graph) -> Self {
        let stride = graph.hosts() + 1;
        let mut entries = vec![0u16; stride * graph.switches()];
        let mut known: BTreeMap<Box<[u8]>, u16> = BTreeMap::from([(Box::default(), 0)]);
        let mut place = |ports: &[PortId]| {
            let next = u16::try_from(known.len()).expect("no more than 65,535 sets of ports");
            *known.entry(ports.iter().map(|port| entry(*port)).collect()).or_insert(next)
        };
        let at =
            |switch: NodeId, host: NodeId| (switch.index() - graph.hosts()) * stride + host.lid().index();
        for switch in graph.switch_ids() {
            hosts_of(graph, switch).for_each(|(host, port)| entries[at(switch, host)] = place(&[port]));
        }
        each_nearer(graph, |switch, hosts, nearer| {
            let set = place(nearer);
            hosts.iter().for_each(|(host, _)| entries[at(switch, *host)] = set);
        });
        let mut sets = vec![Box::default(); known.len()];
        known.into_iter().for_each(|(ports, place)| sets[usize::from(place)] = ports);
        Self { hosts: graph.hosts(), entries, sets }
    }

    /// The port by which a switch sends what is for this host, among those that lead there, by a key of the
    /// flow; [`None`] if none does. The same key at different switches makes independent choices.
    ///
    /// # Panics
    /// If the nodes are not a switch and a host of this fabric.
    #[must_use]
    pub fn output(&self, switch: NodeId, to: NodeId, key: u64) -> Option<PortId> {
        let set = self.set(switch, to);
        // Multiply-shift of a word that every bit of the key and the switch moves: no division, no bias
        // that matters at 254 ports.
        let word = event_kernel::finalise(key ^ u64::from(switch.0).rotate_left(40));
        let place = (u128::from(word) * set.len() as u128) >> 64;
        set.get(place as usize).and_then(|entry| port(*entry))
    }

    /// Every port by which a switch may send what is for this host.
    ///
    /// # Panics
    /// If the nodes are not a switch and a host of this fabric.
    pub fn outputs(&self, switch: NodeId, to: NodeId) -> impl ExactSizeIterator<Item = PortId> {
        self.set(switch, to).iter().map(|entry| {
            debug_assert_ne!(*entry, NOWHERE, "sets hold ports");
            PortId((*entry).into())
        })
    }

    fn set(&self, switch: NodeId, to: NodeId) -> &[u8] {
        let row = switch.index().checked_sub(self.hosts).expect("only a switch has a forwarding table");
        &self.sets[usize::from(self.entries[row * (self.hosts + 1) + to.lid().index()])]
    }
}
