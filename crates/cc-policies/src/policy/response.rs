//! The decision of a source: [`Response`], and the events that it responds to.
//!
//! Invariant: settings are shared by all flows of an adapter; each controlled flow has a small state of its own.

use packet::{ServiceLevel, TransportService};
use units::{Bytes, Rate, Span, Time};

use super::Off;

/// Result of a notification, for the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotificationOutcome {
    /// The flow's index reached its `Trigger_Threshold`.
    pub reached_trigger: bool,
    /// The notification counted: the flow was slowed down for it, as far as possible.
    pub decreased: bool,
}

/// The traffic that shares a state of a source's response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateScope {
    /// A queue pair.
    QueuePair,
    /// The reliable-datagram queue pairs of an end-to-end context.
    EeContext,
    /// All traffic of a kind to a destination on a service level (SLID, DLID and SL).
    DestinationLevel,
    /// All traffic that leaves the port on a service level.
    ServiceLevel,
}

impl StateScope {
    /// Returns the scope of a connection: of a queue pair, or of the end-to-end context that a reliable datagram uses.
    #[must_use]
    pub const fn connection(transport: TransportService) -> Self {
        match transport {
            TransportService::Rd => Self::EeContext,
            TransportService::Rc | TransportService::Uc | TransportService::Ud => Self::QueuePair,
        }
    }
}

/// Kind of the packets that a state controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrafficKind {
    /// Requests: SENDs, RDMA WRITEs, and requests for RDMA READs.
    Requests,
    /// Responses to RDMA READs, which are not acknowledged.
    ReadResponses,
}

impl TrafficKind {
    /// Returns whether such packets are acknowledged over this transport service. If so, marks come back on
    /// acknowledgements, and silence means nothing.
    #[must_use]
    pub const fn is_acknowledged(self, transport: TransportService) -> bool {
        matches!(self, Self::Requests) && transport.is_reliable()
    }
}

/// Constraint that held a packet back until it was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LimitedBy {
    /// The inter-packet gap that the response imposed after the previous packet.
    Rate,
    /// A window that was still closed after that gap.
    Window,
    /// Anything else: no data, another flow's turn, or missing credit.
    #[default]
    Other,
}

state_codec::value!(enum LimitedBy { 0 = Rate, 1 = Window, 2 = Other });

/// A packet that a flow sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentPacket {
    /// Constraint that held the packet back.
    pub limited_by: LimitedBy,
    /// Length on the wire.
    pub length: Bytes,
}

/// An acknowledgement. Packets are counted from the queue pair's first, with 64 bits, so that their order survives the
/// wrap of the wire's 24 bits. Queue pairs that share a state have unrelated sequence numbers. For them a packet's
/// number is its *era*: the number of decreases of the state before the packet was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// Number of the packet that the acknowledgement names.
    pub psn: u64,
    /// Number of the next packet to be sent.
    pub next: u64,
    /// Number of packets that are acknowledged for the first time.
    pub packets: u32,
    /// Whether the acknowledgement reports a mark.
    pub marked: bool,
}

/// A notification that is not part of an acknowledgement. Packets count as in [`Acknowledgement`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notification {
    /// Number of the marked packet; `None` if the notification does not name it, as IBA's CNP does not.
    pub psn: Option<u64>,
    /// Number of the next packet to be sent.
    pub next: u64,
}

/// Rate of a flow at an instant, under a [`Response`] that computes a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowRate {
    /// Current rate (DCQCN `R_C`).
    pub current: Rate,
    /// Target rate, which increases approach (DCQCN `R_T`).
    pub target: Rate,
    /// Estimate of congestion, 0 to 1, by which the next notification cuts the rate (DCQCN alpha).
    pub alpha: f64,
}

/// Control of a flow by its [`Response`] at an instant. A quantity that the response does not have is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ControlState {
    /// Rates and alpha (DCQCN).
    pub rate: Option<FlowRate>,
    /// Index into the congestion control table (IBA `CCTI`).
    pub ccti: Option<u16>,
    /// Delay after each packet, in wire times of this packet: the injection rate delay of IBA, or the inter-packet
    /// delay of the HP proposal (CIPD).
    pub delay: Option<f64>,
    /// Window: how many packets of the flow may be unacknowledged (HP proposal, CWND).
    pub window: Option<u32>,
}

state_codec::value!(FlowRate { current, target, alpha });
state_codec::value!(ControlState { rate, ccti, delay, window });

impl ControlState {
    /// Returns the largest rate that the rate or the delay allows on a link of rate `line`; `None` if neither is
    /// controlled. A packet and a delay of d packet times take 1 + d packet times.
    #[must_use]
    pub fn allowed_rate(&self, line: Rate) -> Option<Rate> {
        let delayed = |delay: f64| Rate::bps((line.get() as f64 / (1.0 + delay)).round() as u64);
        self.rate.map(|rate| rate.current).or_else(|| self.delay.map(delayed))
    }
}

/// The decision of a source: how fast a flow may send.
///
/// Laws, which a contract test checks for every response at random:
///
/// - The state is a function of the flow's history. Reading it, by [`gap`](Response::gap) too, changes no later answer.
/// - A mark never shortens the gap or widens the window; other events never do the opposite.
/// - A longer packet has no shorter gap. The window is never 0.
/// - After long enough without a mark, gap and window are as for a flow at rest.
/// - The state that [`control_state`](Response::control_state) shows is the state that acts.
pub trait Response {
    /// State of a controlled flow.
    type State: Copy;

    /// Returns the traffic that shares a state, for packets of kind `sends` over `transport`.
    fn scope(&self, transport: TransportService, _sends: TrafficKind) -> StateScope {
        StateScope::connection(transport)
    }

    /// Returns the state of a flow before its first notification.
    fn at_rest(&self, service_level: ServiceLevel) -> Self::State;

    /// Handles a packet of the flow that starts to leave.
    #[inline]
    fn on_sent(&self, _state: &mut Self::State, _sent: SentPacket, _now: Time) {}

    /// Handles an acknowledgement, marked or not.
    #[inline]
    fn on_acknowledged(
        &self,
        _state: &mut Self::State,
        _ack: Acknowledgement,
        _now: Time,
    ) -> NotificationOutcome {
        NotificationOutcome::default()
    }

    /// Handles a notification that came by itself.
    #[inline]
    fn on_notification(
        &self,
        _state: &mut Self::State,
        _notified: Notification,
        _now: Time,
    ) -> NotificationOutcome {
        NotificationOutcome::default()
    }

    /// Returns the gap after a packet that takes `packet_time` on the wire and starts to leave at `now`.
    #[inline]
    fn gap(&self, _state: &mut Self::State, _packet_time: Span, _now: Time) -> Span {
        Span::ZERO
    }

    /// Returns the window: how many packets of the flow may be unacknowledged; `u32::MAX` if unlimited.
    #[inline]
    fn window(&self, _state: &Self::State) -> u32 {
        u32::MAX
    }

    /// Returns the flow's rate at `now`, which is not before the flow's last event; `None` if the response computes no
    /// rate.
    fn flow_rate(&self, _state: &Self::State, _now: Time) -> Option<FlowRate> {
        None
    }

    /// Returns all that controls the flow at `now`, which is not before the flow's last event.
    fn control_state(&self, state: &Self::State, now: Time) -> ControlState {
        let window = Some(self.window(state)).filter(|window| *window != u32::MAX);
        ControlState { rate: self.flow_rate(state, now), window, ..ControlState::default() }
    }
}

impl Response for Off {
    type State = ();

    fn at_rest(&self, _: ServiceLevel) {}
}
