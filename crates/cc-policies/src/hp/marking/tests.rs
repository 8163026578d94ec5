//! Marks in a switch of four ports.

use super::*;
use crate::hp::spec::RootTrigger;
use rand_pcg::Pcg64Mcg;
use units::Rate;

const PACKET: Bytes = Bytes::new(2074);
const BUFFER: Bytes = Bytes::new(8448);
const NAIVE: MarkedSet = MarkedSet::Naive;
const INPUT: MarkedSet = MarkedSet::Selective(RootTrigger::Input);
const BOTH: MarkedSet = MarkedSet::Selective(RootTrigger::InputAndOutput);
const PROPAGATION: Option<MarkCode> = Some(HpMarker::PROPAGATION.code);
const GENERATION: Option<MarkCode> = Some(HpMarker::GENERATION.code);
/// The proposal, with the next departures for the packets that are present.
const NEXT: HpMarkingSpec = HpMarkingSpec { timing: MarkTiming::NextDepartures, ..HpMarkingSpec::PROPOSAL };

/// A marker of four ports, and the state of the buffers that is reported to it.
struct Switch {
    marker: HpMarker,
    held: [u64; 4],
    waiting: [[u64; 4]; 4],
    /// By output: whether its wire carries a packet.
    wire_busy: [bool; 4],
}

impl Switch {
    fn new(trigger: FullTrigger, set: MarkedSet) -> Self {
        Self::with(HpMarkingSpec { trigger, set, ..HpMarkingSpec::PROPOSAL })
    }

    fn with(settings: HpMarkingSpec) -> Self {
        let setup = MarkerSetup {
            name: "S".to_owned(),
            radix: 4,
            lanes: 1,
            buffers_of: BufferOwner::Inputs,
            capacity: BUFFER,
            longest_packet: Bytes::new(2090),
            numbers: vec![1, 2, 3, 4],
            faces_adapter: vec![false; 4],
            rates: vec![Rate::gbps(8); 4],
            stream: Pcg64Mcg::new(1),
        };
        Self {
            marker: HpMarker::new(&settings, &setup),
            held: [0; 4],
            waiting: [[0; 4]; 4],
            wire_busy: [false; 4],
        }
    }

    fn buffer(&mut self, input: usize) {
        let held = PACKET * self.held[input];
        let view = BufferView { held, room: BUFFER - held };
        self.marker.buffer_changed(PortId(input as u16), Lane(0), view);
    }

    fn queue(&mut self, input: usize, output: usize) -> VoqId {
        let voq = PACKET * self.waiting[input][output];
        let place = VoqId { input: PortId(input as u16), output: PortId(output as u16), lane: Lane(0) };
        let wire_busy = self.wire_busy[output];
        self.marker.queue_changed(place, QueueView { voq, sum: voq, inputs: 1, wire_busy });
        place
    }

    fn arrives(&mut self, input: usize, output: usize) {
        self.held[input] += 1;
        self.buffer(input);
        self.waiting[input][output] += 1;
        self.queue(input, output);
    }

    /// Lets a packet leave, and frees its buffer at once.
    fn leaves(&mut self, input: usize, output: usize) -> Option<MarkCode> {
        self.waiting[input][output] -= 1;
        let place = self.queue(input, output);
        let (at_input, at_output) = (self.marker.left_input(place), self.marker.departing(place, PACKET));
        self.held[input] -= 1;
        self.buffer(input);
        at_input.or(at_output)
    }
}

/// Fills input 0 with four packets: three for output 2, and a packet for output 3. Input 1 has a packet for each.
fn filled(trigger: FullTrigger, set: MarkedSet) -> Switch {
    filled_by(HpMarkingSpec { trigger, set, ..HpMarkingSpec::PROPOSAL })
}

