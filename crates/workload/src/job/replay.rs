//! A replay of a job without time: each operation starts once it may.
//!
//! Invariant: operations that are left wait for each other in a circle. The replay holds 9 bytes an operation and the
//! operations that may start.
//!
//! | operation | ends once |
//! |---|---|
//! | computation, eager send | it has started |
//! | receive | it and its send have started |
//! | send by rendezvous | it and its receive have started |

use std::collections::BTreeMap;

use super::graph::{OperationId, Programs, Successors, Work};
use super::mismatch::{Mismatch, NamedOperation};

/// The partner of an operation without one, or with one that only the run decides.
pub(super) const NOBODY: OperationId = OperationId::MAX;

/// An operation by rank and number.
type Place = (u32, OperationId);

const STARTED: u8 = 1;
const ENDED: u8 = 2;

/// A job in the middle of its replay.
pub(super) struct Replay<'a, A> {
    programs: &'a Programs,
    partners: Vec<Vec<OperationId>>,
    /// Tells of a send, by its rank, its receiver and its bytes, whether it is by rendezvous.
    asks: A,
    /// Predecessors that have not ended, or not started, by rank and number.
    waiting: Vec<Vec<u32>>,
    flags: Vec<Vec<u8>>,
    ready: Vec<Place>,
}

impl<'a, A: Fn(u32, u32, u64) -> bool> Replay<'a, A> {
    pub(super) fn new(programs: &'a Programs, partners: Vec<Vec<OperationId>>, asks: A) -> Self {
        let waiting = programs
            .ranks
            .iter()
            .map(|graph| (0..graph.operations() as u32).map(|id| graph.predecessors(id)).collect::<Vec<_>>());
        let flags = programs.ranks.iter().map(|graph| vec![0; graph.operations()]);
        let (waiting, flags) = (waiting.collect(), flags.collect());
        Self { programs, partners, asks, waiting, flags, ready: Vec::new() }
    }

    /// Replays the job.
    pub(super) fn run(mut self) -> Result<(), Mismatch> {
        let programs = self.programs;
        for (graph, rank) in programs.ranks.iter().zip(0..) {
            for root in graph.roots() {
                self.ready.push((rank, root));
                while let Some(place) = self.ready.pop() {
                    self.start(place);
                }
            }
        }
        match self.stuck() {
            Some(place) => Err(self.circle(place)),
            None => Ok(()),
        }
    }

    /// Starts an operation, and ends it and its partner if nothing else is missing.
    fn start(&mut self, place @ (rank, id): Place) {
        let graph = &self.programs.ranks[rank as usize];
        self.flags[rank as usize][id as usize] |= STARTED;
        for next in graph.after_start(id) {
            self.release((rank, next));
        }
        let partner = self.partner(place);
        let has_started =
            partner.is_none_or(|(rank, id)| self.flags[rank as usize][id as usize] & STARTED != 0);
        let ends = match graph.operation(id).work {
            Work::Compute { .. } => true,
            Work::Send { to, bytes, .. } => has_started || !(self.asks)(rank, to, bytes),
            Work::Receive { .. } => has_started,
        };
        if ends {
            self.end(place);
        }
        if let Some(partner) = partner.filter(|_| has_started) {
            self.end(partner);
        }
    }

    /// Ends an operation that has not ended yet.
    fn end(&mut self, (rank, id): Place) {
        let flags = &mut self.flags[rank as usize][id as usize];
        if *flags & ENDED != 0 {
            return;
        }
        *flags |= ENDED;
        let programs = self.programs;
        for next in programs.ranks[rank as usize].after_end(id) {
            self.release((rank, next));
        }
    }

    fn release(&mut self, place @ (rank, id): Place) {
        let waiting = &mut self.waiting[rank as usize][id as usize];
        *waiting -= 1;
        if *waiting == 0 {
            self.ready.push(place);
        }
    }

    /// Returns the other end of an operation's message.
    fn partner(&self, (rank, id): Place) -> Option<Place> {
        let partner = self.partners[rank as usize][id as usize];
        let peer = match self.programs.ranks[rank as usize].operation(id).work {
            Work::Send { to, .. } => Some(to),
            Work::Receive { from, .. } => from,
            Work::Compute { .. } => None,
        };
        peer.filter(|_| partner != NOBODY).map(|peer| (peer, partner))
    }

    fn stuck(&self) -> Option<Place> {
        let first = |(flags, rank): (&Vec<u8>, u32)| {
            flags.iter().position(|flags| flags & ENDED == 0).map(|id| (rank, id as u32))
        };
        self.flags.iter().zip(0..).find_map(first)
    }

    /// Follows the causes of an operation that has not ended, until they repeat.
    fn circle(&self, from: Place) -> Mismatch {
        let mut causes = BTreeMap::new();
        let mut next = |place| self.cause(place, &mut causes);
        // Floyd's search: two walks, one twice as fast, meet within the circle.
        let (mut slow, mut fast) = (next(from), next(from));
        fast = next(fast);
        while slow != fast {
            slow = next(slow);
            fast = next(fast);
            fast = next(fast);
        }
        let mut circle = vec![slow];
        loop {
            let place = next(circle[circle.len() - 1]);
            if place == slow {
                break;
            }
            circle.push(place);
        }
        let first = circle.iter().zip(0..).min().map_or(0, |(_, at)| at);
        circle.rotate_left(first);
        let named = |(rank, id)| NamedOperation::new(self.programs, rank, id);
        Mismatch::Circle { operations: circle.into_iter().map(named).collect() }
    }

    /// Returns an operation that keeps another from starting or from ending.
    fn cause(&self, place @ (rank, id): Place, causes: &mut BTreeMap<u32, Vec<OperationId>>) -> Place {
        let flags = &self.flags[rank as usize];
        if flags[id as usize] & STARTED != 0 {
            return self.partner(place).expect("an operation without partner ends when it starts");
        }
        let causes = causes.entry(rank).or_insert_with(|| {
            let graph = &self.programs.ranks[rank as usize];
            let mut causes = vec![NOBODY; flags.len()];
            for (flags, id) in flags.iter().zip(0..) {
                let left = |edges: Successors<'a>, flag| edges.filter(move |_| flags & flag == 0);
                let successors = left(graph.after_end(id), ENDED).chain(left(graph.after_start(id), STARTED));
                successors.for_each(|next| causes[next as usize] = id);
            }
            causes
        });
        (rank, causes[id as usize])
    }
}
