//! Ranks of rings as formulas, against the lists of the same collectives.

use packet::NodeId;
use proptest::prelude::*;
use units::{Span, Time};

use super::assembly::{Groups, Part, tags_of};
use super::collective::{AllGather, AllReduce, Collective, CollectiveKind, FirstBlock, ReduceScatter};
use super::ideal::{IdealMessage, Transmission, Turns, replay_job};
use super::ideal_ring::replay_ring;
use super::progress::{Action, ArrivingMessage, RankProgress};
use super::{Graph, Job, Pace, Placed, Programs, Timing};

/// Returns the programs of a collective as formulas, and as lists, which end with a join of no length.
fn both(collective: Collective, groups: Groups, ranks: u32) -> [Programs; 2] {
    let part = Part::Collective { collective, groups };
    assert!(part.is_formula());
    let listed = Part::Sequence(vec![part.clone()]);
    assert!(!listed.is_formula());
    [part, listed].map(|part| part.programs(ranks))
}

fn kinds(ranks: u32) -> Vec<CollectiveKind> {
    let ring =
        |first, channels, server| CollectiveKind::AllReduce(AllReduce::Ring { first, channels, server });
    let mut all =
        vec![CollectiveKind::ReduceScatter(ReduceScatter::Ring), CollectiveKind::AllGather(AllGather::Ring)];
    for first in [FirstBlock::Before, FirstBlock::Own] {
        let servers = (1..=ranks).filter(|server| ranks.is_multiple_of(*server));
        all.extend(servers.flat_map(|server| [1, 2, 3].map(|channels| ring(first, channels, server))));
    }
    all
}

fn assert_equal(ring: &Graph, listed: &Graph, name: &str) {
    let count = ring.operations() as u32;
    assert_eq!(listed.operations() as u32, count + u32::from(count > 0), "{name}");
    for id in 0..count {
        assert_eq!(ring.operation(id), listed.operation(id), "{name}: operation {id}");
        assert_eq!(ring.predecessors(id), listed.predecessors(id), "{name}: operation {id}");
        let after = listed.after_end(id).filter(|next| *next < count);
        assert!(ring.after_end(id).eq(after), "{name}: after the end of {id}");
        assert!(ring.after_start(id).eq(listed.after_start(id)), "{name}: after the start of {id}");
        assert_eq!(ring.channel(id), listed.channel(id), "{name}: operation {id}");
        assert_eq!(ring.takes_no_time(id), listed.takes_no_time(id), "{name}: operation {id}");
    }
    assert!(ring.roots().eq(listed.roots()), "{name}");
    assert_eq!(ring.send_channels(), listed.send_channels(), "{name}");
    assert_eq!(ring.receive_channels(), listed.receive_channels(), "{name}");
    assert_eq!((ring.senders(), ring.receivers()), (listed.senders(), listed.receivers()), "{name}");
    for least in [None, Some(1), Some(700)] {
        assert_eq!(ring.sent(least), listed.sent(least), "{name}");
    }
    assert_eq!(ring.processors(), listed.processors(), "{name}");
    assert_eq!(ring.has_wildcards(), listed.has_wildcards(), "{name}");
}

#[test]
fn ranks_of_rings_answer_as_their_lists() {
    for ranks in 2..=9 {
        for kind in kinds(ranks) {
            for (bytes, chunks) in [(0, 1), (1, 1), (u64::from(ranks) + 1, 1), (997, 1), (1020, 3)] {
                // Fewer bytes than lanes are refused.
                let Ok(collective) = Collective::new(kind, ranks, bytes, chunks) else { continue };
                let groups = Groups { ranks, size: ranks, stride: 1 };
                let name = format!("{kind:?}, {ranks} ranks, {bytes} B in {chunks}");
                let [rings, lists] = both(collective, groups, ranks);
                for (ring, listed) in rings.ranks.iter().zip(&lists.ranks) {
                    assert_equal(ring, listed, &name);
                }
                assert_eq!(tags_of(&rings), tags_of(&lists), "{name}");
            }
        }
    }
}

/// Members of groups are a stride apart, and a rank in no group has an empty program.
#[test]
fn rings_of_groups_answer_as_their_lists() {
    for (size, stride) in [(3, 1), (3, 2), (2, 3), (6, 1)] {
        let kind =
            CollectiveKind::AllReduce(AllReduce::Ring { first: FirstBlock::Before, channels: 2, server: 1 });
        let collective = Collective::new(kind, size, 100, 1).unwrap();
        let [rings, lists] = both(collective, Groups { ranks: 12, size, stride }, 13);
        assert_eq!(rings.ranks[12].operations(), 0);
        for (ring, listed) in rings.ranks.iter().zip(&lists.ranks) {
            assert_equal(ring, listed, &format!("groups of {size}, {stride} apart"));
        }
        assert_eq!(tags_of(&rings), tags_of(&lists));
    }
}

/// A rank of 11,664 takes no more memory than a rank of two.
#[test]
fn a_rank_of_a_ring_has_no_list() {
    let kind =
        CollectiveKind::AllReduce(AllReduce::Ring { first: FirstBlock::Before, channels: 1, server: 1 });
    let collective = Collective::new(kind, 11_664, 1 << 20, 1).unwrap();
    let groups = Groups { ranks: 11_664, size: 11_664, stride: 1 };
    let programs = Part::Collective { collective, groups }.programs(11_664);
    assert_eq!(programs.operations(), 11_664 * 2 * 2 * 11_663);
    assert_eq!(programs.ranks.iter().map(Graph::memory).sum::<usize>(), 0);
}

