//! The adapter: queue pairs on the side of the host, a port on the side of the network.
//!
//! Invariant: notifications precede all other packets, acknowledgements precede the data of their lane. The adapter
//! decides once an instant, after all arrivals of the instant.
//!
//! | module | contents |
//! |---|---|
//! | [`setup`] | the parts of an adapter, and its timers |
//! | [`config`] | the constant part, which adapters share |
//! | `queue_pair`, `endpoint_slot` | the state of queue pairs and of their endpoints |
//! | `next_timer` | the next timer of a kind |
//! | here | the adapter and its events |
//! | `opening` | queue pairs are opened |
//! | `posting`, `sending` | messages are posted, packets are sent |
//! | `receiving`, `replying` | packets are received, marks and data are answered |
//! | `reordering` | packets out of order are counted, and end their messages |
//! | `responding` | the response policy learns of packets and notifications |
//! | `observed`, `prefetching` | statistics, and prefetching for coming events |
//! | `saving` | the state in a checkpoint |

pub mod config;
mod endpoint_slot;
mod next_timer;
mod observed;
pub(crate) mod opening;
mod posting;
mod prefetching;
mod queue_pair;
mod receiving;
mod reordering;
mod replying;
mod responding;
mod saving;
mod sending;
pub mod setup;

use core::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use event_kernel::Digest;
use link_layer::{NodeContext, Port, Signal, VlArbiter};
use packet::{ByLane, Lid, Opcode, PacketId, PacketQueue, PortId, Psn, QpNumber};
use telemetry::{LaneInput, LaneOutput, Marks, RepeatTally, TransportTally};
use units::{Bytes, Time};
use workload::MessageGenerator;

use self::config::{AdapterConfig, AdapterConfigs};
use self::endpoint_slot::{EndpointSlot, SharedFlows};
use self::next_timer::NextTimer;
use self::queue_pair::{AdapterJobs, MessageSource, QueuePair, Reception, SharedTraffic};
use self::setup::{AdapterSetup, AdapterTimer};
use crate::entropy::EntropySources;
use crate::host_drain::HostDrain;
use crate::message::Messages;
use crate::message::ages::MessageAges;
use crate::message::log::MessageLog;
use crate::schedule::Schedule;
use crate::spec::ScheduleSpec;

/// The adapter's only port.
const PORT: PortId = PortId(0);

/// The most queue pairs of an adapter: their numbers order simultaneous events with 20 bits.
pub const MAX_QUEUE_PAIRS: u32 = 1 << 20;

/// A channel adapter. Fields are grouped by how often they are used, each group beginning a cache line where `align`
/// says so: with many hosts, cache misses dominate.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Adapter {
    // Used by every event:
    /// Time of the first entry of `timers`.
    next_timer: Time,
    /// Time at which the packet on the wire has left.
    sending_until: Time,
    /// Time at which the host's bus has the next payload ready.
    bus_free_at: Time,
    send_timer: NextTimer,
    pacing_timer: NextTimer,
    retransmit_timer: NextTimer,
    /// Packets that precede data, by lane.
    replies: ByLane<PendingReplies>,
    schedule: Schedule,
    lane_count: u32,
    lid: Lid,
    /// True once no further message is posted.
    silent: bool,
    port: Port,
    // Used by arrivals and departures:
    inputs: ByLane<LaneInput>,
    outputs: ByLane<LaneOutput>,
    lanes: VlArbiter,
    config: Arc<AdapterConfig>,
    /// Endpoints of queue pairs; queue pairs of RD share theirs.
    endpoints: Vec<EndpointSlot>,
    queue_pairs: Vec<QueuePair>,
    digest: Digest,
    /// Of each queue pair that receives data, or requests for data.
    receptions: Vec<Reception>,
    drain: HostDrain,
    received: u64,
    consumed: Bytes,
    injected: u64,
    // Used once a message, or less often:
    finite: FiniteMessages,
    messages: Messages,
    /// Generators that serve a single queue pair each.
    generators: Vec<MessageGenerator>,
    /// Traffic that several queue pairs share.
    shared_traffic: Vec<SharedTraffic>,
    /// Ranks of jobs, if any run here.
    jobs: Option<Box<AdapterJobs>>,
    /// Ages of messages, if the oldest goes first.
    ages: Option<MessageAges>,
    shared: SharedFlows,
    /// Marked packets that the host has consumed, for each reception with any.
    marks: Vec<Marks>,
    /// Times at which endpoints are checked for progress, with at most one entry per endpoint.
    timers: BinaryHeap<Reverse<(Time, u32)>>,
    tally: TransportTally,
    /// Counts of every queue pair, once any of them counts.
    repeats: Vec<RepeatTally>,
    /// Messages that end with packets which wait for the host, of connections that take packets in any order.
    placed_ends: u64,
    /// Sources of entropy values, if packets of a queue pair differ in theirs.
    entropies: Option<Box<EntropySources>>,
    /// Endpoints that have given up, and when.
    failures: Vec<(Time, u32)>,
    /// Times of messages, if they are recorded.
    log: Option<Box<MessageLog>>,
}

