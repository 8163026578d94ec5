//! The ranks of a host, as its adapter runs them.
//!
//! Invariant: a call handles everything that follows from it in its instant: computations that take no time, and
//! messages between ranks of the host that take none. What is left are messages to post, in order, and a time at which
//! to call again. Messages between ranks of the host cross no wire.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use packet::NodeId;
use units::{Bytes, Time};

use super::graph::{OperationId, Programs};
use super::placed::{Job, LocalLink};
use super::progress::{Action, ArrivingMessage, RankProgress, WaitingReceive};
use super::times::RankTimes;

/// All ranks of a host, of all jobs.
#[derive(Clone, Debug)]
pub struct HostJobs {
    ranks: Vec<HostRank>,
    /// Sends that are posted and not complete, oldest first, of each flow that leaves.
    links: Vec<Link>,
    /// Receiver of each flow that comes in.
    sinks: Vec<Sink>,
    /// Starts and computations: time, rank of this host, and processor plus one; 0 for the start.
    timers: BinaryHeap<Reverse<(Time, u32, u16)>>,
    /// Messages between ranks of this host that take time, by arrival and number.
    moving: BinaryHeap<Reverse<(Time, u64, Local)>>,
    /// Number of the next of them.
    moved: u64,
    motion: JobMotion,
    /// Sends to other hosts that are not posted.
    to_come: u64,
    // Empty between calls:
    posts: Vec<JobPost>,
    actions: Vec<Action>,
    /// Messages between ranks of this host: receiver, sender's rank and tag.
    local: VecDeque<Local>,
}

state_codec::state!(HostJobs {
    ranks: part,
    links: part,
    sinks: plan,
    timers,
    moving,
    moved,
    motion,
    to_come,
    posts: derived,
    actions: derived,
    local: derived,
});

/// What moves in the jobs of one or several hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobMotion {
    /// Ranks that are not done.
    pub ranks: u64,
    /// Messages to other hosts that were posted here.
    pub posted: u64,
    /// Messages from other hosts that have arrived here.
    pub arrived: u64,
    /// Starts, computations and local messages to come, and posted messages that are not complete.
    pub pending: u64,
}

state_codec::value!(JobMotion { ranks, posted, arrived, pending });

impl JobMotion {
    /// Returns the sums of both.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            ranks: self.ranks + other.ranks,
            posted: self.posted + other.posted,
            arrived: self.arrived + other.arrived,
            pending: self.pending + other.pending,
        }
    }
}

/// A message to post for a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobPost {
    /// The flow, by its place among the host's flows that leave.
    pub link: u32,
    /// Payload.
    pub bytes: Bytes,
    /// Immediate data.
    pub immediate: u32,
}

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
    /// Times of its operations, if they are kept.
    pub times: Option<RankTimes>,
}

state_codec::value!(RankReport { job, rank, last_end, left, ends, waits, times });

#[derive(Clone, Debug)]
struct HostRank {
    job: u32,
    rank: u32,
    programs: Arc<Programs>,
    tags: Arc<[u32]>,
    /// Ranks that it sends to, ascending, and the way to each.
    targets: Box<[(u32, Way)]>,
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
    local: plan,
    local_free,
    progress: part,
});

/// The way to a rank.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// By a flow.
    Link(u32),
    /// Within the host, to this rank of it.
    Local(u32),
}

#[derive(Clone, Debug)]
struct Link {
    rank: u32,
    sending: VecDeque<OperationId>,
}

state_codec::state!(Link { rank: plan, sending });

