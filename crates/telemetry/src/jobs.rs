//! Jobs of a run, and their ranks.
//!
//! Invariant: plain data. A job is complete if every operation of every rank has ended. The parts of a critical path
//! add up to the completion, and the parts of each of its steps to its length.

use std::cmp::Reverse;

use units::{Bytes, Span, Time};

/// A job of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobRecord {
    /// Its name.
    pub name: String,
    /// Number of ranks.
    pub ranks: u32,
    /// Number of hosts that run them.
    pub hosts: u32,
    /// Its start.
    pub start: Time,
    /// Time at which its last operation ended; `None` if the job is not complete.
    pub end: Option<Time>,
    /// Runs of its program.
    pub iterations: u32,
    /// Runs that follow one another: 1 without a barrier, where all iterations begin with the job.
    pub runs: u32,
    /// End of each iteration that all ranks have ended.
    pub ends: Vec<Time>,
    /// Bytes of its collective, as nccl-tests count them, and the ratio of busbw to algbw; `None` if the program is no
    /// collective, or a barrier.
    pub collective: Option<(Bytes, f64)>,
    /// Number of operations of all iterations.
    pub operations: u64,
    /// Number of operations that have ended.
    pub ended: u64,
    /// Number of messages in its programs, of all iterations.
    pub messages: u64,
    /// Their payload.
    pub bytes: Bytes,
    /// Ranks that wait for a message at the end of the run, the first of them.
    pub waiting: Vec<WaitingRank>,
    /// The reason for which it cannot go on, in a run that has ended since no job could.
    pub stuck: Option<StuckCause>,
    /// A receive that has taken a message of another size, the first by rank and arrival.
    pub unequal: Option<UnequalSizes>,
    /// Measures of the job.
    pub measures: JobMeasures,
}

/// Measures of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobMeasures {
    /// Completion of the same programs with each message at its ideal time.
    pub ideal: Result<Span, NotMeasured>,
    /// End of each iteration of these, from the start of the job on; none without an ideal.
    pub ideal_ends: Vec<Span>,
    /// Ranks, in order; none if times were not kept.
    pub ranks: Vec<RankRecord>,
    /// The critical path.
    pub path: Result<CriticalPath, NotMeasured>,
    /// Operations, by rank and number: of the critical path, and of ranks at equal distances as far as there is room
    /// for them.
    pub operations: Vec<OperationRecord>,
}

impl Default for JobMeasures {
    fn default() -> Self {
        let none = NotMeasured::TooLarge;
        Self {
            ideal: Err(none),
            ideal_ends: Vec::new(),
            ranks: Vec::new(),
            path: Err(none),
            operations: Vec::new(),
        }
    }
}

/// A reason for which a job lacks a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotMeasured {
    /// A receive takes messages from any source or with any tag: ideal messages may come in another order.
    AnyMessage,
    /// An operation has not ended.
    NotComplete,
    /// The job has too many operations for keeping their times.
    TooLarge,
    /// Packets were lost, over a service without retransmission.
    Lossy,
    /// The job has no operation.
    Empty,
    /// All computations together last longer than half of the clock.
    Endless,
    /// Operations wait for each other, by rendezvous.
    Circle,
    /// Operations wait for each other, since receives take messages of one source and tag in the order of posting.
    Order,
}

impl NotMeasured {
    /// Returns the reason, as the end of a sentence.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::AnyMessage => "a receive takes messages from any source or with any tag",
            Self::NotComplete => "an operation has not ended",
            Self::TooLarge => "the job has too many operations for keeping their times",
            Self::Lossy => "packets were lost, over a service without retransmission",
            Self::Empty => "the job has no operation",
            Self::Endless => "computations last longer than the clock",
            Self::Circle => "sends wait for receives that wait for sends (`rendezvous`): the job gets stuck",
            Self::Order => {
                "messages of one source and tag are taken in the order of posting, and then wait for each other: the job gets \
                 stuck"
            }
        }
    }
}

