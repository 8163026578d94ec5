//! Buffer organisations: where packets wait, and who therefore contends for an output.
//!
//! Invariant: an organisation neither loses nor invents a packet, and keeps the order of every flow.
//! The set of organisations is closed: a plan names one, and the event loop pays a branch for it,
//! not an indirect call.

mod input_fifo;
mod input_voq;
mod output;

use packet::{Packet, PacketId, PacketPool, PortId, VoqId};

pub use self::input_fifo::InputFifo;
pub use self::input_voq::InputVoq;
pub use self::output::Output;
use crate::ledger::Ledger;
use crate::spec::BufferingSpec;

/// A buffer organisation. It says in the [`Ledger`] who contends, by which outputs find what it
/// has for them.
pub trait Buffering {
    /// Takes in a packet that is ready to leave.
    fn store<const WORDS: usize>(
        &mut self,
        place: VoqId,
        packet: PacketId,
        ledger: &mut Ledger<WORDS>,
        pool: &mut PacketPool,
    );

    /// The packet that `take` would take.
    ///
    /// # Panics
    /// If the input is not among the contenders.
    fn head<const WORDS: usize>(&self, place: VoqId, ledger: &Ledger<WORDS>) -> PacketId;

    /// Takes the packet at the head.
    ///
    /// # Panics
    /// If the input is not among the contenders.
    fn take<const WORDS: usize>(
        &mut self,
        place: VoqId,
        ledger: &mut Ledger<WORDS>,
        pool: &PacketPool,
    ) -> Taken;

    /// All packets that wait, each queue from its head on.
    fn packets<'a, const WORDS: usize>(
        &'a self,
        ledger: &'a Ledger<WORDS>,
        pool: &'a PacketPool,
    ) -> impl Iterator<Item = &'a Packet>;

    /// Whether packets are read out of a buffer at their input, which can only be read so fast.
    fn reads_at_inputs(&self) -> bool;
}

/// What was taken, and what can be taken since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The packet.
    pub packet: PacketId,
    /// Another output that found a contender by it: the packet that stood behind has come to the head of its
    /// queue. None where queues hold packets of one output only.
    pub exposed: Option<PortId>,
}

/// Any buffer organisation that a scenario can name.
#[derive(Clone, Debug)]
pub struct AnyBuffering {
    queues: Queues,
}

#[derive(Clone, Debug)]
enum Queues {
    InputFifo(InputFifo),
    InputVoq(InputVoq),
    /// Output queueing, and a central memory.
    Output(Output),
}

macro_rules! dispatch {
    ($any:expr, $organisation:ident => $call:expr) => {
        match $any {
            Queues::InputFifo($organisation) => $call,
            Queues::InputVoq($organisation) => $call,
            Queues::Output($organisation) => $call,
        }
    };
}

impl AnyBuffering {
    /// The organisation that the scenario names, empty.
    #[must_use]
    pub fn new(spec: BufferingSpec, ports: usize, lanes: usize) -> Self {
        let queues = match spec {
            BufferingSpec::InputFifo => Queues::InputFifo(InputFifo::new(ports, lanes)),
            // Its queues at the outputs lie behind the crossbar, where nobody contends: see `staging`.
            BufferingSpec::InputVoq | BufferingSpec::CombinedInputOutput => Queues::InputVoq(InputVoq),
            BufferingSpec::Output | BufferingSpec::Central => Queues::Output(Output::new(ports, lanes)),
        };
        Self { queues }
    }

    /// Takes in a packet that is ready to leave.
    #[inline(always)]
    pub fn store<const WORDS: usize>(
        &mut self,
        place: VoqId,
        packet: PacketId,
        ledger: &mut Ledger<WORDS>,
        pool: &mut PacketPool,
    ) {
        dispatch!(&mut self.queues, queues => queues.store(place, packet, ledger, pool));
    }

    /// The packet that `take` would take.
    ///
    /// # Panics
    /// If the input is not among the contenders.
    #[must_use]
    pub fn head<const WORDS: usize>(&self, place: VoqId, ledger: &Ledger<WORDS>) -> PacketId {
        dispatch!(&self.queues, queues => queues.head(place, ledger))
    }

    /// Takes the packet at the head.
    ///
    /// # Panics
    /// If the input is not among the contenders.
    #[inline(always)]
    pub fn take<const WORDS: usize>(
        &mut self,
        place: VoqId,
        ledger: &mut Ledger<WORDS>,
        pool: &PacketPool,
    ) -> Taken {
        dispatch!(&mut self.queues, queues => queues.take(place, ledger, pool))
    }

    /// Shows all packets that wait to `see`, each queue from its head on.
    pub fn look<const WORDS: usize>(
        &self,
        ledger: &Ledger<WORDS>,
        pool: &PacketPool,
        see: impl FnMut(&Packet),
    ) {
        dispatch!(&self.queues, queues => queues.packets(ledger, pool).for_each(see));
    }

    /// Whether packets are read out of a buffer at their input, which can only be read so fast.
    #[must_use]
    pub fn reads_at_inputs(&self) -> bool {
        dispatch!(&self.queues, queues => queues.reads_at_inputs())
    }
}
