//! Two ports and the cable between them: what both ends promise under each flow control.

mod link;
mod outlook;

use self::link::{LANES, LATENCY, Link, MEMORY, RATE};
use link_layer::spec::WireTime;
use link_layer::{
    InvariantViolation, MemoryPool, MemorySharing, Occupancy, Port, PortConfigs, ReceiveMemory, ReceiverId,
    Share, SharedMemory, Signal, Wire,
};
use packet::{Framing, Lane, PortId};
use proptest::prelude::*;
use units::{Bytes, Rate, Span, Time};

fn any_posts() -> impl Strategy<Value = Vec<(u64, u8, u8, u16)>> {
    prop::collection::vec((0..20_000u64, 0..2u8, 0..LANES, 30..2_100u16), 1..80)
}

proptest! {
    #[test]
    fn credits_lose_nothing_and_return(
        posts in any_posts(),
        blocks in prop_oneof![Just(1u16), Just(20), Just(64)],
        free in any::<bool>(),
        drain in 0..4_000u64,
    ) {
        let wire_time = if free { WireTime::Free } else { WireTime::Counted };
        let mut link = Link::of_credits(blocks, wire_time, drain);
        link.run(&posts, Span::from_us(2_000));
        link.check_rest(posts.len());
        prop_assert_eq!(link.delivered, posts.len() as u64);
        prop_assert!(link.ports[0].pauses(Lane(0), link.world.now).is_none());
    }

    #[test]
    fn pauses_with_headroom_lose_nothing(posts in any_posts(), drain in 0..4_000u64) {
        let mut link = Link::of_pauses(true, 9_000, drain);
        link.run(&posts, Span::from_us(2_000));
        link.check_rest(posts.len());
        prop_assert_eq!(link.dropped, [0, 0]);
        let now = link.world.now;
        for (node, far) in [(0, 1), (1, 0)] {
            let of = |node: usize, lane| link.ports[node].pauses(Lane(lane), now).expect("PFC counts");
            for lane in 0..LANES {
                let (tally, other) = (of(node, lane), of(far, lane));
                prop_assert_eq!(tally.sent, other.received, "each PAUSE arrives");
                prop_assert_eq!(other.paused > Span::ZERO, tally.sent > 0);
                prop_assert!(tally.nearest.get() <= MEMORY && tally.limit.get() == MEMORY);
                prop_assert_eq!(link.ports[node].room(Lane(lane)).get(), u64::from(u32::MAX));
            }
        }
        prop_assert!(!link.ports[0].is_lossless());
    }

    #[test]
    fn without_flow_control_a_full_buffer_drops(posts in any_posts(), drain in 0..9_000u64) {
        let mut link = Link::of_pauses(false, 0, drain);
        link.run(&posts, Span::from_us(2_000));
        link.check_rest(posts.len());
        prop_assert_eq!(link.world.signals, [0, 0]);
    }
}

#[test]
fn a_sender_stops_where_the_memory_ends_and_room_is_told() {
    let mut link = Link::of_credits(1, WireTime::Counted, 50_000);
    link.run(&[(0, 0, 0, 1_024); 5], Span::from_us(20));
    assert_eq!((link.delivered, link.held[1]), (4, [4_096, 0]));
    assert_eq!(link.ports[1].room(Lane(0)), Bytes::ZERO);
    assert!(
        !link.ports[0].may_start(Lane(0), Bytes::new(1))
            && link.ports[0].may_start(Lane(1), Bytes::new(4_096))
    );
    assert!(!link.ports[0].at_rest(link.world.now) && !link.ports[1].at_rest(link.world.now));
    let mut link = Link::of_pauses(true, 9_000, 50_000);
    link.run(&[(0, 0, 0, 1_024); 5], Span::from_us(20));
    assert_eq!(
        (link.ports[1].room(Lane(0)), link.ports[0].may_start(Lane(0), Bytes::new(1))),
        (Bytes::ZERO, false)
    );
    assert!(link.ports[0].may_start(Lane(1), Bytes::new(1)));
    assert!(!link.ports[0].at_rest(link.world.now) && !link.ports[1].at_rest(link.world.now));
}