/// A rank of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankRecord {
    /// Its number in the job.
    pub rank: u32,
    /// Name of its host.
    pub host: String,
    /// Operations of its program, of all iterations.
    pub operations: u64,
    /// End of its last operation; `None` if an operation has not ended.
    pub end: Option<Time>,
    /// Time in which a processor computes.
    pub computing: Span,
    /// Time in which no processor computes, between its start and its end.
    pub exposed: Span,
    /// Time in which a processor computes, and a send is not complete or a posted receive has no message.
    pub overlap: Span,
    /// Time in which posted receives have no message, summed over receives.
    pub waited: Span,
    /// Number of messages that arrived before their receive was posted.
    pub unexpected: u32,
    /// Time in which these had no receive, summed over messages.
    pub unexpected_wait: Span,
    /// Number of messages that it has posted.
    pub messages: u64,
    /// Their payload.
    pub bytes: Bytes,
    /// Time for which the critical path stays at this rank; messages count for their sender.
    pub critical: Span,
}

/// The critical path of a job: from its start to its last operation, along what released each operation last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CriticalPath {
    /// Its length, by parts.
    pub parts: PathParts,
    /// Places that the congestion is blamed on, the longest part first.
    pub places: Vec<PathPlace>,
    /// Links of hosts among the places, each with the other traffic there.
    pub shared: Vec<SharedLink>,
    /// Its part in each iteration: the steps of operations of this run of the program.
    pub iterations: Vec<PathIteration>,
    /// Its steps in order of time, from the first on as far as there is room for them.
    pub steps: Vec<PathStep>,
    /// Number of steps left out.
    pub steps_left_out: u64,
}

/// The length of a critical path, or of a step, by parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathParts {
    /// Computations.
    pub compute: Span,
    /// Messages: their time in an otherwise empty fabric.
    pub wire: Span,
    /// Messages that leave late because other messages of the job leave the same host: as late as they would if nothing
    /// held up its wire, and all messages were posted when they were. Within the host, all of it. Also the wait for a
    /// rank that starts after the job.
    pub waiting: Span,
    /// Messages that are late for other reasons: because other traffic shares the wire of their host; or while samples
    /// show packets at a congested output, or in a tree, of their flow or of messages that were at the host with them.
    ///
    /// Without its only source the job is shorter by exactly this time if the same messages are on the path then, and
    /// wait for the same ones of the job at their host. Else it can be shorter by less or by more: another path may be
    /// longer, or messages that are posted earlier find others before them.
    pub congestion: Span,
    /// Messages that leave late for other reasons, and that no sample shows waiting, nor others at the host with them.
    pub at_source: Span,
    /// Messages that are late after leaving, and that no sample shows waiting.
    pub in_fabric: Span,
}

impl PathParts {
    /// Returns the sum of all parts.
    #[must_use]
    pub fn sum(self) -> Span {
        let Self { compute, wire, waiting, congestion, at_source, in_fabric } = self;
        compute + wire + waiting + congestion + at_source + in_fabric
    }

    /// Returns the sums of both, part by part.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            compute: self.compute + other.compute,
            wire: self.wire + other.wire,
            waiting: self.waiting + other.waiting,
            congestion: self.congestion + other.congestion,
            at_source: self.at_source + other.at_source,
            in_fabric: self.in_fabric + other.in_fabric,
        }
    }
}

/// The part of a critical path in an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathIteration {
    /// Its length, by parts.
    pub parts: PathParts,
    /// Place in [`CriticalPath::places`] that most of its congestion is blamed on, and the time lost there.
    pub place: Option<(u32, Span)>,
}

/// A place that congestion on a critical path is blamed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathPlace {
    /// Name of the switch, or of a host with a link that other traffic shares.
    pub node: String,
    /// Number of the output port, counted from 1.
    pub port: u16,
    /// Name of the node at the far end.
    pub peer: String,
    /// Number of the lane.
    pub lane: u8,
    /// Number of the root, if the place is the root of a tree that held messages of the path at some sample.
    pub root: Option<u32>,
    /// Time that messages of the path lost there.
    pub span: Span,
}

