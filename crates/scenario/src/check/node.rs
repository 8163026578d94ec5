//! Switches and channel adapters.

use ca_transport::spec::AdapterSpec;
use link_layer::flow_control::credits::{BLOCK, MAX_BLOCKS};
use link_layer::spec::Discipline;
use packet::NodeId;
use settings::FieldPath;
use switch_arch::spec::{BufferingSpec, SwitchSpec};
use topology::Graph;
use units::{Bytes, Rate};

use super::link::check_lane;
use crate::diagnostics::nearest;
use crate::format::Scenario;
use crate::text::Faults;

/// The largest buffer that credits can describe.
pub(super) const LARGEST: Bytes = Bytes::new(MAX_BLOCKS as u64 * BLOCK);

/// Every value that can be judged without the topology.
pub(super) fn check_values(scenario: &Scenario, faults: &mut Faults<'_>) {
    for (path, size) in buffers(scenario) {
        check_buffer(scenario, &path, size, faults);
    }
    for (path, spec) in switches(scenario) {
        if let Some(size) = spec.output_buffer {
            check_output_buffer(scenario, &path.name("output_buffer"), spec.buffering, size, faults);
        }
        for (i, special) in spec.buffers.iter().enumerate() {
            let path = path.name("buffers").index(i);
            if let Some(lane) = special.lane {
                check_lane(&path.name("lane"), lane, scenario.link.data_lanes, faults);
            }
        }
    }
    for (path, spec) in adapters(scenario) {
        for (field, limit) in [("injection_limit", spec.injection_limit), ("drain_limit", spec.drain_limit)] {
            if limit == Some(Rate::bps(0)) {
                let help = "write a rate above 0, or leave it out for no limit";
                faults.add(&path.name(field), "at a rate of 0 nothing moves", help);
            }
        }
    }
}

/// Every name and port has to be one of the fabric's.
pub(super) fn check_names(scenario: &Scenario, graph: &Graph, faults: &mut Faults<'_>) {
    let all: Vec<&str> = graph.names().collect();
    let (hosts, switches) = all.split_at(graph.hosts());
    for name in scenario.switches.keys() {
        check_name(
            &FieldPath::from("switches").name(name),
            name,
            ("switch", switches),
            ("host", hosts),
            faults,
        );
    }
    for name in scenario.adapters.keys() {
        check_name(
            &FieldPath::from("adapters").name(name),
            name,
            ("host", hosts),
            ("switch", switches),
            faults,
        );
    }
    check_ports(graph, scenario, faults);
}

fn check_name(
    path: &FieldPath,
    name: &str,
    (kind, right): (&str, &[&str]),
    (other, wrong): (&str, &[&str]),
    faults: &mut Faults<'_>,
) {
    if right.contains(&name) {
        return;
    }
    if wrong.contains(&name) {
        let own = if other == "switch" { "switches" } else { "adapters" };
        faults.add_name(path, format!("`{name}` is a {other}, not a {kind}"), format!("write it in `{own}`"));
    } else {
        let all = if kind == "switch" { "switches" } else { "hosts" };
        faults.add_name(path, format!("there is no {kind} `{name}`"), nearest::help(name, right, all));
    }
}

/// A port whose buffer differs has to be there: at the switch, or at one of those that share the settings.
fn check_ports(graph: &Graph, scenario: &Scenario, faults: &mut Faults<'_>) {
    let nodes = || (graph.hosts()..graph.nodes()).map(|index| NodeId(index as u32));
    for (path, spec) in switches(scenario) {
        let own = path.names_upwards().next().filter(|name| scenario.switches.contains_key(*name));
        let shares = |node: &NodeId| match own {
            Some(name) => graph.name(*node) == name,
            None => !scenario.switches.contains_key(graph.name(*node)),
        };
        let Some(most) = nodes().filter(shares).map(|node| graph.ports(node).len()).max() else { continue };
        for (i, special) in spec.buffers.iter().enumerate() {
            if usize::from(special.port) > most {
                let whose = own.map_or_else(|| "no switch".to_owned(), |name| format!("`{name}` does not"));
                let has = if own.is_some() { "have" } else { "has" };
                let message = format!("{whose} {has} a port {}", special.port);
                let help = format!("write a port from 1 to {most}");
                faults.add(&path.name("buffers").index(i).name("port"), message, help);
            }
        }
    }
}

