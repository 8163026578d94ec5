//! A switch on a test rig. At the other end of each port's cable a station sends packets of equal length and consumes
//! arriving packets at once.
//!
//! Invariant: packets pass real ports, wires and credits, without a violation of flow control. All stations start
//! together and flow-control packets take no time, so saturated inputs make the switch work in slots.

use std::collections::BTreeMap;

use cc_policies::AnyMarker;
use link_layer::flow_control::credits::UpdateRule;
use link_layer::spec::{VlArbitrationSpec, WireTime};
use link_layer::{
    FlowControlSetup, InvariantViolation, MemorySharing, NodeContext, Port, PortSetup, Signal, VlArbiter,
    Wire,
};
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Mtu, Opcode, Packet, PacketId, PacketPool, PortId, Psn, QpNumber,
    ServiceLevel,
};
use switch_arch::spec::{ArbiterSpec, BufferingSpec};
use switch_arch::{Switch, SwitchSetup, SwitchTimer};
use units::{Bytes, Rate, Span, Time};

/// Payload of every packet.
const MTU: Mtu = Mtu::B256;
/// Rate of every wire: a byte takes a nanosecond.
const RATE: Rate = Rate::gbps(8);
/// Buffer of each input: the largest that credits can describe, 409 packets.
pub(crate) const BUFFER: Bytes = Bytes::new(2048 * 64);

/// Returns the length of every packet on the wire.
pub(crate) fn packet() -> Bytes {
    Bytes::new(u64::from(Opcode::SendOnly.wire_bytes(MTU.bytes())))
}

/// Returns the time that a packet takes on a wire.
pub(crate) fn slot() -> Span {
    RATE.time_for(packet())
}

/// A packet that has started to leave the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Departure {
    pub(crate) at: Time,
    /// Time from the packet's arrival at the switch to its start.
    pub(crate) wait: Span,
    pub(crate) input: PortId,
    pub(crate) output: PortId,
}

/// A switch with a station at each port.
pub(crate) struct Rig {
    switch: Switch,
    stations: Vec<Station>,
    wiring: Wiring,
}

struct Station {
    port: Port,
    free_at: Time,
}

#[derive(Clone, Copy)]
enum What {
    ToSwitch(PortId, PacketId),
    HeardBySwitch(PortId, Signal),
    Switch(SwitchTimer),
    ToStation(PortId, PacketId),
    HeardByStation(PortId, Signal),
    Alarm(PortId, Lane),
    /// A station sends to this output.
    Send(PortId, PortId),
    /// A station's wire is free.
    Free,
}

struct Wiring {
    now: Time,
    pool: PacketPool,
    agenda: BTreeMap<(Time, u64), What>,
    planned: u64,
    departures: Vec<Departure>,
}

impl Rig {
    /// Creates a switch. Its queues at outputs, if it has any, are as large as the inputs' buffers.
    pub(crate) fn new(ports: usize, buffering: BufferingSpec, arbiter: ArbiterSpec) -> Self {
        Self::with_output_queues(ports, buffering, arbiter, BUFFER)
    }

    /// Creates a switch with queues of this size at outputs, if there are any.
    pub(crate) fn with_output_queues(
        ports: usize,
        buffering: BufferingSpec,
        arbiter: ArbiterSpec,
        output_buffer: Bytes,
    ) -> Self {
        let numbers = || (0..ports as u16).map(PortId);
        let mut rig = Self {
            switch: Switch::new(SwitchSetup {
                ports: numbers().map(port).collect(),
                lanes: vec![VlArbiter::new(&VlArbitrationSpec::default()); ports],
                data_lanes: 1,
                longest_packet: MTU.longest_packet(),
                forwarding: numbers().map(Some).collect(),
                selection: None,
                sl_to_vl: None,
                detours: None,
                memory: MemorySharing::Own,
                egress_limit: None,
                egress_pool: None,
                buffering,
                arbiter,
                marker: AnyMarker::Off,
                output_buffer,
                speedup_thousandths: 1000,
            }),
            stations: numbers().map(|id| Station { port: port(id), free_at: Time::ZERO }).collect(),
            wiring: Wiring {
                now: Time::ZERO,
                pool: PacketPool::default(),
                agenda: BTreeMap::new(),
                planned: 0,
                departures: Vec::new(),
            },
        };
        rig.switch.bring_up(&mut rig.wiring.of_switch());
        for station in numbers() {
            let Station { port, .. } = &mut rig.stations[station.index()];
            port.bring_up(&mut rig.wiring.of_station(station));
        }
        rig
    }

