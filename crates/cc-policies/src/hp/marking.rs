//! When a switch marks, by the HP proposal.
//!
//! Invariant: a packet is marked only if, while it waited, its own buffer was full (it *propagates* a congestion
//! tree) or its output was taken for a root (it *generates* one). Marks are never taken back.
//!
//! ```text
//! full        buffer of an input and lane without room for one more packet of the MTU, or over a threshold
//! propagation packets that wait in a full buffer
//! candidate   output and lane that such a packet is destined to, unless it is out of credit
//! root        a candidate, until it is out of credit, or all packets that were present for it have left
//! generation  other packets that leave by a root
//! ```

use packet::{Lane, MarkReason, PortId};
use units::Bytes;

use super::spec::{HpMarking, MarkedSet, RootTrigger, Trigger};
use crate::policy::{BufferView, Marker, MarkerSetup, Place, QueueView};

/// The marker of one switch.
#[derive(Clone, Debug)]
pub struct HpMarker {
    radix: usize,
    lanes: usize,
    trigger: Trigger,
    longest: Bytes,
    set: MarkedSet,
    /// By output, lane and input.
    queues: Vec<Queue>,
    /// By output and lane.
    outputs: Vec<Output>,
    /// Whether the buffer of an input and lane is full.
    full: Vec<bool>,
}

/// A virtual output queue. What waits in one queue leaves in order, so that a count of packets yet to be marked is
/// as good as a bit in each of them.
#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    bytes: u64,
    packets: u32,
    /// The next packets to leave, which were in a full buffer.
    propagating: u32,
}

/// An output and lane.
#[derive(Clone, Copy, Debug, Default)]
struct Output {
    /// Packets in the switch that wait for it: at all inputs, and where there is one, in a queue of its own.
    packets: u32,
    /// Packets that will leave before it is no longer a root; 0 where it is none.
    root_for: u32,
    /// Whether a packet has waited for credit, with the wire free, since the last departure.
    starved: bool,
}

impl HpMarker {
    /// The marker of the switch described.
    #[must_use]
    pub fn new(settings: &HpMarking, switch: &MarkerSetup) -> Self {
        let vls = switch.radix * switch.lanes;
        Self {
            radix: switch.radix,
            lanes: switch.lanes,
            trigger: settings.trigger,
            longest: switch.longest_packet,
            set: settings.set,
            queues: vec![Queue::default(); vls * switch.radix],
            outputs: vec![Output::default(); vls],
            full: vec![false; vls],
        }
    }

    fn vl(&self, port: PortId, lane: Lane) -> usize {
        port.index() * self.lanes + lane.index()
    }

    fn queue(&self, place: Place) -> usize {
        self.vl(place.output, place.lane) * self.radix + place.input.index()
    }

    /// A packet for this output and lane is in a full buffer.
    fn candidate(&mut self, output: usize) {
        let output = &mut self.outputs[output];
        match self.set {
            MarkedSet::Naive => {}
            MarkedSet::Selective(RootTrigger::InputAndOutput) if output.starved => {}
            MarkedSet::Selective(_) => output.root_for = output.packets,
        }
    }
}

impl Marker for HpMarker {
    fn queue_changed(&mut self, place: Place, view: QueueView) {
        let (at, output) = (self.queue(place), self.vl(place.output, place.lane));
        let queue = &mut self.queues[at];
        let joined = view.voq.get() > queue.bytes;
        queue.bytes = view.voq.get();
        if !joined {
            return; // What leaves is counted as it goes.
        }
        queue.packets += 1;
        self.outputs[output].packets += 1;
        if self.full[self.vl(place.input, place.lane)] {
            self.queues[at].propagating = self.queues[at].packets;
            self.candidate(output);
        }
    }

    fn buffer_changed(&mut self, input: PortId, lane: Lane, view: BufferView) {
        let is_full = match self.trigger {
            Trigger::Full => view.room < self.longest,
            Trigger::Above(threshold) => view.held > threshold,
        };
        let at = self.vl(input, lane);
        let was_full = core::mem::replace(&mut self.full[at], is_full);
        if was_full || !is_full {
            return;
        }
        for output in (0..self.radix as u16).map(PortId) {
            let queue = self.queue(Place { input, output, lane });
            if self.queues[queue].packets > 0 {
                self.queues[queue].propagating = self.queues[queue].packets;
                self.candidate(self.vl(output, lane));
            }
        }
    }

    fn starved(&mut self, output: PortId, lane: Lane) {
        let at = self.vl(output, lane);
        self.outputs[at].starved = true;
        if self.set == MarkedSet::Selective(RootTrigger::InputAndOutput) {
            self.outputs[at].root_for = 0;
        }
    }

    fn left_input(&mut self, place: Place) -> Option<MarkReason> {
        let queue = self.queue(place);
        let queue = &mut self.queues[queue];
        queue.packets -= 1;
        let propagates = queue.propagating > 0;
        queue.propagating -= u32::from(propagates);
        propagates.then_some(MarkReason::Propagation)
    }

