//! The choices that switches with groups of ports have, and the number of paths that they make.
//!
//! Invariant: paths are counted by the tables alone, whatever a selector prefers.

use core::ops::RangeInclusive;
use std::collections::{BTreeMap, BTreeSet};

use packet::{NodeId, ServiceLevel, TransportService};
use switch_arch::SelectedPackets;
use units::Bytes;

use crate::plan::Plan;

/// The choices of a fabric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathChoices {
    /// Number of switches with several ports for some host.
    pub switches: usize,
    /// The least and the largest number of ports of a group.
    pub ports: RangeInclusive<usize>,
    /// The least and the largest number of paths between hosts of different switches.
    pub paths: RangeInclusive<u64>,
    /// Words of the selectors of those switches.
    pub selectors: BTreeSet<&'static str>,
    /// Words of the entropies of adapters that send data and do not have the usual one.
    pub entropies: BTreeSet<&'static str>,
    /// Flows by service and level.
    pub classes: Vec<PacketClass>,
    /// Length on the wire below which all packets go by hash, if there is a selector other than `Hash`.
    pub small: Option<Bytes>,
}

/// Flows of a transport service and service level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketClass {
    /// Transport service.
    pub service: TransportService,
    /// Service level of their data.
    pub level: ServiceLevel,
    /// Number of the flows.
    pub flows: usize,
    /// True if the selector of some switch is for some of their packets, which are long enough.
    pub is_selected: bool,
}

impl Plan {
    /// Returns the choices of the fabric; `None` if every switch has a single port for each host.
    #[must_use]
    pub fn path_choices(&self) -> Option<PathChoices> {
        let (graph, routes) = (self.graph(), self.routes());
        let choosing: Vec<NodeId> =
            graph.switch_ids().filter(|switch| routes.table(*switch).groups() > 0).collect();
        if choosing.is_empty() {
            return None;
        }
        let mut found = PathChoices {
            switches: choosing.len(),
            ports: RangeInclusive::new(usize::MAX, 0),
            paths: RangeInclusive::new(u64::MAX, 0),
            selectors: choosing
                .iter()
                .map(|switch| {
                    self.nodes().switch(*switch).selection.map_or("Hash", |own| own.selector.word())
                })
                .collect(),
            entropies: self
                .workload()
                .flows
                .iter()
                .map(|flow| self.nodes().adapter(flow.source).entropy)
                .filter(|entropy| !entropy.is_usual())
                .map(|entropy| entropy.word())
                .collect(),
            classes: self.packet_classes(&choosing),
            small: self.selected(&choosing).map(|packets| packets.shortest()).min(),
        };
        // Hosts of one switch are reached by the same paths.
        let mut edges = BTreeSet::new();
        for to in graph.host_ids() {
            let edge = graph.ports(to)[0].peer;
            if graph.is_host(edge) || !edges.insert(edge) {
                continue;
            }
            for switch in &choosing {
                let ports = routes.ports(*switch, to).count();
                if ports > 1 {
                    found.ports = ports.min(*found.ports.start())..=ports.max(*found.ports.end());
                }
            }
            let mut known = vec![None; graph.switches()];
            for from in graph.host_ids() {
                let first = graph.ports(from)[0].peer;
                if first == edge || graph.is_host(first) {
                    continue;
                }
                let paths = self.count_paths(first, to, &mut known);
                found.paths = paths.min(*found.paths.start())..=paths.max(*found.paths.end());
            }
        }
        Some(found)
    }

    /// Returns the flows by service and level, and whether a selector of these switches is for some of their packets.
    fn packet_classes(&self, switches: &[NodeId]) -> Vec<PacketClass> {
        let mut packets: Vec<_> = self.selected(switches).collect();
        packets.dedup();
        let (mut counts, lengths) = (BTreeMap::new(), self.packet_lengths());
        for flow in &self.workload().flows {
            let level = self.service_level(flow.service_level, flow.source, flow.destination);
            let longest = lengths.data(flow);
            let is_selected = packets.iter().any(|own| own.may_contain(level, flow.transport, longest));
            *counts.entry((flow.transport, level, is_selected)).or_insert(0) += 1;
        }
        let class =
            |((service, level, is_selected), flows)| PacketClass { service, level, flows, is_selected };
        counts.into_iter().map(class).collect()
    }

    /// Returns the packets that the selectors of switches are for.
    fn selected(&self, switches: &[NodeId]) -> impl Iterator<Item = SelectedPackets> {
        let own = switches.iter().filter_map(|switch| self.nodes().switch(*switch).selection);
        own.map(|own| own.packets)
    }

    /// Returns the number of paths from a switch to a host. Checked routes have no loops, so this ends.
    fn count_paths(&self, at: NodeId, to: NodeId, known: &mut [Option<u64>]) -> u64 {
        let place = at.index() - self.graph().hosts();
        if let Some(paths) = known[place] {
            return paths;
        }
        let onward = self.routes().ports(at, to).map(|port| self.graph().ports(at)[port.index()].peer);
        let paths = onward.fold(0_u64, |paths, next| {
            paths.saturating_add(if next == to { 1 } else { self.count_paths(next, to, known) })
        });
        known[place] = Some(paths);
        paths
    }
}

#[cfg(test)]
mod tests {
    use crate::{Scenario, ScenarioText};

    fn choices(sets: &[&str]) -> Option<super::PathChoices> {
        choices_of("bench-a32", sets)
    }

    fn choices_of(scenario: &str, sets: &[&str]) -> Option<super::PathChoices> {
        let mut source = ScenarioText::find(scenario).expect("it ships");
        sets.iter().for_each(|set| source.set(set).expect("a field"));
        let plan = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
        plan.expect("nothing is wrong").path_choices()
    }

    #[test]
    fn a_tree_of_two_tiers_has_a_path_over_each_spine() {
        assert_eq!(choices(&[]), None, "d-mod-k has one path");
        let found = choices(&["routing=Ecmp"]).expect("leaves choose");
        assert_eq!((found.switches, found.ports, found.paths), (8, 4..=4, 4..=4));
        assert_eq!(found.selectors.into_iter().collect::<Vec<_>>(), ["Hash"]);
    }

    /// In the parking lot h1 receives, and only answers; h5 sends.
    #[test]
    fn entropies_are_those_of_hosts_with_data() {
        let entropies = |host: &str| {
            let set = format!("adapters={{\"{host}\": (entropy: Random)}}");
            choices_of("paths-parking-lot", &[&set])
                .expect("leaves choose")
                .entropies
                .into_iter()
                .collect::<Vec<_>>()
        };
        assert_eq!(entropies("h1"), [""; 0]);
        assert_eq!(entropies("h5"), ["Random"]);
    }

    #[test]
    fn a_tree_of_three_tiers_has_as_many_paths_as_spines_above() {
        let tree =
            "topology=FatTree(down: [2, 3, 2], up: [3, 4], host_cable: \"wire\", trunk_cable: \"wire\")";
        let single = "traffic=[Permutation(transport: Ud, operation: Send, at: \"0 s\", bytes: \"4 KiB\")]";
        let found = choices(&[tree, single, "routing=Adaptive"]).expect("leaves choose");
        // Within a subtree by each of 3 switches of the middle tier, beyond it by each of their 4 spines.
        assert_eq!((found.ports, found.paths), (3..=4, 3..=12));
        assert_eq!(found.selectors.into_iter().collect::<Vec<_>>(), ["LeastLoaded"]);
    }
}
