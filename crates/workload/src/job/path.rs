//! The critical path of a job: from its last operation back through the event that released each.
//!
//! Invariant: the steps of a path follow each other without gap or overlap, from the start of the job to its end. So
//! their lengths add up to the completion.
//!
//! ```text
//! a receive that waited  <- the message: back to its posting at the sender
//! a receive that did not <- its own start
//! a send that completed  <- its own start
//! a payload that asked   <- its clear <- the receive's start, or the request: back to the start of its send
//! a computation's end    <- its own start
//! a start                <- the end or start of the predecessor that came last
//!                        <- or the last end of the iteration before
//!                        <- or the end of the computation before on the same processor
//! ```
//!
//! Among several that came in the same instant, the path takes a predecessor before a processor, and the lowest number
//! among predecessors.

use std::collections::BTreeMap;

use units::Time;

use super::graph::{Graph, OperationId, Programs, Work};
use super::rendezvous::{CLEAR_BYTES, Handshake, REQUEST_BYTES, WirePart};
use super::times::{ArrivedAt, RankTimes};

/// A step of a critical path. Operations have their numbers among the operations of all iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Rank of the operation; the sender of a message or request; the receiver of a message that it clears.
    pub rank: u32,
    /// The operation; the send of a message or request; the receive of a message that it clears.
    pub operation: OperationId,
    /// Kind of the step.
    pub kind: StepKind,
    /// Beginning of the step.
    pub from: Time,
    /// End of the step.
    pub to: Time,
}

/// Kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// A computation.
    Compute,
    /// A message, or the payload of one that has asked, from its posting to its arrival.
    Message {
        /// Receive that it ends.
        receive: OperationId,
        /// Departure of its last packet.
        departed: Time,
    },
    /// A message, or the payload of one that has asked, from its posting to its completion at the sender.
    Completion,
    /// The request of a message, from its posting to its arrival, which a posted receive takes.
    Request {
        /// Receiver.
        to: u32,
        /// Receive that takes it.
        receive: OperationId,
        /// Departure of its last packet.
        departed: Time,
    },
    /// The answer to a request, from the match of the receive to the posting of the payload.
    Clear {
        /// Sender of the message, to which it goes.
        to: u32,
        /// Departure of its last packet.
        departed: Time,
    },
    /// The wait of a rank that starts after the job.
    Start,
}

/// A reason for which a job has no critical path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPath {
    /// An operation has not ended.
    #[error("the job is not complete")]
    NotComplete,
    /// The job has no operation.
    #[error("the job has no operation")]
    Empty,
}

/// The times of all ranks of a job, with the ways from messages to their sends.
#[derive(Debug)]
pub struct JobTimes<'a> {
    programs: &'a Programs,
    times: Vec<&'a RankTimes>,
    /// By rank, once it is asked for.
    lookups: BTreeMap<u32, Lookup>,
}

/// Ways back through the program of a rank.
#[derive(Debug)]
struct Lookup {
    /// Place of each operation's first predecessor in `before`, and the end, in one iteration.
    first: Vec<u32>,
    /// Predecessors in one iteration, and true if the end of the predecessor counts.
    before: Vec<(OperationId, bool)>,
    /// Sends by receiver, in the order of posting.
    sends: BTreeMap<u32, Vec<OperationId>>,
    /// Places of messages by sender, in the order of arrival.
    arrivals: BTreeMap<u32, Vec<u32>>,
    /// Message of each receive, by place, and its number among the sender's.
    taken: BTreeMap<OperationId, (u32, u32)>,
    /// Computations by processor and end.
    computations: BTreeMap<(u8, Time), OperationId>,
}

/// A message that a rank has posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posted {
    /// Its send; of the answer to a request, the receive.
    pub operation: OperationId,
    /// What of a message it is.
    pub part: WirePart,
    /// Its receiver.
    pub to: u32,
    /// Its payload.
    pub bytes: u64,
    /// Time of posting.
    pub posted: Time,
    /// Its last packet's departure and its arrival, if it has arrived.
    pub arrived: Option<(Time, Time)>,
}

