//! Goodput of a group over time: oscillation and recovery.
//!
//! Invariant: a sample covers the interval that ends with it, and counts for a time only if all of it lies within.

use std::num::NonZeroU32;

use crate::PhasePart;
use crate::censoring::CensoredValue;
use crate::samples::{self, Samples};
use crate::statistics::variation;
use telemetry::{Phase, RunRecord};
use units::Bytes;

use super::group::Group;
use super::measured::Missing;
use super::rates::phase;

/// Smallest number of samples that have a variation.
const FEWEST_SAMPLES: usize = 10;

/// Share of the former goodput with which a group counts as recovered.
const RECOVERED: f64 = 0.9;

/// Returns the coefficient of variation of the group's goodput in the second half of a phase, of the last if none is
/// given.
pub(super) fn oscillation(
    record: &RunRecord,
    group: &Group<'_>,
    number: Option<NonZeroU32>,
) -> Result<CensoredValue, Missing> {
    // Of a whole run, the last phase counts: changes between phases are no oscillation.
    let last = NonZeroU32::new(record.phases.len() as u32);
    let phase = phase(record, number.or(last).ok_or(Missing::NoPhase { phases: 0 })?)?;
    let samples = Samples::of_second_half(&record.series, phase).bytes(&[column(record, group)?]);
    if samples.len() < FEWEST_SAMPLES {
        return Err(Missing::FewSamples { samples: samples.len() });
    }
    variation(&samples).map(CensoredValue::Exact).ok_or(Missing::NoGoodput)
}

/// Returns the time from the start of a phase to the end of the first sample in which the group is back. Back means 90
/// % of its goodput in the second half of the first phase. A group that does not come back has the length of the phase
/// as a lower bound.
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
    let flows = group.flows.iter().copied();
    let before = crate::phase::delivered(record, flows, first, PhasePart::SecondHalf);
    if before == Bytes::ZERO {
        return Err(Missing::NoGoodput);
    }
    let length = first.to.since(first.second_half).seconds();
    let per_sample = before.get() as f64 * record.series.interval.seconds() / length;
    let recovery = samples::recovery(&record.series, &[column(record, group)?], now, RECOVERED * per_sample);
    recovery.ok_or(Missing::FewSamples { samples: 0 })
}

/// Returns the number of the last phase that begins with a stop of a hot spot, a pattern or a flow.
fn after_a_stop(record: &RunRecord) -> Result<NonZeroU32, Missing> {
    let stops = |phase: &Phase| {
        phase.name.split("; ").any(|change| change.ends_with(" stops") || change.ends_with(" stop"))
    };
    let place = record.phases.iter().rposition(stops).ok_or(Missing::NoStop)?;
    NonZeroU32::new(place as u32 + 1).ok_or(Missing::NoStop)
}

/// Returns the place of the group's column in the series.
fn column(record: &RunRecord, group: &Group<'_>) -> Result<usize, Missing> {
    group.column.and_then(|column| record.series.place(column)).ok_or(Missing::NoSeries)
}
