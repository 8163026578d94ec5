//! Ideal times of a job's messages, and of the job.
//!
//! Invariant: times depend on programs, placement and paths alone, never on other traffic.

use std::collections::BTreeMap;

use ca_transport::ScheduleSpec;
use packet::NodeId;
use telemetry::NotMeasured;
use units::{Bytes, Span};
use workload::job::ideal::{IdealMessage, Replayed, Transmission, Turns, replay_job};
use workload::job::ideal_ring::replay_ring;
use workload::job::{Graph, Job, Pace, Work};

use crate::ideal::IdealTimes;
use crate::plan::Plan;

/// Most operations of all iterations of a job that is replayed.
const MOST_REPLAYED: u64 = 1 << 24;
/// Most operations of a ring, which needs a few nanoseconds for each.
const MOST_IN_STEPS: u64 = 1 << 30;

/// Times of a job of a plan on the empty fabric.
#[derive(Debug)]
pub struct JobIdeal<'a> {
    job: &'a Job,
    times: IdealTimes<'a>,
    /// By flow and size. A job has few sizes.
    known: BTreeMap<(u32, u64), IdealJobMessage>,
    is_reliable: bool,
    /// By rank.
    turns: Vec<Turns>,
}

/// Times of a job's message on the empty fabric, from its posting on: the least over its queue pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdealJobMessage {
    /// Time until it has arrived whole.
    pub delivered: Span,
    /// Time until its sender knows that it is complete: acknowledged, or sent without acknowledgements.
    pub completed: Span,
    /// Time until the first byte of its last packet leaves the sender's adapter. A message within a host leaves as it
    /// arrives.
    pub departed: Span,
    /// Time for which it keeps a later message from the sender's adapter; none within a host.
    pub occupied: Span,
    /// Its packets there.
    pub sent: Transmission,
    /// Time from the end of its last packet there to its delivery, if no other packet is on its way.
    pub tail: Span,
}

impl IdealJobMessage {
    /// Returns the lesser of each time.
    fn least(self, other: Self) -> Self {
        Self {
            delivered: self.delivered.min(other.delivered),
            completed: self.completed.min(other.completed),
            departed: self.departed.min(other.departed),
            occupied: self.occupied.min(other.occupied),
            sent: self.sent,
            tail: self.tail.min(other.tail),
        }
    }
}

impl<'a> JobIdeal<'a> {
    /// Creates the times of a job of this plan.
    #[must_use]
    pub fn new(plan: &'a Plan, job: &'a Job) -> Self {
        let flow = plan.workload().flows.get(job.first_flow as usize);
        let is_reliable = flow.is_some_and(|flow| flow.transport.is_reliable());
        let turns = |host: &NodeId| match plan.nodes().adapter(*host).schedule {
            ScheduleSpec::RoundRobin => Turns::Packets,
            ScheduleSpec::OldestFirst => Turns::Messages,
        };
        let turns = job.hosts.iter().map(turns).collect();
        Self { job, times: IdealTimes::new(plan), known: BTreeMap::new(), is_reliable, turns }
    }

    /// Returns the times of a message between two ranks.
    pub fn message(&mut self, from: u32, to: u32, bytes: u64) -> IdealJobMessage {
        let Some(flows) = self.job.flows(from, to) else { return self.local(bytes) };
        if let Some(known) = self.known.get(&(flows.start, bytes)) {
            return *known;
        }
        let key = (flows.start, bytes);
        let message =
            flows.map(|flow| self.by(flow, bytes)).reduce(IdealJobMessage::least).unwrap_or_default();
        self.known.insert(key, message);
        message
    }

    fn by(&mut self, flow: u32, bytes: u64) -> IdealJobMessage {
        let (flow, size) = (flow as usize, Bytes::new(bytes));
        let times = self.times.times(flow, size);
        let (sent, tail) = self.times.transmission(flow, size, &times);
        IdealJobMessage {
            sent,
            tail,
            delivered: times.delivered,
            completed: if self.is_reliable { times.acknowledged } else { times.departed },
            departed: times.departed,
            occupied: times.occupied,
        }
    }