/// The link of a host at which messages of a path waited for other traffic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedLink {
    /// Place in [`CriticalPath::places`].
    pub place: u32,
    /// Flows outside the job that had messages there meanwhile, by their index in the record.
    pub flows: Vec<u32>,
}

/// A step of a critical path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathStep {
    /// Rank of the operation; the sender of a message, the receiver that clears one.
    pub rank: u32,
    /// Number of the operation in its program; the send of a message, the receive that clears one.
    pub operation: u32,
    /// Run of the program, from 0.
    pub iteration: u32,
    /// Its kind.
    pub kind: PathStepKind,
    /// Rank that a message goes to.
    pub to: Option<u32>,
    /// Number of the receive that a message ends, or that takes a request.
    pub receive: Option<u32>,
    /// Beginning of the step.
    pub start: Time,
    /// End of the step.
    pub end: Time,
    /// Its length, by parts.
    pub parts: PathParts,
    /// Place in [`CriticalPath::places`] that most of its congestion is blamed on.
    pub place: Option<u32>,
}

/// Kind of a step of a critical path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStepKind {
    /// A computation.
    Compute,
    /// A message, or the payload of one that has asked its receiver, from its posting to its arrival.
    Message,
    /// The same, from its posting to its completion at the sender.
    Completion,
    /// A request to send, from its posting to its match with a receive that waits for it.
    Request,
    /// A clear to send, from the match to the posting of the payload.
    Clear,
    /// The wait for the start of the rank, from the start of the job on.
    Start,
}

/// An operation of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationRecord {
    /// The rank.
    pub rank: u32,
    /// Number of the operation in its program.
    pub operation: u32,
    /// Run of the program, from 0.
    pub iteration: u32,
    /// Its work.
    pub kind: OperationKind,
    /// Rank at the other end of a message; `None` of a receive from any, and of computations.
    pub peer: Option<u32>,
    /// Payload of the message.
    pub bytes: Bytes,
    /// Time of its start.
    pub start: Option<Time>,
    /// Time of its end.
    pub end: Option<Time>,
    /// True if it is on the critical path.
    pub is_critical: bool,
}

const _: () = assert!(size_of::<OperationRecord>() <= 64, "there may be 10^5 of them");

/// Work of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// Sends a message.
    Send,
    /// Waits for a message.
    Receive,
    /// Computes.
    Compute,
}

/// An iteration that all ranks of a job have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IterationRecord<'a> {
    /// Its number, from 0.
    pub number: u32,
    /// Its end at all ranks.
    pub end: Time,
    /// Time from the end of the iteration before at all ranks, or the start of the job, to its own.
    pub span: Span,
    /// The same with each message at its ideal time.
    pub ideal: Option<Span>,
    /// The critical path in it.
    pub path: Option<&'a PathIteration>,
}

impl IterationRecord<'_> {
    /// Returns the time that it took more than its ideal; 0 if it took less, `None` without an ideal.
    #[must_use]
    pub fn late(&self) -> Option<Span> {
        let ideal = self.ideal?;
        Some(self.span - ideal.min(self.span))
    }
}

impl JobRecord {
    /// Returns the time of an iteration: from the start of the job to the end of its last one, divided by their number;
    /// `None` if the job is not complete.
    #[must_use]
    pub fn mean_iteration_s(&self) -> Option<f64> {
        Some(self.end?.since(self.start).seconds() / f64::from(self.iterations))
    }

