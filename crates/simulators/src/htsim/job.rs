//! Connections that wait for each other, as a job: each is a message, and a trigger an operation that waits.
//!
//! Invariant: a rank's messages are posted in the order of the file where they start at one instant. A trigger at one
//! host is exact; a trigger between hosts takes no time in htsim, and here the time that the account says.

use std::collections::{BTreeMap, btree_map::Entry};

use interop::import::ImportedJob;
use units::Span;
use workload::job::{GraphBuilder, Operation, OperationId, Programs, Work};

use super::matrix::HtsimMatrix;
use super::ranks::{Link, Ranks, Side, link};
use super::triggers::{End, Start, Starts};

/// A job, its hosts, and the triggers that are not exact.
pub(super) struct MatrixJob {
    pub(super) job: ImportedJob,
    /// Host of each rank.
    pub(super) hosts: Vec<u64>,
    pub(super) inexact: Inexact,
}

/// Connections by the way in which their trigger differs from htsim's: their number, and the first.
#[derive(Clone, Debug, Default)]
pub(super) struct Inexact {
    /// Started by the arrival in place of the last acknowledgement.
    pub(super) by_arrival: (u64, Option<usize>),
    /// Started by the last acknowledgement in place of the arrival.
    pub(super) by_acknowledgement: (u64, Option<usize>),
    /// Started by a message to a third host.
    pub(super) by_message: (u64, Option<usize>),
    /// Started by the ends of a multishot trigger in the order of the file.
    pub(super) by_order: (u64, Option<usize>),
    /// Beside another connection on the same queue pair.
    pub(super) shared: (u64, Option<usize>),
}

/// Programs that are being built.
struct Building<'a> {
    matrix: &'a HtsimMatrix,
    ranks: &'a Ranks,
    builders: Vec<GraphBuilder>,
    /// Operation of each side.
    operations: Vec<OperationId>,
    /// Messages between two ranks, so far: each has a tag of its own.
    tags: BTreeMap<(u32, u32), u32>,
    /// Receives of signals, by the operation that sends and the rank that receives.
    signals: BTreeMap<((u32, OperationId), u32), OperationId>,
    inexact: Inexact,
}

/// A computation of no time, which joins others.
const JOIN: Operation = Work::Compute { span: Span::ZERO }.on_cpu(0);

/// Makes a job of a matrix. `times` has the start of each connection without a trigger.
pub(super) fn job(matrix: &HtsimMatrix, starts: &Starts, times: &[Span]) -> MatrixJob {
    let ranks = Ranks::of(matrix, starts);
    let mut building = Building {
        matrix,
        ranks: &ranks,
        builders: ranks.hosts.iter().map(|_| GraphBuilder::default()).collect(),
        operations: vec![0; 2 * matrix.connections.len()],
        tags: BTreeMap::new(),
        signals: BTreeMap::new(),
        inexact: Inexact::default(),
    };
    let clocks = building.clocks(starts, times);
    building.messages(&clocks, starts, times);
    building.triggers(starts);
    let Building { builders, mut inexact, .. } = building;
    inexact.shared = ranks.shared;
    if let Some((first, count)) = starts.unordered {
        inexact.by_order = (count, Some(first));
    }
    let build = |builder: GraphBuilder| builder.build().expect("every connection starts");
    let programs = Programs { ranks: builders.into_iter().map(build).collect() };
    let job = ImportedJob::of_programs(programs, Vec::new(), Vec::new());
    let job = job.expect("each message has its receive, and every connection starts");
    MatrixJob { job, hosts: ranks.hosts, inexact }
}

