//! The ranks of a host, as its adapter runs them.
//!
//! Invariant: a call handles everything that follows from it in its instant: computations that take no time, and
//! messages between ranks of the host that take none. What is left are messages to post, in order, and a time at which
//! to call again. Messages between ranks of the host cross no wire.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use packet::NodeId;
use units::Time;

use super::graph::{Graph, OperationId, Programs};
use super::links::{AskingSend, JobMotion, JobPost, Link, Links, Sink};
use super::placed::{Job, LocalLink};
use super::progress::{Action, ArrivingMessage, RankProgress, WaitingReceive};
use super::rendezvous::{CLEAR_BYTES, REQUEST_BYTES, WirePart};
use super::times::RankTimes;

/// All ranks of a host, of all jobs.
#[derive(Clone, Debug)]
pub struct HostJobs {
    pub(super) ranks: Vec<HostRank>,
    /// Queue pairs by which messages leave.
    pub(super) links: Links,
    /// Queue pairs by which they come in.
    pub(super) sinks: Vec<Sink>,
    /// Starts and computations: time, rank of this host, and processor plus one; 0 for the start.
    timers: BinaryHeap<Reverse<(Time, u32, u16)>>,
    /// Messages between ranks of this host that take time, by arrival and number.
    moving: BinaryHeap<Reverse<(Time, u64, Local)>>,
    /// Number of the next of them.
    moved: u64,
    motion: JobMotion,
    // Empty between calls:
    actions: Vec<Action>,
    /// Messages between ranks of this host: receiver, sender's rank and tag.
    local: VecDeque<Local>,
}

state_codec::state!(HostJobs {
    ranks: part,
    links: part,
    sinks: part,
    timers,
    moving,
    moved,
    motion,
    actions: derived,
    local: derived,
});

/// A rank after or during a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankReport {
    /// Number of the job.
    pub job: u32,
    /// Rank in the job.
    pub rank: u32,
    /// Time at which its latest operation has ended, if any has.
    pub last_end: Option<Time>,
    /// Operations of all iterations that have not ended.
    pub left: u64,
    /// End of each iteration that has ended.
    pub ends: Vec<Time>,
    /// Number, source and tag of the first receive that waits; all ones for any source or tag.
    pub waits: Option<(u32, u32, u32)>,
    /// Number, destination and tag of the first send that has asked its receiver, and has no answer.
    pub asks: Option<(u32, u32, u32)>,
    /// Times of its operations, if they are kept.
    pub times: Option<RankTimes>,
}

state_codec::value!(RankReport { job, rank, last_end, left, ends, waits, asks, times });

#[derive(Clone, Debug)]
pub(super) struct HostRank {
    job: u32,
    rank: u32,
    programs: Arc<Programs>,
    tags: Arc<[u32]>,
    /// Ranks that it sends to, ascending, and the way to each.
    pub(super) targets: Box<[(u32, Way)]>,
    /// Queue pairs to each rank of another host.
    queue_pairs: u32,
    /// Least bytes of messages to other hosts that ask their receiver.
    rendezvous: Option<u64>,
    local: Option<LocalLink>,
    /// Time from which the next message to a rank of this host may start.
    local_free: Time,
    progress: RankProgress,
}

state_codec::state!(HostRank {
    job: plan,
    rank: plan,
    programs: plan,
    tags: plan,
    targets: plan,
    queue_pairs: plan,
    rendezvous: plan,
    local: plan,
    local_free,
    progress: part,
});

/// The way to a rank.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// By flows, from this link on.
    Link(u32),
    /// Within the host, to this rank of it.
    Local(u32),
}

/// A message between ranks of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Local {
    to: u32,
    from: u32,
    tag: u32,
    /// The sender's rank of this host, and its send.
    sender: u32,
    operation: OperationId,
}

state_codec::value!(Local { to, from, tag, sender, operation });

