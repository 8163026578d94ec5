//! A switch driven by hand: packets enter it at chosen times, and the far ends do only what a test says.
//!
//! Invariant: the switch acts later than now: a packet or a signal that it sends takes time, and so does each of its
//! timers.

use std::collections::BTreeMap;

use cc_policies::own::OwnPolicies;
use cc_policies::{AnyMarker, BufferOwner, MarkerSetup, MarkingSpec};
use link_layer::flow_control::credits::UpdateRule;
use link_layer::flow_control::pause::{LaneMemory, PauseRule};
use link_layer::spec::{VlArbitrationSpec, WireTime};
use link_layer::{
    FlowControlSetup, InvariantViolation, MemorySharing, NodeContext, Port, PortSetup, Signal, VlArbiter,
    Wire,
};
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Mtu, Opcode, Packet, PacketId, PacketPool, PortId, Psn, QpNumber,
    ServiceLevel,
};
use rand_pcg::Pcg64Mcg;
use switch_arch::spec::{ArbiterSpec, BufferingSpec};
use switch_arch::{Switch, SwitchSetup, SwitchTimer};
use units::{Bytes, Rate, Span, Time};

/// Length of each packet, as the switch counts it.
pub(crate) const PACKET: Bytes = Bytes::new(282);
/// Blocks of credit that a packet takes.
pub(crate) const BLOCKS: u64 = 5;
/// Rate of most wires: a byte takes a nanosecond.
pub(crate) const RATE: Rate = Rate::gbps(8);
/// Time that a packet takes on such a wire.
pub(crate) const SLOT: Span = Span::from_ns(282);
/// Longest time between two flow-control packets of an idle lane.
pub(crate) const REFRESH: Span = Span::from_us(1_000);
const MTU: Mtu = Mtu::B256;

/// Returns the time this many nanoseconds after the start.
pub(crate) fn at(ns: u64) -> Time {
    Span::from_ns(ns).after_start()
}

/// Credits with room for this many blocks on each of the lanes, here and at the far ends.
pub(crate) fn credits(room: &[u64], far_room: &[u64]) -> FlowControlSetup {
    let bytes = |blocks: &[u64]| blocks.iter().map(|blocks| Bytes::new(blocks * 64)).collect();
    FlowControlSetup::Credits {
        room: bytes(room),
        far_room: bytes(far_room),
        rule: UpdateRule { blocks: 1, interval: Span::from_us(1), refresh: REFRESH },
        wire_time: WireTime::Free,
    }
}

/// Memory of each lane under PFC, or without flow control: the threshold, and whether the lane requests pauses.
pub(crate) fn pausing(lanes: &[(Bytes, bool)]) -> FlowControlSetup {
    let memory = |(limit, pauses): &(Bytes, bool)| LaneMemory {
        limit: limit.get() as u32,
        headroom: if *pauses { 100_000 } else { 0 },
        pauses: *pauses,
    };
    FlowControlSetup::Pause {
        rule: PauseRule {
            quanta: u16::MAX,
            quantum: Span::from_ns(64),
            refresh: Span::from_us(1_000),
            effect_delay: Span::from_ns(100),
            resume_offset: 0,
        },
        memory: lanes.iter().map(memory).collect(),
    }
}

/// Returns the parts of a switch with links of these rates, all of them under this flow control.
pub(crate) fn parts(
    buffering: BufferingSpec,
    rates: &[Rate],
    flow_control: &FlowControlSetup,
) -> SwitchSetup {
    let data_lanes = match flow_control {
        FlowControlSetup::Credits { room, .. } => room.len(),
        FlowControlSetup::Pause { memory, .. } => memory.len(),
    };
    let port = |(number, rate): (u16, &Rate)| {
        let wire = Wire::cut_through(*rate, Span::from_ns(50));
        Port::new(PortSetup { id: PortId(number), wire, flow_control: flow_control.clone() })
    };
    SwitchSetup {
        ports: (0..).zip(rates).map(port).collect(),
        lanes: vec![VlArbiter::new(&VlArbitrationSpec::default()); rates.len()],
        data_lanes,
        longest_packet: MTU.longest_packet(),
        forwarding: (0..rates.len() as u16).map(|number| Some(PortId(number))).collect(),
        selection: None,
        sl_to_vl: None,
        detours: None,
        memory: MemorySharing::Own,
        egress_limit: None,
        egress_pool: None,
        buffering,
        output_buffer: Bytes::kib(64),
        arbiter: ArbiterSpec::RoundRobin,
        marker: AnyMarker::Off,
        speedup_thousandths: 1000,
    }
}

/// Returns the marker of a switch of this organisation with four ports. Shares of the buffer are of `capacity`.
pub(crate) fn marker(
    marking: &MarkingSpec,
    buffering: BufferingSpec,
    lanes: usize,
    capacity: Bytes,
) -> AnyMarker {
    AnyMarker::new(
        marking,
        &OwnPolicies::NONE,
        &MarkerSetup {
            name: "S".to_owned(),
            radix: 4,
            lanes,
            buffers_of: match buffering {
                BufferingSpec::Output => BufferOwner::Outputs,
                _ => BufferOwner::Inputs,
            },
            capacity,
            longest_packet: MTU.longest_packet(),
            numbers: vec![1, 2, 3, 4],
            faces_adapter: vec![true; 4],
            rates: vec![RATE; 4],
            stream: Pcg64Mcg::new(1),
        },
    )
}

