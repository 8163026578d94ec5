//! Tests of the check, by jobs in GOAL.

use proptest::prelude::*;
use units::Span;

use super::*;
use crate::job::goal::{CALC_UNIT, lines_of, read_text};
use crate::job::graph::Operation;
use crate::job::ideal::{IdealMessage, Transmission, replay};
use crate::job::{Cycle, GraphBuilder};

/// A wildcard says nothing of messages that it does not take.
#[test]
fn circles_beside_a_wildcard_are_refused() {
    let waits = |number, wildcard: &str| {
        format!(
            "rank {number} {{\n{wildcard}\na: recv 8b from {0}\nb: send 8b to {0}\nb requires a\n}}\n",
            1 - number
        )
    };
    let job = |wildcard| {
        format!("num_ranks 3\n{}{}rank 2 {{\nsend 8b to 0 tag 3\n}}\n", waits(0, wildcard), waits(1, ""))
    };
    for other in ["recv 8b from -1 tag 3", "recv 8b from 2 tag -1"] {
        let said = said(&job(other), None).unwrap_err();
        assert!(said.contains("wait for each other in a circle"), "{said}");
    }
    assert_eq!(said(&job("recv 8b from -1 tag -1"), None).map(|matched| matched.wildcards), Ok(1));
}

/// Returns the message of a job, with lines, or its findings.
fn said(text: &str, rendezvous_above: Option<u64>) -> Result<Matched, String> {
    let job = read_text(text.as_bytes(), CALC_UNIT).expect("the text is right");
    check(&job.programs, rendezvous_above).map_err(|mismatch| {
        let lines = lines_of(text.as_bytes(), &mismatch.operations()).unwrap();
        mismatch.at_lines(&lines).to_string()
    })
}

fn two(first: &str, second: &str) -> String {
    format!("num_ranks 2\nrank 0 {{\n{first}\n}}\nrank 1 {{\n{second}\n}}\n")
}

#[test]
fn messages_without_a_partner_are_named() {
    assert_eq!(
        said(&two("send 8b to 1 tag 3\nsend 8b to 1 tag 3", "recv 8b from 0 tag 3"), None).unwrap_err(),
        "rank 0: send to 1 (line 4) has no receive: 2 sends from rank 0 to 1 with tag 3, and 1 receive"
    );
    assert_eq!(
        said(&two("send 8b to 1 tag 3", "recv 8b from 0 tag 4"), None).unwrap_err(),
        "rank 0: send to 1 (line 3) has no receive: 1 send from rank 0 to 1 with tag 3, and 0 receives"
    );
    assert_eq!(
        said(&two("calc 1", "recv 8b from 0"), None).unwrap_err(),
        "rank 1: recv from 0 (line 6) has no send: 0 sends from rank 0 to 1 with tag 0, and 1 receive"
    );
    assert_eq!(
        said(&two("send 800b to 1", "calc 0\nrecv 8b from 0"), None).unwrap_err(),
        "rank 0: send to 1 (line 3) sends 800 B, and rank 1: recv from 0 (line 7) receives 8 B"
    );
    assert_eq!(
        said(&two("send 8b to 1", "recv 8b from -1\nrecv 8b from -1"), None).unwrap_err(),
        "rank 1 has 2 receives, and 1 message goes to it"
    );
}

#[test]
fn circles_over_ranks_are_named_with_their_lines() {
    let waits = two(
        "a: recv 8b from 1\nb: send 8b to 1\nb requires a",
        "c: recv 8b from 0\nd: send 8b to 0\nd requires c",
    );
    assert_eq!(
        said(&waits, None).unwrap_err(),
        "operations wait for each other in a circle: rank 0: recv from 1 (line 3) <- rank 1: send to 0 (line 9) <- \
         rank 1: recv from 0 (line 8) <- rank 0: send to 1 (line 4) <- rank 0: recv from 1 (line 3)"
    );
}

/// Two sends that each rank finishes before it receives deadlock by rendezvous alone.
#[test]
fn rendezvous_waits_for_the_receive() {
    let head_on = two(
        "a: send 9b to 1\nb: recv 9b from 1\nb requires a",
        "c: send 9b to 0\nd: recv 9b from 0\nd requires c",
    );
    assert_eq!(said(&head_on, None).unwrap().messages, 2);
    assert_eq!(said(&head_on, Some(9)).unwrap().bytes, 18);
    assert!(said(&head_on, Some(8)).unwrap_err().starts_with("operations wait for each other in a circle"));
}

