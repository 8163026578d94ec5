//! Marking at a switch by the HP proposal.
//!
//! Invariant: a packet is marked only if, while it was in the switch, its own buffer was full (the packet
//! *propagates* a congestion tree) or its output was taken for a root (the packet *generates* one). A mark is never
//! taken back.
//!
//! ```text
//! full        buffer of an input and lane without room for one more packet of the MTU, or over a threshold
//! congested   output and lane that a packet in a full buffer is destined to, unless it is out of credit or too few
//!             packets wait for it
//! propagation packets that wait in a full buffer: all, or those for congested outputs
//! root        a congested output, until it is out of credit, or all packets that were present for it have left
//! generation  other packets that leave by a root
//! immediate   packets that did not wait for their wire: marked like others, or spared
//! ```

use packet::{Lane, MarkCode, PortId, VoqId};
use units::Bytes;

use super::spec::{
    FullTrigger, HpMarkingSpec, ImmediatePackets, MarkedSet, PropagatingPackets, RootTrigger,
};
use crate::policy::{BufferView, MarkReason, Marker, MarkerSetup, QueueView};

/// The marker of one switch.
#[derive(Clone, Debug)]
pub struct HpMarker {
    radix: usize,
    lanes: usize,
    trigger: FullTrigger,
    longest: Bytes,
    congestion: Congestion,
    /// Whether packets elsewhere in the switch are marked too.
    is_selective: bool,
    /// Whether packets of a full buffer are marked if their output is not congested.
    marks_uncongested: bool,
    immediate: ImmediatePackets,
    /// By output, lane and input.
    queues: Vec<HpQueue>,
    /// By output and lane.
    outputs: Vec<HpOutput>,
    /// Departures by each output port, on any lane, modulo 2^32. Only a change of the count has a meaning.
    departures: Vec<u32>,
    /// By input and lane: whether its buffer is full.
    full: Vec<bool>,
}

/// Condition under which an output is congested, once a full buffer holds a packet for it.
#[derive(Clone, Copy, Debug)]
struct Congestion {
    /// Whether the output has to have credit.
    needs_credit: bool,
    /// Least number of packets that wait for the output.
    present: u32,
}

impl Congestion {
    const fn new(set: MarkedSet) -> Self {
        match set {
            MarkedSet::Naive | MarkedSet::Selective(RootTrigger::Input) => {
                Self { needs_credit: false, present: 0 }
            }
            MarkedSet::Selective(RootTrigger::InputAndOutput) => Self { needs_credit: true, present: 0 },
            MarkedSet::Selective(RootTrigger::InputAndQueued { present }) => {
                Self { needs_credit: true, present: present as u32 }
            }
        }
    }

    const fn is_met(self, output: &HpOutput) -> bool {
        !(self.needs_credit && output.starved) && output.packets >= self.present
    }
}

/// State of a virtual output queue. The packets of a queue leave in order, so a count of packets yet to be marked
/// replaces a bit in each packet.
#[derive(Clone, Copy, Debug, Default)]
struct HpQueue {
    bytes: u64,
    packets: u32,
    /// Number of packets at the head that were in a full buffer.
    propagating: u32,
    /// Number of packets at the tail that found their output's wire free, if nothing has left by it since.
    fresh: u32,
    /// The output port's `departures` when these packets came.
    fresh_since: u32,
}

/// State of an output and lane.
#[derive(Clone, Copy, Debug, Default)]
struct HpOutput {
    /// Packets in the switch that wait for this output: at all inputs, and in the queue at the output if there is
    /// one.
    packets: u32,
    /// Departures until the output is no longer a root; 0 if it is not a root.
    root_for: u32,
    /// Packets that have left their input's buffer, but not yet the switch.
    crossed: u32,
    /// The output port's `departures` when the first of the crossed packets crossed, if that packet had not waited
    /// for the wire by then.
    immediate: Option<u32>,
    /// Whether that packet was therefore exempted from a propagation mark.
    spared: bool,
    /// Whether a packet has waited for credit, with the wire free, since the last departure.
    starved: bool,
}

impl HpMarker {
    /// The packet waited in a full buffer: it propagates a congestion tree.
    pub const PROPAGATION: MarkReason = MarkReason::new(2, "propagation");
    /// The packet's output was taken for the root of a congestion tree, which the packet helps to generate.
    pub const GENERATION: MarkReason = MarkReason::new(3, "generation");
    /// Every reason of this rule.
    pub const REASONS: &[MarkReason] = &[Self::PROPAGATION, Self::GENERATION];

