//! Closed forms against replays, and bounds that no replay beats.

use super::*;
use crate::job::collective::{FirstBlock, Folding};
use crate::job::ideal::{Transmission, replay};

const LATENCY: Span = Span::from_ns(700);
const RATE: Rate = Rate::gbps(400);

/// Limits of the messages below.
const LIMITS: FabricLimits =
    FabricLimits { latency: Span::from_ps(700_800), packet: Span::from_ps(800), rate: RATE };

/// Wire time of packets of 4 KiB with 40 B of headers.
fn wire(bytes: u64) -> Span {
    RATE.time_for(Bytes::new(bytes + 40 * bytes.div_ceil(4096).max(1)))
}

/// Unacknowledged service: a send is complete once it has left.
fn unreliable(bytes: u64) -> IdealMessage {
    let sent = Transmission::single(wire(bytes));
    IdealMessage { delivered: wire(bytes) + LATENCY, sent, tail: LATENCY, completed: wire(bytes) }
}

/// Acknowledged service: the acknowledgement takes as long as an empty message, and none of the link.
fn reliable(bytes: u64) -> IdealMessage {
    let sent = unreliable(bytes);
    IdealMessage { completed: sent.delivered + LATENCY + wire(0), ..sent }
}

fn replayed(collective: &Collective, message: fn(u64) -> IdealMessage) -> Span {
    replay(&collective.programs(), |_, _, bytes| message(bytes)).unwrap().completion()
}

fn ring(channels: u32) -> CollectiveKind {
    CollectiveKind::AllReduce(AllReduce::Ring { first: FirstBlock::Before, channels, server: 1 })
}

/// All kinds for a number of ranks, one lane in each chunk but for the double tree.
fn kinds(p: u32) -> Vec<CollectiveKind> {
    use CollectiveKind as Kind;
    let own = AllReduce::Ring { first: FirstBlock::Own, channels: 1, server: 1 };
    let mut all = vec![ring(1), Kind::AllReduce(own)];
    let folded = [Folding::Whole, Folding::Halves].map(AllReduce::Rabenseifner);
    all.extend(folded.map(Kind::AllReduce));
    all.extend([AllReduce::RecursiveDoubling, AllReduce::DoubleTree, AllReduce::Direct].map(Kind::AllReduce));
    let groups = (1..=p).filter(|group| p.is_multiple_of(*group));
    all.extend(groups.clone().map(|group| Kind::AllReduce(AllReduce::Hierarchical { group })));
    all.extend(groups.map(|node| Kind::AllToAll(AllToAll::Nccl { node })));
    all.extend(
        [
            ReduceScatter::Ring,
            ReduceScatter::RecursiveHalving,
            ReduceScatter::Pairwise,
            ReduceScatter::Direct,
        ]
        .map(Kind::ReduceScatter),
    );
    all.extend([AllGather::Ring, AllGather::Bruck, AllGather::Direct].map(Kind::AllGather));
    all.extend(
        [AllToAll::Pairwise, AllToAll::Xor, AllToAll::Direct, AllToAll::Linear, AllToAll::Bruck]
            .map(Kind::AllToAll),
    );
    all.extend([1, 3, 40].map(|batch| Kind::AllToAll(AllToAll::Scattered { batch })));
    for numbering in [Numbering::LowestBit, Numbering::HighestBit] {
        all.push(Kind::Broadcast { algorithm: Broadcast::Binomial(numbering), root: p / 2 });
        all.push(Kind::Reduce { algorithm: Reduce::Binomial(numbering), root: p / 2 });
    }
    all.extend(
        [Broadcast::Chain, Broadcast::Flat, Broadcast::ScatterRing]
            .map(|algorithm| Kind::Broadcast { algorithm, root: 1 }),
    );
    all.push(Kind::Reduce { algorithm: Reduce::Chain, root: 1 });
    all.extend([Barrier::Dissemination, Barrier::RecursiveDoubling].map(Kind::Barrier));
    if p.is_power_of_two() {
        all.push(Kind::AllGather(AllGather::RecursiveDoubling));
        all.push(Kind::Broadcast { algorithm: Broadcast::ScatterDoubling, root: 0 });
    }
    all
}

