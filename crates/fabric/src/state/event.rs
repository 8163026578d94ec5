//! Events, and their order within one instant.
//!
//! Invariant: the order of two simultaneous events depends on their contents, never on the time or the node that
//! scheduled them. Two events that one wire delivers in one instant differ in kind or lane; two timers of one node
//! differ in kind, port, lane or sequence number, or commute.

use ca_transport::AdapterTimer;
use event_kernel::EventOrder;
use link_layer::Signal;
use packet::{NodeId, PacketId, PortId};
use switch_arch::SwitchTimer;

/// An event at a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) node: NodeId,
    pub(crate) kind: EventKind,
}

/// The kinds of events.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EventKind {
    /// A packet arrives.
    Arrive(PortId, PacketId),
    /// A signal of the link layer arrives.
    Signal(PortId, Signal),
    /// A timer of a channel adapter expires.
    Adapter(AdapterTimer),
    /// A timer of a switch expires.
    Switch(SwitchTimer),
}

state_codec::value!(enum EventKind {
    0 = Arrive(port, packet),
    1 = Signal(port, signal),
    2 = Adapter(timer),
    3 = Switch(timer),
});

impl From<AdapterTimer> for EventKind {
    #[inline(always)]
    fn from(timer: AdapterTimer) -> Self {
        Self::Adapter(timer)
    }
}

impl From<SwitchTimer> for EventKind {
    #[inline(always)]
    fn from(timer: SwitchTimer) -> Self {
        Self::Switch(timer)
    }
}

const _: () = assert!(size_of::<Event>() <= 16, "an event with its time and order is half a cache line");

impl EventKind {
    /// Returns true if the event advances a packet, a message or a host. Credits and their timers continue for ever.
    #[inline]
    pub(crate) const fn is_work(&self) -> bool {
        !matches!(
            self,
            EventKind::Signal(..)
                | EventKind::Switch(SwitchTimer::FlowControl(..))
                | EventKind::Adapter(AdapterTimer::FlowControl(_))
        )
    }
}

impl Event {
    /// Returns the order of the event within its instant; `sequence` is the sender's count of signals.
    #[inline]
    pub(crate) fn order(&self, sequence: u32) -> EventOrder {
        let (kind, port, lane, sequence) = match self.kind {
            EventKind::Arrive(port, _) => (0, port.0, 0, 0),
            EventKind::Signal(port, Signal::Credit { lane, .. } | Signal::Pause { lane, .. }) => {
                (1, port.0, lane.0, sequence)
            }
            EventKind::Switch(SwitchTimer::TailLeft { output, lane, .. }) => (2, output.0, lane.0, 0),
            EventKind::Switch(SwitchTimer::CrossbarDone {
                output,
                input,
                lane,
                arrived_on,
                fast,
                length,
            }) => {
                // Several packets may cross to one output and lane at a time. Two events with equal fields commute. The
                // number of a port takes 8 of its 12 bits.
                let changed = u16::from(arrived_on.0 ^ lane.0);
                let differs = u32::from(input.0) << 12 | u32::from(length >> 2) << 1 | u32::from(fast);
                (3, output.0 | changed << 8, lane.0, differs)
            }
            EventKind::Switch(SwitchTimer::Ready(_, input)) => (4, input.0, 0, 0),
            EventKind::Switch(SwitchTimer::FlowControl(port, lane)) => (5, port.0, lane.0, 0),
            EventKind::Adapter(AdapterTimer::HostConsumed) => (2, 0, 0, 0),
            EventKind::Adapter(AdapterTimer::Post(queue_pair)) => (3, 0, 0, queue_pair.0),
            EventKind::Adapter(AdapterTimer::FlowControl(lane)) => (4, 0, lane.0, 0),
            EventKind::Adapter(AdapterTimer::Send) => (5, 0, 0, 0),
            EventKind::Adapter(AdapterTimer::PacingDone) => (6, 0, 0, 0),
            EventKind::Adapter(AdapterTimer::RetransmitTimeout) => (7, 0, 0, 0),
            EventKind::Adapter(AdapterTimer::Notify(queue_pair)) => (8, 0, 0, queue_pair.0),
        };
        EventOrder::new(self.node.0, kind, port, lane, sequence)
    }
}
