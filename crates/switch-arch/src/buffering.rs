//! Where packets wait, and who therefore contends for an output.
//!
//! Invariant: an organisation neither loses nor invents a packet, and keeps the order of every flow.
//! The set of organisations is closed: a plan names one, and the event loop pays a branch for it,
//! not an indirect call.

use cc_policies::policy::Place;
use link_layer::{LaneSet, PortSet};
use packet::{Lane, PacketId, PacketPool, PacketQueue, PortId};

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
    fn take(&mut self, place: Place, pool: &PacketPool) -> PacketId;

    /// Whether packets are read out of a buffer at their input, which can only be read so fast.
    fn reads_at_inputs(&self) -> bool;
}

/// Packets wait at their input, in a queue for each output and lane: virtual output queues.
#[derive(Clone, Debug)]
pub struct InputVoq {
    ports: usize,
    lanes: usize,
    /// By (output, lane, input).
    queues: Vec<PacketQueue>,
    /// By (output, lane).
    contenders: Vec<PortSet>,
    /// By output.
    waiting: Vec<LaneSet>,
}

impl InputVoq {
    /// Empty queues for a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self {
            ports,
            lanes,
            queues: vec![PacketQueue::default(); ports * ports * lanes],
            contenders: vec![PortSet::EMPTY; ports * lanes],
            waiting: vec![LaneSet::default(); ports],
        }
    }

    fn output(&self, output: PortId, lane: Lane) -> usize {
        output.index() * self.lanes + lane.index()
    }

    fn queue(&self, place: Place) -> usize {
        self.output(place.output, place.lane) * self.ports + place.input.index()
    }
}

impl Buffering for InputVoq {
    fn store(&mut self, place: Place, packet: PacketId, pool: &mut PacketPool) {
        let (output, queue) = (self.output(place.output, place.lane), self.queue(place));
        self.queues[queue].push(packet, pool);
        self.contenders[output].insert(place.input);
        self.waiting[place.output.index()].insert(place.lane);
    }

    fn lanes(&self, output: PortId) -> LaneSet {
        self.waiting[output.index()]
    }

    fn contenders(&self, output: PortId, lane: Lane) -> PortSet {
        self.contenders[self.output(output, lane)]
    }

    fn head(&self, place: Place) -> PacketId {
        self.queues[self.queue(place)].head().expect("a contender has a packet")
    }

    fn take(&mut self, place: Place, pool: &PacketPool) -> PacketId {
        let (output, queue) = (self.output(place.output, place.lane), self.queue(place));
        let packet = self.queues[queue].pop(pool).expect("a contender has a packet");
        if self.queues[queue].is_empty() {
            self.contenders[output].remove(place.input);
            if self.contenders[output].is_empty() {
                self.waiting[place.output.index()].remove(place.lane);
            }
        }
        packet
    }

    fn reads_at_inputs(&self) -> bool {
        true
    }
}

/// Any buffer organisation that a scenario can name.
#[derive(Clone, Debug)]
pub enum AnyBuffering {
    /// Virtual output queues at the inputs.
    InputVoq(InputVoq),
}

impl AnyBuffering {
    /// The organisation that the scenario names, empty.
    #[must_use]
    pub fn new(spec: BufferingSpec, ports: usize, lanes: usize) -> Self {
        match spec {
            BufferingSpec::InputVoq => Self::InputVoq(InputVoq::new(ports, lanes)),
        }
    }
}

macro_rules! dispatch {
    ($any:expr, $organisation:ident => $call:expr) => {
        match $any {
            AnyBuffering::InputVoq($organisation) => $call,
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

    fn take(&mut self, place: Place, pool: &PacketPool) -> PacketId {
        dispatch!(self, organisation => organisation.take(place, pool))
    }

    fn reads_at_inputs(&self) -> bool {
        dispatch!(self, organisation => organisation.reads_at_inputs())
    }
}