fn filled_by(settings: HpMarkingSpec) -> Switch {
    let mut switch = Switch::with(settings);
    for (input, output) in [(1, 2), (1, 3), (0, 2), (0, 2), (0, 3), (0, 2)] {
        switch.arrives(input, output);
    }
    switch
}

/// Exempts packets that can leave at once; output 2's wire is busy. Input 1 has a packet for `other`, then four
/// packets fill input 0: two for output 2, two for output 3.
fn sparing(other: usize) -> Switch {
    let mut switch = Switch::with(HpMarkingSpec {
        set: INPUT,
        immediate: ImmediatePackets::Spared,
        ..HpMarkingSpec::PROPOSAL
    });
    switch.wire_busy[2] = true;
    switch.arrives(1, other);
    [2, 3, 3, 2].into_iter().for_each(|output| switch.arrives(0, output));
    switch
}

#[test]
fn what_can_leave_at_once_is_spared() {
    let mut switch = sparing(1);
    assert_eq!(switch.leaves(0, 3), None, "its wire was free all the time");
    assert_eq!(switch.leaves(0, 3), PROPAGATION, "it was behind the other");
    // With a wire that was busy on arrival, or that has lacked credit since, the packet could not have left at
    // once.
    let mut switch = sparing(1);
    switch.wire_busy[2] = false;
    switch.marker.stalled(PortId(3), Lane(0));
    assert_eq!([2, 3].map(|output| switch.leaves(0, output)), [PROPAGATION; 2]);
    // A root exempts likewise; but of two packets that could leave at once, only the first did.
    assert_eq!(sparing(3).leaves(1, 3), None);
    assert_eq!(sparing(2).leaves(1, 2), GENERATION);
    let mut switch = sparing(3);
    assert_eq!([0, 1].map(|input| switch.leaves(input, 3)), [None, GENERATION]);
}

#[test]
fn what_crosses_at_once_and_then_waits_is_not_spared() {
    let mut switch = sparing(1);
    let place = VoqId { input: PortId(0), output: PortId(3), lane: Lane(0) };
    assert_eq!(switch.marker.left_input(place), None, "its wire is free");
    switch.marker.stalled(PortId(3), Lane(0));
    assert_eq!(switch.marker.departing(place, PACKET), PROPAGATION, "but there was no credit");
}

#[test]
fn nothing_passes_what_has_crossed_to_the_same_output() {
    let mut switch = sparing(3);
    let place = |input| VoqId { input: PortId(input), output: PortId(3), lane: Lane(0) };
    assert_eq!([1, 0].map(|input| switch.marker.left_input(place(input))), [None, PROPAGATION]);
    // The second was marked as it crossed; only a count of departures marks it again.
    assert_eq!([1, 0].map(|input| switch.marker.departing(place(input), PACKET)), [None; 2]);
}

#[test]
fn all_that_wait_in_a_full_buffer_propagate() {
    for set in [NAIVE, INPUT, BOTH] {
        let mut switch = filled(FullTrigger::Full, set);
        // The buffer is no longer full once the first packet has gone; the others were there when it was.
        assert_eq!([2, 3, 2, 2].map(|output| switch.leaves(0, output)), [PROPAGATION; 4]);
        switch.arrives(0, 1);
        assert_eq!(switch.leaves(0, 1), None);
    }
}

#[test]
fn a_buffer_with_room_for_a_packet_is_not_full() {
    let mut switch = Switch::new(FullTrigger::Full, BOTH);
    (0..3).for_each(|_| switch.arrives(0, 2));
    assert_eq!([0; 3].map(|input| switch.leaves(input, 2)), [None; 3]);
    let mut switch = Switch::new(FullTrigger::Above(Bytes::new(4148)), BOTH);
    (0..2).for_each(|_| switch.arrives(0, 2));
    assert_eq!(switch.leaves(0, 2), None);
    (0..2).for_each(|_| switch.arrives(0, 2));
    assert_eq!(switch.leaves(0, 2), PROPAGATION);
}