impl HostJobs {
    pub(super) fn at_rest(
        jobs: &[Job],
        places: &[(NodeId, u32, u32)],
        senders: &mut [Vec<Vec<u32>>],
    ) -> Self {
        let rank = |(_, number, rank): &(NodeId, u32, u32)| {
            let job = &jobs[*number as usize];
            let graph = &job.programs.ranks[*rank as usize];
            let senders = core::mem::take(&mut senders[*number as usize][*rank as usize]);
            let progress = RankProgress::new(graph, &senders).repeated(job.runs, job.paces[*rank as usize]);
            let progress = if job.keeps_times() { progress.with_times(graph) } else { progress };
            HostRank {
                job: *number,
                rank: *rank,
                programs: Arc::clone(&job.programs),
                tags: Arc::clone(&job.tags),
                targets: Box::default(),
                queue_pairs: job.queue_pairs,
                rendezvous: job.rendezvous,
                local: job.local,
                local_free: Time::ZERO,
                progress: if job.rendezvous.is_some() { progress.with_handshakes() } else { progress },
            }
        };
        let ranks: Vec<HostRank> = places.iter().map(rank).collect();
        let start = |(_, job, rank): &(NodeId, u32, u32)| jobs[*job as usize].starts[*rank as usize];
        let starts = (0..).zip(places).map(|(local, place)| Reverse((start(place), local, 0)));
        let count = ranks.len() as u64;
        Self {
            timers: starts.collect(),
            moving: BinaryHeap::new(),
            moved: 0,
            motion: JobMotion { ranks: count, pending: count, ..JobMotion::default() },
            ranks,
            links: Links::default(),
            sinks: Vec::new(),
            actions: Vec::new(),
            local: VecDeque::new(),
        }
    }

    /// Returns the time at which [`on_deadline`](Self::on_deadline) has to be called; [`Time::NEVER`] if nothing comes
    /// by time alone.
    #[must_use]
    pub fn deadline(&self) -> Time {
        self.next_timer().min(self.moving.peek().map_or(Time::NEVER, |Reverse((at, ..))| *at))
    }

    fn next_timer(&self) -> Time {
        self.timers.peek().map_or(Time::NEVER, |Reverse((at, _, _))| *at)
    }

    /// Handles starts, ends of computations and local messages that are due.
    pub fn on_deadline(&mut self, now: Time) {
        while self.deadline() <= now {
            self.motion.pending -= 1;
            if self.next_timer() > self.deadline() {
                let Some(Reverse((_, _, message))) = self.moving.pop() else { break };
                self.local.push_back(message);
                self.deliver_locally(now);
                continue;
            }
            let Some(Reverse((_, local, timer))) = self.timers.pop() else { break };
            let HostRank { rank, programs, progress, .. } = &mut self.ranks[local as usize];
            let graph = &programs.ranks[*rank as usize];
            match timer.checked_sub(1) {
                None => progress.begin(graph, now, &mut self.actions),
                Some(cpu) => progress.computed(graph, cpu as u8, now, &mut self.actions),
            }
            self.act(local, now);
            self.deliver_locally(now);
        }
    }

    /// Handles the completion, at its sender, of the oldest message of a flow that leaves.
    pub fn on_completed(&mut self, link: u32, now: Time) {
        let Link { rank, sending, .. } = &mut self.links.all[link as usize];
        let (local, operation) = (*rank, sending.pop_front().expect("a message that was posted"));
        self.motion.pending -= 1;
        if operation != Link::CONTROL {
            self.complete(local, operation, now);
            self.deliver_locally(now);
        }
    }

    /// Handles the arrival of a whole message of a flow that comes in, with this immediate data. The first byte of its
    /// last packet left the sender's adapter at `departed`.
    pub fn on_arrived(&mut self, sink: u32, message: (u32, Time), now: Time) {
        let Sink { rank, first, .. } = self.sinks[sink as usize];
        self.motion.arrived += 1;
        let count = self.ranks[rank as usize].queue_pairs;
        if count == 1 {
            return self.hand_over(sink, message, now);
        }
        self.sinks[sink as usize].early.push_back(message);
        loop {
            let turn = self.sinks[first as usize].turn;
            let Some(next) = self.sinks[(first + turn) as usize].early.pop_front() else { return };
            self.sinks[first as usize].turn = (turn + 1) % count;
            self.hand_over(first, next, now);
        }
    }