impl<'a> JobTimes<'a> {
    /// Takes the times of the ranks of a job, in order.
    #[must_use]
    pub const fn new(programs: &'a Programs, times: Vec<&'a RankTimes>) -> Self {
        Self { programs, times, lookups: BTreeMap::new() }
    }

    /// Returns the critical path of a complete job that starts at `start`, in order of time.
    ///
    /// # Errors
    /// If an operation has not ended, or there is none.
    ///
    /// # Panics
    /// If times contradict the programs.
    pub fn critical_path(&mut self, start: Time) -> Result<Vec<Step>, NoPath> {
        let ends = |(rank, times): (u32, &&RankTimes)| {
            let ends = (0..).zip(&times.ended).map(move |(id, ended)| (*ended, rank, id));
            ends.max_by_key(|(ended, _, id): &(Time, u32, OperationId)| (*ended, core::cmp::Reverse(*id)))
        };
        let last = (0..)
            .zip(&self.times)
            .filter_map(ends)
            .max_by_key(|(at, rank, _)| (*at, core::cmp::Reverse(*rank)));
        let Some((at, rank, id)) = last else { return Err(NoPath::Empty) };
        if at == Time::NEVER {
            return Err(NoPath::NotComplete);
        }
        let mut steps = Vec::new();
        let mut next = Some((rank, id, true));
        while let Some((rank, id, is_end)) = next {
            let from = self.times[rank as usize].begun;
            next = if is_end {
                Some(self.before_end(rank, id, &mut steps))
            } else {
                self.before_start(rank, id)
            };
            if next.is_none() && start < from {
                steps.push(Step { rank, operation: id, kind: StepKind::Start, from: start, to: from });
            }
        }
        steps.reverse();
        Ok(steps)
    }

    /// Returns the start that an end follows from, and adds the step between both.
    fn before_end(
        &mut self,
        rank: u32,
        operation: OperationId,
        steps: &mut Vec<Step>,
    ) -> (u32, OperationId, bool) {
        let times = self.times[rank as usize];
        let (from, to) = (times.started[operation as usize], times.ended[operation as usize]);
        if from == to {
            return (rank, operation, false);
        }
        let handshake = times.handshake(operation);
        match self.work(rank, operation) {
            Work::Compute { .. } => {
                steps.push(Step { rank, operation, kind: StepKind::Compute, from, to });
            }
            Work::Send { to: receiver, .. } => {
                let from = handshake.map_or(from, |cleared| cleared.at);
                steps.push(Step { rank, operation, kind: StepKind::Completion, from, to });
                if handshake.is_some() {
                    let message = self.message_to(rank, receiver, operation).expect("it was cleared");
                    return self.before_payload((rank, operation), (receiver, message.receive), steps);
                }
            }
            Work::Receive { .. } => {
                let (sender, send, mut departed) = self.message_of(rank, operation);
                let mut from = self.times[sender as usize].started[send as usize];
                if let Some(accepted) = handshake {
                    departed = accepted.departed;
                    from = self.cleared_at(sender, send).at;
                }
                let kind = StepKind::Message { receive: operation, departed };
                steps.push(Step { rank: sender, operation: send, kind, from, to });
                if handshake.is_some() {
                    return self.before_payload((sender, send), (rank, operation), steps);
                }
                return (sender, send, false);
            }
        }
        (rank, operation, false)
    }

