//! Jobs, as their ranks stand at the end of the run, and their measures.
//!
//! Invariant: a job is complete if no operation of any rank is left.
//!
//! | module | contents |
//! |---|---|
//! | here | jobs, their ranks and their operations |
//! | `path` | the critical path, its steps by parts |
//! | `hosts` | messages of a host that keep each other waiting |
//! | `turns` | the order in which they leave, if nothing holds them up |
//! | `blame` | outputs and trees that late messages are blamed on |

mod blame;
mod hosts;
mod path;
mod turns;

use std::collections::BTreeSet;

use scenario::{JobIdeal, Plan};
use telemetry::{
    Completions, CriticalPath, JobMeasures, JobRecord, MOST_OPERATIONS, MOST_WAITING, NotMeasured,
    OperationKind, OperationRecord, RankRecord, StuckCause, UnequalSizes, WaitingRank,
};
use units::{Bytes, Span, Time};
use workload::job::closed_forms::busbw_factor;
use workload::job::sizes;
use workload::job::spans::{self, RankSpans};
use workload::job::{Channel, Job, OperationId, Programs, RankReport, RankTimes, Work};

use self::hosts::AllMessages;
use crate::observe::trees::JobWait;

/// An operation: its rank, and its number among the rank's operations of all iterations.
type RunOperation = (u32, OperationId);

/// A job of a run, with all that its measures are made of.
struct Measured<'a> {
    plan: &'a Plan,
    job: &'a Job,
    /// By rank.
    reports: &'a [&'a RankReport],
    times: Vec<&'a RankTimes>,
    /// Waits of all jobs, by flow and time.
    waits: &'a [JobWait],
    /// Messages of all flows.
    all: &'a AllMessages,
    lossy: bool,
}

/// Observations of a run with jobs.
pub(super) struct Observed<'a> {
    /// Ranks of all jobs, job by job.
    pub(super) ranks: Vec<RankReport>,
    /// Samples at which data of jobs waited.
    pub(super) waits: Vec<JobWait>,
    /// Messages of all flows, if they are kept.
    pub(super) completions: Option<&'a Completions>,
    /// True if a packet was lost.
    pub(super) lossy: bool,
    /// True if the run has ended since no job could go on.
    pub(super) stuck: bool,
    /// End of the run.
    pub(super) now: Time,
}

/// Returns the jobs of a plan, in their order.
pub(super) fn of(plan: &Plan, observed: Observed<'_>) -> Vec<JobRecord> {
    let Observed { ranks: all, mut waits, completions, lossy, stuck, now } = observed;
    let jobs = &plan.workload().jobs;
    if jobs.is_empty() {
        return Vec::new();
    }
    waits.sort_unstable_by_key(|wait| (wait.flow, wait.at, wait.output));
    let messages = AllMessages::new(plan, completions);
    let record = |(number, job): (u32, &Job)| {
        let reports: Vec<&RankReport> = all.iter().filter(|report| report.job == number).collect();
        let left: u64 = reports.iter().map(|report| report.left).sum();
        let last = reports.iter().filter_map(|report| report.last_end).max().unwrap_or(job.start);
        let times = reports.iter().filter_map(|report| report.times.as_ref()).collect();
        let measured = Measured { plan, job, reports: &reports, times, waits: &waits, all: &messages, lossy };
        let waiting: Vec<_> = reports.iter().flat_map(|report| waiting(report)).collect();
        let is_timed = measured.times.len() == job.programs.ranks.len();
        JobRecord {
            name: job.name.clone(),
            ranks: job.programs.ranks.len() as u32,
            hosts: job.hosts_in_use() as u32,
            start: job.start,
            end: (left == 0 && now >= job.start).then_some(last),
            iterations: job.iterations,
            runs: job.runs,
            ends: ends(&reports),
            collective: job.collective.as_ref().and_then(|of_groups| {
                let (collective, _) = &**of_groups;
                // The bandwidth of a part says nothing of the whole.
                if collective.cut().is_some() {
                    return None;
                }
                let factor = busbw_factor(collective.kind(), collective.ranks())?;
                Some((Bytes::new(collective.bytes()), factor))
            }),
            operations: job.operations,
            ended: job.operations - left,
            messages: job.messages,
            bytes: Bytes::new(job.bytes),
            stuck: (stuck && left > 0).then(|| measured.stuck(&waiting)),
            unequal: if is_timed { unequal(&job.programs, &measured.times) } else { None },
            waiting: waiting.into_iter().take(MOST_WAITING).collect(),
            measures: measured.measures(now, left == 0),
        }
    };
    (0..).zip(jobs).map(record).collect()
}

/// Returns the end of each iteration that all ranks have ended.
fn ends(ranks: &[&RankReport]) -> Vec<Time> {
    let complete = ranks.iter().map(|report| report.ends.len()).min().unwrap_or(0);
    (0..complete).filter_map(|iteration| ranks.iter().map(|report| report.ends[iteration]).max()).collect()
}

/// Returns the first message that was taken by a receive of another size.
fn unequal(programs: &Programs, times: &[&RankTimes]) -> Option<UnequalSizes> {
    let sizes::Unequal { send, sent, receive, received } = sizes::unequal(programs, times)?;
    Some(UnequalSizes { send, sent: Bytes::new(sent), receive, received: Bytes::new(received) })
}

fn waiting(report: &RankReport) -> impl Iterator<Item = WaitingRank> {
    let some = |number: u32| (number != u32::MAX).then_some(number);
    let rank = report.rank;
    let receive = report.waits.map(|(operation, from, tag)| {
        let (from, tag) = (some(from), some(tag));
        WaitingRank { rank, operation, from, to: None, tag }
    });
    let send = report.asks.map(|(operation, to, tag)| {
        let (to, tag) = (Some(to), Some(tag));
        WaitingRank { rank, operation, from: None, to, tag }
    });
    receive.into_iter().chain(send)
}

