//! The exit status of a run with results: the first of its faults, in the same order for all verbs.
//!
//! Invariant: of several faults the first of 3, 4, 8, 7, 9, 10, 6 counts. A violated invariant and a deadlock leave no
//! results, and end a verb before it comes here. An interrupted run reports the interruption alone.

use backwater::{Loss, Plan, RunRecord};
use fabric::longest_drain;
use results::failures;
use results::tables::printed;
use results::verdict::stuck;
use telemetry::{JobRecord, MOST_WAITING, RunEnding, StuckCause, WaitingRank};

use crate::failure::Failure;

/// Returns the failure of a run that has ended, if any; `drain` if it was to be drained.
pub(crate) fn checked(plan: &Plan, record: &RunRecord, drain: bool) -> Result<(), Failure> {
    ended(plan, record)?;
    if drain { drained(plan, record) } else { Ok(()) }
}

fn ended(plan: &Plan, record: &RunRecord) -> Result<(), Failure> {
    let simulated_s = record.simulated.seconds();
    if record.ended == RunEnding::Interrupted {
        return Err(Failure::Interrupted { simulated_s });
    }
    if let Some(since) = record.stands_still {
        return Err(Failure::StandsStill(printed::standstill(since.seconds())));
    }
    if let Some(loss) = Loss::of(plan, record) {
        return Err(Failure::NotLossless(loss));
    }
    let delivered = printed::delivered(record);
    match record.ended {
        RunEnding::GaveUp => {
            let failed = printed::failed(&failures(record));
            Err(Failure::GaveUp { simulated_s, delivered, failed })
        }
        RunEnding::Stuck => {
            let help = stuck_help(record.jobs.iter().find_map(|job| job.stuck));
            Err(Failure::Stuck { simulated_s, waiting: waiting(record), help })
        }
        RunEnding::Interrupted | RunEnding::NotDone | RunEnding::AtDuration | RunEnding::Done => {
            match unequal(record) {
                Some(unequal) => Err(Failure::UnequalSizes(unequal)),
                None if record.ended == RunEnding::NotDone => {
                    Err(Failure::NotDone { simulated_s, delivered })
                }
                None => Ok(()),
            }
        }
    }
}

/// Returns the correction of a job that cannot go on.
fn stuck_help(cause: Option<StuckCause>) -> String {
    match cause {
        Some(StuckCause::Lost) => {
            "packets were lost, and UC sends none again: write `transport: Rc` in the job, or a fabric that loses none".to_owned()
        }
        Some(StuckCause::Rendezvous(least)) => format!(
            "messages of {least} and more wait for their receive, and receives wait for such messages: write a larger \
             `rendezvous`, or let ranks post their receives before they wait for sends"
        ),
        Some(StuckCause::AnyMessage) => {
            "receives from any rank, or with any tag, have taken messages that others were for: name the rank and the tag in them"
                .to_owned()
        }
        Some(StuckCause::Order) | None => {
            "messages from one rank with one tag are taken in the order of posting, and receives were posted in another: give \
             such messages different tags, or let one operation require the other"
                .to_owned()
        }
    }
}

/// Names a receive of a job that has taken a message of another size.
fn unequal(record: &RunRecord) -> Option<String> {
    let (job, found) = record.unequal()?;
    Some(format!("rank {} of `{}` {}", found.receive.0, job.name, stuck::took(&found)))
}

/// Names the operations that ranks of jobs wait at.
fn waiting(record: &RunRecord) -> String {
    let of_rank = |job: &JobRecord, rank: &WaitingRank| {
        format!("rank {} of `{}` {}", rank.rank, job.name, stuck::waits_at(rank))
    };
    let all = record.jobs.iter().flat_map(|job| job.waiting.iter().map(move |rank| of_rank(job, rank)));
    all.take(MOST_WAITING).collect::<Vec<_>>().join("; ")
}

/// Returns the failure of a run that was to be drained, and has ended otherwise by itself, if its drain took too long.
fn drained(plan: &Plan, record: &RunRecord) -> Result<(), Failure> {
    if record.audit.drained {
        return Ok(());
    }
    let left = format!("{} packets are under way, and others wait in their hosts", record.audit.under_way);
    Err(Failure::NotDrained { longest: longest_drain(plan), left })
}

/// Returns a line for each fault by which a run's fabric does not do its work.
pub(crate) fn faults(plan: &Plan, record: &RunRecord) -> impl Iterator<Item = String> {
    let standstill = record.stands_still.map(|since| printed::standstill(since.seconds()));
    let loss = Loss::of(plan, record).map(|loss| loss.to_string());
    standstill.into_iter().chain(loss)
}

/// Returns the failure of several runs, which were to be drained or not: the first in the order of faults, and among
/// equal failures the first run's.
pub(crate) fn checked_all<'a>(
    runs: impl Iterator<Item = (&'a Plan, &'a RunRecord)>,
    drain: bool,
) -> Result<(), Failure> {
    let failures = runs.filter_map(|(plan, record)| checked(plan, record, drain).err());
    failures.min_by_key(Failure::rank).map_or(Ok(()), Err)
}