    /// Returns the marker of the switch described.
    #[must_use]
    pub fn new(settings: &HpMarkingSpec, switch: &MarkerSetup) -> Self {
        let vls = switch.radix * switch.lanes;
        Self {
            radix: switch.radix,
            lanes: switch.lanes,
            trigger: settings.trigger,
            longest: switch.longest_packet,
            congestion: Congestion::new(settings.set),
            is_selective: settings.set != MarkedSet::Naive,
            marks_uncongested: settings.propagation == PropagatingPackets::All,
            immediate: settings.immediate,
            queues: vec![HpQueue::default(); vls * switch.radix],
            outputs: vec![HpOutput::default(); vls],
            departures: vec![0; switch.radix],
            full: vec![false; vls],
        }
    }

    fn vl(&self, port: PortId, lane: Lane) -> usize {
        port.index() * self.lanes + lane.index()
    }

    fn queue(&self, place: VoqId) -> usize {
        self.vl(place.output, place.lane) * self.radix + place.input.index()
    }

    /// Handles a full buffer with packets in this queue: they propagate, and their output may become a root.
    fn triggered(&mut self, queue: usize, output: usize) {
        let (queue, output) = (&mut self.queues[queue], &mut self.outputs[output]);
        let is_congested = self.congestion.is_met(output);
        if is_congested || self.marks_uncongested {
            queue.propagating = queue.packets;
        }
        if is_congested && self.is_selective {
            output.root_for = output.packets;
        }
    }
}

impl Marker for HpMarker {
    fn queue_changed(&mut self, place: VoqId, view: QueueView) {
        let (at, output) = (self.queue(place), self.vl(place.output, place.lane));
        let queue = &mut self.queues[at];
        let joined = view.voq.get() > queue.bytes;
        queue.bytes = view.voq.get();
        if !joined {
            return; // What leaves is counted as it goes.
        }
        queue.packets += 1;
        let departures = self.departures[place.output.index()];
        if !view.wire_busy {
            queue.fresh = if queue.fresh_since == departures { queue.fresh + 1 } else { 1 };
            queue.fresh_since = departures;
        }
        self.outputs[output].packets += 1;
        if self.full[self.vl(place.input, place.lane)] {
            self.triggered(at, output);
        }
    }

    #[inline]
    fn heeds_buffers(&self) -> bool {
        true
    }

    fn buffer_changed(&mut self, input: PortId, lane: Lane, view: BufferView) {
        let is_full = match self.trigger {
            FullTrigger::Full => view.room < self.longest,
            FullTrigger::Above(threshold) => view.held > threshold,
        };
        let at = self.vl(input, lane);
        let was_full = core::mem::replace(&mut self.full[at], is_full);
        if was_full || !is_full {
            return;
        }
        for output in (0..self.radix as u16).map(PortId) {
            let queue = self.queue(VoqId { input, output, lane });
            if self.queues[queue].packets > 0 {
                self.triggered(queue, self.vl(output, lane));
            }
        }
    }

    fn starved(&mut self, output: PortId, lane: Lane) {
        let at = self.vl(output, lane);
        self.outputs[at].starved = true;
        if self.congestion.needs_credit {
            self.outputs[at].root_for = 0;
        }
    }

    fn left_input(&mut self, place: VoqId) -> Option<MarkCode> {
        let (queue, output) = (self.queue(place), self.vl(place.output, place.lane));
        let (queue, output) = (&mut self.queues[queue], &mut self.outputs[output]);
        // If a packet has left by this output since this one came, or was leaving when it came, this one had to wait.
        let departures = self.departures[place.output.index()];
        let fresh = queue.fresh_since == departures && queue.fresh == queue.packets;
        let immediate = fresh && !output.starved && output.crossed == 0;
        if immediate {
            output.immediate = Some(departures);
        }
        output.crossed += 1;
        queue.packets -= 1;
        let propagates = queue.propagating > 0;
        queue.propagating -= u32::from(propagates);
        let spared = immediate && self.immediate == ImmediatePackets::Spared;
        output.spared |= propagates && spared;
        (propagates && !spared).then_some(Self::PROPAGATION.code)
    }

