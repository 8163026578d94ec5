//! Measures of a run, of groups of its flows.
//!
//! Invariant: a measure that a run lacks has a reason instead of a number, never 0. A number that unfinished messages
//! could change is a lower bound, and says so.
//!
//! | module | contents |
//! |---|---|
//! | `measured` | numbers with their reasons |
//! | `messages` | quantiles and means of completion times |
//! | `group` | the flows of a group |
//! | `last` | the last delivery |
//! | `jobs` | completion, critical path and bandwidth of a job |
//! | `rates` | goodput and fairness |
//! | `over_time` | oscillation and recovery |
//! | `fabric_wide` | pauses, stalls, queues, losses |

mod fabric_wide;
mod group;
mod jobs;
mod last;
mod measured;
mod messages;
mod over_time;
mod rates;

use std::num::NonZeroU32;

use telemetry::RunRecord;
use units::Time;

use crate::censoring::CensoredValue;
use crate::language::{ALL, Measure};
use crate::quantity::{Quantity, Reach};
use fabric_wide::count;
use group::Group;

pub use measured::{Measured, Missing, twelve_digits};

/// Name of the group of flows that have neither a name nor a group.
pub const OTHERS: &str = "others";
/// Name of the group of flows that waited in a congestion tree without leading to its root.
pub const VICTIMS: &str = "victims";
/// Name of the group of flows that led to the root of a congestion tree.
pub const CONTRIBUTORS: &str = "contributors";

/// Largest number of named flows, and of jobs, that are listed individually.
const MOST_FLOWS: usize = 64;
/// Largest number of phases that are listed individually.
const MOST_PHASES: usize = 16;

/// A run as measures read it.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredRun<'a> {
    /// Record of the run.
    pub record: &'a RunRecord,
    /// For each flow, the end of its posting.
    pub ends: &'a [Posting],
}

/// End of a flow's posting, as the scenario declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posting {
    /// The flow does not end by itself.
    Endless,
    /// The flow ends by a number of messages, a list, or a stop; no message is posted from this time on, if a time is
    /// declared.
    Ends(Time),
}

/// Returns every measure of every group of a run, sorted by group, then by quantity, then by phase. Groups are `all`,
/// the scenario's groups in its order, its first 64 named flows, `others`, `victims`, `contributors`. The whole run
/// precedes its first 16 phases. The scenario's first 64 jobs come last. [`one`] measures all others.
#[must_use]
pub fn all(run: MeasuredRun<'_>) -> Vec<Measured> {
    let groups = run.record.groups.iter().map(|group| group.name.as_str());
    let flows = run.record.flows[..run.record.named()].iter().map(|flow| &*flow.name);
    let jobs = run.record.jobs.iter().map(|job| job.name.as_str());
    let measures = list(groups, flows, run.record.phases.len());
    several(run, measures.into_iter().chain(of_jobs(jobs)))
}

/// Returns these measures of a run, in their order. Measures of a group are fastest if they stand together.
#[must_use]
pub fn several(run: MeasuredRun<'_>, measures: impl IntoIterator<Item = Measure>) -> Vec<Measured> {
    let mut found: Option<(String, Result<Group<'_>, Missing>)> = None;
    let mut numbers = Vec::new();
    for measure in measures {
        // Measures of a group stand together, so its messages are sorted once.
        let (_, group) = match found.take() {
            Some(found_before) if found_before.0 == measure.group => found.insert(found_before),
            _ => found.insert((measure.group.clone(), Group::find(run, &measure.group))),
        };
        numbers.push(measured(run, &measure, group.as_ref().map_err(Clone::clone)));
    }
    numbers
}

/// Returns quantities of all flows over the whole run, in their order. Unlike a measure, the group `all` always means
/// all flows here, whatever names the scenario gives.
#[must_use]
pub fn of_all_flows(run: MeasuredRun<'_>, quantities: &[Quantity]) -> Vec<Measured> {
    let group = Group::whole(run);
    let of = |quantity: &Quantity| measured(run, &Measure::of_all(*quantity), Ok(&group));
    quantities.iter().map(of).collect()
}

/// Returns a measure of a run.
#[must_use]
pub fn one(run: MeasuredRun<'_>, measure: &Measure) -> Measured {
    let group = Group::find(run, &measure.group);
    measured(run, measure, group.as_ref().map_err(Clone::clone))
}

/// Returns the time of a group's last delivery, if its traffic ends and all of it is delivered.
#[must_use]
pub fn delivered_at(run: MeasuredRun<'_>, group: &str) -> Option<Time> {
    last::delivered_at(run, &Group::find(run, group).ok()?)
}

/// Returns the measures that [`all`] lists, of the groups and named flows of a run with a number of phases.
pub fn list<'a>(
    groups: impl Iterator<Item = &'a str>,
    flows: impl Iterator<Item = &'a str>,
    phases: usize,
) -> Vec<Measure> {
    let own = groups.chain(flows.take(MOST_FLOWS)).filter(|name| *name != ALL);
    with_common_names(own)
        .into_iter()
        .flat_map(|group| of_group(group, phases.min(MOST_PHASES) as u32))
        .collect()
}

