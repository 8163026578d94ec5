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
//!
//! | timing | propagation | generation |
//! |---|---|---|
//! | `NextDepartures` | packets in the full buffer at an event | the next departures, as many as packets were present |
//! | `PresentAtEvent` | the same | the packets that were present at an event |
//! | `WhileFull` | packets that leave a buffer while it is full | departures while a full buffer holds a packet for the output |

use packet::{Lane, MarkCode, PortId, VoqId};
use units::Bytes;

use super::spec::{
    FullTrigger, HpMarkingSpec, ImmediatePackets, MarkTiming, MarkedSet, PropagatingPackets, RootTrigger,
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
    timing: MarkTiming,
    immediate: ImmediatePackets,
    /// By output, lane and input.
    queues: Vec<HpQueue>,
    /// By output and lane.
    outputs: Vec<HpOutput>,
    /// Departures by each output port, on any lane, modulo 2^32. Only a change of the count has a meaning.
    departures: Vec<u32>,
    /// By input and lane: whether its buffer is full.
    full: Vec<bool>,
    /// By output, lane and input: number of packets at the head of the queue that were present at an event; empty unless
    /// these are marked.
    present: Vec<u32>,
    /// By input and lane; empty unless the trigger counts packets.
    contents: Vec<BufferContents>,
}

/// Contents of the buffer of an input and lane.
#[derive(Clone, Copy, Debug, Default)]
struct BufferContents {
    held: Bytes,
    packets: u32,
}

impl BufferContents {
    /// Counts the packet by which the buffer has grown or shrunk to `held`. Returns the number of packets.
    fn count(&mut self, held: Bytes) -> u32 {
        if held > self.held {
            self.packets += 1;
        } else if held < self.held {
            self.packets -= 1;
        }
        self.held = held;
        self.packets
    }
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
    /// Next departures that generate a congestion tree; 0 if the output is not a root. With `PresentAtEvent` those of
    /// packets that had crossed at the event.
    root_for: u32,
    /// Packets that have left their input's buffer, but not yet the switch.
    crossed: u32,
    /// Full buffers that hold a packet for this output; only with `WhileFull`.
    full_inputs: u32,
    /// The output port's `departures` when the first of the crossed packets crossed, if that packet had not waited
    /// for the wire by then.
    immediate: Option<u32>,
    /// The mark from which that packet was therefore exempted.
    spared: Option<MarkCode>,
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
            timing: settings.timing,
            immediate: settings.immediate,
            queues: vec![HpQueue::default(); vls * switch.radix],
            outputs: vec![HpOutput::default(); vls],
            departures: vec![0; switch.radix],
            full: vec![false; vls],
            present: match settings.timing {
                MarkTiming::PresentAtEvent => vec![0; vls * switch.radix],
                MarkTiming::NextDepartures | MarkTiming::WhileFull => Vec::new(),
            },
            contents: match settings.trigger {
                FullTrigger::Packets(_) => vec![BufferContents::default(); vls],
                FullTrigger::Full | FullTrigger::Above(_) => Vec::new(),
            },
        }
    }

    fn vl(&self, port: PortId, lane: Lane) -> usize {
        port.index() * self.lanes + lane.index()
    }

    fn queue(&self, place: VoqId) -> usize {
        self.vl(place.output, place.lane) * self.radix + place.input.index()
    }

    /// Handles an event: a full buffer holds packets in this queue. They propagate, and their output may become a root.
    fn triggered(&mut self, queue: usize, output: usize) {
        let (packets, state) = (self.queues[queue].packets, &mut self.outputs[output]);
        let is_congested = self.congestion.is_met(state);
        if is_congested || self.marks_uncongested {
            self.queues[queue].propagating = packets;
        }
        if is_congested && self.is_selective {
            match self.timing {
                MarkTiming::NextDepartures => state.root_for = state.packets,
                MarkTiming::PresentAtEvent => {
                    state.root_for = state.crossed;
                    let queues = output * self.radix..(output + 1) * self.radix;
                    for (present, queue) in self.present[queues.clone()].iter_mut().zip(&self.queues[queues])
                    {
                        *present = queue.packets;
                    }
                }
                MarkTiming::WhileFull => unreachable!("no packet is chosen before it leaves"),
            }
        }
    }

    /// Handles a buffer that has become full, or with `WhileFull` is full no longer.
    fn full_changed(&mut self, input: PortId, lane: Lane, is_full: bool) {
        for output in (0..self.radix as u16).map(PortId) {
            let queue = self.queue(VoqId { input, output, lane });
            if self.queues[queue].packets == 0 {
                continue;
            }
            let output = self.vl(output, lane);
            match (self.timing, is_full) {
                (MarkTiming::WhileFull, true) => self.outputs[output].full_inputs += 1,
                (MarkTiming::WhileFull, false) => self.outputs[output].full_inputs -= 1,
                (_, true) => self.triggered(queue, output),
                (_, false) => {}
            }
        }
    }

    /// Returns the mark that the first packet of this queue deserves as it leaves its input's buffer.
    #[inline]
    fn deserved_at_input(&mut self, place: VoqId) -> Option<MarkCode> {
        if self.timing == MarkTiming::WhileFull {
            return self.deserved_while_full(place).then_some(Self::PROPAGATION.code);
        }
        let at = self.queue(place);
        let queue = &mut self.queues[at];
        let propagates = queue.propagating > 0;
        queue.propagating -= u32::from(propagates);
        let present = self.present.get_mut(at).filter(|present| **present > 0);
        let generates = present.map(|present| *present -= 1).is_some();
        if propagates { Some(Self::PROPAGATION.code) } else { generates.then_some(Self::GENERATION.code) }
    }

    /// Returns whether the first packet of this queue leaves a full buffer.
    fn deserved_while_full(&mut self, place: VoqId) -> bool {
        if !self.full[self.vl(place.input, place.lane)] {
            return false;
        }
        let (queue, output) = (self.queue(place), self.vl(place.output, place.lane));
        let output = &mut self.outputs[output];
        output.full_inputs -= u32::from(self.queues[queue].packets == 1);
        self.marks_uncongested || self.congestion.is_met(output)
    }
}

