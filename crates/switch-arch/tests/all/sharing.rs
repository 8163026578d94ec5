//! A switch with memory that its ports share, between far ends that send and consume at random.
//!
//! Invariant: the far ends know their room without events of their own, and no packet waits for ever.

use std::collections::VecDeque;

use cc_policies::AnyMarker;
use link_layer::flow_control::credits::{UpdateRule, blocks};
use link_layer::spec::{VlArbitrationSpec, WireTime};
use link_layer::{
    Alpha, Credits, FlowControlSetup, InvariantViolation, MemorySharing, NodeContext, Port, PortSetup, Share,
    SharedMemory, Signal, VlArbiter, Wire,
};
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Opcode, Packet, PacketId, PacketPool, PortId, Psn, QpNumber,
    ServiceLevel, TransportService,
};
use proptest::prelude::*;
use switch_arch::spec::{ArbiterSpec, BufferingSpec};
use switch_arch::{Switch, SwitchSetup, SwitchTimer};
use units::{Bytes, Rate, Span, Time};

const PORTS: usize = 4;
/// Room of each far end, in blocks.
const FAR: u16 = 70;
const LONGEST: Bytes = Bytes::new(2090);
const LANE: Lane = Lane(0);
const WIRE: Wire = Wire::store_and_forward(Rate::gbps(8), Span::from_ns(100));
const INTERVAL: Span = Span::from_us(4);

#[derive(Clone, Copy)]
enum Event {
    Arrives(PortId, PacketId),
    Delivered(PortId, PacketId),
    ToSwitch(PortId, Signal),
    ToFarEnd(PortId, Signal),
    Wake(SwitchTimer),
}

/// Pending events, ordered by time and then by planning.
#[derive(Default)]
struct World {
    now: Time,
    pool: PacketPool,
    events: VecDeque<(Time, Event)>,
}

impl World {
    fn push(&mut self, at: Time, event: Event) {
        let place = self.events.partition_point(|(time, _)| *time <= at);
        self.events.insert(place, (at, event));
    }
}

impl NodeContext<SwitchTimer> for World {
    fn now(&self) -> Time {
        self.now
    }

    fn packets(&mut self) -> &mut PacketPool {
        &mut self.pool
    }

    fn deliver(&mut self, port: PortId, at: Time, packet: PacketId) {
        self.push(at, Event::Delivered(port, packet));
    }

    fn send_signal(&mut self, port: PortId, at: Time, signal: Signal, _: u32) {
        self.push(at, Event::ToFarEnd(port, signal));
    }

    fn set_timer(&mut self, at: Time, what: SwitchTimer) {
        self.push(at, Event::Wake(what));
    }

    fn report_violation(&mut self, port: PortId, lane: Lane, violation: InvariantViolation) {
        panic!("port {port:?}, {lane}: {violation}");
    }
}

/// The switch and its far ends.
struct Bench {
    world: World,
    switch: Switch,
    far: Vec<Credits>,
    /// End of the last transmission of each far end.
    idle: Vec<Time>,
    /// Lengths of the packets that each far end holds, in blocks.
    taken: Vec<VecDeque<u16>>,
    under_way: usize,
}

impl Bench {
    fn new(guaranteed: u16, shared: u32, alpha: Option<Alpha>, update_blocks: u16) -> Self {
        let size = PORTS as u32 * u32::from(guaranteed) + shared;
        let share = Share { guaranteed: Bytes::new(u64::from(guaranteed) * 64), alpha };
        // Refreshes are too rare to help.
        let rule = UpdateRule { blocks: update_blocks, interval: INTERVAL, refresh: Span::from_us(1 << 40) };
        let port = |number: usize| {
            Port::new(PortSetup {
                id: PortId(number as u16),
                wire: WIRE,
                flow_control: FlowControlSetup::Credits {
                    room: vec![Bytes::new(u64::from(guaranteed) * 64)],
                    far_room: vec![Bytes::new(u64::from(FAR) * 64)],
                    rule,
                    wire_time: WireTime::Counted,
                },
            })
        };
        let mut bench = Self {
            world: World::default(),
            switch: Switch::new(SwitchSetup {
                ports: (0..PORTS).map(port).collect(),
                lanes: vec![VlArbiter::new(&VlArbitrationSpec::default()); PORTS],
                data_lanes: 1,
                longest_packet: LONGEST,
                forwarding: (0..PORTS as u16).map(|number| Some(PortId(number))).collect(),
                selection: None,
                sl_to_vl: None,
                detours: None,
                memory: MemorySharing::Blocks(SharedMemory::new(size, &[share; PORTS])),
                egress_limit: None,
                egress_pool: None,
                buffering: BufferingSpec::Central,
                arbiter: ArbiterSpec::RoundRobin,
                marker: AnyMarker::Off,
                output_buffer: LONGEST,
                speedup_thousandths: 1000,
            }),
            far: vec![Credits::new(FAR, guaranteed); PORTS],
            idle: vec![Time::ZERO; PORTS],
            taken: vec![VecDeque::new(); PORTS],
            under_way: 0,
        };
        bench.switch.bring_up(&mut bench.world);
        bench
    }

