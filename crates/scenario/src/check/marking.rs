//! Ports whose marking differs: they have to be there.

use topology::Graph;

use super::Faults;
use crate::nearest;
use crate::path::Path;
use crate::spec::Scenario;

/// Every port that the marking settings single out is a port of a switch.
pub(super) fn check_ports(scenario: &Scenario, graph: &Graph, faults: &mut Faults<'_>) {
    let Some(marking) = scenario.congestion_control.iba_marking() else { return };
    let all: Vec<&str> = graph.names().collect();
    let switches = &all[graph.hosts()..];
    for (i, own) in marking.ports.iter().enumerate() {
        let path = Path::from("congestion_control").name("marking").name("ports").index(i);
        let Some(node) = graph.find(&own.switch).filter(|node| !graph.is_host(*node)) else {
            let message = format!("there is no switch `{}`", own.switch);
            faults.add(&path.name("switch"), message, nearest::help(&own.switch, switches, "switches"));
            continue;
        };
        let ports = graph.ports(node).len();
        if !(1..=ports).contains(&usize::from(own.port)) {
            let message = format!("`{}` has no port {}", own.switch, own.port);
            faults.add(&path.name("port"), message, format!("write a port from 1 to {ports}"));
        }
    }
}
