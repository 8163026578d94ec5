//! The adapter: queue pairs on one side, one port on the other.
//!
//! Invariant: notifications go before everything, acknowledgements before data of their lane. What it sends is
//! decided once an instant, after everything that arrives in it has arrived.

mod ages;
mod fetch;
mod half;
mod kept;
mod kind;
mod observed;
mod receiving;
mod sending;

use core::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use cc_policies::{AnyEcho, AnyResponse, EchoState};
use event_kernel::Digest;
use link_layer::{LinkTimer, NodeContext, Port, Signal, VlArbiter};
use packet::{
    ByLane, FlowId, Framing, Lane, Lid, Mtu, Opcode, PacketId, PacketQueue, PortId, Psn, QpNumber,
    ServiceLevel, TransportService,
};
use telemetry::{LaneInput, LaneOutput, TransportTally};
use units::{Bytes, Time};
use workload::{HostTraffic, MessageGenerator, Operation};

use crate::message::Messages;
use crate::receive::{Drain, SinkTally};
use crate::schedule::Schedule;
use crate::spec::{AdapterSpec, ScheduleSpec};
use ages::Ages;
use half::{Half, Shared};
pub use kept::KeptMessages;
pub use kind::AdapterConfigs;
use kind::Kind;

/// The adapter's only port.
const PORT: PortId = PortId(0);

/// The most queue pairs of an adapter: their numbers order simultaneous events with 20 bits.
pub const MAX_QUEUE_PAIRS: u32 = 1 << 20;

/// What an adapter asks to be woken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterTimer {
    /// The wire or the host's bus is free.
    Send,
    /// A flow's rest is over.
    PacingDone,
    /// A requester may have waited in vain.
    RetransmitTimeout,
    /// The host has taken a packet.
    HostConsumed,
    /// A message of this queue pair is due to be posted.
    Post(QpNumber),
    /// A credit update may be due; under PFC, a pause may run out or have to be asked for again.
    FlowControl(Lane),
    /// A notification is due to the source of the flow that this queue pair receives.
    Notify(QpNumber),
}

impl LinkTimer for AdapterTimer {
    fn link_timer(_: PortId, lane: Lane) -> Self {
        Self::FlowControl(lane)
    }
}

/// What an adapter is made of.
#[derive(Debug)]
pub struct AdapterSetup<'a> {
    /// Its own address.
    pub lid: Lid,
    /// Its port.
    pub port: Port,
    /// Arbiter of the port's lanes.
    pub lanes: VlArbiter,
    /// Number of data lanes.
    pub data_lanes: usize,
    /// Lane by service level.
    pub sl_to_vl: [Lane; 16],
    /// The largest payload of a packet.
    pub mtu: Mtu,
    /// What carries its packets over the link.
    pub framing: Framing,
    /// What the scenario says of it.
    pub spec: &'a AdapterSpec,
    /// How it answers marks.
    pub echo: AnyEcho,
    /// How it responds to notifications.
    pub response: AnyResponse,
}

/// One end of a flow, as its adapter needs to know it.
#[derive(Clone, Copy, Debug)]
pub struct FlowEnd {
    /// The flow.
    pub flow: FlowId,
    /// The adapter at the other end.
    pub peer: Lid,
    /// The queue pair there.
    pub peer_qp: QpNumber,
    /// The flow's service level.
    pub service_level: ServiceLevel,
    /// Who carries its messages.
    pub transport: TransportService,
    /// What its messages do.
    pub operation: Operation,
}

