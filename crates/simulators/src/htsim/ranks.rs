//! Ranks of a connection matrix: connections that wait for each other at a host are a rank.
//!
//! Invariant: an operation waits at its own host alone. Connections that run side by side between two hosts have
//! queue pairs of their own, as in htsim, since they belong to different ranks; messages of a connection share its
//! queue pair.

use std::collections::BTreeMap;

use super::matrix::HtsimMatrix;
use super::triggers::{End, Start, Starts};

/// A side of a connection: twice its place, and 1 more for the receiver.
pub(super) type Side = usize;

/// Link from an end to the start of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// At the same host.
    Local(Side),
    /// The host sees the other end of the same connection: the last acknowledgement in place of the arrival, or the
    /// reverse.
    OtherEnd(Side),
    /// A third host: a message of 0 bytes goes there.
    Signal(Side),
}

/// Ranks and their hosts.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranks {
    /// Host of each rank, ascending.
    pub(super) hosts: Vec<u64>,
    /// Rank of each side.
    pub(super) of: Vec<u32>,
    /// Connections that share a queue pair with another which may run at the same time, and the first.
    pub(super) shared: (u64, Option<usize>),
}

/// Returns the link of an end to a host.
pub(super) fn link(matrix: &HtsimMatrix, End { connection, on_arrival }: End, host: u64) -> Link {
    let own = &matrix.connections[connection];
    let (sent, received) = (2 * connection, 2 * connection + 1);
    match on_arrival {
        false if own.from == host => Link::Local(sent),
        false if own.to == host => Link::OtherEnd(received),
        false => Link::Signal(sent),
        true if own.to == host => Link::Local(received),
        true if own.from == host => Link::OtherEnd(sent),
        true => Link::Signal(received),
    }
}

/// Sides that belong together.
struct Sets(Vec<Side>);

impl Sets {
    fn find(&mut self, side: Side) -> Side {
        let mut at = side;
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    /// Joins two sets under their first side.
    fn join(&mut self, one: Side, other: Side) {
        let (one, other) = (self.find(one), self.find(other));
        self.0[one.max(other)] = one.min(other);
    }
}

impl Ranks {
    pub(super) fn of(matrix: &HtsimMatrix, starts: &Starts) -> Self {
        let mut sets = joined(matrix, starts);
        let roots: Vec<Side> = (0..2 * matrix.connections.len()).map(|side| sets.find(side)).collect();
        let mut sizes = vec![0_u32; roots.len()];
        roots.iter().for_each(|root| sizes[*root] += 1);
        // Receivers that nothing waits for may share a rank: they come last.
        let is_alone = |side: Side| side % 2 == 1 && sizes[roots[side]] == 1;
        let host = |side: Side| {
            let own = &matrix.connections[side / 2];
            if side.is_multiple_of(2) { own.from } else { own.to }
        };
        let mut placing = Placing::new(matrix, starts);
        let mut numbers: BTreeMap<Side, usize> = BTreeMap::new();
        let mut of = vec![usize::MAX; roots.len()];
        for side in (0..roots.len()).filter(|side| !is_alone(*side)) {
            of[side] = *numbers.entry(roots[side]).or_insert_with(|| placing.add(host(side)));
        }
        for connection in 0..matrix.connections.len() {
            let (sent, received) = (of[2 * connection], 2 * connection + 1);
            if is_alone(received) {
                of[received] = placing.receiver(connection, sent);
            } else {
                placing.note(connection, sent, of[received]);
            }
        }
        placing.finish(&of)
    }
}

/// Joins the sides that wait for each other at a host, and messages of a connection.
fn joined(matrix: &HtsimMatrix, starts: &Starts) -> Sets {
    let mut sets = Sets((0..2 * matrix.connections.len()).collect());
    let mut join = |host: u64, side: Side, end: End| match link(matrix, end, host) {
        Link::Local(from) | Link::OtherEnd(from) => sets.join(from, side),
        Link::Signal(_) => {}
    };
    let mut anchors: BTreeMap<usize, Side> = BTreeMap::new();
    let mut together: Vec<(Side, Side)> = Vec::new();
    let mut messages: BTreeMap<u64, Side> = BTreeMap::new();
    for (own, connection) in matrix.connections.iter().zip(0..) {
        let side = 2 * connection;
        match starts.of[connection] {
            Start::AtTime => {}
            Start::Behind(end) => join(own.from, side, end),
            Start::Barrier(barrier) => {
                let anchor = *anchors.entry(barrier).or_insert(side);
                if anchor == side {
                    starts.barriers[barrier].iter().for_each(|end| join(own.from, side, *end));
                } else if matrix.connections[anchor / 2].from == own.from {
                    together.push((anchor, side));
                }
            }
        }
        if let Some(id) = own.id.filter(|_| own.is_message) {
            let first = *messages.entry(id).or_insert(side);
            together.push((first, side));
            together.push((first + 1, side + 1));
        }
    }
    together.into_iter().for_each(|(one, other)| sets.join(one, other));
    sets
}

/// Ranks while they are found, numbered in the order of being found.
struct Placing<'a> {
    matrix: &'a HtsimMatrix,
    starts: &'a Starts,
    /// Host of each rank.
    hosts: Vec<u64>,
    /// Ranks of each host.
    at: BTreeMap<u64, Vec<usize>>,
    /// Last connection between two ranks, so far.
    last: BTreeMap<(usize, usize), usize>,
    shared: (u64, Option<usize>),
}

