//! A node's end of a cable: the outgoing wire, and the flow control of both directions.
//!
//! Invariant: the wire carries a single packet at a time, in the order in which they were started. A flow-control
//! packet never interrupts a packet; it goes before the next packet. All ports of a fabric have the same flow control.
//!
//! | module | contents |
//! |---|---|
//! | [`receive_memory`] | the memory of all ports of a node |
//! | [`receiver`] | a port and lane, as the receiver of packets |
//! | `shared_blocks`, `shared_bytes` | memory that they share, under credits and under PFC |
//! | `flow_control` | the questions that a port asks its flow control |
//! | `credits`, `pause` | the answers of credits, and of PFC or no flow control |
//! | `outlook` | the room that there can ever be, and whether both ends agree on it |
//! | `wire_end` | how signals leave and timers are set |

mod credits;
mod flow_control;
mod outlook;
mod pause;
pub mod receive_memory;
pub mod receiver;
mod shared_blocks;
mod shared_bytes;
mod wire_end;

use std::sync::Arc;

use packet::{ByLane, Lane, PacketId, PortId};
use prefetch::prefetch;
use units::{Bytes, Span, Time};

use self::credits::CreditPort;
use self::flow_control::FlowControl;
use self::pause::{PausePort, Pauses};
use self::wire_end::WireEnd;
use crate::context::{LinkTimer, NodeContext};
use crate::flow_control::credits::{BLOCK, Credits, FLOW_CONTROL_PACKET, ReceiverShare, UpdateRule, blocks};
use crate::flow_control::pause::{LaneMemory, PAUSE_FRAME, PauseLane, PauseRule, PauseTally};
use crate::flow_control::pause_log::PauseLog;
use crate::flow_control::signal::Signal;
use crate::spec::WireTime;
use crate::wire::Wire;

/// A node's end of a cable. The fields that every packet needs stand first and share a cache line.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Port {
    config: Arc<PortConfig>,
    free_at: Time,
    lanes: Lanes,
    id: PortId,
    signals_sent: u64,
}

state_codec::state!(Port { config: plan, free_at, lanes: part, id: plan, signals_sent });

/// Flow control of a port's lanes. The set is closed: a plan names the same flow control for all links.
#[derive(Clone, Debug)]
#[repr(u8)] // The tag stands first, on the cache line of the first lane's credits.
enum Lanes {
    /// Credits of InfiniBand.
    Credits(ByLane<Credits>),
    /// PFC, or no flow control.
    Pause(Box<Pauses>),
}

state_codec::state!(enum Lanes { 0 = Credits(lanes: part), 1 = Pause(pauses: part) });

/// The constant part of a port. A fabric has few different configurations, which its ports can share: see
/// [`Port::intern`].
#[derive(Clone, Debug, PartialEq, Eq)]
struct PortConfig {
    wire: Wire,
    /// Conditions of credit updates; PFC sends none.
    update_rule: UpdateRule,
    /// Time for which a signal occupies the wire.
    signal_time: Span,
    /// Delay from a signal's last byte on this wire until the signal takes effect.
    signal_delay: Span,
}

/// The configurations of the ports that have been interned.
#[derive(Clone, Debug, Default)]
pub struct PortConfigs(Vec<Arc<PortConfig>>);

/// A packet's passage over the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Time at which the first byte starts: now, or after the flow-control packets that go before it.
    pub starts: Time,
    /// Time at which the last byte has left this end.
    pub left: Time,
    /// Time at which the far end can act on the packet.
    pub arrives: Time,
    /// Time at which the last byte has reached the far end.
    pub tail: Time,
}

/// The parts of a port.
#[derive(Clone, Debug)]
pub struct PortSetup {
    /// Number of the port at its node.
    pub id: PortId,
    /// The outgoing wire.
    pub wire: Wire,
    /// The flow control of the link.
    pub flow_control: FlowControlSetup,
}

/// The flow control of a link, as a port of the link needs to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowControlSetup {
    /// Credits of InfiniBand.
    Credits {
        /// Room of each data lane at rest: its own buffer, or the guaranteed part of shared memory.
        room: Vec<Bytes>,
        /// Room of each data lane at the far end at rest.
        far_room: Vec<Bytes>,
        /// Conditions of updates.
        rule: UpdateRule,
        /// Wire time of flow-control packets.
        wire_time: WireTime,
    },
    /// PFC, or no flow control.
    Pause {
        /// Parameters of pauses.
        rule: PauseRule,
        /// Memory of each data lane.
        memory: Vec<LaneMemory>,
    },
}

