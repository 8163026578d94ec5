//! Tables of flows: `flows.csv` over the whole run, `phases.csv` phase by phase, `paths.csv` output by output.
//!
//! Invariant: the former two have every flow, named or not, in the order of the plan.

use std::slice;

use scenario::FlowPaths;
use telemetry::{FlowRecord, RunRecord};
use units::{Bytes, Time};

use super::marks::marked;
use crate::goodput::{self, FlowGoodput, PhaseGoodput};
use crate::rows::{FlowRow, PathRow, PhaseRow};
use crate::table::TableRow;
use measures::PhasePart;
use measures::flows::FlowTotals;
use measures::rounded;

/// Returns `flows.csv`: one row for each flow. `alone_bps` has the goodput of each flow without others, where it is
/// known; flows beyond its end have none.
#[must_use]
pub fn flows(record: &RunRecord, alone_bps: &[Option<f64>]) -> String {
    let alone_bps = alone_bps.iter().copied().chain(core::iter::repeat(None));
    FlowRow::csv(record.flows.iter().zip(alone_bps).map(|(flow, alone)| flow_row(record, flow, alone)))
}

fn flow_row<'a>(record: &'a RunRecord, flow: &'a FlowRecord, alone_bps: Option<f64>) -> FlowRow<'a> {
    let FlowRecord { last_delivery, delivered, start, .. } = *flow;
    let mean = last_delivery.get().map_or(0.0, |last| delivered.bps_over(last.since(start)));
    let (marks, repeats) = (flow.marks(), flow.repeats());
    // Receivers of UC and UD wait for no packet.
    let waits = flow.transport.is_reliable();
    let out_of_order = || FlowTotals::of([flow]).out_of_order().map_or(0.0, |share| rounded(share, 6));
    FlowRow {
        flow: (&*flow.name).into(),
        src: flow.source.as_str().into(),
        dst: flow.destination.as_str().into(),
        named: flow.named,
        group: flow.group.map(|group| record.groups[group as usize].name.as_str().into()),
        transport: flow.transport.word().into(),
        operation: flow.operation.word().into(),
        start_s: start.seconds(),
        stop_s: flow.stop.get().map(Time::seconds),
        size_bytes: flow.total.get().map(Bytes::get),
        completed_s: flow.completed().map(Time::seconds),
        delivered_bytes: delivered.get(),
        delivered_packets: flow.packets,
        acknowledged_messages: flow.messages,
        received_becns: flow.becns,
        mean_goodput_bps: mean.round(),
        alone_bps: alone_bps.map(f64::round),
        mean_packet_latency_us: microseconds(mean_latency_ps(flow)),
        max_packet_latency_us: microseconds(flow.latency_max.ps() as f64),
        out_of_order_share: waits.then(out_of_order),
        largest_distance_packets: waits.then_some(repeats.farthest),
        largest_ahead_bytes: waits.then_some(repeats.held_bytes),
        retransmitted_packets: repeats.retransmitted,
        spurious_packets: repeats.spurious,
        marked_root_packets: marked(record, &marks, "root"),
        marked_victim_mask_packets: marked(record, &marks, "victim_mask"),
        marked_propagation_packets: marked(record, &marks, "propagation"),
        marked_generation_packets: marked(record, &marks, "generation"),
        marked_red_packets: marked(record, &marks, "red"),
    }
}

/// Returns `paths.csv`: one row for each flow and output of its path.
#[must_use]
pub fn paths(record: &RunRecord, paths: &FlowPaths) -> String {
    PathRow::csv(paths.outputs.iter().map(|output| {
        let lane = &record.lanes[output.lane as usize];
        PathRow {
            flow: (&*record.flows[output.flow as usize].name).into(),
            hop: output.hop,
            node: lane.node.as_str().into(),
            port: lane.port.into(),
            peer: lane.peer.as_str().into(),
        }
    }))
}

