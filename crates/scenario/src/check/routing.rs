//! Forwarding tables, and the paths of flows over them.
//!
//! Invariant: packets of the scenario's flows cannot wait for each other in a cycle, unless the scenario allows it.

use link_layer::LinkPlan;
use packet::{Lane, ServiceLevel, TransportService};
use settings::{FieldPath, SettingError};
use topology::{CableChange, Graph, Routes, RoutingErrorKind, RoutingSpec, Topology, TopologySpec};
use workload::Flow;

use super::node::adapters;
use crate::cycles::cycle;
use crate::format::{DependencyCycles, LayerLanes, Scenario};
use crate::plan::NodePlans;
use crate::text::Faults;
use settings::nearest;

/// Makes the forwarding tables, unless the routing has faults.
pub(super) fn routes(scenario: &Scenario, topology: &Topology, faults: &mut Faults<'_>) -> Option<Routes> {
    let error = match topology.routes(&scenario.routing, scenario.seeds.ecmp.unwrap_or(scenario.seed)) {
        Ok(routes) if scenario.layer_lanes == LayerLanes::Changed => return Some(routes.with_lane_changes()),
        Ok(routes) => return Some(routes),
        Err(error) => error,
    };
    let parent = FieldPath::from("routing");
    let path = parent.join(&error.path());
    let all: Vec<&str> = topology.graph().names().collect();
    let (hosts, switches) = all.split_at(topology.graph().hosts());
    match error.kind() {
        RoutingErrorKind::UnknownSwitch { given } => {
            faults.add_name(&path, &error, nearest::help(given, switches, "switches"));
        }
        RoutingErrorKind::UnknownHost { given } => {
            faults.add_name(&path, &error, nearest::help(given, hosts, "hosts"));
        }
        _ => faults.of_setting(&parent, error.fault()),
    }
    None
}

/// Checks that every path has a service level of its layer, and that no packets wait for each other in a cycle. Returns
/// the cycle if the scenario allows one.
pub(super) fn check(
    scenario: &Scenario,
    (link, nodes): (&LinkPlan, &NodePlans),
    (graph, routes): (&Graph, &Routes),
    flows: &[Flow],
    faults: &mut Faults<'_>,
) -> Option<String> {
    let before = faults.found.len();
    check_levels(routes, flows, faults);
    check_ack_levels(scenario, routes, faults);
    check_multipath(scenario, flows, faults);
    check_detours(scenario, (link, routes), flows, faults);
    if faults.found.len() > before {
        return None;
    }
    if let Some(detours) = routes.detours() {
        // Lanes rise along every route that switches can choose, so there is no cycle if there are lanes enough.
        let taken = detours.lanes_of_all_choices(graph, routes);
        assert!(taken <= detours.lanes(), "{taken} lanes of {}", detours.lanes());
        return None;
    }
    let cycle = cycle((link, nodes), (graph, routes), flows)?;
    match scenario.dependency_cycles {
        DependencyCycles::Allowed => Some(cycle),
        DependencyCycles::Refused => {
            let message = format!("packets could wait for each other for ever, in the cycle {cycle}");
            faults.add(&"routing".into(), message, help(scenario, (link, nodes), routes));
            None
        }
    }
}

/// Checks the service levels: a layer takes one for each that flows ask for, and there are 16.
fn check_levels(routes: &Routes, flows: &[Flow], faults: &mut Faults<'_>) {
    let layers = routes.layers();
    if layers > u32::from(ServiceLevel::COUNT) {
        let message = format!("this takes {layers} layers, and IBA has 16 service levels");
        faults.add(&"routing".into(), message, "write `UpDown()`, or a topology of fewer dimensions");
        return;
    }
    let most = u32::from(ServiceLevel::COUNT) / layers - 1;
    let over = |flow: &&Flow| u32::from(flow.service_level.0) > most;
    if let Some((i, flow)) = flows.iter().enumerate().find(|(_, flow)| over(flow)) {
        let path = if flow.named {
            FieldPath::from("flows").index(i).name("service_level")
        } else {
            FieldPath::from(flow.field())
        };
        let message = format!(
            "service level {} has no room for the {layers} layers of the routing: they take levels {} to {}",
            flow.service_level.0,
            u32::from(flow.service_level.0) * layers,
            (u32::from(flow.service_level.0) + 1) * layers - 1,
        );
        faults.add(&path, message, format!("write 0 to {most}: a level takes {layers} of IBA's 16"));
    }
}

