//! Table of ports and lanes: `ports.csv`.
//!
//! Invariant: one row for each port and lane that can carry data, adapters first.

use telemetry::{LaneRecord, PauseRecord, RunRecord};

use super::marks::{Marked, mark_columns, marked};
use crate::congestion::utilisation;
use crate::table::{Column, Table};
use measures::rounded;

/// A row of `ports.csv`.
#[derive(Debug)]
pub struct PortRow<'a> {
    record: &'a RunRecord,
    lane: &'a LaneRecord,
}

/// Returns `ports.csv`: one row for each port and lane.
#[must_use]
pub fn ports(record: &RunRecord) -> String {
    port_table().csv(record.lanes.iter().map(|lane| PortRow { record, lane }))
}

/// Returns the definition of `ports.csv`.
#[must_use]
pub fn port_table<'a>() -> Table<PortRow<'a>> {
    let marks = mark_columns!("packets marked on leaving here");
    let columns =
        departures().into_iter().chain(loads()).chain(buffers()).chain(pauses()).chain(marks).collect();
    Table { file: "ports.csv", contents: "one row per port and lane", columns }
}

fn departures<'a>() -> [Column<PortRow<'a>>; 11] {
    [
        Column::text("node", "the port's node", |row| &row.lane.node),
        Column::count("port", "the port's number, from 1", |row| row.lane.port.into()),
        Column::text("peer", "the node at the other end of the link", |row| &row.lane.peer),
        Column::count("lane", "the virtual lane", |row| row.lane.lane.into()),
        Column::number("link_rate_bps", "the rate of the link", |row| row.lane.rate.get() as f64),
        Column::count("sent_bytes", "departures, headers included, without flow-control packets", |row| {
            row.lane.sent.get()
        }),
        Column::count("sent_packets", "their number", |row| row.lane.packets),
        Column::count(
            "received_bytes",
            "arrivals, headers included, without flow-control packets; packets that found no room are among them",
            |row| row.lane.received.get(),
        ),
        Column::count("received_packets", "their number", |row| row.lane.received_packets),
        Column::number(
            "utilisation",
            "`sent_bytes` of this lane over the bytes that the link carries in `simulated_s`, 0 to 1; a packet counts \
             in full when it begins to leave",
            |row| rounded(utilisation(row.record, row.lane), 6),
        ),
        Column::number(
            "without_credit_s",
            "time for which packets waited here with the wire free and no credit to leave, or for the end of a pause",
            |row| row.lane.without_credit.seconds(),
        ),
    ]
}

fn loads<'a>() -> [Column<PortRow<'a>>; 6] {
    [
        Column::optional_count(
            "sampled_queue_peak_bytes",
            "the most bytes that waited in the switch for this output at a sample; this and the next five are empty for \
             adapters",
            |row| row.lane.load.map(|load| load.queue_peak.get()),
        ),
        Column::optional_number("sampled_queue_mean_bytes", "their mean over the samples", |row| {
            row.lane.load.map(|load| rounded(load.queue_mean, 3))
        }),
        Column::optional_count(
            "flows",
            "number of flows that delivered payload through this output",
            |row| row.lane.load.map(|load| load.flows.into()),
        ),
        Column::optional_count(
            "congested_samples",
            "number of samples at which it was congested by itself: packets waited, and its wire had been busy for 90 % of \
             the interval, or the adapter behind it had had no room for a tenth of it",
            |row| row.lane.load.map(|load| load.congested.into()),
        ),
        Column::optional_count(
            "root_samples",
            "number of samples at which it was the root of a tree",
            |row| row.lane.load.map(|load| load.rooted.into()),
        ),
        Column::optional_count(
            "no_credit_samples",
            "number of samples at which packets waited, and had lacked credit or waited for the end of a pause for a tenth \
             of the interval, towards another switch",
            |row| row.lane.load.map(|load| load.held_back.into()),
        ),
    ]
}

