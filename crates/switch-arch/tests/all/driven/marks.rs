//! Marks: the marker sees each queue and buffer as it is, and each mark is counted where its packet leaves.

use cc_policies::hp::HpMarker;
use cc_policies::hp::spec::{
    FullTrigger, HpMarkingSpec, ImmediatePackets, MarkTiming, MarkedSet, PropagatingPackets, RootTrigger,
};
use cc_policies::iba::IbaMarker;
use cc_policies::iba::spec::{IbaMarkingSpec, VictimMask};
use cc_policies::{Margin, MarkingSpec};
use packet::{BthFlags, Lane, MarkCode, PortId};
use switch_arch::SwitchSetup;
use switch_arch::spec::BufferingSpec;
use units::{Bytes, Span};

use super::probe::{BLOCKS, PACKET, Probe, RATE, SLOT, at, credits, marker, parts};

const LANES: usize = 2;
const ROOT: MarkCode = IbaMarker::ROOT.code;
const PROPAGATION: MarkCode = HpMarker::PROPAGATION.code;
const GENERATION: MarkCode = HpMarker::GENERATION.code;
/// More credit than a test needs.
const AMPLE: u64 = 2_000;

/// A switch of four ports. Its inputs have room for this many blocks on each lane.
fn setup(buffering: BufferingSpec, marking: &MarkingSpec, room: u64, far_room: u64) -> SwitchSetup {
    let marker = marker(marking, buffering, LANES, PACKET * 7);
    SwitchSetup { marker, ..parts(buffering, &[RATE; 4], &credits(&[room; LANES], &[far_room; LANES])) }
}

/// Checks that the switch counts the marks of each reason that its packets carry, by output and lane. It has marked
/// this many packets by output 3, and no others.
fn counts(probe: &Probe, lane: u8, expected: &[(MarkCode, u64)], case: &str) {
    let view = probe.switch.view();
    for output in 0..4 {
        for other in 0..LANES as u8 {
            let marks = view.marks(PortId(output), Lane(other));
            let carried = |reason| probe.left(output, other, |packet| packet.marked() == Some(reason));
            for reason in [ROOT, IbaMarker::VICTIM_MASK.code, PROPAGATION, GENERATION] {
                assert_eq!(marks.of(reason), carried(reason), "{case}: {reason:?} by {output}, lane {other}");
            }
            assert_eq!(marks.total(), probe.left(output, other, |packet| packet.has(BthFlags::FECN)));
            let here = expected.iter().filter(|_| (output, other) == (3, lane));
            assert_eq!(
                marks.total(),
                here.map(|(_, count)| count).sum::<u64>(),
                "{case}: by {output}, lane {other}"
            );
        }
    }
    for (reason, count) in expected {
        assert_eq!(view.marks(PortId(3), Lane(lane)).of(*reason), *count, "{case}: {reason:?}");
    }
}

fn iba(victim_mask: VictimMask) -> MarkingSpec {
    // Half of the buffer of seven packets.
    MarkingSpec::Iba(IbaMarkingSpec {
        threshold: 8,
        packet_size: 0,
        marking_rate: 0,
        victim_mask,
        hysteresis: Bytes::ZERO,
        ..IbaMarkingSpec::default()
    })
}

/// Of eight packets that come in at once for an output and lane, the first four are marked. Behind each of them more
/// than the threshold waits. A packet waits until it starts on the wire, wherever it does.
#[test]
fn a_packet_is_marked_by_the_load_that_it_leaves_behind() {
    for buffering in BufferingSpec::ALL {
        for lane in [0, 1] {
            let mut probe = Probe::new(setup(buffering, &iba(VictimMask::None), AMPLE, AMPLE));
            (0..8).for_each(|number| probe.send(at(100), number % 2, 3, lane));
            probe.run_until(at(100) + SLOT * 20);
            let case = format!("{buffering:?}, lane {lane}");
            counts(&probe, lane, &[(ROOT, 4)], &case);
            let departures = probe.world.departures.iter();
            let marked: Vec<_> = departures.map(|departure| departure.packet.has(BthFlags::FECN)).collect();
            assert_eq!(marked, [[true; 4], [false; 4]].concat(), "{case}");
            let [low, high] = probe.switch.view().margins(PortId(3), Lane(lane));
            let margin =
                Margin { load: 8 * PACKET.get(), limit: 7 * PACKET.get() / 2, crossings: 1, near_misses: 0 };
            assert_eq!((low, high), (Some(margin), None), "{case}");
            let (_, departures) = probe.switch.view().observed(PortId(3), Lane(lane));
            assert_eq!((departures.packets, departures.bytes), (8, PACKET * 8), "{case}");
        }
    }
}

/// An output without credit is a victim, and no root. The first packet that leaves after a wait for credit is not
/// marked, or is marked as a victim. The time of the wait is recorded.
#[test]
fn an_output_that_lacked_credit_is_no_root() {
    let wait = Span::from_us(5);
    for buffering in BufferingSpec::ALL {
        for mask in [VictimMask::None, VictimMask::All] {
            let mut probe = Probe::new(setup(buffering, &iba(mask), AMPLE, 2 * BLOCKS));
            (0..8).for_each(|number| probe.send(at(100), number % 2, 3, 1));
            let idle = at(100) + SLOT * 2;
            probe.grant(idle + wait, 3, 1, 8 * BLOCKS);
            probe.run_until(idle + wait + SLOT * 10);
            let victims = if mask == VictimMask::All { 1 } else { 0 };
            let expected = [(ROOT, 3), (IbaMarker::VICTIM_MASK.code, victims)];
            counts(&probe, 1, &expected, &format!("{buffering:?}, {mask:?}"));
            let (_, departures) = probe.switch.view().observed(PortId(3), Lane(1));
            assert_eq!(departures.stalled_time(idle + wait + SLOT * 10), wait, "{buffering:?}");
            assert_eq!(departures.packets, 8, "{buffering:?}");
        }
    }
}

