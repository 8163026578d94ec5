//! Quantities recorded at each sample (`watch`).
//!
//! Invariant: each column of `watch.csv` has values.

use std::collections::BTreeSet;

use cc_policies::ResponseSpec;
use packet::{FlowId, Lane, NodeId, PortId};
use settings::{FieldPath, glob};
use topology::Graph;
use workload::Flow;

use super::link::check_lane;
use super::selected;
use crate::format::{Scenario, WatchSpec};
use crate::plan::WatchPlan;
use crate::text::Faults;
use settings::nearest;

/// Finds all that is to be watched.
pub(super) fn resolve(
    scenario: &Scenario,
    response: &ResponseSpec,
    (graph, flows): (&Graph, &[Flow]),
    faults: &mut Faults<'_>,
) -> Vec<WatchPlan> {
    let mut found = Vec::new();
    for (i, watch) in scenario.watch.iter().enumerate() {
        let path = FieldPath::from("watch").index(i);
        match watch {
            WatchSpec::Queue { ports, lane } => {
                check_lane(&path.name("lane"), *lane, scenario.link.data_lanes, faults);
                let ports = switch_ports(&path.name("ports"), ports, graph, faults);
                let queue = |(switch, output)| WatchPlan::Queue { switch, output, lane: Lane(*lane) };
                found.extend(ports.into_iter().map(queue));
            }
            WatchSpec::Control { flow } => {
                let flows = find_flows(response, &path, flow, flows, faults);
                found.extend(flows.into_iter().map(|flow| WatchPlan::Control { flow }));
            }
        }
    }
    // Patterns may select a port twice; each quantity is watched once, where it stands first.
    let mut known = BTreeSet::new();
    found.retain(|quantity| known.insert(*quantity));
    found
}

/// Returns the ports of switches that a text selects.
fn switch_ports(
    path: &FieldPath,
    text: &str,
    graph: &Graph,
    faults: &mut Faults<'_>,
) -> Vec<(NodeId, PortId)> {
    let mut ports = selected::ports(path, text, graph, faults);
    let is_empty = ports.is_empty();
    ports.retain(|(node, _)| !graph.is_host(*node));
    if ports.is_empty() && !is_empty {
        let message = format!("`{text}` selects ports of hosts, and queues are watched in switches");
        let help =
            "write a switch's port: `SWITCH:PORT`, or `SWITCH:NODE` with the node that its cable leads to";
        faults.add(path, message, help);
    }
    ports
}

fn find_flows(
    response: &ResponseSpec,
    path: &FieldPath,
    name: &str,
    flows: &[Flow],
    faults: &mut Faults<'_>,
) -> Vec<FlowId> {
    let named = || flows.iter().enumerate().filter(|(_, flow)| flow.named);
    let found = named().filter(|(_, flow)| glob::matches(name, &flow.name));
    let found: Vec<_> = found.map(|(number, _)| FlowId(number as u32)).collect();
    if found.is_empty() {
        let help = nearest::help(name, named().map(|(_, flow)| &flow.name), "flows with a name");
        let what = if glob::is_wild(name) { "no flow with a name matches" } else { "there is no flow" };
        faults.add(&path.name("flow"), format!("{what} `{name}`"), help);
    } else if matches!(response, ResponseSpec::Off) {
        let message = "no source responds to congestion, so there is no state to watch";
        faults.add(path, message, "watch a `Queue`, or choose a response in `congestion_control`");
    }
    found
}
