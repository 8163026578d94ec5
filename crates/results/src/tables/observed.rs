//! Series of single ports and sources, and the log of pauses: `port_series.csv`, `source_series.csv`, `pauses.csv`.
//!
//! Invariant: a file exists if the scenario asks for it, and has one row for each sample and object, or for each event.

use telemetry::{FlowRecord, LaneRecord, PauseEvent, PortSample, RunRecord, SourceSample};
use units::{Rate, Span, Time};

use crate::table::{Column, Table};
use measures::rounded;

/// A row of `port_series.csv`.
#[derive(Debug)]
pub struct PortSeriesRow<'a> {
    time: Time,
    interval: Span,
    lane: &'a LaneRecord,
    sample: &'a PortSample,
}

/// Returns `port_series.csv`: one row for each sample, port and lane; `None` if the scenario asks for none.
#[must_use]
pub fn ports(record: &RunRecord) -> Option<String> {
    let series = record.port_series.as_ref()?;
    let interval = record.series.interval;
    let rows =
        (1..).zip(series.samples.chunks_exact(series.lanes.len().max(1))).flat_map(|(number, samples)| {
            let time = (interval * number).after_start();
            series.lanes.iter().zip(samples).map(move |(lane, sample)| PortSeriesRow {
                time,
                interval,
                lane: &record.lanes[*lane as usize],
                sample,
            })
        });
    Some(port_table().csv(rows))
}

/// Returns the definition of `port_series.csv`.
#[must_use]
pub fn port_table<'a>() -> Table<PortSeriesRow<'a>> {
    let columns: [Column<PortSeriesRow<'a>>; 11] = [
        Column::number("time_s", "the sample, which ends an interval of the scenario's `sample`", |row| {
            row.time.seconds()
        }),
        Column::text("node", "the port's node", |row| &row.lane.node),
        Column::count("port", "the port's number, from 1", |row| row.lane.port.into()),
        Column::text("peer", "the node at the other end of the link", |row| &row.lane.peer),
        Column::count("lane", "the virtual lane", |row| row.lane.lane.into()),
        Column::optional_count(
            "queue_bytes",
            "packets that wait in the switch for this output, at this instant; empty at an adapter, which makes packets \
             as they leave",
            |row| row.sample.queue.map(u64::from),
        ),
        Column::count(
            "buffer_bytes",
            "packets in the buffer for packets that arrive by this port, at this instant",
            |row| row.sample.held.into(),
        ),
        Column::count(
            "sent_bytes",
            "departures within the interval, headers included, without flow-control packets; a packet counts in full \
             when it begins to leave",
            |row| row.sample.sent.get(),
        ),
        Column::number(
            "utilisation",
            "`sent_bytes` over the bytes that the link carries in the interval",
            |row| {
                let possible = row.lane.rate.get() as f64 * row.interval.seconds();
                rounded(row.sample.sent.get() as f64 * 8.0 / possible, 6)
            },
        ),
        Column::number(
            "stalled_s",
            "time within the interval for which packets waited here with the wire free, for credit or the end of a pause",
            |row| row.sample.stalled.seconds(),
        ),
        Column::count("marked_packets", "packets marked on leaving here within the interval", |row| {
            row.sample.marked.into()
        }),
    ];
    let contents =
        "one row per sample, port and lane that the scenario's `series` asks for; no file otherwise";
    Table { file: "port_series.csv", contents, columns: columns.into() }
}

/// A row of `source_series.csv`.
#[derive(Debug)]
pub struct SourceSeriesRow<'a> {
    time: Time,
    flow: &'a FlowRecord,
    sample: &'a SourceSample,
}

/// Returns `source_series.csv`: one row for each sample and flow; `None` if the scenario asks for none.
#[must_use]
pub fn sources(record: &RunRecord) -> Option<String> {
    let series = record.source_series.as_ref()?;
    let rows =
        (1..).zip(series.samples.chunks_exact(series.flows.len().max(1))).flat_map(|(number, samples)| {
            let time = (record.series.interval * number).after_start();
            series.flows.iter().zip(samples).map(move |(flow, sample)| SourceSeriesRow {
                time,
                flow: &record.flows[*flow as usize],
                sample,
            })
        });
    Some(source_table().csv(rows))
}

