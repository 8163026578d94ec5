//! The last delivery of a group.
//!
//! Invariant: a group is done only if the scenario lets its traffic end, and all of it was posted and delivered.

use crate::censoring::CensoredValue;
use telemetry::FlowRecord;
use units::Time;

use super::group::Group;
use super::measured::Missing;
use super::messages::{has_excluded, mask, seconds};
use super::{MeasuredRun, Posting};

/// Start of a group's first flow, and its last delivery if all of it is delivered.
struct Delivery {
    first: Time,
    last: Option<Time>,
}

/// Returns the time from the start of the group's first flow to its last delivery.
pub(super) fn last(run: MeasuredRun<'_>, group: &Group<'_>) -> Result<CensoredValue, Missing> {
    let Delivery { first, last } = delivery(run, group)?;
    let since = |time: Time| seconds(time.since(first));
    let at_least = || CensoredValue::AtLeast { at_least: since(run.record.simulated.after_start()) };
    Ok(last.map_or_else(at_least, |last| since(last).into()))
}

/// Returns the time of the group's last delivery, if all of it is delivered.
pub(super) fn delivered_at(run: MeasuredRun<'_>, group: &Group<'_>) -> Option<Time> {
    delivery(run, group).ok()?.last
}

fn delivery(run: MeasuredRun<'_>, group: &Group<'_>) -> Result<Delivery, Missing> {
    let record = run.record;
    let end = record.simulated.after_start();
    let flows = || group.flows.iter().map(|flow| &record.flows[*flow]);
    if group.flows.iter().any(|flow| run.ends[*flow] == Posting::Endless) {
        return Err(Missing::Endless);
    }
    let first =
        flows().map(|flow| flow.start).filter(|start| *start < end).min().ok_or(Missing::NotActive)?;
    let stopped = group.flows.iter().filter(|flow| record.flows[**flow].total.is_none());
    let stopped: Vec<_> = stopped.copied().collect();
    // A run may end as soon as all finite traffic is done, before the time at which a flow would have had to stop.
    let all_is_done = record.finite.is_some_and(|finite| finite.done.is_some());
    let is_done = all_is_done
        || flows().filter(|flow| flow.total.is_some()).all(FlowRecord::complete)
            && (stopped.is_empty() || are_done(run, &stopped, end)?);
    if !is_done {
        return Ok(Delivery { first, last: None });
    }
    let last = flows().filter_map(|flow| flow.last_delivery.get()).max().ok_or(Missing::NoMessage)?;
    Ok(Delivery { first, last: Some(last) })
}

/// Returns true if these flows have posted their last message by `end`, and delivered all. Their amount of data is not
/// known beforehand.
fn are_done(run: MeasuredRun<'_>, flows: &[usize], end: Time) -> Result<bool, Missing> {
    let all = run.record.completions.as_ref().ok_or(Missing::CompletionsNotKept)?;
    if has_excluded(run.record, flows) {
        return Err(Missing::MessagesNotDistinct);
    }
    let posts = |flow: &usize| run.ends[*flow] != Posting::Endless && !stops_by(run.ends[*flow], end);
    let is_member = mask(run.record, flows);
    let waits = all.messages.iter().any(|one| one.completed.is_none() && is_member[one.flow as usize]);
    Ok(!waits && !flows.iter().any(posts))
}

fn stops_by(ends: Posting, end: Time) -> bool {
    matches!(ends, Posting::Ends(stop) if stop <= end)
}
