//! Replay of a job with ideal messages: no fabric, and no two messages in each other's way, except at the interface of
//! their sender's host, where they take turns as in a run.
//!
//! The completion is the denominator of a job's slowdown. Operations start as in a run: sends and receives when their
//! predecessors have ended, computations when their processor is free too, in the order in which they became ready.
//!
//! A run can be faster where a host has messages of several queue pairs under way at once: a delay may let another
//! message go first that more waits for. Else it never is, without wildcards and with computations of a processor in a
//! fixed order.
//!
//! Invariant: messages between two ranks are taken in the order in which they were posted. Operations of one instant
//! are handled in a fixed order, so the result is the same on every machine.

mod carriage;
pub mod interface;
mod message;

use core::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use units::{Span, Time};

use self::carriage::{Carried, Message, Pair, QueuePair};
use self::interface::Interface;
pub use self::interface::Transmission;
pub use self::message::IdealMessage;
use super::graph::{Graph, OperationId, Programs, Work};
use super::placed::{Job, LocalLink};
use super::rendezvous::WirePart;

/// A replayed job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// End of each rank's last operation; the start of the job for a rank without operations.
    pub ends: Vec<Time>,
    /// End of each iteration at all ranks.
    pub iterations: Vec<Time>,
    /// Number of messages.
    pub messages: u64,
    /// Sum of their sizes, in bytes.
    pub bytes: u64,
}

/// A job that cannot proceed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("operations that wait for ever: {operations}; ranks that wait at a receive: {}", waiting.len())]
pub struct Stalled {
    /// Number of operations that have not ended.
    pub operations: usize,
    /// The first posted receive of each rank that has one.
    pub waiting: Vec<(u32, OperationId)>,
}

impl Replayed {
    /// Returns the time from the start to the end of the last operation.
    #[must_use]
    pub fn completion(&self) -> Span {
        self.ends.iter().max().map_or(Span::from_ps(0), |end| end.since_start())
    }
}

/// Replays a job that starts at time 0 on all ranks. `message` gives the times of a message from its sender, receiver
/// and bytes.
///
/// # Errors
/// If operations are left that wait for messages which nobody sends.
///
/// # Panics
/// If a program sends to a rank that the job lacks.
pub fn replay(
    programs: &Programs,
    message: impl FnMut(u32, u32, u64) -> IdealMessage,
) -> Result<Replayed, Stalled> {
    let mut message = message;
    let timed = |_, from, to, bytes| message(from, to, bytes);
    let mut replay = Replay::new(&programs.ranks, None, vec![Turns::Packets; programs.ranks.len()], timed);
    replay.run();
    replay.finish()
}

/// Order in which a host's interface serves its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// Queue pairs take turns, packet by packet.
    Packets,
    /// The message posted first goes first.
    Messages,
}

/// Replays a job with its starts, iterations, paces of computations and messages between ranks of a host. Times count
/// from the start of the job. `turns` has the order at the host of each rank; `message` gives the times of a message
/// between hosts.
///
/// # Errors
/// If operations are left that wait for messages which nobody sends.
pub fn replay_job(
    job: &Job,
    turns: Vec<Turns>,
    message: impl FnMut(u32, u32, u64) -> IdealMessage,
) -> Result<Replayed, Stalled> {
    let mut message = message;
    let timed = |_, from, to, bytes| message(from, to, bytes);
    let mut replay = Replay::new(&job.programs.ranks, Some(job), turns, timed);
    replay.run();
    replay.finish()
}

/// Returns the number of messages that follow one another in the longest chain of a program that runs once. `each`
/// takes the step, sender, receiver and bytes of each message, in the order of steps; in step s, from 0, are the
/// messages that s others come before in their longest chain.
///
/// # Errors
/// If operations are left that wait for messages which nobody sends.
pub fn steps(programs: &Programs, mut each: impl FnMut(u64, u32, u32, u64)) -> Result<u64, Stalled> {
    let step = IdealMessage { delivered: Span::from_ps(1), ..IdealMessage::default() };
    let seen = |now: Time, from, to, bytes| {
        each(now.ps(), from, to, bytes);
        step
    };
    let mut replay = Replay::new(&programs.ranks, None, vec![Turns::Messages; programs.ranks.len()], seen);
    replay.computes = false;
    replay.run();
    Ok(replay.finish()?.completion().ps())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Began {
        rank: u32,
    },
    Ended {
        rank: u32,
        id: OperationId,
    },
    Computed {
        rank: u32,
        id: OperationId,
    },
    /// A processor chooses its next computation, after all that become ready in this instant so far.
    Choose {
        rank: u32,
        cpu: u8,
    },
    /// A round of an interface in which messages end begins, unless it was put off.
    Round {
        interface: u32,
    },
    Arrived {
        from: u32,
        to: u32,
        /// Number of the message among all between the two ranks.
        turn: u64,
        message: Message,
    },
}