/// Room of a lane that requests no pause: more than any packet needs.
const UNLIMITED: Bytes = Bytes::new(u32::MAX as u64);

/// Memory of a port and lane as a marker sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Bytes that packets occupy.
    pub held: Bytes,
    /// Bytes that may still arrive.
    pub room: Bytes,
}

/// The flow control of a port while it acts.
enum ActingLanes<'a> {
    Credits(CreditPort<'a>),
    Pause(PausePort<'a>),
}

macro_rules! dispatch {
    ($port:expr, $lanes:ident => $call:expr) => {
        match $port.acting() {
            ActingLanes::Credits(mut $lanes) => $call,
            ActingLanes::Pause(mut $lanes) => $call,
        }
    };
}

impl Port {
    /// A port of a link that has just been brought up: both ends are idle, and know each other's room.
    ///
    /// # Panics
    /// If a room is larger than credits can describe, 128 KiB.
    #[must_use]
    pub fn new(setup: PortSetup) -> Self {
        let wire = setup.wire;
        let (update_rule, signal_time, signal_delay, lanes) = match setup.flow_control {
            FlowControlSetup::Credits { room, far_room, rule, wire_time } => {
                let signal_time = match wire_time {
                    WireTime::Counted => wire.rate().time_for(FLOW_CONTROL_PACKET),
                    WireTime::Free => Span::ZERO,
                };
                let whole_blocks = |size: &Bytes| (size.get() / BLOCK) as u16;
                let credits = |(here, there)| Credits::new(whole_blocks(here), whole_blocks(there));
                let lanes = room.iter().zip(&far_room).map(credits).collect();
                (rule, signal_time, wire.latency(), Lanes::Credits(lanes))
            }
            FlowControlSetup::Pause { rule, memory } => {
                let no_updates = UpdateRule { blocks: 0, interval: Span::ZERO, refresh: Span::ZERO };
                let lanes = memory.into_iter().map(PauseLane::new).collect();
                let pauses = Pauses { lanes, rule, log: None };
                let signal_time = wire.rate().time_for(PAUSE_FRAME);
                (no_updates, signal_time, rule.effect_delay, Lanes::Pause(Box::new(pauses)))
            }
        };
        let config = PortConfig { wire, update_rule, signal_time, signal_delay };
        Self { config: Arc::new(config), free_at: Time::ZERO, lanes, id: setup.id, signals_sent: 0 }
    }

    /// Replaces the port's configuration by its equal in `known`, so that ports share it and it stays in the cache.
    /// Adds the configuration to `known` if it has no equal there.
    pub fn intern(&mut self, known: &mut PortConfigs) {
        if let Some(config) = known.0.iter().find(|config| **config == self.config) {
            self.config = Arc::clone(config);
        } else {
            known.0.push(Arc::clone(&self.config));
        }
    }

    /// Returns the outgoing wire.
    #[must_use]
    pub fn wire(&self) -> &Wire {
        &self.config.wire
    }

    /// Returns the least time from the start of anything here until the far end can act on it.
    #[must_use]
    pub fn lookahead(&self) -> Span {
        (self.config.signal_time + self.config.signal_delay).min(self.config.wire.lookahead())
    }

    /// Returns the time for which a signal occupies the outgoing wire, and the time from then until it takes effect.
    #[must_use]
    pub fn signal_times(&self) -> (Span, Span) {
        (self.config.signal_time, self.config.signal_delay)
    }

    /// Prefetches what signals need when they are sent, which may lie in another cache line than the beginning.
    #[inline]
    pub fn prefetch_rest(&self) {
        prefetch(&self.signals_sent);
    }

    /// Returns the number of flow-control packets sent.
    #[must_use]
    pub const fn signals_sent(&self) -> u64 {
        self.signals_sent
    }

    /// Starts the timers by which credits return even if nothing happens. Call once, at the start.
    pub fn bring_up<W: LinkTimer>(&mut self, context: &mut impl NodeContext<W>) {
        dispatch!(self, lanes => lanes.bring_up(context));
    }

    // The sender.

    /// Returns true if a packet of this length may start: the far end has room for it, or has requested no pause. VL15
    /// is not subject to flow control (IBA 7.9.1).
    #[must_use]
    pub fn may_start(&self, lane: Lane, length: Bytes) -> bool {
        match &self.lanes {
            Lanes::Credits(lanes) => lane == Lane::MANAGEMENT || lanes[lane].may_start(blocks(length)),
            Lanes::Pause(pauses) => lane == Lane::MANAGEMENT || pauses.lanes[lane].may_start(),
        }
    }

    /// Starts a packet: at once, or after the flow-control packets that go before it.
    #[inline(always)]
    pub fn start(&mut self, lane: Lane, length: Bytes, now: Time) -> Passage {
        if let Lanes::Credits(lanes) = &mut self.lanes
            && lane != Lane::MANAGEMENT
        {
            lanes[lane].start(blocks(length));
        }
        let starts = now.max(self.free_at);
        let wire = &self.config.wire;
        let wire_time = wire.time_for(length);
        self.free_at = starts + wire_time;
        Passage {
            starts,
            left: self.free_at,
            arrives: wire.arrives(starts, wire_time),
            tail: self.free_at + wire.latency(),
        }
    }

    // The receiver.

    /// Admits a packet of this length to the memory of `lane`, which is the lane's own. Returns false if the packet is
    /// dropped, which credits exclude. A node with memory that its ports share asks its
    /// [`ReceiveMemory`](receive_memory::ReceiveMemory) instead.
    #[inline(always)]
    #[must_use]
    pub fn admit<W: LinkTimer>(
        &mut self,
        lane: Lane,
        length: Bytes,
        context: &mut impl NodeContext<W>,
    ) -> bool {
        lane == Lane::MANAGEMENT || dispatch!(self, lanes => lanes.admit(lane, length, context))
    }

    /// Releases a packet of this length from the memory of `lane`, which is the lane's own. Its credits are returned,
    /// now or soon, or a pause ends.
    #[inline]
    pub fn release<W: LinkTimer>(&mut self, lane: Lane, length: Bytes, context: &mut impl NodeContext<W>) {
        if lane != Lane::MANAGEMENT {
            dispatch!(self, lanes => lanes.release(lane, length, context));
        }
    }

    /// Returns false if packets may be dropped on arrival.
    #[must_use]
    pub const fn is_lossless(&self) -> bool {
        matches!(self.lanes, Lanes::Credits(_))
    }

    /// Returns the number of packets dropped on arrival.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        match &self.lanes {
            Lanes::Credits(_) => 0,
            Lanes::Pause(pauses) => pauses.lanes.iter().map(|lane| u64::from(lane.dropped())).sum(),
        }
    }

    /// Returns the share of memory that the credits of `lane` describe; nothing on VL15 and without credits.
    #[must_use]
    pub fn share(&self, lane: Lane) -> ReceiverShare {
        let credits = match &self.lanes {
            Lanes::Credits(lanes) => lanes.get(lane),
            Lanes::Pause(_) => None,
        };
        credits.map_or(ReceiverShare { held: 0, room: 0 }, Credits::share)
    }

    /// Returns the bytes that may still arrive on `lane` by the receiver's own account. Under PFC, none while it
    /// requests a pause, and otherwise any number.
    #[must_use]
    pub fn room(&self, lane: Lane) -> Bytes {
        match &self.lanes {
            Lanes::Credits(lanes) => Bytes::new(u64::from(lanes[lane].share().room) * BLOCK),
            Lanes::Pause(pauses) if pauses.lanes[lane].requests_pause() => Bytes::ZERO,
            Lanes::Pause(_) => UNLIMITED,
        }
    }

    /// Returns the bytes sent on `lane` for which the far end has not returned credit: under way, in its buffer, or freed
    /// there without an update yet. None without credits.
    #[must_use]
    pub fn far_use(&self, lane: Lane) -> Bytes {
        match &self.lanes {
            Lanes::Credits(lanes) => Bytes::new(u64::from(lanes[lane].far_use()) * BLOCK),
            Lanes::Pause(_) => Bytes::ZERO,
        }
    }

    /// Returns the statistics of a lane's pauses up to `now`; `None` under credits.
    #[must_use]
    pub fn pauses(&self, lane: Lane, now: Time) -> Option<PauseTally> {
        match &self.lanes {
            Lanes::Credits(_) => None,
            Lanes::Pause(pauses) => Some(pauses.lanes[lane].tally(now)),
        }
    }

    /// Keeps a log of the pauses of this output from now on: of each lane the first `kept` changes. A port under
    /// credits has no pauses to log.
    pub fn log_pauses(&mut self, kept: usize) {
        if let Lanes::Pause(pauses) = &mut self.lanes {
            pauses.log = Some(Box::new(PauseLog::new(pauses.lanes.len(), kept)));
        }
    }

    /// Returns the log of the output's pauses, if it is kept.
    #[must_use]
    pub fn pause_log(&self) -> Option<&PauseLog> {
        match &self.lanes {
            Lanes::Credits(_) => None,
            Lanes::Pause(pauses) => pauses.log.as_deref(),
        }
    }

    /// Returns the lane's own memory: under credits in whole blocks, each packet in blocks of its own; else in bytes.
    fn occupancy(&self, lane: Lane) -> Occupancy {
        match &self.lanes {
            Lanes::Credits(lanes) => {
                let ReceiverShare { held, room } = lanes[lane].share();
                let bytes = |blocks: u32| Bytes::new(u64::from(blocks) * BLOCK);
                Occupancy { held: bytes(held), room: bytes(room.into()) }
            }
            Lanes::Pause(pauses) => {
                let lane = &pauses.lanes[lane];
                let room = lane.limit().saturating_sub(lane.load());
                Occupancy { held: Bytes::new(lane.held().into()), room: Bytes::new(room.into()) }
            }
        }
    }

    // Both.

    /// Handles a signal of the far end.
    pub fn on_signal<W: LinkTimer>(&mut self, signal: Signal, context: &mut impl NodeContext<W>) {
        dispatch!(self, lanes => lanes.on_signal(signal, context));
    }

    /// Handles a timer of `lane`; a stale timer is ignored. Returns true if the lane may send again because its pause
    /// is over.
    pub fn on_timer<W: LinkTimer>(&mut self, lane: Lane, context: &mut impl NodeContext<W>) -> bool {
        dispatch!(self, lanes => lanes.on_timer(lane, context))
    }

    /// Returns true if the wire is idle and all memory here is empty. The far end's whole room must be known here, or
    /// no pause be in effect.
    #[must_use]
    pub fn at_rest(&self, now: Time) -> bool {
        let at_rest = match &self.lanes {
            Lanes::Credits(lanes) => lanes.iter().all(Credits::at_rest),
            Lanes::Pause(pauses) => pauses.lanes.iter().all(PauseLane::at_rest),
        };
        self.free_at <= now && at_rest
    }

    /// Returns the port under credits.
    fn credits(&mut self) -> Option<CreditPort<'_>> {
        match self.acting() {
            ActingLanes::Credits(credits) => Some(credits),
            ActingLanes::Pause(_) => None,
        }
    }

    /// Returns the port under PFC, or without flow control.
    fn pausing(&mut self) -> Option<PausePort<'_>> {
        match self.acting() {
            ActingLanes::Credits(_) => None,
            ActingLanes::Pause(pauses) => Some(pauses),
        }
    }

    /// Returns a lane under PFC, or without flow control.
    fn pause_lane(&self, lane: Lane) -> Option<&PauseLane> {
        match &self.lanes {
            Lanes::Credits(_) => None,
            Lanes::Pause(pauses) => Some(&pauses.lanes[lane]),
        }
    }

    #[inline(always)]
    fn acting(&mut self) -> ActingLanes<'_> {
        let Self { config, free_at, lanes, id, signals_sent } = self;
        let end = WireEnd { config, free_at, id, signals_sent };
        match lanes {
            Lanes::Credits(lanes) => ActingLanes::Credits(CreditPort { lanes, end }),
            Lanes::Pause(pauses) => ActingLanes::Pause(PausePort { pauses, end }),
        }
    }
}

impl AsRef<Self> for Port {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl AsMut<Self> for Port {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

impl Passage {
    /// Delivers the packet to the far end of `port`.
    #[inline(always)]
    pub fn deliver<W>(&self, port: PortId, packet: PacketId, context: &mut impl NodeContext<W>) {
        context.packets()[packet].tail = self.tail;
        context.deliver(port, self.arrives, packet);
    }
}
