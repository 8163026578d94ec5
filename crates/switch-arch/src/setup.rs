//! The parts that a switch is built from, and the timers that it sets.

use std::sync::Arc;

use cc_policies::AnyMarker;
use event_kernel::Stream;
use link_layer::{LinkTimer, MemorySharing, Port, VlArbiter};
use packet::{Lane, PacketId, PortId};
use topology::ForwardingTable;
use units::Bytes;

use crate::detouring::DetourSetup;
use crate::resolve::{EgressPoolPlan, SelectionPlan};
use crate::spec::{ArbiterSpec, BufferingSpec};
use crate::tables::SlToVl;

/// A timer that a switch sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchTimer {
    /// A packet may start on its output, which is faster than the wire by which it came. No two packets of an input
    /// become ready at the same instant, since the tail of the second comes a whole packet later.
    Ready(PacketId, PortId),
    /// A packet's tail has left.
    TailLeft {
        /// The output.
        output: PortId,
        /// Input that had the packet in its buffer.
        input: PortId,
        /// The output's lane.
        lane: Lane,
        /// Lane of the input's buffer that the packet occupied.
        arrived_on: Lane,
        /// Length on the wire, in bytes.
        length: u16,
    },
    /// A packet has crossed from its input's buffer to a queue at its output. In an output-queued switch, the tail of a
    /// packet that had moved to its output's queue has come in.
    CrossbarDone {
        /// The output.
        output: PortId,
        /// Input that had the packet in its buffer until now.
        input: PortId,
        /// The output's lane.
        lane: Lane,
        /// Lane of the input's buffer that the packet has left.
        arrived_on: Lane,
        /// True if the packet crossed at the crossbar's speed, false if at the rate of its output's wire.
        fast: bool,
        /// Length on the wire, in bytes.
        length: u16,
    },
    /// A credit update may be due; under PFC, a pause may expire or need a refresh.
    FlowControl(PortId, Lane),
}

state_codec::value!(enum SwitchTimer {
    0 = Ready(packet, input),
    1 = TailLeft { output, input, lane, arrived_on, length },
    2 = CrossbarDone { output, input, lane, arrived_on, fast, length },
    3 = FlowControl(port, lane),
});

impl LinkTimer for SwitchTimer {
    fn link_timer(port: PortId, lane: Lane) -> Self {
        Self::FlowControl(port, lane)
    }
}

/// The parts that the selector of a switch is built from, besides its forwarding table.
#[derive(Clone, Debug)]
pub struct SelectionSetup {
    /// The selector, and the packets that it is for.
    pub plan: SelectionPlan,
    /// Number of hosts of the fabric.
    pub hosts: usize,
    /// Random stream of the switch's own.
    pub stream: Stream,
}

/// The parts that a switch is built from.
#[derive(Debug)]
pub struct SwitchSetup {
    /// Ports, in order.
    pub ports: Vec<Port>,
    /// Arbiter of each port's lanes.
    pub lanes: Vec<VlArbiter>,
    /// Number of data lanes.
    pub data_lanes: usize,
    /// Longest packet of the link's MTU.
    pub longest_packet: Bytes,
    /// Output, or group of outputs, by destination.
    pub forwarding: ForwardingTable,
    /// Selector of a port among several; `None` if the hash of a flow chooses.
    pub selection: Option<SelectionSetup>,
    /// Lane of the next link by input, output and service level; `None` if every packet keeps its lane.
    pub sl_to_vl: Option<Arc<SlToVl>>,
    /// Routes that need not be minimal; `None` if all follow the tables.
    pub detours: Option<DetourSetup>,
    /// Division of the receive memory among ports and lanes.
    pub memory: MemorySharing,
    /// Most bytes that may wait for an output and lane; a packet beyond this limit is dropped. Not under credits.
    pub egress_limit: Option<Bytes>,
    /// Pool of the queues at the outputs, of lanes without PFC.
    pub egress_pool: Option<EgressPoolPlan>,
    /// Buffer organisation.
    pub buffering: BufferingSpec,
    /// Size of the queue of each output and lane, if the organisation has such queues.
    pub output_buffer: Bytes,
    /// Arbiter of outputs.
    pub arbiter: ArbiterSpec,
    /// Marker of packets.
    pub marker: AnyMarker,
    /// Speed-up in thousandths: bandwidth of a port's buffers relative to the rate of its link.
    pub speedup_thousandths: u64,
}