impl<'a> Placing<'a> {
    const fn new(matrix: &'a HtsimMatrix, starts: &'a Starts) -> Self {
        Self {
            matrix,
            starts,
            hosts: Vec::new(),
            at: BTreeMap::new(),
            last: BTreeMap::new(),
            shared: (0, None),
        }
    }

    fn add(&mut self, host: u64) -> usize {
        let rank = self.hosts.len();
        self.hosts.push(host);
        self.at.entry(host).or_default().push(rank);
        rank
    }

    /// Returns true if a connection may use the queue pair that another has used.
    fn follows(&self, before: usize, connection: usize) -> bool {
        let [one, other] = [before, connection].map(|own| &self.matrix.connections[own]);
        (one.is_message && other.is_message && one.id == other.id && one.id.is_some())
            || self.starts.leads_to(before, connection)
    }

    /// Returns a rank that receives a connection: the first of its host to which the sender's last connection has
    /// ended.
    fn receiver(&mut self, connection: usize, sender: usize) -> usize {
        let host = self.matrix.connections[connection].to;
        let fits = |rank: &usize| {
            let before = self.last.get(&(sender, *rank));
            before.is_none_or(|before| self.follows(*before, connection))
        };
        let found = self.at.get(&host).and_then(|ranks| ranks.iter().copied().find(fits));
        let rank = found.unwrap_or_else(|| self.add(host));
        self.last.insert((sender, rank), connection);
        rank
    }

    /// Notes a connection between two ranks that are settled.
    fn note(&mut self, connection: usize, sender: usize, receiver: usize) {
        if let Some(before) = self.last.insert((sender, receiver), connection)
            && !self.follows(before, connection)
        {
            self.shared.0 += 1;
            self.shared.1.get_or_insert(connection);
        }
    }

    /// Numbers the ranks by host.
    fn finish(self, of: &[usize]) -> Ranks {
        let mut order: Vec<usize> = (0..self.hosts.len()).collect();
        order.sort_by_key(|rank| self.hosts[*rank]);
        let mut numbers = vec![0_u32; order.len()];
        order.iter().zip(0..).for_each(|(rank, number)| numbers[*rank] = number);
        Ranks {
            hosts: order.iter().map(|rank| self.hosts[*rank]).collect(),
            of: of.iter().map(|rank| numbers[*rank]).collect(),
            shared: self.shared,
        }
    }
}