/// Messages of finite flows, counted where they are posted and where they are delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FiniteMessages {
    /// Messages that were posted here.
    pub posted: u64,
    /// Messages that the host here has consumed to the last byte.
    pub delivered: u64,
    /// Messages that completions, or the programs of jobs, are to bring yet.
    pub to_come: u64,
    /// Ranks of jobs that are not done.
    pub ranks: u64,
}

state_codec::value!(FiniteMessages { posted, delivered, to_come, ranks });

/// Packets of a lane that precede its data.
#[derive(Clone, Copy, Debug, Default)]
struct PendingReplies {
    notifications: PacketQueue,
    acknowledgements: PacketQueue,
}

state_codec::value!(PendingReplies { notifications, acknowledgements });

impl Adapter {
    /// An adapter at rest, without queue pairs.
    #[must_use]
    pub fn new(setup: AdapterSetup<'_>) -> Self {
        let config = Arc::new(AdapterConfig::new(&setup));
        let (lanes, spec) = (setup.data_lanes, setup.spec);
        Self {
            lid: setup.lid,
            port: setup.port,
            lanes: setup.lanes,
            lane_count: lanes as u32,
            config,
            queue_pairs: Vec::new(),
            receptions: Vec::new(),
            marks: Vec::new(),
            endpoints: Vec::new(),
            generators: Vec::new(),
            shared_traffic: Vec::new(),
            jobs: None,
            messages: Messages::default(),
            schedule: Schedule::new(spec.schedule, lanes),
            ages: (spec.schedule == ScheduleSpec::OldestFirst).then(MessageAges::default),
            shared: SharedFlows::default(),
            replies: ByLane::all(PendingReplies::default(), lanes),
            timers: BinaryHeap::new(),
            next_timer: Time::NEVER,
            sending_until: Time::ZERO,
            bus_free_at: Time::ZERO,
            send_timer: NextTimer::default(),
            pacing_timer: NextTimer::default(),
            retransmit_timer: NextTimer::default(),
            drain: HostDrain::new(spec.drain_limit),
            silent: false,
            inputs: ByLane::all(LaneInput::default(), lanes),
            outputs: ByLane::all(LaneOutput::default(), lanes),
            tally: TransportTally::default(),
            repeats: Vec::new(),
            placed_ends: 0,
            entropies: EntropySources::new(spec.entropy, setup.entropy),
            failures: Vec::new(),
            consumed: Bytes::ZERO,
            injected: 0,
            received: 0,
            digest: Digest::default(),
            finite: FiniteMessages::default(),
            log: None,
        }
    }

    /// Records from now on when messages are posted and consumed.
    pub fn log_messages(&mut self) {
        self.log = Some(Box::default());
    }

    /// Replaces the adapter's configuration by an equal member of `known`, so that adapters share it and it stays in
    /// the cache. Adds the configuration to `known` if there is no such member.
    pub fn intern(&mut self, known: &mut AdapterConfigs) {
        known.intern(&mut self.config);
    }