    /// Returns the start that the posting of a payload follows from, and adds the steps between both.
    fn before_payload(
        &mut self,
        (sender, send): (u32, OperationId),
        (receiver, receive): (u32, OperationId),
        steps: &mut Vec<Step>,
    ) -> (u32, OperationId, bool) {
        let cleared = self.cleared_at(sender, send);
        let matched = self.times[receiver as usize].matched(receive);
        let kind = StepKind::Clear { to: sender, departed: cleared.departed };
        steps.push(Step { rank: receiver, operation: receive, kind, from: matched, to: cleared.at });
        if self.times[receiver as usize].started[receive as usize] == matched {
            return (receiver, receive, false);
        }
        let (_, _, departed) = self.message_of(receiver, receive);
        let from = self.times[sender as usize].started[send as usize];
        let kind = StepKind::Request { to: receiver, receive, departed };
        steps.push(Step { rank: sender, operation: send, kind, from, to: matched });
        (sender, send, false)
    }

    fn cleared_at(&self, sender: u32, send: OperationId) -> Handshake {
        self.times[sender as usize].handshake(send).expect("its payload was sent")
    }

    /// Returns the end or start that released a start; `None` if the start of the job did.
    fn before_start(&mut self, rank: u32, operation: OperationId) -> Option<(u32, OperationId, bool)> {
        let times = self.times[rank as usize];
        let graph = &self.programs.ranks[rank as usize];
        let at = times.started[operation as usize];
        let count = graph.operations() as u32;
        let own = operation % count;
        let first = operation - own;
        let lookup = self.lookup(rank);
        let range = lookup.first[own as usize] as usize..lookup.first[own as usize + 1] as usize;
        let time = |(id, is_end): &(OperationId, bool)| {
            let list = if *is_end { &times.ended } else { &times.started };
            list[(first + *id) as usize]
        };
        let last = lookup.before[range.clone()].iter().filter(|before| time(before) == at).min();
        if let Some((id, is_end)) = last {
            return Some((rank, first + *id, *is_end));
        }
        if range.is_empty() && first > 0 {
            // No operation of an iteration ends after it.
            let before = (first - count..first).find(|id| times.ended[*id as usize] == at);
            if let Some(id) = before {
                return Some((rank, id, true));
            }
        }
        if let Some(id) = lookup.computations.get(&(graph.operation(own).cpu, at)) {
            return Some((rank, *id, true));
        }
        assert_eq!(at, times.begun, "operation {operation} of rank {rank} starts without a reason");
        None
    }

    /// Returns the sender and send of the message that a receive took, and the departure of its last packet.
    fn message_of(&mut self, rank: u32, receive: OperationId) -> (u32, OperationId, Time) {
        let (place, number) = self.lookup(rank).taken[&receive];
        let ArrivedAt { from, departed, .. } = self.times[rank as usize].messages[place as usize];
        (from, self.lookup(from).sends[&rank][number as usize], departed)
    }

    /// Returns the messages that a rank has posted, by receiver, and in the order of their posting to each; of messages
    /// that asked, the parts that were posted.
    pub fn posted(&mut self, rank: u32) -> Vec<Posted> {
        let times = self.times[rank as usize];
        let graph = &self.programs.ranks[rank as usize];
        let count = graph.operations() as u32;
        let sends = core::mem::take(&mut self.lookup(rank).sends);
        let mut all = Vec::new();
        for (to, sends) in &sends {
            let to = *to;
            let receiver = self.times[to as usize];
            let places = self.lookup(to).arrivals.get(&rank);
            for (number, send) in sends.iter().enumerate() {
                let place = places.and_then(|places| places.get(number));
                let message = place.map(|place| receiver.messages[*place as usize]);
                let arrived = message.map(|message| (message.departed, message.at));
                let (operation, posted) = (*send, times.started[*send as usize]);
                let Work::Send { bytes, .. } = graph.operation(operation % count).work else {
                    unreachable!("only sends post messages")
                };
                let whole = Posted { operation, part: WirePart::Whole, to, bytes, posted, arrived };
                let Some((cleared, message)) = times.handshake(operation).zip(message) else {
                    all.push(whole);
                    continue;
                };
                all.push(Posted { part: WirePart::Request, bytes: REQUEST_BYTES, ..whole });
                let receive = message.receive;
                let arrived = receiver.handshake(receive).map(|accepted| accepted.departed);
                let arrived = arrived.filter(|departed| *departed != Time::NEVER);
                let arrived = arrived.map(|departed| (departed, receiver.ended[receive as usize]));
                all.push(Posted { part: WirePart::Payload, posted: cleared.at, arrived, ..whole });
            }
        }
        self.lookup(rank).sends = sends;
        self.answers(rank, &mut all);
        all
    }

