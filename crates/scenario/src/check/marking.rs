//! Marking, against the switches that shall do it: ports that differ have to be there, and what triggers it has to be
//! possible.
//!
//! Invariant: no port is named that is not there, and no buffer waits for more than it can hold.

use cc_policies::hp::spec::Trigger;
use link_layer::credits::BLOCK;
use packet::{Lane, NodeId, PortId};
use topology::Graph;
use units::Bytes;

use super::Faults;
use crate::nearest;
use crate::path::Path;
use crate::spec::Scenario;

/// Every port that the marking settings single out is a port of a switch.
pub(super) fn check_ports(scenario: &Scenario, graph: &Graph, faults: &mut Faults<'_>) {
    let Some(marking) = scenario.congestion_control.iba_marking() else { return };
    let all: Vec<&str> = graph.names().collect();
    let switches = &all[graph.hosts()..];
    for (i, own) in marking.ports.iter().enumerate() {
        let path = Path::from("congestion_control").name("marking").name("ports").index(i);
        let Some(node) = graph.find(&own.switch).filter(|node| !graph.is_host(*node)) else {
            let message = format!("there is no switch `{}`", own.switch);
            faults.add(&path.name("switch"), message, nearest::help(&own.switch, switches, "switches"));
            continue;
        };
        let ports = graph.ports(node).len();
        if !(1..=ports).contains(&usize::from(own.port)) {
            let message = format!("`{}` has no port {}", own.switch, own.port);
            faults.add(&path.name("port"), message, format!("write a port from 1 to {ports}"));
        }
    }
}

/// Every buffer of every switch can hold more than the threshold above which it counts as full.
pub(super) fn check_trigger(scenario: &Scenario, graph: &Graph, faults: &mut Faults<'_>) {
    let Some(Trigger::Above(threshold)) = scenario.congestion_control.hp_marking().map(|own| own.trigger)
    else {
        return;
    };
    // Credits count whole blocks; a part of one is never held.
    let never = |(.., size): &(_, _, _, Bytes)| size.get() / BLOCK * BLOCK <= threshold.get();
    let too_small: Vec<_> = buffers(scenario, graph).filter(never).collect();
    let Some(&(node, port, lane, size)) = too_small.iter().min_by_key(|(.., size)| *size) else { return };
    let others = match too_small.len() - 1 {
        0 => String::new(),
        1 => ", and one other buffer is too small too".to_owned(),
        more => format!(", and {more} other buffers are too small too"),
    };
    let message = format!(
        "lane {lane} of port {} of `{}` has a buffer of {size}, which never holds more than {threshold} in whole \
         blocks of {BLOCK} bytes{others}",
        port.0 + 1,
        graph.name(node),
        lane = lane.0,
    );
    let least = Bytes::new(size.get() / BLOCK * BLOCK);
    let help = format!("write `Above` with less than \"{least}\", or `Full`");
    faults.add(&Path::from("congestion_control").name("marking").name("trigger"), message, help);
}

/// Buffers of all lanes of all switches' ports.
fn buffers<'a>(
    scenario: &'a Scenario,
    graph: &'a Graph,
) -> impl Iterator<Item = (NodeId, PortId, Lane, Bytes)> + 'a {
    (graph.hosts()..graph.nodes()).map(|index| NodeId(index as u32)).flat_map(move |node| {
        let spec = scenario.switches.get(graph.name(node)).unwrap_or(&scenario.switch);
        let ports = (0..graph.ports(node).len() as u16).map(PortId);
        let lanes = (0..scenario.link.data_lanes).map(Lane);
        ports.flat_map(move |port| {
            lanes.clone().map(move |lane| (node, port, lane, spec.buffer_of(port, lane)))
        })
    })
}
