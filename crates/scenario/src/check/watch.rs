//! Quantities recorded at each sample (`watch`).
//!
//! Invariant: each column of `watch.csv` has values.

use cc_policies::ResponseSpec;
use packet::{FlowId, Lane, NodeId, PortId};
use settings::FieldPath;
use topology::Graph;
use workload::Flow;

use super::link::check_lane;
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
    let watched = scenario.watch.iter().enumerate().filter_map(|(i, watch)| {
        let path = FieldPath::from("watch").index(i);
        match watch {
            WatchSpec::Queue { switch, port, lane } => {
                let found = find_port(&path, (switch, *port), graph, faults);
                check_lane(&path.name("lane"), *lane, scenario.link.data_lanes, faults);
                found.map(|(switch, output)| WatchPlan::Queue { switch, output, lane: Lane(*lane) })
            }
            WatchSpec::Control { flow } => {
                find_flow(response, &path, flow, flows, faults).map(|flow| WatchPlan::Control { flow })
            }
        }
    });
    watched.collect()
}

fn find_port(
    path: &FieldPath,
    (switch, port): (&str, u16),
    graph: &Graph,
    faults: &mut Faults<'_>,
) -> Option<(NodeId, PortId)> {
    let Some(node) = graph.find(switch).filter(|node| !graph.is_host(*node)) else {
        let all: Vec<&str> = graph.names().collect();
        let help = nearest::help(switch, &all[graph.hosts()..], "switches");
        faults.add(&path.name("switch"), format!("there is no switch `{switch}`"), help);
        return None;
    };
    let ports = graph.ports(node).len();
    if !(1..=ports).contains(&usize::from(port)) {
        let message = format!("`{switch}` has no port {port}");
        faults.add(&path.name("port"), message, format!("write a port from 1 to {ports}"));
        return None;
    }
    Some((node, PortId(port - 1)))
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
