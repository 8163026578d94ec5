//! Two adapters and the cable between them, which marks and loses packets as a test demands.
//!
//! Invariant: the record lists the packets of both directions in the order of their events.

use std::collections::BTreeMap;

use ca_transport::{Adapter, AdapterSetup, AdapterSpec, AdapterTimer, FlowEnd, MessageOrigin, ScheduleSpec};
use cc_policies::hp::spec::HpResponseSpec;
use cc_policies::{AnyEcho, AnyResponse, ResponseSpec};
use link_layer::flow_control::credits::UpdateRule;
use link_layer::spec::{VlArbitrationSpec, WireTime};
use link_layer::{
    FlowControlSetup, InvariantViolation, NodeContext, Port, PortSetup, Signal, VlArbiter, Wire,
};
use packet::{
    BthFlags, FlowId, Lane, Mtu, NodeId, Packet, PacketId, PacketPool, PortId, QpNumber, ServiceLevel,
    TransportService,
};
use units::{Bytes, Rate, Span, Time};
use workload::{Flow, MessageGenerator, MessageSchedule, Operation, Posting};

/// Propagation delay of the cable.
pub(crate) const FLIGHT: Span = Span::from_ns(50);

/// Fate of a packet on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Arrives,
    /// Arrives with FECN.
    Marked,
    Lost,
}

/// A packet that starts to leave a node, or has arrived there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) node: usize,
    pub(crate) arrives: bool,
    pub(crate) at: Time,
    pub(crate) packet: Packet,
}

/// Settings of both adapters.
pub(crate) struct Setup {
    pub(crate) echo: AnyEcho,
    pub(crate) response: HpResponseSpec,
    pub(crate) arbitration: VlArbitrationSpec,
    /// Rate of the wire away from each node.
    pub(crate) rates: [Rate; 2],
    pub(crate) ack_every: u32,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Arrive(PacketId),
    Signal(Signal),
    Timer(AdapterTimer),
}

/// The fate of each packet, by the node that sends it.
type Fates<'a> = Box<dyn FnMut(usize, &Packet) -> Fate + 'a>;

/// The cable, and future events.
struct Cable<'a> {
    now: Time,
    turn: usize,
    packets: PacketPool,
    events: BTreeMap<(Time, u64), (usize, Event)>,
    planned: u64,
    record: Vec<Record>,
    fates: Fates<'a>,
    /// Whether a packet has been lost: from then on adapters report violations.
    lossy: bool,
}

/// The two adapters.
pub(crate) struct Pair<'a> {
    pub(crate) adapters: [Adapter; 2],
    cable: Cable<'a>,
}

impl Cable<'_> {
    fn plan(&mut self, at: Time, node: usize, event: Event) {
        self.planned += 1;
        self.events.insert((at, self.planned), (node, event));
    }
}

impl NodeContext<AdapterTimer> for Cable<'_> {
    fn now(&self) -> Time {
        self.now
    }

    fn packets(&mut self) -> &mut PacketPool {
        &mut self.packets
    }

    fn deliver(&mut self, _: PortId, at: Time, id: PacketId) {
        let packet = self.packets[id];
        self.record.push(Record { node: self.turn, arrives: false, at: packet.injected, packet });
        match (self.fates)(self.turn, &packet) {
            Fate::Arrives => {}
            Fate::Marked => self.packets[id].bth.flags.insert(BthFlags::FECN),
            Fate::Lost => {
                self.lossy = true;
                self.packets.remove(id);
                return;
            }
        }
        self.plan(at, 1 - self.turn, Event::Arrive(id));
    }

    fn send_signal(&mut self, _: PortId, at: Time, signal: Signal, _: u32) {
        self.plan(at, 1 - self.turn, Event::Signal(signal));
    }

    fn set_timer(&mut self, at: Time, timer: AdapterTimer) {
        self.plan(at, self.turn, Event::Timer(timer));
    }

    fn report_violation(&mut self, _: PortId, _: Lane, violation: InvariantViolation) {
        assert!(self.lossy, "{violation}");
    }
}

impl Setup {
    /// No arbitration tables, 8 Gb/s each way, an acknowledgement for each packet.
    pub(crate) fn new(echo: AnyEcho, response: HpResponseSpec) -> Self {
        let arbitration = VlArbitrationSpec::default();
        Self { echo, response, arbitration, rates: [Rate::gbps(8); 2], ack_every: 1 }
    }

