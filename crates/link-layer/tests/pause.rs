//! What PFC promises, on random traffic between a sender and a receiver with a delay between them.

use std::collections::VecDeque;

use link_layer::pause::{Crossings, Pauses};
use link_layer::{LaneMemory, PauseRule, Signal};
use packet::Lane;
use proptest::prelude::*;
use units::{Span, Time};

const LANE: Lane = Lane(0);

fn at(ns: u64) -> Time {
    Span::from_ns(ns).after_start()
}

fn rule(quanta: u16, refresh: u64) -> PauseRule {
    PauseRule {
        asks: true,
        quanta,
        quantum: Span::from_ns(10),
        refresh: Span::from_ns(refresh),
        hearing: Span::from_ns(1),
        resume_offset: 300,
    }
}

fn lane(limit: u32, headroom: u32) -> [LaneMemory; 1] {
    [LaneMemory { limit, headroom }]
}

#[test]
fn xoff_asks_and_xon_lets_go_on() {
    let mut lane = Pauses::new(rule(100, 500), &lane(1000, 500));
    assert!(lane.take(LANE, 900, None).is_some());
    assert_eq!(lane.reconsider(LANE, None, at(0)), None, "900 is below the limit");
    assert!(lane.take(LANE, 400, None).is_some(), "there is headroom");
    assert_eq!(lane.reconsider(LANE, None, at(1)), Some(Signal::Pause { lane: LANE, quanta: 100 }));
    assert_eq!(lane.reconsider(LANE, None, at(2)), None, "it has asked");
    assert!(lane.take(LANE, 200, None).is_none(), "neither room nor headroom");
    lane.let_go(LANE, 900);
    assert_eq!((lane.own(LANE), lane.held(LANE)), (400, 400), "headroom empties first");
    assert_eq!(lane.reconsider(LANE, None, at(3)), Some(Signal::Pause { lane: LANE, quanta: 0 }));
    let tally = lane.tally(LANE, at(3));
    assert_eq!((tally.sent, tally.dropped, tally.most_headroom.get()), (1, 1, 400));
}

#[test]
fn what_comes_near_its_threshold_is_counted() {
    let mut lane = Pauses::new(rule(100, 500), &lane(1000, 500));
    let mut step = |change: i64, time: u64| {
        match u32::try_from(change) {
            Ok(more) => assert!(lane.take(LANE, more, None).is_some()),
            Err(_) => _ = lane.let_go(LANE, change.unsigned_abs() as u32),
        }
        lane.reconsider(LANE, None, at(time));
        let tally = lane.tally(LANE, at(time));
        let Crossings { crossings, near_misses, first } = tally.crossings.expect("it asks");
        (tally.nearest.get(), tally.limit.get(), crossings, near_misses, first)
    };
    assert_eq!(step(900, 0), (900, 1000, 0, 0, None), "at 90 %");
    assert_eq!(step(60, 1), (960, 1000, 0, 0, None), "near");
    assert_eq!(step(-30, 2), (960, 1000, 0, 0, None), "still");
    assert_eq!(step(-30, 3), (960, 1000, 0, 1, None), "a miss");
    assert_eq!(step(300, 4), (960, 1000, 1, 1, Some(at(4))), "into the headroom: PAUSE");
    assert_eq!(step(-100, 5), (960, 1000, 1, 1, Some(at(4))));
    assert_eq!(step(-500, 6), (960, 1000, 1, 1, Some(at(4))), "RESUME, and no miss");
    assert_eq!(step(400, 7), (1000, 1000, 2, 1, Some(at(4))), "PAUSE at the threshold");
}

#[test]
fn where_memory_is_shared_the_nearest_threshold_is_kept() {
    let mut lane = Pauses::new(rule(100, 500), &lane(5000, 500));
    let tally = lane.tally(LANE, at(0));
    assert_eq!((tally.nearest.get(), tally.limit.get()), (0, 5000));
    for (bytes, limit) in [(800, 4000), (100, 1000), (500, 3000)] {
        assert!(lane.take(LANE, bytes, Some(limit)).is_some());
    }
    let tally = lane.tally(LANE, at(1));
    assert_eq!((tally.nearest.get(), tally.limit.get()), (900, 1000));
}