    /// Starts the timers of the port, and of all message generators. Call once, at the start.
    pub fn bring_up(&mut self, context: &mut impl NodeContext<AdapterTimer>) {
        self.port.bring_up(context);
        for (number, queue_pair) in (0..).map(QpNumber).zip(&self.queue_pairs) {
            if let MessageSource::Generator(generator) = queue_pair.origin {
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
        self.set_job_timer(context);
    }

    /// Stops posting messages. Posted messages are still sent.
    pub fn silence(&mut self) {
        self.silent = true;
    }

    /// Releases all memory that only a running adapter needs. Statistics stay.
    pub fn retire(&mut self) {
        (self.endpoints, self.generators, self.shared_traffic) = (Vec::new(), Vec::new(), Vec::new());
        (self.messages, self.shared, self.timers) =
            (Messages::default(), SharedFlows::default(), BinaryHeap::new());
        self.schedule = Schedule::new(ScheduleSpec::RoundRobin, self.lane_count as usize);
    }

    /// Handles the arrival of a packet's last byte.
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
        // Arrival times enter the digest, so that runs which differ in timing alone have different digests.
        self.digest.absorb(now.ps());
        self.digest.absorb(
            u64::from(packet.flow.0) << 32
                | u64::from(packet.bth.psn.get()) << 8
                | u64::from(packet.bth.flags.bits()),
        );
        match packet.bth.opcode {
            Opcode::Acknowledge => {
                self.acknowledged(&packet, context.now());
                self.release(id, &packet, context);
            }
            Opcode::Cnp => {
                self.notified(&packet, context.now());
                self.release(id, &packet, context);
            }
            opcode if opcode.is_read_response() => self.response(id, &packet, context),
            _ => self.request(id, &packet, context),
        }
    }

    /// Handles a signal of the far end.
    pub fn on_signal(&mut self, signal: Signal, context: &mut impl NodeContext<AdapterTimer>) {
        self.port.on_signal(signal, context);
    }

    /// Handles a timer of the adapter.
    pub fn on_timer(&mut self, timer: AdapterTimer, context: &mut impl NodeContext<AdapterTimer>) {
        match timer {
            AdapterTimer::Send => self.send_timer.clear_if_due(context.now()),
            AdapterTimer::PacingDone => self.pacing_timer.clear_if_due(context.now()),
            AdapterTimer::RetransmitTimeout => self.retransmit_timer.clear_if_due(context.now()),
            AdapterTimer::HostConsumed => self.on_consumed(context),
            AdapterTimer::Post(number) => self.post_due(number, context),
            AdapterTimer::Compute => self.computed(context.now()),
            AdapterTimer::Notify(number) => self.notify(number, Psn::new(0), context),
            AdapterTimer::FlowControl(lane) => {
                self.port.on_timer(lane, context);
            }
        }
    }

    /// Called once all events of this instant are handled: sends the next packet that may go.
    pub fn decide(&mut self, context: &mut impl NodeContext<AdapterTimer>) {
        let now = context.now();
        if self.next_timer <= now {
            self.handle_timeouts(now);
        }
        self.schedule.resume_paced(now);
        if self.sending_until <= now {
            self.send(context);
        }
        self.send_timer.set(self.next_chance(now), AdapterTimer::Send, context);
        self.pacing_timer.set(self.schedule.next_resume(), AdapterTimer::PacingDone, context);
        self.retransmit_timer.set(self.next_timer, AdapterTimer::RetransmitTimeout, context);
        if self.jobs.is_some() {
            self.set_job_timer(context);
        }
    }

    fn set_job_timer(&mut self, context: &mut impl NodeContext<AdapterTimer>) {
        if let Some(AdapterJobs { jobs, timer, .. }) = self.jobs.as_deref_mut() {
            timer.set(jobs.deadline(), AdapterTimer::Compute, context);
        }
    }
}

impl FiniteMessages {
    /// Returns the sums of both counts.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            posted: self.posted + other.posted,
            delivered: self.delivered + other.delivered,
            to_come: self.to_come + other.to_come,
            ranks: self.ranks + other.ranks,
        }
    }

    /// Returns the messages that are not delivered, posted or not.
    #[must_use]
    pub const fn undelivered(self) -> u64 {
        self.posted + self.to_come - self.delivered
    }

    /// Returns true if all is delivered, and every rank is done.
    #[must_use]
    pub const fn is_all(self) -> bool {
        self.undelivered() == 0 && self.ranks == 0
    }
}

impl PendingReplies {
    fn is_empty(&self) -> bool {
        self.notifications.is_empty() && self.acknowledgements.is_empty()
    }
}
