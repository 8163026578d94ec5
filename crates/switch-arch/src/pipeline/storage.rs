//! The packets of a switch, in the queues of its buffer organisation.
//!
//! Invariant: contenders, queue lengths and packets change together.

use cc_policies::policy::QueueView;
use link_layer::LaneSet;
use packet::{Lane, PacketId, PacketPool, PortId, VoqId};
use units::{Bytes, Time};

use crate::arbitration::Request;
use crate::buffering::{Buffering, Contention, Taken};
use crate::tables::PortSet;

/// Packets that wait, and the contenders that they make of their inputs.
#[derive(Debug)]
#[repr(C)] // In the order of use.
pub(super) struct Storage<B, const WORDS: usize> {
    pub(super) contention: Contention<WORDS>,
    longest_packet: Bytes,
    pub(super) buffering: B,
}

state_codec::state!([B: state_codec::State, const WORDS: usize] Storage<B, WORDS> {
    contention: part,
    longest_packet: plan,
    buffering: part,
});

impl<B: Buffering, const WORDS: usize> Storage<B, WORDS> {
    /// Creates the storage of an empty switch. No packet is longer than `longest_packet`.
    pub(super) fn new(buffering: B, ports: usize, lanes: usize, longest_packet: Bytes) -> Self {
        Self { contention: Contention::new(ports, lanes), longest_packet, buffering }
    }

    /// Stores a packet that is ready to leave. Returns the new state of its virtual output queue.
    #[inline(always)]
    pub(super) fn store(&mut self, voq: VoqId, id: PacketId, pool: &mut PacketPool) -> QueueView {
        self.buffering.store(voq, id, &mut self.contention, pool)
    }

    /// Takes the packet at the head of a contender's queue.
    #[inline(always)]
    pub(super) fn take(&mut self, voq: VoqId, pool: &PacketPool) -> Taken {
        self.buffering.take(voq, &mut self.contention, pool)
    }

    /// Ends the waiting of a packet that starts on the wire. Returns the new state of its virtual output queue.
    #[inline(always)]
    pub(super) fn depart(&mut self, voq: VoqId, length: u16, now: Time) -> QueueView {
        self.buffering.depart(voq, length, &mut self.contention, now)
    }

    /// Takes the packet at the head of a contender's queue straight to the wire. Returns it with the new state of its
    /// virtual output queue.
    #[inline(always)]
    pub(super) fn take_for_wire(&mut self, voq: VoqId, pool: &PacketPool, now: Time) -> (Taken, QueueView) {
        self.buffering.take_for_wire(voq, &mut self.contention, pool, now)
    }

    /// Returns the lanes on which an input contends for `output`.
    #[inline]
    pub(super) fn lanes(&self, output: PortId) -> LaneSet {
        self.contention.lanes(output)
    }

    /// Returns the inputs that contend for an output and lane.
    #[inline]
    pub(super) fn contenders(&self, output: PortId, lane: Lane) -> PortSet<WORDS> {
        self.contention.contenders(output, lane)
    }

    /// Returns the length of the packet at the head of a contender's queue.
    pub(super) fn head_length(&self, voq: VoqId, pool: &PacketPool) -> Bytes {
        pool[self.buffering.head(voq)].wire_bytes()
    }

    /// Returns true if `admits` admits the packet of every contender of `request`. If it refuses any packet, all of
    /// them wait: else short packets could for ever use up the room that a long packet waits for.
    #[inline(always)]
    pub(super) fn all_fit(
        &self,
        request: &Request<WORDS>,
        pool: &PacketPool,
        admits: impl Fn(Bytes) -> bool,
    ) -> bool {
        let Request { output, lane, mut contenders } = *request;
        // With room for the longest packet no head needs to be read, which saves a cache miss for each contender.
        admits(self.longest_packet)
            || contenders.all(|input| admits(self.head_length(VoqId { input, output, lane }, pool)))
    }
}