    /// Returns the iterations that all ranks have ended, in order.
    pub fn iterations(&self) -> impl Iterator<Item = IterationRecord<'_>> {
        let path = self.measures.path.as_ref().ok();
        let starts = std::iter::once(self.start).chain(self.ends.iter().copied());
        (0..).zip(starts.zip(&self.ends)).map(move |(number, (from, end))| {
            let ideal_end = |number: usize| self.measures.ideal_ends.get(number).copied();
            let place = number as usize;
            let before = place.checked_sub(1).map_or(Some(Span::ZERO), ideal_end);
            IterationRecord {
                number,
                end: *end,
                span: end.since(from),
                ideal: ideal_end(place).zip(before).map(|(end, before)| end - before),
                path: path.and_then(|path| path.iterations.get(place)),
            }
        })
    }

    /// Returns the longest iteration, the first of several; `None` if fewer than two that follow one another have
    /// ended.
    #[must_use]
    pub fn longest_iteration(&self) -> Option<IterationRecord<'_>> {
        let first = |one: &IterationRecord<'_>| (one.span, Reverse(one.number));
        self.iterations().max_by_key(first).filter(|_| self.ends.len() > 1)
    }

    /// Returns the iteration that is latest against its ideal, the first of several; `None` if none is late, or fewer
    /// than two that follow one another have ended.
    #[must_use]
    pub fn latest_iteration(&self) -> Option<IterationRecord<'_>> {
        let late = self.iterations().filter(|one| one.late().is_some_and(|late| late > Span::ZERO));
        late.max_by_key(|one| (one.late(), Reverse(one.number))).filter(|_| self.ends.len() > 1)
    }

    /// Returns the bytes of the collective divided by the time of an iteration, and the rate of a link that a perfect
    /// algorithm would need for it, in GB/s: algbw and busbw of nccl-tests (`doc/PERFORMANCE.md`).
    #[must_use]
    pub fn bandwidths(&self) -> Option<(f64, f64)> {
        let (bytes, factor) = self.collective?;
        let seconds = self.mean_iteration_s().filter(|seconds| *seconds > 0.0)?;
        let algbw = bytes.get() as f64 / seconds / 1e9;
        Some((algbw, algbw * factor))
    }
}

/// A reason for which no rank of a job can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StuckCause {
    /// Packets were lost, over a service without retransmission.
    Lost,
    /// Sends wait for their receives, which are posted only after such sends: messages of this size and more ask.
    Rendezvous(Bytes),
    /// Receives from any rank, or with any tag, have taken messages that others were for.
    AnyMessage,
    /// Receives of one source and tag were posted in another order than the messages.
    Order,
}

/// A message and the receive that has taken it, of different sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnequalSizes {
    /// Rank and number of the send.
    pub send: (u32, u32),
    /// Its size.
    pub sent: Bytes,
    /// Rank and number of the receive.
    pub receive: (u32, u32),
    /// Its size.
    pub received: Bytes,
}

/// A rank that waits for a message, or for the receiver of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingRank {
    /// The rank.
    pub rank: u32,
    /// Number of its first receive that is posted, or its first send that has asked the receiver, in its program.
    pub operation: u32,
    /// Rank that the message is to come from; `None` for any, and of a send.
    pub from: Option<u32>,
    /// Rank that a send has asked; `None` of a receive.
    pub to: Option<u32>,
    /// Tag of the message; `None` for any.
    pub tag: Option<u32>,
}

/// Most waiting ranks of a job that a record names.
pub const MOST_WAITING: usize = 8;

/// Most operations, and most steps of a critical path, that a record keeps of a job.
pub const MOST_OPERATIONS: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::*;

    /// Iterations of 10, 30 and 25 us: the second is the longest, the third is the latest against 9, 28 and 20 us.
    #[test]
    fn iterations_follow_one_another() {
        let us = |us: [u64; 3]| us.map(Span::from_us);
        let start = Span::from_us(5).after_start();
        let mut job = JobRecord {
            start,
            ends: us([10, 40, 65]).map(|end| start + end).to_vec(),
            ..JobRecord::default()
        };
        assert_eq!(job.iterations().map(|one| one.span).collect::<Vec<_>>(), us([10, 30, 25]));
        assert_eq!(job.longest_iteration().map(|one| one.number), Some(1));
        assert_eq!(job.latest_iteration(), None, "no ideal");
        job.measures.ideal_ends = us([9, 37, 57]).to_vec();
        let late = job.latest_iteration().map(|one| (one.number, one.ideal, one.late()));
        assert_eq!(late, Some((2, Some(Span::from_us(20)), Some(Span::from_us(5)))));
        job.measures.ideal_ends = us([10, 41, 66]).to_vec();
        assert_eq!(job.latest_iteration(), None, "none is late");
        job.ends.truncate(1);
        assert_eq!(job.longest_iteration(), None, "a single one");
    }
}
