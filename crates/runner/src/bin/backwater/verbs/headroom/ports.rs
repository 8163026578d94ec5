//! Headroom of a scenario's ports, beside that which their cables need.
//!
//! Invariant: ports with equal cables and equal headroom share a row.

use backwater::wording;
use results::format::{aligned, plain_table};
use scenario::{Plan, PortHeadroom};
use units::Bytes;

use crate::failure::Failure;

const HEADER: [&str; 12] = [
    "ports",
    "of",
    "rate",
    "propagation",
    "waiting",
    "PAUSE",
    "cable",
    "reaction",
    "begun",
    "counting",
    "needed",
    "given",
];

/// Prints the headroom of all ports.
pub(super) fn printed(plan: &Plan, cell: Option<Bytes>) -> Result<String, Failure> {
    let all = plan.headrooms();
    if all.is_empty() {
        return Err(Failure::NoPfc(plan.name().to_owned()));
    }
    let mut groups: Vec<(PortHeadroom, usize)> = Vec::new();
    for own in &all {
        let is_alike = |other: &PortHeadroom| {
            let host = |port: &PortHeadroom| plan.graph().is_host(port.node);
            host(own) == host(other)
                && (own.cable, own.needed, own.given) == (other.cable, other.needed, other.given)
        };
        match groups.iter_mut().find(|(first, _)| is_alike(first)) {
            Some((_, count)) => *count += 1,
            None => groups.push((*own, 1)),
        }
    }
    let mut table = plain_table();
    table.set_header(HEADER.into_iter().chain(cell.map(|_| "in cells")));
    for (own, count) in &groups {
        let in_cells = cell.map(|cell| own.needed.in_cells(cell).total.get().to_string());
        table.add_row(cells(plan, own, *count).into_iter().chain(in_cells));
    }
    let title = format!("Headroom of PFC in {}, in bytes for each port and lane", plan.name());
    Ok(format!("{title}\n\n{}\n\n{}", aligned(table, 4), wording::headroom(&all)))
}

fn cells(plan: &Plan, own: &PortHeadroom, count: usize) -> [String; 12] {
    let (graph, needed) = (plan.graph(), &own.needed);
    let kind = if graph.is_host(own.node) { "hosts" } else { "switches" };
    let bytes = |amount: Bytes| amount.get().to_string();
    [
        count.to_string(),
        format!("{kind}, as {} port {}", graph.name(own.node), graph.port_number((own.node, own.port))),
        own.cable.rate.to_string(),
        own.cable.flight.to_string(),
        bytes(needed.waiting),
        bytes(needed.pause),
        bytes(needed.cable),
        bytes(needed.reaction),
        bytes(needed.begun),
        bytes(needed.counting),
        bytes(needed.total()),
        bytes(own.given),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(scenario: &str, sets: &[&str]) -> Plan {
        let sets: Vec<_> = sets.iter().map(|set| (*set).to_owned()).collect();
        experiment::plan(scenario, &sets, None).expect("it is right")
    }

    #[test]
    fn the_ports_of_a_scenario_are_compared_with_their_cables() {
        let sets = ["cables.trunk.propagation=Cable(\"300 m\")", "link.flow_control.headroom=\"165568 B\""];
        let plan = plan("roce400-leaf-spine", &sets);
        insta::assert_snapshot!(printed(&plan, None).expect("it is PFC"));
        insta::assert_snapshot!(printed(&plan, Some(Bytes::new(208))).expect("it is PFC"));
    }

    #[test]
    fn a_scenario_without_pfc_is_refused() {
        assert!(matches!(printed(&plan("one-flow", &[]), None), Err(Failure::NoPfc(_))));
    }
}
