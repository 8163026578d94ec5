//! State of the HP marker by buffer, by virtual output queue and by output.
//!
//! Invariant: packets of a queue leave in order, so counts of next departures replace a bit in each packet.

use packet::MarkCode;
use units::Bytes;

use crate::hp::spec::{MarkTiming, MarkedSet, RootTrigger};

/// Contents of the buffer of a port and lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BufferContents {
    held: Bytes,
    packets: u32,
}

state_codec::value!(BufferContents { held, packets });

impl BufferContents {
    /// Counts the packet by which the buffer has grown or shrunk to `held`. Returns the number of packets.
    pub(super) fn count(&mut self, held: Bytes) -> u32 {
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
pub(super) struct Congestion {
    /// Whether the output has to have credit.
    pub(super) needs_credit: bool,
    /// Least number of packets that wait for the output.
    present: u32,
}

impl Congestion {
    pub(super) const fn new(set: MarkedSet) -> Self {
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

    pub(super) const fn is_met(self, output: &HpOutput) -> bool {
        !(self.needs_credit && output.stalled) && output.packets >= self.present
    }
}

/// State of a virtual output queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HpQueue {
    pub(super) bytes: u64,
    pub(super) packets: u32,
    /// Number of packets at the head that were in a full buffer.
    pub(super) propagating: u32,
    /// Number of packets at the tail that found their output's wire free, if nothing has left by it since.
    pub(super) fresh: u32,
    /// The output port's `departures` when these packets came.
    pub(super) fresh_since: u32,
}

state_codec::value!(HpQueue { bytes, packets, propagating, fresh, fresh_since });

/// State of an output and lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HpOutput {
    /// Packets in the switch that wait for this output: at all inputs, and in the queue at the output if it has a
    /// queue.
    pub(super) packets: u32,
    /// Next departures that generate a congestion tree; 0 if the output is not a root. With `PresentAtEvent` only
    /// packets that had crossed at the event count, or in an output-queued switch all packets present.
    pub(super) root_for: u32,
    /// Next departures that propagate a congestion tree: of packets in the output's queue when it was full.
    pub(super) propagating: u32,
    /// Packets that have left their input's buffer, but not yet the switch.
    pub(super) crossed: u32,
    /// Full buffers that hold a packet for this output; only with `WhileFull`.
    pub(super) full_inputs: u32,
    /// The output port's `departures` when the first of the crossed packets crossed, if that packet had not waited
    /// for the wire by then.
    pub(super) immediate: Option<u32>,
    /// The mark from which that packet was therefore exempted.
    pub(super) spared: Option<MarkCode>,
    /// Whether a packet has waited for credit, with the wire free, since the last departure.
    pub(super) stalled: bool,
}

state_codec::value!(HpOutput {
    packets,
    root_for,
    propagating,
    crossed,
    full_inputs,
    immediate,
    spared,
    stalled,
});

impl HpOutput {
    /// Returns whether the packet that leaves now generates a congestion tree, and counts its departure.
    #[inline]
    pub(super) fn generates(&mut self, timing: MarkTiming, congestion: Congestion) -> bool {
        if timing == MarkTiming::WhileFull {
            return self.full_inputs > 0 && congestion.is_met(self);
        }
        let generates = self.root_for > 0;
        self.root_for -= u32::from(generates);
        generates
    }
}
