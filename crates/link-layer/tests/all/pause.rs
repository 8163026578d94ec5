//! Promises of PFC, on random traffic between a sender and a receiver with a delay between them.

use std::collections::VecDeque;

use link_layer::{
    Alpha, LaneMemory, LastingUse, MemoryPool, PauseCrossings, PauseLane, PauseRule, Share, Signal,
};
use packet::Lane;
use proptest::prelude::*;
use units::{Bytes, Span, Time};

const LANE: Lane = Lane(0);

fn at(ns: u64) -> Time {
    Span::from_ns(ns).after_start()
}

fn rule(quanta: u16, refresh: u64) -> PauseRule {
    PauseRule {
        quanta,
        quantum: Span::from_ns(10),
        refresh: Span::from_ns(refresh),
        effect_delay: Span::from_ns(1),
        resume_offset: 300,
    }
}

fn lane(limit: u32, headroom: u32) -> PauseLane {
    PauseLane::new(LaneMemory { limit, headroom, pauses: true })
}

#[test]
fn xoff_requests_a_pause_and_xon_ends_it() {
    let rule = rule(100, 500);
    let mut lane = lane(1000, 500);
    assert!(lane.admit(900, None).is_some());
    assert_eq!(lane.update_pause(LANE, &rule, None, at(0)), None, "900 is below the limit");
    assert!(lane.admit(400, None).is_some(), "there is headroom");
    assert_eq!(lane.update_pause(LANE, &rule, None, at(1)), Some(Signal::Pause { lane: LANE, quanta: 100 }));
    assert_eq!(lane.update_pause(LANE, &rule, None, at(2)), None, "a pause is requested");
    assert!(lane.admit(200, None).is_none(), "neither room nor headroom");
    lane.release(900);
    assert_eq!((lane.load(), lane.held()), (400, 400), "headroom empties first");
    assert_eq!(lane.update_pause(LANE, &rule, None, at(3)), Some(Signal::Pause { lane: LANE, quanta: 0 }));
    let tally = lane.tally(at(3));
    assert_eq!((tally.sent, tally.dropped, tally.most_headroom.get()), (1, 1, 400));
}

proptest! {
    /// RESUME follows when the load has fallen by the offset below the threshold, to the byte, and the headroom is
    /// empty. An offset as large as the threshold waits for an empty lane. Zhu and others (2015): two MTU below the
    /// threshold.
    #[test]
    fn resume_comes_exactly_its_offset_below_the_threshold(
        limit in 1000..100_000u32, offset in 0..120_000u32, excess in 0..2000u32, chunk in 1..3000u32,
    ) {
        let rule = PauseRule { resume_offset: offset, ..rule(100, 500) };
        let mut lane = lane(limit, 2000);
        prop_assert!(lane.admit(limit, None).is_some());
        prop_assert!(excess == 0 || lane.admit(excess, None).is_some());
        let pause = lane.update_pause(LANE, &rule, None, at(0));
        prop_assert_eq!(pause, Some(Signal::Pause { lane: LANE, quanta: 100 }));
        let mut held = limit + excess;
        // In chunks to a byte above the boundary, and then byte by byte.
        let boundary = limit.saturating_sub(offset);
        while held > boundary {
            let less = chunk.min(held - boundary - 1).max(1);
            lane.release(less);
            held -= less;
            let due = (held == boundary).then_some(Signal::Pause { lane: LANE, quanta: 0 });
            prop_assert_eq!(lane.update_pause(LANE, &rule, None, at(1)), due, "at {} of {}", held, boundary);
        }
        // Without an offset the boundary is the threshold, and the load may stand there.
        if offset == 0 && excess == 0 {
            let due = Some(Signal::Pause { lane: LANE, quanta: 0 });
            prop_assert_eq!(lane.update_pause(LANE, &rule, None, at(1)), due);
        }
    }
}

