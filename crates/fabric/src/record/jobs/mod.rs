//! Jobs, as their ranks stand at the end of the run, and their measures.
//!
//! Invariant: a job is complete if no operation of any rank is left.
//!
//! | module | contents |
//! |---|---|
//! | here | jobs, their ranks and their operations |
//! | `ideal` | ideal times of a job's messages, and of the job |
//! | `path` | the critical path, its steps by parts |
//! | `own` | messages of a host that keep each other waiting |
//! | `blame` | outputs and trees that late messages are blamed on |

mod blame;
mod ideal;
mod own;
mod path;

use std::collections::BTreeSet;

use scenario::Plan;
use telemetry::{
    CriticalPath, JobMeasures, JobRecord, MOST_OPERATIONS, MOST_WAITING, NotMeasured, OperationKind,
    OperationRecord, RankRecord, WaitingRank,
};
use units::{Bytes, Span, Time};
use workload::job::spans::{self, RankSpans};
use workload::job::{Job, RankReport, RankTimes, Work};

use crate::observe::trees::JobWait;
use crate::state::world::World;
use ideal::IdealMessages;

/// A job of a run, with all that its measures are made of.
struct Measured<'a> {
    plan: &'a Plan,
    job: &'a Job,
    /// By rank.
    reports: &'a [&'a RankReport],
    times: Vec<&'a RankTimes>,
    /// Waits of all jobs, by flow and time.
    waits: &'a [JobWait],
    lossy: bool,
}

/// Returns the jobs of a plan, in their order. `waits` are the samples at which data of jobs waited; `lossy` is true
/// if a packet was lost.
pub(super) fn of(plan: &Plan, world: &World<'_>, mut waits: Vec<JobWait>, lossy: bool) -> Vec<JobRecord> {
    let jobs = &plan.workload().jobs;
    if jobs.is_empty() {
        return Vec::new();
    }
    waits.sort_unstable_by_key(|wait| (wait.flow, wait.at, wait.output));
    let all = world.job_ranks();
    let record = |(number, job): (u32, &Job)| {
        let reports: Vec<&RankReport> = all.iter().filter(|report| report.job == number).collect();
        let left: u64 = reports.iter().map(|report| u64::from(report.left)).sum();
        let last = reports.iter().filter_map(|report| report.last_end).max().unwrap_or(job.start);
        let times = reports.iter().filter_map(|report| report.times.as_ref()).collect();
        let measured = Measured { plan, job, reports: &reports, times, waits: &waits, lossy };
        JobRecord {
            name: job.name.clone(),
            ranks: job.programs.ranks.len() as u32,
            start: job.start,
            end: (left == 0 && world.now() >= job.start).then_some(last),
            operations: job.operations,
            ended: job.operations - left,
            messages: job.messages,
            bytes: Bytes::new(job.bytes),
            waiting: reports.iter().filter_map(|report| waiting(report)).take(MOST_WAITING).collect(),
            measures: measured.measures(world.now()),
        }
    };
    (0..).zip(jobs).map(record).collect()
}

fn waiting(report: &RankReport) -> Option<WaitingRank> {
    let (operation, from, tag) = report.waits?;
    let some = |number: u32| (number != u32::MAX).then_some(number);
    Some(WaitingRank { rank: report.rank, operation, from: some(from), tag: some(tag) })
}

impl Measured<'_> {
    fn measures(&self, now: Time) -> JobMeasures {
        if self.times.len() < self.job.programs.ranks.len() {
            return JobMeasures::default();
        }
        let mut ideal = IdealMessages::new(self.plan, self.job);
        let path = self.path(&mut ideal);
        let ranks = (0..).zip(self.reports).map(|(rank, report)| self.rank(rank, report, now)).collect();
        let operations = self.operations(path.as_ref().ok());
        let mut measures = JobMeasures { ideal: ideal.completion(), ranks, path, operations };
        if let Ok(path) = &measures.path {
            for step in &path.steps {
                measures.ranks[step.rank as usize].critical += step.end.since(step.start);
            }
        }
        measures
    }

    fn path(&self, ideal: &mut IdealMessages<'_>) -> Result<CriticalPath, NotMeasured> {
        let is_reliable = self.plan.workload().flows.get(self.job.first_flow as usize);
        let is_reliable = is_reliable.is_none_or(|flow| flow.transport.is_reliable());
        if self.lossy && !is_reliable {
            return Err(NotMeasured::Lossy);
        }
        path::of(self, ideal)
    }

    fn rank(&self, rank: u32, report: &RankReport, now: Time) -> RankRecord {
        let graph = &self.job.programs.ranks[rank as usize];
        let is_done = report.left == 0 && now >= self.job.start;
        let end = is_done.then(|| report.last_end.unwrap_or(self.job.start));
        let until = end.unwrap_or(now);
        let RankSpans {
            whole: _,
            computing,
            exposed,
            overlap,
            waited,
            unexpected,
            unexpected_wait,
            messages,
            bytes,
        } = spans::of_rank(graph, self.times[rank as usize], until);
        RankRecord {
            rank,
            host: self.plan.graph().name(self.job.hosts[rank as usize]).to_owned(),
            end,
            computing,
            exposed,
            overlap,
            waited,
            unexpected,
            unexpected_wait,
            messages,
            bytes: Bytes::new(bytes),
            critical: Span::ZERO,
        }
    }

    /// Returns the operations of the critical path, and others while there is room, by rank and number.
    fn operations(&self, path: Option<&CriticalPath>) -> Vec<OperationRecord> {
        let steps = path.into_iter().flat_map(|path| &path.steps);
        let critical: BTreeSet<(u32, u32)> = steps
            .flat_map(|step| [Some((step.rank, step.operation)), step.to.zip(step.receive)])
            .flatten()
            .take(MOST_OPERATIONS)
            .collect();
        let mut room = MOST_OPERATIONS - critical.len();
        let mut all = Vec::new();
        for (rank, graph) in (0..).zip(&self.job.programs.ranks) {
            for id in 0..graph.operations() as u32 {
                let is_critical = critical.contains(&(rank, id));
                if is_critical || room > 0 {
                    room -= usize::from(!is_critical);
                    all.push(self.operation(rank, id, is_critical));
                }
            }
        }
        all
    }

    fn operation(&self, rank: u32, id: u32, is_critical: bool) -> OperationRecord {
        let times = self.times[rank as usize];
        let reached = |at: Time| (at != Time::NEVER).then_some(at);
        let (kind, peer, bytes) = match self.job.programs.ranks[rank as usize].operation(id).work {
            Work::Send { to, bytes, .. } => (OperationKind::Send, Some(to), bytes),
            Work::Receive { from, bytes, .. } => (OperationKind::Receive, from, bytes),
            Work::Compute { .. } => (OperationKind::Compute, None, 0),
        };
        OperationRecord {
            rank,
            operation: id,
            kind,
            peer,
            bytes: Bytes::new(bytes),
            start: reached(times.started[id as usize]),
            end: reached(times.ended[id as usize]),
            is_critical,
        }
    }
}
