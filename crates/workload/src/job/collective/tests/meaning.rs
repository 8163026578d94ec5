//! The result of each collective at each rank, under random interleavings.

use rand::Rng;

use super::super::*;
use super::cases::{kinds, ring};
use super::interpreter::{Held, Run};
use crate::job::builder::GraphBuilder;
use crate::job::graph::Graph;

/// Returns true if a rank has the result of the collective.
fn right(collective: &Collective, rank: u32, held: &Held) -> bool {
    let ranks = collective.ranks();
    let once = vec![1; ranks as usize];
    let block = |block: u32| &held.blocks[block as usize];
    let every = |right: &dyn Fn(u32) -> bool| (0..held.blocks.len() as u32).all(right);
    match collective.kind() {
        CollectiveKind::AllReduce(_) => every(&|number| *block(number) == once),
        CollectiveKind::ReduceScatter(_) => *block(rank) == once,
        CollectiveKind::AllGather(_) => every(&|number| {
            block(number).iter().enumerate().all(|(from, count)| *count == u32::from(from == number as usize))
        }),
        CollectiveKind::AllToAll(_) => (0..ranks).all(|from| held.pairs.contains(&(from, rank))),
        CollectiveKind::Broadcast { root, .. } => every(&|number| {
            block(number).iter().enumerate().all(|(from, count)| *count == u32::from(from == root as usize))
        }),
        CollectiveKind::Reduce { root, .. } => rank != root || every(&|number| *block(number) == once),
        // In dissemination with other numbers than powers of two a rank hears of some ranks twice.
        CollectiveKind::Barrier(_) => block(0).iter().all(|heard| *heard > 0),
    }
}

/// Returns true if a run of these graphs ends with the right result at all ranks.
fn succeeds(collective: &Collective, graphs: &[Graph], random: &mut impl Rng) -> bool {
    let mut run = Run::new(collective, graphs);
    run.finish(random)
        && run
            .held
            .iter()
            .zip(0..)
            .all(|(lanes, rank)| lanes.iter().all(|held| right(collective, rank, held)))
}

#[test]
fn every_rank_has_every_contribution_once() {
    for ranks in 2..=17 {
        for kind in kinds(ranks) {
            for chunks in [1, 2] {
                let collective = Collective::new(kind, ranks, 997, chunks).unwrap();
                let graphs = collective.programs().ranks;
                let mut random = event_kernel::stream(u64::from(ranks), "interleaving", "test");
                for _ in 0..2 {
                    assert!(
                        succeeds(&collective, &graphs, &mut random),
                        "{kind:?}, {ranks} ranks, {chunks} chunks"
                    );
                }
            }
        }
    }
}

/// Returns the graph of a rank in which an operation waits for nothing.
fn without_order(collective: &Collective, rank: u32, freed: OperationId) -> Graph {
    let mut builder = GraphBuilder::default();
    for id in 0..collective.operations(rank) {
        builder.add(collective.operation(rank, id));
        let before = collective.before(rank, id);
        before.into_iter().filter(|_| id != freed).for_each(|before| builder.requires(id, before));
    }
    builder.build().unwrap()
}

/// Schedules in which every send that waits also needs data that it waits for.
fn needy(ranks: u32) -> Vec<CollectiveKind> {
    let mut all = vec![
        ring(2, 2),
        CollectiveKind::AllReduce(AllReduce::RecursiveDoubling),
        CollectiveKind::AllReduce(AllReduce::Rabenseifner(Folding::Whole)),
        CollectiveKind::AllReduce(AllReduce::Rabenseifner(Folding::Halves)),
        CollectiveKind::AllReduce(AllReduce::DoubleTree),
        CollectiveKind::AllReduce(AllReduce::Direct),
        CollectiveKind::AllReduce(AllReduce::Hierarchical { group: 2 }),
        CollectiveKind::ReduceScatter(ReduceScatter::Ring),
        CollectiveKind::ReduceScatter(ReduceScatter::RecursiveHalving),
        CollectiveKind::AllGather(AllGather::Ring),
        CollectiveKind::AllGather(AllGather::Bruck),
        CollectiveKind::Broadcast { algorithm: Broadcast::Binomial(Numbering::HighestBit), root: 1 },
        CollectiveKind::Broadcast { algorithm: Broadcast::Chain, root: 3 },
        CollectiveKind::Reduce { algorithm: Reduce::Binomial(Numbering::LowestBit), root: 0 },
        CollectiveKind::Reduce { algorithm: Reduce::Binomial(Numbering::HighestBit), root: 2 },
        CollectiveKind::Reduce { algorithm: Reduce::Chain, root: 0 },
        CollectiveKind::Barrier(Barrier::RecursiveDoubling),
    ];
    if ranks.is_power_of_two() {
        all.push(CollectiveKind::AllGather(AllGather::RecursiveDoubling));
        all.push(CollectiveKind::AllToAll(AllToAll::Bruck));
        all.push(CollectiveKind::Barrier(Barrier::Dissemination));
    }
    all
}

/// A send that waits for nothing leaves with too few contributions, and some rank ends without them.
#[test]
fn no_send_can_do_without_its_order() {
    for ranks in [8, 6] {
        for kind in needy(ranks) {
            let collective =
                Collective::new(kind, ranks, 997, 2 - u32::from(matches!(kind, CollectiveKind::Barrier(_))))
                    .unwrap();
            let mut random = event_kernel::stream(1, "interleaving", "test");
            let mut freed = 0;
            for rank in 0..ranks {
                let mut graphs = collective.programs().ranks;
                for id in 0..collective.operations(rank) {
                    let send = matches!(collective.operation(rank, id).work, Work::Send { .. });
                    if !send || collective.predecessors(rank, id) == 0 {
                        continue;
                    }
                    freed += 1;
                    graphs[rank as usize] = without_order(&collective, rank, id);
                    assert!(
                        !succeeds(&collective, &graphs, &mut random),
                        "{kind:?}: rank {rank}, operation {id}"
                    );
                }
            }
            assert!(freed > 0, "{kind:?} orders nothing");
        }
    }
}
