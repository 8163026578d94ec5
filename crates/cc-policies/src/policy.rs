//! The three decisions of a congestion control, each made where its facts are.
//!
//! Invariant: a policy decides and remembers. It never schedules, sends, logs or owns a packet, and
//! learns the time only as an argument; so each can be tested with a `for` loop.
//!
//! | trait | where | decides |
//! |---|---|---|
//! | [`Marker`] | a switch | whether a packet that leaves is marked, and why |
//! | [`Echo`] | the destination | whether and how a mark is answered |
//! | [`Response`] | the source | how long a flow rests after a packet, and how much it may have under way |

use packet::{Lane, MarkReason, Packet, PortId, ServiceLevel, Transport, VoqId};
use rand_pcg::Pcg64Mcg;
use units::{Bytes, Rate, Span, Time};

/// What a marker is told of its switch when it is built.
#[derive(Clone, Debug)]
pub struct MarkerSetup {
    /// The switch's name, by which settings single out its ports.
    pub name: String,
    /// Number of ports, each an input and an output.
    pub radix: usize,
    /// Number of data lanes of each port.
    pub lanes: usize,
    /// Buffer of an input and lane, as the switch has it by default: what thresholds are shares of. Ports
    /// whose buffer differs keep the switch's thresholds, in bytes.
    pub capacity: Bytes,
    /// The longest packet of the link's MTU.
    pub longest_packet: Bytes,
    /// By output port: whether a channel adapter is at the other end of the cable.
    pub faces_adapter: Vec<bool>,
    /// The switch's own stream for marking, which nobody else draws from.
    pub stream: Pcg64Mcg,
}

/// What a marker may see of the queue that changed: packets that wait, not those on their way out. One that has
/// gone from its input's buffer to a queue at its output still waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueView {
    /// Waiting in this virtual output queue.
    pub voq: Bytes,
    /// Waiting for this output and lane, over all inputs.
    pub sum: Bytes,
    /// How many inputs have something waiting for this output and lane.
    pub inputs: u32,
    /// Whether the output's wire carries a packet whose tail has yet to leave: what joins now has to wait for it.
    pub wire_busy: bool,
}

/// What a marker may see of the buffer of an input and lane: all that occupies it, also what is on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferView {
    /// Occupied, in whole blocks of credit.
    pub held: Bytes,
    /// Free, in whole blocks of credit.
    pub room: Bytes,
}

/// A switch's decision. One marker serves all outputs of one switch.
pub trait Marker {
    /// A packet has joined or left the queue at `voq`, which now looks like `view`.
    fn queue_changed(&mut self, voq: VoqId, view: QueueView);

    /// A packet has come into the buffer of this input and lane, or has left it for good. Of a packet that
    /// comes in, this is told before it joins a queue.
    fn buffer_changed(&mut self, input: PortId, lane: Lane, view: BufferView);

    /// A packet waits for this output and lane, the wire is free, and there is no credit for it.
    fn starved(&mut self, output: PortId, lane: Lane);

    /// A packet starts to leave its input's buffer, to its output's wire or to a queue there, and has been taken
    /// off the buffer's queue at `voq`: is it marked for what happened in that buffer, and why?
    fn left_input(&mut self, voq: VoqId) -> Option<MarkReason>;

    /// A packet of this length on the wire, which came in and leaves as `voq` says, starts to leave the switch:
    /// is it marked for what happened at its output, and why?
    ///
    /// Of every packet both are asked, [`left_input`](Marker::left_input) first. Where nothing lies between a
    /// buffer and the wire, that is at one instant; a switch with queues at its outputs too asks the second when
    /// the packet's turn on the wire has come. The first reason given is the packet's, and a mark is never taken
    /// back.
    fn departing(&mut self, voq: VoqId, length: Bytes) -> Option<MarkReason>;
}

/// How a mark is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// By a congestion notification packet.
    Cnp,
    /// By one that is sent later, at this time.
    CnpAt(Time),
    /// By a mark on an acknowledgement, sent at once.
    Acknowledgement,
}

/// State of an [`Echo`] for one queue pair of a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EchoState {
    /// Arrival of the queue pair's first packet; [`Time::NEVER`] before it.
    pub first_arrival: Time,
    /// Earliest time of the next notification.
    pub quiet_until: Time,
}

impl Default for EchoState {
    fn default() -> Self {
        Self { first_arrival: Time::NEVER, quiet_until: Time::ZERO }
    }
}

