//! Marking at a switch by the HP proposal.
//!
//! Invariant: a packet is marked only for an event while it was in the switch. Either its own buffer was full (the
//! packet *propagates* a congestion tree), or its output was taken for a root (the packet *generates* a tree). A mark
//! is never taken back.
//!
//! ```text
//! full        buffer without room for one more packet of the MTU, or over a threshold: of an input and lane, or in
//!             an output-queued switch the queue of an output and lane
//! congested   output and lane that a packet in a full buffer is destined to, unless it is out of credit or too few
//!             packets wait for it
//! propagation packets that wait in a full buffer: all, those for congested outputs, or none
//! root        a congested output, until all packets that were present for it have left, or it is out of credit
//! generation  other packets that leave by a root
//! immediate   packets that did not wait for their wire: marked like others, or spared
//! ```
//!
//! | timing | propagation | generation |
//! |---|---|---|
//! | `PresentAtEvent` | packets in the full buffer at an event | the packets that were present at an event |
//! | `NextDepartures` | the same | the next departures, as many as packets were present |
//! | `WhileFull` | packets that leave a buffer while it is full | departures while a full buffer has a packet for it |
//!
//! The queue of an output holds packets for that output alone. They leave in the order in which they joined, ahead of
//! packets that still wait at inputs. Two counts of next departures therefore replace all lists in an output-queued
//! switch: packets in the queue at an event propagate, the others present generate.

mod state;

use packet::{Lane, MarkCode, PortId, VoqId};
use units::Bytes;

use self::state::{BufferContents, Congestion, HpOutput, HpQueue};
use super::spec::{FullTrigger, HpMarkingSpec, ImmediatePackets, MarkTiming, MarkedSet, PropagatingPackets};
use crate::policy::{BufferOwner, BufferView, MarkReason, Marker, MarkerSetup, QueueView};

/// The marker of a switch.
#[derive(Clone, Debug)]
pub struct HpMarker {
    radix: usize,
    lanes: usize,
    buffers_of: BufferOwner,
    trigger: FullTrigger,
    longest: Bytes,
    congestion: Congestion,
    /// Whether packets elsewhere in the switch are marked too.
    is_selective: bool,
    /// Packets of a full buffer that are marked for it.
    propagation: PropagatingPackets,
    timing: MarkTiming,
    immediate: ImmediatePackets,
    /// By output, lane and input.
    queues: Vec<HpQueue>,
    /// By output and lane.
    outputs: Vec<HpOutput>,
    /// Departures by each output port, on any lane, modulo 2^32. Only a change of the count has a meaning.
    departures: Vec<u32>,
    /// By port and lane: whether the buffer of its input, or the queue of its output, is full.
    full: Vec<bool>,
    /// By output, lane and input: number of packets at the head of the queue that were present at an event; empty
    /// unless these are marked.
    present: Vec<u32>,
    /// By port and lane; empty unless the trigger counts packets.
    contents: Vec<BufferContents>,
}

