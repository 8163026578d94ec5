//! The progress of a rank through its program: the only state of a running job.
//!
//! Invariant: an operation starts once, when the operations that it names have ended or started, and ends once. The
//! operations that one call sets free start in the order of their numbers. Operations which take no time are no part
//! of that order, so one that is added anywhere changes nothing else.
//!
//! | operation | starts | ends |
//! |---|---|---|
//! | send | when it is free: the message is posted | when the transport says that the message is complete |
//! | receive | when it is free: the receive is posted | when a message is matched with it and has arrived whole |
//! | compute | when its processor comes to it | after its time |
//! | compute of no time | when it is free, whatever its processor does | at once |
//!
//! A program may run several times: the next iteration begins in the instant in which the last operation of the one
//! before has ended. Messages of an iteration that a rank has not begun wait for its receives.
//!
//! Messages are matched as MPI does: by source and tag; a receive may leave either open. Among several that
//! fit, the receive that was posted first takes the message that arrived first.

use std::collections::VecDeque;

use units::Time;

use super::graph::{Graph, Operation, OperationId, Successors, Work};
use super::pace::Pace;
use super::times::RankTimes;

/// What the caller has to do for a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Post the message of a send.
    Post {
        /// The send.
        operation: OperationId,
        /// Rank that the message goes to.
        to: u32,
        /// Its payload.
        bytes: u64,
        /// Its tag.
        tag: u32,
    },
    /// Clear the oldest message of a tag for which a rank has asked.
    Clear {
        /// The rank.
        to: u32,
        /// The tag.
        tag: u32,
    },
    /// Call [`RankProgress::computed`] for a processor at a time, which is later than now.
    Compute {
        /// The processor.
        cpu: u8,
        /// The time.
        until: Time,
    },
    /// Nothing: the last operation has ended.
    Done,
}

/// A message that has arrived whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrivingMessage {
    /// Rank that sent it.
    pub from: u32,
    /// Its tag.
    pub tag: u32,
    /// Departure of its last packet from the sender's adapter.
    pub departed: Time,
}

/// The progress of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankProgress {
    /// Ends and starts that each operation of a list waits for; empty for a formula.
    waiting: Vec<u32>,
    /// Operations of the program, and those of the iteration that have not ended.
    operations: u32,
    left: u32,
    /// Iterations of the program, and those that have ended: their ends.
    iterations: u32,
    ends: Vec<Time>,
    pace: Pace,
    /// True from the start of the job on.
    begun: bool,
    /// Ranks that messages come from, ascending.
    sources: Vec<u32>,
    /// Posted receives without a message, by source; the last list has those from any source.
    posted: Vec<VecDeque<PostedReceive>>,
    /// Messages without a receive, by source.
    arrived: Vec<VecDeque<ArrivedMessage>>,
    /// Receives that are matched with a message that has asked, and wait for its payload, in the order of matching.
    cleared: VecDeque<ClearedReceive>,
    /// Receives that were posted and found no message, and messages that have arrived: both give an order.
    counts: [u64; 2],
    cpus: Vec<Cpu>,
    /// Sends that are posted and not complete.
    sending: u32,
    /// Time at which the last operation ended, so far.
    last_end: Time,
    /// Times of operations and messages, if they are kept.
    times: Option<Box<RankTimes>>,
    // Empty between calls:
    /// Operations that are free to start.
    free: Vec<OperationId>,
    batch: Vec<OperationId>,
    /// Operations that have ended, and have not told those that wait for them.
    ended: Vec<OperationId>,
}

state_codec::state!(RankProgress {
    waiting,
    operations: plan,
    left,
    iterations: plan,
    ends,
    pace: plan,
    begun,
    sources: plan,
    posted,
    arrived,
    cleared,
    counts,
    cpus,
    sending,
    last_end,
    times,
    free: derived,
    batch: derived,
    ended: derived,
});

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PostedReceive {
    order: u64,
    operation: OperationId,
    tag: Option<u32>,
}

state_codec::value!(PostedReceive { order, operation, tag });

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ArrivedMessage {
    order: u64,
    tag: u32,
    /// True if its payload waits for a receive.
    asks: bool,
}

state_codec::value!(ArrivedMessage { order, tag, asks });

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ClearedReceive {
    from: u32,
    tag: u32,
    operation: OperationId,
}

state_codec::value!(ClearedReceive { from, tag, operation });

/// A processor: what it computes, and what waits for it in order of becoming free to start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Cpu {
    busy: Option<OperationId>,
    waiting: VecDeque<OperationId>,
}

state_codec::value!(Cpu { busy, waiting });

/// An operation that has not ended, as a run that is stuck reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingReceive {
    /// The receive, which is posted.
    pub operation: OperationId,
    /// Rank that it waits for; `None` for any.
    pub from: Option<u32>,
    /// Tag that it waits for; `None` for any.
    pub tag: Option<u32>,
}