/// VL15 is not subject to flow control (IBA 7.9.1).
#[test]
fn management_passes_full_buffers() {
    for mut link in [Link::of_credits(1, WireTime::Counted, 0), Link::of_pauses(true, 0, 0)] {
        let (length, lane) = (Bytes::new(256), Lane::MANAGEMENT);
        for _ in 0..100 {
            assert!(link.ports[0].may_start(lane, length));
            let before = link.world.now;
            link.world.now = link.ports[0].start(lane, length, before).left;
            assert_eq!(link.world.now, before + Span::from_ns(256));
            assert!(link.ports[1].admit(lane, length, &mut link.world));
            link.ports[1].release(lane, length, &mut link.world);
        }
        assert_eq!((link.ports[1].dropped(), link.world.violations.len()), (0, 0));
        assert!(link.ports[0].at_rest(link.world.now) && link.ports[1].at_rest(link.world.now));
        assert!(!link.ports[0].at_rest(Time::ZERO), "the wire is busy");
    }
}

#[test]
fn what_cannot_be_is_reported() {
    let credit = |fctbs| Signal::Credit { lane: Lane(1), fctbs, fccl: 64 };
    let pause = Signal::Pause { lane: Lane(1), quanta: 9 };
    let mut link = Link::of_credits(1, WireTime::Counted, 0);
    link.ports[0].on_signal(credit(0), &mut link.world);
    assert_eq!(link.world.violations, []);
    link.ports[0].on_signal(pause, &mut link.world);
    link.ports[0].on_signal(credit(1), &mut link.world);
    assert!(link.ports[0].admit(Lane(0), Bytes::new(MEMORY), &mut link.world));
    assert_eq!(link.world.violations, [InvariantViolation::ForeignSignal, InvariantViolation::Miscount]);
    assert!(link.ports[0].admit(Lane(0), Bytes::new(1), &mut link.world));
    assert_eq!(link.world.violations.last(), Some(&InvariantViolation::Overflow));
    let mut link = Link::of_pauses(true, 0, 0);
    link.ports[0].on_signal(credit(0), &mut link.world);
    assert_eq!(link.world.violations, [InvariantViolation::ForeignSignal]);
}

#[test]
fn the_lookahead_is_that_of_the_fastest_thing_on_the_wire() {
    let link = Link::of_credits(1, WireTime::Counted, 0);
    assert_eq!(link.ports[0].lookahead(), LATENCY, "the wire promises no more than its latency");
    let wire = Wire::cut_through(RATE, LATENCY);
    assert!(wire.lookahead() > LATENCY);
    for (start, length) in [(0, 30), (7, 2_000)] {
        let (start, wire_time) = (Span::from_ns(start).after_start(), wire.time_for(Bytes::new(length)));
        assert_eq!(wire_time, RATE.time_for(Bytes::new(length)));
        assert_eq!(wire.arrives(start, wire_time), start + wire.lookahead(), "the header decides");
        let whole = Wire::store_and_forward(RATE, LATENCY);
        assert_eq!(whole.arrives(start, wire_time), start + wire_time + LATENCY);
    }
    assert_eq!((wire.rate(), wire.latency()), (RATE, LATENCY));
}

#[test]
fn equal_configurations_are_shared() {
    let mut known = PortConfigs::default();
    let mut link = Link::of_credits(1, WireTime::Counted, 0);
    let mut other = Link::of_pauses(true, 0, 0);
    let same = |one: &Port, two: &Port| std::ptr::eq(one.wire(), two.wire());
    assert!(!same(&link.ports[0], &link.ports[1]));
    link.ports.iter_mut().chain(&mut other.ports).for_each(|port| port.intern(&mut known));
    assert!(same(&link.ports[0], &link.ports[1]) && same(&other.ports[0], &other.ports[1]));
    assert!(!same(&link.ports[0], &other.ports[0]));
}

/// Credits are told again every refresh, on every lane, whatever happens (IBA 7.9.3).
#[test]
fn an_idle_link_refreshes_its_credits() {
    let mut link = Link::of_credits(1, WireTime::Counted, 0);
    link.run(&[], Span::from_us(301));
    assert_eq!(link.world.signals, [10 * u64::from(LANES); 2], "each 30 us");
    assert!(link.ports.iter().all(Port::is_lossless));
}

#[test]
fn a_pause_that_is_not_repeated_ends_after_its_quanta() {
    let mut link = Link::of_pauses(true, 0, 0);
    let length = Bytes::new(1_000);
    link.ports[0].on_signal(Signal::Pause { lane: Lane(1), quanta: 10 }, &mut link.world);
    assert!(link.ports[0].may_start(Lane(0), length) && !link.ports[0].may_start(Lane(1), length));
    link.run(&[], Span::from_ns(639));
    assert!(!link.ports[0].may_start(Lane(1), length));
    link.world.now = Span::from_ns(640).after_start();
    assert!(!link.ports[0].on_timer(Lane(0), &mut link.world), "the other lane was not paused");
    assert!(link.ports[0].on_timer(Lane(1), &mut link.world), "the lane may send again");
    assert!(link.ports[0].may_start(Lane(1), length));
    assert!(!link.ports[0].on_timer(Lane(1), &mut link.world), "stale");
    let tally = link.ports[0].pauses(Lane(1), link.world.now).expect("PFC counts");
    assert_eq!((tally.received, tally.paused), (1, Span::from_ns(640)));
}