    /// Hands a message that came in to its rank.
    fn hand_over(&mut self, sink: u32, (immediate, departed): (u32, Time), now: Time) {
        let Sink { rank: local, from, .. } = self.sinks[sink as usize];
        let tags = &self.ranks[local as usize].tags;
        let (part, place) = WirePart::of(immediate, tags.len() as u32);
        let message = ArrivingMessage { from, tag: tags[place as usize], departed };
        match part {
            WirePart::Whole => self.arrive(local, message, now),
            WirePart::Request => {
                let (graph, progress) = self.ranks[local as usize].parts();
                progress.asked(graph, message, now, &mut self.actions);
                self.act(local, now);
            }
            WirePart::Clear => self.send_payload(local, (from, place), departed, now),
            WirePart::Payload => {
                let (graph, progress) = self.ranks[local as usize].parts();
                progress.received(graph, message, now, &mut self.actions);
                self.act(local, now);
            }
        }
        self.deliver_locally(now);
    }

    /// Posts the payload of the oldest send with this place of a tag that has asked a rank.
    fn send_payload(&mut self, local: u32, (to, tag): (u32, u32), departed: Time, now: Time) {
        let rank = &mut self.ranks[local as usize];
        let Way::Link(first) = rank.way(to) else { unreachable!("messages within a host do not ask") };
        let AskingSend { operation, bytes, .. } = self.links.cleared(first, tag);
        rank.progress.cleared(operation, departed, now);
        let immediate = WirePart::Payload.immediate(tag, rank.tags.len() as u32);
        let queue_pairs = (first, rank.queue_pairs);
        self.links.post(queue_pairs, (bytes, immediate), operation, &mut self.motion);
    }

    /// Returns the messages to post, in order; the caller gives the list back.
    pub fn take_posts(&mut self) -> Vec<JobPost> {
        core::mem::take(&mut self.links.posts)
    }

    /// Returns the list that [`take_posts`](Self::take_posts) gave, with its room.
    pub fn return_posts(&mut self, mut posts: Vec<JobPost>) {
        posts.clear();
        self.links.posts = posts;
    }

    /// Returns the messages to other hosts that are not posted yet.
    #[must_use]
    pub const fn to_come(&self) -> u64 {
        self.links.to_come
    }

    /// Returns what moves.
    #[must_use]
    pub const fn motion(&self) -> JobMotion {
        self.motion
    }

    /// Returns the state of each rank.
    pub fn reports(&self) -> impl Iterator<Item = RankReport> {
        (0..).zip(&self.ranks).map(|(local, HostRank { job, rank, progress, programs, .. })| {
            let number = |number: Option<u32>| number.unwrap_or(u32::MAX);
            let wait = |it: &WaitingReceive| (it.operation, number(it.from), number(it.tag));
            let graph = &programs.ranks[*rank as usize];
            let any = graph.operations() > 0 && progress.has_ended_any();
            RankReport {
                job: *job,
                rank: *rank,
                last_end: any.then_some(progress.last_end()),
                left: progress.left(graph),
                ends: progress.ends().to_vec(),
                waits: progress.waiting_receives().first().map(wait),
                asks: self.first_asking(local),
                times: progress.times().cloned(),
            }
        })
    }

    /// Returns the number of a rank's first send that has asked its receiver, the receiver, and the tag.
    fn first_asking(&self, local: u32) -> Option<(OperationId, u32, u32)> {
        let HostRank { targets, tags, .. } = &self.ranks[local as usize];
        let of_target = |(to, way): &(u32, Way)| match way {
            Way::Link(first) => self.links.all[*first as usize].asking.front().map(|send| (*to, send)),
            Way::Local(_) => None,
        };
        let first = targets.iter().filter_map(of_target).min_by_key(|(_, send)| send.operation);
        first.map(|(to, send)| (send.operation, to, tags[send.tag as usize]))
    }

