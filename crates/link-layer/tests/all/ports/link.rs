//! Two ports, the cable between them, and the world as they see it.
//!
//! Invariant: the world keeps its own account of each wire's time and of each end's memory, and compares.

use std::collections::{BTreeMap, VecDeque};

use link_layer::flow_control::credits::UpdateRule;
use link_layer::spec::WireTime;
use link_layer::{
    FlowControlSetup, InvariantViolation, LaneMemory, NodeContext, PauseRule, Port, PortSetup, Signal, Wire,
};
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Opcode, Packet, PacketId, PacketPool, PortId, Psn, QpNumber,
    ServiceLevel, TransportService,
};
use units::{Bytes, Rate, Span, Time};

pub(crate) const RATE: Rate = Rate::gbps(8); // A byte a nanosecond.
pub(crate) const LATENCY: Span = Span::from_ns(150);
pub(crate) const LANES: u8 = 2;
/// Memory of each lane.
pub(crate) const MEMORY: u64 = 4_096;
const BLOCK: u64 = 64;

#[derive(Clone, Copy, Debug)]
enum Event {
    Post(Lane, u16),
    Arrival(PacketId),
    Consumed(Lane, u16),
    Signal(Signal),
    Timer(Lane),
    WireFree,
}

/// The world as a port sees it, and the reference for the times of its wire.
pub(crate) struct World {
    pub(crate) now: Time,
    /// The node that acts.
    pub(crate) node: usize,
    events: BTreeMap<(Time, u64), (usize, Event)>,
    count: u64,
    pool: PacketPool,
    wire_free: [Time; 2],
    pub(crate) signals: [u64; 2],
    signal_time: Span,
    signal_delay: Span,
    pub(crate) violations: Vec<InvariantViolation>,
}

impl World {
    fn plan(&mut self, at: Time, node: usize, event: Event) {
        self.count += 1;
        self.events.insert((at, self.count), (node, event));
    }
}

impl NodeContext<Lane> for World {
    fn now(&self) -> Time {
        self.now
    }

    fn packets(&mut self) -> &mut PacketPool {
        &mut self.pool
    }

    fn deliver(&mut self, _: PortId, at: Time, packet: PacketId) {
        self.plan(at, 1 - self.node, Event::Arrival(packet));
    }

    fn send_signal(&mut self, _: PortId, at: Time, signal: Signal, sequence: u32) {
        let node = self.node;
        self.wire_free[node] = self.wire_free[node].max(self.now) + self.signal_time;
        assert_eq!(at, self.wire_free[node] + self.signal_delay, "after the wire's own traffic");
        self.signals[node] += 1;
        assert_eq!(u64::from(sequence), self.signals[node]);
        self.plan(at, 1 - node, Event::Signal(signal));
    }

    fn set_timer(&mut self, at: Time, lane: Lane) {
        self.plan(at, self.node, Event::Timer(lane));
    }

    fn report_violation(&mut self, _: PortId, _: Lane, violation: InvariantViolation) {
        self.violations.push(violation);
    }
}

/// Both ends, their packets to send, and what each holds.
pub(crate) struct Link {
    pub(crate) world: World,
    pub(crate) ports: [Port; 2],
    waiting: [[VecDeque<u16>; LANES as usize]; 2],
    pub(crate) held: [[u64; LANES as usize]; 2],
    drain: Span,
    pub(crate) delivered: u64,
    pub(crate) dropped: [u64; 2],
}

impl Link {
    fn new(flow_control: &FlowControlSetup, signal_time: Span, signal_delay: Span, drain: Span) -> Self {
        let wire = Wire::store_and_forward(RATE, LATENCY);
        let setup = || PortSetup { id: PortId(0), wire, flow_control: flow_control.clone() };
        let world = World {
            now: Time::ZERO,
            node: 0,
            events: BTreeMap::new(),
            count: 0,
            pool: PacketPool::default(),
            wire_free: [Time::ZERO; 2],
            signals: [0; 2],
            signal_time,
            signal_delay,
            violations: Vec::new(),
        };
        let mut link = Self {
            world,
            ports: [Port::new(setup()), Port::new(setup())],
            waiting: Default::default(),
            held: [[0; LANES as usize]; 2],
            drain,
            delivered: 0,
            dropped: [0; 2],
        };
        for node in 0..2 {
            link.world.node = node;
            link.ports[node].bring_up(&mut link.world);
        }
        link
    }

    pub(crate) fn of_credits(blocks: u16, wire_time: WireTime, drain: u64) -> Self {
        let room = vec![Bytes::new(MEMORY); LANES.into()];
        let rule = UpdateRule { blocks, interval: Span::from_us(4), refresh: Span::from_us(30) };
        let flow_control = FlowControlSetup::Credits { room: room.clone(), far_room: room, rule, wire_time };
        let signal_time = if wire_time == WireTime::Counted { Span::from_ns(6) } else { Span::ZERO };
        Self::new(&flow_control, signal_time, LATENCY, Span::from_ns(drain))
    }

