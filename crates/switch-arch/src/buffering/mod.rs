//! Buffer organisations: where packets wait, and who therefore contends for an output.
//!
//! Invariant: an organisation neither loses nor invents a packet, and keeps the order of every flow.
//! The set of organisations is closed: a plan names one, and the event loop pays a branch for it,
//! not an indirect call.

mod input_fifo;
mod input_voq;
mod output;

use cc_policies::policy::Place;
use link_layer::{LaneSet, PortSet};
use packet::{Lane, PacketId, PacketPool, PortId};

pub use self::input_fifo::InputFifo;
pub use self::input_voq::InputVoq;
pub use self::output::Output;
use crate::spec::BufferingSpec;

/// A buffer organisation.
pub trait Buffering {
    /// Takes in a packet that is ready to leave.
    fn store(&mut self, place: Place, packet: PacketId, pool: &mut PacketPool);

    /// Lanes on which something can be taken for this output.
    fn lanes(&self, output: PortId) -> LaneSet;

    /// Inputs that have a packet at the head of a queue for this output and lane.
    fn contenders(&self, output: PortId, lane: Lane) -> PortSet;

    /// The packet that `take` would take.
    ///
    /// # Panics
    /// If the input is not among the contenders.
    fn head(&self, place: Place) -> PacketId;

    /// Takes the packet at the head.
    ///
    /// # Panics
    /// If the input is not among the contenders.
    fn take(&mut self, place: Place, pool: &PacketPool) -> Taken;

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
pub enum AnyBuffering {
    /// One queue at each input.
    InputFifo(InputFifo),
    /// Virtual output queues at the inputs.
    InputVoq(InputVoq),
    /// One queue for each output: output queueing, and a central memory.
    Output(Output),
}

impl AnyBuffering {
    /// The organisation that the scenario names, empty.
    #[must_use]
    pub fn new(spec: BufferingSpec, ports: usize, lanes: usize) -> Self {
        match spec {
            BufferingSpec::InputFifo => Self::InputFifo(InputFifo::new(ports, lanes)),
            // Its queues at the outputs lie behind the crossbar, where nobody contends: see `staging`.
            BufferingSpec::InputVoq | BufferingSpec::CombinedInputOutput => {
                Self::InputVoq(InputVoq::new(ports, lanes))
            }
            BufferingSpec::Output | BufferingSpec::Central => Self::Output(Output::new(ports, lanes)),
        }
    }
}

macro_rules! dispatch {
    ($any:expr, $organisation:ident => $call:expr) => {
        match $any {
            AnyBuffering::InputFifo($organisation) => $call,
            AnyBuffering::InputVoq($organisation) => $call,
            AnyBuffering::Output($organisation) => $call,
        }
    };
}

impl Buffering for AnyBuffering {
    fn store(&mut self, place: Place, packet: PacketId, pool: &mut PacketPool) {
        dispatch!(self, organisation => organisation.store(place, packet, pool));
    }

    fn lanes(&self, output: PortId) -> LaneSet {
        dispatch!(self, organisation => organisation.lanes(output))
    }

    fn contenders(&self, output: PortId, lane: Lane) -> PortSet {
        dispatch!(self, organisation => organisation.contenders(output, lane))
    }

    fn head(&self, place: Place) -> PacketId {
        dispatch!(self, organisation => organisation.head(place))
    }

    fn take(&mut self, place: Place, pool: &PacketPool) -> Taken {
        dispatch!(self, organisation => organisation.take(place, pool))
    }

    fn reads_at_inputs(&self) -> bool {
        dispatch!(self, organisation => organisation.reads_at_inputs())
    }
}
