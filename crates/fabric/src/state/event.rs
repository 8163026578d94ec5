//! Events, and their order within one instant.
//!
//! Invariant: the order of two simultaneous events depends on their contents, never on the time or the node that
//! scheduled them. Two events that a wire delivers in the same instant differ in kind or lane. Two timers of the same
//! node differ in kind, port, lane or sequence number, or commute.

use core::fmt::{self, Debug, Formatter};

use ca_transport::AdapterTimer;
use event_kernel::{EventOrder, Owned};
use link_layer::Signal;
use packet::{Lane, NodeId, PacketId, PortId, QpNumber};
use switch_arch::SwitchTimer;

/// An event at a node, as the event list holds it. It is a single word, so that it travels in a register and the list
/// stays small.
///
/// ```text
/// 63     24 23   4 3   0
/// content   node   tag
///
/// tag      content, lowest bits first
/// 0        port 8, packet 32                                        Arrive
/// 1        port 8, lane 4, FCTBS 12, FCCL 12                        Signal: Credit
/// 2        port 8, lane 4, quanta 16                                Signal: Pause
/// 3        input 8, packet 32                                       Switch: Ready
/// 4        output 8, input 8, lane 4, arrived on 4, length 16       Switch: TailLeft
/// 5, 6     the same                                                 Switch: CrossbarDone, slow and fast
/// 7        port 8, lane 4                                           Switch: FlowControl
/// 8, 9     -                                                        Adapter: Send, PacingDone
/// 10, 11   -                                                        Adapter: RetransmitTimeout, HostConsumed
/// 12, 14   queue pair 32                                            Adapter: Post, Notify
/// 15       -                                                        Adapter: Compute
/// 13       lane 4                                                   Adapter: FlowControl
/// ```
#[derive(Clone, Copy)]
pub(crate) struct Event(u64);

const TAG_BITS: u32 = 4;
const NODE_BITS: u32 = 20;

/// Most nodes of a part. A subnet has fewer: its LIDs have 16 bits.
pub(crate) const MOST_NODES: usize = 1 << NODE_BITS;

#[derive(Clone, Copy, Debug)]
pub(crate) enum EventKind {
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

    /// Returns the order of the event at its node within its instant; `sequence` is the sender's count of signals.
    #[inline]
    pub(crate) fn order(&self, sequence: u32) -> EventOrder {
        let (kind, port, lane, sequence) = match *self {
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
                // Several packets may cross to the same output and lane at a time. Two events with equal fields
                // commute. The number of a port takes 8 of its 12 bits.
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
            EventKind::Adapter(AdapterTimer::Compute) => (9, 0, 0, 0),
        };
        EventOrder::new(kind, port, lane, sequence)
    }
}

impl Event {
    /// Makes an event of these parts. Ports are below 256, lanes below 16, and credits below 4096.
    #[inline(always)]
    pub(crate) fn new(node: NodeId, kind: EventKind) -> Self {
        debug_assert!(node.index() < MOST_NODES, "{node:?} takes {NODE_BITS} bits");
        let lane_of = |lane: Lane| u64::from(lane.0);
        let port_of = |port: PortId| {
            debug_assert!(port.0 < 1 << 8, "{port:?} takes 8 bits");
            u64::from(port.0)
        };
        let passage = |output, input, lane, arrived_on, length: u16| {
            port_of(output)
                | port_of(input) << 8
                | lane_of(lane) << 16
                | lane_of(arrived_on) << 20
                | u64::from(length) << 24
        };
        let (tag, content) = match kind {
            EventKind::Arrive(port, packet) => (0, port_of(port) | u64::from(packet.slot()) << 8),
            EventKind::Signal(port, Signal::Credit { lane, fctbs, fccl }) => {
                debug_assert!(fctbs < 1 << 12 && fccl < 1 << 12, "credits are counted modulo 4096");
                let credits = u64::from(fctbs) << 12 | u64::from(fccl) << 24;
                (1, port_of(port) | lane_of(lane) << 8 | credits)
            }
            EventKind::Signal(port, Signal::Pause { lane, quanta }) => {
                (2, port_of(port) | lane_of(lane) << 8 | u64::from(quanta) << 12)
            }
            EventKind::Switch(SwitchTimer::Ready(packet, input)) => {
                (3, port_of(input) | u64::from(packet.slot()) << 8)
            }
            EventKind::Switch(SwitchTimer::TailLeft { output, input, lane, arrived_on, length }) => {
                (4, passage(output, input, lane, arrived_on, length))
            }
            EventKind::Switch(SwitchTimer::CrossbarDone {
                output,
                input,
                lane,
                arrived_on,
                fast,
                length,
            }) => (5 + u64::from(fast), passage(output, input, lane, arrived_on, length)),
            EventKind::Switch(SwitchTimer::FlowControl(port, lane)) => {
                (7, port_of(port) | lane_of(lane) << 8)
            }
            EventKind::Adapter(AdapterTimer::Send) => (8, 0),
            EventKind::Adapter(AdapterTimer::PacingDone) => (9, 0),
            EventKind::Adapter(AdapterTimer::RetransmitTimeout) => (10, 0),
            EventKind::Adapter(AdapterTimer::HostConsumed) => (11, 0),
            EventKind::Adapter(AdapterTimer::Post(queue_pair)) => (12, queue_pair.0.into()),
            EventKind::Adapter(AdapterTimer::FlowControl(lane)) => (13, lane_of(lane)),
            EventKind::Adapter(AdapterTimer::Notify(queue_pair)) => (14, queue_pair.0.into()),
            EventKind::Adapter(AdapterTimer::Compute) => (15, 0),
        };
        Self(content << (TAG_BITS + NODE_BITS) | u64::from(node.0) << TAG_BITS | tag)
    }