fn hp(set: MarkedSet, immediate: ImmediatePackets) -> MarkingSpec {
    MarkingSpec::Hp(HpMarkingSpec {
        trigger: FullTrigger::Full,
        set,
        propagation: PropagatingPackets::All,
        immediate,
        ..HpMarkingSpec::PROPOSAL
    })
}

const INPUT: MarkedSet = MarkedSet::Selective(RootTrigger::Input);

/// Organisations with buffers at inputs that a marker takes for full.
fn with_buffers_at_inputs() -> impl Iterator<Item = BufferingSpec> {
    BufferingSpec::ALL.into_iter().filter(|buffering| *buffering != BufferingSpec::Output)
}

/// Three packets fill the buffer of an input: they propagate a congestion tree, and two packets of another input for
/// the same output generate it. Each is marked once, for its first reason. Two packets fill nothing.
#[test]
fn packets_of_a_full_input_propagate_and_others_for_its_output_generate() {
    for buffering in with_buffers_at_inputs() {
        for (packets, propagate, generate) in [(3, 3, 2), (2, 0, 0)] {
            let marking = hp(INPUT, ImmediatePackets::Marked);
            let mut probe = Probe::new(setup(buffering, &marking, 3 * BLOCKS + 1, AMPLE));
            (0..2).for_each(|_| probe.send(at(100), 1, 3, 1));
            (0..packets).for_each(|_| probe.send(at(100), 0, 3, 1));
            probe.run_until(at(100) + SLOT * 10);
            let expected = [(PROPAGATION, propagate), (GENERATION, generate)];
            counts(&probe, 1, &expected, &format!("{buffering:?}, {packets} packets"));
        }
    }
}

/// A buffer that has room again is full no longer: a packet that comes in then waits in no full buffer.
#[test]
fn a_buffer_that_a_tail_has_left_has_room_again() {
    for buffering in with_buffers_at_inputs() {
        let marking = hp(MarkedSet::Naive, ImmediatePackets::Marked);
        let mut probe = Probe::new(setup(buffering, &marking, 3 * BLOCKS + 1, AMPLE));
        (0..3).for_each(|_| probe.send(at(100), 0, 3, 1));
        // Two of the three tails have left.
        probe.send(at(100) + SLOT * 2 + Span::from_ns(1), 0, 3, 1);
        probe.run_until(at(100) + SLOT * 10);
        counts(&probe, 1, &[(PROPAGATION, 3)], &format!("{buffering:?}"));
    }
}

/// Three packets fill the queue of an output in an output-queued switch, and a fourth fills it again: all four
/// propagate. Two fill nothing.
#[test]
fn packets_of_a_full_output_queue_propagate() {
    for (packets, propagate) in [(4, 4), (2, 0)] {
        let marking = hp(MarkedSet::Naive, ImmediatePackets::Marked);
        let setup = setup(BufferingSpec::Output, &marking, BLOCKS + 1, AMPLE);
        let mut probe = Probe::new(SwitchSetup { output_buffer: PACKET * 3 + Bytes::new(100), ..setup });
        (0..packets).for_each(|input| probe.send(at(100), input, 3, 1));
        probe.run_until(at(100) + SLOT * 10);
        counts(&probe, 1, &[(PROPAGATION, propagate)], &format!("{packets} packets"));
    }
}

/// In an output-queued switch the landing buffer of a port is not the queue of its output. While the landing buffer is
/// full, a packet in the queue waits in no full buffer.
#[test]
fn a_full_landing_buffer_marks_nothing() {
    let MarkingSpec::Hp(naive) = hp(MarkedSet::Naive, ImmediatePackets::Marked) else { unreachable!("HP") };
    let marking = MarkingSpec::Hp(HpMarkingSpec { timing: MarkTiming::WhileFull, ..naive });
    let mut probe = Probe::new(setup(BufferingSpec::Output, &marking, BLOCKS + 1, BLOCKS));
    // The second packet waits for credit. The tail that fills the landing buffer is still coming in when it leaves.
    (0..2).for_each(|input| probe.send(at(100), input, 3, 1));
    probe.send_as(at(1_000), 3, 2, 1, |packet| packet.tail = at(2_000));
    probe.grant(at(1_500), 3, 1, 2 * BLOCKS);
    probe.run_until(at(5_000));
    counts(&probe, 1, &[], "two packets");
    assert_eq!([2, 3].map(|output| probe.left(output, 1, |_| true)), [1, 2]);
}

/// Of three packets that fill a buffer, two can leave at once and are spared. The third found the wire of its output
/// busy: it waited for its link, and is marked.
#[test]
fn a_packet_that_found_its_wire_busy_is_not_spared() {
    for buffering in with_buffers_at_inputs() {
        let marking = hp(MarkedSet::Naive, ImmediatePackets::Spared);
        let mut probe = Probe::new(setup(buffering, &marking, 3 * BLOCKS + 1, AMPLE));
        probe.send(at(100), 1, 3, 1);
        [3, 2, 0].into_iter().for_each(|output| probe.send(at(200), 0, output, 1));
        probe.run_until(at(100) + SLOT * 10);
        counts(&probe, 1, &[(PROPAGATION, 1)], &format!("{buffering:?}"));
    }
}