/// A frame of Ethernet occupies the wire with preamble and gap, 20 bytes.
#[test]
fn a_frame_takes_its_preamble_and_gap() {
    let wire = Wire::framed(Framing::RoCEv2, RATE, LATENCY, false);
    let odd = Wire::framed(Framing::RoCEv2, Rate::bps(54_545_454_545), LATENCY, false);
    for bytes in [64, 1_000] {
        assert_eq!(wire.time_for(Bytes::new(bytes)), Span::from_ns(bytes + 20));
        assert_eq!(odd.time_for(Bytes::new(bytes)), odd.rate().time_for(Bytes::new(bytes + 20)));
    }
}

#[test]
fn receivers_are_numbered_one_by_one() {
    let memory = ReceiveMemory::new(MemorySharing::Own, 3, Bytes::new(1_000));
    assert_eq!(memory.lanes(), 3);
    let numbers = (0..5).flat_map(|port| (0..3).map(move |lane| (PortId(port), Lane(lane))));
    let mut numbers: Vec<_> = numbers.map(|(port, lane)| memory.number(port, lane)).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, Vec::from_iter(0..15));
}

#[test]
fn own_memory_is_seen_in_whole_blocks_under_credits_and_in_bytes_under_pauses() {
    for (mut link, (held, room)) in [
        (Link::of_credits(1, WireTime::Counted, 0), (1_024, 4_096 - 1_024)),
        (Link::of_pauses(true, 0, 0), (1_000, 3_096)),
    ] {
        let mut memory = ReceiveMemory::new(MemorySharing::Own, LANES.into(), Bytes::new(2_100));
        let receiver = ReceiverId { port: PortId(1), lane: Lane(1) };
        assert!(memory.admit(&mut link.ports, receiver, Bytes::new(1_000), &mut link.world));
        let seen = memory.occupancy(&link.ports[1], Lane(1));
        assert_eq!((seen.held.get(), seen.room.get()), (held, room));
        assert_eq!((memory.is_shared(), memory.is_released()), (false, true));
        memory.release(&mut link.ports, receiver, Bytes::new(1_000), &mut link.world, |_, _| ());
        let seen = memory.occupancy(&link.ports[1], Lane(1));
        assert_eq!((seen.held.get(), seen.room.get()), (0, 4_096));
    }
}

/// A marker counts packets by the changes of a buffer that it sees, so every packet changes it, however short.
#[test]
fn every_packet_is_seen_to_come_and_to_go() {
    for mut link in [Link::of_credits(1, WireTime::Counted, 0), Link::of_pauses(true, 0, 0)] {
        let mut memory = ReceiveMemory::new(MemorySharing::Own, LANES.into(), Bytes::new(2_100));
        let receiver = ReceiverId { port: PortId(1), lane: Lane(1) };
        let held = |memory: &ReceiveMemory, link: &Link| memory.occupancy(&link.ports[1], Lane(1)).held;
        let mut seen = vec![held(&memory, &link)];
        let short = Bytes::new(30);
        for _ in 0..5 {
            assert!(memory.admit(&mut link.ports, receiver, short, &mut link.world));
            seen.push(held(&memory, &link));
        }
        assert!(seen.is_sorted_by(|before, after| before < after), "{seen:?}");
        for before in seen.iter().rev().skip(1) {
            memory.release(&mut link.ports, receiver, short, &mut link.world, |_, _| ());
            assert_eq!(held(&memory, &link), *before);
        }
    }
}

/// Without flow control: whoever comes first has the memory, and what does not fit is dropped.
#[test]
fn a_shared_pool_is_one_memory() {
    let mut link = Link::of_pauses(false, 0, 0);
    let pool = MemoryPool::new(2_000, &[Share { guaranteed: Bytes::ZERO, alpha: None }; 4]);
    let mut memory = ReceiveMemory::new(MemorySharing::Bytes(pool), LANES.into(), Bytes::new(2_100));
    let [first, second] = [0, 1].map(|port| ReceiverId { port: PortId(port), lane: Lane(1) });
    assert!(memory.is_shared() && memory.is_released());
    let (large, small) = (Bytes::new(1_500), Bytes::new(501));
    assert!(memory.admit(&mut link.ports, first, large, &mut link.world));
    assert!(!memory.is_released());
    assert!(!memory.admit(&mut link.ports, second, small, &mut link.world));
    assert_eq!((link.ports[0].dropped(), link.ports[1].dropped()), (0, 1));
    assert!(memory.admit(&mut link.ports, second, Bytes::new(500), &mut link.world), "the rest");
    memory.release(&mut link.ports, first, large, &mut link.world, |_, _| ());
    assert!(memory.admit(&mut link.ports, second, large, &mut link.world));
    memory.release(&mut link.ports, second, large, &mut link.world, |_, _| ());
    memory.release(&mut link.ports, second, Bytes::new(500), &mut link.world, |_, _| ());
    assert!(memory.is_released());
}

