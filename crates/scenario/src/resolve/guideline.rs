//! The decisions of the congestion control in this network.
//!
//! Invariant: the plan, and the scenario that is written beside its results, contain settings in the place of a
//! guideline.

use cc_policies::{Control, Network};
use link_layer::CablePlan;
use packet::NodeId;
use topology::Graph;
use units::Span;
use workload::PatternSpec;

use crate::format::Scenario;

/// Resolves the scheme of congestion control into its decisions, and puts settings in the place of a guideline.
pub(crate) fn resolve(scenario: &mut Scenario, graph: &Graph, cables: &[CablePlan]) -> Control {
    let mut scheme = scenario.congestion_control.clone();
    let control = scheme.resolve(|| network(scenario, graph, cables));
    scenario.congestion_control = scheme;
    control
}

/// Returns the network that a guideline depends on.
///
/// N, the ports of the network, is the number of hosts. H, the degree, is that of the largest hot spot in
/// `traffic`, and N where there is none: "worst case = N" (Pfister and others 2005). A packet's time is that of the
/// longest packet on the fastest link of a host, so that no host delays by less than the guideline asks for.
fn network(scenario: &Scenario, graph: &Graph, cables: &[CablePlan]) -> Network {
    let hosts: Vec<&str> = graph.host_names().collect();
    let hot_spots = scenario.traffic.iter().filter_map(|pattern| match pattern {
        PatternSpec::HotSpot(hot_spot) => Some(hot_spot.degree(&hosts)),
        _ => None,
    });
    let ports = hosts.len() as u32;
    let hotspot_degree = hot_spots.filter(|degree| *degree > 0).max().unwrap_or(ports);
    let packet = scenario.link.longest_packet();
    let on_the_wire = packet + scenario.link.framing.around();
    let time = |host| cables[graph.ports(NodeId(host))[0].cable].rate.time_for(on_the_wire);
    // Without hosts, nothing is sent, and any time will do.
    let packet_time = (0..ports).map(time).min().unwrap_or(Span::from_ns(1));
    Network { ports, hotspot_degree, packet_time, packet }
}
