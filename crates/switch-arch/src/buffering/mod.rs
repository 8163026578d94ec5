//! Buffer organisations: where packets wait, and hence which inputs contend for an output.
//!
//! Invariant: an organisation neither loses nor invents a packet, and keeps the order of every flow. A packet is stored
//! once and taken once.
//!
//! | module | packets wait |
//! |---|---|
//! | `input_fifo` | at the inputs, in a queue for each lane |
//! | `input_voq` | at the inputs, in a queue for each output and lane |
//! | `central` | in a memory that all ports share, in a queue for each output and lane |
//! | `output` | at the inputs until their output has room, and at the outputs, in a queue for each lane |
//! | `combined_input_output` | as in `input_voq`, and again at the outputs behind the crossbar |
//!
//! The five modules have the same items in the same order, so that `diff input_fifo.rs central.rs` shows the
//! difference. They are built of [`Contention`] (contenders and queue lengths), `FifoQueues`, [`OutputQueues`] and
//! `WriteBandwidth`.
//!
//! The set of organisations is closed: the event loop pays for a branch, not for an indirect call.

mod central;
mod combined_input_output;
mod contention;
mod fifo_queues;
mod input_fifo;
mod input_voq;
mod output;
mod output_queues;
mod write_bandwidth;

use cc_policies::policy::QueueView;
use packet::{Packet, PacketId, PacketPool, PortId, VoqId};
use units::Time;

pub use self::central::Central;
pub use self::combined_input_output::CombinedInputOutput;
pub use self::contention::Contention;
pub use self::input_fifo::InputFifo;
pub use self::input_voq::InputVoq;
pub use self::output::Output;
pub use self::output_queues::OutputQueues;
pub(crate) use self::write_bandwidth::WriteBandwidth;

/// A buffer organisation. It keeps the contenders in [`Contention`] up to date, by which outputs find their packets.
pub trait Buffering {
    /// Stores a packet that is ready to leave. Returns the new state of its virtual output queue.
    fn store<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        packet: PacketId,
        contention: &mut Contention<WORDS>,
        pool: &mut PacketPool,
    ) -> QueueView;

    /// Returns the packet that `take` would take.
    ///
    /// # Panics
    /// If the input does not contend for the output and lane.
    fn head(&self, voq: VoqId) -> PacketId;

    /// Takes the packet at the head, which leaves its queue. It waits until `depart`.
    ///
    /// # Panics
    /// If the input does not contend for the output and lane.
    fn take<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        contention: &mut Contention<WORDS>,
        pool: &PacketPool,
    ) -> Taken;

    /// Ends the waiting of a packet of `length` bytes that was taken and starts on the wire. Returns the new state of
    /// its virtual output queue.
    ///
    /// # Panics
    /// If fewer bytes wait in the virtual output queue.
    fn depart<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        length: u16,
        contention: &mut Contention<WORDS>,
        now: Time,
    ) -> QueueView;

    /// Takes the packet at the head and ends its waiting: it goes straight to the wire.
    ///
    /// # Panics
    /// If the input does not contend for the output and lane.
    #[inline(always)]
    fn take_for_wire<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        contention: &mut Contention<WORDS>,
        pool: &PacketPool,
        now: Time,
    ) -> (Taken, QueueView) {
        let taken = self.take(voq, contention, pool);
        (taken, self.depart(voq, pool[taken.packet].wire, contention, now))
    }

    /// Returns the number of bytes that wait in a virtual output queue.
    fn waiting(&self, voq: VoqId) -> &u32;

    /// Returns true if a packet of this virtual output queue can be the next packet that is taken from its input's
    /// buffer.
    fn is_next<const WORDS: usize>(&self, voq: VoqId, contention: &Contention<WORDS>) -> bool {
        contention.contenders(voq.output, voq.lane).contains(voq.input)
    }

    /// Returns all packets that have not been taken, each queue from its head on.
    fn packets<'a>(&'a self, pool: &'a PacketPool) -> impl Iterator<Item = &'a Packet>;

    /// Returns the output that the head of a waiting packet's queue waits for.
    fn awaited(&self, voq: VoqId, _pool: &PacketPool) -> PortId {
        voq.output
    }

    /// Returns the queues at the outputs in which packets wait a second time. Most organisations have none.
    fn output_queues(&self) -> Option<&OutputQueues> {
        None
    }
}

/// An organisation in which packets wait a second time, in queues at the outputs.
pub(crate) trait TwoStage: Buffering {
    /// Returns the queues at the outputs.
    fn outputs(&self) -> &OutputQueues;

    /// Returns the queues at the outputs, for changes.
    fn outputs_mut(&mut self) -> &mut OutputQueues;
}

/// A packet that was taken, and the output that its departure concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The packet.
    pub packet: PacketId,
    /// Another output that gained a contender: the packet behind has come to the head of its queue. `None` where all
    /// packets of a queue have the same output.
    pub exposed: Option<PortId>,
}

/// Organisations in which packets go straight from the queue where they contend to the wire.
#[derive(Clone, Debug)]
pub(crate) enum SingleStage {
    InputFifo(InputFifo),
    InputVoq(InputVoq),
    Central(Central),
}

state_codec::state!(enum SingleStage { 0 = InputFifo(queues: part), 1 = InputVoq(queues: part), 2 = Central(queues: part) });

macro_rules! dispatch {
    ($any:expr, $organisation:ident => $call:expr) => {
        match $any {
            SingleStage::InputFifo($organisation) => $call,
            SingleStage::InputVoq($organisation) => $call,
            SingleStage::Central($organisation) => $call,
        }
    };
}

impl Buffering for SingleStage {
    #[inline(always)]
    fn store<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        packet: PacketId,
        contention: &mut Contention<WORDS>,
        pool: &mut PacketPool,
    ) -> QueueView {
        dispatch!(self, buffering => buffering.store(voq, packet, contention, pool))
    }

    fn head(&self, voq: VoqId) -> PacketId {
        dispatch!(self, buffering => buffering.head(voq))
    }

    #[inline(always)]
    fn take<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        contention: &mut Contention<WORDS>,
        pool: &PacketPool,
    ) -> Taken {
        dispatch!(self, buffering => buffering.take(voq, contention, pool))
    }

    #[inline(always)]
    fn depart<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        length: u16,
        contention: &mut Contention<WORDS>,
        now: Time,
    ) -> QueueView {
        dispatch!(self, buffering => buffering.depart(voq, length, contention, now))
    }

    #[inline(always)]
    fn take_for_wire<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        contention: &mut Contention<WORDS>,
        pool: &PacketPool,
        now: Time,
    ) -> (Taken, QueueView) {
        dispatch!(self, buffering => buffering.take_for_wire(voq, contention, pool, now))
    }

    #[inline]
    fn waiting(&self, voq: VoqId) -> &u32 {
        dispatch!(self, buffering => buffering.waiting(voq))
    }

    fn awaited(&self, voq: VoqId, pool: &PacketPool) -> PortId {
        dispatch!(self, buffering => buffering.awaited(voq, pool))
    }

    fn is_next<const WORDS: usize>(&self, voq: VoqId, contention: &Contention<WORDS>) -> bool {
        dispatch!(self, buffering => buffering.is_next(voq, contention))
    }

    fn packets<'a>(&'a self, pool: &'a PacketPool) -> impl Iterator<Item = &'a Packet> {
        // A common type for the iterators of all organisations. Only instruments look at packets.
        let packets: Box<dyn Iterator<Item = &'a Packet> + 'a> =
            dispatch!(self, buffering => Box::new(buffering.packets(pool)));
        packets
    }
}
