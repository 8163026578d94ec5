//! Packets that could overtake each other, since a selector chooses ports for them.
//!
//! Invariant: a flow with such packets has ends that take them in any order.

use ca_transport::OvertakingError;
use settings::FieldPath;
use switch_arch::spec::{SelectionSpec, SwitchSpec};
use topology::Routes;
use workload::Flow;

use super::node::switches;
use crate::format::Scenario;
use crate::layers::service_level;
use crate::plan::NodePlans;
use crate::text::Faults;

/// Checks the selectors, and the flows whose packets they may choose ports for. Returns true if there are such flows.
pub(super) fn check(
    scenario: &Scenario,
    (nodes, routes): (&NodePlans, &Routes),
    flows: &[Flow],
    faults: &mut Faults<'_>,
) -> bool {
    for (path, spec) in switches(scenario) {
        check_selector(scenario, &path, spec, faults);
    }
    if !routes.have_groups() {
        return false;
    }
    let mut overtaken =
        flows.iter().enumerate().filter(|(_, flow)| is_selected(nodes, routes, flow)).peekable();
    let may_overtake = overtaken.peek().is_some();
    // All hosts have the same order of delivery.
    let fault =
        |(i, flow): (usize, &Flow)| Some((i, scenario.adapter.tolerates_overtaking(flow.transport).err()?));
    if let Some((i, error)) = overtaken.find_map(fault) {
        refuse(scenario, (i, &flows[i]), error, faults);
    }
    may_overtake
}

/// Returns true if some switch may choose the ports of a flow's packets.
fn is_selected(nodes: &NodePlans, routes: &Routes, flow: &Flow) -> bool {
    let ways = [(flow.source, flow.destination), (flow.destination, flow.source)];
    let level = |(from, to)| service_level(routes, flow.service_level, from, to);
    nodes.switches.iter().filter_map(|switch| switch.settings.selection).any(|selection| {
        ways.into_iter().any(|way| selection.packets.may_contain(level(way), flow.transport))
    })
}

/// Checks that a selector has ports to choose from, and packets to choose for.
fn check_selector(scenario: &Scenario, path: &FieldPath, spec: &SwitchSpec, faults: &mut Faults<'_>) {
    let chooses = spec.selection.filter(|selector| *selector != SelectionSpec::Hash);
    if let Some(selector) = chooses.filter(|_| !scenario.routing.has_groups()) {
        let (routing, word) = (scenario.routing.word(), selector.word());
        let message = format!("`{routing}` leads to a host by one port, and `{word}` chooses among several");
        let help = "write `routing: Adaptive` or `Ecmp`, or leave it out";
        faults.add(&path.name("selection"), message, help);
    }
    let Some(packets) = &spec.selected_packets else { return };
    let path = path.name("selected_packets");
    if chooses.is_none() {
        let message = "a hash of their flow chooses the ports of all packets here";
        faults.add(&path, message, "leave it out, or write another `selection` than `Hash`");
    } else if packets.levels.is_empty() || packets.services.is_empty() {
        faults.add(&path, "no packet is selected", "name one, or write `selection: Hash`");
    }
}

fn refuse(scenario: &Scenario, (i, flow): (usize, &Flow), error: OvertakingError, faults: &mut Faults<'_>) {
    let path = if flow.named {
        FieldPath::from("flows").index(i).name("transport")
    } else {
        FieldPath::from("traffic")
    };
    let mut selectors = switches(scenario).filter_map(|(_, spec)| spec.selection);
    let selector = selectors.find(|selector| *selector != SelectionSpec::Hash).unwrap_or(SelectionSpec::Hash);
    let word = selector.word();
    let message = format!("packets would overtake each other by the choices of `{word}`: {error}");
    faults.add(&path, message, format!("{}; or `selection: Hash` in `switch`", error.help()));
}