    #[inline]
    pub(crate) const fn node(self) -> NodeId {
        NodeId((self.0 >> TAG_BITS) as u32 % MOST_NODES as u32)
    }

    /// Returns the kind of the event, with its contents.
    #[inline(always)]
    pub(crate) fn kind(self) -> EventKind {
        let content = self.0 >> (TAG_BITS + NODE_BITS);
        let port_at = |bit: u32| PortId(u16::from((content >> bit) as u8));
        let lane_at = |bit: u32| Lane((content >> bit) as u8 % 16);
        let credit_at = |bit: u32| (content >> bit) as u16 % 4096;
        let packet = || PacketId::of_slot((content >> 8) as u32);
        let queue_pair = || QpNumber(content as u32);
        // Only some kinds have these parts.
        let passage = || (port_at(0), port_at(8), lane_at(16), lane_at(20), (content >> 24) as u16);
        match self.0 % (1 << TAG_BITS) {
            0 => EventKind::Arrive(port_at(0), packet()),
            1 => EventKind::Signal(
                port_at(0),
                Signal::Credit { lane: lane_at(8), fctbs: credit_at(12), fccl: credit_at(24) },
            ),
            2 => EventKind::Signal(
                port_at(0),
                Signal::Pause { lane: lane_at(8), quanta: (content >> 12) as u16 },
            ),
            3 => EventKind::Switch(SwitchTimer::Ready(packet(), port_at(0))),
            4 => {
                let (output, input, lane, arrived_on, length) = passage();
                EventKind::Switch(SwitchTimer::TailLeft { output, input, lane, arrived_on, length })
            }
            tag @ (5 | 6) => {
                let (output, input, lane, arrived_on, length) = passage();
                let fast = tag == 6;
                EventKind::Switch(SwitchTimer::CrossbarDone { output, input, lane, arrived_on, fast, length })
            }
            7 => EventKind::Switch(SwitchTimer::FlowControl(port_at(0), lane_at(8))),
            8 => EventKind::Adapter(AdapterTimer::Send),
            9 => EventKind::Adapter(AdapterTimer::PacingDone),
            10 => EventKind::Adapter(AdapterTimer::RetransmitTimeout),
            11 => EventKind::Adapter(AdapterTimer::HostConsumed),
            12 => EventKind::Adapter(AdapterTimer::Post(queue_pair())),
            13 => EventKind::Adapter(AdapterTimer::FlowControl(lane_at(0))),
            14 => EventKind::Adapter(AdapterTimer::Notify(queue_pair())),
            15 => EventKind::Adapter(AdapterTimer::Compute),
            tag => unreachable!("no event has the tag {tag}"),
        }
    }
}

impl Owned for Event {
    #[inline]
    fn owner(&self) -> u32 {
        self.node().0
    }
}

impl Debug for Event {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("node", &self.node()).field("kind", &self.kind()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each kind at the ends of the ranges of its parts comes back as it was, with its node.
    #[test]
    fn an_event_keeps_its_parts() {
        let (ports, lanes) = ([0, 254, 255].map(PortId), [0, 15].map(Lane));
        let words = [0, 1, u32::MAX - 1];
        let mut kinds = vec![
            EventKind::Adapter(AdapterTimer::Send),
            EventKind::Adapter(AdapterTimer::PacingDone),
            EventKind::Adapter(AdapterTimer::RetransmitTimeout),
            EventKind::Adapter(AdapterTimer::HostConsumed),
            EventKind::Adapter(AdapterTimer::Compute),
        ];
        for word in words {
            kinds.push(EventKind::Adapter(AdapterTimer::Post(QpNumber(word))));
            kinds.push(EventKind::Adapter(AdapterTimer::Notify(QpNumber(word))));
            for port in ports {
                kinds.push(EventKind::Arrive(port, PacketId::of_slot(word)));
                kinds.push(EventKind::Switch(SwitchTimer::Ready(PacketId::of_slot(word), port)));
            }
        }
        for lane in lanes {
            kinds.push(EventKind::Adapter(AdapterTimer::FlowControl(lane)));
            for port in ports {
                kinds.push(EventKind::Switch(SwitchTimer::FlowControl(port, lane)));
                for (one, other) in [(0, 4095), (4095, 0), (4095, 4095)] {
                    kinds.push(EventKind::Signal(port, Signal::Credit { lane, fctbs: one, fccl: other }));
                }
                kinds.extend(
                    [0, u16::MAX].map(|quanta| EventKind::Signal(port, Signal::Pause { lane, quanta })),
                );
                for (input, arrived_on) in ports.into_iter().zip([15, 0, 15].map(Lane)) {
                    let (output, length) = (port, u16::MAX - port.0);
                    let tail = SwitchTimer::TailLeft { output, input, lane, arrived_on, length };
                    let crossed = [false, true].map(|fast| SwitchTimer::CrossbarDone {
                        output,
                        input,
                        lane,
                        arrived_on,
                        fast,
                        length,
                    });
                    kinds.extend([tail, crossed[0], crossed[1]].map(EventKind::Switch));
                }
            }
        }
        for kind in kinds {
            for node in [0, 1, MOST_NODES as u32 - 1].map(NodeId) {
                let event = Event::new(node, kind);
                assert_eq!((event.node(), format!("{:?}", event.kind())), (node, format!("{kind:?}")));
            }
        }
    }
}
