//! Tests of the check, by jobs in GOAL.

use proptest::prelude::*;
use units::Span;

use super::*;
use crate::job::goal::{CALC_UNIT, lines_of, read_text};
use crate::job::graph::Operation;
use crate::job::{Cycle, GraphBuilder};

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
}