struct Replay<'a, M> {
    graphs: &'a [Graph],
    /// Job with times of its own; none for a program that runs once.
    job: Option<&'a Job>,
    /// False if computations take no time.
    computes: bool,
    /// By rank.
    turns: Vec<Turns>,
    message: M,
    now: Time,
    /// Events by time, then in the order in which they were planned.
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    planned: u64,
    ranks: Vec<RankState>,
    pairs: BTreeMap<(u32, u32), Pair>,
    /// Interfaces of hosts, and the one of each rank.
    interfaces: Vec<Interface<QueuePair, Carried>>,
    interface_of: Vec<u32>,
    /// Operations that are ready in this instant, and computations of no time among them.
    ready: Vec<(u32, OperationId)>,
    joins: Vec<(u32, OperationId)>,
    result: Replayed,
    ended: usize,
}

/// State of a rank.
#[derive(Default)]
struct RankState {
    waiting: Vec<u32>,
    /// Operations of the iteration that have not ended, and iterations that have.
    left: u32,
    iteration: u32,
    /// Time from which the next message to a rank of its host may start.
    local_free: Time,
    /// Posted receives without a message, and arrived messages without a receive, in order.
    posted: VecDeque<OperationId>,
    arrived: VecDeque<(u32, Message)>,
    cpus: BTreeMap<u8, Cpu>,
}

#[derive(Default)]
struct Cpu {
    busy: bool,
    /// Computations by the time at which they became ready, then by number.
    queue: BinaryHeap<Reverse<(Time, OperationId)>>,
}

impl<'a, M: FnMut(Time, u32, u32, u64) -> IdealMessage> Replay<'a, M> {
    fn new(graphs: &'a [Graph], job: Option<&'a Job>, turns: Vec<Turns>, message: M) -> Self {
        let state = |graph: &Graph| RankState {
            waiting: (0..graph.operations() as u32).map(|id| graph.predecessors(id)).collect(),
            left: graph.operations() as u32,
            ..RankState::default()
        };
        let start = |rank: u32| {
            job.map_or(Time::ZERO, |job| job.starts[rank as usize].since(job.start).after_start())
        };
        let starts = (0..graphs.len() as u32).map(|rank| Reverse((start(rank), 0, Event::Began { rank })));
        let mut hosts = BTreeMap::new();
        let mut interface = |rank: u32| match job {
            Some(job) => {
                let next = hosts.len() as u32;
                *hosts.entry(job.hosts[rank as usize]).or_insert(next)
            }
            None => rank,
        };
        let interface_of: Vec<u32> = (0..graphs.len() as u32).map(&mut interface).collect();
        let interfaces = interface_of.iter().max().map_or(0, |last| last + 1);
        Self {
            graphs,
            job,
            computes: true,
            turns,
            message,
            now: Time::from_ps(0),
            events: starts.collect(),
            planned: 1,
            ranks: graphs.iter().map(state).collect(),
            pairs: BTreeMap::new(),
            interfaces: (0..interfaces).map(|_| Interface::new()).collect(),
            interface_of,
            ready: Vec::new(),
            joins: Vec::new(),
            result: Replayed {
                ends: vec![Time::from_ps(0); graphs.len()],
                iterations: Vec::new(),
                messages: 0,
                bytes: 0,
            },
            ended: 0,
        }
    }

    fn run(&mut self) {
        loop {
            self.settle();
            let Some(Reverse((time, _, event))) = self.events.pop() else { return };
            self.now = time;
            match event {
                Event::Began { rank } => self.enter(rank),
                Event::Ended { rank, id } => self.end(rank, id),
                Event::Computed { rank, id } => {
                    let cpu = self.graphs[rank as usize].operation(id).cpu;
                    self.plan(time, Event::Choose { rank, cpu });
                    self.end(rank, id);
                }
                Event::Choose { rank, cpu } => self.choose(rank, cpu),
                Event::Round { interface } => self.leave(interface),
                Event::Arrived { from, to, turn, message } => self.arrive_in_turn((from, to), turn, message),
            }
        }
    }

