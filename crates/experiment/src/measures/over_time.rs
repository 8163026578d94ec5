//! Goodput of a group over time: oscillation and recovery.
//!
//! Invariant: a sample covers the interval that ends with it, and counts for a time only if all of it lies within.

use std::num::NonZeroU32;

use results::censoring::CensoredValue;
use telemetry::{Phase, RunRecord};
use units::{Bytes, Span, Time};

use super::group::Group;
use super::measured::Missing;
use super::messages::seconds;
use super::rates::phase;

/// Smallest number of samples of which a variation is told.
const FEWEST_SAMPLES: usize = 10;

/// Share of the former goodput with which a group counts as recovered.
const RECOVERED: f64 = 0.9;

/// Returns the coefficient of variation of the group's goodput in the second half of a phase, of the last if none is given.
pub(super) fn oscillation(
    record: &RunRecord,
    group: &Group<'_>,
    number: Option<NonZeroU32>,
) -> Result<CensoredValue, Missing> {
    let last = NonZeroU32::new(record.phases.len() as u32);
    let phase = phase(record, number.or(last).ok_or(Missing::NoPhase { phases: 0 })?)?;
    let samples = samples(record, group, phase.second_half, phase.to)?;
    if samples.len() < FEWEST_SAMPLES {
        return Err(Missing::FewSamples { samples: samples.len() });
    }
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    let deviation = (squares / samples.len() as f64).sqrt();
    if mean > 0.0 { Ok((deviation / mean).into()) } else { Err(Missing::NoGoodput) }
}

/// Returns the time from the start of a phase to the end of the first sample in which the group has 90 % of its goodput in
/// the second half of the first phase. A group that does not come back has the length of the phase as a lower bound.
pub(super) fn recovery(
    record: &RunRecord,
    group: &Group<'_>,
    number: Option<NonZeroU32>,
) -> Result<CensoredValue, Missing> {
    let number = number.map_or_else(|| after_a_stop(record), Ok)?;
    let now = phase(record, number)?;
    if number.get() == 1 {
        return Err(Missing::FirstPhase);
    }
    let first = &record.phases[0];
    let (from, to) = (first.second_half, first.to);
    let before: Bytes = group.flows.iter().map(|flow| record.delivered_between(*flow, from, to)).sum();
    if before == Bytes::ZERO {
        return Err(Missing::NoGoodput);
    }
    let per_sample = before.get() as f64 * seconds(record.series.interval) / seconds(to.since(from));
    let samples = samples(record, group, now.from, now.to)?;
    if samples.is_empty() {
        return Err(Missing::FewSamples { samples: 0 });
    }
    match samples.iter().position(|sample| *sample >= RECOVERED * per_sample) {
        Some(place) => {
            let end = sample_end(record, first_within(record, now.from) + place);
            Ok(seconds(end.since(now.from)).into())
        }
        None => Ok(CensoredValue::AtLeast { at_least: seconds(now.to.since(now.from)) }),
    }
}

/// Returns the number of the last phase that begins with a stop of a hot spot, a pattern or a flow.
fn after_a_stop(record: &RunRecord) -> Result<NonZeroU32, Missing> {
    let stops = |phase: &Phase| {
        phase.name.split("; ").any(|change| change.ends_with(" stops") || change.ends_with(" stop"))
    };
    let place = record.phases.iter().rposition(stops).ok_or(Missing::NoStop)?;
    NonZeroU32::new(place as u32 + 1).ok_or(Missing::NoStop)
}

/// Returns the end of the sample in this row.
fn sample_end(record: &RunRecord, row: usize) -> Time {
    (record.series.interval * (row as u64 + 1)).after_start()
}

/// Returns the first row whose sample begins at `from` or later.
fn first_within(record: &RunRecord, from: Time) -> usize {
    let interval = record.series.interval;
    let row = if interval == Span::ZERO { 0 } else { from.ps().div_ceil(interval.ps()) };
    usize::try_from(row).unwrap_or(usize::MAX)
}

/// Returns the bytes that the group delivered in each sample that lies between two times.
fn samples(record: &RunRecord, group: &Group<'_>, from: Time, to: Time) -> Result<Vec<f64>, Missing> {
    let series = &record.series;
    let place = group.column.and_then(|column| series.place(column)).ok_or(Missing::NoSeries)?;
    let rows = series.rows.iter().enumerate().skip(first_within(record, from));
    let within = rows.take_while(|(row, _)| sample_end(record, *row) <= to);
    Ok(within.map(|(_, row)| row[place].get() as f64).collect())
}
