//! What is to be watched.
//!
//! Invariant: each column of `watch.csv` will have something to show.

use cc_policies::ResponseSpec;
use settings::FieldPath;
use topology::Graph;
use workload::Flow;

use super::link::check_lane;
use crate::diagnostics::nearest;
use crate::format::{Scenario, WatchSpec};
use crate::text::Faults;

/// Whether all that is to be watched is there.
pub(super) fn check(
    scenario: &Scenario,
    response: &ResponseSpec,
    graph: &Graph,
    flows: &[Flow],
    faults: &mut Faults<'_>,
) {
    for (i, watch) in scenario.watch.iter().enumerate() {
        let path = FieldPath::from("watch").index(i);
        match watch {
            WatchSpec::Queue { switch, port, lane } => {
                check_port(&path, (switch, *port), graph, faults);
                check_lane(&path.name("lane"), *lane, scenario.link.data_lanes, faults);
            }
            WatchSpec::Control { flow } => check_flow(response, &path, flow, flows, faults),
        }
    }
}

fn check_port(path: &FieldPath, (switch, port): (&str, u16), graph: &Graph, faults: &mut Faults<'_>) {
    let Some(node) = graph.find(switch).filter(|node| !graph.is_host(*node)) else {
        let all: Vec<&str> = graph.names().collect();
        let help = nearest::help(switch, &all[graph.hosts()..], "switches");
        return faults.add(&path.name("switch"), format!("there is no switch `{switch}`"), help);
    };
    let ports = graph.ports(node).len();
    if !(1..=ports).contains(&usize::from(port)) {
        let message = format!("`{switch}` has no port {port}");
        faults.add(&path.name("port"), message, format!("write a port from 1 to {ports}"));
    }
}

fn check_flow(
    response: &ResponseSpec,
    path: &FieldPath,
    name: &str,
    flows: &[Flow],
    faults: &mut Faults<'_>,
) {
    let named: Vec<&str> = flows.iter().filter(|flow| flow.named).map(|flow| flow.name.as_str()).collect();
    if !named.contains(&name) {
        let help = nearest::help(name, &named, "flows with a name");
        faults.add(&path.name("flow"), format!("there is no flow `{name}`"), help);
    } else if !matches!(response, ResponseSpec::Dcqcn(_)) {
        let message = "no DCQCN reaction point controls this flow, so it has no rate to watch";
        faults.add(path, message, "watch a `Queue`, or write `congestion_control: Dcqcn()`");
    }
}