    /// Starts all that is ready, as ranks do in a run: what one step makes ready starts in the order of numbers, after
    /// the computations of no time. So receives are posted in the same order.
    fn settle(&mut self) {
        loop {
            while let Some((rank, id)) = self.joins.pop() {
                self.started(rank, id);
                self.end(rank, id);
            }
            if self.ready.is_empty() {
                return;
            }
            let mut batch = core::mem::take(&mut self.ready);
            batch.sort_unstable();
            batch.into_iter().for_each(|(rank, id)| self.begin(rank, id));
        }
    }

    fn finish(self) -> Result<Replayed, Stalled> {
        let runs = self.job.map_or(1, |job| job.runs as usize);
        let all = self.graphs.iter().map(Graph::operations).sum::<usize>() * runs;
        if self.ended == all {
            return Ok(self.result);
        }
        let first = |(state, rank): (&RankState, u32)| state.posted.front().map(|id| (rank, *id));
        let waiting = self.ranks.iter().zip(0..).filter_map(first).collect();
        Err(Stalled { operations: all - self.ended, waiting })
    }

    fn begin(&mut self, rank: u32, id: OperationId) {
        let operation = self.graphs[rank as usize].operation(id);
        match operation.work {
            Work::Send { to, bytes, tag } => {
                self.started(rank, id);
                self.send((rank, id), to, bytes, tag);
            }
            Work::Receive { .. } => {
                self.started(rank, id);
                let state = &mut self.ranks[rank as usize];
                let graph = &self.graphs[rank as usize];
                match state.arrived.iter().position(|(from, it)| takes(graph, id, *from, it.tag)) {
                    Some(place) => {
                        let (from, message) = state.arrived.remove(place).expect("just found");
                        self.take(from, (rank, id), message);
                    }
                    None => state.posted.push_back(id),
                }
            }
            Work::Compute { .. } => {
                let cpu = self.ranks[rank as usize].cpus.entry(operation.cpu).or_default();
                cpu.queue.push(Reverse((self.now, id)));
                if !core::mem::replace(&mut cpu.busy, true) {
                    self.plan(self.now, Event::Choose { rank, cpu: operation.cpu });
                }
            }
        }
    }

    fn send(&mut self, (rank, id): (u32, OperationId), to: u32, bytes: u64, tag: u32) {
        assert!(
            (to as usize) < self.graphs.len(),
            "rank {rank} sends to {to} of {} ranks",
            self.graphs.len()
        );
        self.result.messages += 1;
        self.result.bytes += bytes;
        if let Some(job) = self.job
            && job.hosts[rank as usize] == job.hosts[to as usize]
        {
            return self.send_locally(job.local, (rank, id), (to, tag), bytes);
        }
        let part =
            if self.job.is_some_and(|job| job.asks(bytes)) { WirePart::Request } else { WirePart::Whole };
        self.carry((rank, to), Message { part, send: id, receive: OperationId::MAX, tag });
    }

    /// Sends a message to a rank of the same host, which ends at both in one instant.
    fn send_locally(
        &mut self,
        link: Option<LocalLink>,
        (from, id): (u32, OperationId),
        (to, tag): (u32, u32),
        bytes: u64,
    ) {
        let free = &mut self.ranks[from as usize].local_free;
        let arrival = link.map_or(self.now, |link| link.carry(bytes, free, self.now));
        self.plan(arrival, Event::Ended { rank: from, id });
        let message = Message { part: WirePart::Whole, send: id, receive: OperationId::MAX, tag };
        let turn = self.pairs.entry((from, to)).or_default().post();
        self.plan(arrival, Event::Arrived { from, to, turn, message });
    }

    fn arrive(&mut self, from: u32, to: u32, message: Message) {
        match message.part {
            WirePart::Whole | WirePart::Request => {}
            WirePart::Clear => return self.carry((to, from), Message { part: WirePart::Payload, ..message }),
            WirePart::Payload => return self.end(to, message.receive),
        }
        let (state, graph) = (&mut self.ranks[to as usize], &self.graphs[to as usize]);
        match state.posted.iter().position(|id| takes(graph, *id, from, message.tag)) {
            Some(place) => {
                let id = state.posted.remove(place).expect("just found");
                self.take(from, (to, id), message);
            }
            None => state.arrived.push_back((from, message)),
        }
    }