/// A packet that has started on a wire of the switch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub(crate) at: Time,
    pub(crate) output: PortId,
    pub(crate) packet: Packet,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Arrive(PortId, PacketId),
    /// Blocks since the start that may be sent by an output and lane.
    Grant(PortId, Lane, u16),
    Timer(SwitchTimer),
}

/// The clock, the packets, and the acts of the switch.
#[derive(Default)]
pub(crate) struct World {
    now: Time,
    pub(crate) pool: PacketPool,
    events: BTreeMap<(Time, u64), Event>,
    planned: u64,
    left: Vec<PacketId>,
    /// Blocks that the far ends have sent, by input and lane.
    sent: BTreeMap<(u16, u8), u16>,
    pub(crate) departures: Vec<Departure>,
    pub(crate) signals: Vec<(PortId, Signal)>,
}

/// A switch and its world.
pub(crate) struct Probe {
    pub(crate) switch: Switch,
    pub(crate) world: World,
}

impl World {
    fn plan(&mut self, at: Time, event: Event) {
        self.planned += 1;
        self.events.insert((at, self.planned), event);
    }
}

impl Probe {
    pub(crate) fn new(parts: SwitchSetup) -> Self {
        let mut probe = Self { switch: Switch::new(parts), world: World::default() };
        probe.switch.bring_up(&mut probe.world);
        probe
    }

    /// Lets a packet for `output` come in by `input` and a lane at this time. Its tail is in too.
    pub(crate) fn send(&mut self, time: Time, input: u16, output: u16, lane: u8) {
        self.send_as(time, input, output, lane, |packet| packet.tail = time);
    }

    /// Lets a packet come in that `change` has made different.
    pub(crate) fn send_as(
        &mut self,
        time: Time,
        input: u16,
        output: u16,
        lane: u8,
        change: impl FnOnce(&mut Packet),
    ) {
        let lrh = Lrh::new(Lid(input.into()), Lid(output.into()), Lane(lane), ServiceLevel(0));
        let bth = Bth {
            destination_qp: QpNumber(0),
            psn: Psn::new(0),
            opcode: Opcode::SendOnly,
            transport: packet::TransportService::Rc,
            flags: BthFlags::empty(),
        };
        let mut packet = Packet::new(lrh, bth, QpNumber(0), FlowId(0), MTU.bytes());
        change(&mut packet);
        let id = self.world.pool.insert(packet);
        self.world.plan(time, Event::Arrive(PortId(input), id));
    }

    /// Lets the far end of `output` grant credit on a lane at this time, for this many blocks since the start.
    pub(crate) fn grant(&mut self, time: Time, output: u16, lane: u8, blocks: u64) {
        self.world.plan(time, Event::Grant(PortId(output), Lane(lane), blocks as u16));
    }

    /// Handles every instant up to `end`.
    pub(crate) fn run_until(&mut self, end: Time) {
        let world = &mut self.world;
        while let Some(now) = world.events.keys().next().map(|(at, _)| *at).filter(|at| *at <= end) {
            world.now = now;
            while let Some(entry) = world.events.first_entry()
                && entry.key().0 == now
            {
                match entry.remove() {
                    Event::Arrive(input, id) => {
                        *world.sent.entry((input.0, world.pool[id].lrh.lane.0)).or_default() += BLOCKS as u16;
                        self.switch.arrive(input, id, world);
                    }
                    Event::Grant(output, lane, fccl) => {
                        let fctbs = world.sent.get(&(output.0, lane.0)).copied().unwrap_or(0);
                        self.switch.on_signal(output, Signal::Credit { lane, fctbs, fccl }, world);
                    }
                    Event::Timer(timer) => self.switch.on_timer(timer, world),
                }
            }
            self.switch.decide(world);
            for id in world.left.drain(..) {
                let packet = world.pool.remove(id);
                world.departures.push(Departure { at: now, output: packet.voq().output, packet });
            }
        }
        world.now = end;
    }

    /// Returns the number of packets that have left by an output and lane, of those that `of` chooses.
    pub(crate) fn left(&self, output: u16, lane: u8, of: impl Fn(&Packet) -> bool) -> u64 {
        let here = |departure: &&Departure| {
            let Departure { output: port, packet, .. } = departure;
            *port == PortId(output) && packet.lrh.lane == Lane(lane) && of(packet)
        };
        self.world.departures.iter().filter(here).count() as u64
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
        assert!(at > self.now, "a packet takes time on its wire");
        assert_eq!(port, self.pool[packet].voq().output, "a packet leaves as it was routed");
        self.left.push(packet);
    }

    fn send_signal(&mut self, port: PortId, at: Time, signal: Signal, _: u32) {
        assert!(at > self.now, "a signal takes time on its wire");
        self.signals.push((port, signal));
    }

    fn set_timer(&mut self, at: Time, timer: SwitchTimer) {
        assert!(at > self.now, "{timer:?} is set for {at}, which is now");
        self.plan(at, Event::Timer(timer));
    }

    fn report_violation(&mut self, port: PortId, lane: Lane, violation: InvariantViolation) {
        panic!("port {port:?}, {lane}: {violation}");
    }
}
