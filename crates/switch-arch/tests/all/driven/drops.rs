//! Drops: a packet that finds no room is dropped, and counted once, where it found none.

use link_layer::{LaneSet, LastingUse, MemoryPool, MemorySharing, Share, Signal};
use packet::{Lane, PortId};
use switch_arch::SwitchSetup;
use switch_arch::resolve::EgressPoolPlan;
use switch_arch::spec::BufferingSpec;
use units::{Bytes, Span};

use super::probe::{BLOCKS, PACKET, Probe, RATE, SLOT, at, credits, parts, pausing};

const PORTS: u16 = 4;
const LANES: u8 = 2;
/// Memory of an input that holds all packets of a test.
const AMPLE: Bytes = Bytes::new(1 << 20);

fn setup(buffering: BufferingSpec, lanes: &[(Bytes, bool)]) -> SwitchSetup {
    parts(buffering, &[RATE; PORTS as usize], &pausing(lanes))
}

/// Returns the packets dropped for each output and lane.
fn at_outputs(probe: &Probe) -> Vec<[u64; LANES as usize]> {
    let of = |output, lane| probe.switch.view().dropped_at_output(PortId(output), Lane(lane));
    (0..PORTS).map(|output| [0, 1].map(|lane| of(output, lane))).collect()
}

fn in_pool(shared: Bytes, guaranteed: &[Bytes], lossy: &[u8]) -> Option<EgressPoolPlan> {
    let mut lanes = LaneSet::default();
    lossy.iter().for_each(|lane| lanes.insert(Lane(*lane)));
    let shares = guaranteed.iter().map(|guaranteed| Share { guaranteed: *guaranteed, alpha: None });
    Some(EgressPoolPlan { shared, shares: shares.collect(), lossy: lanes })
}

/// Bytes wait for an output and lane up to the limit, and packets beyond are dropped. Five packets come in at once, and
/// three have room. The limit holds for each output and lane, and for bytes that wait, not for bytes that leave.
#[test]
fn a_queue_takes_packets_up_to_its_limit() {
    for buffering in BufferingSpec::ALL {
        let limit = Some(PACKET * 3);
        let mut probe =
            Probe::new(SwitchSetup { egress_limit: limit, ..setup(buffering, &[(AMPLE, false); 2]) });
        (0..5).for_each(|number| probe.send(at(100), number % 2, 3, 1));
        (0..3).for_each(|_| probe.send(at(100), 2, 3, 0));
        (0..4).for_each(|_| probe.send(at(100), 3, 2, 1));
        probe.run_until(at(100));
        assert_eq!(at_outputs(&probe), [[0, 0], [0, 0], [0, 1], [0, 2]], "{buffering:?}");
        // The first packet of each output has started.
        probe.send(at(200), 1, 2, 1);
        probe.run_until(at(100) + SLOT * 20);
        assert_eq!(at_outputs(&probe), [[0, 0], [0, 0], [0, 1], [0, 2]], "{buffering:?}");
        assert_eq!([0, 1].map(|lane| probe.left(3, lane, |_| true)), [3, 3], "{buffering:?}");
        assert_eq!(probe.left(2, 1, |_| true), 4, "{buffering:?}");
        assert!(probe.world.pool.is_empty(), "{buffering:?}: a dropped packet is gone");
        assert!(probe.switch.view().at_rest(at(100) + SLOT * 20), "{buffering:?}");
    }
}

/// A packet is dropped at its input if that has no room, else at its output, and the switch counts both.
#[test]
fn a_switch_counts_drops_at_inputs_and_at_outputs() {
    for buffering in BufferingSpec::ALL {
        let memory = [(PACKET * 4, false), (PACKET * 4, false)];
        let mut probe =
            Probe::new(SwitchSetup { egress_limit: Some(PACKET * 2), ..setup(buffering, &memory) });
        // Four packets for four queues fill the memory, and two more find no room in it.
        [(2, 1), (3, 1), (2, 1), (3, 1), (1, 1), (1, 1)]
            .into_iter()
            .for_each(|(output, lane)| probe.send(at(100), 0, output, lane));
        // The queues of outputs 2 and 3 are at their limit.
        (0..3).for_each(|number| probe.send(at(100), 1, 2 + number % 2, 1));
        probe.run_until(at(100));
        let view = probe.switch.view();
        assert_eq!(at_outputs(&probe), [[0, 0], [0, 0], [0, 2], [0, 1]], "{buffering:?}");
        let at_input = view.pauses(PortId(0), Lane(1), at(100)).expect("not under credits").dropped;
        assert_eq!((at_input, view.dropped()), (2, 5), "{buffering:?}");
    }
}