impl Building<'_> {
    /// Adds an operation to a rank for each start time above 0, which follow each other.
    fn clocks(&mut self, starts: &Starts, times: &[Span]) -> BTreeMap<(u32, Span), OperationId> {
        let timed = (0..self.matrix.connections.len()).filter(|own| starts.of[*own] == Start::AtTime);
        let timed = timed.map(|own| ((self.ranks.of[2 * own], times[own]), OperationId::MAX));
        let mut clocks: BTreeMap<(u32, Span), OperationId> =
            timed.filter(|((_, time), _)| *time > Span::ZERO).collect();
        let mut before: Option<(u32, Span, OperationId)> = None;
        for ((rank, time), operation) in &mut clocks {
            let former = before.filter(|(of, ..)| of == rank);
            let passed = former.map_or(Span::ZERO, |(_, passed, _)| passed);
            let span = Span::from_ps(time.ps() - passed.ps());
            let builder = &mut self.builders[*rank as usize];
            *operation = builder.add(Work::Compute { span }.on_cpu(0));
            if let Some((.., former)) = former {
                builder.requires(*operation, former);
            }
            before = Some((*rank, *time, *operation));
        }
        clocks
    }

    /// Adds the sends and receives of all connections.
    fn messages(&mut self, clocks: &BTreeMap<(u32, Span), OperationId>, starts: &Starts, times: &[Span]) {
        for (own, place) in self.matrix.connections.iter().zip(0..) {
            let [from, to] = [self.ranks.of[2 * place], self.ranks.of[2 * place + 1]];
            let [send, receive] = self.message(from, to, own.size);
            (self.operations[2 * place], self.operations[2 * place + 1]) = (send, receive);
            let clock = clocks.get(&(from, times[place])).filter(|_| starts.of[place] == Start::AtTime);
            if let Some(clock) = clock {
                self.builders[from as usize].requires(send, *clock);
            }
        }
    }

    /// Adds a send and its receive.
    fn message(&mut self, from: u32, to: u32, bytes: u64) -> [OperationId; 2] {
        let next = self.tags.entry((from, to)).or_default();
        let tag = *next;
        *next += 1;
        let send = self.builders[from as usize].add(Work::Send { to, bytes, tag }.on_cpu(0));
        let receive = Work::Receive { from: Some(from), bytes, tag: Some(tag) }.on_cpu(0);
        [send, self.builders[to as usize].add(receive)]
    }

    /// Lets connections wait for the ends of others.
    fn triggers(&mut self, starts: &Starts) {
        let mut joins: BTreeMap<usize, (u32, OperationId)> = BTreeMap::new();
        for (own, place) in self.matrix.connections.iter().zip(0..) {
            let (rank, send) = (self.ranks.of[2 * place], self.operations[2 * place]);
            match starts.of[place] {
                Start::AtTime => {}
                Start::Behind(end) => {
                    let before = self.seen(end, own.from, rank, place);
                    self.builders[rank as usize].requires(send, before);
                }
                Start::Barrier(barrier) => {
                    let (at, join) = match joins.entry(barrier) {
                        Entry::Occupied(known) => *known.get(),
                        Entry::Vacant(new) => {
                            let join = self.builders[rank as usize].add(JOIN);
                            new.insert((rank, join));
                            for end in &starts.barriers[barrier] {
                                let before = self.seen(*end, own.from, rank, place);
                                self.builders[rank as usize].requires(join, before);
                            }
                            (rank, join)
                        }
                    };
                    let before = if at == rank { join } else { self.signal((at, join), rank, place) };
                    self.builders[rank as usize].requires(send, before);
                }
            }
        }
    }

    /// Returns the operation of a rank by which its host sees an end.
    fn seen(&mut self, end: End, host: u64, rank: u32, connection: usize) -> OperationId {
        let operation = |building: &Self, side: Side| building.operations[side];
        match link(self.matrix, end, host) {
            Link::Local(side) => operation(self, side),
            Link::OtherEnd(side) => {
                let by = &mut self.inexact;
                let count = if end.on_arrival { &mut by.by_acknowledgement } else { &mut by.by_arrival };
                count.0 += 1;
                count.1.get_or_insert(connection);
                operation(self, side)
            }
            Link::Signal(side) => {
                let from = (self.ranks.of[side], operation(self, side));
                self.signal(from, rank, connection)
            }
        }
    }

    /// Returns the receive of a message of 0 bytes that an operation of another rank sends at its end.
    fn signal(&mut self, (from, end): (u32, OperationId), to: u32, connection: usize) -> OperationId {
        let count = &mut self.inexact.by_message;
        count.0 += 1;
        count.1.get_or_insert(connection);
        if let Some(known) = self.signals.get(&((from, end), to)) {
            return *known;
        }
        let [send, receive] = self.message(from, to, 0);
        self.builders[from as usize].requires(send, end);
        self.signals.insert(((from, end), to), receive);
        receive
    }
}