#[test]
fn packets_elsewhere_for_a_root_generate() {
    let elsewhere = |set| {
        let mut switch = filled(FullTrigger::Full, set);
        [2, 3].map(|output| switch.leaves(1, output))
    };
    assert_eq!(elsewhere(NAIVE), [None; 2]);
    assert_eq!(elsewhere(INPUT), [GENERATION; 2]);
    assert_eq!(elsewhere(BOTH), [GENERATION; 2]);
}

#[test]
fn a_root_ends_when_those_present_have_left() {
    let mut switch = filled(FullTrigger::Full, BOTH);
    assert_eq!(
        [0, 0, 0, 1].map(|input| switch.leaves(input, 2)),
        [PROPAGATION, PROPAGATION, PROPAGATION, GENERATION]
    );
    switch.arrives(1, 2);
    assert_eq!(switch.leaves(1, 2), None);
}

#[test]
fn what_has_crossed_to_its_output_is_still_present_for_it() {
    let mut switch = filled_by(NEXT);
    let place = |input, output| VoqId { input: PortId(input), output: PortId(output), lane: Lane(0) };
    // All packets except the last cross to a queue at output 2, and only then the first packet leaves.
    assert_eq!(switch.marker.left_input(place(1, 2)), None, "its own buffer is not full");
    assert_eq!([(); 2].map(|()| switch.marker.left_input(place(0, 2))), [PROPAGATION; 2]);
    assert_eq!([1, 0, 0].map(|input| switch.marker.departing(place(input, 2), PACKET)), [GENERATION; 3]);
    assert_eq!(switch.marker.left_input(place(0, 2)), PROPAGATION);
    assert_eq!(switch.marker.departing(place(0, 2), PACKET), GENERATION, "the last that was present");
    switch.arrives(1, 2);
    assert_eq!(switch.leaves(1, 2), None);
}

#[test]
fn a_root_ends_when_it_is_out_of_credit() {
    for (set, then) in [(INPUT, GENERATION), (BOTH, None)] {
        let mut switch = filled_by(HpMarkingSpec { set, ..NEXT });
        switch.marker.stalled(PortId(2), Lane(0));
        assert_eq!(switch.leaves(1, 2), then, "{set:?}");
        assert_eq!(switch.leaves(1, 3), GENERATION, "another output is not concerned");
    }
    // An output that is out of credit before the buffer is full does not become a root.
    let mut switch = Switch::new(FullTrigger::Full, BOTH);
    switch.arrives(1, 2);
    switch.marker.stalled(PortId(2), Lane(0));
    (0..4).for_each(|_| switch.arrives(0, 2));
    assert_eq!((switch.leaves(1, 2), switch.leaves(0, 2)), (None, PROPAGATION));
}

/// Fills input 0 with three packets for output 2 and a packet for output 3, while `elsewhere` wait at input 1 for
/// output 2. An output is congested if this many packets wait for it.
fn queued(present: u16, propagation: PropagatingPackets, elsewhere: usize) -> Switch {
    let set = MarkedSet::Selective(RootTrigger::InputAndQueued { present });
    let mut switch = Switch::with(HpMarkingSpec { set, propagation, ..HpMarkingSpec::PROPOSAL });
    (0..elsewhere).for_each(|_| switch.arrives(1, 2));
    [3, 2, 2, 2].into_iter().for_each(|output| switch.arrives(0, output));
    switch
}