#[test]
fn loads_near_the_threshold_are_counted() {
    let rule = rule(100, 500);
    let mut lane = lane(1000, 500);
    let mut step = |change: i64, time: u64| {
        match u32::try_from(change) {
            Ok(more) => assert!(lane.admit(more, None).is_some()),
            Err(_) => _ = lane.release(change.unsigned_abs() as u32),
        }
        lane.update_pause(LANE, &rule, None, at(time));
        let tally = lane.tally(at(time));
        let PauseCrossings { crossings, near_misses, first } = tally.crossings.expect("PFC is enabled");
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
    let mut lane = lane(5000, 500);
    let tally = lane.tally(at(0));
    assert_eq!((tally.nearest.get(), tally.limit.get()), (0, 5000));
    for (bytes, limit) in [(800, 4000), (100, 1000), (500, 3000)] {
        assert!(lane.admit(bytes, Some(limit)).is_some());
    }
    let tally = lane.tally(at(1));
    assert_eq!((tally.nearest.get(), tally.limit.get()), (900, 1000));
}

#[test]
fn a_pause_expires_and_is_repeated() {
    let rule = rule(100, 500);
    let mut receiver = lane(1000, 500);
    assert!(receiver.admit(1000, None).is_some());
    assert!(receiver.update_pause(LANE, &rule, None, at(0)).is_some());
    assert_eq!(receiver.deadline(), at(500));
    assert_eq!(receiver.on_deadline(LANE, &rule, at(499)), (None, false));
    let again = Signal::Pause { lane: LANE, quanta: 100 };
    assert_eq!(receiver.on_deadline(LANE, &rule, at(500)), (Some(again), false));

    let mut sender = lane(1000, 500);
    sender.on_pause(100, &rule, at(10));
    assert!(!sender.may_start());
    sender.on_pause(100, &rule, at(510));
    assert_eq!(sender.deadline(), at(1510), "a pause counts from the last PAUSE");
    assert_eq!(sender.on_deadline(LANE, &rule, at(1509)), (None, false));
    assert_eq!(sender.on_deadline(LANE, &rule, at(1510)), (None, true));
    assert!(sender.may_start());
    assert_eq!(sender.tally(at(2000)).paused, Span::from_ns(1500));
    sender.on_pause(100, &rule, at(3000));
    assert_eq!(
        sender.tally(at(3040)).paused,
        Span::from_ns(1540),
        "the present pause counts as far as it goes"
    );
    sender.on_pause(0, &rule, at(3100));
    assert!(sender.may_start());
    assert_eq!(sender.tally(at(4000)).paused, Span::from_ns(1600));
}

#[test]
fn without_pfc_no_pause_is_requested_and_packets_without_room_are_dropped() {
    let rule = rule(0, 0);
    let mut lane = PauseLane::new(LaneMemory { limit: 1000, headroom: 0, pauses: false });
    assert!(lane.admit(1000, None).is_some());
    assert_eq!(lane.update_pause(LANE, &rule, None, at(0)), None);
    assert!(lane.admit(1, None).is_none());
}

/// An empty lane waits for nothing: it requests no pause, whatever its threshold, and a pause that it has requested
/// ends.
#[test]
fn an_empty_lane_requests_no_pause() {
    let rule = rule(100, 500);
    let mut lane = lane(1000, 500);
    assert_eq!(lane.update_pause(LANE, &rule, Some(0), at(0)), None, "no memory is left, and none is needed");
    assert!(lane.admit(100, Some(100)).is_some());
    assert!(lane.update_pause(LANE, &rule, Some(100), at(1)).is_some());
    let lasts = |bytes, limit| {
        let lasting = LastingUse { bytes, blocks: 0, closed: true };
        lane.pauses_for_ever(&rule, lasting, limit)
    };
    // RESUME comes 300 bytes below the threshold, or when the lane is empty.
    assert_eq!(
        [(0, 0), (0, 299), (1, 301), (1, 300), (100, 400), (100, 399)]
            .map(|(bytes, limit)| lasts(bytes, limit)),
        [false, false, false, true, false, true]
    );
}

/// A packet or a signal in flight.
#[derive(Clone, Copy, Debug)]
enum Flight {
    Packet(u32),
    Signal(Signal),
}

proptest! {
    /// Packets of random lengths, a receiver that empties at random, a delay of up to ten steps each way. With
    /// headroom for a round trip no packet is ever dropped. Whatever the headroom, all packets sent were held or
    /// dropped, and once the receiver is empty both ends are at rest.
    #[test]
    fn headroom_of_a_round_trip_loses_nothing(
        delay in 1..10u64,
        share in 0..=100u64,
        ops in prop::collection::vec((64..1500u32, 0..3u8), 1..600),
    ) {
        // A packet a step is sent until a PAUSE has arrived; the packet that causes the PAUSE is in the headroom, too.
        let whole = 1500 * (2 * delay + 1) as u32;
        let headroom = (u64::from(whole) * share / 100) as u32;
        let rule = rule(1000, 2000);
        let (mut sender, mut receiver) = (lane(0, 0), lane(4000, headroom));
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
                        if receiver.admit(length, None).is_some() { held.push_back(length); } else { dropped += 1; }
                        let signal = receiver.update_pause(LANE, &rule, None, now);
                        wire.extend(signal.map(|signal| (step as u64 + delay, Flight::Signal(signal))));
                    }
                    Some(Flight::Signal(Signal::Pause { quanta, .. })) => sender.on_pause(quanta, &rule, now),
                    _ => {}
                }
            }
            if served == 0 && let Some(length) = held.pop_front() {
                receiver.release(length);
            } else if length.is_none() && let Some(length) = held.pop_front() {
                receiver.release(length);
            }
            let signals = [receiver.update_pause(LANE, &rule, None, now), receiver.on_deadline(LANE, &rule, now).0];
            sender.on_deadline(LANE, &rule, now);
            wire.extend(signals.into_iter().flatten().map(|signal| (step as u64 + delay, Flight::Signal(signal))));
            if let Some(length) = length.filter(|_| sender.may_start()) {
                wire.push_back((step as u64 + delay, Flight::Packet(length)));
                sent += 1;
            }
        }
        prop_assert!(sent <= all && receiver.tally(at(0)).dropped == dropped);
        prop_assert!(receiver.tally(at(0)).most_headroom.get() <= u64::from(headroom));
        if share == 100 {
            prop_assert_eq!(dropped, 0);
        }
        prop_assert!(receiver.at_rest() && sender.at_rest());
    }

    /// Lanes share memory, and packets that do not stay for ever come and go in any order. A pause that is foretold to
    /// last from the packets that stay does last.
    #[test]
    fn a_pause_that_is_foretold_to_last_does_last(
        shared in 3000..20_000u64,
        guaranteed in 0..2000u32,
        factor in prop::option::of(0.1..8.0f64),
        before in prop::collection::vec((0..4usize, 64..1500u32), 0..60),
        kept in prop::collection::vec(0..12usize, 4),
        closed in prop::collection::vec(any::<bool>(), 4),
        after in prop::collection::vec((0..4usize, 64..1500u32, any::<bool>()), 0..200),
    ) {
        let rule = rule(1000, 2000);
        let share = Share { guaranteed: Bytes::new(guaranteed.into()), alpha: factor.map(Alpha::new) };
        let mut pool = MemoryPool::new(shared, &[share; 4]);
        let mut lanes = [lane(0, 6000); 4];
        let mut held = [const { Vec::new() }; 4];
        for (who, length) in before {
            held[who].extend(stored(who, &mut lanes[who], &mut pool, length));
            update(&mut lanes, &pool, &rule);
        }
        let sum = |who: usize, held: &[Vec<u32>; 4]| held[who].iter().take(kept[who]).sum::<u32>();
        let used = |who: usize| pool.used(who, sum(who, &held).min(lanes[who].load()));
        let foretold: Vec<bool> = (0..4).map(|who| {
            let others = (0..4).filter(|other| *other != who).map(used).sum();
            let bytes = sum(who, &held);
            let lasting = LastingUse { bytes, blocks: 0, closed: closed[who] };
            lanes[who].pauses_for_ever(&rule, lasting, pool.highest_limit(who, bytes, others))
        }).collect();
        for (who, length, arrives) in after {
            if arrives && !closed[who] {
                held[who].extend(stored(who, &mut lanes[who], &mut pool, length));
            } else if held[who].len() > kept[who] {
                let length = held[who].remove(kept[who]);
                pool.on_load_change(who, lanes[who].release(length));
            }
            update(&mut lanes, &pool, &rule);
            for who in 0..4 {
                prop_assert!(!foretold[who] || lanes[who].requests_pause(), "lane {}", who);
            }
        }
    }
}

/// Stores a packet in memory that lanes share. Returns its length if it was not dropped.
fn stored(who: usize, lane: &mut PauseLane, pool: &mut MemoryPool, length: u32) -> Option<u32> {
    let change = lane.admit(length, Some(pool.limit(who, lane.load())))?;
    pool.on_load_change(who, change);
    Some(length)
}

/// Compares all lanes with their thresholds.
fn update(lanes: &mut [PauseLane], pool: &MemoryPool, rule: &PauseRule) {
    for (who, lane) in lanes.iter_mut().enumerate() {
        let limit = pool.limit(who, lane.load());
        let _ = lane.update_pause(LANE, rule, Some(limit), Time::ZERO);
    }
}