    /// Returns an adapter with two lanes, the first for service level 0.
    fn adapter(&self, node: usize) -> Adapter {
        let buffers = [Bytes::kib(64); 2];
        let spec = AdapterSpec {
            receive_buffer: buffers[0],
            injection_limit: None,
            drain_limit: None,
            ack_every: self.ack_every,
            max_outstanding: 1024,
            max_reads: Some(4),
            ack_timeout: 14,
            retry_count: 7,
            schedule: ScheduleSpec::RoundRobin,
        };
        let mut sl_to_vl = [Lane(1); 16];
        sl_to_vl[0] = Lane(0);
        Adapter::new(AdapterSetup {
            lid: NodeId(node as u32).lid(),
            port: Port::new(PortSetup {
                id: PortId(0),
                wire: Wire::store_and_forward(self.rates[node], FLIGHT),
                flow_control: FlowControlSetup::Credits {
                    room: buffers.to_vec(),
                    far_room: buffers.to_vec(),
                    rule: UpdateRule { blocks: 1, interval: Span::from_us(4), refresh: Span::from_us(200) },
                    wire_time: WireTime::Free,
                },
            }),
            lanes: VlArbiter::new(&self.arbitration),
            data_lanes: 2,
            sl_to_vl,
            mtu: Mtu::K2,
            framing: packet::Framing::InfiniBand,
            spec: &spec,
            echo: self.echo,
            response: AnyResponse::new(
                &ResponseSpec::Hp(self.response.clone()),
                Rate::gbps(32),
                event_kernel::stream(1, "response", "any adapter"),
            ),
        })
    }
}

impl<'a> Pair<'a> {
    /// Two adapters whose packets meet these fates, by the node that sends them.
    pub(crate) fn new(setup: &Setup, fates: impl FnMut(usize, &Packet) -> Fate + 'a) -> Self {
        let cable = Cable {
            now: Time::ZERO,
            turn: 0,
            packets: PacketPool::default(),
            events: BTreeMap::new(),
            planned: 0,
            record: Vec::new(),
            fates: Box::new(fates),
            lossy: false,
        };
        Self { adapters: [setup.adapter(0), setup.adapter(1)], cable }
    }

    /// Opens a flow of messages whose data leave the node `source`.
    pub(crate) fn open(
        &mut self,
        (transport, operation): (TransportService, Operation),
        source: usize,
        service_level: ServiceLevel,
        schedule: &MessageSchedule,
    ) {
        let flow = Flow {
            name: "F".to_owned(),
            named: true,
            pattern: None,
            group: None,
            source: NodeId(source as u32),
            destination: NodeId(1 - source as u32),
            numbers: (source as u32, 1 - source as u32),
            service_level,
            transport,
            operation,
            posting: Posting::Scheduled(schedule.clone()),
        };
        let (asks, answers) = (flow.requester().index(), flow.responder().index());
        let numbers = [&self.adapters[asks], &self.adapters[answers]].map(Adapter::next_qp);
        let generator = MessageOrigin::Generator(MessageGenerator::new(schedule));
        let end = |there: usize, peer_qp: QpNumber| FlowEnd {
            flow: FlowId(source as u32),
            peer: NodeId(there as u32).lid(),
            peer_qp,
            service_level,
            transport,
            operation,
        };
        self.adapters[asks].open(end(answers, numbers[1]), generator);
        self.adapters[answers].open(end(asks, numbers[0]), MessageOrigin::Peer);
    }

    /// Runs until `end`, or until nothing is left to do. Returns the packets of both directions.
    pub(crate) fn run(&mut self, end: Time) -> &[Record] {
        let Self { adapters, cable } = self;
        for (node, adapter) in adapters.iter_mut().enumerate() {
            cable.turn = node;
            adapter.bring_up(cable);
        }
        while let Some(((now, _), (node, event))) = cable.events.pop_first()
            && now <= end
        {
            (cable.now, cable.turn) = (now, node);
            let adapter = &mut adapters[node];
            match event {
                Event::Arrive(id) => {
                    let packet = cable.packets[id];
                    cable.record.push(Record { node, arrives: true, at: now, packet });
                    adapter.arrive(id, cable);
                }
                Event::Signal(signal) => adapter.on_signal(signal, cable),
                Event::Timer(timer) => adapter.on_timer(timer, cable),
            }
            adapter.decide(cable);
        }
        &cable.record
    }
}

/// Messages of this length, as many as possible until `stop`.
pub(crate) const fn saturating(message: Bytes, stop: Time) -> MessageSchedule {
    MessageSchedule::Saturate { outstanding: 64, message, start: Time::ZERO, stop }
}

/// Messages of this length, one after another.
pub(crate) const fn one_by_one(message: Bytes) -> MessageSchedule {
    MessageSchedule::Saturate { outstanding: 1, message, start: Time::ZERO, stop: Time::NEVER }
}