impl HpOutput {
    /// Returns whether the packet that leaves now generates a congestion tree, and counts its departure.
    #[inline]
    fn generates(&mut self, timing: MarkTiming, congestion: Congestion) -> bool {
        if timing == MarkTiming::WhileFull {
            return self.full_inputs > 0 && congestion.is_met(self);
        }
        let generates = self.root_for > 0;
        self.root_for -= u32::from(generates);
        generates
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
            if self.timing == MarkTiming::WhileFull {
                self.outputs[output].full_inputs += u32::from(self.queues[at].packets == 1);
            } else {
                self.triggered(at, output);
            }
        }
    }

    #[inline]
    fn heeds_buffers(&self) -> bool {
        true
    }

    fn buffer_changed(&mut self, input: PortId, lane: Lane, view: BufferView) {
        let at = self.vl(input, lane);
        let is_full = match self.trigger {
            FullTrigger::Full => view.room < self.longest,
            FullTrigger::Above(threshold) => view.held > threshold,
            FullTrigger::Packets(least) => self.contents[at].count(view.held) >= u32::from(least),
        };
        let was_full = core::mem::replace(&mut self.full[at], is_full);
        if was_full != is_full && (is_full || self.timing == MarkTiming::WhileFull) {
            self.full_changed(input, lane, is_full);
        }
    }

    fn starved(&mut self, output: PortId, lane: Lane) {
        let at = self.vl(output, lane);
        self.outputs[at].starved = true;
        // What was present at an event stays marked.
        if self.congestion.needs_credit && self.timing == MarkTiming::NextDepartures {
            self.outputs[at].root_for = 0;
        }
    }

    fn left_input(&mut self, place: VoqId) -> Option<MarkCode> {
        let deserved = self.deserved_at_input(place);
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
        if immediate && self.immediate == ImmediatePackets::Spared {
            output.spared = deserved;
            return None;
        }
        deserved
    }

    fn departing(&mut self, place: VoqId, _: Bytes) -> Option<MarkCode> {
        let output = self.vl(place.output, place.lane);
        let output = &mut self.outputs[output];
        let departures = &mut self.departures[place.output.index()];
        let immediate = output.immediate.take() == Some(*departures) && !output.starved;
        *departures = departures.wrapping_add(1);
        let generates = output.generates(self.timing, self.congestion) && self.is_selective;
        output.packets -= 1;
        output.crossed -= 1;
        output.starved = false;
        // A packet that crossed at once, but then had to wait for the wire, is not exempted.
        let at_input = output.spared.take();
        if immediate && self.immediate == ImmediatePackets::Spared {
            return None;
        }
        at_input.or(generates.then_some(Self::GENERATION.code))
    }
}

#[cfg(test)]
mod tests;
