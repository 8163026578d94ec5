//! Tables of flows, ports and samples: `flows.csv`, `series.csv`, `ports.csv`, `watch.csv`.
//!
//! Invariant: every column's name contains its unit, and `docs/outputs.md` describes each column.

use telemetry::{FlowRecord, LaneRecord, Marks, PauseRecord, RunRecord, SeriesColumn};
use units::{Bytes, Time};

use crate::format::{csv, rounded};
use crate::goodput::{self, PhasePart};

/// Returns `flows.csv`: one row for each flow, named or not, in the order of the plan.
#[must_use]
pub fn flows(record: &RunRecord) -> String {
    let phases = goodput::by_phase(record);
    let mut header: Vec<String> = FLOW_COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect();
    header.extend(mark_columns(record));
    for number in 1..=phases.len() {
        header.push(format!("phase_{number}_goodput_bps"));
        header.push(format!("phase_{number}_settled_goodput_bps"));
    }
    let row = |(place, flow): (usize, &FlowRecord)| {
        let mut row: Vec<String> = FLOW_COLUMNS.iter().map(|(_, cell)| cell(flow)).collect();
        row.extend(mark_cells(record, &flow.marks));
        for phase in &phases {
            let goodput = &phase.flows[place];
            row.push(goodput.over(PhasePart::Whole).round().to_string());
            row.push(goodput.over(PhasePart::Settled).round().to_string());
        }
        row
    };
    csv(header, record.flows.iter().enumerate().map(row))
}

/// Returns `series.csv`: one row for each sample, with the goodput of each named flow, of each group, and of all others
/// together if there are any.
#[must_use]
pub fn series(record: &RunRecord) -> String {
    let name = |column: &SeriesColumn| match *column {
        SeriesColumn::Flow(flow) => Some(record.flows[flow as usize].name.as_str()),
        SeriesColumn::Group(group) => Some(record.groups[group as usize].name.as_str()),
        SeriesColumn::Others => Some("all_others"),
        SeriesColumn::Total => None,
    };
    let names: Vec<_> = record.series.columns.iter().map_while(name).collect();
    let mut header = vec!["time_s".to_owned()];
    header.extend(names.iter().map(|name| format!("{name}_goodput_bps")));
    let rows = (1..).zip(&record.series.rows).map(|(number, row)| {
        let time = (record.series.interval * number).after_start();
        let goodput = |bytes: &Bytes| bytes.bps_over(record.series.interval).round().to_string();
        let values = row.iter().take(names.len()).map(goodput);
        std::iter::once(time.seconds().to_string()).chain(values).collect()
    });
    csv(header, rows)
}

/// Returns `watch.csv`: one row for each sample, with the values that the scenario watches; `None` if it watches none.
#[must_use]
pub fn watch(record: &RunRecord) -> Option<String> {
    let watched = &record.watched;
    let header = std::iter::once("time_s".to_owned()).chain(watched.columns.iter().cloned()).collect();
    let rows = (1..).zip(&watched.rows).map(|(number, row)| {
        let time = (record.series.interval * number).after_start();
        let values = row.iter().map(|value| rounded(*value, 6).to_string());
        std::iter::once(time.seconds().to_string()).chain(values).collect()
    });
    (!watched.columns.is_empty()).then(|| csv(header, rows))
}

/// Returns `ports.csv`: one row for each port and lane, adapters first.
#[must_use]
pub fn ports(record: &RunRecord) -> String {
    let mut header: Vec<String> = LANE_COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect();
    header.extend(mark_columns(record));
    let row = |lane: &LaneRecord| {
        let cells = LANE_COLUMNS.iter().map(|(_, cell)| cell(lane));
        cells.chain(mark_cells(record, &lane.marks)).collect()
    };
    csv(header, record.lanes.iter().map(row))
}

/// Returns the names of the columns that count marked packets: one for each reason of the run's marking rule.
fn mark_columns(record: &RunRecord) -> impl Iterator<Item = String> {
    record.mark_reasons.iter().map(|(_, name)| format!("marked_{name}_packets"))
}

/// Returns the cells of these columns.
fn mark_cells(record: &RunRecord, marks: &Marks) -> impl Iterator<Item = String> {
    record.mark_reasons.iter().map(|(code, _)| marks.of(*code).to_string())
}