/// A channel adapter. What belongs together in time stands together, a cache line each where `align` begins one: a run of
/// many hosts waits for its lines more than for anything else here.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Adapter {
    // Whatever happens:
    /// The top of `timers`, kept at hand.
    next_timer: Time,
    /// When the packet on the wire has left.
    sending_until: Time,
    /// When the host's bus has the next payload ready.
    bus_free_at: Time,
    send_alarm: Alarm,
    rest_alarm: Alarm,
    overdue_alarm: Alarm,
    /// What goes before data, by lane.
    answers: ByLane<Answers>,
    schedule: Schedule,
    lane_count: u32,
    lid: Lid,
    silent: bool,
    port: Port,
    // What comes in, and what leaves:
    inputs: ByLane<LaneInput>,
    outputs: ByLane<LaneOutput>,
    lanes: VlArbiter,
    kind: Arc<Kind>,
    /// What queue pairs are made of. Those of RD share theirs.
    halves: Vec<Half>,
    queue_pairs: Vec<QueuePair>,
    digest: Digest,
    /// By queue pair that data comes in for.
    sinks: Vec<SinkTally>,
    drain: Drain,
    received: u64,
    taken: Bytes,
    injected: u64,
    // Once a message, or less often:
    messages: Messages,
    /// Generators of the queue pairs that have one of their own.
    generators: Vec<MessageGenerator>,
    /// Traffic that several queue pairs share.
    shared_traffic: Vec<SharedTraffic>,
    /// If the oldest goes first.
    ages: Option<Ages>,
    shared: Shared,
    /// When to look whether a half has made progress: at most one entry each.
    timers: BinaryHeap<Reverse<(Time, u32)>>,
    tally: TransportTally,
    /// If completion times are wanted.
    kept: Option<Box<KeptMessages>>,
}

/// A queue pair: who is at the other end, and what it has done.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct QueuePair {
    end: FlowEnd,
    /// Its half that the flow uses, by number.
    half: u32,
    origin: Origin,
    /// Where what it takes is counted, by place among the sinks; [`NO_SINK`] at the end that data leaves.
    sink: u32,
    becns: u64,
    messages: u64,
    /// What the echo remembers of it.
    echo: EchoState,
}

/// No sink.
const NO_SINK: u32 = u32::MAX;

const _: () = assert!(size_of::<QueuePair>() == 64, "a queue pair is a cache line: there may be a million");

/// The origin of the messages of a queue pair, when it is opened.
#[derive(Clone, Debug)]
pub enum MessageOrigin {
    /// The other end posts the flow's messages.
    Peer,
    /// The queue pair has a generator of its own.
    Generator(MessageGenerator),
    /// The queue pair shares host traffic with others of this adapter; [`Adapter::add_host_traffic`] adds it.
    HostTraffic,
}

/// The origin of the messages of a queue pair, by number.
#[derive(Clone, Copy, Debug)]
enum Origin {
    Peer,
    /// Index of the generator in `generators`.
    Generator(u32),
    /// Index of the traffic in `shared_traffic`.
    HostTraffic(u32),
}

/// Host traffic and the queue pairs that it posts to.
#[derive(Clone, Debug)]
struct SharedTraffic {
    traffic: HostTraffic,
    /// In the order of the traffic's flows.
    queue_pairs: Box<[QpNumber]>,
}

/// The earliest wake-up of one kind that is under way. Only it counts; a later one that was planned before it is
/// stale when it comes. So at most one far wake-up of a kind is planned at a time.
#[derive(Clone, Copy, Debug)]
struct Alarm {
    at: Time,
}

impl Default for Alarm {
    fn default() -> Self {
        Self { at: Time::NEVER }
    }
}

impl Alarm {
    /// Plans a wake-up, unless one that is no later is under way.
    fn set(&mut self, due: Time, what: AdapterTimer, context: &mut impl NodeContext<AdapterTimer>) {
        if due < self.at {
            self.at = due;
            context.set_timer(due, what);
        }
    }

    /// A wake-up has come; a stale one changes nothing.
    fn clear_if_due(&mut self, now: Time) {
        if self.at == now {
            self.at = Time::NEVER;
        }
    }
}

/// What goes before data on a lane.
#[derive(Clone, Copy, Debug, Default)]
struct Answers {
    notifications: PacketQueue,
    acknowledgements: PacketQueue,
}