    fn departing(&mut self, place: Place, _: Bytes) -> Option<MarkReason> {
        let output = self.vl(place.output, place.lane);
        let output = &mut self.outputs[output];
        output.packets -= 1;
        output.starved = false;
        let generates = output.root_for > 0;
        output.root_for -= u32::from(generates);
        generates.then_some(MarkReason::Generation)
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
    const PROPAGATION: Option<MarkReason> = Some(MarkReason::Propagation);
    const GENERATION: Option<MarkReason> = Some(MarkReason::Generation);

    /// A marker of four ports, and the buffers that it is told of.
    struct Switch {
        marker: HpMarker,
        held: [u64; 4],
        waiting: [[u64; 4]; 4],
    }

    impl Switch {
        fn new(trigger: Trigger, set: MarkedSet) -> Self {
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
                marker: HpMarker::new(&HpMarking { trigger, set }, &setup),
                held: [0; 4],
                waiting: [[0; 4]; 4],
            }
        }

        fn buffer(&mut self, input: usize) {
            let held = PACKET * self.held[input];
            let view = BufferView { held, room: BUFFER - held };
            self.marker.buffer_changed(PortId(input as u16), Lane(0), view);
        }

        fn queue(&mut self, input: usize, output: usize) -> Place {
            let voq = PACKET * self.waiting[input][output];
            let place = Place { input: PortId(input as u16), output: PortId(output as u16), lane: Lane(0) };
            self.marker.queue_changed(place, QueueView { voq, sum: voq, inputs: 1 });
            place
        }

        fn arrives(&mut self, input: usize, output: usize) {
            self.held[input] += 1;
            self.buffer(input);
            self.waiting[input][output] += 1;
            self.queue(input, output);
        }

        /// Leaves, and is gone from the buffer at once.
        fn leaves(&mut self, input: usize, output: usize) -> Option<MarkReason> {
            self.waiting[input][output] -= 1;
            let place = self.queue(input, output);
            let (at_input, at_output) = (self.marker.left_input(place), self.marker.departing(place, PACKET));
            self.held[input] -= 1;
            self.buffer(input);
            at_input.or(at_output)
        }
    }

    /// Four packets fill input 0: three for output 2, one for output 3. Input 1 has one for each.
    fn filled(trigger: Trigger, set: MarkedSet) -> Switch {
        let mut switch = Switch::new(trigger, set);
        for (input, output) in [(1, 2), (1, 3), (0, 2), (0, 2), (0, 3), (0, 2)] {
            switch.arrives(input, output);
        }
        switch
    }

    #[test]
    fn all_that_wait_in_a_full_buffer_propagate() {
        for set in [NAIVE, INPUT, BOTH] {
            let mut switch = filled(Trigger::Full, set);
            // The buffer is no longer full once the first has gone; the others were there when it was.
            assert_eq!([2, 3, 2, 2].map(|output| switch.leaves(0, output)), [PROPAGATION; 4]);
            switch.arrives(0, 1);
            assert_eq!(switch.leaves(0, 1), None);
        }
    }

    #[test]
    fn a_buffer_with_room_for_a_packet_is_not_full() {
        let mut switch = Switch::new(Trigger::Full, BOTH);
        (0..3).for_each(|_| switch.arrives(0, 2));
        assert_eq!([0; 3].map(|input| switch.leaves(input, 2)), [None; 3]);
        let mut switch = Switch::new(Trigger::Above(Bytes::new(4148)), BOTH);
        (0..2).for_each(|_| switch.arrives(0, 2));
        assert_eq!(switch.leaves(0, 2), None);
        (0..2).for_each(|_| switch.arrives(0, 2));
        assert_eq!(switch.leaves(0, 2), PROPAGATION);
    }

    #[test]
    fn packets_elsewhere_for_a_root_generate() {
        let elsewhere = |set| {
            let mut switch = filled(Trigger::Full, set);
            [2, 3].map(|output| switch.leaves(1, output))
        };
        assert_eq!(elsewhere(NAIVE), [None; 2]);
        assert_eq!(elsewhere(INPUT), [GENERATION; 2]);
        assert_eq!(elsewhere(BOTH), [GENERATION; 2]);
    }

    #[test]
    fn a_root_ends_when_those_present_have_left() {
        let mut switch = filled(Trigger::Full, BOTH);
        assert_eq!(
            [0, 0, 0, 1].map(|input| switch.leaves(input, 2)),
            [PROPAGATION, PROPAGATION, PROPAGATION, GENERATION]
        );
        switch.arrives(1, 2);
        assert_eq!(switch.leaves(1, 2), None);
    }

    #[test]
    fn what_has_crossed_to_its_output_is_still_present_for_it() {
        let mut switch = filled(Trigger::Full, BOTH);
        let place = |input, output| Place { input: PortId(input), output: PortId(output), lane: Lane(0) };
        // All but one cross to a queue at output 2, and only then the first leaves.
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
            let mut switch = filled(Trigger::Full, set);
            switch.marker.starved(PortId(2), Lane(0));
            assert_eq!(switch.leaves(1, 2), then, "{set:?}");
            assert_eq!(switch.leaves(1, 3), GENERATION, "another output is not concerned");
        }
        // Out of credit before the buffer is full, it does not even become one.
        let mut switch = Switch::new(Trigger::Full, BOTH);
        switch.arrives(1, 2);
        switch.marker.starved(PortId(2), Lane(0));
        (0..4).for_each(|_| switch.arrives(0, 2));
        assert_eq!((switch.leaves(1, 2), switch.leaves(0, 2)), (None, PROPAGATION));
    }
}