#[derive(Clone, Copy, Debug)]
struct Sink {
    rank: u32,
    from: u32,
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

/// The ranks of a host, and the flows that they send to and receive from, by number.
#[derive(Clone, Debug)]
pub struct RanksOfHost {
    /// The host.
    pub host: NodeId,
    /// Its ranks at rest.
    pub jobs: HostJobs,
    /// Flows that leave, in the order of links.
    pub leaving: Vec<u32>,
    /// Flows that come in, in the order of sinks.
    pub coming: Vec<u32>,
}

impl RanksOfHost {
    /// Returns the ranks of each host that has any, by host.
    #[must_use]
    pub fn all(jobs: &[Job]) -> Vec<Self> {
        let placed = |(number, job): (u32, &Job)| {
            let of_rank = move |(rank, host): (u32, &NodeId)| (*host, number, rank);
            (0..).zip(&job.hosts[..job.programs.ranks.len()]).map(of_rank).collect::<Vec<_>>()
        };
        let mut places: Vec<(NodeId, u32, u32)> = (0..).zip(jobs).flat_map(placed).collect();
        places.sort_unstable();
        // By job and rank: place of the host, and rank of the host.
        let mut locals: Vec<Vec<(u32, u32)>> =
            jobs.iter().map(|job| vec![(0, 0); job.programs.ranks.len()]).collect();
        let hosts: Vec<&[(NodeId, u32, u32)]> = places.chunk_by(|one, other| one.0 == other.0).collect();
        for (place, of_host) in (0..).zip(&hosts) {
            for (local, (_, job, rank)) in (0..).zip(*of_host) {
                locals[*job as usize][*rank as usize] = (place, local);
            }
        }
        let mut senders: Vec<Vec<Vec<u32>>> = jobs.iter().map(senders_of).collect();
        let empty = |of_host: &&[(NodeId, u32, u32)]| Self {
            host: of_host[0].0,
            jobs: HostJobs::at_rest(jobs, of_host, &mut senders),
            leaving: Vec::new(),
            coming: Vec::new(),
        };
        let mut all: Vec<Self> = hosts.iter().map(empty).collect();
        for (job, locals) in jobs.iter().zip(&locals) {
            connect(job, locals, &mut all);
        }
        all
    }
}

/// Returns the ranks that send to each rank of a job.
fn senders_of(job: &Job) -> Vec<Vec<u32>> {
    let mut senders = vec![Vec::new(); job.programs.ranks.len()];
    for (from, program) in (0..).zip(&job.programs.ranks) {
        program.send_channels().iter().for_each(|channel| senders[channel.peer as usize].push(from));
    }
    senders
}

/// Gives ranks of a job their ways to others. `locals` has the place of the host, and the rank there, by rank.
fn connect(job: &Job, locals: &[(u32, u32)], all: &mut [RanksOfHost]) {
    let mut targets: Vec<Vec<(u32, Way)>> = vec![Vec::new(); locals.len()];
    for (from, program) in job.programs.ranks.iter().enumerate() {
        for channel in program.send_channels() {
            let (place, local) = locals[channel.peer as usize];
            if locals[from].0 == place {
                targets[from].push((channel.peer, Way::Local(local)));
            }
        }
    }
    for (flow, pair) in (job.first_flow..).zip(&*job.pairs) {
        let (from_host, from_local) = locals[pair.from as usize];
        let (to_host, to_local) = locals[pair.to as usize];
        let from = &mut all[from_host as usize];
        targets[pair.from as usize].push((pair.to, Way::Link(from.leaving.len() as u32)));
        from.leaving.push(flow);
        from.jobs.links.push(Link { rank: from_local, sending: VecDeque::new() });
        from.jobs.to_come += pair.messages * u64::from(job.runs);
        let to = &mut all[to_host as usize];
        to.coming.push(flow);
        to.jobs.sinks.push(Sink { rank: to_local, from: pair.from });
    }
    for ((place, local), mut targets) in locals.iter().zip(targets) {
        targets.sort_unstable_by_key(|(rank, _)| *rank);
        targets.dedup_by_key(|(rank, _)| *rank);
        all[*place as usize].jobs.ranks[*local as usize].targets = targets.into();
    }
}

impl HostJobs {
    fn at_rest(jobs: &[Job], places: &[(NodeId, u32, u32)], senders: &mut [Vec<Vec<u32>>]) -> Self {
        let rank = |(_, number, rank): &(NodeId, u32, u32)| {
            let job = &jobs[*number as usize];
            let graph = &job.programs.ranks[*rank as usize];
            let senders = core::mem::take(&mut senders[*number as usize][*rank as usize]);
            let progress = RankProgress::new(graph, &senders).repeated(job.runs, job.paces[*rank as usize]);
            HostRank {
                job: *number,
                rank: *rank,
                programs: Arc::clone(&job.programs),
                tags: Arc::clone(&job.tags),
                targets: Box::default(),
                local: job.local,
                local_free: Time::ZERO,
                progress: if job.keeps_times() { progress.with_times(graph) } else { progress },
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
            links: Vec::new(),
            sinks: Vec::new(),
            to_come: 0,
            posts: Vec::new(),
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
        let Link { rank, sending } = &mut self.links[link as usize];
        let (local, operation) = (*rank, sending.pop_front().expect("a message that was posted"));
        self.motion.pending -= 1;
        self.complete(local, operation, now);
        self.deliver_locally(now);
    }

    /// Handles the arrival of a whole message of a flow that comes in, with this immediate data. The first byte of its
    /// last packet left the sender's adapter at `departed`.
    pub fn on_arrived(&mut self, sink: u32, (immediate, departed): (u32, Time), now: Time) {
        let Sink { rank: local, from } = self.sinks[sink as usize];
        self.motion.arrived += 1;
        let tag = self.ranks[local as usize].tags[immediate as usize];
        self.arrive(local, ArrivingMessage { from, tag, departed }, now);
        self.deliver_locally(now);
    }

    /// Returns the messages to post, in order; the caller gives the list back.
    pub fn take_posts(&mut self) -> Vec<JobPost> {
        core::mem::take(&mut self.posts)
    }

    /// Returns the list that [`take_posts`](Self::take_posts) gave, with its room.
    pub fn return_posts(&mut self, mut posts: Vec<JobPost>) {
        posts.clear();
        self.posts = posts;
    }

    /// Returns the messages to other hosts that are not posted yet.
    #[must_use]
    pub const fn to_come(&self) -> u64 {
        self.to_come
    }

    /// Returns what moves.
    #[must_use]
    pub const fn motion(&self) -> JobMotion {
        self.motion
    }

    /// Returns the state of each rank.
    pub fn reports(&self) -> impl Iterator<Item = RankReport> {
        self.ranks.iter().map(|HostRank { job, rank, progress, programs, .. }| {
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
                times: progress.times().cloned(),
            }
        })
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
        let HostRank { rank, targets, tags, local: link, local_free, .. } = &mut self.ranks[local as usize];
        for action in self.actions.drain(..) {
            match action {
                Action::Post { operation, to, bytes, tag } => {
                    let place = targets.binary_search_by_key(&to, |(rank, _)| *rank);
                    match targets[place.expect("a rank that this one sends to")].1 {
                        Way::Link(link) => {
                            let immediate = tags.binary_search(&tag).expect("a tag of the job") as u32;
                            self.posts.push(JobPost { link, bytes: Bytes::new(bytes), immediate });
                            self.links[link as usize].sending.push_back(operation);
                            self.to_come -= 1;
                            self.motion.posted += 1;
                            self.motion.pending += 1;
                        }
                        Way::Local(to) => {
                            let message = Local { to, from: *rank, tag, sender: local, operation };
                            let arrival = link.map_or(now, |link| link.carry(bytes, local_free, now));
                            if arrival == now {
                                self.local.push_back(message);
                            } else {
                                self.moving.push(Reverse((arrival, self.moved, message)));
                                self.moved += 1;
                                self.motion.pending += 1;
                            }
                        }
                    }
                }
                Action::Compute { cpu, until } => {
                    debug_assert!(until > now, "computations of no time are no actions");
                    self.motion.pending += 1;
                    self.timers.push(Reverse((until, local, u16::from(cpu) + 1)));
                }
                Action::Done => self.motion.ranks -= 1,
            }
        }
    }
}
