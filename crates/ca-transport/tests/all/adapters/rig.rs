//! Two adapters and the cable between them, which marks and loses packets as a test demands.
//!
//! Invariant: the record lists the packets of both directions in the order of their events.

use std::collections::BTreeMap;

use ca_transport::{
    Adapter, AdapterSetup, AdapterSpec, AdapterTimer, Compliance, FlowEnd, MessageOrigin, ScheduleSpec,
};
use cc_policies::hp::spec::HpResponseSpec;
use cc_policies::own::{OwnPolicies, ResponseSetup};
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
use workload::{Flow, ListedMessage, MessageGenerator, MessageSchedule, Operation, Posting};

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
    pub(crate) response: ResponseSpec,
    pub(crate) arbitration: VlArbitrationSpec,
    /// Rate of the wire away from each node.
    pub(crate) rates: [Rate; 2],
    /// Data lanes: service level 0 has the first, all others the last.
    pub(crate) lanes: usize,
    pub(crate) adapter: AdapterSpec,
}

/// Settings that hold nothing back: unlimited hosts, an acknowledgement for each packet.
pub(crate) const PLAIN: AdapterSpec = AdapterSpec {
    receive_buffer: Bytes::kib(64),
    injection_limit: None,
    drain_limit: None,
    ack_every: 1,
    ack_service_level: None,
    max_outstanding: 1024,
    delivery: ca_transport::DeliverySpec::InOrder,
    recovery: ca_transport::RecoverySpec::GoBackN,
    entropy: ca_transport::EntropySpec::Flow,
    max_reads: Some(4),
    ack_timeout: 14,
    retry_count: 7,
    vl_arbitration: None,
    schedule: ScheduleSpec::RoundRobin,
    congestion_control: Compliance::Comply,
};

/// Most events of an instant; more are an endless loop.
const MOST_AT_ONCE: u32 = 1000;

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
        assert!(at >= self.now, "{event:?} at {at} is planned at {}", self.now);
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
    /// No arbitration tables, 8 Gb/s each way, two lanes, plain adapters.
    pub(crate) fn new(echo: AnyEcho, response: HpResponseSpec) -> Self {
        Self {
            echo,
            response: ResponseSpec::Hp(response),
            arbitration: VlArbitrationSpec::default(),
            rates: [Rate::gbps(8); 2],
            lanes: 2,
            adapter: PLAIN,
        }
    }

    /// Returns an adapter without queue pairs.
    pub(crate) fn adapter(&self, node: usize) -> Adapter {
        let buffers = vec![self.adapter.receive_buffer; self.lanes];
        let mut sl_to_vl = [Lane(self.lanes as u8 - 1); 16];
        sl_to_vl[0] = Lane(0);
        Adapter::new(AdapterSetup {
            lid: NodeId(node as u32).lid(),
            port: Port::new(PortSetup {
                id: PortId(0),
                wire: Wire::store_and_forward(self.rates[node], FLIGHT),
                flow_control: FlowControlSetup::Credits {
                    room: buffers.clone(),
                    far_room: buffers,
                    rule: UpdateRule { blocks: 1, interval: Span::from_us(4), refresh: Span::from_us(200) },
                    wire_time: WireTime::Free,
                },
            }),
            lanes: VlArbiter::new(&self.arbitration),
            data_lanes: self.lanes,
            sl_to_vl,
            mtu: Mtu::K2,
            framing: packet::Framing::InfiniBand,
            may_overtake: false,
            entropy: event_kernel::stream(1, "entropy", "either"),
            spec: &self.adapter,
            echo: self.echo,
            response: AnyResponse::new(
                &self.response,
                &OwnPolicies::NONE,
                ResponseSetup {
                    line: Rate::gbps(32),
                    stream: event_kernel::stream(1, "response", "any adapter"),
                },
            ),
        })
    }
}

impl<'a> Pair<'a> {
    /// Two adapters. Their packets meet these fates, by the node that sends them.
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

    /// Opens a flow of messages with data from the node `source`. Returns its queue pair at each node.
    pub(crate) fn open(
        &mut self,
        (transport, operation): (TransportService, Operation),
        source: usize,
        service_level: ServiceLevel,
        schedule: &MessageSchedule,
    ) -> [QpNumber; 2] {
        let flow = Flow {
            name: "F".into(),
            named: true,
            pattern: None,
            group: None,
            finite: false,
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
        let opened = |node: usize| if node == asks { numbers[0] } else { numbers[1] };
        let end = |there: usize, peer_qp: QpNumber| FlowEnd {
            flow: FlowId(source as u32),
            peer: NodeId(there as u32).lid(),
            peer_qp,
            service_level,
            transport,
            operation,
            finite: false,
        };
        self.adapters[asks].open(end(answers, numbers[1]), generator);
        self.adapters[answers].open(end(asks, numbers[0]), MessageOrigin::Peer);
        [opened(0), opened(1)]
    }

    /// Hands a packet to an adapter at this time.
    pub(crate) fn arrive(&mut self, node: usize, at: Time, packet: Packet) {
        let Self { adapters, cable } = self;
        (cable.now, cable.turn) = (at, node);
        let id = cable.packets.insert(packet);
        adapters[node].arrive(id, cable);
    }

    /// Runs until `end`, or until nothing is left to do. Returns the packets of both directions.
    pub(crate) fn run(&mut self, end: Time) -> &[Record] {
        let Self { adapters, cable } = self;
        for (node, adapter) in adapters.iter_mut().enumerate() {
            cable.turn = node;
            adapter.bring_up(cable);
        }
        self.run_on(end)
    }

    /// Goes on running until `end`, or until nothing is left to do. Returns the packets of both directions since the
    /// start.
    pub(crate) fn run_on(&mut self, end: Time) -> &[Record] {
        let Self { adapters, cable } = self;
        let mut at_once = 0;
        while let Some(entry) = cable.events.first_entry()
            && entry.key().0 <= end
        {
            let ((now, _), (node, event)) = entry.remove_entry();
            at_once = if now == cable.now { at_once + 1 } else { 0 };
            assert!(at_once < MOST_AT_ONCE, "{event:?} over and over at {now}");
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

/// Every operation over every transport service that carries it.
pub(crate) fn services() -> Vec<(TransportService, Operation)> {
    let operations = [Operation::Send, Operation::RdmaWrite, Operation::RdmaRead];
    let all = TransportService::ALL.into_iter().flat_map(|transport| operations.map(|op| (transport, op)));
    all.filter(|(transport, operation)| operation.is_carried_by(*transport)).collect()
}

/// Messages of these lengths at these times.
pub(crate) fn listed(messages: impl IntoIterator<Item = (Time, Bytes)>) -> MessageSchedule {
    MessageSchedule::Listed(messages.into_iter().map(|(at, bytes)| ListedMessage { at, bytes }).collect())
}

/// Messages of this length, as many as possible until `stop`.
pub(crate) const fn saturating(message: Bytes, stop: Time) -> MessageSchedule {
    MessageSchedule::Saturate { outstanding: 64, message, start: Time::ZERO, stop }
}

/// Messages of this length, each posted when the previous message is complete.
pub(crate) const fn one_by_one(message: Bytes) -> MessageSchedule {
    MessageSchedule::Saturate { outstanding: 1, message, start: Time::ZERO, stop: Time::NEVER }
}
