//! Quantities recorded at each sample (`watch`).
//!
//! Invariant: each column of `watch.csv` has values.

use std::collections::BTreeSet;

use cc_policies::ResponseSpec;
use packet::{FlowId, Lane, NodeId, PortId};
use settings::FieldPath;
use topology::Graph;
use workload::Flow;

use super::link::check_lane;
use super::selected;
use crate::diagnostics::nearest;
use crate::format::{Scenario, WatchSpec};
use crate::plan::WatchPlan;
use crate::text::Faults;

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
                let flow = find_flow(response, &path, flow, flows, faults);
                found.extend(flow.map(|flow| WatchPlan::Control { flow }));
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

fn find_flow(
    response: &ResponseSpec,
    path: &FieldPath,
    name: &str,
    flows: &[Flow],
    faults: &mut Faults<'_>,
) -> Option<FlowId> {
    let Some(flow) = flows.iter().position(|flow| flow.named && flow.name == name) else {
        let named = flows.iter().filter(|flow| flow.named).map(|flow| flow.name.as_str());
        let help = nearest::help(name, named.collect::<Vec<_>>(), "flows with a name");
        faults.add(&path.name("flow"), format!("there is no flow `{name}`"), help);
        return None;
    };
    if !matches!(response, ResponseSpec::Dcqcn(_) | ResponseSpec::DcqcnTimed(_)) {
        let message = "no DCQCN reaction point controls this flow, so it has no rate to watch";
        faults.add(path, message, "watch a `Queue`, or write `congestion_control: Dcqcn()`");
        return None;
    }
    Some(FlowId(flow as u32))
}
