//! Jobs, as their ranks stand at the end of the run.
//!
//! Invariant: a job is complete if no operation of any rank is left.

use scenario::Plan;
use telemetry::{JobRecord, MOST_WAITING, WaitingRank};
use units::{Bytes, Time};
use workload::job::closed_forms::busbw_factor;
use workload::job::{Job, RankReport};

use crate::state::world::World;

/// Returns the jobs of a plan, in their order.
pub(super) fn of(plan: &Plan, world: &World<'_>) -> Vec<JobRecord> {
    let jobs = &plan.workload().jobs;
    if jobs.is_empty() {
        return Vec::new();
    }
    let reports = world.job_ranks();
    let record = |(number, job): (u32, &Job)| {
        let ranks: Vec<&RankReport> = reports.iter().filter(|report| report.job == number).collect();
        let left: u64 = ranks.iter().map(|report| report.left).sum();
        let last = ranks.iter().filter_map(|report| report.last_end).max().unwrap_or(job.start);
        JobRecord {
            name: job.name.clone(),
            ranks: job.programs.ranks.len() as u32,
            hosts: job.hosts_in_use() as u32,
            start: job.start,
            end: (left == 0 && world.now() >= job.start).then_some(last),
            iterations: job.iterations,
            ends: ends(&ranks),
            collective: job.collective.as_ref().and_then(|of_groups| {
                let (collective, _) = &**of_groups;
                let factor = busbw_factor(collective.kind(), collective.ranks())?;
                Some((Bytes::new(collective.bytes()), factor))
            }),
            operations: job.operations,
            ended: job.operations - left,
            messages: job.messages,
            bytes: Bytes::new(job.bytes),
            waiting: ranks.iter().filter_map(|report| waiting(report)).take(MOST_WAITING).collect(),
        }
    };
    (0..).zip(jobs).map(record).collect()
}

/// Returns the end of each iteration that all ranks have ended.
fn ends(ranks: &[&RankReport]) -> Vec<Time> {
    let complete = ranks.iter().map(|report| report.ends.len()).min().unwrap_or(0);
    (0..complete).filter_map(|iteration| ranks.iter().map(|report| report.ends[iteration]).max()).collect()
}

fn waiting(report: &RankReport) -> Option<WaitingRank> {
    let (operation, from, tag) = report.waits?;
    let some = |number: u32| (number != u32::MAX).then_some(number);
    Some(WaitingRank { rank: report.rank, operation, from: some(from), tag: some(tag) })
}