/// Every buffer that the scenario writes down, and where; what is guaranteed of a shared memory is one.
pub(super) fn buffers(scenario: &Scenario) -> Vec<(FieldPath, Bytes)> {
    let mut all = Vec::new();
    for (path, spec) in switches(scenario) {
        all.push((path.name("buffer"), spec.buffer));
        all.extend(spec.sharing.guaranteed().map(|size| (path.name("sharing").name("guaranteed"), size)));
        let special = spec.buffers.iter().enumerate();
        all.extend(special.map(|(i, special)| (path.name("buffers").index(i).name("size"), special.size)));
    }
    all.extend(adapters(scenario).map(|(path, spec)| (path.name("receive_buffer"), spec.receive_buffer)));
    all
}

/// A buffer holds whole blocks of credit, and at least one whole packet in them.
fn check_buffer(scenario: &Scenario, path: &FieldPath, size: Bytes, faults: &mut Faults<'_>) {
    if !matches!(scenario.link.flow_control, Discipline::Credits(_)) {
        return; // See `pausing`.
    }
    let mtu = scenario.link.mtu;
    let longest = scenario.link.longest_packet();
    let least = Bytes::new(longest.get().next_multiple_of(BLOCK));
    let help = format!("write \"{least}\" to \"{LARGEST}\"");
    if size < least {
        let message = format!(
            "a buffer of {size} cannot hold one packet: with an MTU of {} a packet has up to {longest}, \
             {} blocks of credit",
            Bytes::from(mtu),
            least.get() / BLOCK,
        );
        faults.add(path, message, help);
    } else if size > LARGEST {
        let message = format!("credits cannot count {size}: they go to {MAX_BLOCKS} blocks of {BLOCK} bytes");
        faults.add(path, message, help);
    }
}

/// A queue at an output is there, and holds at least one whole packet. No credit counts it.
fn check_output_buffer(
    scenario: &Scenario,
    path: &FieldPath,
    buffering: BufferingSpec,
    size: Bytes,
    faults: &mut Faults<'_>,
) {
    if buffering != BufferingSpec::CombinedInputOutput {
        let message = format!("`{buffering:?}` has no queue behind a crossbar that could have a size");
        faults.add(path, message, "leave it out, or write `buffering: CombinedInputOutput`");
        return;
    }
    let (mtu, longest) = (scenario.link.mtu, scenario.link.longest_packet());
    if size < longest {
        let message = format!(
            "an output's queue of {size} cannot hold one packet: with an MTU of {} a packet has up to {longest}",
            Bytes::from(mtu),
        );
        faults.add(
            path,
            message,
            format!("write \"{longest}\" or more, or leave it out for as much as `buffer`"),
        );
    }
}

/// Every description of a switch, and where it stands.
pub(super) fn switches(scenario: &Scenario) -> impl Iterator<Item = (FieldPath, &SwitchSpec)> {
    let own = scenario.switches.iter().map(|(name, spec)| (FieldPath::from("switches").name(name), spec));
    [(FieldPath::from("switch"), &scenario.switch)].into_iter().chain(own)
}

/// Every description of a channel adapter, and where it stands.
fn adapters(scenario: &Scenario) -> impl Iterator<Item = (FieldPath, &AdapterSpec)> {
    let own = scenario.adapters.iter().map(|(name, spec)| (FieldPath::from("adapters").name(name), spec));
    [(FieldPath::from("adapter"), &scenario.adapter)].into_iter().chain(own)
}
