//! Completion times: messages posted at the requester, matched with deliveries at the other end and with
//! acknowledgements at the requester.
//!
//! Invariant: the messages of a queue pair complete in the order of their posting. So the n-th delivered message is
//! the n-th posted message, and likewise for acknowledgements. For unreliable services this is true only if no packet
//! was lost. RDMA WRITEs that are taken in any order end in any order: the log names their last packets.

use std::collections::BTreeMap;

use packet::{Mtu, QpNumber};
use scenario::{IdealTimes, Plan};
use telemetry::{Acknowledged, Completions, MessageRecord};
use units::{Bytes, Time};

use crate::observe::last_look;
use crate::state::world::World;

/// Returns the messages of all flows, delivered or not, if they were recorded. `lossy` is true if a packet was lost.
pub(crate) fn of(plan: &Plan, world: &World<'_>, lossy: bool) -> Option<Completions> {
    if !plan.keeps_completions() {
        return None;
    }
    let kept = last_look::messages(world)?;
    let posted: Vec<_> = kept.iter().map(|kept| by_queue_pair(&kept.posted, |one| one.0)).collect();
    let taken: Vec<_> = kept.iter().map(|kept| by_queue_pair(&kept.consumed, |one| one.0)).collect();
    let written: Vec<_> = kept.iter().map(|kept| by_queue_pair(&kept.written, |one| one.0)).collect();
    let acknowledged: Vec<_> =
        kept.iter().map(|kept| by_queue_pair(&kept.acknowledged, |one| one.0)).collect();
    let mut all =
        Completions { end: world.now(), origin: plan.workload().origin(), ..Completions::default() };
    all.messages.reserve_exact(kept.iter().map(|kept| kept.posted.len()).sum());
    let mut ideal = IdealTimes::new(plan);
    for (number, (flow, ends)) in (0..).zip(plan.workload().flows.iter().zip(&world.flows)) {
        let asks = if flow.requester() == ends.source.0 { ends.source } else { ends.sink };
        let posted = of_queue_pair(&posted[asks.0.index()], asks.1, |one| one.0);
        if lossy && !flow.transport.is_reliable() {
            all.excluded_flows += 1;
            all.excluded_messages += posted.len() as u64;
            continue;
        }
        let taken = of_queue_pair(&taken[ends.sink.0.index()], ends.sink.1, |one| one.0);
        let acknowledged = of_queue_pair(&acknowledged[asks.0.index()], asks.1, |one| one.0);
        let written = of_queue_pair(&written[ends.sink.0.index()], ends.sink.1, |one| one.0);
        let mut taken = in_order_of_posting(
            taken.iter().map(|one| one.1),
            written.iter().map(|one| one.1),
            posted.iter().map(|(.., size)| packets(*size, plan.link().mtu)),
        )
        .into_iter();
        let mut acknowledged = acknowledged.iter().map(|one| one.1);
        for (place, (_, posted, size)) in (1..).zip(posted) {
            let ideal = ideal.times(number as usize, *size);
            all.messages.push(MessageRecord {
                flow: number,
                number: place,
                size: *size,
                posted: *posted,
                completed: taken.next().flatten(),
                ideal: ideal.delivered,
                acknowledged: acknowledged.next().map(|at| Acknowledged { at, ideal: ideal.acknowledged }),
            });
        }
    }
    all.sort();
    Some(all)
}

/// Sorts records by queue pair, and keeps the order within each.
fn by_queue_pair<T: Copy>(all: &[T], queue_pair: impl Fn(&T) -> QpNumber) -> Vec<T> {
    let mut sorted = all.to_vec();
    sorted.sort_by_key(|one| queue_pair(one).0);
    sorted
}

fn of_queue_pair<T>(sorted: &[T], wanted: QpNumber, queue_pair: impl Fn(&T) -> QpNumber) -> &[T] {
    let from = sorted.partition_point(|one| queue_pair(one).0 < wanted.0);
    let to = sorted.partition_point(|one| queue_pair(one).0 <= wanted.0);
    &sorted[from..to]
}

/// Returns the number of packets of a message.
fn packets(size: Bytes, mtu: Mtu) -> u64 {
    size.get().div_ceil(u64::from(mtu.bytes())).max(1)
}

/// Returns the time at which each posted message ended, if it did. `ends` has the number after the last packet of each
/// message that ended, lower 32 bits, in the order of `times`; none if messages end in the order of their posting.
fn in_order_of_posting(
    times: impl Iterator<Item = Time>,
    ends: impl ExactSizeIterator<Item = u32>,
    packets: impl Iterator<Item = u64>,
) -> Vec<Option<Time>> {
    if ends.len() == 0 {
        return times.map(Some).collect();
    }
    let mut end = 0;
    let places = packets.enumerate().map(|(place, packets)| {
        end += packets;
        (end as u32, place)
    });
    let places: BTreeMap<u32, usize> = places.collect();
    let mut sorted = vec![None; places.len()];
    for (time, end) in times.zip(ends) {
        sorted[places[&end]] = Some(time);
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The third message ends before the second, which never ends here.
    #[test]
    fn writes_are_found_by_their_last_packet() {
        let at = |ps: &u64| Time::from_ps(*ps);
        let of = |times: &[u64], ends: &'static [u32]| {
            in_order_of_posting(
                times.iter().map(at).collect::<Vec<_>>().into_iter(),
                ends.iter().copied(),
                [2, 3, 1].into_iter(),
            )
        };
        assert_eq!(of(&[10, 20], &[2, 6]), [Some(at(&10)), None, Some(at(&20))]);
        assert_eq!(of(&[10, 20], &[]), [Some(at(&10)), Some(at(&20))], "in order");
        assert_eq!([0, 256, 257].map(|size| packets(Bytes::new(size), Mtu::B256)), [1, 1, 2]);
    }

    #[test]
    fn messages_are_found_by_their_queue_pair_in_order() {
        let post = |qp, at, n| (QpNumber(qp), Time::from_ps(at), Bytes::new(n));
        let sorted = by_queue_pair(&[post(2, 1, 10), post(0, 2, 20), post(2, 3, 30)], |one| one.0);
        let sizes = |qp| {
            let found = of_queue_pair(&sorted, QpNumber(qp), |one| one.0);
            found.iter().map(|one| one.2.get()).collect::<Vec<_>>()
        };
        assert_eq!([sizes(0), sizes(1), sizes(2)], [vec![20], vec![], vec![10, 30]]);
    }
}
