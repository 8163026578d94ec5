//! Tables with groups of ports: all ports on shortest paths, or all parallel cables of a static route.
//!
//! Invariant: every port of a group leads a hop nearer; equal groups are stored once.
//!
//! IBA's linear tables know a single port for a destination. Groups are for switches that hash a packet's flow (RFC
//! 2992 compares methods), and for adaptive switches, which choose by load.

use std::collections::BTreeMap;
use std::sync::Arc;

use packet::{NodeId, PortId};
use rand::RngExt;

use super::draft::hosts_of;
use super::group::GroupState;
use super::min_hop::each_nearer;
use super::routes::Routes;
use super::table::{ForwardingTable, GroupPorts, entry};
use crate::graph::Graph;

impl Routes {
    /// Makes tables of all ports on shortest paths. The hash of a flow also depends on `seed` and on the switch's name.
    ///
    /// # Panics
    /// If the switches' choices make more than 65,535 different groups of ports.
    #[must_use]
    pub fn multipath(graph: &Graph, seed: u64) -> Self {
        let mut draft = GroupsDraft::new(graph);
        for switch in graph.switch_ids() {
            // A switch's own hosts need entries of a single port, which no search finds: it visits other switches
            // only.
            hosts_of(graph, switch).for_each(|(host, port)| draft.set(switch, host, &[port]));
        }
        each_nearer(graph, |switch, hosts, nearer| {
            let group = draft.number(nearer);
            hosts.iter().for_each(|(host, _)| draft.set_number(switch, *host, group));
        });
        draft.finish(seed)
    }

    /// Returns these tables with all parallel cables to the neighbour that a port leads to, in place of the port. The
    /// hash of a flow depends on `seed` and on the switch's name.
    ///
    /// # Panics
    /// As [`multipath`](Self::multipath).
    #[must_use]
    pub fn with_parallel_cables(self, graph: &Graph, seed: u64) -> Self {
        let mut draft = GroupsDraft::new(graph);
        for switch in graph.switch_ids() {
            let ends = graph.ports(switch);
            let beside = |port: PortId| {
                let same = |(_, end): &(PortId, &crate::FarEnd)| end.peer == ends[port.index()].peer;
                (0..).map(PortId).zip(ends).filter(same).map(|(port, _)| port).collect::<Vec<_>>()
            };
            let groups: Vec<_> = (0..ends.len() as u16).map(|port| beside(PortId(port))).collect();
            for host in graph.host_ids() {
                if let Some(port) = self.output(switch, host) {
                    draft.set(switch, host, &groups[port.index()]);
                }
            }
        }
        draft.finish(seed).with_layers(self.path_layers().clone())
    }
}

/// Tables with groups under construction.
pub(super) struct GroupsDraft<'a> {
    graph: &'a Graph,
    /// Numbers of groups, switch by switch, by LID.
    places: Vec<u16>,
    known: BTreeMap<GroupPorts, u16>,
}

impl<'a> GroupsDraft<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        let places = vec![0; (graph.hosts() + 1) * graph.switches()];
        let none = GroupPorts { ports: Box::default(), preferred: 0, state: GroupState::Adaptive };
        Self { graph, places, known: BTreeMap::from([(none, 0)]) }
    }

    /// Returns the number of the adaptive group with these ports, all of which are preferred.
    fn number(&mut self, ports: &[PortId]) -> u16 {
        self.number_of(ports, GroupState::Adaptive)
    }

    /// Returns the number of the group with these ports, all of which are preferred.
    pub(super) fn number_of(&mut self, ports: &[PortId], state: GroupState) -> u16 {
        let next = u16::try_from(self.known.len()).expect("no more than 65,535 groups of ports");
        let preferred = u8::try_from(ports.len()).expect("at most 254 ports");
        let ports = ports.iter().map(|port| entry(*port)).collect();
        *self.known.entry(GroupPorts { ports, preferred, state }).or_insert(next)
    }

    fn set(&mut self, switch: NodeId, to: NodeId, ports: &[PortId]) {
        let group = self.number(ports);
        self.set_number(switch, to, group);
    }

    pub(super) fn set_number(&mut self, switch: NodeId, to: NodeId, group: u16) {
        let row = self.row(switch);
        self.places[row + to.lid().index()] = group;
    }

    /// Returns the place of a switch's first entry.
    fn row(&self, switch: NodeId) -> usize {
        (switch.index() - self.graph.hosts()) * (self.graph.hosts() + 1)
    }

    pub(super) fn finish(self, seed: u64) -> Routes {
        let (graph, stride) = (self.graph, self.graph.hosts() + 1);
        let mut groups: Vec<_> = self.known.iter().collect();
        groups.sort_unstable_by_key(|(_, number)| **number);
        let groups: Arc<[GroupPorts]> = groups.into_iter().map(|(group, _)| group.clone()).collect();
        let table = |switch| {
            let salt = event_kernel::stream(seed, "routing", graph.name(switch)).random();
            ForwardingTable::grouped(salt, &self.places[self.row(switch)..][..stride], &groups)
        };
        Routes::new(graph.hosts(), graph.switch_ids().map(table).collect())
    }
}
