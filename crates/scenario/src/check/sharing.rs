//! Memory that the ports and lanes of a switch share.

use link_layer::flow_control::credits::BLOCK;
use link_layer::spec::Discipline;
use packet::NodeId;
use switch_arch::spec::{BufferingSpec, Sharing};
use topology::Graph;
use units::Bytes;

use super::node::{LARGEST, switches};
use crate::format::Scenario;
use crate::plan;
use crate::text::Faults;

/// Every value that can be judged without the topology. What is guaranteed is judged as a buffer is.
pub(super) fn check_values(scenario: &Scenario, faults: &mut Faults<'_>) {
    for (path, spec) in switches(scenario) {
        let own = path.clone();
        let path = path.name("sharing");
        let sharing = match spec.sharing {
            Sharing::Static => continue,
            Sharing::Complete { .. } => "Complete",
            Sharing::Dynamic { .. } => "Dynamic",
        };
        if spec.buffering != BufferingSpec::Central {
            let message = format!(
                "`{sharing}` is for the memory of `Central`, and here each port and lane has its own"
            );
            let help = format!("write `Static`, or `Central` as `{}`", own.name("buffering"));
            faults.add(&path, message, help);
        }
    }
}

/// What is guaranteed must be there: the memory of a switch is its buffers together.
pub(super) fn check_memory(scenario: &Scenario, graph: &Graph, faults: &mut Faults<'_>) {
    let lanes = scenario.link.data_lanes;
    if !matches!(scenario.link.flow_control, Discipline::Credits(_)) {
        return; // See `pausing`.
    }
    if faults.has(&"link.data_lanes".into()) {
        return;
    }
    let nodes = || (graph.hosts()..graph.nodes()).map(|index| NodeId(index as u32));
    for (path, spec) in switches(scenario) {
        let Some(guaranteed) = spec.sharing.guaranteed().filter(|size| *size <= LARGEST) else { continue };
        let short = nodes().find_map(|node| {
            let own = scenario.switches.get(graph.name(node)).unwrap_or(&scenario.switch);
            let (ports, size) =
                (graph.ports(node).len(), u64::from(plan::memory(own, graph.ports(node).len(), lanes)));
            let receivers = ports as u64 * u64::from(lanes);
            let is_short = core::ptr::eq(own, spec) && receivers * (guaranteed.get() / BLOCK) > size;
            is_short.then_some((node, receivers, size))
        });
        let Some((node, receivers, size)) = short else { continue };
        let message = format!(
            "{receivers} times {guaranteed}, for each port and lane of `{}`, is more than its memory, {}",
            graph.name(node),
            Bytes::new(size * BLOCK),
        );
        let help = format!(
            "write at most \"{}\", or enlarge `{}`",
            Bytes::new(size / receivers * BLOCK),
            path.name("buffer")
        );
        faults.add(&path.name("sharing").name("guaranteed"), message, help);
    }
}
