//! Contenders, queue lengths and departures of every output and lane.
//!
//! Invariant: an input contends for an output and lane exactly while a packet of the input for them is at the head of a
//! queue. A packet waits from the time it is ready to leave until it starts on the output's wire. While its tail still
//! streams out of its buffer, it no longer waits.
//!
//! Every packet asks for its output and lane several times over. So all that is known of an output and lane is in a
//! single cache line, and a question costs no branch on the organisation.

use cc_policies::policy::QueueView;
use link_layer::LaneSet;
use packet::{Lane, PortId, VoqId};
use prefetch::prefetch;
use telemetry::LaneOutput;
use units::{Bytes, Time};

use crate::tables::{LaneTable, PortSet};

/// Contenders, queue lengths and departures, by output and lane.
#[derive(Clone, Debug)]
pub struct Contention<const WORDS: usize = 4> {
    outputs: LaneTable<OutputLane<WORDS>>,
}

state_codec::state!([const WORDS: usize] Contention<WORDS> { outputs: part });

/// Contenders, queue length and departures of an output and lane.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct OutputLane<const WORDS: usize> {
    /// Inputs with a packet for this output and lane at the head of a queue.
    contenders: PortSet<WORDS>,
    /// Bytes that wait for this output and lane, over all inputs.
    bytes: u64,
    /// Number of inputs that have a packet waiting, at the head of a queue or behind it.
    inputs: u32,
    departures: LaneOutput,
}

state_codec::value!([const WORDS: usize] OutputLane<WORDS> { contenders, bytes, inputs, departures });

const _: () = assert!(size_of::<OutputLane<1>>() == 64, "an output and lane is one cache line");

impl<const WORDS: usize> Contention<WORDS> {
    /// Creates the state of an empty switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self { outputs: LaneTable::new(ports, lanes, OutputLane::default()) }
    }

    /// Returns the lanes on which an input contends for `output`.
    #[inline]
    #[must_use]
    pub fn lanes(&self, output: PortId) -> LaneSet {
        let mut contended = LaneSet::default();
        for (lane, line) in (0..).zip(self.outputs.of_port(output)) {
            if !line.contenders.is_empty() {
                contended.insert(Lane(lane));
            }
        }
        contended
    }

    /// Returns the inputs that contend for an output and lane.
    #[inline]
    #[must_use]
    pub fn contenders(&self, output: PortId, lane: Lane) -> PortSet<WORDS> {
        self.outputs[(output, lane)].contenders
    }

    /// Prefetches all that is known of an output and lane.
    #[inline]
    pub(crate) fn prefetch(&self, output: PortId, lane: Lane) {
        prefetch(&self.outputs[(output, lane)]);
    }

    /// Returns the bytes that wait for an output and lane, over all inputs.
    #[must_use]
    pub fn waiting(&self, output: PortId, lane: Lane) -> Bytes {
        Bytes::new(self.outputs[(output, lane)].bytes)
    }

    /// Returns the record of departures by an output and lane.
    #[inline]
    pub(crate) fn departures(&self, output: PortId, lane: Lane) -> &LaneOutput {
        &self.outputs[(output, lane)].departures
    }

    /// Records that a packet waits for an output and lane: the wire is free, but credit is lacking.
    pub(crate) fn stalled(&mut self, output: PortId, lane: Lane, now: Time) {
        self.outputs[(output, lane)].departures.stalled(now);
    }

    /// Returns the state of the output and lane of a virtual output queue.
    #[inline(always)]
    pub(super) fn line(&mut self, voq: VoqId) -> &mut OutputLane<WORDS> {
        &mut self.outputs[(voq.output, voq.lane)]
    }

    /// Lets `next` contend instead of `last`, after the packet at the head of a queue was taken. `next` is `None` if
    /// the queue is now empty.
    #[inline(always)]
    pub(super) fn succeed(&mut self, last: VoqId, next: Option<VoqId>) {
        // The input goes on contending for the same output and lane: there is nothing to write.
        if next == Some(last) {
            return;
        }
        self.line(last).withdraw(last.input);
        if let Some(next) = next {
            self.line(next).contend(next.input);
        }
    }
}

impl<const WORDS: usize> OutputLane<WORDS> {
    /// Adds `input` to the contenders.
    #[inline(always)]
    pub(super) fn contend(&mut self, input: PortId) {
        self.contenders.insert(input);
    }

    /// Removes `input` from the contenders.
    #[inline(always)]
    pub(super) fn withdraw(&mut self, input: PortId) {
        self.contenders.remove(input);
    }

    /// Counts a packet of `length` bytes on the wire as waiting. `voq` is the number of bytes in its virtual output
    /// queue.
    #[inline(always)]
    pub(super) fn enter(&mut self, voq: &mut u32, length: u16) -> QueueView {
        self.inputs += u32::from(*voq == 0);
        *voq += u32::from(length);
        self.bytes += u64::from(length);
        self.view(*voq)
    }

    /// Counts a packet of `length` bytes as departed, as it starts on the wire.
    ///
    /// # Panics
    /// If fewer bytes wait in its virtual output queue.
    #[inline(always)]
    pub(super) fn depart(&mut self, voq: &mut u32, length: u16, now: Time) -> QueueView {
        *voq = voq.checked_sub(u32::from(length)).expect("a departing packet was in its queue");
        self.inputs -= u32::from(*voq == 0);
        self.bytes -= u64::from(length);
        self.departures.sent(Bytes::new(u64::from(length)), now);
        self.view(*voq)
    }

    #[inline]
    fn view(&self, voq: u32) -> QueueView {
        QueueView {
            voq: Bytes::new(u64::from(voq)),
            sum: Bytes::new(self.bytes),
            inputs: self.inputs,
            wire_busy: false, // Not known here; the pipeline fills it in.
        }
    }
}
