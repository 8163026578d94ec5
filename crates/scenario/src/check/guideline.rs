//! The settings that a guideline stands for, now that the network is known.
//!
//! Invariant: what runs, and what the resolved plan shows, is settings; a guideline is only written.

use cc_policies::{Guideline, Network, Scheme};
use packet::NodeId;
use topology::Graph;
use workload::PatternSpec;

use crate::spec::Scenario;

/// Puts settings in the place of a guideline.
///
/// N, the ports of the network, is the number of hosts. H, the degree, is that of the largest hot spot in
/// `traffic`, and N where there is none: "worst case = N" (Pfister and others 2005). A packet's time is that of the
/// longest packet on the fastest link of a host, so that no host delays by less than the guideline asks for.
pub(super) fn resolve(scenario: &mut Scenario, graph: &Graph) {
    if scenario.congestion_control != Scheme::Guideline {
        return;
    }
    let hosts: Vec<&str> = graph.host_names().collect();
    let hot_spots = scenario.traffic.iter().filter_map(|pattern| match pattern {
        PatternSpec::HotSpot(hot_spot) => Some(hot_spot.degree(&hosts)),
        _ => None,
    });
    let ports = hosts.len() as u32;
    let hotspot_degree = hot_spots.filter(|degree| *degree > 0).max().unwrap_or(ports);
    let packet = scenario.link.longest_packet();
    let on_the_wire = packet + scenario.link.framing.around();
    let cables: Vec<_> = scenario.cables.values().collect();
    let time = |host| cables[graph.ports(NodeId(host))[0].cable].data_rate().time_for(on_the_wire);
    let Some(packet_time) = (0..ports).map(time).min() else { return };
    let network = Network { ports, hotspot_degree, packet_time, packet };
    scenario.congestion_control = Scheme::Iba(Guideline::settings(network));
}
