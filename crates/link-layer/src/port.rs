//! A node's end of a cable: the outgoing wire, and the flow control of both directions.
//!
//! Invariant: the wire carries one thing at a time, in the order in which they were started. A
//! flow-control packet never interrupts a packet; it goes before the next one.

mod pausing;

use std::sync::Arc;

use packet::{ByLane, Lane, PacketId, PortId};
use units::{Bytes, Span, Time};

use crate::credits::{self, Credits, FLOW_CONTROL_PACKET, Share, Signal, UpdateRule};
use crate::outlet::{Broken, Outlet};
use crate::pause::{LaneMemory, PAUSE_FRAME, PauseRule, Pauses};
use crate::spec::WireTime;
use crate::wire::Wire;

/// A node's end of a cable. What every packet needs stands first, so that it takes up one cache line.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Port {
    kind: Arc<PortKind>,
    free_at: Time,
    flow: Flow,
    id: PortId,
    updates: u64,
}

/// How a port's lanes keep from overrunning each other's ends. The set is closed: a plan names one for all links.
#[derive(Clone, Debug)]
#[repr(u8)] // What tells them apart stands first, on the cache line of the first lane's credits.
enum Flow {
    /// IBA's credits.
    Credits(ByLane<Credits>),
    /// PFC, or none at all.
    Pause(Box<Pauses>),
}

/// What never changes of a port. Few kinds of ports make up a fabric: those of a kind can [share](Port::share_kind) it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PortKind {
    wire: Wire,
    rule: UpdateRule,
    update_time: Span,
    /// From a flow-control packet's last byte on this wire until it takes effect.
    hearing: Span,
}

/// Kinds of ports met so far.
#[derive(Clone, Debug, Default)]
pub struct PortKinds(Vec<Arc<PortKind>>);

/// A packet's passage over the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// When its first byte starts: now, or once a flow-control packet has gone.
    pub starts: Time,
    /// When its last byte has left this end.
    pub left: Time,
    /// When the far end can act on it.
    pub arrives: Time,
    /// When its last byte has come through at the far end.
    pub tail: Time,
}

/// What a port is made of.
#[derive(Clone, Debug)]
pub struct PortSetup<'a> {
    /// Its number at its node.
    pub id: PortId,
    /// The outgoing wire.
    pub wire: Wire,
    /// Room of each data lane at rest, for what comes in: its buffer, or what shared memory guarantees it.
    pub room: &'a [Bytes],
    /// Room of each data lane at the far end at rest.
    pub far_room: &'a [Bytes],
    /// When credits are handed back.
    pub rule: UpdateRule,
    /// Whether flow-control packets take time on the wire.
    pub wire_time: WireTime,
}

impl Port {
    /// A port of a link that has just been brought up: both ends are idle, and know each other's room.
    ///
    /// # Panics
    /// If a room is larger than credits can describe, 128 KiB.
    #[must_use]
    pub fn new(setup: &PortSetup<'_>) -> Self {
        let whole_blocks = |size: &Bytes| (size.get() / credits::BLOCK) as u16;
        let lanes = setup
            .room
            .iter()
            .zip(setup.far_room)
            .map(|(here, there)| Credits::new(whole_blocks(here), whole_blocks(there)));
        let update_time = match setup.wire_time {
            WireTime::Counted => setup.wire.rate().time_for(FLOW_CONTROL_PACKET),
            WireTime::Free => Span::ZERO,
        };
        Self {
            kind: Arc::new(PortKind {
                wire: setup.wire,
                rule: setup.rule,
                update_time,
                hearing: setup.wire.latency(),
            }),
            free_at: Time::ZERO,
            flow: Flow::Credits(lanes.collect()),
            id: setup.id,
            updates: 0,
        }
    }

    /// A port of a link under PFC, or without flow control, as `rule` says; each lane has this much memory.
    #[must_use]
    pub fn pausing(id: PortId, wire: Wire, rule: PauseRule, memory: &[LaneMemory]) -> Self {
        let update_time = wire.rate().time_for(PAUSE_FRAME);
        let without_bearing = UpdateRule { blocks: 0, interval: Span::ZERO, refresh: Span::ZERO };
        Self {
            kind: Arc::new(PortKind { wire, rule: without_bearing, update_time, hearing: rule.hearing }),
            free_at: Time::ZERO,
            flow: Flow::Pause(Box::new(Pauses::new(rule, memory))),
            id,
            updates: 0,
        }
    }

    /// Makes ports of a kind keep what never changes in one place, which then stays in the cache. `kinds` are those
    /// met so far, and this port's is added where it is new.
    pub fn share_kind(&mut self, kinds: &mut PortKinds) {
        if let Some(kind) = kinds.0.iter().find(|kind| **kind == self.kind) {
            self.kind = Arc::clone(kind);
        } else {
            kinds.0.push(Arc::clone(&self.kind));
        }
    }

    /// The outgoing wire.
    #[must_use]
    pub fn wire(&self) -> &Wire {
        &self.kind.wire
    }