/// Sends of one pair and tag are paired in the order that the dependencies give them.
#[test]
fn order_is_that_of_dependencies() {
    let swapped = two(
        "a: send 1b to 1\nb: send 2b to 1\na requires b",
        "c: recv 2b from 0\nd: recv 1b from 0\nd requires c",
    );
    assert_eq!(said(&swapped, None).unwrap().unordered, None);
    let free = two("send 1b to 1\nsend 1b to 1", "recv 1b from 0\nrecv 1b from 0");
    let (first, second) = said(&free, None).unwrap().unordered.expect("neither waits");
    assert_eq!((first.operation, second.operation), (0, 1));
}

#[test]
fn wildcards_are_counted() {
    let text = two("send 8b to 1 tag 4\nsend 9b to 1", "recv 8b from -1 tag -1\nrecv 9b from 0 tag -1");
    assert_eq!(said(&text, None).unwrap().wildcards, 2);
}

/// What no order of arrival lets end is refused, with its lines.
#[test]
fn wildcards_that_nothing_fits_are_named() {
    assert_eq!(
        said(&two("send 800b to 1", "recv 8b from -1"), None).unwrap_err(),
        "rank 0: send to 1 (line 3) sends 800 B, and rank 1: recv from any rank (line 6) receives 8 B"
    );
    assert_eq!(
        said(&two("recv 8b from -1 tag 5", "send 8b to 0 tag 4"), None).unwrap_err(),
        "rank 1: send to 0 (line 6) has no receive: 1 send from rank 1 to 0 with tag 4, and 0 receives"
    );
    let taken = two("recv 8b from -1 tag 5\nrecv 8b from 1 tag 5", "send 8b to 0 tag 5\nsend 8b to 0 tag 6");
    assert_eq!(
        said(&taken, None).unwrap_err(),
        "rank 1: send to 0 (line 8) has no receive: 1 send from rank 1 to 0 with tag 6, and 0 receives"
    );
    let taken = two(
        "recv 8b from -1 tag 5\nrecv 8b from 1 tag 5\nrecv 8b from -1 tag 7",
        "send 8b to 0 tag 5\nsend 8b to 0 tag 7\nsend 8b to 0 tag 7",
    );
    assert_eq!(
        said(&taken, None).unwrap_err(),
        "rank 0: recv from any rank (line 3) has no send: 0 sends of 8 B from any rank to 0 with tag 5, and 1 receive"
    );
    // The exact receive takes the only message of tag 5; both orders of arrival may fit the others.
    let fits = two("recv 8b from -1 tag -1\nrecv 8b from 1 tag 5", "send 8b to 0 tag 5\nsend 8b to 0 tag 6");
    assert_eq!(said(&fits, None).unwrap().wildcards, 1);
}

/// Two messages of one tag that the program may post in either order: times decide which receive takes which, so no
/// circle and no size is certain. A circle of messages that are alone in their channel is.
#[test]
fn pairs_that_times_decide_are_not_refused() {
    let answer = "y: recv 8b from 1 tag 9\n";
    let sender = |sizes: [u32; 2]| {
        format!("{answer}a: send {}b to 1\na requires y\nb: send {}b to 1", sizes[0], sizes[1])
    };
    let receiver = |sizes: [u32; 2]| {
        format!(
            "r: recv {}b from 0\nt: recv {}b from 0\nm: send 8b to 0 tag 9\nm requires r",
            sizes[0], sizes[1]
        )
    };
    // `b` is posted first, and `r` takes it.
    assert_eq!(said(&two(&sender([8, 8]), &receiver([8, 8])), None).unwrap().messages, 3);
    assert_eq!(said(&two(&sender([8, 16]), &receiver([16, 8])), None).unwrap().messages, 3);
    assert_eq!(
        said(&two(&sender([8, 16]), &receiver([16, 16])), None).unwrap_err(),
        "rank 0: send to 1 (line 4) sends 8 B, and rank 1: recv from 0 (line 9) receives 16 B"
    );
    let alone = sender([8, 8]).replace("b: send", "//");
    let receiver = "r: recv 8b from 0\nm: send 8b to 0 tag 9\nm requires r";
    assert!(said(&two(&alone, receiver), None).unwrap_err().starts_with("operations wait for each other"));
}

/// 10^6 computations of length 0 between a receive and a send, on either side.
#[test]
fn chains_of_a_million_need_no_stack() {
    let program = |peer: u32, sends_first: bool| {
        let mut builder = GraphBuilder::default();
        let send = Work::Send { to: peer, bytes: 1, tag: 0 }.on_cpu(0);
        let receive = Work::Receive { from: Some(peer), bytes: 1, tag: Some(0) }.on_cpu(0);
        let (first, last) = if sends_first { (send, receive) } else { (receive, send) };
        builder.add(first);
        for id in 1..1_000_000 {
            builder.add(Work::Compute { span: Span::from_ps(0) }.on_cpu(0));
            builder.requires(id, id - 1);
        }
        let end = builder.add(last);
        builder.requires(end, end - 1);
        builder.build().unwrap()
    };
    let good = Programs { ranks: vec![program(1, true), program(0, false)] };
    assert_eq!(check(&good, None).unwrap().messages, 2);
    let bad = Programs { ranks: vec![program(1, false), program(0, false)] };
    let Mismatch::Circle { operations } = check(&bad, None).unwrap_err() else { panic!("a circle") };
    assert_eq!(operations.len(), 2_000_002);
}

