//! The hot parts of the link layer: a packet's start, admission and release under each flow control, and arbitration.
//!
//! A packet of 2,048 bytes crosses a link in each iteration. The sender asks `may_start` and starts the packet, the
//! receiver admits and releases it, and signals reach the far end at once. `cargo bench -p link-layer`.

use std::collections::VecDeque;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use link_layer::flow_control::credits::UpdateRule;
use link_layer::spec::{VlArbitrationSpec, VlWeight, WireTime};
use link_layer::{
    Alpha, FlowControlSetup, InvariantViolation, LaneMemory, LaneSet, MemoryPool, MemorySharing, NodeContext,
    PauseRule, Port, PortSetup, ReceiveMemory, ReceiverId, Share, SharedMemory, Signal, VlArbiter, Wire,
};
use packet::{Lane, PacketId, PacketPool, PortId};
use units::{Bytes, Rate, Span, Time};

const LANE: Lane = Lane(0);
const LENGTH: Bytes = Bytes::new(2090);
const BUFFER: Bytes = Bytes::kib(64);
const PORTS: usize = 16;

/// A node with signals that wait for the far end in the order of sending, and with timers that never expire.
#[derive(Default)]
struct Node {
    now: Time,
    packets: PacketPool,
    signals: VecDeque<(PortId, Signal)>,
}

impl NodeContext<Lane> for Node {
    fn now(&self) -> Time {
        self.now
    }

    fn packets(&mut self) -> &mut PacketPool {
        &mut self.packets
    }

    fn deliver(&mut self, _: PortId, _: Time, _: PacketId) {}

    fn send_signal(&mut self, port: PortId, _: Time, signal: Signal, _: u32) {
        self.signals.push_back((port, signal));
    }

    fn set_timer(&mut self, _: Time, _: Lane) {}

    fn report_violation(&mut self, port: PortId, lane: Lane, violation: InvariantViolation) {
        panic!("port {port:?}, {lane}: {violation}");
    }
}

/// The ports of a node that receives, and the ports of its senders.
struct Links {
    node: Node,
    memory: ReceiveMemory,
    receivers: Vec<Port>,
    senders: Vec<Port>,
    next: usize,
}

impl Links {
    fn new(memory: MemorySharing, flow_control: impl Fn() -> FlowControlSetup) -> Self {
        let wire = Wire::cut_through(Rate::gbps(100), Span::from_ns(100));
        let port =
            |number| Port::new(PortSetup { id: PortId(number as u16), wire, flow_control: flow_control() });
        Self {
            node: Node::default(),
            memory: ReceiveMemory::new(memory, 1, LENGTH),
            receivers: (0..PORTS).map(port).collect(),
            senders: (0..PORTS).map(port).collect(),
            next: 0,
        }
    }

    /// Lets a packet cross the next link.
    fn pass(&mut self) {
        let number = self.next % PORTS;
        self.next += 1;
        self.node.now += Span::from_ns(200);
        let sender = &mut self.senders[number];
        assert!(sender.may_start(LANE, LENGTH));
        black_box(sender.start(LANE, LENGTH, self.node.now));
        let receiver = ReceiverId { port: PortId(number as u16), lane: LANE };
        assert!(self.memory.admit(&mut self.receivers, receiver, LENGTH, &mut self.node));
        self.memory.release(&mut self.receivers, receiver, LENGTH, &mut self.node, |_, _| {});
        while let Some((port, signal)) = self.node.signals.pop_front() {
            self.senders[port.index()].on_signal(signal, &mut self.node);
        }
    }
}

fn credits() -> FlowControlSetup {
    // The receiver is not told the sender's FCTBS here, so updates carry FCCL alone.
    let rule = UpdateRule { blocks: 64, interval: Span::from_us(1), refresh: Span::from_us(50) };
    FlowControlSetup::Credits {
        room: vec![BUFFER],
        far_room: vec![BUFFER],
        rule,
        wire_time: WireTime::Counted,
    }
}

fn pauses() -> FlowControlSetup {
    let rule = PauseRule {
        quanta: u16::MAX,
        quantum: Span::from_ns(5),
        refresh: Span::from_us(100),
        effect_delay: Span::from_ns(100),
        resume_offset: 0,
    };
    FlowControlSetup::Pause { rule, memory: vec![LaneMemory { limit: 2048, headroom: 32_768, pauses: true }] }
}

fn flow_control(c: &mut Criterion) {
    let shares = |guaranteed, alpha| {
        [Share { guaranteed: Bytes::new(guaranteed), alpha: Some(Alpha::new(alpha)) }; PORTS]
    };
    let blocks = || SharedMemory::new(40_000, &shares(1024 * 64, 1.0));
    let bytes = || MemoryPool::new(1 << 20, &shares(0, 0.001_953_125 * 4.0));
    let mut group = c.benchmark_group("packet");
    let mut case = |name: &str, mut links: Links| {
        group.bench_function(name, |b| b.iter(|| links.pass()));
    };
    case("credits, own memory", Links::new(MemorySharing::Own, credits));
    case("credits, shared memory", Links::new(MemorySharing::Blocks(blocks()), credits));
    case("PFC, own memory", Links::new(MemorySharing::Own, pauses));
    case("PFC, pooled memory", Links::new(MemorySharing::Bytes(bytes()), pauses));
    group.finish();
}

fn arbitration(c: &mut Criterion) {
    let weights = |lanes: &[u8]| lanes.iter().map(|&lane| VlWeight { lane, weight: 64 }).collect();
    let tables = VlArbitrationSpec {
        high: weights(&[0, 1]),
        low: weights(&[2, 3]),
        limit_of_high_priority: 4,
        ..VlArbitrationSpec::default()
    };
    let mut ready = LaneSet::default();
    (0..4).for_each(|lane| ready.insert(Lane(lane)));
    let mut group = c.benchmark_group("arbitration");
    for (name, spec) in [("turns", VlArbitrationSpec::default()), ("tables", tables)] {
        let mut arbiter = VlArbiter::new(&spec);
        group.bench_function(name, |b| {
            b.iter(|| {
                let lane = arbiter.pick(black_box(ready)).expect("lanes are ready");
                arbiter.sent(lane, LENGTH);
                lane
            });
        });
    }
    group.finish();
}

criterion_group!(benches, flow_control, arbitration);
criterion_main!(benches);