fn buffers<'a>() -> [Column<PortRow<'a>>; 5] {
    [
        Column::count(
            "buffer_bytes",
            "size of the buffer for arriving packets; of shared memory, the maximum that the port and lane can hold",
            |row| row.lane.buffer.get(),
        ),
        Column::count("buffer_peak_bytes", "its highest occupancy", |row| row.lane.peak.get()),
        Column::number("buffer_mean_bytes", "its mean occupancy over the run", |row| {
            rounded(row.lane.mean, 3)
        }),
        Column::optional_count(
            "output_queue_peak_bytes",
            "highest occupancy of this output's queue, packets on their way in or out included; empty where there is \
             none (`Output` and `CombinedInputOutput` have them)",
            |row| row.lane.output_queue.map(|queue| queue.peak.get()),
        ),
        Column::optional_number("output_queue_mean_bytes", "its mean occupancy over the run", |row| {
            row.lane.output_queue.map(|queue| rounded(queue.mean, 3))
        }),
    ]
}

fn pauses<'a>() -> [Column<PortRow<'a>>; 5] {
    [
        Column::count(
            "pauses_sent",
            "PAUSE frames sent by this port for this lane, repetitions included, without RESUME; this and the next \
             four are 0 under credits",
            |row| of_pause(row, |pause| pause.sent),
        ),
        Column::count("pauses_heard", "PAUSE frames that took effect on this output", |row| {
            of_pause(row, |pause| pause.heard)
        }),
        Column::number("paused_s", "time for which this output was paused", |row| {
            row.lane.pause.map_or(0.0, |pause| pause.paused.seconds())
        }),
        Column::count(
            "dropped_at_input_packets",
            "arriving packets that found neither room nor headroom",
            |row| of_pause(row, |pause| pause.dropped_at_input),
        ),
        Column::count(
            "dropped_at_output_packets",
            "packets for this output that found more than `egress_limit` waiting, or no room in `egress_pool`",
            |row| of_pause(row, |pause| pause.dropped_at_output),
        ),
    ]
}

impl Marked for PortRow<'_> {
    fn marked(&self, reason: &str) -> u64 {
        marked(self.record, &self.lane.marks, reason)
    }
}

/// Returns a count of pauses or drops: 0 under credits, which have neither.
fn of_pause(row: &PortRow<'_>, count: impl Fn(&PauseRecord) -> u64) -> u64 {
    row.lane.pause.as_ref().map_or(0, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_table_as_it_is_written() {
        insta::assert_snapshot!("ports", ports(&sample::record()));
    }

    #[test]
    fn a_lane_that_sends_all_the_time_uses_all_of_its_link() {
        let mut record = sample::record();
        let lane = &mut record.lanes[0];
        // 20 ms of 16 Gb/s.
        (lane.sent, lane.rate) = (units::Bytes::new(40_000_000), units::Rate::gbps(16));
        assert_eq!(utilisation(&record, &record.lanes[0]), 1.0);
    }

    /// The columns of a table must not depend on the marking rule of the run.
    #[test]
    fn marks_have_a_column_for_each_reason_of_every_marking_rule() {
        let mut record = sample::record();
        let reasons: Vec<_> = record.mark_reasons.iter().map(|(_, name)| *name).collect();
        assert_eq!(reasons, ["root", "victim_mask", "propagation", "generation", "red"]);
        let columns: Vec<_> = reasons.iter().map(|reason| format!("marked_{reason}_packets")).collect();
        for kept in [5, 1, 0] {
            record.mark_reasons.truncate(kept);
            for table in [crate::tables::flows::flows(&record), ports(&record)] {
                let header = table.lines().next().expect("a table has a header");
                let marks: Vec<_> = header.split(',').filter(|name| name.starts_with("marked_")).collect();
                assert_eq!(marks, columns);
                let first = table.lines().nth(1).expect("a table has a row");
                let victim_mask = first.split(',').nth_back(3).expect("it has five columns of marks");
                assert_eq!(victim_mask == "0", kept < 2, "{first}");
            }
        }
    }
}