/// A column: its name, and the cell of a record.
type Column<Record> = (&'static str, fn(&Record) -> String);

const FLOW_COLUMNS: [Column<FlowRecord>; 17] = [
    ("flow", |flow| flow.name.clone()),
    ("src", |flow| flow.source.clone()),
    ("dst", |flow| flow.destination.clone()),
    ("named", |flow| flow.named.to_string()),
    ("transport", |flow| flow.transport.to_owned()),
    ("operation", |flow| flow.operation.to_owned()),
    ("start_s", |flow| seconds(flow.start)),
    ("stop_s", |flow| flow.stop.map_or_else(String::new, seconds)),
    ("size_bytes", |flow| flow.total.map_or_else(String::new, |total| total.get().to_string())),
    ("completed_s", |flow| flow.completed().map_or_else(String::new, seconds)),
    ("delivered_bytes", |flow| flow.delivered.get().to_string()),
    ("delivered_packets", |flow| flow.packets.to_string()),
    ("acknowledged_messages", |flow| flow.messages.to_string()),
    ("received_becns", |flow| flow.becns.to_string()),
    ("mean_goodput_bps", |flow| {
        flow.last_delivery
            .map_or(0.0, |last| flow.delivered.bps_over(last.since(flow.start)))
            .round()
            .to_string()
    }),
    ("mean_packet_latency_us", |flow| microseconds(mean_latency_ps(flow))),
    ("max_packet_latency_us", |flow| microseconds(flow.latency_max.ps() as f64)),
];

const LANE_COLUMNS: [Column<LaneRecord>; 17] = [
    ("node", |lane| lane.node.clone()),
    ("port", |lane| lane.port.to_string()),
    ("peer", |lane| lane.peer.clone()),
    ("lane", |lane| lane.lane.to_string()),
    ("sent_bytes", |lane| lane.sent.get().to_string()),
    ("sent_packets", |lane| lane.packets.to_string()),
    ("without_credit_s", |lane| lane.without_credit.seconds().to_string()),
    ("buffer_bytes", |lane| lane.buffer.get().to_string()),
    ("buffer_peak_bytes", |lane| lane.peak.get().to_string()),
    ("buffer_mean_bytes", |lane| rounded(lane.mean, 3).to_string()),
    ("output_queue_peak_bytes", |lane| {
        lane.output_queue.map_or_else(String::new, |queue| queue.peak.get().to_string())
    }),
    ("output_queue_mean_bytes", |lane| {
        lane.output_queue.map_or_else(String::new, |queue| rounded(queue.mean, 3).to_string())
    }),
    ("pauses_sent", |lane| of_pause(lane, |pause| pause.sent.to_string())),
    ("pauses_heard", |lane| of_pause(lane, |pause| pause.heard.to_string())),
    ("paused_s", |lane| of_pause(lane, |pause| pause.paused.seconds().to_string())),
    ("dropped_at_input_packets", |lane| of_pause(lane, |pause| pause.dropped_at_input.to_string())),
    ("dropped_at_output_packets", |lane| of_pause(lane, |pause| pause.dropped_at_output.to_string())),
];

fn of_pause(lane: &LaneRecord, text: impl Fn(&PauseRecord) -> String) -> String {
    lane.pause.as_ref().map_or_else(String::new, text)
}

fn seconds(time: Time) -> String {
    time.seconds().to_string()
}

fn microseconds(ps: f64) -> String {
    rounded(ps / 1e6, 6).to_string()
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
        insta::assert_snapshot!("series", series(&record));
        insta::assert_snapshot!("watch", watch(&record).expect("something is watched"));
        insta::assert_snapshot!("ports", ports(&record));
    }

    #[test]
    fn without_other_flows_and_groups_there_is_no_column_for_them() {
        let mut record = sample::record();
        record.flows.truncate(2);
        record.groups.clear();
        for snapshot in &mut record.snapshots {
            snapshot.delivered.truncate(2);
        }
        record.series.columns.truncate(2);
        for row in &mut record.series.rows {
            row.truncate(2);
        }
        assert!(series(&record).starts_with("time_s,F1_goodput_bps,F2_goodput_bps\n0.005,4000000000,0\n"));
        assert_eq!(flows(&record).lines().count(), 3);
    }

    #[test]
    fn marks_have_a_column_for_each_reason_of_the_marking_rule_only() {
        let mut record = sample::record();
        for reasons in [2, 1, 0] {
            record.mark_reasons.truncate(reasons);
            for table in [flows(&record), ports(&record)] {
                let header = table.lines().next().expect("a table has a header");
                let columns: Vec<_> = header.split(',').filter(|name| name.starts_with("marked_")).collect();
                assert_eq!(columns, ["marked_root_packets", "marked_victim_mask_packets"][..reasons]);
            }
        }
    }

    #[test]
    fn a_name_with_a_comma_is_quoted() {
        let mut record = sample::record();
        record.flows[0].name = "F1, the first".to_owned();
        assert!(flows(&record).contains("\n\"F1, the first\",H1,"));
    }

    #[test]
    fn the_manual_describes_every_column() {
        let record = sample::record();
        sample::assert_described("flows.csv", &flows(&record));
        sample::assert_described("series.csv", &series(&record));
        sample::assert_described("ports.csv", &ports(&record));
    }
}
