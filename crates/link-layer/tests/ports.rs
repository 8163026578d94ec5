//! Two ports and the cable between them, in a small world of their own: what both ends promise under each flow control.

use std::collections::{BTreeMap, VecDeque};

use link_layer::flow_control::credits::UpdateRule;
use link_layer::spec::WireTime;
use link_layer::{
    FlowControlSetup, InvariantViolation, LaneMemory, NodeContext, PauseRule, Port, PortConfigs, PortSetup,
    Signal, Wire,
};
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Opcode, Packet, PacketId, PacketPool, PortId, Psn, QpNumber,
    ServiceLevel, TransportService,
};
use proptest::prelude::*;
use units::{Bytes, Rate, Span, Time};

const RATE: Rate = Rate::gbps(8); // A byte a nanosecond.
const LATENCY: Span = Span::from_ns(150);
const LANES: u8 = 2;
/// Memory of each lane.
const MEMORY: u64 = 4_096;
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
struct World {
    now: Time,
    /// The node that acts.
    node: usize,
    events: BTreeMap<(Time, u64), (usize, Event)>,
    count: u64,
    pool: PacketPool,
    wire_free: [Time; 2],
    signals: [u64; 2],
    signal_time: Span,
    signal_delay: Span,
    violations: Vec<InvariantViolation>,
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
struct Link {
    world: World,
    ports: [Port; 2],
    waiting: [[VecDeque<u16>; LANES as usize]; 2],
    held: [[u64; LANES as usize]; 2],
    drain: Span,
    delivered: u64,
    dropped: [u64; 2],
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

    fn of_credits(blocks: u16, wire_time: WireTime, drain: u64) -> Self {
        let room = vec![Bytes::new(MEMORY); LANES.into()];
        let rule = UpdateRule { blocks, interval: Span::from_us(4), refresh: Span::from_us(30) };
        let flow_control = FlowControlSetup::Credits { room: room.clone(), far_room: room, rule, wire_time };
        let signal_time = if wire_time == WireTime::Counted { Span::from_ns(6) } else { Span::ZERO };
        Self::new(&flow_control, signal_time, LATENCY, Span::from_ns(drain))
    }