proptest! {
    /// Both forms ask for the same actions, in whatever order messages arrive and complete, over two iterations.
    #[test]
    fn progress_is_the_same_in_both_forms(
        ranks in 2_u32..6,
        lanes in 1_u32..4,
        kind in 0_usize..5,
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..400),
    ) {
        let kinds = kinds(ranks);
        let kind = kinds[kind % kinds.len()];
        let collective = Collective::new(kind, ranks, 1000, lanes).unwrap();
        let listed = collective.programs();
        let [rings, _] = both(collective, Groups { ranks, size: ranks, stride: 1 }, ranks);
        let programs = [rings, listed];
        let graphs = [&programs[0].ranks[1], &programs[1].ranks[1]];
        let channels = graphs[1].receive_channels();
        let mut progress = graphs.map(|graph| {
            RankProgress::new(graph, &[]).repeated(2, Pace::default())
        });
        let mut to_come: Vec<_> = channels.iter().chain(&*channels).copied().collect();
        let mut sending = Vec::new();
        let mut now = Time::ZERO;
        let mut all: [Vec<Action>; 2] = Default::default();
        let mut choices = choices.into_iter();
        for (progress, (graph, actions)) in progress.iter_mut().zip(graphs.iter().zip(&mut all)) {
            progress.begin(graph, now, actions);
        }
        loop {
            prop_assert_eq!(&all[0], &all[1]);
            for action in &all[0] {
                if let Action::Post { operation, .. } = action {
                    sending.push(*operation);
                }
            }
            all.iter_mut().for_each(Vec::clear);
            let left = sending.len() + to_come.len();
            if left == 0 {
                break;
            }
            now = Time::from_ps(now.ps() + 1);
            let place = choices.next().map_or(0, |choice| choice.index(left));
            let completed = (place < sending.len()).then(|| sending.remove(place));
            let arrived = completed.is_none().then(|| to_come.remove(place - sending.len()));
            for (progress, (graph, actions)) in progress.iter_mut().zip(graphs.iter().zip(&mut all)) {
                if let Some(operation) = completed {
                    progress.completed(graph, operation, now, actions);
                }
                if let Some(message) = arrived {
                    let message = ArrivingMessage { from: message.peer, tag: message.tag, departed: now };
                    progress.arrived(graph, message, now, actions);
                }
            }
            let [ring, list] = &progress;
            prop_assert_eq!(ring.ends(), list.ends());
            prop_assert_eq!(ring.waiting_receives(), list.waiting_receives());
            prop_assert_eq!(ring.left(graphs[0]), list.left(graphs[1]));
        }
        prop_assert!(progress.iter().all(RankProgress::is_done));
    }
}

proptest! {
    /// The replay in steps and the replay of lists agree on uneven distances, starts and blocks.
    #[test]
    fn rings_replay_in_steps(
        (ranks, skews, distances, bytes) in (2_u32..8).prop_flat_map(|ranks| {
            let each = |most: u64| prop::collection::vec(0..most, ranks as usize);
            (Just(ranks), each(400), each(900), 1_u64..500)
        }),
        kind in 0_usize..40,
        occupied in 0_u64..3,
    ) {
        let kinds: Vec<_> = kinds(ranks).into_iter().filter(|kind| {
            !matches!(kind, CollectiveKind::AllReduce(AllReduce::Ring { channels, .. }) if *channels > 1)
        }).collect();
        let collective = Collective::new(kinds[kind % kinds.len()], ranks, bytes, 1).unwrap();
        let groups = Groups { ranks, size: ranks, stride: 1 };
        let message = |from: u32, to: u32, bytes: u64| {
            let latency = distances[from as usize] + 3 * distances[to as usize];
            let [latency, bytes] = [latency, bytes].map(Span::from_ns);
            let (sent, delivered) = (Transmission::single(bytes * occupied), latency + bytes * occupied.max(1));
            IdealMessage { delivered, sent, tail: delivered - sent.whole(), completed: delivered * 2 }
        };
        let [in_steps, by_operation] = both(collective, groups, ranks).map(|programs| {
            let start = Span::from_ns(70).after_start();
            let timing = Timing {
                starts: skews.iter().map(|skew| start + Span::from_ns(*skew)).collect(),
                runs: 1,
                paces: vec![Pace::default(); ranks as usize],
                local: None,
            };
            let hosts = (0..ranks).map(NodeId).collect();
            let job = Job::new(Placed {
                name: "A".to_owned(),
                hosts,
                start,
                programs,
                timing,
                rendezvous: None,
                queue_pairs: 1,
            });
            let replayed = replay_job(&job, vec![Turns::Packets; ranks as usize], message).unwrap().completion();
            prop_assert_eq!(replay_ring(&job, message).unwrap_or(replayed), replayed);
            prop_assert_eq!(replay_ring(&job, message).is_some(), job.programs.ranks[0].chain().is_some());
            Ok(replayed)
        });
        prop_assert_eq!(in_steps?, by_operation?);
    }
}