state_codec::state!(HpMarker {
    radix: plan,
    lanes: plan,
    buffers_of: plan,
    trigger: plan,
    longest: plan,
    congestion: plan,
    is_selective: plan,
    propagation: plan,
    timing: plan,
    immediate: plan,
    queues: part,
    outputs: part,
    departures: part,
    full: part,
    present: part,
    contents: part,
});

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
            buffers_of: switch.buffers_of,
            trigger: settings.trigger,
            longest: switch.longest_packet,
            congestion: Congestion::new(settings.set),
            is_selective: settings.set != MarkedSet::Naive,
            propagation: settings.propagation,
            timing: settings.timing,
            immediate: settings.immediate,
            queues: vec![HpQueue::default(); vls * switch.radix],
            outputs: vec![HpOutput::default(); vls],
            departures: vec![0; switch.radix],
            full: vec![false; vls],
            present: match settings.timing {
                MarkTiming::PresentAtEvent if switch.buffers_of == BufferOwner::Inputs => {
                    vec![0; vls * switch.radix]
                }
                _ => Vec::new(),
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
        if self.propagation.includes(is_congested) {
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

    /// Handles an event at an output-queued switch: a packet has joined the full queue of this output.
    fn joined_full_queue(&mut self, output: usize) {
        let state = &mut self.outputs[output];
        let is_congested = self.congestion.is_met(state);
        if self.propagation.includes(is_congested) {
            state.propagating = state.crossed;
        }
        if is_congested && self.is_selective {
            state.root_for = state.packets;
        }
    }

    /// Returns whether the first packet in the queue of this output propagates a congestion tree, and counts its
    /// departure.
    #[inline]
    fn propagates_from_output(&mut self, output: usize) -> bool {
        let state = &mut self.outputs[output];
        if self.timing == MarkTiming::WhileFull {
            let is_full = self.buffers_of == BufferOwner::Outputs && self.full[output];
            return is_full && self.propagation.includes(self.congestion.is_met(state));
        }
        let propagates = state.propagating > 0;
        state.propagating -= u32::from(propagates);
        propagates
    }

    /// Returns the mark that the first packet of this queue deserves as it leaves its input's buffer.
    #[inline]
    fn deserved_at_input(&mut self, place: VoqId) -> Option<MarkCode> {
        if self.buffers_of == BufferOwner::Outputs {
            return None;
        }
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
        // The last packet of a queue leaves the full buffer without any for this output.
        output.full_inputs -= u32::from(self.queues[queue].packets == 1);
        self.propagation.includes(self.congestion.is_met(output))
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
            // After a departure, the packets that came before it had to wait: only this packet is fresh.
            queue.fresh = if queue.fresh_since == departures { queue.fresh + 1 } else { 1 };
            queue.fresh_since = departures;
        }
        self.outputs[output].packets += 1;
        if self.buffers_of == BufferOwner::Inputs && self.full[self.vl(place.input, place.lane)] {
            if self.timing == MarkTiming::WhileFull {
                self.outputs[output].full_inputs += u32::from(self.queues[at].packets == 1);
            } else {
                self.triggered(at, output);
            }
        }
    }

    #[inline]
    fn heeds_buffers(&self, of: BufferOwner) -> bool {
        of == self.buffers_of
    }

    fn buffer_changed(&mut self, port: PortId, lane: Lane, view: BufferView) {
        let at = self.vl(port, lane);
        let is_full = match self.trigger {
            FullTrigger::Full => view.room < self.longest,
            FullTrigger::Above(threshold) => view.held > threshold,
            FullTrigger::Packets(least) => self.contents[at].count(view.held) >= u32::from(least),
        };
        let was_full = core::mem::replace(&mut self.full[at], is_full);
        // A queue at an output becomes full by a packet that joins it, which is an event by itself.
        if self.buffers_of == BufferOwner::Inputs
            && was_full != is_full
            && (is_full || self.timing == MarkTiming::WhileFull)
        {
            self.full_changed(port, lane, is_full);
        }
    }

    fn stalled(&mut self, output: PortId, lane: Lane) {
        let at = self.vl(output, lane);
        self.outputs[at].stalled = true;
        // What was present at an event stays marked.
        if self.congestion.needs_credit && self.timing == MarkTiming::NextDepartures {
            self.outputs[at].root_for = 0;
        }
    }

    fn left_input(&mut self, place: VoqId) -> Option<MarkCode> {
        let deserved = self.deserved_at_input(place);
        let (queue, at) = (self.queue(place), self.vl(place.output, place.lane));
        let (queue, output) = (&mut self.queues[queue], &mut self.outputs[at]);
        // The packet had to wait if another has left by this output since it came, or was leaving when it came.
        let departures = self.departures[place.output.index()];
        let fresh = queue.fresh_since == departures && queue.fresh == queue.packets;
        let immediate = fresh && !output.stalled && output.crossed == 0;
        if immediate {
            output.immediate = Some(departures);
        }
        output.crossed += 1;
        queue.packets -= 1;
        let spared = immediate && self.immediate == ImmediatePackets::Spared;
        if spared {
            output.spared = deserved;
        }
        let joins_full = self.buffers_of == BufferOwner::Outputs && self.full[at];
        if joins_full && self.timing != MarkTiming::WhileFull {
            self.joined_full_queue(at);
        }
        deserved.filter(|_| !spared)
    }

    fn departing(&mut self, place: VoqId, _: Bytes) -> Option<MarkCode> {
        let at = self.vl(place.output, place.lane);
        let propagates = self.propagates_from_output(at);
        let output = &mut self.outputs[at];
        let departures = &mut self.departures[place.output.index()];
        let immediate = output.immediate.take() == Some(*departures) && !output.stalled;
        *departures = departures.wrapping_add(1);
        let generates = output.generates(self.timing, self.congestion) && self.is_selective;
        output.packets -= 1;
        output.crossed -= 1;
        output.stalled = false;
        // A packet that crossed at once, but then had to wait for the wire, is not exempted.
        let at_input = output.spared.take();
        if immediate && self.immediate == ImmediatePackets::Spared {
            return None;
        }
        let propagation = at_input.or(propagates.then_some(Self::PROPAGATION.code));
        propagation.or(generates.then_some(Self::GENERATION.code))
    }
}

#[cfg(test)]
mod tests;