/// Under credits, receivers of a common memory see the free shared blocks beside their own. A receiver that wants room
/// gets it when another releases.
#[test]
fn shared_blocks_are_room_for_every_receiver() {
    let mut link = Link::of_credits(1, WireTime::Counted, 0);
    let (guaranteed, shared) = (MEMORY, 40 * 64);
    let share = Share { guaranteed: Bytes::new(guaranteed), alpha: None };
    let blocks = SharedMemory::new(4 * 64 + 40, &[share; 4]);
    let mut memory = ReceiveMemory::new(MemorySharing::Blocks(blocks), LANES.into(), Bytes::new(2_100));
    let [first, second] = [0, 1].map(|lane| ReceiverId { port: PortId(0), lane: Lane(lane) });
    let seen = |memory: &ReceiveMemory, link: &Link| {
        [first, second].map(|receiver| {
            let Occupancy { held, room } = memory.occupancy(&link.ports[0], receiver.lane);
            (held.get(), room.get())
        })
    };
    let at_rest = [(0, guaranteed + shared); 2];
    assert_eq!(seen(&memory, &link), at_rest);
    assert!(memory.is_shared() && memory.is_released());
    assert!(memory.admit(&mut link.ports, first, Bytes::new(1_000), &mut link.world));
    let left = guaranteed + shared - 1_024;
    assert_eq!(seen(&memory, &link), [(1_024, left), (0, left)], "16 blocks are taken from both");
    assert!(!memory.is_released());
    let rest = Bytes::new(shared - 1_024);
    assert!(memory.admit(&mut link.ports, first, rest, &mut link.world));
    assert!(memory.admit(&mut link.ports, second, Bytes::new(64), &mut link.world));
    assert_eq!(
        seen(&memory, &link),
        [(shared, guaranteed), (64, guaranteed - 64)],
        "no shared block is left"
    );
    let mut granted = Vec::new();
    memory.release(&mut link.ports, first, rest, &mut link.world, |to, Occupancy { held, room }| {
        granted.push((to, held.get(), room.get()));
    });
    let left = guaranteed + shared - 1_024 - 64;
    assert_eq!(granted, [(second, 64, left)]);
    assert_eq!(seen(&memory, &link), [(1_024, left), (64, left)]);
    for (receiver, length) in [(first, 1_000), (second, 64)] {
        let none = |_, _| panic!("nobody else wants room");
        memory.release(&mut link.ports, receiver, Bytes::new(length), &mut link.world, none);
    }
    assert_eq!(seen(&memory, &link), at_rest);
    assert!(memory.is_released());
}

/// Under PFC, when a receiver of a pool releases memory, the pauses of all others that have room again end in the same
/// instant.
#[test]
fn memory_that_comes_free_ends_the_pauses_of_others() {
    let mut link = Link::of_pauses(true, 9_000, 0);
    let share = Share { guaranteed: Bytes::ZERO, alpha: None };
    let pool = MemoryPool::new(10_000, &[share; 4]);
    let mut memory = ReceiveMemory::new(MemorySharing::Bytes(pool), LANES.into(), Bytes::new(2_100));
    let receivers = [(0, 0), (0, 1), (1, 0), (1, 1)]
        .map(|(port, lane)| ReceiverId { port: PortId(port), lane: Lane(lane) });
    let pauses = |link: &Link| {
        receivers.map(|receiver| link.ports[receiver.port.index()].room(receiver.lane) == Bytes::ZERO)
    };
    let admit = |link: &mut Link, memory: &mut ReceiveMemory, who: usize, bytes| {
        link.world.node = receivers[who].port.index();
        assert!(memory.admit(&mut link.ports, receivers[who], Bytes::new(bytes), &mut link.world));
    };
    for (who, bytes) in [(0, 7_000), (1, 1_000), (2, 1_000), (3, 1_000), (1, 500), (2, 2_000), (3, 0)] {
        admit(&mut link, &mut memory, who, bytes);
    }
    // The second and the third have packets in their headroom too.
    assert_eq!(pauses(&link), [false, true, true, true]);
    let release = |link: &mut Link, memory: &mut ReceiveMemory, who: usize, bytes| {
        link.world.node = 1;
        let none = |_, _| panic!("pauses are no grants");
        memory.release(&mut link.ports, receivers[who], Bytes::new(bytes), &mut link.world, none);
    };
    release(&mut link, &mut memory, 0, 400);
    assert_eq!(pauses(&link), [false, true, true, true], "RESUME waits for 500 bytes below the threshold");
    release(&mut link, &mut memory, 0, 100);
    assert_eq!(
        pauses(&link),
        [false, true, true, false],
        "the fourth resumes, the others' headroom is in use"
    );
    release(&mut link, &mut memory, 2, 2_000);
    assert_eq!(pauses(&link), [false, true, false, false]);
    assert_eq!(link.world.signals, [1, 4], "three PAUSE, and two RESUME");
}