/// Returns the definition of `source_series.csv`.
#[must_use]
pub fn source_table<'a>() -> Table<SourceSeriesRow<'a>> {
    let columns: [Column<SourceSeriesRow<'a>>; 10] = [
        Column::number("time_s", "the sample, which ends an interval of the scenario's `sample`", |row| {
            row.time.seconds()
        }),
        Column::text("host", "the flow's source host", |row| &row.flow.source),
        Column::text("flow", "the flow", |row| &row.flow.name),
        Column::count(
            "delivered_bytes",
            "payload of the flow that its destination's host took within the interval",
            |row| row.sample.delivered.get(),
        ),
        Column::optional_number(
            "rate_bps",
            "the largest rate on the wire that congestion control allows the flow, at this instant: DCQCN's R_C, or the \
             link's rate over 1 + `delay_packet_times`; empty without control of the rate",
            |row| row.sample.rate.map(bps),
        ),
        Column::optional_number("target_bps", "DCQCN's R_T", |row| row.sample.target.map(bps)),
        Column::optional_number("alpha", "DCQCN's alpha", |row| {
            row.sample.alpha.map(|alpha| rounded(alpha, 9))
        }),
        Column::optional_number(
            "delay_packet_times",
            "delay after each packet, in times that the packet takes on the wire: IBA's injection rate delay, or the HP \
             proposal's inter-packet delay",
            |row| row.sample.delay.map(|delay| rounded(delay, 6)),
        ),
        Column::optional_count("window_packets", "the window, where one is set", |row| {
            row.sample.window.map(u64::from)
        }),
        Column::optional_count("ccti", "IBA's index into the congestion control table", |row| {
            row.sample.ccti.map(u64::from)
        }),
    ];
    let contents = "one row per sample and flow that the scenario's `series` asks for; no file otherwise";
    Table { file: "source_series.csv", contents, columns: columns.into() }
}

fn bps(rate: Rate) -> f64 {
    rate.get() as f64
}

/// A row of `pauses.csv`.
#[derive(Debug)]
pub struct PauseRow<'a> {
    event: &'a PauseEvent,
    lane: &'a LaneRecord,
}

/// Returns `pauses.csv`: one row for each beginning and end of a pause; `None` if the scenario asks for none.
#[must_use]
pub fn pauses(record: &RunRecord) -> Option<String> {
    let events = &record.pause_events.as_ref()?.events;
    let rows = events.iter().map(|event| PauseRow { event, lane: &record.lanes[event.lane as usize] });
    Some(pause_table().csv(rows))
}

/// Returns the definition of `pauses.csv`.
#[must_use]
pub fn pause_table<'a>() -> Table<PauseRow<'a>> {
    let columns: [Column<PauseRow<'a>>; 6] = [
        Column::number("time_s", "time at which the event took effect on this output", |row| {
            row.event.at.seconds()
        }),
        Column::text("node", "the node of the output that is paused", |row| &row.lane.node),
        Column::count("port", "the output's number, from 1", |row| row.lane.port.into()),
        Column::text("peer", "the node at the other end of the link, which asked for the pause", |row| {
            &row.lane.peer
        }),
        Column::count("lane", "the virtual lane", |row| row.lane.lane.into()),
        Column::text(
            "event",
            "`pause`: a PAUSE frame took effect on an output that could send; `resume`: the pause was over, by RESUME or \
             because its time had passed. Repetitions of a PAUSE have no row",
            |row| if row.event.paused { "pause" } else { "resume" },
        ),
    ];
    let contents = "one row per beginning and end of a pause at the ports that the scenario's `series` asks for; no file otherwise";
    Table { file: "pauses.csv", contents, columns: columns.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_tables_as_they_are_written() {
        let record = sample::record();
        insta::assert_snapshot!("port_series", ports(&record).expect("ports are asked for"));
        insta::assert_snapshot!("source_series", sources(&record).expect("sources are asked for"));
        insta::assert_snapshot!("pauses", pauses(&record).expect("pauses are asked for"));
    }

    #[test]
    fn nothing_asked_for_gives_no_file() {
        let record =
            RunRecord { port_series: None, source_series: None, pause_events: None, ..sample::record() };
        assert_eq!([ports(&record), sources(&record), pauses(&record)], [None, None, None]);
    }
}