impl RankProgress {
    /// The progress of a rank before its start, for one iteration at the program's pace. `senders` are the ranks that
    /// send to it.
    #[must_use]
    pub fn new(graph: &Graph, senders: &[u32]) -> Self {
        let mut sources: Vec<u32> = graph.senders().into_iter().chain(senders.iter().copied()).collect();
        sources.sort_unstable();
        sources.dedup();
        let operations = graph.operations() as u32;
        Self {
            waiting: graph.counters(),
            left: operations,
            operations,
            iterations: 1,
            ends: Vec::new(),
            pace: Pace::default(),
            begun: false,
            posted: vec![VecDeque::new(); sources.len() + 1],
            arrived: vec![VecDeque::new(); sources.len()],
            cleared: VecDeque::new(),
            sources,
            counts: [0; 2],
            cpus: vec![Cpu::default(); graph.processors()],
            sending: 0,
            last_end: Time::ZERO,
            times: None,
            free: Vec::new(),
            batch: Vec::new(),
            ended: Vec::new(),
        }
    }

    /// Sets the number of iterations, at least 1, and the pace of computations.
    #[must_use]
    pub fn repeated(self, iterations: u32, pace: Pace) -> Self {
        assert!(iterations > 0, "a program runs at least once");
        Self { iterations, pace, ends: Vec::with_capacity(iterations as usize), ..self }
    }

    /// Keeps the times of operations of all iterations from now on.
    #[must_use]
    pub fn with_times(self, graph: &Graph) -> Self {
        let times = RankTimes::of(graph, self.iterations);
        Self { times: Some(Box::new(times)), ..self }
    }

    /// Keeps the times of handshakes too, if it keeps times.
    #[must_use]
    pub fn with_handshakes(mut self) -> Self {
        if let Some(times) = &mut self.times {
            times.keep_handshakes();
        }
        self
    }

    /// Returns the times of operations; `None` if they are not kept.
    #[must_use]
    pub fn times(&self) -> Option<&RankTimes> {
        self.times.as_deref()
    }

    /// Begins the program.
    pub fn begin(&mut self, graph: &Graph, now: Time, actions: &mut Vec<Action>) {
        assert!(!self.begun, "a program begins once");
        (self.begun, self.last_end) = (true, now);
        if let Some(times) = &mut self.times {
            times.begun = now;
        }
        if graph.operations() == 0 {
            self.ends.resize(self.iterations as usize, now);
            return actions.push(Action::Done);
        }
        for id in graph.roots() {
            self.set_free(graph, id, now);
        }
        self.settle(graph, now, actions);
    }

    /// Handles a message that has arrived whole.
    ///
    /// # Panics
    /// If the source was not among the senders.
    pub fn arrived(&mut self, graph: &Graph, message: ArrivingMessage, now: Time, actions: &mut Vec<Action>) {
        self.meet(message, false, now, actions);
        self.settle(graph, now, actions);
    }

    /// Handles the request of a message that waits for its receive.
    ///
    /// # Panics
    /// If the source was not among the senders.
    pub fn asked(&mut self, graph: &Graph, message: ArrivingMessage, now: Time, actions: &mut Vec<Action>) {
        self.meet(message, true, now, actions);
        self.settle(graph, now, actions);
    }

    /// Handles the arrival of the payload of a message that was cleared.
    ///
    /// # Panics
    /// If no such message was cleared.
    pub fn received(
        &mut self,
        graph: &Graph,
        message: ArrivingMessage,
        now: Time,
        actions: &mut Vec<Action>,
    ) {
        let ArrivingMessage { from, tag, departed } = message;
        let place = self.cleared.iter().position(|it| (it.from, it.tag) == (from, tag));
        let receive = place.and_then(|place| self.cleared.remove(place)).expect("a message that was cleared");
        let first = self.first();
        if let Some(times) = &mut self.times {
            times.receive(first + receive.operation, departed);
        }
        self.end(receive.operation, now);
        self.settle(graph, now, actions);
    }

    /// Notes that a send's message was cleared, by a message that departed at this time.
    pub fn cleared(&mut self, send: OperationId, departed: Time, now: Time) {
        let first = self.first();
        if let Some(times) = &mut self.times {
            times.clear(first + send, departed, now);
        }
    }

