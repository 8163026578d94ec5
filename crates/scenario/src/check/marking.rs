//! Marking at the switches of the fabric.
//!
//! Invariant: every port with settings of its own exists, every output has thresholds for the rate of its link, and
//! every buffer that can be full can hold more than the threshold that triggers marking.

use cc_policies::dcqcn::spec::RedMarkingSpec;
use cc_policies::hp::spec::{FullTrigger, HpMarkingSpec};
use cc_policies::iba::spec::IbaMarkingSpec;
use cc_policies::{BufferOwner, MarkingSpec};
use link_layer::CablePlan;
use link_layer::flow_control::credits::BLOCK;
use link_layer::resolve::SharingPlan;
use link_layer::spec::Discipline;
use packet::{Lane, NodeId, PortId};
use settings::FieldPath;
use topology::Graph;
use units::{Bytes, Rate};

use crate::format::Scenario;
use crate::plan::NodePlans;
use crate::text::Faults;
use settings::nearest;

/// Checks that marking fits the ports of the switches.
pub(super) fn check_ports(
    marking: &MarkingSpec,
    (graph, cables): (&Graph, &[CablePlan]),
    faults: &mut Faults<'_>,
) {
    match marking {
        MarkingSpec::Off | MarkingSpec::Hp(_) | MarkingSpec::Own(_) => {}
        MarkingSpec::Iba(marking) => check_own_ports(marking, graph, faults),
        MarkingSpec::Red(marking) => check_rates(marking, (graph, cables), faults),
    }
}

/// Checks that the link of every port of a switch has a rate with thresholds.
fn check_rates(marking: &RedMarkingSpec, (graph, cables): (&Graph, &[CablePlan]), faults: &mut Faults<'_>) {
    let path = FieldPath::from("congestion_control").name("marking").name("by_rate");
    let mut missing: Vec<Rate> = Vec::new();
    for node in (graph.hosts()..graph.nodes()).map(|index| NodeId(index as u32)) {
        for (port, end) in graph.port_numbers(node).zip(graph.ports(node)) {
            let rate = cables[end.cable].rate;
            if marking.thresholds(rate).is_some() || missing.contains(&rate) {
                continue;
            }
            missing.push(rate);
            let message = format!(
                "port {port} of `{}` has a link of {rate}, and no entry has that rate",
                graph.name(node)
            );
            let help =
                format!("add `(rate: \"{rate}\", kmin: .., kmax: .., pmax: ..)`, or remove all entries");
            faults.add(&path, message, help);
        }
    }
}

/// Checks that every port with marking settings of its own is a port of a switch.
fn check_own_ports(marking: &IbaMarkingSpec, graph: &Graph, faults: &mut Faults<'_>) {
    let all: Vec<&str> = graph.names().collect();
    let switches = &all[graph.hosts()..];
    for (i, own) in marking.ports.iter().enumerate() {
        let path = FieldPath::from("congestion_control").name("marking").name("ports").index(i);
        let Some(node) = graph.find(&own.switch).filter(|node| !graph.is_host(*node)) else {
            let message = format!("there is no switch `{}`", own.switch);
            faults.add(&path.name("switch"), message, nearest::help(&own.switch, switches, "switches"));
            continue;
        };
        if !graph.knows_port(node, own.port) {
            let message = format!("`{}` has no port {}", own.switch, own.port);
            faults.add(
                &path.name("port"),
                message,
                format!("write one of ports {}", graph.listed_ports(node)),
            );
        }
    }
}

/// Checks that every port and lane of every switch can hold more than the threshold above which its buffer counts as
/// full.
pub(super) fn check_trigger(
    scenario: &Scenario,
    marking: &MarkingSpec,
    (graph, nodes): (&Graph, &NodePlans),
    faults: &mut Faults<'_>,
) {
    let MarkingSpec::Hp(HpMarkingSpec { trigger: FullTrigger::Above(threshold), .. }) = marking else {
        return;
    };
    if !faults.found.is_empty() {
        return; // Memory with faults has no size to compare with.
    }
    let too_small: Vec<_> =
        buffers(scenario, graph, nodes).filter(|buffer| buffer.most <= *threshold).collect();
    let Some(least) = too_small.iter().min_by_key(|buffer| buffer.most) else { return };
    let others = match too_small.len() - 1 {
        0 => String::new(),
        1 => ", and one other buffer is too small too".to_owned(),
        more => format!(", and {more} other buffers are too small too"),
    };
    let has = match (least.of, least.size) {
        (BufferOwner::Inputs, Some(size)) => format!("has a buffer of {size}"),
        (BufferOwner::Outputs, Some(size)) => format!("has an output queue of {size}"),
        (_, None) => "has its share of a memory".to_owned(),
    };
    let counts_blocks = counts_blocks(scenario) && least.of == BufferOwner::Inputs;
    let blocks = if counts_blocks { format!(" in whole blocks of {BLOCK} bytes") } else { String::new() };
    let message = format!(
        "lane {lane} of port {} of `{}` {has}, which never holds more than {threshold}{blocks}{others}",
        graph.port_number((least.node, least.port)),
        graph.name(least.node),
        lane = least.lane.0,
    );
    let help = format!("write `Above` with less than \"{}\", or `Full`", least.most);
    faults.add(&FieldPath::from("congestion_control").name("marking").name("trigger"), message, help);
}

/// The buffer of a port and lane of a switch.
struct LaneBuffer {
    of: BufferOwner,
    node: NodeId,
    port: PortId,
    lane: Lane,
    /// The size of a buffer of its own; `None` for a share of a memory.
    size: Option<Bytes>,
    /// The largest amount of data that it can hold. Credits count whole blocks; under PFC headroom is included.
    most: Bytes,
}

/// Returns true if buffers are counted in blocks of credit.
fn counts_blocks(scenario: &Scenario) -> bool {
    matches!(scenario.link.flow_control, Discipline::Credits(_))
}

/// Returns the buffers of all lanes of all switches' ports that marking takes for full.
fn buffers<'a>(
    scenario: &'a Scenario,
    graph: &'a Graph,
    nodes: &'a NodePlans,
) -> impl Iterator<Item = LaneBuffer> + 'a {
    let whole = if counts_blocks(scenario) { BLOCK } else { 1 };
    (graph.hosts()..graph.nodes()).map(|index| NodeId(index as u32)).flat_map(move |node| {
        let settings = nodes.switch(node);
        let (of, owned) = (settings.buffering.buffers_of(), settings.sharing == SharingPlan::Own);
        (0..graph.ports(node).len() as u16).map(PortId).flat_map(move |port| {
            let capacity = &nodes.port(node, port).capacity;
            (0..).map(Lane).zip(capacity).map(move |(lane, capacity)| {
                let most = Bytes::new(capacity.get() / whole * whole);
                let own = (owned.then_some(*capacity), most);
                let queue = (Some(settings.output_buffer), settings.output_buffer);
                let (size, most) = if of == BufferOwner::Outputs { queue } else { own };
                LaneBuffer { of, node, port, lane, size, most }
            })
        })
    })
}