#[test]
fn an_output_with_too_few_packets_is_not_congested() {
    use PropagatingPackets::{All, Off, ToCongested};
    for (present, propagation, elsewhere, own, others) in [
        (4, All, 1, [PROPAGATION; 2], GENERATION),
        (5, All, 1, [PROPAGATION; 2], None),
        (4, ToCongested, 1, [PROPAGATION, None], GENERATION),
        (5, ToCongested, 1, [None, None], None),
        (5, ToCongested, 2, [PROPAGATION, None], GENERATION),
        (1, ToCongested, 1, [PROPAGATION; 2], GENERATION),
        // By roots alone, the packets of the full buffer are marked as all others that leave by the root.
        (4, Off, 1, [GENERATION, None], GENERATION),
        (5, Off, 1, [None, None], None),
    ] {
        let mut switch = queued(present, propagation, elsewhere);
        let marks = ([2, 3].map(|output| switch.leaves(0, output)), switch.leaves(1, 2));
        assert_eq!(marks, (own, others), "{present} {propagation:?} {elsewhere}");
    }
}

/// Input 1 has a packet for output 2. Then three packets for output 2 and a packet for output 3 fill input 0.
fn timed(timing: MarkTiming) -> Switch {
    let mut switch = Switch::with(HpMarkingSpec { timing, ..HpMarkingSpec::PROPOSAL });
    switch.arrives(1, 2);
    [3, 2, 2, 2].into_iter().for_each(|output| switch.arrives(0, output));
    switch
}

#[test]
fn a_packet_that_comes_after_the_event_is_marked_in_the_place_of_another_or_not_at_all() {
    for (timing, own, later) in
        [(MarkTiming::NextDepartures, GENERATION, GENERATION), (MarkTiming::PresentAtEvent, GENERATION, None)]
    {
        let mut switch = timed(timing);
        switch.arrives(3, 2);
        assert_eq!([1, 3].map(|input| switch.leaves(input, 2)), [own, later], "{timing:?}");
        assert_eq!([(); 3].map(|()| switch.leaves(0, 2)), [PROPAGATION; 3], "{timing:?}");
        switch.arrives(1, 2);
        assert_eq!(switch.leaves(1, 2), None, "{timing:?}: as many as were present have left");
    }
}

/// With `Off` and `NextDepartures` a root marks as many departures as packets are present, from whatever buffer.
#[test]
fn a_root_alone_marks_its_next_departures() {
    let mut switch = Switch::with(HpMarkingSpec { propagation: PropagatingPackets::Off, ..NEXT });
    switch.arrives(1, 2);
    [3, 2, 2, 2].into_iter().for_each(|output| switch.arrives(0, output));
    switch.arrives(3, 2);
    let marks = [3, 1, 0, 0, 0].map(|input| switch.leaves(input, 2));
    assert_eq!(marks, [GENERATION, GENERATION, GENERATION, GENERATION, None]);
}

#[test]
fn lack_of_credit_takes_back_no_mark_given_at_the_event() {
    for (timing, then) in [
        (MarkTiming::NextDepartures, None),
        (MarkTiming::PresentAtEvent, GENERATION),
        (MarkTiming::WhileFull, None),
    ] {
        let mut switch = timed(timing);
        switch.marker.stalled(PortId(2), Lane(0));
        assert_eq!(switch.leaves(1, 2), then, "{timing:?}");
    }
}

#[test]
fn while_full_marks_what_leaves_until_the_buffer_has_room() {
    let mut switch = timed(MarkTiming::WhileFull);
    assert_eq!(
        [1, 1].map(|input| {
            switch.arrives(input, 2);
            switch.leaves(input, 2)
        }),
        [GENERATION; 2]
    );
    switch.arrives(1, 3);
    assert_eq!(switch.leaves(0, 3), PROPAGATION);
    // Input 0 has room now: what was in its full buffer is not marked, nor what waits elsewhere.
    assert_eq!((switch.leaves(1, 2), switch.leaves(0, 2)), (None, None));
    [2, 2].into_iter().for_each(|output| switch.arrives(0, output));
    assert_eq!(
        (switch.leaves(1, 3), switch.leaves(0, 2)),
        (None, PROPAGATION),
        "no packet there for output 3"
    );
}