    /// Matches a message, which may have asked, with the first receive that fits.
    fn meet(&mut self, message: ArrivingMessage, asks: bool, now: Time, actions: &mut Vec<Action>) {
        let ArrivingMessage { from, tag, departed } = message;
        let source = self.source(from);
        let order = self.counts[1];
        self.counts[1] += 1;
        if let Some(times) = &mut self.times {
            times.arrive(from, departed, now);
        }
        let any = self.sources.len();
        let first = |list: &VecDeque<PostedReceive>| {
            let fits = |receive: &PostedReceive| receive.tag.is_none_or(|wanted| wanted == tag);
            list.iter().position(fits).map(|place| (list[place].order, place))
        };
        let candidates = [source, any].map(|list| first(&self.posted[list]).map(|found| (found, list)));
        let message = ArrivedMessage { order, tag, asks };
        match candidates.into_iter().flatten().min() {
            None => self.arrived[source].push_back(message),
            Some(((_, place), list)) => {
                let receive = self.posted[list].remove(place).expect("a place in the list");
                self.take(from, message, receive.operation, now, actions);
            }
        }
    }

    /// Handles the completion of a send's message at its sender.
    pub fn completed(&mut self, graph: &Graph, operation: OperationId, now: Time, actions: &mut Vec<Action>) {
        self.sending -= 1;
        self.end(operation, now);
        self.settle(graph, now, actions);
    }

    /// Handles the end of a processor's computation.
    pub fn computed(&mut self, graph: &Graph, cpu: u8, now: Time, actions: &mut Vec<Action>) {
        let operation = self.cpus[usize::from(cpu)].busy.take().expect("the processor computes");
        self.end(operation, now);
        // Computations that wait became free before those that this one sets free.
        if let Some(next) = self.cpus[usize::from(cpu)].waiting.pop_front() {
            self.compute(graph, next, now, actions);
        }
        self.settle(graph, now, actions);
    }

