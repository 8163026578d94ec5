//! Pauses, stalls and queues.
//!
//! Invariant: shares of time are means over outputs and lanes, so they do not grow with the fabric.

use std::collections::BTreeSet;

use crate::censoring::{CensoredSample, CensoredValue};
use crate::flows;
use telemetry::{LaneRecord, RunRecord};
use units::Span;

use super::group::Group;
use super::measured::Missing;
use super::messages::{mask, seconds};

/// Returns the share of time that outputs were paused.
pub(super) fn paused(record: &RunRecord, group: &Group<'_>) -> Result<CensoredValue, Missing> {
    let lanes = lanes(record, group)?.into_iter();
    let paused: Vec<_> = lanes.filter_map(|lane| Some(lane.pause.as_ref()?.paused)).collect();
    if paused.is_empty() { Err(Missing::NoPause) } else { share(&paused, record.simulated) }
}

/// Returns the share of time that packets waited with the wire free.
pub(super) fn stalled(record: &RunRecord, group: &Group<'_>) -> Result<CensoredValue, Missing> {
    let stalled: Vec<_> = lanes(record, group)?.into_iter().map(|lane| lane.stalled).collect();
    share(&stalled, record.simulated)
}

/// Returns the time that flows waited as victims.
pub(super) fn waited(record: &RunRecord, group: &Group<'_>) -> Result<CensoredValue, Missing> {
    if record.congestion.sampled == 0 {
        return Err(Missing::NoTreeSample);
    }
    let is_member = mask(record, &group.flows);
    let waited = flows::waited(record, 1, |flow| is_member[flow].then_some(0));
    Ok(seconds(waited[0]).into())
}

/// Returns the PAUSE frames that all ports sent.
pub(super) fn pause_frames(record: &RunRecord) -> Result<CensoredValue, Missing> {
    let sent = record.lanes.iter().filter_map(|lane| Some(lane.pause.as_ref()?.sent));
    sent.reduce(|sum, sent| sum + sent).map(count).ok_or(Missing::NoPause)
}

/// Returns a count, which is always known.
pub(super) fn count(number: u64) -> CensoredValue {
    CensoredValue::Exact(number as f64)
}

/// Returns the 99th percentile of the queue for the output for which it is largest.
pub(super) fn queue_p99(record: &RunRecord) -> Result<CensoredValue, Missing> {
    let series = record.port_series.as_ref().ok_or(Missing::NoPortSeries)?;
    let of_output = |place: usize| {
        let samples = series.samples.iter().skip(place).step_by(series.lanes.len());
        let queue = samples.filter_map(|sample| Some(CensoredValue::Exact(f64::from(sample.queue?))));
        queue.collect::<CensoredSample>().sorted().quantile(0.99)
    };
    let worst = (0..series.lanes.len()).filter_map(of_output).map(CensoredValue::at_least).reduce(f64::max);
    worst.map(CensoredValue::Exact).ok_or(Missing::NoPortSeries)
}

/// Returns the longest queue of any output at a sample.
pub(super) fn queue_peak(record: &RunRecord) -> Result<CensoredValue, Missing> {
    if record.congestion.sampled == 0 {
        return Err(Missing::NoTreeSample);
    }
    let peaks = record.lanes.iter().filter_map(|lane| lane.load).map(|load| load.queue_peak.get() as f64);
    peaks.reduce(f64::max).map(CensoredValue::Exact).ok_or(Missing::NoOutput)
}

/// Returns the outputs and lanes of the hosts that send the group's data. For all flows, these are the outputs and
/// lanes of the fabric.
fn lanes<'a>(record: &'a RunRecord, group: &Group<'_>) -> Result<Vec<&'a LaneRecord>, Missing> {
    let hosts: BTreeSet<&str> = group.flows.iter().map(|flow| record.flows[*flow].source.as_str()).collect();
    let lanes = record.lanes.iter().filter(|lane| group.is_all || hosts.contains(lane.node.as_str()));
    let lanes: Vec<_> = lanes.collect();
    if lanes.is_empty() { Err(Missing::NoOutput) } else { Ok(lanes) }
}

fn share(times: &[Span], run: Span) -> Result<CensoredValue, Missing> {
    if run == Span::ZERO {
        return Err(Missing::NoTime);
    }
    let sum: Span = times.iter().copied().sum();
    Ok(CensoredValue::Exact(seconds(sum) / (times.len() as f64 * seconds(run))))
}
