//! Replay of a ring with ideal messages, step by step, for rings too large for a replay operation by operation.
//!
//! Invariant: the time is that of [`replay_job`](super::ideal::replay_job), to the picosecond. A rank of one lane has a
//! message after the other, so that nothing has to be sorted by time.

use units::{Span, Time};

use super::ideal::IdealMessage;
use super::placed::Job;

/// A rank in a step.
struct Rank {
    /// Rank that it sends to.
    to: usize,
    /// End of its latest receive; its start before.
    ended: Time,
    /// Time from which its next message may start.
    free: Time,
    /// Latest arrival of a message.
    arrived: Time,
    /// Times of messages by size: blocks have one of two.
    known: [Option<(u64, IdealMessage)>; 2],
}

/// Returns the time from the start of a job to the end of its last operation; `None` if the job is other than a ring of
/// one lane that runs once, with a rank a host. `message` gives the times of a message.
pub fn replay_ring(job: &Job, mut message: impl FnMut(u32, u32, u64) -> IdealMessage) -> Option<Span> {
    let rings: Vec<_> = job.programs.ranks.iter().map(|graph| graph.ring()).collect::<Option<_>>()?;
    let first = *rings.first()?;
    if job.runs > 1
        || job.hosts_in_use() < rings.len()
        || rings.iter().any(|ring| ring.operations() != 2 * ring.steps())
    {
        return None;
    }
    let rank = |(ring, start): (&&super::ring::RingRank, &Time)| Rank {
        to: ring.neighbours(true).next().expect("a lane") as usize,
        ended: *start,
        free: *start,
        arrived: Time::ZERO,
        known: [None; 2],
    };
    let mut ranks: Vec<Rank> = rings.iter().zip(&*job.starts).map(rank).collect();
    let mut end = job.start;
    for step in 0..first.steps() {
        for (from, ring) in rings.iter().enumerate() {
            let (bytes, rank) = (ring.bytes(step), &mut ranks[from]);
            let known = rank.known.iter().flatten().find(|known| known.0 == bytes);
            let times = known.map_or_else(|| message(from as u32, rank.to as u32, bytes), |known| known.1);
            if let Some(free) = rank.known.iter_mut().find(|known| known.is_none_or(|known| known.0 == bytes))
            {
                *free = Some((bytes, times));
            }
            let start = rank.ended.max(rank.free);
            rank.free = start + times.sent.whole();
            end = end.max(start + times.completed);
            let (to, arrival) = (rank.to, start + times.delivered);
            ranks[to].arrived = ranks[to].arrived.max(arrival);
        }
        for rank in &mut ranks {
            rank.ended = rank.ended.max(rank.arrived);
            end = end.max(rank.ended);
        }
    }
    Some(end.since(job.start))
}
