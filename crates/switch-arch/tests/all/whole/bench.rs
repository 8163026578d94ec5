//! A switch on a test bench: a host at every port sends the ordered packets and consumes arriving packets.
//!
//! Invariant: the promises of the switch are checked as it runs. Buffers and queues stay within their sizes, flows keep
//! their order, and no packet leaves before it has come in.

use std::collections::{BTreeMap, VecDeque};

use cc_policies::AnyMarker;
use link_layer::flow_control::credits::UpdateRule;
use link_layer::spec::{VlArbitrationSpec, WireTime};
use link_layer::{
    FlowControlSetup, InvariantViolation, LinkTimer, MemorySharing, NodeContext, Port, PortSetup, Signal,
    VlArbiter, Wire,
};
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Mtu, Opcode, Packet, PacketId, PacketPool, PortId, Psn, QpNumber,
    ServiceLevel,
};
use switch_arch::spec::{ArbiterSpec, BufferingSpec};
use switch_arch::{Switch, SwitchSetup, SwitchTimer};
use units::{Bytes, Rate, Span, Time};

pub(crate) const MTU: Mtu = Mtu::B256;
pub(crate) const LANES: u8 = 2;
const BUFFER: Bytes = Bytes::kib(64);
/// Time of flight of every cable.
pub(crate) const FLIGHT: Span = Span::from_ns(50);

/// Parameters of a bench.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) buffering: BufferingSpec,
    pub(crate) arbiter: ArbiterSpec,
    /// Rate of each port's link, in Gb/s.
    pub(crate) rates: Vec<u64>,
    pub(crate) speedup_thousandths: u64,
    pub(crate) output_queue: Bytes,
    /// Time that each host takes to consume a packet and free its buffer.
    pub(crate) digestion: Vec<Span>,
    /// Receive buffer of hosts.
    pub(crate) host_buffer: Bytes,
    pub(crate) wire_time: WireTime,
}

/// An order to a host to send a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) at: Time,
    pub(crate) from: u16,
    pub(crate) to: u16,
    pub(crate) lane: u8,
    pub(crate) payload: u16,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    ToSwitch(PortId, PacketId),
    SignalSwitch(PortId, Signal),
    Switch(SwitchTimer),
    Order(Order),
    ToHost(u16, PacketId),
    SignalHost(u16, Signal),
    Host(u16, HostTimer),
}

#[derive(Clone, Copy, Debug)]
enum HostTimer {
    Free,
    Digested(Lane, Bytes),
    Credit(Lane),
}

impl LinkTimer for HostTimer {
    fn link_timer(_: PortId, lane: Lane) -> Self {
        Self::Credit(lane)
    }
}

struct Host {
    port: Port,
    free_at: Time,
    digestion: Span,
    queues: [VecDeque<PacketId>; LANES as usize],
}

/// State that the nodes share: the clock, the packets, the cables.
#[derive(Default)]
struct Cables {
    now: Time,
    pool: PacketPool,
    events: BTreeMap<(Time, u64), Event>,
    planned: u64,
    /// Arrival of the tail of each packet in the switch.
    tails: BTreeMap<PacketId, Time>,
}

pub(crate) struct Bench {
    pub(crate) switch: Switch,
    hosts: Vec<Host>,
    cables: Cables,
    staged: Option<Bytes>,
    sent: BTreeMap<(u16, u16, u8), u32>,
    /// Packets delivered, by source, destination and lane.
    pub(crate) delivered: BTreeMap<(u16, u16, u8), u32>,
    /// Arrival of the last packet delivered.
    pub(crate) last: Time,
}

impl Cables {
    fn plan(&mut self, at: Time, event: Event) {
        self.planned += 1;
        self.events.insert((at, self.planned), event);
    }
}

impl NodeContext<SwitchTimer> for Cables {
    fn now(&self) -> Time {
        self.now
    }

    fn packets(&mut self) -> &mut PacketPool {
        &mut self.pool
    }

    fn deliver(&mut self, port: PortId, at: Time, packet: PacketId) {
        let came = self.tails.remove(&packet).expect("a packet that leaves the switch has come in");
        assert!(self.pool[packet].tail >= came + FLIGHT, "a packet leaves before it has come in");
        self.plan(at, Event::ToHost(port.0, packet));
    }

    fn send_signal(&mut self, port: PortId, at: Time, signal: Signal, _: u32) {
        self.plan(at, Event::SignalHost(port.0, signal));
    }

