//! The exit status of a run with results: the first of its faults, in the same order for all verbs.
//!
//! Invariant: of several faults the first of 3, 4, 8, 7, 9, 10, 6 counts. A violated invariant and a deadlock leave no
//! results, and end a verb before it comes here. An interrupted run reports the interruption alone.

use backwater::{Loss, Plan, RunRecord};
use fabric::longest_drain;
use results::failures;
use results::tables::printed;
use telemetry::{JobRecord, MOST_WAITING, RunEnding, WaitingRank};

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
        RunEnding::Stuck => Err(Failure::Stuck { simulated_s, waiting: waiting(record) }),
        RunEnding::NotDone => Err(Failure::NotDone { simulated_s, delivered }),
        RunEnding::Interrupted | RunEnding::AtDuration | RunEnding::Done => Ok(()),
    }
}

/// Names the operations that ranks of jobs wait at.
fn waiting(record: &RunRecord) -> String {
    let of_rank = |job: &JobRecord, rank: &WaitingRank| {
        let any = |number: Option<u32>| number.map_or("any".to_owned(), |number| number.to_string());
        let WaitingRank { rank, operation, from, to, tag } = *rank;
        let at = format!("rank {rank} of `{}` waits at operation {operation}", job.name);
        match to {
            Some(to) => format!("{at} until rank {to} takes its message with tag {}", any(tag)),
            None => format!("{at} for a message from rank {} with tag {}", any(from), any(tag)),
        }
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