impl Measured<'_> {
    fn measures(&self, now: Time, is_complete: bool) -> JobMeasures {
        let mut ideal = JobIdeal::new(self.plan, self.job);
        if self.times.len() < self.job.programs.ranks.len() {
            // The ideal of a large ring takes seconds: too long for a run that was cut short.
            let none = JobMeasures::default();
            return if is_complete { JobMeasures { ideal: ideal.completion(), ..none } } else { none };
        }
        let (path, critical) = match self.path(&mut ideal) {
            Ok((path, critical)) => (Ok(path), critical),
            Err(none) => (Err(none), BTreeSet::new()),
        };
        let ranks = (0..).zip(self.reports).map(|(rank, report)| self.rank(rank, report, now)).collect();
        let operations = self.operations(&critical);
        let replayed = ideal.replayed();
        let ideal_ends = replayed.iter().flat_map(|replayed| &replayed.iterations);
        let mut measures = JobMeasures {
            ideal_ends: ideal_ends.map(|end| end.since_start()).collect(),
            ideal: replayed.map(|replayed| replayed.completion()),
            ranks,
            path,
            operations,
        };
        if let Ok(path) = &measures.path {
            for step in &path.steps {
                measures.ranks[step.rank as usize].critical += step.end.since(step.start);
            }
        }
        measures
    }

    fn path(&self, ideal: &mut JobIdeal<'_>) -> Result<(CriticalPath, BTreeSet<RunOperation>), NotMeasured> {
        if self.lossy && !self.is_reliable() {
            return Err(NotMeasured::Lossy);
        }
        path::of(self, ideal)
    }

    /// Returns the reason for which the job cannot go on, by all of its ranks that wait.
    fn stuck(&self, waiting: &[WaitingRank]) -> StuckCause {
        let Self { plan, job, .. } = *self;
        let asking = job.rendezvous.map(|least| StuckCause::Rendezvous(Bytes::new(least)));
        let none = JobIdeal::new(plan, job).replayed().err();
        match asking {
            _ if self.lossy && !self.is_reliable() => StuckCause::Lost,
            Some(asking) if none == Some(NotMeasured::Circle) || waiting.iter().all(|it| it.to.is_some()) => {
                asking
            }
            _ if waiting.iter().any(|wait| self.is_open(wait)) => StuckCause::AnyMessage,
            _ => StuckCause::Order,
        }
    }

    /// Returns true if a receive from any rank, or with any tag, may have taken the message that a rank waits for, or
    /// may not have taken the message that it asks with.
    fn is_open(&self, WaitingRank { rank, from, to, tag, .. }: &WaitingRank) -> bool {
        let ranks = &self.job.programs.ranks;
        let [any_rank, any_tag] = [from, tag].map(|number| number.unwrap_or(Channel::ANY));
        match to {
            Some(to) => ranks[*to as usize].may_take(Channel { peer: *rank, tag: any_tag }),
            None => ranks[*rank as usize].may_take(Channel { peer: any_rank, tag: any_tag }),
        }
    }

    fn is_reliable(&self) -> bool {
        let flow = self.plan.workload().flows.get(self.job.first_flow as usize);
        flow.is_none_or(|flow| flow.transport.is_reliable())
    }

    fn rank(&self, rank: u32, report: &RankReport, now: Time) -> RankRecord {
        let graph = &self.job.programs.ranks[rank as usize];
        let start = self.job.starts[rank as usize];
        let is_done = report.left == 0 && now >= start;
        let end = is_done.then(|| report.last_end.unwrap_or(start));
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
            operations: self.times[rank as usize].started.len() as u64,
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

    /// Returns the operations of the critical path, and of ranks at equal distances while there is room, by rank,
    /// iteration and number.
    fn operations(&self, critical: &BTreeSet<RunOperation>) -> Vec<OperationRecord> {
        let mut room = MOST_OPERATIONS - critical.len();
        let others = self.times.iter().map(|times| times.started.len()).sum::<usize>() - critical.len();
        // The first ranks alone would not show the job.
        let every = others.div_ceil(room.max(1)).max(1) as u32;
        let mut all = Vec::new();
        for (rank, times) in (0..).zip(&self.times) {
            for id in 0..times.started.len() as u32 {
                let is_critical = critical.contains(&(rank, id));
                if is_critical || (room > 0 && rank.is_multiple_of(every)) {
                    room -= usize::from(!is_critical);
                    all.push(self.operation(rank, id, is_critical));
                }
            }
        }
        all
    }

    /// Returns the number of an operation in its program, and the run of the program.
    fn place(&self, rank: u32, id: OperationId) -> (OperationId, u32) {
        let count = self.job.programs.ranks[rank as usize].operations() as u32;
        (id % count, id / count)
    }

    fn operation(&self, rank: u32, id: u32, is_critical: bool) -> OperationRecord {
        let times = self.times[rank as usize];
        let reached = |at: Time| (at != Time::NEVER).then_some(at);
        let (operation, iteration) = self.place(rank, id);
        let work = self.job.programs.ranks[rank as usize].operation(operation).work;
        let (kind, peer, bytes) = match work {
            Work::Send { to, bytes, .. } => (OperationKind::Send, Some(to), bytes),
            Work::Receive { from, bytes, .. } => (OperationKind::Receive, from, bytes),
            Work::Compute { .. } => (OperationKind::Compute, None, 0),
        };
        OperationRecord {
            rank,
            operation,
            iteration,
            kind,
            peer,
            bytes: Bytes::new(bytes),
            start: reached(times.started[id as usize]),
            end: reached(times.ended[id as usize]),
            is_critical,
        }
    }
}