    /// Gives a message to a receive, which clears it if its payload waits.
    fn take(&mut self, from: u32, (rank, receive): (u32, OperationId), message: Message) {
        if message.part == WirePart::Request {
            self.carry((rank, from), Message { part: WirePart::Clear, receive, ..message });
        } else {
            self.end(rank, receive);
        }
    }

    fn choose(&mut self, rank: u32, number: u8) {
        let cpu = self.ranks[rank as usize].cpus.entry(number).or_default();
        let Some(Reverse((_, next))) = cpu.queue.pop() else {
            cpu.busy = false;
            return;
        };
        let Work::Compute { span } = self.graphs[rank as usize].operation(next).work else {
            unreachable!("processors have computations only");
        };
        self.started(rank, next);
        let iteration = self.ranks[rank as usize].iteration;
        let length = self.job.map_or(span, |job| job.paces[rank as usize].length(span, iteration, next));
        self.plan(self.now + length, Event::Computed { rank, id: next });
    }

    fn started(&mut self, rank: u32, id: OperationId) {
        let graph: &'a Graph = &self.graphs[rank as usize];
        graph.after_start(id).for_each(|after| self.release(rank, after));
    }

    fn end(&mut self, rank: u32, id: OperationId) {
        self.ended += 1;
        self.result.ends[rank as usize] = self.now;
        let graph: &'a Graph = &self.graphs[rank as usize];
        graph.after_end(id).for_each(|after| self.release(rank, after));
        let state = &mut self.ranks[rank as usize];
        state.left -= 1;
        if state.left > 0 {
            return;
        }
        let iterations = &mut self.result.iterations;
        // Time never goes back: the last rank that ends an iteration sets its end.
        match iterations.get_mut(state.iteration as usize) {
            Some(end) => *end = self.now,
            None => iterations.push(self.now),
        }
        let runs = self.job.map_or(1, |job| job.runs);
        if state.iteration + 1 < runs {
            state.iteration += 1;
            state.left = graph.operations() as u32;
            for id in 0..state.left {
                state.waiting[id as usize] = graph.predecessors(id);
            }
            self.enter(rank);
        }
    }

    /// Makes the operations ready that a rank begins with.
    fn enter(&mut self, rank: u32) {
        let graph: &'a Graph = &self.graphs[rank as usize];
        graph.roots().for_each(|id| self.set_ready(rank, id));
    }

    fn release(&mut self, rank: u32, id: OperationId) {
        let left = &mut self.ranks[rank as usize].waiting[id as usize];
        *left -= 1;
        if *left == 0 {
            self.set_ready(rank, id);
        }
    }

    fn set_ready(&mut self, rank: u32, id: OperationId) {
        let graph = &self.graphs[rank as usize];
        // A join takes no processor: it only stands between edges.
        let is_join = graph.takes_no_time(id)
            || !self.computes && matches!(graph.operation(id).work, Work::Compute { .. });
        if is_join { self.joins.push((rank, id)) } else { self.ready.push((rank, id)) }
    }

    fn plan(&mut self, at: Time, event: Event) {
        self.events.push(Reverse((at, self.planned, event)));
        self.planned += 1;
    }
}