#[test]
fn a_pause_runs_out_and_is_asked_for_again() {
    let mut receiver = Pauses::new(rule(100, 500), &lane(1000, 500));
    assert!(receiver.take(LANE, 1000, None).is_some());
    assert!(receiver.reconsider(LANE, None, at(0)).is_some());
    assert_eq!(receiver.deadline(LANE), at(500));
    assert_eq!(receiver.on_deadline(LANE, at(499)), (None, false));
    let again = Signal::Pause { lane: LANE, quanta: 100 };
    assert_eq!(receiver.on_deadline(LANE, at(500)), (Some(again), false));

    let mut sender = Pauses::new(rule(100, 500), &lane(1000, 500));
    sender.heard(LANE, 100, at(10));
    assert!(!sender.admits(LANE));
    sender.heard(LANE, 100, at(510));
    assert_eq!(sender.deadline(LANE), at(1510), "a pause counts from when it is heard last");
    assert_eq!(sender.on_deadline(LANE, at(1509)), (None, false));
    assert_eq!(sender.on_deadline(LANE, at(1510)), (None, true));
    assert!(sender.admits(LANE));
    assert_eq!(sender.tally(LANE, at(2000)).paused, Span::from_ns(1500));
    sender.heard(LANE, 100, at(3000));
    sender.heard(LANE, 0, at(3100));
    assert!(sender.admits(LANE));
    assert_eq!(sender.tally(LANE, at(4000)).paused, Span::from_ns(1600));
}

#[test]
fn without_pfc_nothing_is_asked_and_what_does_not_fit_is_dropped() {
    let mut lane = Pauses::new(PauseRule { asks: false, ..rule(0, 0) }, &lane(1000, 0));
    assert!(lane.take(LANE, 1000, None).is_some());
    assert_eq!(lane.reconsider(LANE, None, at(0)), None);
    assert!(lane.take(LANE, 1, None).is_none());
}

/// A packet or a signal on its way.
#[derive(Clone, Copy, Debug)]
enum Flight {
    Packet(u32),
    Signal(Signal),
}

proptest! {
    /// Packets of random lengths, a receiver that empties at random, a delay of up to ten steps each way. With as much
    /// headroom as can be sent in a round trip nothing is ever dropped; whatever headroom there is, all that was sent
    /// was held or dropped, and once it is empty both ends are at rest.
    #[test]
    fn headroom_of_a_round_trip_loses_nothing(
        delay in 1..10u64,
        share in 0..=100u64,
        ops in prop::collection::vec((64..1500u32, 0..3u8), 1..600),
    ) {
        // A packet a step is sent until a PAUSE has come; the one that is asked for is in the headroom, too.
        let whole = 1500 * (2 * delay + 1) as u32;
        let headroom = (u64::from(whole) * share / 100) as u32;
        let rule = rule(1000, 2000);
        let (mut sender, mut receiver) = (Pauses::new(rule, &lane(0, 0)), Pauses::new(rule, &lane(4000, headroom)));
        let (mut wire, mut held) = (VecDeque::new(), VecDeque::new());
        let (mut sent, mut dropped) = (0u64, 0u64);
        let all = ops.len() as u64;
        let drained = ops.into_iter().map(|(length, served)| (Some(length), served))
            .chain(core::iter::repeat_n((None, 1), 4000));
        for (step, (length, served)) in drained.enumerate() {
            let now = at(step as u64);
            while wire.front().is_some_and(|(due, _)| *due <= step as u64) {
                match wire.pop_front().map(|(_, flight)| flight) {
                    Some(Flight::Packet(length)) => {
                        if receiver.take(LANE, length, None).is_some() { held.push_back(length); } else { dropped += 1; }
                        let signal = receiver.reconsider(LANE, None, now);
                        wire.extend(signal.map(|signal| (step as u64 + delay, Flight::Signal(signal))));
                    }
                    Some(Flight::Signal(Signal::Pause { quanta, .. })) => sender.heard(LANE, quanta, now),
                    _ => {}
                }
            }
            if served == 0 && let Some(length) = held.pop_front() {
                receiver.let_go(LANE, length);
            } else if length.is_none() && let Some(length) = held.pop_front() {
                receiver.let_go(LANE, length);
            }
            let signals = [receiver.reconsider(LANE, None, now), receiver.on_deadline(LANE, now).0];
            sender.on_deadline(LANE, now);
            wire.extend(signals.into_iter().flatten().map(|signal| (step as u64 + delay, Flight::Signal(signal))));
            if let Some(length) = length.filter(|_| sender.admits(LANE)) {
                wire.push_back((step as u64 + delay, Flight::Packet(length)));
                sent += 1;
            }
        }
        prop_assert!(sent <= all && receiver.tally(LANE, at(0)).dropped == dropped);
        prop_assert!(receiver.tally(LANE, at(0)).most_headroom.get() <= u64::from(headroom));
        if share == 100 {
            prop_assert_eq!(dropped, 0);
        }
        prop_assert!(receiver.at_rest() && sender.at_rest());
    }
}