/// Random programs of three ranks, with edges in either direction.
fn programs() -> impl Strategy<Value = Result<Programs, Cycle>> {
    let operation = (0_u32..3, 0_u32..3, 0_u32..2, 0_u8..3);
    let rank = (
        prop::collection::vec(operation, 0..7),
        prop::collection::vec((0_u32..7, 0_u32..7, any::<bool>()), 0..6),
    );
    prop::collection::vec(rank, 3).prop_map(|ranks| {
        let build = |(operations, edges): (Vec<_>, Vec<(u32, u32, bool)>)| {
            let mut builder = GraphBuilder::default();
            for (peer, _, tag, kind) in &operations {
                let work = match kind {
                    0 => Work::Send { to: *peer, bytes: 5, tag: *tag },
                    1 => Work::Receive { from: Some(*peer), bytes: 5, tag: Some(*tag) },
                    _ => Work::Compute { span: Span::from_ps(1) },
                };
                builder.add(Operation { work, cpu: 0, nic: 0 });
            }
            let count = operations.len() as u32;
            for (later, earlier, at_start) in edges.iter().filter(|edge| edge.0 < count && edge.1 < count) {
                if *at_start {
                    builder.starts_after(*later, *earlier);
                } else {
                    builder.requires(*later, *earlier);
                }
            }
            builder.build()
        };
        Ok(Programs { ranks: ranks.into_iter().map(build).collect::<Result<_, _>>()? })
    })
}

/// Random programs of three ranks in which each send has its receive, in any order, with edges to later operations. Few
/// receives are from any rank or with any tag.
fn matching_programs() -> impl Strategy<Value = Programs> {
    let message = (0_u32..3, 0_u32..3, 0_u32..2, any::<[u8; 3]>());
    let edge = (0_u32..3, 0_u32..8, 0_u32..8, any::<bool>());
    (prop::collection::vec(message, 3..10), prop::collection::vec(edge, 4..40)).prop_map(
        |(messages, edges)| {
            let ends = messages.into_iter().flat_map(|(from, to, tag, [first, second, wild])| {
                let [from_any, with_any] = [wild.is_multiple_of(16), wild % 16 < 2];
                let from_it = (!from_any).then_some(from);
                let receive = Work::Receive { from: from_it, bytes: 5, tag: (!with_any).then_some(tag) };
                [(first, from, Work::Send { to, bytes: 5, tag }), (second, to, receive)]
            });
            let mut ends: Vec<(u8, u32, Work)> = ends.collect();
            ends.sort_by_key(|(place, ..)| *place);
            let mut builders = [0; 3].map(|_| GraphBuilder::default());
            let mut counts = [0; 3];
            for (_, rank, work) in ends {
                builders[rank as usize].add(work.on_cpu(0));
                counts[rank as usize] += 1;
            }
            for (rank, one, other, at_start) in edges {
                let (earlier, later) = (one.min(other), one.max(other));
                if earlier < later && later < counts[rank as usize] {
                    let builder = &mut builders[rank as usize];
                    if at_start {
                        builder.starts_after(later, earlier);
                    } else {
                        builder.requires(later, earlier);
                    }
                }
            }
            Programs { ranks: builders.into_iter().map(|builder| builder.build().unwrap()).collect() }
        },
    )
}

/// Of random programs that match, some are refused for a circle, and some are not.
#[test]
fn random_programs_have_circles_and_none() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut counts = [[0; 2]; 2];
    for _ in 0..1600 {
        let programs = matching_programs().new_tree(&mut runner).unwrap().current();
        let is_wild = programs.ranks.iter().any(Graph::has_wildcards);
        counts[usize::from(is_wild)][usize::from(check(&programs, None).is_ok())] += 1;
    }
    assert!(counts.as_flattened().iter().all(|count| *count > 20), "{counts:?}");
}

/// Counts sends and receives of each source, destination and tag by hand.
fn numbers_agree(programs: &Programs) -> bool {
    let count = |rank: usize, wanted: Work| {
        let graph = &programs.ranks[rank];
        (0..graph.operations() as u32).filter(|id| graph.operation(*id).work == wanted).count()
    };
    let all = (0..3).flat_map(|from| (0..3).flat_map(move |to| (0..2).map(move |tag| (from, to, tag))));
    all.into_iter().all(|(from, to, tag): (u32, u32, u32)| {
        count(from as usize, Work::Send { to, bytes: 5, tag })
            == count(to as usize, Work::Receive { from: Some(from), bytes: 5, tag: Some(tag) })
    })
}