#[test]
fn a_buffer_is_full_by_its_packets() {
    for (least, marks) in [(3, [PROPAGATION; 3]), (4, [None; 3])] {
        let mut switch = Switch::new(FullTrigger::Packets(least), BOTH);
        (0..3).for_each(|_| switch.arrives(0, 2));
        assert_eq!([(); 3].map(|()| switch.leaves(0, 2)), marks);
        // A packet counts until its tail has left.
        (0..2).for_each(|_| switch.arrives(0, 2));
        switch.waiting[0][2] -= 1;
        let place = switch.queue(0, 2);
        switch.marker.left_input(place);
        switch.marker.departing(place, PACKET);
        switch.arrives(0, 2);
        assert_eq!(switch.leaves(0, 2), marks[0]);
    }
}

/// An output-queued switch: four packets fill the queue of an output.
fn output_queued(settings: HpMarkingSpec) -> Switch {
    let mut switch = Switch::with(settings);
    switch.marker.buffers_of = BufferOwner::Outputs;
    switch
}

impl Switch {
    /// Brings a packet to `input`, in an output-queued switch.
    fn lands(&mut self, input: usize, output: usize) {
        self.waiting[input][output] += 1;
        self.queue(input, output);
    }

    /// Moves a packet from `input` to the queue of `output`.
    fn moves(&mut self, input: usize, output: usize) {
        self.waiting[input][output] -= 1;
        let place = self.queue(input, output);
        self.held[output] += 1;
        self.buffer(output);
        assert_eq!(self.marker.left_input(place), None, "marks are decided at the output");
    }

    /// Lets a packet of `input` leave the queue of `output`, with its tail.
    fn departs(&mut self, input: usize, output: usize) -> Option<MarkCode> {
        let place = VoqId { input: PortId(input as u16), output: PortId(output as u16), lane: Lane(0) };
        let mark = self.marker.departing(place, PACKET);
        self.held[output] -= 1;
        self.buffer(output);
        mark
    }
}

/// A full output queue is the congested link: its packets propagate, and packets that wait for it at inputs generate.
/// Packets for other outputs are not concerned, although they came by the same inputs.
#[test]
fn a_full_output_queue_is_the_congested_link() {
    for (set, behind) in [(NAIVE, None), (INPUT, GENERATION), (BOTH, GENERATION)] {
        let mut switch = output_queued(HpMarkingSpec { set, ..HpMarkingSpec::PROPOSAL });
        (0..5).for_each(|number| switch.lands(number % 2, 2));
        switch.lands(0, 3);
        switch.moves(0, 3);
        (0..4).for_each(|number| switch.moves(number % 2, 2));
        assert_eq!(switch.departs(0, 3), None, "{set:?}: the queue of output 3 has room");
        let marks = [0, 1, 0, 1].map(|input| switch.departs(input, 2));
        assert_eq!(marks, [PROPAGATION; 4], "{set:?}");
        switch.moves(0, 2);
        switch.lands(1, 2);
        switch.moves(1, 2);
        let later = [0, 1].map(|input| switch.departs(input, 2));
        assert_eq!(later, [behind, None], "{set:?}: present at the event, and after it");
    }
}

/// A full queue without credit is no root: what is in it propagates the tree of another switch.
#[test]
fn a_full_output_queue_without_credit_is_no_root() {
    use PropagatingPackets::{All, ToCongested};
    for (propagation, own) in [(All, PROPAGATION), (ToCongested, None)] {
        let mut switch = output_queued(HpMarkingSpec { propagation, ..HpMarkingSpec::PROPOSAL });
        (0..5).for_each(|_| switch.lands(0, 2));
        (0..3).for_each(|_| switch.moves(0, 2));
        switch.marker.stalled(PortId(2), Lane(0));
        switch.moves(0, 2);
        let marks = [(); 4].map(|()| switch.departs(0, 2));
        switch.moves(0, 2);
        assert_eq!((marks, switch.departs(0, 2)), ([own; 4], None), "{propagation:?}");
    }
}