/// A destination's decision.
pub trait Echo {
    /// Whether the packet that has come in calls for a notification, and of what kind; `flow` is what is remembered
    /// of its queue pair, which is told of every packet.
    fn answer(&self, packet: &Packet, flow: &mut EchoState, now: Time) -> Option<Answer>;
}

/// What came of a notification, for the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reaction {
    /// The flow's index reached its `Trigger_Threshold`.
    pub reached_trigger: bool,
    /// It counted: the flow was slowed down for it, as far as it could be.
    pub decreased: bool,
}

/// Who shares a state of the source's response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateScope {
    /// Nobody: each queue pair has its own.
    QueuePair,
    /// The reliable datagram's queue pairs of an end-to-end context.
    EeContext,
    /// All that goes to one destination on one service level, and is of this kind (SLID, DLID and SL).
    DestinationLevel,
    /// All that leaves the port on one service level.
    ServiceLevel,
}

/// What of a transport service a state is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sends {
    /// Requests: SENDs, RDMA WRITEs, and requests for RDMA READs.
    Requests,
    /// Responses to RDMA READs, which nothing acknowledges.
    ReadResponses,
}

impl Sends {
    /// Whether what is sent over this transport service is acknowledged, so that marks come back on
    /// acknowledgements and silence says nothing.
    #[must_use]
    pub const fn is_acknowledged(self, transport: Transport) -> bool {
        matches!(self, Self::Requests) && transport.is_reliable()
    }
}

/// What held a packet back until it was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LimitedBy {
    /// The rest that the response had asked for after the packet before.
    Rate,
    /// A window that was closed after that rest was over.
    Window,
    /// Anything else: there was nothing to send, or others had their turn, or credit was missing.
    #[default]
    Other,
}

/// A packet that a flow sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// What held it back.
    pub limited_by: LimitedBy,
    /// Its length on the wire.
    pub length: Bytes,
}

/// An acknowledgement. Packets are counted from the queue pair's first, with 64 bits, so that no order
/// is lost where the wire's 24 bits wrap. Where queue pairs share a state, whose numbers say nothing to each
/// other, a packet's number is that of its *era*: how often the state had been decreased when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// The packet that it names.
    pub psn: u64,
    /// The next packet that will be sent.
    pub next: u64,
    /// How many packets it is the first to acknowledge.
    pub packets: u32,
    /// Whether it says that the packet was marked.
    pub marked: bool,
}

/// A notification of its own, not part of an acknowledgement. Packets count as in [`Acknowledged`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notified {
    /// The packet that was marked; none where the notification does not name it, as IBA's CNP does not.
    pub psn: Option<u64>,
    /// The next packet that will be sent.
    pub next: u64,
}

/// Rate of a flow under a [`Response`] that computes one, at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowRate {
    /// Current rate (DCQCN `R_C`).
    pub current: Rate,
    /// Target rate, which increases approach (DCQCN `R_T`).
    pub target: Rate,
    /// Estimate of congestion, 0 to 1, by which the next notification cuts the rate (DCQCN alpha).
    pub alpha: f64,
}

/// A source's decision. The settings are shared; each controlled flow has a small state of its own.
pub trait Response {
    /// What is remembered of one controlled flow.
    type State: Copy;

    /// The state of a flow that has not been told of any congestion.
    fn at_rest(&self, service_level: ServiceLevel) -> Self::State;

    /// A packet of the flow starts to leave.
    fn on_sent(&self, state: &mut Self::State, sent: Sent, now: Time);

    /// An acknowledgement reached the flow, marked or not.
    fn on_acknowledged(&self, state: &mut Self::State, ack: Acknowledged, now: Time) -> Reaction;

    /// A notification of congestion reached the flow by itself.
    fn on_notification(&self, state: &mut Self::State, notified: Notified, now: Time) -> Reaction;

    /// How long the flow rests after a packet that takes `packet_time` on the wire and starts to leave now.
    fn gap(&self, state: &mut Self::State, packet_time: Span, now: Time) -> Span;

    /// How many packets of the flow may be unacknowledged; `u32::MAX` for as many as it likes.
    fn window(&self, state: &Self::State) -> u32;

    /// Returns the flow's rate at `now`, which is not before the last event of the flow; `None` if the response
    /// computes no rate.
    fn flow_rate(&self, _: &Self::State, _: Time) -> Option<FlowRate> {
        None
    }
}