/// Returns a memory of 40 shared blocks and 64 for each receiver, and a link where updates wait for 64 blocks, or 4 us.
fn memory_of_40_shared_blocks() -> (ReceiveMemory, Link) {
    let share = Share { guaranteed: Bytes::new(MEMORY), alpha: None };
    let blocks = SharedMemory::new(4 * 64 + 40, &[share; 4]);
    let memory = ReceiveMemory::new(MemorySharing::Blocks(blocks), LANES.into(), Bytes::new(2_100));
    (memory, Link::of_credits(64, WireTime::Counted, 0))
}

/// A receiver that gets blocks back tells its far end at once if the far end has no room for the longest packet.
/// Otherwise it does so within the interval.
#[test]
fn room_that_returns_is_told_in_time() {
    let receiver = ReceiverId { port: PortId(1), lane: Lane(0) };
    let other = ReceiverId { port: PortId(0), lane: Lane(1) };
    for (kept, returned, at_once) in [(0, 5, false), (26, 5, false), (27, 5, true), (31, 33, true)] {
        let (mut memory, mut link) = memory_of_40_shared_blocks();
        link.world.node = 0;
        assert!(memory.admit(&mut link.ports, other, Bytes::new(MEMORY), &mut link.world));
        let signals = link.world.signals;
        link.world.node = 1;
        for blocks in [kept, returned] {
            assert!(memory.admit(&mut link.ports, receiver, Bytes::new(blocks * 64), &mut link.world));
        }
        assert_eq!(link.world.signals, signals, "no shared block is left, so no room was granted");
        let none = |_, _| panic!("the other has what it wants, or more");
        memory.release(&mut link.ports, receiver, Bytes::new(returned * 64), &mut link.world, none);
        assert_eq!(
            link.world.signals[1] - signals[1],
            u64::from(at_once),
            "{kept} blocks stay, {returned} return"
        );
        link.world.now = Span::from_us(4).after_start();
        link.ports[1].on_timer(Lane(0), &mut link.world);
        assert_eq!(link.world.signals[1] - signals[1], 1, "{kept} blocks stay, {returned} return");
    }
}

/// Room that is granted is told by the rule. A packet that takes room, or that leaves its blocks to others, causes no
/// update.
#[test]
fn an_update_follows_a_grant_alone() {
    let (mut memory, mut link) = memory_of_40_shared_blocks();
    let [other, receiver] = [0, 1].map(|port| ReceiverId { port: PortId(port), lane: Lane(0) });
    let admit = |memory: &mut ReceiveMemory, link: &mut Link, receiver: ReceiverId, blocks: u64| {
        link.world.node = receiver.port.index();
        assert!(memory.admit(&mut link.ports, receiver, Bytes::new(blocks * 64), &mut link.world));
    };
    // Of the 40 shared blocks the first takes 24 and the other 16. Both know most of their room.
    [19, 5].into_iter().for_each(|blocks| admit(&mut memory, &mut link, receiver, blocks));
    [16, 5].into_iter().for_each(|blocks| admit(&mut memory, &mut link, other, blocks));
    admit(&mut memory, &mut link, receiver, 10);
    assert_eq!(link.world.signals, [0; 2], "30 blocks are known, and nothing was granted now");
    let mut granted = Vec::new();
    memory.release(&mut link.ports, receiver, Bytes::new(5 * 64), &mut link.world, |to, _| granted.push(to));
    assert_eq!(
        (granted, link.world.signals),
        (vec![other], [0; 2]),
        "the other wants them too, and has the turn"
    );
    link.world.now = Span::from_us(4).after_start();
    link.ports[1].on_timer(Lane(0), &mut link.world);
    assert_eq!(link.world.signals, [0, 1], "after the interval");
}