    /// Adds the answers to requests that a rank has posted.
    fn answers(&mut self, rank: u32, all: &mut Vec<Posted>) {
        let times = self.times[rank as usize];
        for operation in 0..times.handshakes.len() as u32 {
            let Some(accepted) = times.handshake(operation) else { continue };
            if !matches!(self.work(rank, operation), Work::Receive { .. }) {
                continue;
            }
            let (to, send, _) = self.message_of(rank, operation);
            let arrived =
                self.times[to as usize].handshake(send).map(|cleared| (cleared.departed, cleared.at));
            let (part, posted, bytes) = (WirePart::Clear, accepted.at, CLEAR_BYTES);
            all.push(Posted { operation, part, to, bytes, posted, arrived });
        }
    }

    /// Returns the message of a send, or its request, at its receiver, if it has arrived.
    fn message_to(&mut self, rank: u32, to: u32, send: OperationId) -> Option<ArrivedAt> {
        let times = self.times[rank as usize];
        let order_of = |id: &OperationId| times.order[*id as usize];
        let sends = self.lookup(rank).sends.get(&to)?;
        let number = sends.binary_search_by_key(&order_of(&send), order_of).ok()?;
        let place = *self.lookup(to).arrivals.get(&rank)?.get(number)?;
        Some(self.times[to as usize].messages[place as usize])
    }

    /// Returns the departure of the last packet of a send's payload, if the payload has arrived.
    pub fn departure(&mut self, rank: u32, to: u32, send: OperationId) -> Option<Time> {
        let ArrivedAt { receive, departed, .. } = self.message_to(rank, to, send)?;
        if receive == ArrivedAt::UNTAKEN {
            return Some(departed);
        }
        let accepted = self.times[to as usize].handshake(receive);
        Some(accepted.map_or(departed, |accepted| accepted.departed))
    }

    /// Returns true if a send has asked its receiver, and was answered.
    #[must_use]
    pub fn has_asked(&self, rank: u32, send: OperationId) -> bool {
        self.times[rank as usize].handshake(send).is_some()
    }

    /// Returns the work of an operation.
    #[must_use]
    pub fn work(&self, rank: u32, operation: OperationId) -> Work {
        let graph = &self.programs.ranks[rank as usize];
        graph.operation(operation % graph.operations() as u32).work
    }

    fn lookup(&mut self, rank: u32) -> &mut Lookup {
        let (graph, times) = (&self.programs.ranks[rank as usize], self.times[rank as usize]);
        self.lookups.entry(rank).or_insert_with(|| Lookup::of(graph, times))
    }
}