    fn departing(&mut self, place: VoqId, _: Bytes) -> Option<MarkCode> {
        let output = self.vl(place.output, place.lane);
        let output = &mut self.outputs[output];
        let departures = &mut self.departures[place.output.index()];
        let immediate = output.immediate.take() == Some(*departures) && !output.starved;
        *departures = departures.wrapping_add(1);
        output.packets -= 1;
        output.crossed -= 1;
        output.starved = false;
        let generates = output.root_for > 0;
        output.root_for -= u32::from(generates);
        // A packet that crossed at once, but then had to wait for the wire, is not exempted.
        let propagates = core::mem::take(&mut output.spared) && !immediate;
        let spared = immediate && self.immediate == ImmediatePackets::Spared;
        if propagates {
            Some(Self::PROPAGATION.code)
        } else {
            (generates && !spared).then_some(Self::GENERATION.code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_pcg::Pcg64Mcg;

    const PACKET: Bytes = Bytes::new(2074);
    const BUFFER: Bytes = Bytes::new(8448);
    const NAIVE: MarkedSet = MarkedSet::Naive;
    const INPUT: MarkedSet = MarkedSet::Selective(RootTrigger::Input);
    const BOTH: MarkedSet = MarkedSet::Selective(RootTrigger::InputAndOutput);
    const PROPAGATION: Option<MarkCode> = Some(HpMarker::PROPAGATION.code);
    const GENERATION: Option<MarkCode> = Some(HpMarker::GENERATION.code);

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
                capacity: BUFFER,
                longest_packet: Bytes::new(2090),
                faces_adapter: vec![false; 4],
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

    /// Fills input 0 with four packets: three for output 2, one for output 3. Input 1 has one for each.
    fn filled(trigger: FullTrigger, set: MarkedSet) -> Switch {
        let mut switch = Switch::new(trigger, set);
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
        switch.marker.starved(PortId(3), Lane(0));
        assert_eq!([2, 3].map(|output| switch.leaves(0, output)), [PROPAGATION; 2]);
        // A root exempts likewise; but of two packets that could leave at once, only one did.
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
        switch.marker.starved(PortId(3), Lane(0));
        assert_eq!(switch.marker.departing(place, PACKET), PROPAGATION, "but there was no credit");
    }

    #[test]
    fn nothing_passes_what_has_crossed_to_the_same_output() {
        let mut switch = sparing(3);
        let place = |input| VoqId { input: PortId(input), output: PortId(3), lane: Lane(0) };
        assert_eq!([1, 0].map(|input| switch.marker.left_input(place(input))), [None, PROPAGATION]);
        assert_eq!([1, 0].map(|input| switch.marker.departing(place(input), PACKET)), [None, GENERATION]);
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
        let mut switch = filled(FullTrigger::Full, BOTH);
        let place = |input, output| VoqId { input: PortId(input), output: PortId(output), lane: Lane(0) };
        // All but one packet cross to a queue at output 2, and only then the first one leaves.
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
            let mut switch = filled(FullTrigger::Full, set);
            switch.marker.starved(PortId(2), Lane(0));
            assert_eq!(switch.leaves(1, 2), then, "{set:?}");
            assert_eq!(switch.leaves(1, 3), GENERATION, "another output is not concerned");
        }
        // An output that is out of credit before the buffer is full does not become a root.
        let mut switch = Switch::new(FullTrigger::Full, BOTH);
        switch.arrives(1, 2);
        switch.marker.starved(PortId(2), Lane(0));
        (0..4).for_each(|_| switch.arrives(0, 2));
        assert_eq!((switch.leaves(1, 2), switch.leaves(0, 2)), (None, PROPAGATION));
    }

    /// Fills input 0 with three packets for output 2 and one for output 3, while `elsewhere` wait at input 1 for output
    /// 2; an output is congested if this many packets wait for it.
    fn queued(present: u16, propagation: PropagatingPackets, elsewhere: usize) -> Switch {
        let set = MarkedSet::Selective(RootTrigger::InputAndQueued { present });
        let mut switch = Switch::with(HpMarkingSpec { set, propagation, ..HpMarkingSpec::PROPOSAL });
        (0..elsewhere).for_each(|_| switch.arrives(1, 2));
        [3, 2, 2, 2].into_iter().for_each(|output| switch.arrives(0, output));
        switch
    }

    #[test]
    fn an_output_with_too_few_packets_is_not_congested() {
        use PropagatingPackets::{All, ToCongested};
        for (present, propagation, elsewhere, own, others) in [
            (4, All, 1, [PROPAGATION; 2], GENERATION),
            (5, All, 1, [PROPAGATION; 2], None),
            (4, ToCongested, 1, [PROPAGATION, None], GENERATION),
            (5, ToCongested, 1, [None, None], None),
            (5, ToCongested, 2, [PROPAGATION, None], GENERATION),
            (1, ToCongested, 1, [PROPAGATION; 2], GENERATION),
        ] {
            let mut switch = queued(present, propagation, elsewhere);
            let marks = ([2, 3].map(|output| switch.leaves(0, output)), switch.leaves(1, 2));
            assert_eq!(marks, (own, others), "{present} {propagation:?} {elsewhere}");
        }
    }
}
