//! Messages of a job that leave the same host, and keep each other waiting there.
//!
//! Invariant: a message waits for others no longer than these take on the host's wire while both are posted and not
//! sent.

use std::collections::BTreeMap;

use packet::NodeId;
use scenario::{IdealJobMessage, JobIdeal};
use units::{Span, Time};
use workload::job::path::{JobTimes, Posted};
use workload::job::rendezvous::WirePart;
use workload::job::{Job, OperationId};

/// The messages of hosts, once they are asked for.
#[derive(Debug, Default)]
pub(super) struct OwnMessages {
    by_host: BTreeMap<NodeId, Vec<Leaving>>,
}

/// A message that leaves a host.
#[derive(Clone, Copy, Debug)]
struct Leaving {
    posted: Time,
    /// Time at which its last byte has left; never, if it has not arrived.
    left: Time,
    /// Time that it takes on the host's wire.
    occupied: Span,
    from: u32,
    to: u32,
    operation: OperationId,
    part: WirePart,
    /// Latest such time of the messages up to this one.
    latest: Time,
}

/// A message that waits for others: its sender, receiver, operation and part.
pub(super) type Waiting = (u32, u32, OperationId, WirePart);

impl OwnMessages {
    /// Returns the most time that a message may have waited for others of the job that leave the same host, from its
    /// posting to the departure of its last packet.
    pub(super) fn wait(
        &mut self,
        (job, times, ideal): (&Job, &mut JobTimes<'_>, &mut JobIdeal<'_>),
        (from, to, operation, part): Waiting,
        (posted, departed): (Time, Time),
    ) -> Span {
        let host = job.hosts[from as usize];
        let all = self.by_host.entry(host).or_insert_with(|| leaving(job, host, times, ideal));
        let before = all.partition_point(|one| one.posted < departed);
        let mut sum = Span::ZERO;
        for one in all[..before].iter().rev() {
            if one.latest <= posted {
                break;
            }
            // A queue pair sends its messages in order: later ones of the same pair do not hold this one up.
            let is_behind = job.queue_pairs == 1 && (one.from, one.to) == (from, to) && one.left > departed;
            let is_itself = (one.from, one.operation, one.part) == (from, operation, part);
            if is_behind || is_itself || one.left <= posted {
                continue;
            }
            sum += one.occupied.min(one.left.min(departed).since(one.posted.max(posted)));
        }
        sum
    }
}

/// Returns the messages of a job that leave a host, in order of posting.
fn leaving(job: &Job, host: NodeId, times: &mut JobTimes<'_>, ideal: &mut JobIdeal<'_>) -> Vec<Leaving> {
    let mut all = Vec::new();
    for from in (0..job.programs.ranks.len() as u32).filter(|rank| job.hosts[*rank as usize] == host) {
        for Posted { operation, part, to, bytes, posted, arrived } in times.posted(from) {
            if job.flows(from, to).is_some() {
                let IdealJobMessage { occupied, departed: last, .. } = ideal.message(from, to, bytes);
                let left = arrived.map_or(Time::NEVER, |(departed, _)| departed + (occupied - last));
                all.push(Leaving { posted, left, occupied, from, to, operation, part, latest: left });
            }
        }
    }
    all.sort_unstable_by_key(|one| (one.posted, one.from, one.operation, one.part));
    let mut latest = Time::ZERO;
    for one in &mut all {
        latest = latest.max(one.left);
        one.latest = latest;
    }
    all
}
