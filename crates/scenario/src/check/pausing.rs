//! PFC, and no flow control at all: times of pauses, headroom, and the memory that is left beside it.

use link_layer::CableSpec;
use link_layer::flow_control::pause::PAUSE_FRAME;
use link_layer::spec::{Discipline, PauseSpec};
use packet::{Lane, NodeId, PortId};
use settings::FieldPath;
use switch_arch::spec::SwitchSpec;
use topology::Graph;
use units::{Bytes, Span};

use super::node::switches;
use crate::format::Scenario;
use crate::plan;
use crate::text::Faults;

/// Priorities of a tag (IEEE 802.1Q).
const MOST_PRIORITIES: u8 = 8;
/// The largest buffer that may be written: what is held is counted in 32 bits.
const LARGEST: Bytes = Bytes::new(1 << 30);

/// Every value that can be judged without the topology.
pub(super) fn check_values(scenario: &Scenario, faults: &mut Faults<'_>) {
    let link = FieldPath::from("link");
    let longest = scenario.link.longest_packet();
    let credits = matches!(scenario.link.flow_control, Discipline::Credits(_));
    for (path, spec) in switches(scenario) {
        let Some(limit) = spec.egress_limit else { continue };
        let path = path.name("egress_limit");
        if credits {
            let help = "leave it out, or write `Pause` or `Lossy` as `link.flow_control`";
            faults.add(&path, "under credits nothing is dropped", help);
        } else if limit < longest {
            let message = format!("a limit of {limit} lets no packet wait: one has up to {longest}");
            faults.add(&path, message, format!("write \"{longest}\" or more"));
        }
    }
    if credits {
        return;
    }
    for (path, size) in super::node::buffers(scenario) {
        if size > LARGEST {
            faults.add(&path, format!("{size} is out of range"), format!("write at most \"{LARGEST}\""));
        }
    }
    if scenario.link.data_lanes > MOST_PRIORITIES {
        let message = format!("Ethernet has {MOST_PRIORITIES} priorities");
        faults.add(&link.name("data_lanes"), message, format!("write 1 to {MOST_PRIORITIES}"));
    }
    if let Discipline::Pause(pause) = &scenario.link.flow_control {
        let path = link.name("flow_control");
        if !faults.has(&path.name("quanta")) {
            check_refresh(scenario, pause, &path, faults);
        }
    }
}

/// A pause has to be asked for again before it runs out, though the frame waits for one on the wire.
fn check_refresh(scenario: &Scenario, pause: &PauseSpec, path: &FieldPath, faults: &mut Faults<'_>) {
    let frames = Bytes::new(PAUSE_FRAME.get() * u64::from(scenario.link.data_lanes));
    let ahead = scenario.link.longest_packet() + scenario.link.framing.around() + frames;
    for rate in scenario.cables.values().filter_map(CableSpec::known_rate) {
        let (lasts, again, waits) = (pause.pause(rate), pause.refresh(rate), rate.time_for(ahead));
        if again == Span::ZERO {
            faults.add(&path.name("refresh"), "PAUSE would be sent without end", "write at least \"1 ps\"");
            return;
        }
        if again + waits > lasts {
            let message = format!(
                "a PAUSE lasts {lasts} at {rate}, and may come again only after {}: {again}, and {waits} for what is \
                 on the wire",
                again + waits
            );
            let (field, help) = match (pause.refresh, lasts.ps().checked_sub(waits.ps())) {
                (Some(_), Some(most)) if most > 0 => {
                    ("refresh", format!("write at most \"{}\", or leave it out", Span::from_ps(most)))
                }
                _ => ("quanta", "ask for more quanta".to_owned()),
            };
            faults.add(&path.name(field), message, help);
            return;
        }
    }
}

/// Beside headroom and what is guaranteed there has to be room for a packet.
pub(super) fn check_memory(scenario: &Scenario, graph: &Graph, faults: &mut Faults<'_>) {
    if matches!(scenario.link.flow_control, Discipline::Credits(_)) || faults.has(&"link.data_lanes".into()) {
        return;
    }
    for node in (0..graph.nodes() as u32).map(NodeId) {
        let name = graph.name(node);
        let fault = if graph.is_host(node) {
            let spec = scenario.adapters.get(name).unwrap_or(&scenario.adapter);
            let own = scenario.adapters.contains_key(name);
            let path = if own { FieldPath::from("adapters").name(name) } else { "adapter".into() };
            let short = own_memory_lacks(scenario, graph, node, PortId(0), spec.receive_buffer);
            short.map(|what| (path.name("receive_buffer"), what))
        } else {
            let own = scenario.switches.get(name);
            let path = if own.is_some() { FieldPath::from("switches").name(name) } else { "switch".into() };
            let short = switch_lacks(scenario, graph, node, own.unwrap_or(&scenario.switch));
            short.map(|what| (path.name("buffer"), what))
        };
        if let Some((path, (message, help))) = fault {
            faults.add(&path, message, help);
            return; // Others would say the same.
        }
    }
}

/// What is wrong, and what would be right.
type Lack = (String, String);

fn switch_lacks(scenario: &Scenario, graph: &Graph, node: NodeId, spec: &SwitchSpec) -> Option<Lack> {
    let (ports, lanes) = (graph.ports(node).len() as u16, scenario.link.data_lanes);
    let Some(guaranteed) = spec.sharing.guaranteed() else {
        let places = (0..ports).flat_map(|port| (0..lanes).map(move |lane| (PortId(port), Lane(lane))));
        return places.into_iter().find_map(|(port, lane)| {
            own_memory_lacks(scenario, graph, node, port, spec.buffer_of(port, lane))
        });
    };
    let headroom: Bytes = (0..ports).map(|port| plan::headroom(scenario, graph, node, PortId(port))).sum();
    let lanes = u64::from(lanes);
    let reserved = Bytes::new((headroom.get() + u64::from(ports) * guaranteed.get()) * lanes);
    let memory = plan::memory_in_bytes(spec, ports, scenario.link.data_lanes);
    let least = reserved + scenario.link.longest_packet();
    (memory < least).then(|| {
        let message = format!(
            "the memory of `{}`, {memory}, leaves no room for a packet beside {reserved} of headroom and guarantees",
            graph.name(node)
        );
        let each = Bytes::new(least.get().div_ceil(u64::from(ports) * lanes));
        (message, format!("write \"{each}\" or more: it counts for each port and lane"))
    })
}

fn own_memory_lacks(
    scenario: &Scenario,
    graph: &Graph,
    node: NodeId,
    port: PortId,
    size: Bytes,
) -> Option<Lack> {
    let headroom = plan::headroom(scenario, graph, node, port);
    let least = headroom + scenario.link.longest_packet();
    (size < least).then(|| {
        let message = if headroom == Bytes::ZERO {
            format!("a buffer of {size} cannot hold one packet, of up to {}", scenario.link.longest_packet())
        } else {
            format!(
                "a buffer of {size} leaves no room for a packet beside the headroom of port {} of `{}`, {headroom}",
                port.0 + 1,
                graph.name(node)
            )
        };
        (message, format!("write \"{least}\" or more"))
    })
}
