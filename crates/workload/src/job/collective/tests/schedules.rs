//! Peers and blocks of small cases, written out.

use super::super::double_tree::{DoubleTree, Relatives};
use super::super::tree::Binomial;
use super::super::*;

fn peers(kind: CollectiveKind, ranks: u32, rank: u32) -> Vec<u32> {
    let collective = Collective::new(kind, ranks, 1 << 16, 1).unwrap();
    let sends = (0..collective.operations(rank)).filter_map(|id| match collective.operation(rank, id).work {
        Work::Send { to, .. } => Some(to),
        _ => None,
    });
    sends.collect()
}

#[test]
fn nccl_goes_by_triangular_distances() {
    let all = peers(CollectiveKind::AllToAll(AllToAll::Nccl { node: 1 }), 16, 0);
    assert_eq!(all, [1, 3, 6, 10, 15, 5, 12, 4, 13, 7, 2, 14, 11, 9, 8]);
    let five = peers(CollectiveKind::AllToAll(AllToAll::Nccl { node: 1 }), 5, 1);
    assert_eq!(five, [2, 4, 3, 0], "distances 1, 3, 2, 4 of 0, 1, 3, 6, 2, 7, 5, 4");
    let nodes = peers(CollectiveKind::AllToAll(AllToAll::Nccl { node: 2 }), 8, 1);
    assert_eq!(nodes, [0, 3, 2, 7, 6, 5, 4], "nodes at distances 0, 1, 3, 2");
}

#[test]
fn binomial_trees_of_both_numberings() {
    let children = |numbering, ranks| -> Vec<Vec<u32>> {
        let tree = Binomial { ranks, numbering };
        (0..ranks).map(|v| (0..tree.children(v)).map(|number| tree.child(v, number)).collect()).collect()
    };
    let lowest = children(Numbering::LowestBit, 7);
    assert_eq!(lowest, [vec![4, 2, 1], vec![], vec![3], vec![], vec![6, 5], vec![], vec![]]);
    let highest = children(Numbering::HighestBit, 7);
    assert_eq!(highest, [vec![1, 2, 4], vec![3, 5], vec![6], vec![], vec![], vec![], vec![]]);
}

/// The figure in NCCL's `trees.cc` for 14 ranks, and its mirror.
#[test]
fn double_trees_are_those_of_nccl() {
    let relatives = |rank, tree| {
        let Relatives { parent, children } = DoubleTree { ranks: 14 }.relatives(rank, tree);
        (parent, children.to_vec())
    };
    assert_eq!(relatives(0, 0), (None, vec![8]));
    assert_eq!(relatives(8, 0), (Some(0), vec![4, 12]));
    assert_eq!(relatives(4, 0), (Some(8), vec![2, 6]));
    assert_eq!(relatives(12, 0), (Some(8), vec![10, 13]));
    assert_eq!(relatives(13, 0), (Some(12), vec![]));
    assert_eq!(relatives(13, 1), (None, vec![5]));
    assert_eq!(relatives(1, 1), (Some(5), vec![3, 0]));
}

/// Each rank but one is inside a tree at most: the other tree has it as a leaf.
#[test]
fn insides_of_a_tree_are_leaves_of_the_other() {
    for ranks in 2..200 {
        let tree = DoubleTree { ranks };
        let inside = |rank, number| tree.relatives(rank, number).children.len() > 1;
        for rank in 0..ranks {
            assert!(!(inside(rank, 0) && inside(rank, 1)), "{rank} of {ranks}");
            for number in [0, 1] {
                for child in tree.relatives(rank, number).children {
                    assert_eq!(tree.relatives(child, number).parent, Some(rank), "{child} of {ranks}");
                }
            }
        }
        for number in [0, 1] {
            assert_eq!((0..ranks).filter(|rank| tree.relatives(*rank, number).parent.is_none()).count(), 1);
        }
    }
}

#[test]
fn orders_of_peers() {
    assert_eq!(peers(CollectiveKind::AllToAll(AllToAll::Pairwise), 5, 3), [4, 0, 1, 2]);
    assert_eq!(peers(CollectiveKind::AllToAll(AllToAll::Linear), 5, 3), [2, 1, 0, 4]);
    assert_eq!(peers(CollectiveKind::AllToAll(AllToAll::Xor), 8, 5), [4, 7, 6, 1, 0, 3, 2]);
    assert_eq!(peers(CollectiveKind::ReduceScatter(ReduceScatter::RecursiveHalving), 8, 5), [1, 7, 4]);
    let rabenseifner = CollectiveKind::AllReduce(AllReduce::Rabenseifner(Folding::Whole));
    assert_eq!(peers(rabenseifner, 8, 5), [4, 7, 1, 1, 7, 4]);
    assert_eq!(peers(CollectiveKind::AllGather(AllGather::Bruck), 6, 2), [1, 0, 4]);
    let doubling = CollectiveKind::AllReduce(AllReduce::RecursiveDoubling);
    assert_eq!(peers(doubling, 6, 0), [1]);
    assert_eq!(peers(doubling, 6, 1), [3, 4, 0], "new number 0 of 1, 3, 4, 5");
}

/// Sizes of Rabenseifner's messages: halves, and the same backwards.
#[test]
fn rabenseifner_halves() {
    let kind = CollectiveKind::AllReduce(AllReduce::Rabenseifner(Folding::Halves));
    let collective = Collective::new(kind, 6, 1024, 1).unwrap();
    let sizes = |rank| {
        let all = (0..collective.operations(rank)).map(|id| collective.operation(rank, id).work);
        all.filter_map(|work| if let Work::Send { bytes, .. } = work { Some(bytes) } else { None })
            .collect::<Vec<_>>()
    };
    assert_eq!(sizes(4), [512, 256, 256, 512], "alone");
    assert_eq!(sizes(0), [512, 512, 256, 256, 512, 1024], "keeper");
    assert_eq!(sizes(1), [512, 512], "out");
}

/// Batches of 4 over 10 ranks: 3 steps beside the copy, then 4, then 2, with a join behind the first two.
#[test]
fn scattered_batches_count_the_copy() {
    let kind = CollectiveKind::AllToAll(AllToAll::Scattered { batch: 4 });
    let collective = Collective::new(kind, 10, 100, 1).unwrap();
    let joins = (0..collective.operations(3)).filter(|id| collective.predecessors(3, *id) > 1);
    assert_eq!(joins.map(|id| (id, collective.predecessors(3, id))).collect::<Vec<_>>(), [(6, 6), (15, 8)]);
    assert_eq!(collective.before(3, 16).to_vec(), [15]);
    assert_eq!(collective.roots(3).count(), 6);
}

/// A reduce is the broadcast backwards: MPICH receives from the nearest child first.
#[test]
fn reduces_receive_from_the_last_child_first() {
    let sources = |numbering| -> Vec<u32> {
        let kind = CollectiveKind::Reduce { algorithm: Reduce::Binomial(numbering), root: 2 };
        let collective = Collective::new(kind, 8, 100, 1).unwrap();
        let receives =
            (0..collective.operations(2)).filter_map(|id| match collective.operation(2, id).work {
                Work::Receive { from, .. } => from,
                _ => None,
            });
        receives.collect()
    };
    assert_eq!(sources(Numbering::LowestBit), [3, 4, 6]);
    assert_eq!(sources(Numbering::HighestBit), [6, 4, 3]);
}