    fn of_pauses(enabled: bool, headroom: u32, drain: u64) -> Self {
        let effect_delay = LATENCY + Span::from_ns(40);
        let rule = PauseRule {
            enabled,
            quanta: 50,
            quantum: Span::from_ns(64),
            refresh: Span::from_us(1),
            effect_delay,
            resume_offset: 500,
        };
        let memory = vec![LaneMemory { limit: MEMORY as u32, headroom }; LANES.into()];
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
    fn run(&mut self, posts: &[(u64, u8, u8, u16)], until: Span) {
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
    fn check_rest(&self, posts: usize) {
        assert_eq!(self.waiting.iter().flatten().map(VecDeque::len).sum::<usize>(), 0);
        assert_eq!(self.delivered + self.dropped.iter().sum::<u64>(), posts as u64);
        for node in 0..2 {
            assert!(self.ports[node].at_rest(self.world.now));
            assert_eq!(self.ports[node].signals_sent(), self.world.signals[node]);
            assert_eq!(self.ports[node].dropped(), self.dropped[node]);
        }
        assert_eq!(self.world.violations, []);
    }
}

fn packet(lane: Lane, length: u16) -> Packet {
    let lrh = Lrh { source: Lid(1), destination: Lid(2), lane, service_level: ServiceLevel(0) };
    let (opcode, transport, flags) = (Opcode::SendOnly, TransportService::Rc, BthFlags::empty());
    let bth = Bth { destination_qp: QpNumber(0), psn: Psn::new(7), opcode, transport, flags };
    Packet::new(lrh, bth, QpNumber(0), FlowId(0), length)
}

fn any_posts() -> impl Strategy<Value = Vec<(u64, u8, u8, u16)>> {
    prop::collection::vec((0..20_000u64, 0..2u8, 0..LANES, 30..2_100u16), 1..80)
}

proptest! {
    #[test]
    fn credits_lose_nothing_and_return(
        posts in any_posts(),
        blocks in prop_oneof![Just(1u16), Just(20), Just(64)],
        free in any::<bool>(),
        drain in 0..4_000u64,
    ) {
        let wire_time = if free { WireTime::Free } else { WireTime::Counted };
        let mut link = Link::of_credits(blocks, wire_time, drain);
        link.run(&posts, Span::from_us(2_000));
        link.check_rest(posts.len());
        prop_assert_eq!(link.delivered, posts.len() as u64);
        prop_assert!(link.ports[0].pauses(Lane(0), link.world.now).is_none());
    }

    #[test]
    fn pauses_with_headroom_lose_nothing(posts in any_posts(), drain in 0..4_000u64) {
        let mut link = Link::of_pauses(true, 9_000, drain);
        link.run(&posts, Span::from_us(2_000));
        link.check_rest(posts.len());
        prop_assert_eq!(link.dropped, [0, 0]);
        let now = link.world.now;
        for (node, far) in [(0, 1), (1, 0)] {
            let of = |node: usize, lane| link.ports[node].pauses(Lane(lane), now).expect("PFC counts");
            for lane in 0..LANES {
                let (tally, other) = (of(node, lane), of(far, lane));
                prop_assert_eq!(tally.sent, other.received, "each PAUSE arrives");
                prop_assert_eq!(other.paused > Span::ZERO, tally.sent > 0);
                prop_assert!(tally.nearest.get() <= MEMORY && tally.limit.get() == MEMORY);
                prop_assert_eq!(link.ports[node].room(Lane(lane)).get(), u64::from(u32::MAX));
            }
        }
        prop_assert!(!link.ports[0].is_lossless());
    }

    #[test]
    fn without_flow_control_a_full_buffer_drops(posts in any_posts(), drain in 0..9_000u64) {
        let mut link = Link::of_pauses(false, 0, drain);
        link.run(&posts, Span::from_us(2_000));
        link.check_rest(posts.len());
        prop_assert_eq!(link.world.signals, [0, 0]);
    }
}

#[test]
fn a_sender_stops_where_the_memory_ends_and_room_is_told() {
    let mut link = Link::of_credits(1, WireTime::Counted, 50_000);
    link.run(&[(0, 0, 0, 1_024); 5], Span::from_us(20));
    assert_eq!((link.delivered, link.held[1]), (4, [4_096, 0]));
    assert_eq!(link.ports[1].room(Lane(0)), Bytes::ZERO);
    assert!(
        !link.ports[0].may_start(Lane(0), Bytes::new(1))
            && link.ports[0].may_start(Lane(1), Bytes::new(4_096))
    );
    assert!(!link.ports[0].at_rest(link.world.now) && !link.ports[1].at_rest(link.world.now));
    let mut link = Link::of_pauses(true, 9_000, 50_000);
    link.run(&[(0, 0, 0, 1_024); 5], Span::from_us(20));
    assert_eq!(
        (link.ports[1].room(Lane(0)), link.ports[0].may_start(Lane(0), Bytes::new(1))),
        (Bytes::ZERO, false)
    );
    assert!(link.ports[0].may_start(Lane(1), Bytes::new(1)));
    assert!(!link.ports[0].at_rest(link.world.now) && !link.ports[1].at_rest(link.world.now));
}

/// VL15 is not subject to flow control (IBA 7.9.1).
#[test]
fn management_passes_full_buffers() {
    for mut link in [Link::of_credits(1, WireTime::Counted, 0), Link::of_pauses(true, 0, 0)] {
        let (length, lane) = (Bytes::new(256), Lane::MANAGEMENT);
        for _ in 0..100 {
            assert!(link.ports[0].may_start(lane, length));
            let before = link.world.now;
            link.world.now = link.ports[0].start(lane, length, before).left;
            assert_eq!(link.world.now, before + Span::from_ns(256));
            assert!(link.ports[1].admit(lane, length, &mut link.world));
            link.ports[1].release(lane, length, &mut link.world);
        }
        assert_eq!((link.ports[1].dropped(), link.world.violations.len()), (0, 0));
        assert!(link.ports[0].at_rest(link.world.now) && link.ports[1].at_rest(link.world.now));
        assert!(!link.ports[0].at_rest(Time::ZERO), "the wire is busy");
    }
}

#[test]
fn what_cannot_be_is_reported() {
    let credit = |fctbs| Signal::Credit { lane: Lane(1), fctbs, fccl: 64 };
    let pause = Signal::Pause { lane: Lane(1), quanta: 9 };
    let mut link = Link::of_credits(1, WireTime::Counted, 0);
    link.ports[0].on_signal(credit(0), &mut link.world);
    assert_eq!(link.world.violations, []);
    link.ports[0].on_signal(pause, &mut link.world);
    link.ports[0].on_signal(credit(1), &mut link.world);
    assert!(link.ports[0].admit(Lane(0), Bytes::new(MEMORY), &mut link.world));
    assert_eq!(link.world.violations, [InvariantViolation::ForeignSignal, InvariantViolation::Miscount]);
    assert!(link.ports[0].admit(Lane(0), Bytes::new(1), &mut link.world));
    assert_eq!(link.world.violations.last(), Some(&InvariantViolation::Overflow));
    let mut link = Link::of_pauses(true, 0, 0);
    link.ports[0].on_signal(credit(0), &mut link.world);
    assert_eq!(link.world.violations, [InvariantViolation::ForeignSignal]);
}

#[test]
fn the_lookahead_is_that_of_the_fastest_thing_on_the_wire() {
    let link = Link::of_credits(1, WireTime::Counted, 0);
    assert_eq!(link.ports[0].lookahead(), LATENCY, "the wire promises no more than its latency");
    let wire = Wire::cut_through(RATE, LATENCY);
    assert!(wire.lookahead() > LATENCY);
    for (start, length) in [(0, 30), (7, 2_000)] {
        let (start, wire_time) = (Span::from_ns(start).after_start(), wire.time_for(Bytes::new(length)));
        assert_eq!(wire_time, RATE.time_for(Bytes::new(length)));
        assert_eq!(wire.arrives(start, wire_time), start + wire.lookahead(), "the header decides");
        let whole = Wire::store_and_forward(RATE, LATENCY);
        assert_eq!(whole.arrives(start, wire_time), start + wire_time + LATENCY);
    }
    assert_eq!((wire.rate(), wire.latency()), (RATE, LATENCY));
}

#[test]
fn equal_configurations_are_shared() {
    let mut known = PortConfigs::default();
    let mut link = Link::of_credits(1, WireTime::Counted, 0);
    let mut other = Link::of_pauses(true, 0, 0);
    let same = |one: &Port, two: &Port| std::ptr::eq(one.wire(), two.wire());
    assert!(!same(&link.ports[0], &link.ports[1]));
    link.ports.iter_mut().chain(&mut other.ports).for_each(|port| port.intern(&mut known));
    assert!(same(&link.ports[0], &link.ports[1]) && same(&other.ports[0], &other.ports[1]));
    assert!(!same(&link.ports[0], &other.ports[0]));
}
