//! The questions of the proof of a deadlock to a port: its room, the room that the other end knows of, and the most
//! room possible.

use link_layer::spec::WireTime;
use link_layer::{
    LastingUse, MemoryPool, MemorySharing, PauseChange, Port, ReceiveMemory, ReceiverId, ReceiverShare,
    Share, SharedMemory, Signal,
};
use packet::{Lane, PortId};
use units::{Bytes, Span};

use super::link::{LANES, Link, MEMORY};

const UNLIMITED: Bytes = Bytes::new(u32::MAX as u64);
const BLOCK: u64 = 64;
/// Bytes below the threshold at which a pause of the link ends.
const RESUME_OFFSET: u32 = 500;

fn lasting(bytes: u32, closed: bool) -> LastingUse {
    LastingUse { bytes, blocks: bytes.div_ceil(BLOCK as u32), closed }
}

/// Admits a packet at a port where lanes have their own memory.
fn admit(link: &mut Link, port: usize, lane: u8, bytes: u64) {
    link.world.node = port;
    assert!(link.ports[port].admit(Lane(lane), Bytes::new(bytes), &mut link.world));
}

fn release(link: &mut Link, port: usize, lane: u8, bytes: u64) {
    link.world.node = port;
    link.ports[port].release(Lane(lane), Bytes::new(bytes), &mut link.world);
}

/// An end of a cable knows the room of the other unless a packet, a credit or a pause is under way or withheld.
#[test]
fn an_end_knows_the_room_of_the_other_unless_something_is_on_its_way() {
    let knows = |link: &Link| {
        let [one, other] = &link.ports;
        [one.knows_room_of(other), other.knows_room_of(one)]
    };
    for lane in 0..LANES {
        let mut link = Link::of_credits(64, WireTime::Free, 0);
        assert_eq!(knows(&link), [true; 2], "at rest");
        link.ports[0].start(Lane(lane), Bytes::new(1_000), link.world.now);
        assert_eq!(knows(&link), [false, true], "a packet is on its way");
        admit(&mut link, 1, lane, 1_000);
        assert_eq!(knows(&link), [true; 2], "it has arrived");
        release(&mut link, 1, lane, 1_000);
        assert_eq!(knows(&link), [false, true], "the room has yet to be told");

        let mut link = Link::of_pauses(true, 9_000, 0);
        assert_eq!(knows(&link), [true; 2], "at rest");
        admit(&mut link, 1, lane, MEMORY);
        assert_eq!(knows(&link), [false, true], "a PAUSE is on its way");
        link.ports[0].on_signal(Signal::Pause { lane: Lane(lane), quanta: 50 }, &mut link.world);
        assert_eq!(knows(&link), [true; 2], "it has taken effect");
        release(&mut link, 1, lane, MEMORY);
        assert_eq!(knows(&link), [false, true], "a RESUME is on its way");
    }
    let (credits, pauses) = (Link::of_credits(1, WireTime::Free, 0), Link::of_pauses(true, 0, 0));
    let [credits, pauses] = [&credits.ports[0], &pauses.ports[0]];
    assert!(!credits.knows_room_of(pauses) && !pauses.knows_room_of(credits), "they cannot be joined");
}

/// A port has room for a packet as long as any of its lanes has.
#[test]
fn a_port_has_room_as_long_as_a_lane_has() {
    let has_room = |port: &Port, bytes| port.has_room(Bytes::new(bytes));
    for lanes in [[0, 1], [1, 0]] {
        let mut link = Link::of_credits(1, WireTime::Free, 0);
        admit(&mut link, 0, lanes[0], MEMORY);
        assert!(has_room(&link.ports[0], MEMORY) && !has_room(&link.ports[0], MEMORY + 1));
        admit(&mut link, 0, lanes[1], MEMORY - BLOCK);
        assert!(has_room(&link.ports[0], BLOCK) && !has_room(&link.ports[0], BLOCK + 1));
        assert_eq!(link.ports[0].share(Lane(lanes[1])), ReceiverShare { held: 63, room: 1 });

        let mut link = Link::of_pauses(true, 9_000, 0);
        admit(&mut link, 0, lanes[0], MEMORY);
        assert!(has_room(&link.ports[0], MEMORY + 1), "the other lane requests no pause");
        admit(&mut link, 0, lanes[1], MEMORY);
        assert!(!has_room(&link.ports[0], 1));
        assert_eq!(link.ports[0].share(Lane(lanes[1])), ReceiverShare { held: 0, room: 0 }, "no credits");
    }
}

