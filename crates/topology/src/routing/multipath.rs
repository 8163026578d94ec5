//! Equal-cost multipath (ECMP): every port that leads one hop nearer, and a key that chooses one of them.
//!
//! Invariant: a flow keeps its way, since the key is the flow's; equal sets of ports are kept once.
//!
//! Tables of IBA know a packet by its destination alone, so this is for fabrics whose switches look further:
//! they hash a packet's flow (RFC 2992 compares ways of doing that).

use std::collections::BTreeMap;
use std::sync::Arc;

use packet::{NodeId, PortId};
use rand::RngExt;

use super::min_hop::each_nearer;
use super::table::{ForwardingTable, entry};
use super::{Layers, Routes, hosts_of};
use crate::graph::Graph;

impl Routes {
    /// All ports on shortest paths. Which of them a flow takes is drawn by `seed` and the switch's name.
    ///
    /// # Panics
    /// If the switches' choices make more than 65,535 different sets of ports.
    #[must_use]
    pub fn multipath(graph: &Graph, seed: u64) -> Self {
        let stride = graph.hosts() + 1;
        let mut places = vec![0u16; stride * graph.switches()];
        let mut known: BTreeMap<Box<[u8]>, u16> = BTreeMap::from([(Box::default(), 0)]);
        let mut place = |ports: &[PortId]| {
            let next = u16::try_from(known.len()).expect("no more than 65,535 sets of ports");
            *known.entry(ports.iter().map(|port| entry(*port)).collect()).or_insert(next)
        };
        let row = |switch: NodeId| (switch.index() - graph.hosts()) * stride;
        for switch in graph.switch_ids() {
            let own =
                |(host, port): (NodeId, PortId)| places[row(switch) + host.lid().index()] = place(&[port]);
            hosts_of(graph, switch).for_each(own);
        }
        each_nearer(graph, |switch, hosts, nearer| {
            let set = place(nearer);
            hosts.iter().for_each(|(host, _)| places[row(switch) + host.lid().index()] = set);
        });
        let mut sets = vec![Box::default(); known.len()];
        known.into_iter().for_each(|(ports, place)| sets[usize::from(place)] = ports);
        let sets = Arc::new(sets);
        let table = |switch| {
            let salt = event_kernel::stream(seed, "routing", graph.name(switch)).random();
            ForwardingTable::multipath(salt, &places[row(switch)..][..stride], &sets)
        };
        Self { hosts: graph.hosts(), tables: graph.switch_ids().map(table).collect(), layers: Layers::One }
    }
}