    fn local(&self, bytes: u64) -> IdealJobMessage {
        let Some(link) = self.job.local else { return IdealJobMessage::default() };
        let time = link.rate.time_for(Bytes::new(bytes)) + link.latency;
        IdealJobMessage { delivered: time, completed: time, departed: time, ..IdealJobMessage::default() }
    }

    /// Returns the ends of the job's ranks and iterations, with all messages at their ideal times.
    ///
    /// # Errors
    /// If a replay of the programs would not be the job: see [`NotMeasured`].
    pub fn replayed(&mut self) -> Result<Replayed, NotMeasured> {
        let job = self.job;
        if job.programs.ranks.iter().any(Graph::has_wildcards) {
            return Err(NotMeasured::AnyMessage);
        }
        match job.operations {
            0 => return Err(NotMeasured::Empty),
            1..=MOST_REPLAYED => {}
            _ => return Err(NotMeasured::TooLarge),
        }
        // Computations of different ranks may follow each other: a bound of their sum keeps the replay in its clock.
        if longest(job) > u128::from(u64::MAX / 2) {
            return Err(NotMeasured::Endless);
        }
        let turns = self.turns.clone();
        let message = |from, to, bytes| self.message(from, to, bytes).into();
        // A checked plan has a receive for each message, but a message that asks may wait for it in a circle, and
        // receives may be posted in another order than they stand in.
        replay_job(job, turns, message).map_err(|_| self.stalled())
    }

    /// Returns the reason for which a replay does not end.
    fn stalled(&mut self) -> NotMeasured {
        if self.job.rendezvous.is_none() {
            return NotMeasured::Order;
        }
        let (eager, turns) = (Job { rendezvous: None, ..self.job.clone() }, self.turns.clone());
        let replayed = replay_job(&eager, turns, |from, to, bytes| self.message(from, to, bytes).into());
        if replayed.is_ok() { NotMeasured::Circle } else { NotMeasured::Order }
    }

    /// Returns the time from the start of the job to the end of its last operation, with all messages at their ideal
    /// times.
    ///
    /// # Errors
    /// As for [`replayed`](Self::replayed). Of a ring there is a time for more operations.
    pub fn completion(&mut self) -> Result<Span, NotMeasured> {
        match self.replayed() {
            Err(NotMeasured::TooLarge) => self.of_large_ring().ok_or(NotMeasured::TooLarge),
            replayed => replayed.map(|replayed| replayed.completion()),
        }
    }

    /// Returns the ideal time of a ring, if a replay in steps gives it in time.
    fn of_large_ring(&mut self) -> Option<Span> {
        let job = self.job;
        // The replay in steps has no messages that ask their receivers.
        (job.operations <= MOST_IN_STEPS && job.rendezvous.is_none())
            .then(|| replay_ring(job, |from, to, bytes| self.message(from, to, bytes).into()))?
    }
}

impl From<IdealJobMessage> for IdealMessage {
    fn from(IdealJobMessage { delivered, completed, sent, tail, .. }: IdealJobMessage) -> Self {
        Self { delivered, sent, tail, completed }
    }
}

/// Returns a bound in picoseconds of all computations of a job together.
fn longest(job: &Job) -> u128 {
    let of_rank = |(graph, pace): (&Graph, &Pace)| {
        let all = (0..graph.operations() as u32).map(|id| graph.operation(id).work);
        all.map(|work| match work {
            Work::Compute { span } => pace.at_most(span),
            Work::Send { .. } | Work::Receive { .. } => 0,
        })
        .sum::<u128>()
    };
    job.programs.ranks.iter().zip(&*job.paces).map(of_rank).sum::<u128>() * u128::from(job.runs)
}