impl Adapter {
    /// An adapter at rest, without queue pairs.
    #[must_use]
    pub fn new(setup: AdapterSetup<'_>) -> Self {
        let kind = Arc::new(Kind::new(&setup));
        let (lanes, spec) = (setup.data_lanes, setup.spec);
        Self {
            lid: setup.lid,
            port: setup.port,
            lanes: setup.lanes,
            lane_count: lanes as u32,
            kind,
            queue_pairs: Vec::new(),
            sinks: Vec::new(),
            halves: Vec::new(),
            generators: Vec::new(),
            shared_traffic: Vec::new(),
            messages: Messages::default(),
            schedule: Schedule::new(spec.schedule, lanes),
            ages: (spec.schedule == ScheduleSpec::OldestFirst).then(Ages::default),
            shared: Shared::default(),
            answers: ByLane::all(Answers::default(), lanes),
            timers: BinaryHeap::new(),
            next_timer: Time::NEVER,
            sending_until: Time::ZERO,
            bus_free_at: Time::ZERO,
            send_alarm: Alarm::default(),
            rest_alarm: Alarm::default(),
            overdue_alarm: Alarm::default(),
            drain: Drain::new(spec.drain_limit),
            silent: false,
            inputs: ByLane::all(LaneInput::default(), lanes),
            outputs: ByLane::all(LaneOutput::default(), lanes),
            tally: TransportTally::default(),
            taken: Bytes::ZERO,
            injected: 0,
            received: 0,
            digest: Digest::default(),
            kept: None,
        }
    }

    /// From now on keeps when messages are posted and taken.
    pub fn keep_messages(&mut self) {
        self.kept = Some(Box::default());
    }

    /// The number that the next queue pair will have.
    #[must_use]
    pub fn next_qp(&self) -> QpNumber {
        QpNumber(self.queue_pairs.len() as u32)
    }

    /// Adds a queue pair: one end of a flow.
    ///
    /// # Panics
    /// If there are [`MAX_QUEUE_PAIRS`] already.
    pub fn open(&mut self, end: FlowEnd, origin: MessageOrigin) -> QpNumber {
        let number = self.next_qp();
        assert!(number.0 < MAX_QUEUE_PAIRS, "an adapter has at most {MAX_QUEUE_PAIRS} queue pairs");
        let half = self.half_for(number, &end, !matches!(origin, MessageOrigin::Peer));
        let origin = match origin {
            MessageOrigin::Peer => Origin::Peer,
            MessageOrigin::Generator(generator) => {
                self.generators.push(generator);
                Origin::Generator(self.generators.len() as u32 - 1)
            }
            MessageOrigin::HostTraffic => Origin::HostTraffic(self.shared_traffic.len() as u32),
        };
        let asks_for_data = end.operation == Operation::RdmaRead;
        let takes = asks_for_data != matches!(origin, Origin::Peer);
        let sink = if takes { self.sinks.len() as u32 } else { NO_SINK };
        self.sinks.extend(takes.then(SinkTally::default));
        let echo = EchoState::default();
        self.queue_pairs.push(QueuePair { end, half, origin, sink, becns: 0, messages: 0, echo });
        number
    }

    /// Adds host traffic that posts to these queue pairs, in the order of its flows.
    pub fn add_host_traffic(&mut self, traffic: HostTraffic, queue_pairs: Box<[QpNumber]>) {
        for number in &queue_pairs {
            self.queue_pairs[number.index()].origin = Origin::HostTraffic(self.shared_traffic.len() as u32);
        }
        self.shared_traffic.push(SharedTraffic { traffic, queue_pairs });
    }