    /// Returns true once the last operation has ended.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.begun && self.left == 0 && self.ends.len() == self.iterations as usize
    }

    /// Returns the number of operations of all iterations that have not ended.
    #[must_use]
    pub fn left(&self, graph: &Graph) -> u64 {
        let to_come = u64::from(self.iterations).saturating_sub(self.ends.len() as u64 + 1);
        u64::from(self.left) + to_come * graph.operations() as u64
    }

    /// Returns true if an operation has ended.
    #[must_use]
    pub const fn has_ended_any(&self) -> bool {
        !self.ends.is_empty() || self.left < self.operations
    }

    /// Returns the end of each iteration that has ended.
    #[must_use]
    pub fn ends(&self) -> &[Time] {
        &self.ends
    }

    /// Returns the time at which the latest operation so far has ended; the start of the job before.
    #[must_use]
    pub const fn last_end(&self) -> Time {
        self.last_end
    }

    /// Returns true if something other than the arrival of a message will go on with the program by itself: the start,
    /// a computation, or the completion of a send.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        !self.begun || self.sending > 0 || self.cpus.iter().any(|cpu| cpu.busy.is_some())
    }

    /// Returns the posted receives without a message, in the order of their posting.
    #[must_use]
    pub fn waiting_receives(&self) -> Vec<WaitingReceive> {
        let any = self.sources.len();
        let of_list = |(list, receives): (usize, &VecDeque<PostedReceive>)| {
            let from = (list < any).then(|| self.sources[list]);
            let wait = move |it: &PostedReceive| {
                (it.order, WaitingReceive { operation: it.operation, from, tag: it.tag })
            };
            receives.iter().map(wait).collect::<Vec<_>>()
        };
        let mut all: Vec<_> = self.posted.iter().enumerate().flat_map(of_list).collect();
        all.sort_unstable_by_key(|(order, _)| *order);
        all.into_iter().map(|(_, wait)| wait).collect()
    }

    fn source(&self, from: u32) -> usize {
        self.sources.binary_search(&from).expect("a rank that sends to this one")
    }

    /// Starts what is free, until nothing more can start now.
    fn settle(&mut self, graph: &Graph, now: Time, actions: &mut Vec<Action>) {
        if self.ended.is_empty() && self.free.is_empty() {
            return;
        }
        loop {
            // No recursion: a chain of operations that take no time may have millions of members.
            while let Some(id) = self.ended.pop() {
                self.release(graph, graph.after_end(id), now);
                if graph.takes_no_time(id) {
                    self.release(graph, graph.after_start(id), now);
                }
            }
            if self.left == 0 {
                self.ends.push(now);
                if self.ends.len() == self.iterations as usize {
                    return actions.push(Action::Done);
                }
                self.begin_again(graph, now);
                continue;
            }
            if self.free.is_empty() {
                return;
            }
            core::mem::swap(&mut self.free, &mut self.batch);
            self.batch.sort_unstable();
            for place in 0..self.batch.len() {
                self.start(graph, self.batch[place], now, actions);
            }
            self.batch.clear();
        }
    }

    /// Begins the next iteration.
    fn begin_again(&mut self, graph: &Graph, now: Time) {
        self.left = self.operations;
        for (id, waiting) in (0..).zip(&mut self.waiting) {
            *waiting = graph.predecessors(id);
        }
        for id in graph.roots() {
            self.set_free(graph, id, now);
        }
    }

    /// Tells operations that one that they wait for has ended or started.
    fn release(&mut self, graph: &Graph, later: Successors<'_>, now: Time) {
        let ids = match later {
            Successors::Listed(ids) => ids,
            Successors::Alone(ids) => return ids.for_each(|id| self.set_free(graph, id, now)),
        };
        for id in ids {
            let waiting = &mut self.waiting[id as usize];
            *waiting -= 1;
            if *waiting == 0 {
                self.set_free(graph, id, now);
            }
        }
    }

    fn set_free(&mut self, graph: &Graph, id: OperationId, now: Time) {
        if graph.takes_no_time(id) {
            self.end(id, now);
        } else {
            self.free.push(id);
        }
    }

    fn start(&mut self, graph: &Graph, id: OperationId, now: Time, actions: &mut Vec<Action>) {
        let operation = graph.operation(id);
        match operation.work {
            Work::Send { to, bytes, tag } => {
                self.sending += 1;
                let first = self.first();
                if let Some(times) = &mut self.times {
                    times.post(first + id, now);
                }
                actions.push(Action::Post { operation: id, to, bytes, tag });
                self.release(graph, graph.after_start(id), now);
            }
            Work::Receive { from, tag, .. } => {
                self.note_start(id, now);
                self.release(graph, graph.after_start(id), now);
                self.post(id, (from, tag), now, actions);
            }
            Work::Compute { .. } => {
                let cpu = &mut self.cpus[usize::from(operation.cpu)];
                if cpu.busy.is_some() {
                    cpu.waiting.push_back(id);
                } else {
                    self.compute(graph, id, now, actions);
                }
            }
        }
    }

    /// Starts a computation on its idle processor.
    fn compute(&mut self, graph: &Graph, id: OperationId, now: Time, actions: &mut Vec<Action>) {
        let Operation { work: Work::Compute { span }, cpu, .. } = graph.operation(id) else {
            unreachable!("processors have computations only")
        };
        let before = self.cpus[usize::from(cpu)].busy.replace(id);
        debug_assert!(before.is_none(), "computations of a processor exclude each other");
        let length = self.pace.length(span, self.ends.len() as u32, id);
        self.note_start(id, now);
        // A computation past the end of the clock never ends.
        let until = Time::from_ps(now.ps().saturating_add(length.ps()));
        actions.push(Action::Compute { cpu, until });
        self.release(graph, graph.after_start(id), now);
    }

    /// Posts a receive, or ends it with the first message that fits.
    fn post(
        &mut self,
        operation: OperationId,
        (from, tag): (Option<u32>, Option<u32>),
        now: Time,
        actions: &mut Vec<Action>,
    ) {
        let fits = |message: &ArrivedMessage| tag.is_none_or(|wanted| wanted == message.tag);
        let first = |list: usize| {
            let messages = &self.arrived[list];
            messages.iter().position(fits).map(|place| (messages[place].order, list, place))
        };
        let source = from.map(|from| self.source(from));
        let found = match source {
            Some(source) => first(source),
            None => (0..self.sources.len()).filter_map(first).min(),
        };
        if let Some((_, list, place)) = found {
            let message = self.arrived[list].remove(place).expect("a place in the list");
            self.take(self.sources[list], message, operation, now, actions);
        } else {
            let order = self.counts[0];
            self.counts[0] += 1;
            let list = source.unwrap_or(self.sources.len());
            self.posted[list].push_back(PostedReceive { order, operation, tag });
        }
    }

    /// Number of the iteration's first operation among the operations of all iterations, which are few enough for it if
    /// their times are kept.
    const fn first(&self) -> OperationId {
        (self.ends.len() as u32).wrapping_mul(self.operations)
    }

    fn note_start(&mut self, id: OperationId, now: Time) {
        let first = self.first();
        if let Some(times) = &mut self.times {
            times.start(first + id, now);
        }
    }

    /// Gives a message to a receive, which ends unless the payload has to come yet.
    fn take(
        &mut self,
        from: u32,
        ArrivedMessage { order, tag, asks }: ArrivedMessage,
        operation: OperationId,
        now: Time,
        actions: &mut Vec<Action>,
    ) {
        let receive = self.first() + operation;
        if let Some(times) = &mut self.times {
            times.take(order, receive);
            if asks {
                times.accept(receive, now);
            }
        }
        if asks {
            self.cleared.push_back(ClearedReceive { from, tag, operation });
            actions.push(Action::Clear { to: from, tag });
        } else {
            self.end(operation, now);
        }
    }

    fn end(&mut self, id: OperationId, now: Time) {
        self.left -= 1;
        self.last_end = now;
        let first = self.first();
        if let Some(times) = &mut self.times {
            times.end(first + id, now);
        }
        self.ended.push(id);
    }
}
