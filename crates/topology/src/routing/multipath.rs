//! Equal-cost multipath (ECMP): a key chooses among the ports that lead a hop nearer.
//!
//! Invariant: a flow keeps its path, since the key belongs to the flow; equal sets of ports are stored once.
//!
//! IBA's tables know a packet by its destination alone. Multipath is for fabrics with switches that hash a packet's
//! flow (RFC 2992 compares methods).

use std::collections::BTreeMap;
use std::sync::Arc;

use packet::{NodeId, PortId};
use rand::RngExt;

use super::draft::hosts_of;
use super::min_hop::each_nearer;
use super::routes::Routes;
use super::table::{ForwardingTable, entry};
use crate::graph::Graph;

impl Routes {
    /// Makes tables of all ports on shortest paths. The choice of a flow also depends on `seed` and on the
    /// switch's name.
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
            // A switch's own hosts need entries of a single port, which no search finds: it visits other switches
            // only.
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
        Self::new(graph.hosts(), graph.switch_ids().map(table).collect())
    }
}