/// Sizes of one byte, a packet a block, and a large vector of equal and of unequal blocks.
fn sizes(p: u32) -> [u64; 5] {
    let p = u64::from(p);
    [1, p, 4096 * p, 12_000 * p, (1 << 20) + 1]
}

#[test]
fn exact_times_equal_replays_to_the_picosecond() {
    let mut exact = 0;
    for p in 2..=17 {
        for kind in kinds(p) {
            for n in sizes(p) {
                let collective = Collective::new(kind, p, n, 1).unwrap();
                for message in [unreliable, reliable] {
                    if let ClosedForm::Exact(time) = ideal_time(&collective, message) {
                        assert_eq!(time, replayed(&collective, message), "{kind:?}, {p} ranks, {n} B");
                        exact += 1;
                    }
                }
            }
        }
    }
    assert!(exact > 3000, "{exact} exact times");
}

/// Powers of two are exact. Other numbers of ranks fold: the message of a fold meets those of the rounds at its
/// receiver, where a crossbar delays them and a replay does not.
#[test]
fn doubling_is_exact_for_powers_of_two() {
    for p in 2..=140 {
        let kind = CollectiveKind::AllReduce(AllReduce::RecursiveDoubling);
        for message in [unreliable, reliable] {
            let collective = Collective::new(kind, p, 1 << 20, 1).unwrap();
            let exact = ClosedForm::Exact(replayed(&collective, message));
            let expected = if p.is_power_of_two() { exact } else { ClosedForm::None };
            assert_eq!(ideal_time(&collective, message), expected, "{p} ranks");
        }
    }
}

/// Kinds without a closed form for 8 ranks and equal blocks: bounds are all that is known.
#[test]
fn most_kinds_have_an_exact_time() {
    let known = |kind: &CollectiveKind| {
        ideal_time(&Collective::new(*kind, 8, 8 * 4096, 1).unwrap(), unreliable) != ClosedForm::None
    };
    let unknown: Vec<CollectiveKind> = kinds(8).into_iter().filter(|kind| !known(kind)).collect();
    let broadcast = |algorithm, root| CollectiveKind::Broadcast { algorithm, root };
    assert_eq!(
        unknown,
        [
            CollectiveKind::AllReduce(AllReduce::DoubleTree),
            broadcast(Broadcast::ScatterRing, 1),
            broadcast(Broadcast::ScatterDoubling, 0),
        ]
    );
}

/// Written out, so that the forms are not only compared with a program of the same author.
#[test]
fn forms_as_the_literature_writes_them() {
    let tau = |bytes| unreliable(bytes).delivered;
    let exact = |kind, p, n| match ideal_time(&Collective::new(kind, p, n, 1).unwrap(), unreliable) {
        ClosedForm::Exact(time) => time,
        other => panic!("{kind:?}: {other:?}"),
    };
    let n = 16 * 4096;
    assert_eq!(exact(ring(1), 16, n), tau(4096) * 30);
    assert_eq!(exact(CollectiveKind::AllReduce(AllReduce::RecursiveDoubling), 16, n), tau(n) * 4);
    let rabenseifner = CollectiveKind::AllReduce(AllReduce::Rabenseifner(Folding::Whole));
    assert_eq!(exact(rabenseifner, 16, n), (tau(n / 2) + tau(n / 4) + tau(n / 8) + tau(n / 16)) * 2);
    let direct = CollectiveKind::AllToAll(AllToAll::Direct);
    assert_eq!(exact(direct, 16, n), wire(4096) * 15 + LATENCY);
    // 13 ranks in Open MPI's tree: 4 wire times and 3 latencies.
    let tree = Broadcast::Binomial(Numbering::HighestBit);
    let broadcast = CollectiveKind::Broadcast { algorithm: tree, root: 0 };
    assert_eq!(exact(broadcast, 13, n), wire(n) * 4 + LATENCY * 3);
    assert_eq!(exact(broadcast, 16, n), tau(n) * 4);
    let barrier = CollectiveKind::Barrier(Barrier::Dissemination);
    assert_eq!(exact(barrier, 13, 1), tau(1) * 4);
}