    /// The least time from when something starts here until the far end hears of it.
    #[must_use]
    pub fn lookahead(&self) -> Span {
        (self.kind.update_time + self.kind.hearing).min(self.kind.wire.lookahead())
    }

    /// Flow-control packets sent so far.
    #[must_use]
    pub const fn updates(&self) -> u64 {
        self.updates
    }

    /// Whether a packet of this length may start: the far end has room for it, or has not asked for a pause. VL15
    /// knows no flow control (IBA 7.9.1).
    #[must_use]
    pub fn admits(&self, lane: Lane, length: Bytes) -> bool {
        match &self.flow {
            Flow::Credits(lanes) => lane == Lane::MANAGEMENT || lanes[lane].admits(credits::blocks(length)),
            Flow::Pause(pauses) => lane == Lane::MANAGEMENT || pauses.admits(lane),
        }
    }

    /// Starts a packet: at once, or after the flow-control packets that go before it.
    #[inline(always)]
    pub fn start(&mut self, lane: Lane, length: Bytes, now: Time) -> Passage {
        if let Flow::Credits(lanes) = &mut self.flow
            && lane != Lane::MANAGEMENT
        {
            lanes[lane].sent(credits::blocks(length));
        }
        let starts = now.max(self.free_at);
        let wire = &self.kind.wire;
        let wire_time = wire.time_for(length);
        self.free_at = starts + wire_time;
        Passage {
            starts,
            left: self.free_at,
            arrives: wire.arrives(starts, wire_time),
            tail: self.free_at + wire.latency(),
        }
    }

    /// Starts the clocks that make credits come back even if nothing happens. Call once, at the start.
    pub fn bring_up<W>(&mut self, outlet: &mut impl Outlet<W>, timer: impl Fn(PortId, Lane) -> W) {
        let Flow::Credits(lanes) = &self.flow else { return };
        for lane in 0..lanes.len() {
            self.set_alarm(Lane(lane as u8), outlet, &timer);
        }
    }

    /// A packet of this length came in on `lane`, which has its memory to itself; false if it is dropped, which
    /// credits exclude.
    #[must_use]
    pub fn take_in<W>(
        &mut self,
        lane: Lane,
        length: Bytes,
        outlet: &mut impl Outlet<W>,
        timer: impl Fn(PortId, Lane) -> W,
    ) -> bool {
        if !self.is_pausing() {
            self.stored(lane, length, outlet);
            return true;
        }
        let kept = self.take(lane, length, None).is_some();
        if kept {
            self.reconsider(lane, None, outlet, timer);
        }
        kept
    }

    /// A packet of this length came in on `lane`, and takes up its buffer: under credits there is room for it.
    #[inline]
    pub fn stored<W>(&mut self, lane: Lane, length: Bytes, outlet: &mut impl Outlet<W>) {
        let Flow::Credits(lanes) = &mut self.flow else { return };
        if lane != Lane::MANAGEMENT && !lanes[lane].stored(credits::blocks(length)) {
            outlet.broken(self.id, lane, Broken::Overflow);
        }
    }

    /// A packet of this length has left the buffer that `lane` has to itself: its credit goes back, now or soon, or the
    /// far end may go on.
    #[inline]
    pub fn freed<W>(
        &mut self,
        lane: Lane,
        length: Bytes,
        outlet: &mut impl Outlet<W>,
        timer: impl Fn(PortId, Lane) -> W,
    ) {
        if lane == Lane::MANAGEMENT {
            return;
        }
        let Flow::Credits(lanes) = &mut self.flow else {
            self.let_go(lane, length);
            return self.reconsider(lane, None, outlet, timer);
        };
        let credits = &mut lanes[lane];
        credits.freed(credits::blocks(length));
        if credits.is_due(&self.kind.rule, outlet.now()) {
            self.update(lane, outlet);
        } else {
            self.set_alarm(lane, outlet, &timer);
        }
    }

    /// A packet of this length has left the memory that `lane` shares with others: [`Self::allow`] says what
    /// becomes of its credit. Not for VL15.
    pub fn release(&mut self, lane: Lane, length: Bytes) {
        self.credits(lane).released(credits::blocks(length));
    }

    /// Shared memory lets this many blocks more come in on `lane`; [`Self::announce`] tells the far end.
    pub fn allow(&mut self, lane: Lane, blocks: u16) {
        self.credits(lane).allowed(blocks);
    }

    /// The far end is told of what has been allowed on `lane`: by the rule for updates, or at once if all that
    /// it knows of may be too little for a packet of the longest kind.
    pub fn announce<W>(
        &mut self,
        lane: Lane,
        longest: Bytes,
        outlet: &mut impl Outlet<W>,
        timer: impl Fn(PortId, Lane) -> W,
    ) {
        let rule = self.kind.rule;
        let credits = self.credits(lane);
        if credits.is_due(&rule, outlet.now()) || credits.withholds(credits::blocks(longest)) {
            self.update(lane, outlet);
        } else {
            self.set_alarm(lane, outlet, &timer);
        }
    }