/// Returns the measures of the first 64 of these jobs.
pub fn of_jobs<'a>(jobs: impl Iterator<Item = &'a str>) -> Vec<Measure> {
    let quantities = || Quantity::ALL.into_iter().filter(|one| one.info().reach == Reach::Job);
    let of_job = |job: &'a str| {
        quantities().map(move |quantity| Measure { group: job.to_owned(), quantity, phase: None })
    };
    jobs.take(MOST_FLOWS).flat_map(of_job).collect()
}

/// Returns names of groups between `all` and those that every run has: `others`, `victims` and `contributors`.
pub fn with_common_names<'a>(own: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<_> = [ALL].into_iter().chain(own).collect();
    for name in [OTHERS, VICTIMS, CONTRIBUTORS] {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn of_group(group: &str, phases: u32) -> Vec<Measure> {
    let of = |quantity: Quantity| {
        let in_phases = match quantity.info().reach {
            // A group is no job.
            Reach::Job => return vec![],
            Reach::Fabric if group != ALL => return vec![],
            Reach::Run | Reach::Fabric => 0,
            Reach::RunOrPhase | Reach::Phase => phases,
        };
        let measure = |phase| Measure { group: group.to_owned(), quantity, phase };
        (0..=in_phases).map(NonZeroU32::new).map(measure).collect::<Vec<_>>()
    };
    Quantity::ALL.into_iter().flat_map(of).collect()
}

/// Measures a quantity of a group, or hands on the reason that the group cannot be measured.
fn measured(run: MeasuredRun<'_>, measure: &Measure, group: Result<&Group<'_>, Missing>) -> Measured {
    let number = match measure.quantity.info().reach {
        Reach::Job => jobs::number(run.record, measure),
        _ => group.and_then(|group| number(run, measure, group)),
    };
    Measured::new(measure.clone(), number)
}

fn number(run: MeasuredRun<'_>, measure: &Measure, group: &Group<'_>) -> Result<CensoredValue, Missing> {
    let phase = measure.phase;
    let record = run.record;
    match measure.quantity {
        Quantity::P50 => group.messages()?.time(0.5),
        Quantity::P95 => group.messages()?.time(0.95),
        Quantity::P99 => group.messages()?.time(0.99),
        Quantity::P999 => group.messages()?.time(0.999),
        Quantity::MeanCompletion => group.messages()?.mean_time(),
        Quantity::Last => last::last(run, group),
        Quantity::SlowdownP50 => group.messages()?.slowdown(0.5),
        Quantity::SlowdownP99 => group.messages()?.slowdown(0.99),
        Quantity::MessageRate => Ok(group.turnover()?.messages_per_s.into()),
        Quantity::StillHosts => Ok(group.turnover()?.still_hosts.into()),
        Quantity::MeanLatency => group.totals().mean_latency_s().map(Into::into).ok_or(Missing::NoGoodput),
        Quantity::LongestLatency => {
            group.totals().longest_latency_s().map(Into::into).ok_or(Missing::NoGoodput)
        }
        Quantity::OutOfOrder => group.totals().out_of_order().map(Into::into).ok_or(Missing::NoGoodput),
        Quantity::ReorderExtent => Ok(count(group.totals().repeats.farthest)),
        Quantity::ReorderBytes => Ok(count(group.totals().repeats.held_bytes)),
        Quantity::Goodput => rates::goodput(record, group, phase),
        Quantity::LeastGoodput => rates::least(record, group, phase),
        Quantity::Fairness => rates::fairness(record, group, phase),
        Quantity::Oscillation => over_time::oscillation(record, group, phase),
        Quantity::Recovery => over_time::recovery(record, group, phase),
        Quantity::Paused => fabric_wide::paused(record, group),
        Quantity::Stalled => fabric_wide::stalled(record, group),
        Quantity::Waited => fabric_wide::waited(record, group),
        Quantity::Marks => Ok(count(group.totals().marks.total())),
        Quantity::Becns => Ok(count(group.totals().becns)),
        Quantity::Cnps => Ok(count(record.transport.cnps)),
        Quantity::FlowControl => Ok(count(record.flow_control_packets)),
        Quantity::PauseFrames => fabric_wide::pause_frames(record),
        Quantity::Dropped => Ok(count(record.dropped_packets)),
        Quantity::Retransmitted => Ok(count(record.transport.retransmitted)),
        Quantity::QueueP99 => fabric_wide::queue_p99(record),
        Quantity::QueuePeak => fabric_wide::queue_peak(record),
        Quantity::JobCompletion
        | Quantity::JobSlowdown
        | Quantity::LongestIteration
        | Quantity::Exposed
        | Quantity::Spread
        | Quantity::PathLate
        | Quantity::PathBlamed
        | Quantity::Algbw
        | Quantity::Busbw => jobs::number(record, measure),
    }
}

#[cfg(test)]
mod tests;
