//! Sizes of messages and of the receives that have taken them.
//!
//! Invariant: the check before a run pairs operations where every run pairs them alike. Here are the pairs of a run,
//! by the times that it has kept.

use std::collections::BTreeMap;

use units::Time;

use super::graph::{Graph, OperationId, Programs, Work};
use super::times::{ArrivedAt, RankTimes};

/// A message that a receive of another size has taken. Operations have their numbers in the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unequal {
    /// Rank and number of the send.
    pub send: (u32, OperationId),
    /// Its size, in bytes.
    pub sent: u64,
    /// Rank and number of the receive.
    pub receive: (u32, OperationId),
    /// Its size, in bytes.
    pub received: u64,
}

/// Returns the first message that a receive of another size has taken, by receiver, source and order of posting.
/// `times` are those of all ranks.
#[must_use]
pub fn unequal(programs: &Programs, times: &[&RankTimes]) -> Option<Unequal> {
    let differing: Vec<bool> = programs.ranks.iter().map(may_differ).collect();
    if !differing.contains(&true) {
        return None;
    }
    // Receiver, source, place among the sends that the source has posted, and the send.
    let mut sends: Vec<(u32, u32, u32, OperationId)> = Vec::new();
    for (from, (graph, times)) in (0..).zip(programs.ranks.iter().zip(times)) {
        for (place, started) in times.started.iter().enumerate() {
            let id = place as u32 % graph.operations() as u32;
            if let Work::Send { to, .. } = graph.operation(id).work
                && differing[to as usize]
                && *started != Time::NEVER
            {
                sends.push((to, from, times.order[place], id));
            }
        }
    }
    sends.sort_unstable();
    (0..).zip(&differing).filter(|(_, differs)| **differs).find_map(|(rank, _)| {
        let first = sends.partition_point(|send| send.0 < rank);
        let to_it = &sends[first..first + sends[first..].partition_point(|send| send.0 == rank)];
        of_rank(programs, rank, to_it, times[rank as usize])
    })
}

/// Returns the first such message to a rank. Messages of a source arrive in the order of their posting.
fn of_rank(
    programs: &Programs,
    rank: u32,
    sends: &[(u32, u32, u32, OperationId)],
    times: &RankTimes,
) -> Option<Unequal> {
    let size = |rank: u32, id| programs.ranks[rank as usize].message_bytes(id);
    let count = programs.ranks[rank as usize].operations() as u32;
    let mut next: BTreeMap<u32, usize> = BTreeMap::new();
    times.arrivals().iter().find_map(|ArrivedAt { from, receive, .. }| {
        let next = next.entry(*from).or_insert_with(|| sends.partition_point(|send| send.1 < *from));
        let (_, _, _, send) = *sends.get(*next)?;
        *next += 1;
        if *receive == ArrivedAt::UNTAKEN {
            return None;
        }
        let receive = receive % count;
        let (sent, received) = (size(*from, send), size(rank, receive));
        (sent != received).then_some(Unequal {
            send: (*from, send),
            sent,
            receive: (rank, receive),
            received,
        })
    })
}

/// Returns true if a receive of this program may take messages of several sizes.
fn may_differ(graph: &Graph) -> bool {
    if graph.chain().is_some() {
        return false;
    }
    let is_open = graph.has_wildcards();
    let channels = if is_open { 1 } else { graph.receive_channels().len() };
    let mut sizes: Vec<Option<u64>> = vec![None; channels];
    (0..graph.operations() as u32).any(|id| {
        let Work::Receive { bytes, .. } = graph.operation(id).work else { return false };
        let channel = graph.channel(id).filter(|_| !is_open).unwrap_or(0);
        sizes[channel as usize].replace(bytes).is_some_and(|other| other != bytes)
    })
}