/// The log of an output has each change of a lane once, in its time, and not the repetitions of a PAUSE.
#[test]
fn a_pause_log_has_each_change_of_a_lane() {
    let signal = |link: &mut Link, ns, lane, quanta| {
        link.world.now = Span::from_ns(ns).after_start();
        link.ports[0].on_signal(Signal::Pause { lane: Lane(lane), quanta }, &mut link.world);
    };
    let paused = |link: &Link| [0, 1].map(|lane| link.ports[0].is_paused(Lane(lane)));
    let mut link = Link::of_pauses(true, 0, 0);
    assert!(link.ports[0].pause_log().is_none(), "none was asked for");
    link.ports[0].log_pauses(3);
    assert_eq!(paused(&link), [false; 2]);
    signal(&mut link, 100, 1, 10);
    signal(&mut link, 200, 1, 10);
    assert_eq!(paused(&link), [false, true]);
    signal(&mut link, 300, 1, 0);
    signal(&mut link, 400, 1, 0);
    assert_eq!(paused(&link), [false; 2]);
    // This pause runs out: 10 quanta of 64 ns. The first pause's timer is stale.
    signal(&mut link, 500, 1, 10);
    for (ns, opens) in [(740, false), (1_140, true)] {
        link.world.now = Span::from_ns(ns).after_start();
        assert_eq!(link.ports[0].on_timer(Lane(1), &mut link.world), opens, "at {ns} ns");
    }
    signal(&mut link, 2_000, 0, 10);
    let log = link.ports[0].pause_log().expect("it was asked for");
    let change = |ns, paused| PauseChange { at: Span::from_ns(ns).after_start(), paused };
    assert_eq!(log.changes(Lane(0)), (&[change(2_000, true)][..], 0));
    let of_other = [change(100, true), change(300, false), change(500, true)];
    assert_eq!(log.changes(Lane(1)), (&of_other[..], 1), "the first three, and the number of the others");
    assert!(link.ports[1].pause_log().is_none());

    let mut link = Link::of_credits(1, WireTime::Free, 0);
    link.ports[0].log_pauses(3);
    assert!(link.ports[0].pause_log().is_none(), "there are no pauses to log");
    assert_eq!(paused(&link), [false; 2]);
}

/// Returns the most room that a receiver of a memory can ever have, with this lasting use of all four.
fn most(memory: &ReceiveMemory, link: &Link, (port, lane): (u16, u8), lasting: [LastingUse; 4]) -> Bytes {
    memory.most_room(&link.ports, ReceiverId { port: PortId(port), lane: Lane(lane) }, &lasting)
}

/// In memory of its own, under credits, a lane can have the room that packets which stay leave it. Under PFC it can
/// have any room unless its pause lasts: the bytes that stay, and the offset of RESUME, exceed the threshold.
#[test]
fn own_memory_is_room_unless_packets_stay_in_it() {
    let memory = ReceiveMemory::new(MemorySharing::Own, LANES.into(), Bytes::new(2_100));
    let none = LastingUse::default();
    let mut link = Link::of_credits(1, WireTime::Free, 0);
    admit(&mut link, 1, 0, 1_000);
    for (stays, room) in [(0, MEMORY), (1_000, MEMORY - 1_024)] {
        let most = most(&memory, &link, (1, 0), [none, none, lasting(stays, false), lasting(64, false)]);
        assert_eq!(most.get(), room, "{stays} bytes stay");
    }
    let mut link = Link::of_pauses(true, 9_000, 0);
    let at = |link: &Link, stays| most(&memory, link, (1, 0), [none, none, lasting(stays, false), none]);
    admit(&mut link, 1, 0, MEMORY - 1);
    assert_eq!(at(&link, MEMORY as u32 - 1), UNLIMITED, "no pause is requested");
    admit(&mut link, 1, 0, 1);
    let ends = MEMORY as u32 - RESUME_OFFSET;
    assert_eq!([0, ends, ends + 1].map(|stays| at(&link, stays)), [UNLIMITED, UNLIMITED, Bytes::ZERO]);
    assert_eq!(most(&memory, &link, (1, 1), [lasting(ends + 1, false); 4]), UNLIMITED, "the other lane");
}