    /// Hands messages between ranks of this host over, in the order of their sends.
    fn deliver_locally(&mut self, now: Time) {
        while let Some(Local { to, from, tag, sender, operation }) = self.local.pop_front() {
            self.complete(sender, operation, now);
            self.arrive(to, ArrivingMessage { from, tag, departed: now }, now);
        }
    }

    fn complete(&mut self, local: u32, operation: OperationId, now: Time) {
        let HostRank { rank, programs, progress, .. } = &mut self.ranks[local as usize];
        progress.completed(&programs.ranks[*rank as usize], operation, now, &mut self.actions);
        self.act(local, now);
    }

    fn arrive(&mut self, local: u32, message: ArrivingMessage, now: Time) {
        let HostRank { rank, programs, progress, .. } = &mut self.ranks[local as usize];
        progress.arrived(&programs.ranks[*rank as usize], message, now, &mut self.actions);
        self.act(local, now);
    }

    /// Carries out the actions of a rank.
    fn act(&mut self, local: u32, now: Time) {
        let mut actions = core::mem::take(&mut self.actions);
        for action in actions.drain(..) {
            match action {
                Action::Post { operation, to, bytes, tag } => {
                    self.post(local, operation, (to, bytes, tag), now);
                }
                Action::Clear { to, tag } => {
                    let rank = &self.ranks[local as usize];
                    let Way::Link(first) = rank.way(to) else {
                        unreachable!("messages within a host do not ask")
                    };
                    let immediate = WirePart::Clear.immediate(rank.place(tag), rank.tags.len() as u32);
                    let clear = (CLEAR_BYTES, immediate);
                    self.links.post((first, rank.queue_pairs), clear, Link::CONTROL, &mut self.motion);
                }
                Action::Compute { cpu, until } => {
                    debug_assert!(until > now, "computations of no time are no actions");
                    self.motion.pending += 1;
                    self.timers.push(Reverse((until, local, u16::from(cpu) + 1)));
                }
                Action::Done => self.motion.ranks -= 1,
            }
        }
        self.actions = actions;
    }

    /// Posts the message of a rank's send, or asks its receiver.
    fn post(&mut self, local: u32, operation: OperationId, (to, bytes, tag): (u32, u64, u32), now: Time) {
        let rank = &mut self.ranks[local as usize];
        let to = match rank.way(to) {
            Way::Local(to) => to,
            Way::Link(first) => {
                let (place, tags) = (rank.place(tag), rank.tags.len() as u32);
                let queue_pairs = (first, rank.queue_pairs);
                let (message, operation) = if rank.rendezvous.is_some_and(|least| bytes >= least) {
                    let asking = AskingSend { tag: place, operation, bytes };
                    self.links.all[first as usize].asking.push_back(asking);
                    ((REQUEST_BYTES, WirePart::Request.immediate(place, tags)), Link::CONTROL)
                } else {
                    ((bytes, WirePart::Whole.immediate(place, tags)), operation)
                };
                return self.links.post(queue_pairs, message, operation, &mut self.motion);
            }
        };
        let message = Local { to, from: rank.rank, tag, sender: local, operation };
        let arrival = rank.local.map_or(now, |link| link.carry(bytes, &mut rank.local_free, now));
        if arrival == now {
            self.local.push_back(message);
        } else {
            self.moving.push(Reverse((arrival, self.moved, message)));
            self.moved += 1;
            self.motion.pending += 1;
        }
    }
}

impl HostRank {
    fn parts(&mut self) -> (&Graph, &mut RankProgress) {
        (&self.programs.ranks[self.rank as usize], &mut self.progress)
    }

    /// Returns the way to a rank that this one sends to, or answers.
    fn way(&self, to: u32) -> Way {
        let place = self.targets.binary_search_by_key(&to, |(rank, _)| *rank);
        self.targets[place.expect("a rank that this one sends to")].1
    }

    /// Returns the place of a tag.
    fn place(&self, tag: u32) -> u32 {
        self.tags.binary_search(&tag).expect("a tag of the job") as u32
    }
}
