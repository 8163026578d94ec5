//! Two adapters back to back, and the effect of one notification on the flow between them: the limit that the
//! response learns for each packet, and sent packets that count as acknowledgements.

use std::collections::BTreeMap;

use ca_transport::{Adapter, AdapterSetup, AdapterSpec, AdapterTimer, FlowEnd, MessageOrigin, ScheduleSpec};
use cc_policies::hp::spec::{HpResponseSpec, RateControl, RpiAfterDecrease, WindowControl};
use cc_policies::{AnyEcho, AnyResponse, ResponseSpec};
use link_layer::flow_control::credits::UpdateRule;
use link_layer::spec::WireTime;
use link_layer::{
    FlowControlSetup, InvariantViolation, NodeContext, Port, PortSetup, Signal, VlArbiter, Wire,
};
use packet::{
    BthFlags, FlowId, Lane, Mtu, NodeId, PacketId, PacketPool, PortId, ServiceLevel, TransportService,
};
use units::{Bytes, Rate, Span, Time};
use workload::{Flow, MessageGenerator, MessageSchedule, Operation, Posting};

/// Approximate wire time of a packet of 2,048 bytes with headers at 8 Gb/s.
const PACKET: Span = Span::from_ns(2074);
const FLIGHT: Span = Span::from_ns(50);

#[derive(Clone, Copy, Debug)]
enum Event {
    Arrive(PacketId),
    Signal(Signal),
    Timer(AdapterTimer),
}

/// The cable between two adapters, and future events.
#[derive(Default)]
struct Cable {
    now: Time,
    turn: usize,
    packets: PacketPool,
    events: BTreeMap<(Time, u64), (usize, Event)>,
    planned: u64,
    /// Times at which the data packets of the flow left, in order.
    left: Vec<Time>,
    /// Number of the data packet that is marked on the wire, counted from 0.
    marked: usize,
}

impl Cable {
    fn plan(&mut self, at: Time, node: usize, event: Event) {
        self.planned += 1;
        self.events.insert((at, self.planned), (node, event));
    }
}

impl NodeContext<AdapterTimer> for Cable {
    fn now(&self) -> Time {
        self.now
    }

    fn packets(&mut self) -> &mut PacketPool {
        &mut self.packets
    }