    /// Lets every station send as fast as its wire and its credits allow, to the outputs that `next` names.
    pub(crate) fn saturate(&mut self, end: Time, mut next: impl FnMut(PortId) -> PortId) -> &[Departure] {
        self.wiring.plan(Time::ZERO, What::Free);
        while self.step(end) {
            for station in (0..self.stations.len() as u16).map(PortId) {
                if self.may_send(station) {
                    self.send(station, next(station));
                }
            }
        }
        &self.wiring.departures
    }

    /// Sends packets at the times and to the outputs that `next` yields, in order of time. Each packet comes from the
    /// next station in turn with a free wire.
    pub(crate) fn offer(&mut self, end: Time, mut next: impl FnMut() -> (Time, PortId)) -> &[Departure] {
        let (mut due, mut turn) = (next(), 0);
        self.wiring.plan(due.0, What::Free);
        while self.step(end) {
            while due.0 == self.wiring.now {
                let free = |station: &u16| self.may_send(PortId(*station));
                let ports = self.stations.len() as u16;
                turn = (1..=ports).map(|step| (turn + step) % ports).find(free).expect("a wire is free");
                self.send(PortId(turn), due.1);
                due = next();
                self.wiring.plan(due.0, What::Free);
            }
        }
        &self.wiring.departures
    }

    /// Sends the planned packets, given as (time, station, output) in order of time, and waits until all have left.
    pub(crate) fn play(&mut self, plan: &[(Time, PortId, PortId)]) -> &[Departure] {
        let end = plan.last().map_or(Time::ZERO, |(at, ..)| *at + slot() * 10_000);
        for (at, station, output) in plan {
            self.wiring.plan(*at, What::Send(*station, *output));
        }
        while self.step(end) {}
        &self.wiring.departures
    }

    fn may_send(&self, station: PortId) -> bool {
        let Station { port, free_at } = &self.stations[station.index()];
        *free_at <= self.wiring.now && port.may_start(Lane(0), MTU.longest_packet())
    }

    fn send(&mut self, station: PortId, output: PortId) {
        let lrh = Lrh::new(Lid(station.0.into()), Lid(output.0.into()), Lane(0), ServiceLevel(0));
        let (opcode, flags) = (Opcode::SendOnly, BthFlags::empty());
        let bth = Bth {
            destination_qp: QpNumber(0),
            psn: Psn::new(0),
            opcode,
            transport: packet::TransportService::Rc,
            flags,
        };
        let packet = Packet::new(lrh, bth, QpNumber(0), FlowId(0), MTU.bytes());
        let id = self.wiring.pool.insert(packet);
        let Station { port, free_at } = &mut self.stations[station.index()];
        let passage = port.start(Lane(0), packet.wire_bytes(), self.wiring.now);
        *free_at = passage.left;
        passage.deliver(station, id, &mut self.wiring.of_station(station));
        self.wiring.plan(passage.left, What::Free);
    }

    /// Handles an instant. Returns false once no event up to `end` is left.
    fn step(&mut self, end: Time) -> bool {
        let Some(((now, _), _)) = self.wiring.agenda.first_key_value() else { return false };
        self.wiring.now = *now;
        if self.wiring.now > end {
            return false;
        }
        while let Some(entry) =
            self.wiring.agenda.first_entry().filter(|entry| entry.key().0 == self.wiring.now)
        {
            let what = entry.remove();
            self.handle(what);
        }
        self.switch.decide(&mut self.wiring.of_switch());
        true
    }

