//! Numbers of messages and bytes, sides that match, and formulas against graphs.

use std::collections::BTreeMap;

use super::super::*;
use super::cases::{kinds, ring};
use crate::job::matching;

fn collective(kind: CollectiveKind, ranks: u32, bytes: u64, chunks: u32) -> Collective {
    Collective::new(kind, ranks, bytes, chunks).unwrap()
}

#[test]
fn sends_and_receives_match_in_order_and_size() {
    for ranks in 2..=17 {
        for kind in kinds(ranks) {
            for (bytes, chunks) in [(1, 1), (997, 1), (1020, 3)] {
                let collective = collective(kind, ranks, bytes, chunks);
                let mut sides: [BTreeMap<(u32, u32, u32), Vec<u64>>; 2] = Default::default();
                for rank in 0..ranks {
                    for id in 0..collective.operations(rank) {
                        let (side, key, bytes) = match collective.operation(rank, id).work {
                            Work::Send { to, bytes, tag } => (0, (rank, to, tag), bytes),
                            Work::Receive { from, bytes, tag } => {
                                (1, (from.unwrap(), rank, tag.unwrap()), bytes)
                            }
                            Work::Compute { .. } => continue,
                        };
                        assert_ne!(key.0, key.1, "{kind:?}: a message to its sender");
                        sides[side].entry(key).or_default().push(bytes);
                    }
                }
                assert_eq!(sides[0], sides[1], "{kind:?}, {ranks} ranks, {bytes} B in {chunks}");
                let messages: usize = sides[0].values().map(Vec::len).sum();
                assert_eq!(messages as u64, collective.messages());
            }
        }
    }
}

/// Jobs of collectives pass the check of jobs, also if each send waits until its receive is posted. No two messages of
/// a pair have a tag in common unless one waits for the other.
#[test]
fn collectives_have_no_circle_by_rendezvous() {
    for ranks in [2, 3, 6, 8, 13] {
        for kind in kinds(ranks) {
            let collective = collective(kind, ranks, 997, 2);
            let programs = collective.programs();
            for rendezvous_above in [None, Some(0)] {
                let matched = matching::check(&programs, rendezvous_above);
                let matched = matched.unwrap_or_else(|fault| panic!("{kind:?}, {ranks} ranks: {fault}"));
                assert_eq!(matched.messages, collective.messages());
                assert_eq!((matched.unordered, matched.wildcards), (None, 0), "{kind:?}, {ranks} ranks");
            }
        }
    }
}

#[test]
fn formulas_answer_as_their_graphs() {
    for ranks in [2, 3, 5, 8, 12] {
        for kind in kinds(ranks) {
            let collective = collective(kind, ranks, 997, 3);
            for rank in 0..ranks {
                let graph = collective.graph(rank);
                assert_eq!(graph.operations(), collective.operations(rank) as usize);
                assert!(graph.roots().eq(collective.roots(rank)), "{kind:?}: roots of {rank}");
                for id in 0..collective.operations(rank) {
                    assert_eq!(graph.operation(id), collective.operation(rank, id));
                    assert_eq!(graph.predecessors(id), collective.predecessors(rank, id));
                    let mut after = Vec::new();
                    collective.for_each_after(rank, id, |next| after.push(next));
                    assert_eq!(
                        graph.after_end(id).collect::<Vec<_>>(),
                        after,
                        "{kind:?}: rank {rank}, operation {id}"
                    );
                }
            }
        }
    }
}

#[test]
fn messages_are_as_many_as_the_closed_counts() {
    for p in 2..=17_u64 {
        let ranks = p as u32;
        let log = u64::from(ranks.next_power_of_two().ilog2());
        let count = |kind| collective(kind, ranks, 9_000, 2).messages();
        let lanes = |kind| collective(kind, ranks, 9_000, 1).messages();
        assert_eq!(lanes(ring(1, 1)), 2 * p * (p - 1));
        assert_eq!(count(ring(3, 1)), 6 * 2 * p * (p - 1));
        assert_eq!(lanes(CollectiveKind::ReduceScatter(ReduceScatter::Ring)), p * (p - 1));
        assert_eq!(lanes(CollectiveKind::AllGather(AllGather::Ring)), p * (p - 1));
        assert_eq!(lanes(CollectiveKind::AllReduce(AllReduce::Direct)), 2 * p * (p - 1));
        assert_eq!(lanes(CollectiveKind::AllGather(AllGather::Bruck)), p * log);
        assert_eq!(lanes(CollectiveKind::AllToAll(AllToAll::Bruck)), p * log);
        assert_eq!(lanes(CollectiveKind::Barrier(Barrier::Dissemination)), p * log);
        assert_eq!(lanes(CollectiveKind::AllToAll(AllToAll::Scattered { batch: 3 })), p * (p - 1));
        // Two trees, up and down.
        assert_eq!(lanes(CollectiveKind::AllReduce(AllReduce::DoubleTree)), 4 * (p - 1));
        for numbering in [Numbering::LowestBit, Numbering::HighestBit] {
            let algorithm = Broadcast::Binomial(numbering);
            assert_eq!(lanes(CollectiveKind::Broadcast { algorithm, root: 1 }), p - 1);
        }
        let (power, out) = (1_u64 << ranks.ilog2(), p - (1 << ranks.ilog2()));
        let rounds = u64::from(ranks.ilog2());
        let folded = lanes(CollectiveKind::AllReduce(AllReduce::RecursiveDoubling));
        assert_eq!(folded, power * rounds + 2 * out);
        let halves = lanes(CollectiveKind::AllReduce(AllReduce::Rabenseifner(Folding::Halves)));
        assert_eq!(halves, 2 * power * rounds + 4 * out);
    }
}

