//! Measures of a whole run.
//!
//! Invariant: a measure that a run cannot have (PAUSE under credits) is a dash, not a zero.

use telemetry::FlowRecord;
use units::Span;

use super::row::{ComparedRun, ComparisonRow, ValueUnit};
use measures::censoring::CensoredValue;
use measures::statistics::jain;

/// A measure: its name, its unit, and its value; `None` if a run has none.
type RunMeasure = (&'static str, ValueUnit, fn(&ComparedRun<'_>) -> Option<f64>);

const MEASURES: [RunMeasure; 13] = [
    ("goodput, Gb/s", ValueUnit::Gbps, |run| {
        let delivered = run.record.flows.iter().map(|flow| flow.delivered).sum::<units::Bytes>();
        Some(delivered.bps_over(run.record.simulated) / 1e9)
    }),
    ("Jain's index of all named flows", ValueUnit::Share, |run| {
        let named = &run.record.flows[..run.record.named()];
        let goodput = |flow: &FlowRecord| flow.delivered.bps_over(run.record.simulated);
        jain(named.iter().map(goodput)).filter(|_| named.len() > 1)
    }),
    ("packets marked", ValueUnit::Count, |run| Some(run.summary.marks.values().sum::<u64>() as f64)),
    ("CNPs sent", ValueUnit::Count, |run| Some(run.summary.transport.cnps as f64)),
    ("BECNs received", ValueUnit::Count, |run| Some(run.summary.transport.becns as f64)),
    ("flow-control packets", ValueUnit::Count, |run| Some(run.record.flow_control_packets as f64)),
    ("time stalled, all ports added up, us", ValueUnit::Us, |run| {
        Some(run.record.lanes.iter().map(|lane| lane.stalled).sum::<Span>().seconds() * 1e6)
    }),
    ("PAUSE frames", ValueUnit::Count, |run| Some(run.summary.pauses.as_ref()?.pauses as f64)),
    ("time paused, all outputs added up, us", ValueUnit::Us, |run| {
        Some(run.summary.pauses.as_ref()?.paused_s * 1e6)
    }),
    ("packets dropped", ValueUnit::Count, |run| Some(run.record.dropped_packets as f64)),
    ("packets sent again", ValueUnit::Count, |run| Some(run.record.transport.retransmitted as f64)),
    ("mean latency of a delivered packet, us", ValueUnit::Us, |run| {
        let flows = &run.record.flows;
        let packets: u64 = flows.iter().map(|flow| flow.packets).sum();
        let sum = flows.iter().map(|flow| flow.latency_sum.seconds()).sum::<f64>();
        (packets > 0).then(|| sum * 1e6 / packets as f64)
    }),
    ("longest latency of a delivered packet, us", ValueUnit::Us, |run| {
        run.record.flows.iter().map(|flow| flow.latency_max.seconds() * 1e6).reduce(f64::max)
    }),
];

/// Returns the row of the time at which finite traffic was delivered. A run that was not done has the end of the run as
/// a lower bound.
fn done_row(runs: &[ComparedRun<'_>]) -> ComparisonRow {
    let cell = |run: &ComparedRun<'_>| {
        let done = run.record.finite?.done;
        let at_least = run.record.simulated.seconds() * 1e6;
        Some(done.map_or(CensoredValue::AtLeast { at_least }, |at| CensoredValue::Exact(at.seconds() * 1e6)))
    };
    ComparisonRow {
        topic: "run",
        phase: String::new(),
        what: "last message of finite traffic delivered, us".to_owned(),
        cells: runs.iter().map(cell).collect(),
        unit: ValueUnit::Us,
    }
}

/// Returns one row for each measure, and for the end of finite traffic if a run has some.
pub(super) fn rows(runs: &[ComparedRun<'_>]) -> Vec<ComparisonRow> {
    let row = |(what, unit, measure): &RunMeasure| ComparisonRow {
        topic: "run",
        phase: String::new(),
        what: (*what).to_owned(),
        cells: runs.iter().map(|run| measure(run).map(CensoredValue::Exact)).collect(),
        unit: *unit,
    };
    let finite = runs.iter().any(|run| run.record.finite.is_some());
    finite.then(|| done_row(runs)).into_iter().chain(MEASURES.iter().map(row)).collect()
}
