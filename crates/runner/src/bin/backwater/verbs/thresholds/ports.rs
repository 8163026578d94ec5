//! Thresholds of a scenario's switches, by port and lane.
//!
//! Invariant: ports and lanes with equal thresholds share a row, and switches with equal rows share them.

use backwater::wording::{self, kilobytes};
use cc_policies::MarkingSpec;
use link_layer::resolve::SharingPlan;
use link_layer::{Alpha, Share};
use packet::{Lane, NodeId, PortId};
use results::format::{aligned, plain_table};
use scenario::Plan;
use units::{Bytes, Rate};

const HEADER: [&str; 10] = [
    "switch",
    "ports",
    "lanes",
    "rate",
    "headroom",
    "guaranteed",
    "alpha",
    "t_PFC, all free",
    "Kmin",
    "Kmax",
];

/// Thresholds of a port and lane.
#[derive(Clone, Copy, PartialEq)]
struct Thresholds {
    rate: Rate,
    headroom: Bytes,
    share: Option<Share>,
    /// Threshold of PAUSE, or of drops on a lane without PFC, while nothing else is held.
    limit: Option<Bytes>,
    /// Kmin and Kmax.
    marking: Option<(Bytes, Bytes)>,
}

/// Ports and lanes of a switch with equal thresholds.
#[derive(PartialEq)]
struct Row {
    thresholds: Thresholds,
    ports: Vec<u16>,
    lanes: Vec<u16>,
}

/// Prints the thresholds, and whether ECN acts before PFC.
pub(super) fn printed(plan: &Plan) -> String {
    let graph = plan.graph();
    let mut groups: Vec<(Vec<&str>, Vec<Row>)> = Vec::new();
    for node in (graph.hosts()..graph.nodes()).map(|index| NodeId(index as u32)) {
        let rows = rows(plan, node);
        match groups.iter_mut().find(|(_, known)| *known == rows) {
            Some((names, _)) => names.push(graph.name(node)),
            None => groups.push((vec![graph.name(node)], rows)),
        }
    }
    let mut table = plain_table();
    table.set_header(HEADER);
    for (names, rows) in &groups {
        for row in rows {
            table.add_row(cells(&names.join(" "), row));
        }
    }
    let first = plan.ecn_first().map_or_else(String::new, |first| wording::ecn_before_pfc(&first));
    format!("{}\n{first}", aligned(table, 4))
}

fn rows(plan: &Plan, node: NodeId) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (port, number) in (0..).zip(plan.graph().port_numbers(node)) {
        for lane in 0..plan.link().data_lanes {
            let thresholds = thresholds(plan, node, (PortId(port), Lane(lane)));
            let (port, lane) = (number, u16::from(lane));
            match rows.iter_mut().find(|row| row.thresholds == thresholds) {
                Some(row) => {
                    row.ports.push(port);
                    row.lanes.push(lane);
                }
                None => rows.push(Row { thresholds, ports: vec![port], lanes: vec![lane] }),
            }
        }
    }
    for row in &mut rows {
        row.ports.dedup();
        row.lanes.sort_unstable();
        row.lanes.dedup();
    }
    rows
}

fn thresholds(plan: &Plan, node: NodeId, (port, lane): (PortId, Lane)) -> Thresholds {
    let rate = plan.cable(plan.graph().ports(node)[port.index()].cable).rate;
    let own = plan.nodes().port(node, port);
    let limit = own.thresholds().get(lane.index()).copied();
    let place = port.index() * usize::from(plan.link().data_lanes) + lane.index();
    let share = match &plan.nodes().switch(node).sharing {
        SharingPlan::Own => None,
        SharingPlan::Blocks { shares, .. } | SharingPlan::Bytes { shares, .. } => Some(shares[place]),
    };
    let marking = match &plan.control().marking {
        MarkingSpec::Red(marking) => marking.thresholds(rate).map(|own| (own.kmin, own.kmax)),
        MarkingSpec::Off | MarkingSpec::Iba(_) | MarkingSpec::Hp(_) | MarkingSpec::Own(_) => None,
    };
    let headroom = limit.map_or(Bytes::ZERO, |limit| own.capacity[lane.index()] - limit);
    Thresholds { rate, headroom, share, limit, marking }
}

fn cells(switches: &str, row: &Row) -> [String; 10] {
    let Thresholds { rate, headroom, share, limit, marking } = row.thresholds;
    let bytes = |amount: Option<Bytes>| amount.map_or_else(|| "-".to_owned(), kilobytes);
    let alpha = share.and_then(|share| share.alpha).map(Alpha::factor);
    [
        switches.to_owned(),
        spans(&row.ports),
        spans(&row.lanes),
        rate.to_string(),
        kilobytes(headroom),
        bytes(share.map(|share| share.guaranteed)),
        alpha.map_or_else(|| "-".to_owned(), |alpha| alpha.to_string()),
        bytes(limit),
        bytes(marking.map(|(kmin, _)| kmin)),
        bytes(marking.map(|(_, kmax)| kmax)),
    ]
}

/// Returns ascending numbers as text, with "1-3" for 1, 2 and 3.
fn spans(numbers: &[u16]) -> String {
    let mut spans: Vec<(u16, u16)> = Vec::new();
    for &number in numbers {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => spans.push((number, number)),
        }
    }
    let text =
        |(first, last): (u16, u16)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    spans.into_iter().map(text).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_of_a_scenario_are_shown_by_port() {
        let sets = [
            "congestion_control=Dcqcn(marking: (by_rate: [(rate: \"40 Gb/s\", kmin: \"5 KB\", kmax: \"200 KB\", pmax: 0.01)]))",
            "switch.shares=[(port: 2, alpha: 0.25), (port: 3, guaranteed: \"2 KiB\")]",
        ];
        let plan = experiment::plan("roce-victim", &sets.map(str::to_owned), None).expect("it is right");
        insta::assert_snapshot!(printed(&plan));
    }

    #[test]
    fn consecutive_numbers_are_a_span() {
        assert_eq!(spans(&[1, 2, 3, 5, 7, 8]), "1-3 5 7-8");
    }
}
