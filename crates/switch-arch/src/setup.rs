//! What a switch is made of, and what it asks to be woken for.

use cc_policies::AnyMarker;
use link_layer::{LinkTimer, MemorySharing, Port, VlArbiter};
use packet::{Lane, PacketId, PortId};
use topology::ForwardingTable;
use units::Bytes;

use crate::arbiter::AnyArbiter;
use crate::buffering::AnyBuffering;

/// What a switch asks to be woken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchWake {
    /// A packet may start on its output, which is faster than the wire by which it came. Two packets of
    /// one input are never ready at one instant, since the tail of the later one is a whole packet later.
    Ready(PacketId, PortId),
    /// A packet's tail has left.
    TailLeft {
        /// The output.
        output: PortId,
        /// The input whose buffer it occupied.
        input: PortId,
        /// The lane.
        lane: Lane,
        /// Its length on the wire, in bytes.
        length: u16,
    },
    /// A packet has crossed from its input's buffer to a queue at its output.
    Crossed {
        /// The output.
        output: PortId,
        /// The input whose buffer it has left.
        input: PortId,
        /// The lane.
        lane: Lane,
        /// Whether it crossed as fast as the crossbar can, not just as fast as its output's wire.
        fast: bool,
        /// Its length on the wire, in bytes.
        length: u16,
    },
    /// A credit update may be due; under PFC, a pause may run out or have to be asked for again.
    Credit(PortId, Lane),
}

impl LinkTimer for SwitchWake {
    fn link_timer(port: PortId, lane: Lane) -> Self {
        Self::Credit(port, lane)
    }
}

/// What a switch is made of.
#[derive(Debug)]
pub struct SwitchSetup {
    /// Its ports, in order.
    pub ports: Vec<Port>,
    /// Arbiter of each port's lanes.
    pub lanes: Vec<VlArbiter>,
    /// Number of data lanes.
    pub data_lanes: usize,
    /// The longest packet of the link's MTU.
    pub longest_packet: Bytes,
    /// Output by destination.
    pub forwarding: ForwardingTable,
    /// Memory that all ports and lanes share.
    pub memory: MemorySharing,
    /// The most that may wait for an output and lane; a packet that comes in beyond that is dropped. Not under credits.
    pub egress_limit: Option<Bytes>,
    /// Where packets wait.
    pub buffering: AnyBuffering,
    /// Who wins.
    pub arbiter: AnyArbiter,
    /// Who is marked.
    pub marker: AnyMarker,
    /// Queue of each output and lane behind the crossbar, where the organisation has them.
    pub output_queue: Option<Bytes>,
    /// How much faster an input's buffer can be read than its link fills it, and an output's queues be written
    /// than its link empties them, in thousandths.
    pub speedup_thousandths: u64,
}
