//! Events of a trace from the record of the run: samples, pauses, messages.
//!
//! Invariant: rates hold in the interval that ends at their sample, and are written at its beginning. Queues and states
//! of responses hold from their sample on. Messages of a flow that overlap stand in several rows.

use std::io::{self, Write};

use packet::{FlowId, Lane, NodeId, PortId};
use scenario::Plan;
use telemetry::{PauseEvent, RunRecord, SourceSample};
use traces::perfetto::{Fact, PerfettoWriter, TrackId};
use units::{Span, Time};

use super::tracks::{FlowTracks, Tracks};
use super::{EventKind, Limited};

pub(super) fn add<W: Write>(plan: &Plan, record: &RunRecord, tracks: &Tracks, to: &mut Limited<W>) {
    let lanes: Vec<_> = plan.lanes().collect();
    add_ports(record, &lanes, tracks, to);
    add_sources(record, tracks, to);
    add_pauses(record, &lanes, tracks, to);
    add_messages(plan, record, tracks, to);
}

/// The beginning and the end of a sample's interval, by its number from 0.
fn interval(record: &RunRecord, number: usize) -> (Time, Time) {
    let span = record.series.interval;
    ((span * number as u64).after_start(), (span * (number as u64 + 1)).after_start())
}

fn add_ports<W: Write>(
    record: &RunRecord,
    lanes: &[(NodeId, PortId, Lane)],
    tracks: &Tracks,
    to: &mut Limited<W>,
) {
    let Some(series) = &record.port_series else { return };
    for (number, row) in series.samples.chunks_exact(series.lanes.len().max(1)).enumerate() {
        let (from, until) = interval(record, number);
        for (lane, sample) in series.lanes.iter().zip(row) {
            let (node, port, lane) = lanes[*lane as usize];
            let Some(output) = tracks.output(node, port, lane) else { continue };
            let rate = sample.sent.bps_over(until - from);
            to.add(EventKind::Value, |writer| writer.value(output.rate, from, rate));
            if let (Some(track), Some(queue)) = (output.queue, sample.queue) {
                to.add(EventKind::Value, |writer| writer.value(track, until, queue.into()));
            }
        }
    }
}

fn add_sources<W: Write>(record: &RunRecord, tracks: &Tracks, to: &mut Limited<W>) {
    let Some(series) = &record.source_series else { return };
    let flows: Vec<_> = series.flows.iter().map(|flow| tracks.flow(FlowId(*flow))).collect();
    let mut counters = vec![[None; STATES.len()]; flows.len()];
    for (number, row) in series.samples.chunks_exact(flows.len().max(1)).enumerate() {
        let (from, until) = interval(record, number);
        for ((flow, counters), sample) in flows.iter().zip(&mut counters).zip(row) {
            let Some(FlowTracks { group, goodput, .. }) = *flow else { continue };
            let rate = sample.delivered.bps_over(until - from);
            to.add(EventKind::Value, |writer| writer.value(goodput, from, rate));
            for ((name, unit, state), counter) in STATES.iter().zip(counters) {
                let Some(value) = state(sample) else { continue };
                to.add(EventKind::Value, |writer| {
                    let track = match *counter {
                        Some(track) => track,
                        None => *counter.insert(writer.counter(Some(group), name, unit)?),
                    };
                    writer.value(track, until, value)
                });
            }
        }
    }
}

/// A quantity of a response: name, unit, and the function that finds it.
type State = (&'static str, &'static str, fn(&SourceSample) -> Option<f64>);

/// The state of a response.
const STATES: [State; 6] = [
    ("allowed rate", "bit/s", |sample| sample.rate.map(|rate| rate.get() as f64)),
    ("target rate", "bit/s", |sample| sample.target.map(|rate| rate.get() as f64)),
    ("alpha", "", |sample| sample.alpha),
    ("delay", "packets", |sample| sample.delay),
    ("window", "packets", |sample| sample.window.map(f64::from)),
    ("CCTI", "", |sample| sample.ccti.map(f64::from)),
];

fn add_pauses<W: Write>(
    record: &RunRecord,
    lanes: &[(NodeId, PortId, Lane)],
    tracks: &Tracks,
    to: &mut Limited<W>,
) {
    let Some(pauses) = &record.pause_events else { return };
    let end = record.simulated.after_start();
    let mut since = vec![None; lanes.len()];
    let mut add = |lane: usize, from: Time, until: Time| {
        let (node, port, number) = lanes[lane];
        if let Some(track) = tracks.output(node, port, number).and_then(|output| output.pauses) {
            to.add(EventKind::Pause, |writer| writer.slice(track, (from, until), "paused", &[]));
        }
    };
    for PauseEvent { at, lane, paused } in &pauses.events {
        let lane = *lane as usize;
        if *paused {
            since[lane] = Some(*at);
        } else if let Some(from) = since[lane].take() {
            add(lane, from, *at);
        }
    }
    let open = since.into_iter().enumerate().filter_map(|(lane, from)| Some((lane, from?)));
    if pauses.lost == 0 {
        open.for_each(|(lane, from)| add(lane, from, end));
    } else {
        // Where later changes were not kept, the ends of these are not known.
        let unknown = open.count() as u64 + pauses.lost.div_ceil(2);
        to.kinds.entry(EventKind::Pause).or_default().left_out += unknown;
    }
}

fn add_messages<W: Write>(plan: &Plan, record: &RunRecord, tracks: &Tracks, to: &mut Limited<W>) {
    let Some(completions) = &record.completions else { return };
    for flow in &plan.series().sources.named {
        let Some(FlowTracks { group, .. }) = tracks.flow(*flow) else { continue };
        let of_flow = completions.messages.iter().filter(|message| message.flow == flow.0);
        let mut messages: Vec<_> = of_flow.collect();
        messages.sort_unstable_by_key(|message| (message.posted, message.number));
        let mut rows: Vec<(TrackId, Time)> = Vec::new();
        for message in messages {
            let until = message.completed.unwrap_or(completions.end).max(message.posted);
            let row = rows.iter().position(|(_, free)| *free <= message.posted);
            let number = u64::from(message.number);
            let facts = [
                Fact::Count("bytes", message.size.get()),
                Fact::Count("on the empty fabric, ns", whole_ns(message.ideal)),
                Fact::Text(
                    "ended by",
                    if message.completed.is_some() { "its delivery" } else { "the end of the run" },
                ),
            ];
            to.add(EventKind::Message, |writer| {
                let track = row_track(writer, &mut rows, row, group, until)?;
                writer.slice(track, (message.posted, until), &format!("message {number}"), &facts)
            });
        }
    }
}

/// Returns the track of a free row of messages, or of a new row. The row is taken up to `until`.
fn row_track<W: Write>(
    writer: &mut PerfettoWriter<W>,
    rows: &mut Vec<(TrackId, Time)>,
    row: Option<usize>,
    group: TrackId,
    until: Time,
) -> io::Result<TrackId> {
    if let Some(row) = row {
        rows[row].1 = until;
        return Ok(rows[row].0);
    }
    let track = writer.track(Some(group), "messages")?;
    rows.push((track, until));
    Ok(track)
}

fn whole_ns(span: Span) -> u64 {
    span.ps() / 1000
}