/// Returns `phases.csv`: one row for each phase and flow, and for their sums.
#[must_use]
pub fn phases(record: &RunRecord) -> String {
    let phases = goodput::by_phase(record);
    PhaseRow::csv((1..).zip(&phases).flat_map(|(number, goodput)| phase_rows(record, number, goodput)))
}

/// Returns the rows of a phase: every flow, every group, all others together if there are any, and the total.
fn phase_rows<'a>(record: &'a RunRecord, number: u64, goodput: &'a PhaseGoodput<'a>) -> Vec<PhaseRow<'a>> {
    let row = |kind: &'static str, name: &'a str, flows: &[FlowGoodput]| {
        let over = |part| goodput::total(flows, part).round();
        PhaseRow {
            phase: number,
            change: (&*goodput.phase.name).into(),
            from_s: goodput.phase.from.seconds(),
            second_half_s: goodput.phase.second_half.seconds(),
            to_s: goodput.phase.to.seconds(),
            kind: kind.into(),
            name: name.into(),
            goodput_bps: over(PhasePart::Whole),
            second_half_goodput_bps: over(PhasePart::SecondHalf),
        }
    };
    let flows = record.flows.iter().zip(&goodput.flows);
    let mut rows: Vec<_> = flows.map(|(flow, one)| row("flow", &flow.name, slice::from_ref(one))).collect();
    let groups = record.groups.iter().zip(record.members());
    rows.extend(groups.map(|(group, members)| row("group", group.name.as_str(), &goodput.of(members))));
    let others = goodput.of(record.others());
    rows.extend((!others.is_empty()).then(|| row("others", "others", &others)));
    rows.push(row("total", "total", &goodput.flows));
    rows
}

fn microseconds(ps: f64) -> f64 {
    rounded(ps / 1e6, 6)
}

fn mean_latency_ps(flow: &FlowRecord) -> f64 {
    if flow.packets == 0 { 0.0 } else { flow.latency_sum.ps() as f64 / flow.packets as f64 }
}

#[cfg(test)]
mod tests {
    use scenario::FlowOutput;

    use super::*;
    use crate::sample;

    #[test]
    fn the_tables_as_they_are_written() {
        let record = sample::record();
        insta::assert_snapshot!("flows", flows(&record, &[Some(13_200_000_000.4), None]));
        insta::assert_snapshot!("phases", phases(&record));
    }

    #[test]
    fn a_path_has_the_names_of_its_flow_and_outputs() {
        let output = |flow, hop, lane| FlowOutput { flow, hop, lane };
        let outputs = vec![output(1, 0, 1), output(1, 1, 0)];
        let text = paths(&sample::record(), &FlowPaths { outputs, flows: 2, left_out_flows: 2 });
        insta::assert_snapshot!("paths", text);
    }

    #[test]
    fn without_other_flows_there_is_no_row_for_them() {
        let mut record = sample::record();
        assert_eq!(phases(&record).matches(",others,").count(), 2);
        assert_eq!(phases(&record).lines().count(), 1 + 2 * (4 + 1 + 1 + 1));
        record.flows[3].group = Some(0);
        assert!(!phases(&record).contains(",others,"));
    }

    #[test]
    fn the_total_of_a_phase_is_the_sum_of_its_flows() {
        let record = sample::record();
        let text = phases(&record);
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
        for phase in ["1", "2"] {
            let of = |kind: &str, column: usize| -> f64 {
                let rows = rows.iter().filter(|row| row[0] == phase && row[5] == kind);
                rows.map(|row| row[column].parse::<f64>().expect("it is a number")).sum()
            };
            for column in [7, 8] {
                assert!((of("flow", column) - of("total", column)).abs() <= 2.0, "{text}");
            }
            assert!(of("total", 7) > 0.0);
        }
    }

    #[test]
    fn a_name_with_a_comma_is_quoted() {
        let mut record = sample::record();
        record.flows[0].name = "F1, the first".into();
        assert!(flows(&record, &[]).contains("\n\"F1, the first\",H1,"));
    }
}
