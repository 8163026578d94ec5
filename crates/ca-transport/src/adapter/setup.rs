//! The parts of an adapter and of its queue pairs, and its timers.
//!
//! Invariant: plain data, which decide nothing.

use cc_policies::{AnyEcho, AnyResponse};
use event_kernel::Stream;
use link_layer::{LinkTimer, Port, VlArbiter};
use packet::{
    Bth, BthFlags, FlowId, Framing, Lane, Lid, Lrh, Mtu, Opcode, Packet, PortId, Psn, QpNumber, ServiceLevel,
    TransportService,
};
use workload::MessageGenerator;
use workload::Operation;

use crate::spec::AdapterSpec;

/// Timers of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterTimer {
    /// The wire or the host's bus is free.
    Send,
    /// The inter-packet gap of a flow is over.
    PacingDone,
    /// An endpoint may have waited in vain for progress.
    RetransmitTimeout,
    /// The host has consumed a packet.
    HostConsumed,
    /// A message of this queue pair is due to be posted.
    Post(QpNumber),
    /// A credit update may be due; under PFC, a pause may end or a PAUSE may have to be repeated.
    FlowControl(Lane),
    /// A notification is due to the source of the flow that this queue pair receives.
    Notify(QpNumber),
    /// A rank of a job begins here, or has computed.
    Compute,
}

state_codec::value!(enum AdapterTimer {
    0 = Send,
    1 = PacingDone,
    2 = RetransmitTimeout,
    3 = HostConsumed,
    4 = Post(queue_pair),
    5 = FlowControl(lane),
    6 = Notify(queue_pair),
    7 = Compute,
});

impl LinkTimer for AdapterTimer {
    fn link_timer(_: PortId, lane: Lane) -> Self {
        Self::FlowControl(lane)
    }
}

/// The parts of an adapter.
#[derive(Debug)]
pub struct AdapterSetup<'a> {
    /// Address of the adapter.
    pub lid: Lid,
    /// The port.
    pub port: Port,
    /// Arbiter of the port's lanes.
    pub lanes: VlArbiter,
    /// Number of data lanes.
    pub data_lanes: usize,
    /// Lane of each service level.
    pub sl_to_vl: [Lane; 16],
    /// Largest payload of a packet.
    pub mtu: Mtu,
    /// Framing of packets on the link.
    pub framing: Framing,
    /// True if packets of a flow may overtake each other in the fabric. Otherwise a gap without losses is a fault.
    pub may_overtake: bool,
    /// Stream of the entropy values that the adapter draws.
    pub entropy: Stream,
    /// Settings of the scenario.
    pub spec: &'a AdapterSpec,
    /// Notification policy: the answer to a mark.
    pub echo: AnyEcho,
    /// Response policy: the effect of a notification.
    pub response: AnyResponse,
}

/// An end of a flow, as its adapter needs to know it.
#[derive(Clone, Copy, Debug)]
pub struct FlowEnd {
    /// The flow.
    pub flow: FlowId,
    /// Address of the adapter at the other end.
    pub peer: Lid,
    /// Queue pair at the other end.
    pub peer_qp: QpNumber,
    /// Service level of the flow.
    pub service_level: ServiceLevel,
    /// Transport service that carries the flow's messages.
    pub transport: TransportService,
    /// Operation of the flow's messages.
    pub operation: Operation,
    /// True if the flow ends by itself: its messages are counted.
    pub finite: bool,
}

impl FlowEnd {
    /// Returns the header by which packets from the adapter with this address reach the other end. `lanes` has the
    /// lane of each service level.
    #[inline]
    pub(super) const fn route(&self, from: Lid, lanes: &[Lane; 16]) -> Lrh {
        Lrh::new(from, self.peer, lanes[self.service_level.0 as usize], self.service_level)
    }

    /// Returns a packet without payload that takes the path of this end's data. The packet comes from this queue pair
    /// of the adapter with this address. `lanes` has the lane of each service level.
    #[must_use]
    pub fn probe(&self, (from, number): (Lid, QpNumber), lanes: &[Lane; 16]) -> Packet {
        let (psn, flags) = (Psn::new(0), BthFlags::empty());
        let opcode = Opcode::Acknowledge; // Routes do not depend on it.
        let bth = Bth { destination_qp: self.peer_qp, psn, opcode, transport: self.transport, flags };
        Packet::new(self.route(from, lanes), bth, number, self.flow, 0)
    }
}

/// The origin of the messages of a queue pair, when it is opened.
#[derive(Clone, Debug)]
pub enum MessageOrigin {
    /// The other end posts the flow's messages.
    Peer,
    /// The queue pair has a generator of its own.
    Generator(MessageGenerator),
    /// The queue pair shares host traffic with others of this adapter;
    /// [`Adapter::add_host_traffic`](super::Adapter::add_host_traffic) adds it.
    HostTraffic,
    /// The queue pair carries messages of a job; [`Adapter::add_jobs`](super::Adapter::add_jobs) adds its ranks.
    Job,
}
