//! DCQCN in its fabric.
//!
//! Invariant: a queue can grow above Kmin, a source can become slower than its link, and CNPs of a service
//! level of their own do not leave the layer of a routing with layers.

use cc_policies::dcqcn::spec::RateThresholds;
use cc_policies::{Control, Echo, MarkingSpec, ResponseSpec};
use link_layer::CablePlan;
use packet::{Lane, NodeId, ServiceLevel};
use settings::FieldPath;
use topology::{Graph, Routes};
use units::Bytes;

use super::entries::entry_of;
use crate::format::Scenario;
use crate::text::Faults;

/// Checks that the settings of DCQCN can have an effect in this fabric.
pub(super) fn check(
    scenario: &Scenario,
    control: &Control,
    (graph, cables): (&Graph, &[CablePlan]),
    routes: &Routes,
    faults: &mut Faults<'_>,
) {
    check_kmin(scenario, &control.marking, (graph, cables), faults);
    check_min_rate(&control.response, graph, cables, faults);
    let layers = routes.layers();
    if let Some(ServiceLevel(level)) = control.echo.service_level()
        && layers > 1
    {
        let message = format!(
            "the routing takes {layers} layers, each with service levels of its own, and CNPs on level {level} would leave \
             their layer"
        );
        let help = "leave `service_level` out: a CNP then goes on the service level of its flow";
        faults.add(&field("echo.service_level"), message, help);
    }
}

fn field(name: &str) -> FieldPath {
    FieldPath::from("congestion_control").join(&name.into())
}

/// Checks that some output's queue can grow above its Kmin: with all that its switch can hold on a lane.
fn check_kmin(
    scenario: &Scenario,
    marking: &MarkingSpec,
    (graph, cables): (&Graph, &[CablePlan]),
    faults: &mut Faults<'_>,
) {
    let MarkingSpec::Red(marking) = marking else { return };
    if !faults.found.is_empty() {
        return; // Memory with faults has no size to compare with.
    }
    let switches = (graph.hosts()..graph.nodes()).map(|index| NodeId(index as u32));
    let outputs = switches.flat_map(|node| {
        let most = most_waiting(scenario, graph, node);
        graph.ports(node).iter().map(move |end| (most, cables[end.cable].rate))
    });
    let kmins = outputs.filter_map(|(most, rate)| Some((most, marking.thresholds(rate)?)));
    let nearest = kmins.max_by_key(|(most, own)| most.get() as i64 - own.kmin.get() as i64);
    if let Some((most, RateThresholds { rate, kmin, .. })) = nearest.filter(|(most, own)| *most <= own.kmin) {
        let entry = marking.by_rate.iter().position(|entry| entry.rate == rate);
        let path = field("marking");
        let path = entry.map_or_else(|| path.clone(), |index| path.name("by_rate").index(index));
        let message =
            format!("no queue ever grows above {kmin}: all inputs of a switch together hold {most}");
        faults.add(&path.name("kmin"), message, format!("write less than \"{most}\", or larger buffers"));
    }
}

/// Returns the largest amount of data that can wait for one output and lane of a switch.
fn most_waiting(scenario: &Scenario, graph: &Graph, node: NodeId) -> Bytes {
    let own = entry_of(&scenario.switches, graph.name(node));
    let spec = own.map_or(&scenario.switch, |(_, own)| own);
    let lanes = scenario.link.data_lanes;
    let of = |port, lane| spec.buffer_of(port, Lane(lane)).unwrap_or_default();
    let on = |lane| graph.port_numbers(node).map(|port| of(port, lane)).sum();
    let at_output = match spec.output_buffer.or(spec.buffer) {
        Some(queue) if spec.buffering.has_output_queues() => queue,
        _ => Bytes::ZERO,
    };
    if let Some(memory) = spec.memory {
        memory
    } else if spec.division().guaranteed().is_some() {
        (0..lanes).map(on).sum()
    } else {
        (0..lanes).map(on).max().unwrap_or_default() + at_output
    }
}

/// Checks that every host's link is faster than the lowest rate.
fn check_min_rate(response: &ResponseSpec, graph: &Graph, cables: &[CablePlan], faults: &mut Faults<'_>) {
    let ResponseSpec::Dcqcn(response) = response else { return };
    let rate = |host: u32| cables[graph.ports(NodeId(host))[0].cable].rate;
    let slowest = (0..graph.hosts() as u32).min_by_key(|host| rate(*host));
    let Some(host) = slowest.filter(|host| rate(*host) <= response.min_rate) else { return };
    let (name, line) = (graph.name(NodeId(host)), rate(host));
    let message = format!("`{name}` cannot be slowed down to {}: its link has {line}", response.min_rate);
    faults.add(&field("response.min_rate"), message, format!("write less than \"{line}\""));
}
