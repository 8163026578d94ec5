//! All kinds of collectives for a number of ranks.

use super::super::*;

pub(super) fn ring(channels: u32, server: u32) -> CollectiveKind {
    CollectiveKind::AllReduce(AllReduce::Ring { first: FirstBlock::Before, channels, server })
}

/// Every kind that takes this number of ranks.
pub(super) fn kinds(ranks: u32) -> Vec<CollectiveKind> {
    let mut kinds: Vec<CollectiveKind> =
        all_reduces(ranks).into_iter().map(CollectiveKind::AllReduce).collect();
    kinds.extend(
        [
            ReduceScatter::Ring,
            ReduceScatter::RecursiveHalving,
            ReduceScatter::Pairwise,
            ReduceScatter::Direct,
        ]
        .map(CollectiveKind::ReduceScatter),
    );
    kinds.extend([AllGather::Ring, AllGather::Bruck, AllGather::Direct].map(CollectiveKind::AllGather));
    kinds.extend(all_to_alls(ranks).into_iter().map(CollectiveKind::AllToAll));
    kinds.extend([Barrier::Dissemination, Barrier::RecursiveDoubling].map(CollectiveKind::Barrier));
    for root in [0, ranks / 2, ranks - 1] {
        let mut broadcasts = vec![
            Broadcast::Binomial(Numbering::LowestBit),
            Broadcast::Binomial(Numbering::HighestBit),
            Broadcast::Chain,
            Broadcast::Flat,
            Broadcast::ScatterRing,
        ];
        broadcasts.extend(ranks.is_power_of_two().then_some(Broadcast::ScatterDoubling));
        kinds.extend(broadcasts.into_iter().map(|algorithm| CollectiveKind::Broadcast { algorithm, root }));
        let reduces = [
            Reduce::Binomial(Numbering::LowestBit),
            Reduce::Binomial(Numbering::HighestBit),
            Reduce::Chain,
            Reduce::Flat,
        ];
        kinds.extend(reduces.map(|algorithm| CollectiveKind::Reduce { algorithm, root }));
    }
    if ranks.is_power_of_two() {
        kinds.push(CollectiveKind::AllGather(AllGather::RecursiveDoubling));
    }
    kinds
}

fn divisors(ranks: u32) -> impl Iterator<Item = u32> {
    (1..=ranks).filter(move |divisor| ranks.is_multiple_of(*divisor))
}

fn all_reduces(ranks: u32) -> Vec<AllReduce> {
    let mut all = vec![
        AllReduce::RecursiveDoubling,
        AllReduce::Rabenseifner(Folding::Whole),
        AllReduce::Rabenseifner(Folding::Halves),
        AllReduce::DoubleTree,
        AllReduce::Direct,
    ];
    for first in [FirstBlock::Before, FirstBlock::Own] {
        all.extend(divisors(ranks).map(|server| AllReduce::Ring { first, channels: 2, server }));
    }
    all.extend(divisors(ranks).map(|group| AllReduce::Hierarchical { group }));
    all
}

fn all_to_alls(ranks: u32) -> Vec<AllToAll> {
    let mut all =
        vec![AllToAll::Pairwise, AllToAll::Xor, AllToAll::Direct, AllToAll::Linear, AllToAll::Bruck];
    all.extend([1, 2, 3, 40].map(|batch| AllToAll::Scattered { batch }));
    all.extend(divisors(ranks).map(|node| AllToAll::Nccl { node }));
    all
}
