//! Goodput and fairness of a group.
//!
//! Invariant: goodput is payload that destinations' hosts took. In a phase it covers the second half, as in
//! `summary.json`.

use std::num::NonZeroU32;

use crate::PhasePart;
use crate::censoring::CensoredValue;
use crate::flows::goodput_bps;
use crate::statistics::jain;
use telemetry::{Phase, RunRecord};
use units::Time;

use super::group::Group;
use super::measured::Missing;

/// Returns the goodput of all flows together.
pub(super) fn goodput(
    record: &RunRecord,
    group: &Group<'_>,
    number: Option<NonZeroU32>,
) -> Result<CensoredValue, Missing> {
    let Some(number) = number else {
        return Ok(goodput_bps(record, group.flows.iter().copied()).into());
    };
    let flows = group.flows.iter().copied();
    Ok(crate::phase::goodput(record, flows, phase(record, number)?, PhasePart::SecondHalf).into())
}

/// Returns the goodput of the slowest flow.
pub(super) fn least(
    record: &RunRecord,
    group: &Group<'_>,
    number: Option<NonZeroU32>,
) -> Result<CensoredValue, Missing> {
    let least = by_flow(record, group, number)?.into_iter().reduce(f64::min);
    least.map(CensoredValue::Exact).ok_or(Missing::NotActive)
}

/// Returns Jain's index of the flows' goodput.
pub(super) fn fairness(
    record: &RunRecord,
    group: &Group<'_>,
    number: Option<NonZeroU32>,
) -> Result<CensoredValue, Missing> {
    let each = by_flow(record, group, number)?;
    if each.is_empty() {
        return Err(Missing::NotActive);
    }
    jain(each).map(CensoredValue::Exact).ok_or(Missing::NoGoodput)
}

pub(super) fn phase(record: &RunRecord, number: NonZeroU32) -> Result<&Phase, Missing> {
    let phases = record.phases.len();
    record.phases.get(number.get() as usize - 1).ok_or(Missing::NoPhase { phases })
}

/// Returns the goodput of each flow that had data to send, over the whole run or in the second half of a phase.
fn by_flow(record: &RunRecord, group: &Group<'_>, number: Option<NonZeroU32>) -> Result<Vec<f64>, Missing> {
    let Some(number) = number else {
        return Ok(group.flows.iter().filter_map(|flow| own_goodput(record, *flow)).collect());
    };
    let phase = phase(record, number)?;
    // A flow that has nothing to send in the phase would count as starved.
    let active = group.flows.iter().filter(|flow| record.active(**flow, phase));
    Ok(active.map(|flow| crate::phase::goodput(record, [*flow], phase, PhasePart::SecondHalf)).collect())
}

/// Returns the goodput of a flow over the time that it had data to send. The time begins with its start. It ends with
/// its last delivery if it is complete, with its stop or last delivery if it stopped, else with the run, before a
/// drain. `None` if it did not begin.
fn own_goodput(record: &RunRecord, place: usize) -> Option<f64> {
    let (flow, end) = (&record.flows[place], record.simulated.after_start());
    if let Some(end) = record.drained_from().filter(|_| flow.completed().is_none() && flow.stop.is_none()) {
        return (flow.start < end).then(|| record.delivered_by(place, end).bps_over(end.since(flow.start)));
    }
    let to = match (flow.completed(), flow.stop.get()) {
        (Some(at), _) => at,
        // Data that were posted before the stop may arrive after it.
        (None, Some(stop)) => stop.max(flow.last_delivery.get().unwrap_or(Time::ZERO)).min(end),
        (None, None) => end,
    };
    (flow.start < to).then(|| flow.delivered.bps_over(to.since(flow.start)))
}