    /// Starts the clocks: of the port, and of everything that posts messages. Call once, at the start.
    pub fn bring_up(&mut self, context: &mut impl NodeContext<AdapterTimer>) {
        self.port.bring_up(context);
        for (number, queue_pair) in (0..).map(QpNumber).zip(&self.queue_pairs) {
            if let Origin::Generator(generator) = queue_pair.origin {
                let due = self.generators[generator as usize].deadline();
                if due != Time::NEVER {
                    context.set_timer(due, AdapterTimer::Post(number));
                }
            }
        }
        for SharedTraffic { traffic, queue_pairs } in &self.shared_traffic {
            if let Some((due, flow)) = traffic.deadline() {
                context.set_timer(due, AdapterTimer::Post(queue_pairs[flow as usize]));
            }
        }
    }

    /// From now on no message is posted; what has been posted is still sent.
    pub fn silence(&mut self) {
        self.silent = true;
    }

    /// Lets go of all that it takes to go on. What was observed stays.
    pub fn retire(&mut self) {
        (self.halves, self.generators, self.shared_traffic) = (Vec::new(), Vec::new(), Vec::new());
        (self.messages, self.shared, self.timers) =
            (Messages::default(), Shared::default(), BinaryHeap::new());
        self.schedule = Schedule::new(ScheduleSpec::RoundRobin, self.lane_count as usize);
    }

    /// A packet has come in, to its last byte.
    pub fn arrive(&mut self, id: PacketId, context: &mut impl NodeContext<AdapterTimer>) {
        let now = context.now();
        let packet = context.packets()[id];
        let (lane, length) = (packet.lrh.lane, packet.wire_bytes());
        if !self.port.admit(lane, length, context) {
            context.packets().remove(id);
            return;
        }
        self.inputs[lane].stored(length, now);
        self.received += 1;
        self.digest.absorb(now.ps());
        self.digest.absorb(
            u64::from(packet.flow.0) << 32
                | u64::from(packet.bth.psn.get()) << 8
                | u64::from(packet.bth.flags.bits()),
        );
        match packet.bth.opcode {
            Opcode::Acknowledge => {
                self.acknowledged(&packet, context.now());
                self.let_go(id, &packet, context);
            }
            Opcode::Cnp => {
                self.notified(&packet, context.now());
                self.let_go(id, &packet, context);
            }
            opcode if opcode.is_read_response() => self.response(id, &packet, context),
            _ => self.request(id, &packet, context),
        }
    }

    /// The far end says something.
    pub fn on_signal(&mut self, signal: Signal, context: &mut impl NodeContext<AdapterTimer>) {
        self.port.on_signal(signal, context);
    }

    /// What the adapter wanted to be woken for has come.
    pub fn on_timer(&mut self, timer: AdapterTimer, context: &mut impl NodeContext<AdapterTimer>) {
        match timer {
            AdapterTimer::Send => self.send_alarm.clear_if_due(context.now()),
            AdapterTimer::PacingDone => self.rest_alarm.clear_if_due(context.now()),
            AdapterTimer::RetransmitTimeout => self.overdue_alarm.clear_if_due(context.now()),
            AdapterTimer::HostConsumed => self.taken(context),
            AdapterTimer::Post(number) => self.post_due(number, context),
            AdapterTimer::Notify(number) => self.notify(number, Psn::new(0), context),
            AdapterTimer::FlowControl(lane) => {
                self.port.on_timer(lane, context);
            }
        }
    }

    /// Everything of this instant has arrived: sends what can be sent.
    pub fn decide(&mut self, context: &mut impl NodeContext<AdapterTimer>) {
        let now = context.now();
        if self.next_timer <= now {
            self.ring_timers(now);
        }
        self.schedule.wake(now);
        if self.sending_until <= now {
            self.send(context);
        }
        self.send_alarm.set(self.next_chance(now), AdapterTimer::Send, context);
        self.rest_alarm.set(self.schedule.next_wake(), AdapterTimer::PacingDone, context);
        self.overdue_alarm.set(self.next_timer, AdapterTimer::RetransmitTimeout, context);
    }
}

impl Answers {
    fn is_empty(&self) -> bool {
        self.notifications.is_empty() && self.acknowledgements.is_empty()
    }
}