    /// Sends a packet from a far end to another, if there is credit.
    fn send(&mut self, who: usize, to: usize, payload: u16) {
        let lrh = Lrh::new(Lid(who as u32), Lid(to as u32), LANE, ServiceLevel(0));
        let bth = Bth {
            destination_qp: QpNumber(0),
            psn: Psn::new(0),
            opcode: Opcode::SendOnly,
            transport: TransportService::Rc,
            flags: BthFlags::empty(),
        };
        let mut packet = Packet::new(lrh, bth, QpNumber(0), FlowId(0), payload);
        let length = packet.wire_bytes();
        if !self.far[who].may_start(blocks(length)) {
            return;
        }
        self.far[who].start(blocks(length));
        self.idle[who] = self.world.now.max(self.idle[who]) + WIRE.time_for(length);
        packet.tail = self.idle[who] + WIRE.latency();
        let at = packet.tail;
        let id = self.world.pool.insert(packet);
        self.world.push(at, Event::Arrives(PortId(who as u16), id));
        self.under_way += 1;
    }

    /// Frees the oldest packet that a far end holds, and sends a credit update.
    fn take(&mut self, who: usize) {
        let Some(blocks) = self.taken[who].pop_front() else { return };
        self.far[who].release_own(blocks);
        let signal = self.far[who].update(LANE, self.world.now);
        let at = self.world.now.max(self.idle[who]) + WIRE.latency();
        self.world.push(at, Event::ToSwitch(PortId(who as u16), signal));
    }

    fn run_for(&mut self, span: Span) {
        let end = self.world.now + span;
        while let Some(now) = self.world.events.front().map(|(at, _)| *at).filter(|at| *at <= end) {
            self.world.now = now;
            while self.world.events.front().is_some_and(|(at, _)| *at == now) {
                let (_, event) = self.world.events.pop_front().expect("there is one");
                self.handle(event);
            }
            self.switch.decide(&mut self.world);
        }
        self.world.now = end;
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::ToFarEnd(_, Signal::Pause { .. }) => unreachable!("links are under credits"),
            Event::Arrives(port, id) => self.switch.arrive(port, id, &mut self.world),
            Event::Delivered(port, id) => {
                let blocks = blocks(self.world.pool.remove(id).wire_bytes());
                assert!(self.far[port.index()].admit(blocks), "{port:?} had no room");
                self.taken[port.index()].push_back(blocks);
                self.under_way -= 1;
            }
            Event::ToSwitch(port, signal) => self.switch.on_signal(port, signal, &mut self.world),
            Event::ToFarEnd(port, Signal::Credit { fctbs, fccl, .. }) => {
                self.far[port.index()].on_fccl(fccl);
                assert!(self.far[port.index()].on_fctbs(fctbs), "{port:?} lost something");
            }
            Event::Wake(wake) => self.switch.on_timer(wake, &mut self.world),
        }
    }
}

proptest! {
    /// Every far end learns its whole room within the update interval, without an event of its own. This holds after
    /// any sequence of events, once no packet arrives or is consumed. Under complete sharing no room is withheld from a
    /// far end that wants it. Once far ends consume again, every packet is delivered and all are at rest: no deadlock,
    /// no starvation.
    #[test]
    fn every_far_end_learns_its_room_and_every_packet_is_delivered(
        guaranteed in 33..140u16,
        shared in 0..600u32,
        factor in prop::option::of(prop_oneof![Just(Alpha::LEAST), Just(Alpha::MOST), 0.1..4.0f64]),
        update_blocks in 1..140u16,
        ops in prop::collection::vec((0..8u8, 0..PORTS, 0..PORTS, 0..2049u16), 0..600),
    ) {
        let alpha = factor.map(Alpha::new);
        let mut bench = Bench::new(guaranteed, shared, alpha, update_blocks.min(guaranteed));
        for (op, who, to, payload) in ops {
            match op {
                0..3 => bench.send(who, to, payload),
                3..5 => bench.send(who, 0, 2048),
                5 => bench.take(who),
                _ => bench.run_for(Span::from_ns(u64::from(payload) * 2)),
            }
        }
        // The last packets arrive and leave, and then an interval passes.
        let settled = INTERVAL + WIRE.time_for(LONGEST) * (2 * u64::from(FAR) + 600) + Span::from_us(1);
        bench.run_for(settled);
        let shares: Vec<_> = bench.switch.view().links().map(|link| link.share(LANE)).collect();
        let mut committed = 0;
        for (far, share) in bench.far.iter().zip(&shares) {
            prop_assert!(share.room == 0 || far.may_start(share.room), "{:?} is not known", share);
            prop_assert!(!far.may_start(share.room + 1));
            committed += share.held + u32::from(share.room);
        }
        let all = PORTS as u32 * u32::from(guaranteed) + shared;
        let nobody_wants = shares.iter().all(|share| share.room == guaranteed);
        prop_assert!(committed <= all && (alpha.is_some() || nobody_wants || committed == all));

        for _ in 0..10_000 {
            if bench.under_way == 0 && bench.taken.iter().all(VecDeque::is_empty) {
                break;
            }
            (0..PORTS).for_each(|who| bench.take(who));
            bench.run_for(Span::from_us(5));
        }
        prop_assert_eq!(bench.under_way, 0, "a packet is never delivered");
        bench.run_for(settled);
        prop_assert!(bench.switch.view().at_rest(bench.world.now) && bench.far.iter().all(Credits::at_rest));
    }
}