    /// What of the memory of `lane` is occupied, and what may still come in, as far as it depends on this lane alone.
    /// VL15 has none.
    #[must_use]
    pub fn share(&self, lane: Lane) -> Share {
        match &self.flow {
            Flow::Credits(lanes) => lanes.get(lane).map_or(Share { held: 0, room: 0 }, Credits::share),
            Flow::Pause(pauses) => {
                let room = u64::from(pauses.limit(lane).saturating_sub(pauses.own(lane))) / credits::BLOCK;
                Share {
                    held: pauses.held(lane).div_ceil(credits::BLOCK as u32),
                    room: u16::try_from(room).unwrap_or(u16::MAX),
                }
            }
        }
    }

    /// The alarm of `lane` rings; a stale one is ignored. Returns whether the lane may go on since its pause is over.
    pub fn alarm<W>(
        &mut self,
        lane: Lane,
        outlet: &mut impl Outlet<W>,
        timer: impl Fn(PortId, Lane) -> W,
    ) -> bool {
        let now = outlet.now();
        match &mut self.flow {
            Flow::Credits(lanes) => {
                let credits = &mut lanes[lane];
                if credits.alarm() != now {
                    return false;
                }
                credits.set_alarm(Time::NEVER);
                if credits.is_due(&self.kind.rule, now) {
                    self.update(lane, outlet);
                }
                self.set_alarm(lane, outlet, &timer);
                false
            }
            Flow::Pause(pauses) => {
                if pauses.alarm(lane) != now {
                    return false;
                }
                pauses.set_alarm(lane, Time::NEVER);
                let (signal, opens) = pauses.on_deadline(lane, now);
                self.say(signal, outlet);
                self.set_alarm(lane, outlet, &timer);
                opens
            }
        }
    }

    /// A signal of the far end came in.
    pub fn heard<W>(
        &mut self,
        signal: Signal,
        outlet: &mut impl Outlet<W>,
        timer: impl Fn(PortId, Lane) -> W,
    ) {
        match (signal, &mut self.flow) {
            (Signal::Credit { lane, fctbs, fccl }, Flow::Credits(lanes)) => {
                let credits = &mut lanes[lane];
                credits.heard_limit(fccl);
                if !credits.heard_total(fctbs) {
                    outlet.broken(self.id, lane, Broken::Miscount);
                }
            }
            (Signal::Pause { lane, quanta }, Flow::Pause(pauses)) => {
                pauses.heard(lane, quanta, outlet.now());
                self.set_alarm(lane, outlet, &timer);
            }
            _ => unreachable!("both ends of a link have one flow control"),
        }
    }

    /// Whether the wire is idle, all buffers here are empty, and all credits of the far end are here or no pause is on.
    #[must_use]
    pub fn at_rest(&self, now: Time) -> bool {
        let at_rest = match &self.flow {
            Flow::Credits(lanes) => lanes.iter().all(Credits::at_rest),
            Flow::Pause(pauses) => pauses.at_rest(),
        };
        self.free_at <= now && at_rest
    }

    fn credits(&mut self, lane: Lane) -> &mut Credits {
        let Flow::Credits(lanes) = &mut self.flow else { unreachable!("these are credits") };
        &mut lanes[lane]
    }

    fn update<W>(&mut self, lane: Lane, outlet: &mut impl Outlet<W>) {
        let signal = self.credits(lane).update(lane, outlet.now());
        self.say(Some(signal), outlet);
    }

    /// Sends a signal: after the packet that is on the wire, and before the next.
    fn say<W>(&mut self, signal: Option<Signal>, outlet: &mut impl Outlet<W>) {
        let Some(signal) = signal else { return };
        let starts = outlet.now().max(self.free_at);
        self.free_at = starts + self.kind.update_time;
        self.updates += 1;
        outlet.signal(self.id, self.free_at + self.kind.hearing, signal, self.updates as u32);
    }

    /// Sets the alarm of `lane` for when something of it is due next, unless it rings earlier anyway.
    fn set_alarm<W>(&mut self, lane: Lane, outlet: &mut impl Outlet<W>, timer: &impl Fn(PortId, Lane) -> W) {
        let due = match &mut self.flow {
            Flow::Credits(lanes) => {
                let credits = &mut lanes[lane];
                let due = credits.due(&self.kind.rule);
                if due >= credits.alarm() {
                    return;
                }
                credits.set_alarm(due);
                due
            }
            Flow::Pause(pauses) => {
                let due = pauses.deadline(lane);
                if due >= pauses.alarm(lane) {
                    return;
                }
                pauses.set_alarm(lane, due);
                due
            }
        };
        outlet.wake(due, timer(self.id, lane));
    }
}

/// Where a packet goes by a port, for callers that only need to pass it on.
impl Passage {
    /// Hands the packet over to the far end.
    #[inline(always)]
    pub fn deliver<W>(&self, port: PortId, packet: PacketId, outlet: &mut impl Outlet<W>) {
        outlet.packets()[packet].tail = self.tail;
        outlet.deliver(port, self.arrives, packet);
    }
}