    pub(crate) fn of_pauses(pauses: bool, headroom: u32, drain: u64) -> Self {
        let effect_delay = LATENCY + Span::from_ns(40);
        let rule = PauseRule {
            quanta: 50,
            quantum: Span::from_ns(64),
            refresh: Span::from_us(1),
            effect_delay,
            resume_offset: 500,
        };
        let memory = vec![LaneMemory { limit: MEMORY as u32, headroom, pauses }; LANES.into()];
        let flow_control = FlowControlSetup::Pause { rule, memory };
        // The shortest frame with preamble and gap.
        Self::new(&flow_control, Span::from_ns(84), effect_delay, Span::from_ns(drain))
    }

    /// Starts what may start, checks its times, and plans the next chance.
    fn send(&mut self, node: usize) {
        let now = self.world.now;
        if now < self.world.wire_free[node] {
            let at = self.world.wire_free[node];
            self.world.plan(at, node, Event::WireFree);
            return;
        }
        for lane in (0..LANES).map(Lane) {
            let Some(&length) = self.waiting[node][lane.index()].front() else { continue };
            let bytes = Bytes::new(u64::from(length));
            if !self.ports[node].may_start(lane, bytes) {
                continue;
            }
            self.waiting[node][lane.index()].pop_front();
            let passage = self.ports[node].start(lane, bytes, now);
            let left = now + RATE.time_for(bytes);
            assert_eq!((passage.starts, passage.left), (now, left));
            assert_eq!((passage.arrives, passage.tail), (left + LATENCY, left + LATENCY));
            self.world.wire_free[node] = left;
            let id = self.world.pool.insert(packet(lane, length));
            self.world.node = node;
            passage.deliver(PortId(0), id, &mut self.world);
            assert_eq!(self.world.pool[id].tail, passage.tail);
            self.world.plan(left, node, Event::WireFree);
            return;
        }
    }

    fn handle(&mut self, node: usize, event: Event) {
        self.world.node = node;
        let (port, world) = (&mut self.ports[node], &mut self.world);
        match event {
            Event::Post(lane, length) => self.waiting[node][lane.index()].push_back(length),
            Event::Arrival(id) => {
                let Packet { lrh, payload, .. } = world.pool[id];
                let length = Bytes::new(u64::from(payload));
                if port.admit(lrh.lane, length, world) {
                    self.held[node][lrh.lane.index()] += u64::from(payload);
                    self.delivered += 1;
                    let at = world.now + self.drain;
                    world.plan(at, node, Event::Consumed(lrh.lane, payload));
                } else {
                    self.dropped[node] += 1;
                }
            }
            Event::Consumed(lane, length) => {
                self.held[node][lane.index()] -= u64::from(length);
                port.release(lane, Bytes::new(u64::from(length)), world);
            }
            Event::Signal(signal) => port.on_signal(signal, world),
            Event::Timer(lane) => _ = port.on_timer(lane, world),
            Event::WireFree => {}
        }
        self.send(node);
    }

    /// Posts these packets, and runs for so long.
    pub(crate) fn run(&mut self, posts: &[(u64, u8, u8, u16)], until: Span) {
        for (ns, node, lane, length) in posts {
            let at = Span::from_ns(*ns).after_start();
            self.world.plan(at, usize::from(*node), Event::Post(Lane(*lane), *length));
        }
        while let Some(((at, _), (node, event))) = self.world.events.pop_first() {
            if at > until.after_start() {
                break;
            }
            self.world.now = at;
            self.handle(node, event);
            for (node, lane) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                self.check_held(node, Lane(lane));
            }
        }
        self.world.now = until.after_start();
    }

    /// The port's own account of a lane against what was admitted and released.
    fn check_held(&self, node: usize, lane: Lane) {
        if self.ports[node].is_lossless() {
            assert!(self.held[node][lane.index()] <= MEMORY, "an overfull buffer");
            let share = self.ports[node].share(lane);
            assert!(u64::from(share.held) * BLOCK >= self.held[node][lane.index()]);
            assert_eq!(u64::from(share.held) + u64::from(share.room), MEMORY / BLOCK);
            assert_eq!(self.ports[node].room(lane).get(), u64::from(share.room) * BLOCK);
        }
    }

    /// Everything has gone, and both ends know it.
    pub(crate) fn check_rest(&self, posts: usize) {
        assert_eq!(self.waiting.iter().flatten().map(VecDeque::len).sum::<usize>(), 0);
        assert_eq!(self.delivered + self.dropped.iter().sum::<u64>(), posts as u64);
        for node in 0..2 {
            let (port, free) = (&self.ports[node], self.world.wire_free[node]);
            assert!(port.at_rest(self.world.now.max(free)), "{port:?} at {}", self.world.now);
            assert_eq!(self.ports[node].signals_sent(), self.world.signals[node]);
            assert_eq!(self.ports[node].dropped(), self.dropped[node]);
        }
        assert_eq!(self.world.violations, []);
    }
}

fn packet(lane: Lane, length: u16) -> Packet {
    let lrh = Lrh::new(Lid(1), Lid(2), lane, ServiceLevel(0));
    let (opcode, transport, flags) = (Opcode::SendOnly, TransportService::Rc, BthFlags::empty());
    let bth = Bth { destination_qp: QpNumber(0), psn: Psn::new(7), opcode, transport, flags };
    Packet::new(lrh, bth, QpNumber(0), FlowId(0), length)
}