#[test]
fn chains_and_rings_of_chunks() {
    for p in [2, 3, 8, 13] {
        for chunks in [2, 5, 16] {
            let n = u64::from(p * chunks) * 1000;
            for message in [unreliable, reliable] {
                let chains = [
                    CollectiveKind::Broadcast { algorithm: Broadcast::Chain, root: 1 },
                    CollectiveKind::Reduce { algorithm: Reduce::Chain, root: 1 },
                ];
                for kind in chains {
                    let collective = Collective::new(kind, p, n, chunks).unwrap();
                    let replayed = replayed(&collective, message);
                    assert_eq!(ideal_time(&collective, message), ClosedForm::Exact(replayed), "{kind:?}");
                }
                for n in [n, n + 7] {
                    let collective = Collective::new(ring(2), p, n, chunks).unwrap();
                    let ClosedForm::Between { least, most } = ideal_time(&collective, message) else {
                        panic!("bounds of a pipelined ring");
                    };
                    let replayed = replayed(&collective, message);
                    assert!(least <= replayed && replayed <= most, "{least:?} {replayed:?} {most:?}");
                }
            }
        }
    }
}

/// The bound is sharp for a ring without latency, and no replay beats it.
#[test]
fn no_replay_beats_the_lower_bound() {
    for p in 2..=17 {
        for kind in kinds(p) {
            for n in sizes(p) {
                let collective = Collective::new(kind, p, n, 1).unwrap();
                // A replay lets messages meet at their receivers, where a link would take one after another.
                let meets = matches!(kind, CollectiveKind::Reduce { .. });
                let packet = if meets { Span::default() } else { LIMITS.packet };
                let bound = lower_bound(&collective, FabricLimits { packet, ..LIMITS });
                let replayed = replayed(&collective, unreliable);
                assert!(bound <= replayed, "{kind:?}, {p} ranks, {n} B: {bound:?} {replayed:?}");
                if let Some(Bandwidth { busbw, algbw }) = bandwidth(&collective, replayed) {
                    assert!(busbw <= 50.0 && algbw > 0.0, "{kind:?}, {p} ranks, {n} B: {busbw} GB/s");
                }
            }
        }
    }
    assert_eq!(LIMITS.latency, unreliable(0).delivered);
    // Four ranks: the root and the first that has heard send again, the root earlier.
    let four = CollectiveKind::Barrier(Barrier::Dissemination);
    let four = lower_bound(&Collective::new(four, 4, 0, 1).unwrap(), LIMITS);
    assert_eq!(four, LIMITS.latency + LIMITS.packet * 2);
    let ring = Collective::new(ring(1), 8, 8_000_000, 1).unwrap();
    let bare = |bytes| {
        let wire = RATE.time_for(Bytes::new(bytes));
        IdealMessage { delivered: wire, sent: Transmission::single(wire), tail: Span::ZERO, completed: wire }
    };
    let time = replayed(&ring, bare);
    assert_eq!(
        time,
        lower_bound(&ring, FabricLimits { latency: Span::default(), packet: Span::default(), rate: RATE })
    );
    let Bandwidth { algbw, busbw } = bandwidth(&ring, time).unwrap();
    assert!((busbw - 50.0).abs() < 1e-9 && (algbw - 50.0 * 8.0 / 14.0).abs() < 1e-9, "{algbw} {busbw}");
}
