//! What waits from where to where: who contends for an output, and how much waits there. The one place that outputs,
//! markers and reports ask.
//!
//! Invariant: an output is said to have a lane exactly if somebody contends for it there. A packet is counted from the
//! time it is ready to leave until it starts to: what still streams out of its buffer no longer waits.
//!
//! Every packet asks for an output and lane several times over, so all that is known of one is one cache line, and
//! asking costs no branch on the organisation. What is known of a virtual output queue lies in one place too, with its
//! packets where it has any: those of [`InputVoq`](crate::buffering::InputVoq).

use cc_policies::policy::QueueView;
use link_layer::LaneSet;
use packet::{Lane, PacketId, PacketPool, PacketQueue, PortId, VoqId};
use telemetry::LaneOutput;
use units::{Bytes, Time};

use crate::port_set::PortSet;

/// What waits, by virtual output queue and by output and lane, and what has left there.
#[derive(Clone, Debug)]
pub struct Ledger<const WORDS: usize = 4> {
    ports: usize,
    lanes: usize,
    /// By (output, lane, input).
    voqs: Box<[Voq]>,
    /// By (output, lane).
    outputs: Box<[OutputLane<WORDS>]>,
}

/// What waits at an input for an output and lane.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))] // None lies across two cache lines.
struct Voq {
    bytes: u32,
    /// In the order in which they leave, in a switch with virtual output queues.
    packets: PacketQueue,
}

/// What waits for an output and lane, and what has left there.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct OutputLane<const WORDS: usize> {
    /// Inputs with a packet at the head of a queue.
    contenders: PortSet<WORDS>,
    bytes: u64,
    /// How many inputs have something waiting, at the head of a queue or not.
    inputs: u32,
    left: LaneOutput,
}

const _: () =
    assert!(size_of::<OutputLane<1>>() == 64, "what is known of an output and lane is one cache line");

impl<const WORDS: usize> Ledger<WORDS> {
    /// Nothing waits, at a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self {
            ports,
            lanes,
            voqs: vec![Voq::default(); ports * ports * lanes].into(),
            outputs: vec![OutputLane::default(); ports * lanes].into(),
        }
    }

    /// Lanes on which somebody contends for this output.
    #[inline]
    #[must_use]
    pub fn lanes(&self, output: PortId) -> LaneSet {
        let first = output.index() * self.lanes;
        let mut waiting = LaneSet::default();
        for (lane, waits) in (0..).zip(&self.outputs[first..first + self.lanes]) {
            if !waits.contenders.is_empty() {
                waiting.insert(Lane(lane));
            }
        }
        waiting
    }

    /// Inputs that contend for this output and lane: they have a packet at the head of a queue for it.
    #[inline]
    #[must_use]
    pub fn contenders(&self, output: PortId, lane: Lane) -> PortSet<WORDS> {
        self.outputs[self.output(output, lane)].contenders
    }

    /// This input now has a packet at the head of a queue for that output and lane.
    #[inline(always)]
    pub fn contend(&mut self, VoqId { input, output, lane }: VoqId) {
        let at = self.output(output, lane);
        self.outputs[at].contenders.insert(input);
    }

    /// This input has none any more.
    #[inline(always)]
    pub fn withdraw(&mut self, VoqId { input, output, lane }: VoqId) {
        let at = self.output(output, lane);
        self.outputs[at].contenders.remove(input);
    }

    /// A packet of this length on the wire now waits at `place`.
    #[inline(always)]
    pub fn add(&mut self, place: VoqId, length: u16) -> QueueView {
        let (voq, output) = self.at(place);
        output.inputs += u32::from(voq.bytes == 0);
        voq.bytes += u32::from(length);
        output.bytes += u64::from(length);
        output.view(voq.bytes)
    }

    /// A packet of this length on the wire no longer waits at `place`: it starts to leave.
    ///
    /// # Panics
    /// If more is taken away than waits there.
    #[inline(always)]
    pub fn remove(&mut self, place: VoqId, length: u16, now: Time) -> QueueView {
        let (voq, output) = self.at(place);
        voq.bytes = voq.bytes.checked_sub(u32::from(length)).expect("what leaves a queue was in it");
        output.inputs -= u32::from(voq.bytes == 0);
        output.bytes -= u64::from(length);
        output.left.sent(Bytes::new(u64::from(length)), now);
        output.view(voq.bytes)
    }

    /// What waits for an output and lane, over all inputs.
    #[must_use]
    pub fn waiting(&self, output: PortId, lane: Lane) -> Bytes {
        Bytes::new(self.outputs[self.output(output, lane)].bytes)
    }

    /// Whether something that came by an input waits for an output, on this lane.
    #[must_use]
    pub fn waits(&self, place: VoqId) -> bool {
        self.voqs[self.voq(place)].bytes > 0
    }

    /// The packets of a virtual output queue, in a switch that has them.
    #[inline]
    pub(crate) fn queue(&self, place: VoqId) -> &PacketQueue {
        &self.voqs[self.voq(place)].packets
    }

    /// Puts a packet at the end of its virtual output queue: its input contends.
    #[inline(always)]
    pub(crate) fn push(&mut self, place: VoqId, packet: PacketId, pool: &mut PacketPool) {
        let (voq, output) = self.at(place);
        voq.packets.push(packet, pool);
        output.contenders.insert(place.input);
    }

    /// Takes the packet at the head of a virtual output queue: if it was the last, its input contends no more.
    #[inline(always)]
    pub(crate) fn pop(&mut self, place: VoqId, pool: &PacketPool) -> Option<PacketId> {
        let (voq, output) = self.at(place);
        let packet = voq.packets.pop(pool);
        if voq.packets.is_empty() {
            output.contenders.remove(place.input);
        }
        packet
    }

    /// The packets of all virtual output queues, in order.
    pub(crate) fn queues(&self) -> impl Iterator<Item = &PacketQueue> {
        self.voqs.iter().map(|voq| &voq.packets)
    }

    /// What has left by an output and lane.
    #[inline]
    pub(crate) fn left(&self, output: PortId, lane: Lane) -> &LaneOutput {
        &self.outputs[self.output(output, lane)].left
    }

    /// A packet waits for an output and lane, the wire is free, and there is no credit for it.
    pub(crate) fn starved(&mut self, output: PortId, lane: Lane, now: Time) {
        let at = self.output(output, lane);
        self.outputs[at].left.starved(now);
    }

    #[inline]
    fn output(&self, output: PortId, lane: Lane) -> usize {
        output.index() * self.lanes + lane.index()
    }

    #[inline]
    fn voq(&self, VoqId { input, output, lane }: VoqId) -> usize {
        self.output(output, lane) * self.ports + input.index()
    }

    #[inline]
    fn at(&mut self, place: VoqId) -> (&mut Voq, &mut OutputLane<WORDS>) {
        let output = self.output(place.output, place.lane);
        (&mut self.voqs[output * self.ports + place.input.index()], &mut self.outputs[output])
    }
}

impl<const WORDS: usize> OutputLane<WORDS> {
    #[inline]
    fn view(&self, voq: u32) -> QueueView {
        QueueView {
            voq: Bytes::new(u64::from(voq)),
            sum: Bytes::new(self.bytes),
            inputs: self.inputs,
            wire_busy: false, // The ledger does not know; the switch does.
        }
    }
}