/// A pool of the queues at the outputs counts a packet from its arrival until its tail has left its buffer. Packets of
/// lanes with PFC pass it.
#[test]
fn a_pool_counts_a_packet_until_its_buffer_is_released() {
    for buffering in [BufferingSpec::InputFifo, BufferingSpec::InputVoq, BufferingSpec::Central] {
        let egress_pool = in_pool(PACKET * 3, &[Bytes::ZERO; 8], &[0]);
        let lanes = [(AMPLE, false), (AMPLE, true)];
        let mut probe = Probe::new(SwitchSetup { egress_pool, ..setup(buffering, &lanes) });
        (0..6).for_each(|number| probe.send(at(100), 1, 2 + number % 2, 1));
        (0..4).for_each(|_| probe.send(at(100), 0, 2, 0));
        probe.run_until(at(100));
        assert_eq!(at_outputs(&probe), [[0, 0], [0, 0], [1, 0], [0, 0]], "{buffering:?}");
        // No tail of this lane has left, then a tail has.
        probe.send(at(200), 3, 3, 0);
        let first = at(100) + SLOT * 2;
        probe.run_until(first);
        assert_eq!(at_outputs(&probe)[3], [1, 0], "{buffering:?}");
        (0..2).for_each(|_| probe.send(first + Span::from_ns(1), 3, 3, 0));
        probe.run_until(first + Span::from_ns(1));
        assert_eq!(at_outputs(&probe)[3], [2, 0], "{buffering:?}: one of two has room");
        let end = first + SLOT * 20;
        probe.run_until(end);
        assert!(probe.switch.view().at_rest(end) && probe.world.pool.is_empty(), "{buffering:?}");
        assert_eq!([2, 3].map(|output| probe.left(output, 1, |_| true)), [3, 3], "{buffering:?}");
        assert_eq!([2, 3].map(|output| probe.left(output, 0, |_| true)), [3, 1], "{buffering:?}");
    }
}

/// In a pool each queue of an output and lane has the room that is guaranteed to it, whatever the others hold.
#[test]
fn a_guarantee_is_that_of_an_output_and_lane() {
    let packets = [3, 1, 4, 0, 5, 2, 6, 7];
    let egress_pool = in_pool(Bytes::ZERO, &packets.map(|packets| PACKET * packets), &[0, 1]);
    let setup = setup(BufferingSpec::InputVoq, &[(AMPLE, false); 2]);
    let mut probe = Probe::new(SwitchSetup { egress_pool, ..setup });
    for _ in 0..8 {
        for output in (0..PORTS).rev() {
            (0..LANES).for_each(|lane| probe.send(at(100), 0, output, lane));
        }
    }
    probe.run_until(at(100));
    let dropped = at_outputs(&probe).concat();
    assert_eq!(dropped, packets.map(|packets| 8 - packets), "of eight packets for each");
    assert_eq!(probe.switch.view().dropped(), dropped.iter().sum::<u64>());
}

/// An input with a load at its threshold requests a pause, and the view counts the PAUSE frames that it has sent.
#[test]
fn a_view_counts_the_pauses_of_each_input() {
    for buffering in BufferingSpec::ALL {
        let mut probe = Probe::new(setup(buffering, &[(PACKET * 2, true), (PACKET * 3, true)]));
        for (input, lane, packets) in [(0, 0, 1), (0, 1, 3), (1, 0, 2), (2, 1, 2)] {
            (0..packets).for_each(|_| probe.send(at(100), input, 3, lane));
        }
        probe.run_until(at(100) + SLOT * 20);
        for input in 0..PORTS {
            for lane in 0..LANES {
                let here = |(port, signal): &&(PortId, Signal)| {
                    let lane = Lane(lane);
                    *port == PortId(input)
                        && matches!(signal, Signal::Pause { lane: of, quanta: 1.. } if *of == lane)
                };
                let sent = probe.world.signals.iter().filter(here).count() as u64;
                let expected = u64::from([(0, 1), (1, 0)].contains(&(input, lane)));
                assert_eq!(sent, expected, "{buffering:?}: input {input}, lane {lane}");
                let view = probe.switch.view().pauses(PortId(input), Lane(lane), at(10_000));
                assert_eq!(view.expect("not under credits").sent, sent, "{buffering:?}");
            }
        }
    }
}

/// Memory of an input's own takes as much as it holds beside what never leaves. Shared memory is shared.
#[test]
fn a_view_shows_the_room_that_there_can_ever_be() {
    for buffering in BufferingSpec::ALL {
        let room = 7 * BLOCKS;
        let probe = Probe::new(parts(buffering, &[RATE; 4], &credits(&[room, room], &[room, room])));
        let mut lasting = [LastingUse::default(); 8];
        lasting[3].hold(PACKET);
        let view = probe.switch.view();
        let most = |lane| view.most_room(PortId(1), Lane(lane), &lasting);
        assert_eq!(
            [0, 1].map(most),
            [7, 6].map(|packets| Bytes::new(packets * BLOCKS * 64)),
            "{buffering:?}"
        );
        assert!(!view.shares_memory(), "{buffering:?}");
    }
    let share = Share { guaranteed: PACKET, alpha: None };
    let memory = MemorySharing::Bytes(MemoryPool::new(PACKET.get(), &[share; 8]));
    let shared = SwitchSetup { memory, ..setup(BufferingSpec::Central, &[(AMPLE, true); 2]) };
    assert!(Probe::new(shared).switch.view().shares_memory());
}