impl Lookup {
    fn of(graph: &Graph, times: &RankTimes) -> Self {
        let count = graph.operations() as u32;
        let mut edges: Vec<(OperationId, OperationId, bool)> = Vec::new();
        let (mut sends, mut computations) = (BTreeMap::<u32, Vec<OperationId>>::new(), BTreeMap::new());
        for id in 0..count {
            edges.extend(graph.after_end(id).map(|later| (later, id, true)));
            edges.extend(graph.after_start(id).map(|later| (later, id, false)));
        }
        for (id, (started, ended)) in
            (0..).zip(times.started.iter().copied().zip(times.ended.iter().copied()))
        {
            let operation = graph.operation(id % count);
            match operation.work {
                Work::Send { to, .. } if started != Time::NEVER => sends.entry(to).or_default().push(id),
                // Only computations that take time occupy a processor.
                Work::Compute { .. } if started < ended && ended != Time::NEVER => {
                    computations.insert((operation.cpu, ended), id);
                }
                Work::Send { .. } | Work::Receive { .. } | Work::Compute { .. } => {}
            }
        }
        edges.sort_unstable();
        let first = (0..=count).map(|id| edges.partition_point(|edge| edge.0 < id) as u32).collect();
        sends.values_mut().for_each(|sends| sends.sort_unstable_by_key(|send| times.order[*send as usize]));
        let (mut arrivals, mut taken) = (BTreeMap::<u32, Vec<u32>>::new(), BTreeMap::new());
        for (place, message) in (0..).zip(times.arrivals()) {
            let of_sender = arrivals.entry(message.from).or_default();
            if message.receive != ArrivedAt::UNTAKEN {
                taken.insert(message.receive, (place, of_sender.len() as u32));
            }
            of_sender.push(place);
        }
        let before = edges.into_iter().map(|(_, before, is_end)| (before, is_end)).collect();
        Self { first, before, sends, arrivals, taken, computations }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::GraphBuilder;
    use units::Span;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    /// Two computations on a processor, a message, and a computation at the receiver, which had computed meanwhile.
    #[test]
    fn a_path_goes_back_by_processors_and_messages() {
        let compute = |ps| Work::Compute { span: Span::from_ps(ps) };
        let mut one = GraphBuilder::default();
        one.add(compute(10).on_cpu(0));
        let second = one.add(compute(20).on_cpu(0));
        let send = one.add(Work::Send { to: 1, bytes: 9, tag: 0 }.on_cpu(0));
        one.requires(send, second);
        let mut two = GraphBuilder::default();
        let receive = two.add(Work::Receive { from: Some(0), bytes: 9, tag: Some(0) }.on_cpu(0));
        let own = two.add(compute(40).on_cpu(0));
        let after = two.add(compute(5).on_cpu(1));
        two.requires(after, receive);
        two.requires(after, own);
        let ranks = [one, two].map(|builder| builder.build().expect("no circle"));
        let programs = Programs { ranks: ranks.to_vec() };
        // The message arrives after the computation of the receiver, or before.
        for (arrival, end, expected) in [(70, 75, 4), (35, 45, 2)] {
            let mut times: Vec<RankTimes> =
                programs.ranks.iter().map(|graph| RankTimes::of(graph, 1)).collect();
            times.iter_mut().for_each(|times| times.begun = at(0));
            [at(0), at(10)].iter().enumerate().for_each(|(id, from)| times[0].start(id as u32, *from));
            times[0].post(send, at(30));
            [10, 30, 90].iter().enumerate().for_each(|(id, to)| times[0].end(id as u32, at(*to)));
            times[0].ended[send as usize] = at(31);
            times[1].started = [0, 0, end - 5].map(at).to_vec();
            times[1].ended = [arrival, 40, end].map(at).to_vec();
            times[1].arrive(0, at(31), at(arrival));
            times[1].take(0, receive);
            let mut job = JobTimes::new(&programs, times.iter().collect());
            let steps = job.critical_path(at(0)).expect("a complete job");
            let found: Vec<_> = steps.iter().map(|step| (step.from.ps(), step.to.ps())).collect();
            let late = [(0, 10), (10, 30), (30, 70), (70, 75)];
            assert_eq!(found, if expected == 4 { late.to_vec() } else { vec![(0, 40), (40, 45)] });
            assert_eq!(steps.len(), expected);
            let (part, arrived) = (WirePart::Whole, Some((at(31), at(arrival))));
            let posted = Posted { operation: send, part, to: 1, bytes: 9, posted: at(30), arrived };
            assert_eq!(job.posted(0), [posted]);
        }
    }
}