proptest! {
    #[test]
    fn numbers_are_those_counted_by_hand(programs in programs()) {
        let Ok(programs) = programs else { return Ok(()) };
        match check(&programs, None) {
            Ok(_) | Err(Mismatch::Circle { .. }) => prop_assert!(numbers_agree(&programs)),
            Err(Mismatch::NoReceive { .. } | Mismatch::NoSend { .. }) => prop_assert!(!numbers_agree(&programs)),
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    /// A circle that is refused is one in every run, whatever messages take.
    #[test]
    fn circles_that_are_refused_never_end(
        programs in matching_programs(),
        times in prop::collection::vec(0_u64..9, 40),
    ) {
        let mut next = times.iter().cycle();
        let replayed = |next: &mut core::iter::Cycle<core::slice::Iter<'_, u64>>| {
            replay(&programs, |_, _, _| {
                let mut span = || Span::from_ps(*next.next().unwrap());
                let sent = Transmission::single(span());
                IdealMessage { delivered: sent.whole() + span(), sent, tail: Span::ZERO, completed: span() }
            })
        };
        if let Err(Mismatch::Circle { .. }) = check(&programs, None) {
            prop_assert!(replayed(&mut next).is_err());
        }
    }

    /// Messages to a rank with wildcards are refused only if no assignment of all receives exists.
    #[test]
    fn what_fits_is_not_refused(
        sends in prop::collection::vec((0_u32..2, 0_u32..2, 1_u64..3), 0..6),
        open in prop::collection::vec((0_u32..3, 0_u32..3, 1_u64..3), 0..6),
    ) {
        let mut builders = [0; 3].map(|_| GraphBuilder::default());
        for (from, tag, bytes) in &sends {
            builders[*from as usize].add(Work::Send { to: 2, bytes: *bytes, tag: *tag }.on_cpu(0));
        }
        let some = |number: u32| (number < 2).then_some(number);
        for (from, tag, bytes) in &open {
            let work = Work::Receive { from: some(*from), bytes: *bytes, tag: some(*tag) };
            builders[2].add(work.on_cpu(0));
        }
        let ranks = builders.into_iter().map(|builder| builder.build().unwrap()).collect();
        let programs = Programs { ranks };
        let takes = |receive: &(u32, u32, u64), send: &(u32, u32, u64)| {
            (receive.0 == 2 || receive.0 == send.0) && (receive.1 == 2 || receive.1 == send.1) && receive.2 == send.2
        };
        let wild: Vec<_> = open.iter().filter(|receive| receive.0 == 2 || receive.1 == 2).copied().collect();
        // Channels that no open receive takes from have their messages in the order of posting.
        let is_contested = |one: &(u32, u32, u64)| {
            wild.iter().any(|wild| wild == one || (1..3).any(|bytes| takes(wild, &(one.0, one.1, bytes))))
        };
        let of_channel = |all: &[(u32, u32, u64)], from, tag| -> Vec<(u32, u32, u64)> {
            all.iter().filter(|one| !is_contested(one) && one.0 == from && one.1 == tag).copied().collect()
        };
        let channels = [(0, 0), (0, 1), (1, 0), (1, 1)];
        let is_in_order =
            |(from, tag): &(u32, u32)| of_channel(&sends, *from, *tag) == of_channel(&open, *from, *tag);
        let contested = |all: &[(u32, u32, u64)]| -> Vec<_> {
            all.iter().filter(|one| is_contested(one)).copied().collect()
        };
        let (left, takers) = (contested(&sends), contested(&open));
        let fits = channels.iter().all(is_in_order) && left.len() == takers.len() && fit(&left, &takers, takes);
        let wild = wild.len();
        if let Err(mismatch) = check(&programs, None) {
            prop_assert!(!fits, "{mismatch}");
        }
        // With at most one open receive nothing is left to choose: there the check is complete.
        if wild <= 1 {
            prop_assert_eq!(check(&programs, None).is_ok(), fits);
        }
    }
}

/// Returns true if each receive can take another message.
fn fit(
    sends: &[(u32, u32, u64)],
    receives: &[(u32, u32, u64)],
    takes: impl Fn(&(u32, u32, u64), &(u32, u32, u64)) -> bool + Copy,
) -> bool {
    let Some((first, others)) = receives.split_first() else { return sends.is_empty() };
    (0..sends.len()).any(|place| {
        let mut rest = sends.to_vec();
        takes(first, &rest.remove(place)) && fit(&rest, others, takes)
    })
}