/// Checks that acknowledgements stay in the layer of their path.
fn check_ack_levels(scenario: &Scenario, routes: &Routes, faults: &mut Faults<'_>) {
    let layers = routes.layers();
    for (path, spec) in adapters(scenario).filter(|_| layers > 1) {
        let Some(level) = spec.ack_service_level else { continue };
        let message = format!(
            "the routing takes {layers} layers, each with service levels of its own, and acknowledgements on level {level} \
             would leave their layer"
        );
        let help =
            "leave `ack_service_level` out: an acknowledgement then goes on the service level of its flow";
        faults.add(&path.name("ack_service_level"), message, help);
    }
}

/// Checks that no reliable datagrams take several paths: packets of one end-to-end context are numbered as one sequence,
/// but belong to many queue pairs, which multipath routing would separate.
fn check_multipath(scenario: &Scenario, flows: &[Flow], faults: &mut Faults<'_>) {
    let datagrams = |flow: &Flow| flow.transport == TransportService::Rd;
    if !scenario.routing.has_groups() {
        return;
    }
    if let Some(i) = flows.iter().position(datagrams) {
        let path = if flows[i].named {
            FieldPath::from("flows").index(i).name("transport")
        } else {
            flows[i].field().into()
        };
        let routing = scenario.routing.word();
        let message =
            format!("packets of an end-to-end context would overtake each other on the paths of `{routing}`");
        faults.add(&path, message, "write another `routing`, or `transport: Rc`");
    }
}

/// Checks that links have the lanes of routes that need not be minimal.
fn check_detours(
    scenario: &Scenario,
    (link, routes): (&LinkPlan, &Routes),
    flows: &[Flow],
    faults: &mut Faults<'_>,
) {
    let Some(detours) = routes.detours() else { return };
    let (needed, has) = (detours.lanes(), link.data_lanes);
    let first = |flow: &Flow| link.lanes[usize::from(flow.service_level.0) * usize::from(needed)].0;
    let Some(flow) = flows.iter().find(|flow| first(flow) + needed > has) else { return };
    let (level, first) = (flow.service_level.0, first(flow));
    let message = format!(
        "`{}` takes {needed} lanes for each service level, and packets of level {level} start on VL{first} of {has}",
        scenario.routing.word()
    );
    let help = format!("set `link.data_lanes` to {}", (u32::from(level) + 1) * u32::from(needed));
    faults.add(&"routing".into(), message, help);
}

/// Returns the correction of routes with a cycle.
fn help(scenario: &Scenario, (link, nodes): (&LinkPlan, &NodePlans), routes: &Routes) -> String {
    let (layers, lanes) = (routes.layers(), u32::from(link.data_lanes));
    let own: Vec<Lane> = link.lanes.into_iter().take(layers as usize).collect();
    let merged = own.iter().enumerate().any(|(i, lane)| own[..i].contains(lane));
    let allow = "`dependency_cycles: Allowed` to see what it does";
    if scenario.layer_lanes == LayerLanes::Changed && lanes % 2 == 1 {
        format!(
            "set `link.data_lanes` to {}, two for each service level of flows; or write {allow}",
            lanes + 1
        )
    } else if nodes.change_lanes() {
        format!("lead one link of the cycle to another lane in `sl_to_vl`, or write `UpDown()`; or {allow}")
    } else if layers > lanes {
        format!("set `link.data_lanes` to {layers}, a lane for each layer of the routing; or write {allow}")
    } else if merged {
        format!(
            "map service levels 0 to {} to lanes of their own in `link.sl_to_vl`; or write {allow}",
            layers - 1
        )
    } else if scenario.routing == RoutingSpec::Native {
        format!("write `UpDown()`; or {allow}")
    } else if scenario.routing.has_groups() && matches!(scenario.topology, TopologySpec::Torus(_)) {
        // Duato's escape lanes need a packet that waits to choose again, and a switch here chooses once, on arrival.
        format!(
            "write `Native`: free choices in a torus need escape lanes, on which waiting packets could still go; or {allow}"
        )
    } else {
        format!("write `UpDown()`, or `Native` with a lane for each of its layers; or {allow}")
    }
}

/// Returns the correction where no route leads from one host to another.
pub(super) fn unreached(scenario: &Scenario, from: &str, to: &str) -> String {
    match &scenario.routing {
        RoutingSpec::UpDown { roots } if !roots.is_empty() => {
            format!("leave `roots` out, or connect the switches of `{from}` and `{to}` in `topology`")
        }
        _ if scenario.changed_cables.values().any(|change| *change == CableChange::Removed) => {
            format!("leave a cable between the switches of `{from}` and `{to}` in place in `changed_cables`")
        }
        _ => format!("connect the switches of `{from}` and `{to}` in `topology`"),
    }
}