    fn handle(&mut self, what: What) {
        match what {
            What::ToSwitch(port, id) => {
                self.wiring.pool[id].injected = self.wiring.now;
                self.switch.arrive(port, id, &mut self.wiring.of_switch());
            }
            What::HeardBySwitch(port, signal) => {
                self.switch.on_signal(port, signal, &mut self.wiring.of_switch());
            }
            What::Switch(wake) => self.switch.on_timer(wake, &mut self.wiring.of_switch()),
            What::ToStation(station, id) => {
                let length = self.wiring.pool.remove(id).wire_bytes();
                let port = &mut self.stations[station.index()].port;
                let context = &mut self.wiring.of_station(station);
                assert!(port.admit(Lane(0), length, context), "credits exclude drops");
                port.release(Lane(0), length, context);
            }
            What::HeardByStation(station, signal) => {
                self.stations[station.index()].port.on_signal(signal, &mut self.wiring.of_station(station));
            }
            What::Alarm(station, lane) => {
                let context = &mut self.wiring.of_station(station);
                self.stations[station.index()].port.on_timer(lane, context);
            }
            What::Send(station, output) => {
                assert!(self.may_send(station), "no free wire or no credit for a planned packet");
                self.send(station, output);
            }
            What::Free => {}
        }
    }
}

fn port(id: PortId) -> Port {
    Port::new(PortSetup {
        id,
        wire: Wire::cut_through(RATE, Span::from_ns(1)),
        flow_control: FlowControlSetup::Credits {
            room: vec![BUFFER],
            far_room: vec![BUFFER],
            rule: UpdateRule { blocks: 1, interval: Span::from_us(1), refresh: Span::from_us(60) },
            wire_time: WireTime::Free,
        },
    })
}

impl Wiring {
    fn plan(&mut self, at: Time, what: What) {
        self.planned += 1;
        self.agenda.insert((at, self.planned), what);
    }

    fn of_switch(&mut self) -> OfSwitch<'_> {
        OfSwitch(self)
    }

    fn of_station(&mut self, station: PortId) -> OfStation<'_> {
        OfStation(self, station)
    }
}

struct OfSwitch<'a>(&'a mut Wiring);

impl NodeContext<SwitchTimer> for OfSwitch<'_> {
    fn now(&self) -> Time {
        self.0.now
    }

    fn packets(&mut self) -> &mut PacketPool {
        &mut self.0.pool
    }

    fn deliver(&mut self, port: PortId, at: Time, packet: PacketId) {
        let Packet { injected, .. } = self.0.pool[packet];
        let input = self.0.pool[packet].voq().input;
        let wait = self.0.now.since(injected);
        self.0.departures.push(Departure { at: self.0.now, wait, input, output: port });
        self.0.plan(at, What::ToStation(port, packet));
    }

    fn send_signal(&mut self, port: PortId, at: Time, signal: Signal, _: u32) {
        self.0.plan(at, What::HeardByStation(port, signal));
    }

    fn set_timer(&mut self, at: Time, what: SwitchTimer) {
        self.0.plan(at, What::Switch(what));
    }

    fn report_violation(&mut self, port: PortId, lane: Lane, violation: InvariantViolation) {
        panic!("the switch, port {port:?}, {lane}: {violation}");
    }
}

struct OfStation<'a>(&'a mut Wiring, PortId);

impl NodeContext<Lane> for OfStation<'_> {
    fn now(&self) -> Time {
        self.0.now
    }

    fn packets(&mut self) -> &mut PacketPool {
        &mut self.0.pool
    }

    fn deliver(&mut self, port: PortId, at: Time, packet: PacketId) {
        self.0.plan(at, What::ToSwitch(port, packet));
    }

    fn send_signal(&mut self, port: PortId, at: Time, signal: Signal, _: u32) {
        self.0.plan(at, What::HeardBySwitch(port, signal));
    }

    fn set_timer(&mut self, at: Time, lane: Lane) {
        self.0.plan(at, What::Alarm(self.1, lane));
    }

    fn report_violation(&mut self, port: PortId, lane: Lane, violation: InvariantViolation) {
        panic!("the station of port {port:?}, {lane}: {violation}");
    }
}