    fn set_timer(&mut self, at: Time, what: SwitchTimer) {
        self.plan(at, Event::Switch(what));
    }

    fn report_violation(&mut self, port: PortId, lane: Lane, violation: InvariantViolation) {
        panic!("port {port:?}, {lane}: {violation}");
    }
}

/// A host's access to its cable.
struct HostContext<'a>(&'a mut Cables, u16);

impl NodeContext<HostTimer> for HostContext<'_> {
    fn now(&self) -> Time {
        self.0.now
    }

    fn packets(&mut self) -> &mut PacketPool {
        &mut self.0.pool
    }

    fn deliver(&mut self, _: PortId, at: Time, packet: PacketId) {
        self.0.plan(at, Event::ToSwitch(PortId(self.1), packet));
    }

    fn send_signal(&mut self, _: PortId, at: Time, signal: Signal, _: u32) {
        self.0.plan(at, Event::SignalSwitch(PortId(self.1), signal));
    }

    fn set_timer(&mut self, at: Time, timer: HostTimer) {
        self.0.plan(at, Event::Host(self.1, timer));
    }

    fn report_violation(&mut self, _: PortId, lane: Lane, violation: InvariantViolation) {
        panic!("host {}, {lane}: {violation}", self.1);
    }
}

impl Bench {
    pub(crate) fn new(setup: &Setup) -> Self {
        let (ports, lanes) = (setup.rates.len(), usize::from(LANES));
        let staged = setup.buffering.has_output_queues().then_some(setup.output_queue);
        let port = |number: usize, wire: Wire, here: Bytes, there: Bytes| {
            Port::new(PortSetup {
                id: PortId(number as u16),
                wire,
                flow_control: FlowControlSetup::Credits {
                    room: vec![here; lanes],
                    far_room: vec![there; lanes],
                    rule: UpdateRule { blocks: 5, interval: Span::from_us(1), refresh: Span::from_us(50) },
                    wire_time: setup.wire_time,
                },
            })
        };
        let rates = || setup.rates.iter().map(|rate| Rate::gbps(*rate)).enumerate();
        let own = rates().map(|(number, rate)| {
            port(number, Wire::store_and_forward(rate, FLIGHT), BUFFER, setup.host_buffer)
        });
        let hosts = rates().map(|(number, rate)| Host {
            port: port(0, Wire::cut_through(rate, FLIGHT), setup.host_buffer, BUFFER),
            free_at: Time::ZERO,
            digestion: setup.digestion[number],
            queues: Default::default(),
        });
        let switch = Switch::new(SwitchSetup {
            ports: own.collect(),
            lanes: vec![VlArbiter::new(&VlArbitrationSpec::default()); ports],
            data_lanes: lanes,
            longest_packet: MTU.longest_packet(),
            forwarding: (0..ports as u16).map(|number| Some(PortId(number))).collect(),
            selection: None,
            sl_to_vl: None,
            detours: None,
            buffering: setup.buffering,
            arbiter: setup.arbiter,
            marker: AnyMarker::Off,
            memory: MemorySharing::Own,
            egress_limit: None,
            egress_pool: None,
            output_buffer: setup.output_queue,
            speedup_thousandths: setup.speedup_thousandths,
        });
        let mut bench = Self {
            switch,
            hosts: hosts.collect(),
            cables: Cables::default(),
            staged,
            sent: BTreeMap::new(),
            delivered: BTreeMap::new(),
            last: Time::ZERO,
        };
        bench.switch.bring_up(&mut bench.cables);
        for (number, host) in (0..).zip(&mut bench.hosts) {
            host.port.bring_up(&mut HostContext(&mut bench.cables, number));
        }
        bench
    }

    pub(crate) fn order(&mut self, order: Order) {
        self.cables.plan(order.at, Event::Order(order));
    }

    /// Runs every instant up to `end`.
    pub(crate) fn run_until(&mut self, end: Time) {
        while let Some(entry) = self.cables.events.first_entry()
            && entry.key().0 <= end
        {
            let now = entry.key().0;
            self.cables.now = now;
            while let Some(entry) = self.cables.events.first_entry()
                && entry.key().0 == now
            {
                let event = entry.remove();
                self.handle(event);
            }
            self.switch.decide(&mut self.cables);
            for number in 0..self.hosts.len() as u16 {
                self.send(number);
            }
            self.check_queues();
        }
        self.cables.now = end;
    }

