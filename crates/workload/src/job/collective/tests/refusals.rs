//! Settings that cannot be run.

use super::super::*;
use super::cases::ring;

#[test]
fn refusals_name_the_value_and_the_remedy() {
    let doubling = CollectiveKind::AllGather(AllGather::RecursiveDoubling);
    let broadcast = CollectiveKind::Broadcast { algorithm: Broadcast::Chain, root: 8 };
    let cases = [
        (ring(1, 1), 1, 1, 1),
        (ring(0, 1), 4, 100, 1),
        (ring(1, 3), 8, 100, 1),
        (ring(1, 1), 8, 100, 0),
        (ring(2, 1), 8, 100, 8),
        (ring(1, 1), 4, 1 << 40, 1),
        (doubling, 12, 100, 1),
        (broadcast, 8, 100, 1),
        (CollectiveKind::AllToAll(AllToAll::Scattered { batch: 0 }), 8, 100, 1),
        (CollectiveKind::AllReduce(AllReduce::Hierarchical { group: 5 }), 12, 100, 1),
        (ring(1, 1), 11_664, 1 << 44, 100_000_000),
    ];
    let messages = cases.map(|(kind, ranks, bytes, chunks)| {
        Collective::new(kind, ranks, bytes, chunks).map(|_| ()).unwrap_err().to_string()
    });
    insta::assert_snapshot!(messages.join("\n"), @"
    a collective takes at least 2 ranks: 1 sends nothing
    `channels` cannot be 0: 1 is the least
    groups of 3 ranks do not divide 8 ranks: 2 are left
    `chunks` cannot be 0: 1 is the least
    16 chunks in all channels are too many for blocks of 13 B: at most one for each byte
    a message of 274877906944 B is longer than 2^31 B: at least 128 chunks make it short enough
    recursive doubling of 12 ranks cannot gather: it takes 8 or 16 ranks, or another algorithm
    the root 8 is no rank of the job: its ranks are 0 to 7
    `batch` cannot be 0: 1 is the least
    groups of 5 ranks do not divide 12 ranks: 2 are left
    100000000 chunks in all channels need 2332600000000 numbers for operations or tags: at most 2^32 - 2
    ");
}

/// A refusal names a number of chunks that is enough.
#[test]
fn enough_chunks_are_enough() {
    let kind = CollectiveKind::Broadcast { algorithm: Broadcast::Binomial(Numbering::LowestBit), root: 0 };
    let bytes = (1 << 33) + 5;
    let Err(CollectiveError::MessageTooLong { chunks, .. }) = Collective::new(kind, 6, bytes, 1).map(|_| ())
    else {
        panic!("refused");
    };
    assert_eq!(chunks, 5);
    assert!(Collective::new(kind, 6, bytes, 5).is_ok());
    assert!(Collective::new(kind, 6, bytes, 4).is_err());
}

#[test]
fn steps_are_of_an_all_to_all_by_pairs() {
    let all_to_all = |algorithm| Collective::new(CollectiveKind::AllToAll(algorithm), 8, 100, 1).unwrap();
    let messages =
        [(AllToAll::Pairwise, 0), (AllToAll::Pairwise, 8), (AllToAll::Bruck, 2)].map(|(algorithm, steps)| {
            all_to_all(algorithm).first_steps(steps).map(|_| ()).unwrap_err().to_string()
        });
    insta::assert_snapshot!(messages.join("\n"), @"
    `steps` cannot be 0: 1 is the least
    the first 8 of 7 steps: at most all, which is the same without `steps`
    `steps` are of an all-to-all by a message for each pair of ranks: Bruck's forwards messages of others
    ");
    assert_eq!(all_to_all(AllToAll::Pairwise).first_steps(7).unwrap().cut(), None);
}