    fn deliver(&mut self, _: PortId, at: Time, id: PacketId) {
        if self.packets[id].payload > 0 {
            if self.left.len() == self.marked {
                self.packets[id].bth.flags.insert(BthFlags::FECN);
            }
            self.left.push(self.packets[id].injected);
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
        panic!("{violation}");
    }
}

fn adapter(node: u32, response: &HpResponseSpec) -> Adapter {
    let buffers = [Bytes::kib(64)];
    let spec = AdapterSpec {
        receive_buffer: buffers[0],
        injection_limit: None,
        drain_limit: None,
        ack_every: 1,
        max_outstanding: 1024,
        max_reads: Some(4),
        ack_timeout: 14,
        retry_count: 7,
        schedule: ScheduleSpec::RoundRobin,
    };
    Adapter::new(AdapterSetup {
        lid: NodeId(node).lid(),
        port: Port::new(PortSetup {
            id: PortId(0),
            wire: Wire::store_and_forward(Rate::gbps(8), FLIGHT),
            flow_control: FlowControlSetup::Credits {
                room: buffers.to_vec(),
                far_room: buffers.to_vec(),
                rule: UpdateRule { blocks: 1, interval: Span::from_us(4), refresh: Span::from_us(200) },
                wire_time: WireTime::Free,
            },
        }),
        lanes: VlArbiter::new(&Default::default()),
        data_lanes: 1,
        sl_to_vl: [Lane(0); 16],
        mtu: Mtu::K2,
        framing: packet::Framing::InfiniBand,
        spec: &spec,
        echo: AnyEcho::Hp,
        response: AnyResponse::new(&ResponseSpec::Hp(response.clone()), Rate::gbps(32)),
    })
}

/// Returns the times at which the data packets of a flow left until `end`; packet `marked` gets FECN on the wire.
fn departures(
    (transport, operation): (TransportService, Operation),
    schedule: &MessageSchedule,
    response: &HpResponseSpec,
    marked: usize,
    end: Time,
) -> Vec<Time> {
    let flow = Flow {
        name: "F".to_owned(),
        named: true,
        group: None,
        source: NodeId(0),
        destination: NodeId(1),
        service_level: ServiceLevel(0),
        transport,
        operation,
        posting: Posting::Scheduled(schedule.clone()),
    };
    let mut adapters = [adapter(0, response), adapter(1, response)];
    let (asks, answers) = (flow.requester().index(), flow.responder().index());
    for (here, there, origin) in [
        (asks, answers, MessageOrigin::Generator(MessageGenerator::new(schedule))),
        (answers, asks, MessageOrigin::Peer),
    ] {
        let peer = NodeId(there as u32).lid();
        let (peer_qp, flow) = (adapters[there].next_qp(), FlowId(0));
        let peer_qp = if here == answers { packet::QpNumber(0) } else { peer_qp };
        let end = FlowEnd { flow, peer, peer_qp, service_level: ServiceLevel(0), transport, operation };
        adapters[here].open(end, origin);
    }
    let mut cable = Cable { marked, ..Cable::default() };
    for (node, adapter) in adapters.iter_mut().enumerate() {
        cable.turn = node;
        adapter.bring_up(&mut cable);
    }
    while let Some(((now, _), (node, event))) = cable.events.pop_first()
        && now <= end
    {
        (cable.now, cable.turn) = (now, node);
        let adapter = &mut adapters[node];
        match event {
            Event::Arrive(id) => adapter.arrive(id, &mut cable),
            Event::Signal(signal) => adapter.on_signal(signal, &mut cable),
            Event::Timer(timer) => adapter.on_timer(timer, &mut cable),
        }
        adapter.decide(&mut cable);
    }
    cable.left
}

fn saturating() -> MessageSchedule {
    MessageSchedule::Saturate {
        outstanding: 64,
        message: Bytes::kib(2),
        start: Time::ZERO,
        stop: Time::NEVER,
    }
}

fn rate_alone() -> HpResponseSpec {
    HpResponseSpec {
        rate: Some(RateControl::Lipd { max_ipd: 255 }),
        rpi_after_decrease: RpiAfterDecrease::Reloaded,
        ..HpResponseSpec::NONE
    }
}

/// Returns the number of packets that left more than a packet time after their predecessor.
fn spaced(left: &[Time]) -> usize {
    left.windows(2).filter(|pair| pair[1].since(pair[0]) > PACKET * 3 / 2).count()
}

/// LIPD from IPD 0: 128 packets at half the rate, then full rate again. 127 of them are an IPD apart if each counts
/// when it is sent; one or two more if its acknowledgement has to arrive first.
#[test]
fn one_decrease_costs_as_many_packets_with_acknowledgements_as_without() {
    let end = Span::from_us(1000).after_start();
    let cost = |what| spaced(&departures(what, &saturating(), &rate_alone(), 20, end));
    let reliable = cost((TransportService::Rc, Operation::Send));
    for what in [
        (TransportService::Uc, Operation::Send),
        (TransportService::Uc, Operation::RdmaWrite),
        (TransportService::Ud, Operation::Send),
        (TransportService::Rc, Operation::RdmaRead),
    ] {
        let silent = cost(what);
        assert!((126..=128).contains(&silent), "{what:?}: {silent} packets");
        assert!(
            reliable.abs_diff(silent) <= 2,
            "{what:?}: {silent} packets, {reliable} with acknowledgements"
        );
    }
}

/// A flow that paces itself below its rate does not raise the rate by sending: after 500 packets its rate is still
/// half, as a burst shows.
#[test]
fn a_flow_that_is_not_limited_is_not_raised() {
    let end = Span::from_us(8000).after_start();
    let mut posts: Vec<_> = (0..500u64)
        .map(|n| workload::ListedMessage { at: (PACKET * (4 * n)).after_start(), bytes: Bytes::kib(2) })
        .collect();
    let burst = (PACKET * 2100).after_start();
    posts.extend([workload::ListedMessage { at: burst, bytes: Bytes::kib(2) }; 20]);
    for transport in [TransportService::Rc, TransportService::Uc] {
        let schedule = MessageSchedule::Listed(posts.clone().into());
        let left = departures((transport, Operation::Send), &schedule, &rate_alone(), 20, end);
        assert_eq!(left.len(), 520);
        assert_eq!(spaced(&left[500..]), 19, "{transport:?}: each of the burst waits for the one before");
    }
}

/// Only packets that a closed window held back raise the window: three packets wide after one mark, and four again
/// after three acknowledgements if the flow has filled it.
#[test]
fn only_a_full_window_is_raised() {
    let response = HpResponseSpec {
        rate: None,
        window: Some(WindowControl::Tables {
            window_increase: vec![2, 3, 4, 4],
            window_decrease: vec![1, 1, 1, 1],
            new_window_rpi: vec![1000, 1000, 1000, 1000],
        }),
        rpi_after_decrease: RpiAfterDecrease::Kept,
        ..HpResponseSpec::NONE
    };
    let end = Span::from_us(400).after_start();
    // RPI is 1 at rest and kept: the first acknowledgement of a packet that the window held back widens the window to
    // 2, where it stays for 1,000. With a window of 1 each packet waits for a round trip; with 2 the wire is never
    // idle.
    let left = departures((TransportService::Rc, Operation::Send), &saturating(), &response, 20, end);
    let idle = left.windows(2).filter(|pair| pair[1].since(pair[0]) > PACKET + FLIGHT).count();
    assert!((1..=3).contains(&idle), "{idle} packets waited for a round trip");
    // A packet every four packet times never meets a closed window of 1: the window stays at 1, as a burst shows.
    let mut posts: Vec<_> = (0..40u64)
        .map(|n| workload::ListedMessage { at: (PACKET * (4 * n)).after_start(), bytes: Bytes::kib(2) })
        .collect();
    posts.extend([workload::ListedMessage { at: (PACKET * 170).after_start(), bytes: Bytes::kib(2) }; 3]);
    let left = departures(
        (TransportService::Rc, Operation::Send),
        &MessageSchedule::Listed(posts.into()),
        &response,
        20,
        (Span::from_us(800)).after_start(),
    );
    let first = left[41].since(left[40]);
    assert!(first > PACKET + FLIGHT, "the burst's second packet waits for a round trip, not {first}");
}