    /// Returns true if every ordered packet was delivered and everything is at rest.
    pub(crate) fn at_rest(&self) -> bool {
        let now = self.cables.now;
        self.cables.pool.is_empty()
            && self.sent == self.delivered
            && self.switch.view().at_rest(now)
            && self.hosts.iter().all(|host| host.port.at_rest(now))
    }

    pub(crate) fn now(&self) -> Time {
        self.cables.now
    }

    /// Returns the packets that wait at hosts or are under way.
    pub(crate) fn pool(&self) -> &PacketPool {
        &self.cables.pool
    }

    /// Returns the number of packets that wait at hosts or are under way.
    pub(crate) fn backlog(&self) -> usize {
        self.cables.pool.len()
    }

    fn handle(&mut self, event: Event) {
        let cables = &mut self.cables;
        match event {
            Event::ToSwitch(port, id) => {
                cables.tails.insert(id, cables.pool[id].tail);
                self.switch.arrive(port, id, cables);
            }
            Event::SignalSwitch(port, signal) => self.switch.on_signal(port, signal, cables),
            Event::Switch(wake) => self.switch.on_timer(wake, cables),
            Event::Order(order) => self.post(order),
            Event::ToHost(host, id) => self.receive(host, id),
            Event::SignalHost(number, signal) => {
                self.hosts[usize::from(number)].port.on_signal(signal, &mut HostContext(cables, number));
            }
            Event::Host(number, wake) => {
                let (host, context) =
                    (&mut self.hosts[usize::from(number)], &mut HostContext(cables, number));
                match wake {
                    HostTimer::Free => {}
                    HostTimer::Digested(lane, length) => {
                        host.port.release(lane, length, context);
                    }
                    HostTimer::Credit(lane) => {
                        host.port.on_timer(lane, context);
                    }
                }
            }
        }
    }

    fn post(&mut self, order: Order) {
        let Order { from, to, lane, payload, .. } = order;
        let count = self.sent.entry((from, to, lane)).or_default();
        let lrh = Lrh::new(Lid(from.into()), Lid(to.into()), Lane(lane), ServiceLevel(0));
        let bth = Bth {
            destination_qp: QpNumber(0),
            psn: Psn::new(*count),
            opcode: Opcode::SendOnly,
            transport: packet::TransportService::Rc,
            flags: BthFlags::empty(),
        };
        *count += 1;
        let id = self.cables.pool.insert(Packet::new(lrh, bth, QpNumber(0), FlowId(0), payload));
        self.hosts[usize::from(from)].queues[usize::from(lane)].push_back(id);
    }

    fn send(&mut self, number: u16) {
        let host = &mut self.hosts[usize::from(number)];
        let now = self.cables.now;
        for lane in 0..LANES {
            if host.free_at > now {
                return;
            }
            let Some(id) = host.queues[usize::from(lane)].front().copied() else { continue };
            let length = self.cables.pool[id].wire_bytes();
            if host.port.may_start(Lane(lane), length) {
                host.queues[usize::from(lane)].pop_front();
                let passage = host.port.start(Lane(lane), length, now);
                host.free_at = passage.left;
                let context = &mut HostContext(&mut self.cables, number);
                passage.deliver(PortId(0), id, context);
                context.set_timer(passage.left, HostTimer::Free);
            }
        }
    }

    fn receive(&mut self, number: u16, id: PacketId) {
        let packet = self.cables.pool.remove(id);
        let (lane, length) = (packet.lrh.lane, packet.wire_bytes());
        assert_eq!(packet.lrh.destination(), Lid(number.into()), "a packet arrives at its destination");
        let flow = (packet.lrh.source().0 as u16, number, lane.0);
        let count = self.delivered.entry(flow).or_default();
        assert_eq!(packet.bth.psn, Psn::new(*count), "{flow:?} is out of order");
        *count += 1;
        self.last = self.cables.now;
        let host = &mut self.hosts[usize::from(number)];
        let context = &mut HostContext(&mut self.cables, number);
        assert!(host.port.admit(lane, length, context), "credits exclude drops");
        context.set_timer(context.now() + host.digestion, HostTimer::Digested(lane, length));
    }

    fn check_queues(&self) {
        let Some(size) = self.staged else { return };
        for port in (0..self.hosts.len() as u16).map(PortId) {
            for lane in (0..LANES).map(Lane) {
                let queue =
                    self.switch.view().output_queue(port, lane).expect("there are queues at the outputs");
                assert!(queue.held() <= size, "output {port:?}, {lane} holds {} of {size}", queue.held());
            }
        }
    }
}
