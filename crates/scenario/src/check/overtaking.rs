//! Packets that could overtake each other, since a selector chooses ports for them, or since their routes need not
//! be minimal.
//!
//! Invariant: a flow with such packets has a service that loses no message by that.

use ca_transport::{AdapterSpec, OvertakingError};
use link_layer::LinkPlan;
use settings::FieldPath;
use switch_arch::spec::{SelectionSpec, SwitchSpec};
use topology::Routes;
use workload::{Flow, Workload};

use super::node::{adapters, switches};
use super::of_flow;
use crate::format::Scenario;
use crate::layers::service_level;
use crate::packet_lengths::PacketLengths;
use crate::plan::NodePlans;
use crate::text::Faults;

/// Checks the selectors, and the flows whose packets they may choose ports for. Returns true if there are such flows.
pub(super) fn check(
    scenario: &Scenario,
    (link, nodes, routes): (&LinkPlan, &NodePlans, &Routes),
    workload: &Workload,
    faults: &mut Faults<'_>,
) -> bool {
    for (path, spec) in switches(scenario) {
        check_selector(scenario, &path, spec, faults);
    }
    for (path, spec) in adapters(scenario) {
        check_entropy(scenario, &path, spec, faults);
    }
    let has_detours = routes.detours().is_some();
    if !routes.have_groups() && !has_detours {
        return false;
    }
    let lengths = PacketLengths { link, workload };
    let may_be_overtaken = |flow: &Flow| has_detours || takes_paths(nodes, routes, (flow, lengths));
    let mut overtaken =
        workload.flows.iter().enumerate().filter(|(_, flow)| may_be_overtaken(flow)).peekable();
    let may_overtake = overtaken.peek().is_some();
    let refused = overtaken.find_map(|(i, flow)| {
        let error = OvertakingError::check(flow.transport).err()?;
        Some((i, flow, error))
    });
    if let Some((i, flow, error)) = refused {
        refuse(scenario, (i, flow, error), faults);
    }
    may_overtake
}

/// Returns true if packets of a flow may take different paths: switches choose for them, or their source varies what switches
/// hash.
fn takes_paths(nodes: &NodePlans, routes: &Routes, (flow, lengths): (&Flow, PacketLengths<'_>)) -> bool {
    let is_sprayed =
        [flow.source, flow.destination].iter().any(|end| !nodes.adapter(*end).entropy.is_usual());
    is_sprayed || is_selected(nodes, routes, (flow, lengths))
}

/// Returns true if some switch may choose the ports of a flow's packets.
fn is_selected(nodes: &NodePlans, routes: &Routes, (flow, lengths): (&Flow, PacketLengths<'_>)) -> bool {
    let ways = [
        (flow.source, flow.destination, lengths.data(flow)),
        (flow.destination, flow.source, lengths.answers(flow)),
    ];
    let level = |(from, to, _)| service_level(routes, flow.service_level, from, to);
    nodes.switches.iter().filter_map(|switch| switch.settings.selection).any(|selection| {
        ways.into_iter().any(|way| selection.packets.may_contain(level(way), flow.transport, way.2))
    })
}

/// Checks that some switch hashes the entropy values of an adapter's packets.
fn check_entropy(scenario: &Scenario, path: &FieldPath, spec: &AdapterSpec, faults: &mut Faults<'_>) {
    if spec.entropy.is_usual() {
        return;
    }
    let hashes = |spec: &SwitchSpec| {
        // Packets that a selector does not choose for are hashed.
        spec.selected_packets.is_some()
            || spec.selection.is_none_or(|selector| selector == SelectionSpec::Hash)
    };
    if !scenario.routing.has_groups() {
        let message = format!("`{}` leads to a host by one port: no switch hashes", scenario.routing.word());
        faults.add(&path.name("entropy"), message, "write `routing: Ecmp`, or leave it out");
    } else if !switches(scenario).any(|(_, spec)| hashes(spec)) {
        let message = "no switch hashes: each has another `selection`";
        faults.add(&path.name("entropy"), message, "write `selection: Hash` in `switch`, or leave it out");
    }
}

/// Checks that a selector has ports to choose from.
fn check_selector(scenario: &Scenario, path: &FieldPath, spec: &SwitchSpec, faults: &mut Faults<'_>) {
    let chooses = spec.selection.filter(|selector| *selector != SelectionSpec::Hash);
    if let Some(selector) = chooses.filter(|_| !scenario.routing.has_groups()) {
        let (routing, word) = (scenario.routing.word(), selector.word());
        let message = format!("`{routing}` leads to a host by one port, and `{word}` chooses among several");
        let help = "write `routing: Adaptive` or `Ecmp`, or leave it out";
        faults.add(&path.name("selection"), message, help);
    }
}

/// Says by which setting packets would overtake each other, and that the ends of the flow do not allow for it.
fn refuse(scenario: &Scenario, (i, flow, error): (usize, &Flow, OvertakingError), faults: &mut Faults<'_>) {
    let path = of_flow(i, flow).name("transport");
    let mut selectors = switches(scenario).filter_map(|(_, spec)| spec.selection);
    let setting = selectors.find(|selector| *selector != SelectionSpec::Hash).map(|selector| selector.word());
    let (setting, remedy) = match (scenario.routing.detours(), setting) {
        (Some(_), _) => (format!("routing: {}", scenario.routing.word()), "write `routing: Native`"),
        (None, Some(word)) => (format!("selection: {word}"), "write `selection: Hash` in `switch`"),
        (None, None) => ("entropy".to_owned(), "leave `entropy` out"),
    };
    let message = format!("packets would overtake each other by `{setting}`: {error}");
    faults.add(&path, message, format!("{}; or {remedy}", error.help()));
}
