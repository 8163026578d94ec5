//! Tables of flows: `flows.csv` over the whole run, `phases.csv` phase by phase.
//!
//! Invariant: both have every flow, named or not, in the order of the plan.

use std::slice;

use telemetry::{FlowRecord, RunRecord};
use units::{Bytes, Time};

use super::marks::{Marked, mark_columns, marked};
use crate::goodput::{self, FlowGoodput, PhaseGoodput};
use crate::table::{Column, Table};
use measures::PhasePart;
use measures::rounded;

/// A row of `flows.csv`.
#[derive(Debug)]
pub struct FlowRow<'a> {
    record: &'a RunRecord,
    flow: &'a FlowRecord,
}

/// Returns `flows.csv`: one row for each flow.
#[must_use]
pub fn flows(record: &RunRecord) -> String {
    flow_table().csv(record.flows.iter().map(|flow| FlowRow { record, flow }))
}

/// Returns the definition of `flows.csv`.
#[must_use]
pub fn flow_table<'a>() -> Table<FlowRow<'a>> {
    let marks = mark_columns!("delivered packets that arrived marked, marked first");
    let columns = identity().into_iter().chain(amounts()).chain(marks).collect();
    Table { file: "flows.csv", contents: "one row per flow, named or not", columns }
}

fn identity<'a>() -> [Column<FlowRow<'a>>; 11] {
    [
        Column::text("flow", "its name", |row| &row.flow.name),
        Column::text("src", "source host of its data", |row| &row.flow.source),
        Column::text("dst", "destination host of its data", |row| &row.flow.destination),
        Column::flag("named", "`true` for a named flow, `false` for a flow of a traffic pattern", |row| {
            row.flow.named
        }),
        Column::optional_text("group", "its group, if it has one", |row| {
            row.flow.group.map(|group| row.record.groups[group as usize].name.as_str())
        }),
        Column::text("transport", "as in `summary.json`", |row| row.flow.transport.word()),
        Column::text("operation", "as in `summary.json`", |row| row.flow.operation.word()),
        Column::number("start_s", "time at which it posts its first message", |row| row.flow.start.seconds()),
        Column::optional_number(
            "stop_s",
            "time from which it posts no further message, if the scenario sets one",
            |row| row.flow.stop.get().map(Time::seconds),
        ),
        Column::optional_count("size_bytes", "total payload to send, if known beforehand", |row| {
            row.flow.total.get().map(Bytes::get)
        }),
        Column::optional_number(
            "completed_s",
            "time at which the last of that payload was delivered, if it was",
            |row| row.flow.completed().map(Time::seconds),
        ),
    ]
}

fn amounts<'a>() -> [Column<FlowRow<'a>>; 7] {
    [
        Column::count("delivered_bytes", "payload that its destination's host took", |row| {
            row.flow.delivered.get()
        }),
        Column::count(
            "delivered_packets",
            "data packets accepted by the destination's adapter, over all but UD in order",
            |row| row.flow.packets,
        ),
        Column::count(
            "acknowledged_messages",
            "messages that are complete for the host that posts them: acknowledged, read, or, over UC and UD, sent",
            |row| row.flow.messages,
        ),
        Column::count(
            "received_becns",
            "BECNs that reached its ends: its source or, for an RDMA READ request, the requesting host",
            |row| row.flow.becns,
        ),
        Column::number("mean_goodput_bps", "`delivered_bytes` from `start_s` to the last delivery", |row| {
            let FlowRecord { last_delivery, delivered, start, .. } = row.flow;
            last_delivery.get().map_or(0.0, |last| delivered.bps_over(last.since(*start))).round()
        }),
        Column::number(
            "mean_packet_latency_us",
            "mean time from the first byte of a packet leaving its source to its payload being taken by the \
             destination's host; 0 if no packet was delivered",
            |row| microseconds(mean_latency_ps(row.flow)),
        ),
        Column::number("max_packet_latency_us", "the longest such time", |row| {
            microseconds(row.flow.latency_max.ps() as f64)
        }),
    ]
}

impl Marked for FlowRow<'_> {
    fn marked(&self, reason: &str) -> u64 {
        marked(self.record, &self.flow.marks(), reason)
    }
}

/// A row of `phases.csv`.
#[derive(Debug)]
pub struct PhaseRow<'a> {
    number: u64,
    goodput: &'a PhaseGoodput<'a>,
    kind: &'static str,
    name: &'a str,
    whole: f64,
    second_half: f64,
}

/// Returns `phases.csv`: one row for each phase and flow, and for their sums.
#[must_use]
pub fn phases(record: &RunRecord) -> String {
    let phases = goodput::by_phase(record);
    phase_table().csv((1..).zip(&phases).flat_map(|(number, goodput)| phase_rows(record, number, goodput)))
}

/// Returns the definition of `phases.csv`.
#[must_use]
pub fn phase_table<'a>() -> Table<PhaseRow<'a>> {
    let columns: [Column<PhaseRow<'a>>; 9] = [
        Column::count("phase", "number of the phase, from 1, in the order of `summary.json`", |row| {
            row.number
        }),
        Column::text("change", "the change at its start: `F3 starts`", |row| &row.goodput.phase.name),
        Column::number("from_s", "its start", |row| row.goodput.phase.from.seconds()),
        Column::number("second_half_s", "the start of its second half", |row| {
            row.goodput.phase.second_half.seconds()
        }),
        Column::number("to_s", "its end", |row| row.goodput.phase.to.seconds()),
        Column::text(
            "kind",
            "`flow`: one flow, named or not; `group`: all flows of a group; `others`: all flows with neither a name \
             nor a group, where there are any; `total`: all flows",
            |row| row.kind,
        ),
        Column::text("name", "name of the flow or group; `others` and `total` again for those", |row| {
            row.name
        }),
        Column::number("goodput_bps", "goodput over the whole phase", |row| row.whole),
        Column::number("second_half_goodput_bps", "goodput over its second half", |row| row.second_half),
    ];
    let contents = "one row per phase and flow, with its goodput; also the sums of flows";
    Table { file: "phases.csv", contents, columns: columns.into() }
}

/// Returns the rows of a phase: every flow, every group, all others together if there are any, and the total.
fn phase_rows<'a>(record: &'a RunRecord, number: u64, goodput: &'a PhaseGoodput<'a>) -> Vec<PhaseRow<'a>> {
    let row = |kind, name, flows: &[FlowGoodput]| {
        let over = |part| goodput::total(flows, part).round();
        let (whole, second_half) = (over(PhasePart::Whole), over(PhasePart::SecondHalf));
        PhaseRow { number, goodput, kind, name, whole, second_half }
    };
    let flows = record.flows.iter().zip(&goodput.flows);
    let mut rows: Vec<_> = flows.map(|(flow, one)| row("flow", &*flow.name, slice::from_ref(one))).collect();
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
    use super::*;
    use crate::sample;

    #[test]
    fn the_tables_as_they_are_written() {
        let record = sample::record();
        insta::assert_snapshot!("flows", flows(&record));
        insta::assert_snapshot!("phases", phases(&record));
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
        assert!(flows(&record).contains("\n\"F1, the first\",H1,"));
    }
}