/// Bytes that every rank sends at least, and in these schedules sends at most.
#[test]
fn bandwidth_optimal_schedules_send_no_more_than_they_must() {
    for ranks in [2_u32, 4, 8, 16] {
        let bytes = 960 * u64::from(ranks);
        let least = bytes / u64::from(ranks) * u64::from(ranks - 1);
        let sent = |kind, ranks| {
            let collective = collective(kind, ranks, bytes, 1);
            (0..ranks).map(|rank| collective.sent_bytes(rank)).collect::<Vec<_>>()
        };
        let twice = [
            ring(2, 1),
            CollectiveKind::AllReduce(AllReduce::Rabenseifner(Folding::Whole)),
            CollectiveKind::AllReduce(AllReduce::Direct),
            CollectiveKind::AllReduce(AllReduce::Hierarchical { group: 2 }),
        ];
        twice
            .iter()
            .for_each(|kind| assert_eq!(sent(*kind, ranks), vec![2 * least; ranks as usize], "{kind:?}"));
        let once = [
            CollectiveKind::ReduceScatter(ReduceScatter::RecursiveHalving),
            CollectiveKind::ReduceScatter(ReduceScatter::Pairwise),
            CollectiveKind::AllGather(AllGather::Bruck),
            CollectiveKind::AllGather(AllGather::RecursiveDoubling),
            CollectiveKind::AllToAll(AllToAll::Nccl { node: 2 }),
        ];
        once.iter().for_each(|kind| assert_eq!(sent(*kind, ranks), vec![least; ranks as usize], "{kind:?}"));
        let rounds = u64::from(ranks.ilog2());
        let bruck = sent(CollectiveKind::AllToAll(AllToAll::Bruck), ranks);
        assert_eq!(bruck, vec![rounds * bytes / 2; ranks as usize]);
    }
}

/// All-to-all of 11,664 ranks: 136 million messages, none of them listed.
#[test]
fn large_collectives_are_formulas() {
    let ranks = 11_664;
    let all_to_all = collective(CollectiveKind::AllToAll(AllToAll::Direct), ranks, 11_664 * 4096, 1);
    assert_eq!(all_to_all.messages(), 11_664 * 11_663);
    let sends = all_to_all.operation(5, 2 * 11_662).work;
    assert_eq!(sends, Work::Send { to: 4, bytes: 4096, tag: 0 });
    let ring = collective(ring(2, 1), ranks, 1 << 30, 16);
    assert_eq!(ring.operations(7), 32 * 4 * 11_663);
    assert_eq!(ring.roots(7).count(), 64);
}

/// The first steps of an all-to-all have the messages of the whole, each with a receive, and no others.
#[test]
fn first_steps_begin_as_the_whole() {
    let messages = |collective: &Collective, rank: u32| -> Vec<Work> {
        let all = (0..collective.operations(rank)).map(|id| collective.operation(rank, id).work);
        all.filter(|work| !matches!(work, Work::Compute { .. })).collect()
    };
    for ranks in [2, 5, 8, 12] {
        let node = if ranks % 2 == 0 { 2 } else { 1 };
        for algorithm in [
            AllToAll::Pairwise,
            AllToAll::Xor,
            AllToAll::Direct,
            AllToAll::Linear,
            AllToAll::Scattered { batch: 3 },
            AllToAll::Nccl { node },
        ] {
            let whole = collective(CollectiveKind::AllToAll(algorithm), ranks, 997, 1);
            for steps in 1..ranks {
                let cut = whole.clone().first_steps(steps).unwrap();
                assert_eq!(cut.cut(), (steps < ranks - 1).then_some((steps, ranks - 1)));
                assert_eq!(cut == whole, cut.cut().is_none());
                assert_eq!(cut.clone().whole(), whole);
                assert_eq!(cut.messages(), u64::from(ranks * steps), "{algorithm:?}");
                for rank in 0..ranks {
                    let (cut, whole) = (messages(&cut, rank), messages(&whole, rank));
                    assert_eq!(cut, whole[..cut.len()], "{algorithm:?}, {steps} steps, rank {rank}");
                }
                assert_eq!(matching::check(&cut.programs(), Some(0)).unwrap().messages, cut.messages());
            }
        }
    }
}
