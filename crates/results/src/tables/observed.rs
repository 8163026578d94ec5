//! Series of single ports and sources, and the log of pauses: `port_series.csv`, `source_series.csv`, `pauses.csv`.
//!
//! Invariant: a file exists if the scenario asks for it, and has one row for each sample and object, or for each event.

use telemetry::{FlowRecord, LaneRecord, PauseEvent, PortSample, RunRecord, SourceSample};
use units::Rate;

use super::loads::LinkLoads;
use crate::rows::{PauseRow, PortSeriesRow, SourceSeriesRow};
use crate::table::TableRow;
use measures::rounded;

/// Returns `port_series.csv`: one row for each sample, port and lane; `None` if the scenario asks for none.
#[must_use]
pub fn ports(record: &RunRecord) -> Option<String> {
    let series = record.port_series.as_ref()?;
    let interval = record.series.interval;
    let mut loads = LinkLoads::new(series.lanes.len());
    let rows =
        (1..).zip(series.samples.chunks_exact(series.lanes.len().max(1))).flat_map(|(number, samples)| {
            let time_s = (interval * number).after_start().seconds();
            let lanes = series.lanes.iter().map(|lane| &record.lanes[*lane as usize]);
            let sent: Vec<_> = lanes.zip(samples.iter().map(|sample| sample.sent)).collect();
            let loads = loads.next(interval, &sent);
            let rows = sent.into_iter().zip(samples).zip(loads);
            rows.map(move |(((lane, _), sample), load)| port_row(time_s, (lane, load), sample))
        });
    Some(PortSeriesRow::csv(rows))
}

fn port_row<'a>(time_s: f64, (lane, load): (&'a LaneRecord, f64), sample: &PortSample) -> PortSeriesRow<'a> {
    PortSeriesRow {
        time_s,
        node: lane.node.as_str().into(),
        port: lane.port.into(),
        peer: lane.peer.as_str().into(),
        lane: lane.lane.into(),
        queue_bytes: sample.queue.map(u64::from),
        buffer_bytes: sample.held.into(),
        sent_bytes: sample.sent.get(),
        utilisation: rounded(load, 6),
        stalled_s: sample.stalled.seconds(),
        marked_packets: sample.marked.into(),
    }
}

/// Returns `source_series.csv`: one row for each sample and flow; `None` if the scenario asks for none.
#[must_use]
pub fn sources(record: &RunRecord) -> Option<String> {
    let series = record.source_series.as_ref()?;
    let rows =
        (1..).zip(series.samples.chunks_exact(series.flows.len().max(1))).flat_map(|(number, samples)| {
            let time_s = (record.series.interval * number).after_start().seconds();
            let flows = series.flows.iter().map(|flow| &record.flows[*flow as usize]);
            flows.zip(samples).map(move |(flow, sample)| source_row(time_s, flow, sample))
        });
    Some(SourceSeriesRow::csv(rows))
}

fn source_row<'a>(time_s: f64, flow: &'a FlowRecord, sample: &SourceSample) -> SourceSeriesRow<'a> {
    SourceSeriesRow {
        time_s,
        host: flow.source.as_str().into(),
        flow: (&*flow.name).into(),
        delivered_bytes: sample.delivered.get(),
        rate_bps: sample.rate.map(bps),
        target_bps: sample.target.map(bps),
        alpha: sample.alpha.map(|alpha| rounded(alpha, 9)),
        delay_packet_times: sample.delay.map(|delay| rounded(delay, 6)),
        window_packets: sample.window,
        ccti: sample.ccti.map(u32::from),
    }
}

fn bps(rate: Rate) -> f64 {
    rate.get() as f64
}

/// Returns `pauses.csv`: one row for each beginning and end of a pause; `None` if the scenario asks for none.
#[must_use]
pub fn pauses(record: &RunRecord) -> Option<String> {
    let events = &record.pause_events.as_ref()?.events;
    let row = |event: &PauseEvent| {
        let lane = &record.lanes[event.lane as usize];
        PauseRow {
            time_s: event.at.seconds(),
            node: lane.node.as_str().into(),
            port: lane.port.into(),
            peer: lane.peer.as_str().into(),
            lane: lane.lane.into(),
            event: if event.paused { PauseRow::PAUSE } else { PauseRow::RESUME }.into(),
        }
    };
    Some(PauseRow::csv(events.iter().map(row)))
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