/// Returns true if a receive takes a message from this rank with this tag.
fn takes(graph: &Graph, id: OperationId, from: u32, tag: u32) -> bool {
    let Work::Receive { from: wanted, tag: wanted_tag, .. } = graph.operation(id).work else {
        unreachable!("only receives are posted");
    };
    wanted.is_none_or(|wanted| wanted == from) && wanted_tag.is_none_or(|wanted| wanted == tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::builder::GraphBuilder;

    fn ns(ns: u64) -> Span {
        Span::from_ns(ns)
    }

    /// A message of n bytes takes 100 + n ns, n of them at its sender's interface.
    fn line(_: u32, _: u32, bytes: u64) -> IdealMessage {
        let sent = Transmission::single(ns(bytes));
        IdealMessage { delivered: ns(100 + bytes), sent, tail: ns(100), completed: ns(bytes) }
    }

    fn programs<const N: usize>(builders: [GraphBuilder; N]) -> Programs {
        Programs { ranks: builders.into_iter().map(|builder| builder.build().unwrap()).collect() }
    }

    fn send(to: u32, bytes: u64) -> super::super::Operation {
        Work::Send { to, bytes, tag: 0 }.on_cpu(0)
    }

    fn receive(from: Option<u32>, bytes: u64) -> super::super::Operation {
        Work::Receive { from, bytes, tag: Some(0) }.on_cpu(0)
    }

    fn compute(span: u64, cpu: u8) -> super::super::Operation {
        Work::Compute { span: ns(span) }.on_cpu(cpu)
    }

    /// Ping-pong with computations: T = k (2 tau + c0 + c1).
    #[test]
    fn ping_pong_takes_its_closed_form() {
        let rounds = 5;
        let [mut ping, mut pong] = [GraphBuilder::default(), GraphBuilder::default()];
        let mut last = [None; 2];
        for _ in 0..rounds {
            let chains = [
                (&mut ping, [compute(7, 0), send(1, 50), receive(Some(1), 50)]),
                (&mut pong, [receive(Some(0), 50), compute(11, 0), send(0, 50)]),
            ];
            for ((builder, chain), last) in chains.into_iter().zip(&mut last) {
                for operation in chain {
                    let id = builder.add(operation);
                    last.replace(id).into_iter().for_each(|before| builder.requires(id, before));
                }
            }
        }
        let replayed = replay(&programs([ping, pong]), line).unwrap();
        // The ping's receive is chained behind its send, which completes earlier.
        assert_eq!(replayed.completion(), ns(rounds * (2 * 150 + 7 + 11)));
        assert_eq!((replayed.messages, replayed.bytes), (10, 500));
    }

    #[test]
    fn processors_exclude_and_interfaces_serialise() {
        let [mut one, mut two] = [GraphBuilder::default(), GraphBuilder::default()];
        for (span, cpu) in [(10, 0), (20, 0), (5, 1)] {
            let computed = one.add(compute(span, cpu));
            let sent = one.add(send(1, 1000));
            one.requires(sent, computed);
            two.add(receive(Some(0), 1000));
        }
        let replayed = replay(&programs([one, two]), line).unwrap();
        // Messages start at 5, 1,005 and 2,005 ns.
        assert_eq!(replayed.ends, [ns(3005).after_start(), ns(3105).after_start()]);
    }

    /// A queue pair keeps order: the second message would arrive after 101 ns by itself.
    #[test]
    fn messages_of_a_pair_keep_their_order() {
        let [mut one, mut two] = [GraphBuilder::default(), GraphBuilder::default()];
        one.add(send(1, 1000));
        one.add(Work::Send { to: 1, bytes: 1, tag: 7 }.on_cpu(0));
        let first = two.add(Work::Receive { from: Some(0), bytes: 1, tag: Some(7) }.on_cpu(0));
        let after = two.add(compute(1, 0));
        two.requires(after, first);
        two.add(receive(Some(0), 1000));
        let free = |from, to, bytes| IdealMessage { sent: Transmission::default(), ..line(from, to, bytes) };
        assert_eq!(replay(&programs([one, two]), free).unwrap().completion(), ns(1101));
    }

    /// `irequires`: an operation starts with another, not after it.
    #[test]
    fn starts_release_starts() {
        let mut one = GraphBuilder::default();
        let first = one.add(compute(100, 0));
        let [with, after] = [one.add(compute(1, 1)), one.add(compute(1, 1))];
        one.starts_after(with, first);
        one.requires(after, first);
        assert_eq!(replay(&programs([one]), line).unwrap().completion(), ns(101));
        let mut late = GraphBuilder::default();
        let [a, b] = [late.add(compute(100, 0)), late.add(compute(100, 0))];
        let with = late.add(compute(1, 1));
        late.starts_after(with, b);
        late.requires(b, a);
        assert_eq!(replay(&programs([late]), line).unwrap().completion(), ns(200));
    }

    #[test]
    fn joins_take_no_time_and_no_stack() {
        let mut one = GraphBuilder::default();
        for id in 0..1_000_000 {
            one.add(compute(0, 0));
            if id > 0 {
                one.requires(id, id - 1);
            }
        }
        assert_eq!(replay(&programs([one]), line).unwrap().completion(), ns(0));
    }

    #[test]
    fn missing_messages_stall() {
        let [mut one, mut two] = [GraphBuilder::default(), GraphBuilder::default()];
        one.add(send(1, 8));
        two.add(receive(None, 8));
        let waits = two.add(receive(Some(0), 8));
        let stalled = replay(&programs([one, two]), line).unwrap_err();
        assert_eq!(stalled, Stalled { operations: 1, waiting: vec![(1, waits)] });
    }
}