/// Under credits a receiver of a shared memory can have its guarantee back, and shared blocks that others do not hold
/// for ever. Others hold blocks for packets that stay, and as room that no packet reaches.
#[test]
fn shared_blocks_are_room_unless_others_keep_them() {
    let mut link = Link::of_credits(1, WireTime::Free, 0);
    let share = Share { guaranteed: Bytes::new(MEMORY), alpha: None };
    let blocks = SharedMemory::new(4 * 64 + 40, &[share; 4]);
    let mut memory = ReceiveMemory::new(MemorySharing::Blocks(blocks), LANES.into(), Bytes::new(2_100));
    let all = MEMORY as u32;
    // The second receiver holds its guarantee and has room for the 40 shared blocks; the third holds its guarantee and
    // has none.
    for (port, lane) in [(0, 1), (1, 0)] {
        let receiver = ReceiverId { port: PortId(port), lane: Lane(lane) };
        assert!(memory.admit(&mut link.ports, receiver, Bytes::new(MEMORY), &mut link.world));
    }
    assert_eq!([link.ports[0].share(Lane(1)).room, link.ports[1].share(Lane(0)).room], [40, 0]);
    let none = LastingUse::default();
    let third = |uses| most(&memory, &link, (1, 0), uses).get() / BLOCK;
    let stays = lasting(all, false);
    assert_eq!(third([none; 4]), 64, "it can be empty again");
    assert_eq!(third([none, none, stays, none]), 40, "all shared blocks can come free");
    assert_eq!(third([none, lasting(all, false), stays, none]), 40, "the second holds none of them");
    assert_eq!(third([none, lasting(all, true), stays, none]), 0, "its room is never used");
    assert_eq!(third([none, none, stays, lasting(all + 640, false)]), 30, "the fourth holds ten");
    assert_eq!(third([lasting(all + 64, false), none, stays, lasting(all + 640, false)]), 29);
    assert_eq!(third([none, none, lasting(all - 640, false), lasting(all + 640, false)]), 40);
    // What it may receive already, it may receive.
    let second = |uses| most(&memory, &link, (0, 1), uses).get() / BLOCK;
    assert_eq!(second([none, stays, lasting(all + 2_560, true), none]), 40);
}

/// Under PFC the pause of a receiver of a shared memory lasts if the bytes of others that stay leave it too low a
/// threshold. Bytes in the headroom of others leave it none the lower.
#[test]
fn shared_bytes_end_a_pause_unless_others_keep_them() {
    let mut link = Link::of_pauses(true, 9_000, 0);
    let share = Share { guaranteed: Bytes::ZERO, alpha: None };
    let pool = MemoryPool::new(4_000, &[share; 4]);
    let mut memory = ReceiveMemory::new(MemorySharing::Bytes(pool), LANES.into(), Bytes::new(2_100));
    let [second, third] =
        [(0, 1), (1, 0)].map(|(port, lane)| ReceiverId { port: PortId(port), lane: Lane(lane) });
    let none = LastingUse::default();
    for (receiver, bytes) in [(second, 1_000), (third, 3_000), (second, 2_000)] {
        link.world.node = receiver.port.index();
        assert!(memory.admit(&mut link.ports, receiver, Bytes::new(bytes), &mut link.world));
    }
    assert!(link.ports[0].room(Lane(1)) == Bytes::ZERO && link.ports[1].room(Lane(0)) == Bytes::ZERO);
    let most =
        |other, own| most(&memory, &link, (1, 0), [none, lasting(other, false), lasting(own, false), none]);
    assert_eq!(most(0, 3_000), UNLIMITED, "the other can leave 4,000 bytes");
    assert_eq!(most(500, 3_000), UNLIMITED, "or 3,500, and the pause ends 500 below");
    assert_eq!(most(501, 3_000), Bytes::ZERO);
    assert_eq!(most(3_000, 3_000), Bytes::ZERO);
    assert_eq!(most(3_000, 2_500), UNLIMITED, "2,000 of the other's are in its headroom");
    assert_eq!(most(3_000, 2_501), Bytes::ZERO);
    let closed = [none, none, lasting(3_000, true), none];
    assert_eq!(memory.most_room(&link.ports, third, &closed), UNLIMITED, "its headroom is empty");
    let closed = [none, lasting(3_000, true), none, none];
    assert_eq!(memory.most_room(&link.ports, second, &closed), Bytes::ZERO, "the headroom is never emptied");
}
