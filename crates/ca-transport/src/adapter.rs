//! The adapter: queue pairs on one side, one port on the other.
//!
//! Invariant: notifications go before acknowledgements, and both before data. What an adapter sends is
//! decided once an instant, after everything that arrives in it has arrived.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use cc_policies::policy::{Answer, Echo, Response};
use cc_policies::spec::PortControl;
use cc_policies::{AnyEcho, AnyResponse};
use event_kernel::Digest;
use link_layer::{Broken, LaneSet, Outlet, Port, Signal, VlArbiter};
use packet::header::Syndrome;
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Mtu, Opcode, Packet, PacketId, PacketQueue, PortId, Psn, QpNumber,
    ServiceLevel,
};
use smallvec::SmallVec;
use telemetry::{LaneInput, LaneOutput, TransportTally};
use units::{Bytes, Rate, Time};
use workload::Poster;
use workload::spec::Operation;

use crate::message::Messages;
use crate::receive::{Drain, SinkTally};
use crate::reliable::{Overdue, Requester, RequesterRule, Responder, Verdict};
use crate::schedule::{Schedule, Turn};
use crate::spec::AdapterSpec;

/// The adapter's only port.
const PORT: PortId = PortId(0);

/// What an adapter asks to be woken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterWake {
    /// Something may be sent.
    Send,
    /// The host has taken a packet.
    Taken,
    /// A message of this queue pair is due to be posted.
    Post(QpNumber),
    /// A credit update may be due.
    Credit(Lane),
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
    /// What its messages do.
    pub operation: Operation,
}

/// A channel adapter.
#[derive(Debug)]
pub struct Adapter {
    lid: Lid,
    port: Port,
    lanes: VlArbiter,
    lane_count: usize,
    sl_to_vl: [Lane; 16],
    rule: RequesterRule,
    injection_limit: Option<Rate>,
    echo: AnyEcho,
    response: AnyResponse,
    queue_pairs: Vec<QueuePair>,
    /// By queue pair that sends.
    posters: Vec<Poster>,
    messages: Messages,
    schedule: Schedule,
    /// The flow that a service level's queue pairs share, where the response controls service levels.
    shared_flows: [Option<u32>; 16],
    /// Notifications and acknowledgements to send, by lane.
    notifications: Vec<PacketQueue>,
    acknowledgements: Vec<PacketQueue>,
    /// When to look whether a requester has made progress: at most one entry a queue pair.
    timers: BinaryHeap<Reverse<(Time, u32)>>,
    /// When the packet on the wire has left.
    sending_until: Time,
    /// When the host's bus has the next payload ready.
    bus_free_at: Time,
    /// When the adapter will be woken to send.
    wake_at: Time,
    drain: Drain,
    silent: bool,
    inputs: SmallVec<[LaneInput; 1]>,
    outputs: SmallVec<[LaneOutput; 1]>,
    tally: TransportTally,
    injected: u64,
    received: u64,
    digest: Digest,
}

/// A queue pair: a requester, a responder, and who is at the other end.
#[derive(Clone, Debug)]
struct QueuePair {
    end: FlowEnd,
    requester: Requester,
    responder: Responder,
    /// The controlled flow that it belongs to.
    flow: u32,
    /// Its place among the posters, if it sends.
    poster: Option<u32>,
    timer_set: bool,
    sink: SinkTally,
    becns: u64,
    messages: u64,
}

/// What could go next on a lane.
#[derive(Clone, Copy, Debug)]
enum Candidate {
    Notification,
    Acknowledgement,
    Data(Turn),
}

impl Adapter {
    /// An adapter at rest, without queue pairs.
    #[must_use]
    pub fn new(setup: AdapterSetup<'_>) -> Self {
        let (lanes, spec) = (setup.data_lanes, setup.spec);
        Self {
            lid: setup.lid,
            port: setup.port,
            lanes: setup.lanes,
            lane_count: lanes,
            sl_to_vl: setup.sl_to_vl,
            rule: RequesterRule {
                mtu: setup.mtu,
                ack_every: spec.ack_every,
                max_outstanding: u64::from(spec.max_outstanding),
                timeout: spec.timeout(),
                retry_count: spec.retry_count,
            },
            injection_limit: spec.injection_limit,
            echo: setup.echo,
            response: setup.response,
            queue_pairs: Vec::new(),
            posters: Vec::new(),
            messages: Messages::default(),
            schedule: Schedule::new(lanes),
            shared_flows: [None; 16],
            notifications: vec![PacketQueue::default(); lanes],
            acknowledgements: vec![PacketQueue::default(); lanes],
            timers: BinaryHeap::new(),
            sending_until: Time::ZERO,
            bus_free_at: Time::ZERO,
            wake_at: Time::NEVER,
            drain: Drain::new(spec.drain_limit),
            silent: false,
            inputs: SmallVec::from_elem(LaneInput::default(), lanes),
            outputs: SmallVec::from_elem(LaneOutput::default(), lanes),
            tally: TransportTally::default(),
            injected: 0,
            received: 0,
            digest: Digest::default(),
        }
    }

    /// The number that the next queue pair will have.
    #[must_use]
    pub fn next_qp(&self) -> QpNumber {
        QpNumber(self.queue_pairs.len() as u32)
    }

    /// Adds a queue pair: the sending end of a flow if it has a poster, else the receiving end.
    pub fn open(&mut self, end: FlowEnd, poster: Option<Poster>) -> QpNumber {
        let number = self.next_qp();
        let flow = self.controlled_flow(end.service_level);
        self.schedule.add_queue_pair();
        self.timers.reserve(1);
        self.queue_pairs.push(QueuePair {
            end,
            requester: Requester::default(),
            responder: Responder::default(),
            flow,
            poster: poster.as_ref().map(|_| self.posters.len() as u32),
            timer_set: false,
            sink: SinkTally::default(),
            becns: 0,
            messages: 0,
        });
        self.posters.extend(poster);
        number
    }

    /// Starts the clocks: of the port, and of everything that posts messages. Call once, at the start.
    pub fn bring_up(&mut self, outlet: &mut impl Outlet<AdapterWake>) {
        self.port.bring_up(outlet, |_, lane| AdapterWake::Credit(lane));
        for (number, queue_pair) in self.queue_pairs.iter().enumerate() {
            if let Some(poster) = queue_pair.poster {
                let due = self.posters[poster as usize].deadline();
                if due != Time::NEVER {
                    outlet.wake(due, AdapterWake::Post(QpNumber(number as u32)));
                }
            }
        }
    }

    /// From now on no message is posted; what has been posted is still sent.
    pub fn silence(&mut self) {
        self.silent = true;
    }

    /// A packet has come in, to its last byte.
    pub fn arrive(&mut self, id: PacketId, outlet: &mut impl Outlet<AdapterWake>) {
        let now = outlet.now();
        let packet = outlet.packets()[id];
        let (lane, length) = (packet.lrh.lane, packet.wire_bytes());
        self.inputs[lane.index()].stored(length, now);
        self.port.stored(lane, length, outlet);
        self.received += 1;
        self.digest.absorb(now.ps());
        self.digest.absorb(
            u64::from(packet.flow.0) << 32
                | u64::from(packet.bth.psn.get()) << 8
                | u64::from(packet.bth.flags.bits()),
        );
        match packet.bth.opcode {
            Opcode::Acknowledge | Opcode::Cnp => {
                self.reply(&packet, outlet);
                self.let_go(id, outlet);
            }
            _ => self.data(id, &packet, outlet),
        }
    }

    /// The far end says something.
    pub fn heard(&mut self, signal: Signal, outlet: &mut impl Outlet<AdapterWake>) {
        self.port.heard(signal, outlet);
    }

    /// What the adapter wanted to be woken for has come.
    pub fn woken(&mut self, wake: AdapterWake, outlet: &mut impl Outlet<AdapterWake>) {
        match wake {
            AdapterWake::Send => {
                if self.wake_at == outlet.now() {
                    self.wake_at = Time::NEVER;
                }
            }
            AdapterWake::Taken => self.taken(outlet),
            AdapterWake::Post(number) => self.post_due(number, outlet),
            AdapterWake::Credit(lane) => {
                self.port.alarm(lane, outlet, |_, lane| AdapterWake::Credit(lane));
            }
        }
    }

    /// Everything of this instant has arrived: sends what can be sent.
    pub fn decide(&mut self, outlet: &mut impl Outlet<AdapterWake>) {
        let now = outlet.now();
        self.ring_timers(now);
        self.schedule.wake(now);
        if self.sending_until <= now {
            self.send(outlet);
        }
        let next = self.next_look(now);
        if next < self.wake_at {
            self.wake_at = next;
            outlet.wake(next, AdapterWake::Send);
        }
    }

    fn controlled_flow(&mut self, service_level: ServiceLevel) -> u32 {
        let lane = self.sl_to_vl[usize::from(service_level.0)];
        let shared = match self.response.port_control() {
            PortControl::QueuePair => None,
            PortControl::ServiceLevel => self.shared_flows[usize::from(service_level.0)],
        };
        shared.unwrap_or_else(|| {
            let flow = self.schedule.add_flow(self.response.at_rest(service_level), lane);
            self.shared_flows[usize::from(service_level.0)] = Some(flow);
            flow
        })
    }
}

/// Receiving.
impl Adapter {
    /// A data packet came in for one of the responders.
    fn data(&mut self, id: PacketId, packet: &Packet, outlet: &mut impl Outlet<AdapterWake>) {
        let number = packet.bth.destination_qp;
        let queue_pair = &mut self.queue_pairs[number.index()];
        let verdict = queue_pair.responder.data(packet.bth.psn, packet.bth.opcode.ends_message());
        let mut acknowledge = packet.has(BthFlags::ACK_REQUEST) && !matches!(verdict, Verdict::Gap { .. });
        let mut flags = BthFlags::empty();
        match self.echo.answer(packet) {
            Some(Answer::Cnp) => self.notify(number, outlet),
            Some(Answer::Acknowledgement) => {
                acknowledge = true;
                flags = BthFlags::BECN;
            }
            None => {}
        }
        match verdict {
            Verdict::Accept => self.accept(id, outlet),
            Verdict::Duplicate => self.let_go(id, outlet),
            Verdict::Gap { complain } => {
                outlet.broken(PORT, packet.lrh.lane, Broken::Sequence);
                if complain {
                    self.acknowledge(number, Syndrome::SequenceError, flags, outlet);
                    self.tally.naks += 1;
                    acknowledge = false;
                }
                self.let_go(id, outlet);
            }
        }
        if acknowledge {
            self.acknowledge(number, Syndrome::Ack, flags, outlet);
        }
    }

    /// Hands an accepted packet to the host.
    fn accept(&mut self, id: PacketId, outlet: &mut impl Outlet<AdapterWake>) {
        let now = outlet.now();
        match self.drain.accept(id, outlet.packets(), now) {
            Some(taken) if taken == now => self.taken(outlet),
            Some(taken) => outlet.wake(taken, AdapterWake::Taken),
            None => {}
        }
    }

    /// The host has taken a packet's payload.
    fn taken(&mut self, outlet: &mut impl Outlet<AdapterWake>) {
        let now = outlet.now();
        let (id, next) = self.drain.taken(outlet.packets(), now);
        if let Some(next) = next {
            outlet.wake(next, AdapterWake::Taken);
        }
        let packet = &outlet.packets()[id];
        let queue_pair = &mut self.queue_pairs[packet.bth.destination_qp.index()];
        queue_pair.sink.take(Bytes::new(u64::from(packet.payload)), packet.injected, now);
        self.let_go(id, outlet);
    }

    /// A packet leaves the receive buffer and the world.
    fn let_go(&mut self, id: PacketId, outlet: &mut impl Outlet<AdapterWake>) {
        let packet = outlet.packets().remove(id);
        let (lane, length) = (packet.lrh.lane, packet.wire_bytes());
        self.inputs[lane.index()].freed(length, outlet.now());
        self.port.freed(lane, length, outlet, |_, lane| AdapterWake::Credit(lane));
    }

    /// An acknowledgement or a notification came in for one of the requesters.
    fn reply(&mut self, packet: &Packet, outlet: &mut impl Outlet<AdapterWake>) {
        let now = outlet.now();
        let number = packet.bth.destination_qp;
        let queue_pair = &mut self.queue_pairs[number.index()];
        if packet.has(BthFlags::BECN) {
            queue_pair.becns += 1;
            self.tally.becns += 1;
            let reaction = self.response.on_notification(self.schedule.state(queue_pair.flow), now);
            self.tally.trigger_events += u64::from(reaction.reached_trigger);
        }
        if packet.bth.opcode == Opcode::Acknowledge {
            let (psn, messages, rule) = (packet.bth.psn, &mut self.messages, &self.rule);
            let completed = match packet.syndrome {
                Syndrome::Ack => queue_pair.requester.acknowledged(psn, messages, rule, now),
                Syndrome::SequenceError => queue_pair.requester.sequence_error(psn, messages, rule, now),
            };
            self.completed(number, completed, now);
            self.offer(number, now);
        }
    }

    /// Queues a congestion notification packet to the source of the flow that this queue pair receives.
    fn notify(&mut self, number: QpNumber, outlet: &mut impl Outlet<AdapterWake>) {
        let packet = self.answer(number, Opcode::Cnp, Psn::new(0), BthFlags::BECN);
        let id = outlet.packets().insert(packet);
        self.notifications[packet.lrh.lane.index()].push(id, outlet.packets());
        self.tally.cnps += 1;
    }

    /// Queues an acknowledgement of what this queue pair's responder has accepted, or misses.
    fn acknowledge(
        &mut self,
        number: QpNumber,
        syndrome: Syndrome,
        flags: BthFlags,
        outlet: &mut impl Outlet<AdapterWake>,
    ) {
        let responder = &self.queue_pairs[number.index()].responder;
        let (psn, msn) = match syndrome {
            Syndrome::Ack => (responder.accepted(), responder.msn()),
            Syndrome::SequenceError => (responder.expected(), responder.msn()),
        };
        let mut packet = self.answer(number, Opcode::Acknowledge, psn, flags);
        (packet.syndrome, packet.msn) = (syndrome, msn);
        let id = outlet.packets().insert(packet);
        self.acknowledgements[packet.lrh.lane.index()].push(id, outlet.packets());
        self.tally.acknowledgements += 1;
    }

    /// A packet without payload to the other end of a queue pair.
    fn answer(&mut self, number: QpNumber, opcode: Opcode, psn: Psn, flags: BthFlags) -> Packet {
        self.injected += 1;
        let end = &self.queue_pairs[number.index()].end;
        let bth = Bth { destination_qp: end.peer_qp, psn, opcode, flags };
        Packet::new(self.route(end), bth, number, end.flow, 0)
    }

    fn route(&self, end: &FlowEnd) -> Lrh {
        Lrh {
            source: self.lid,
            destination: end.peer,
            lane: self.sl_to_vl[usize::from(end.service_level.0)],
            service_level: end.service_level,
        }
    }
}

/// Sending.
impl Adapter {
    /// Posts what is due for a queue pair, and asks to be woken for the next.
    fn post_due(&mut self, number: QpNumber, outlet: &mut impl Outlet<AdapterWake>) {
        let now = outlet.now();
        let queue_pair = &mut self.queue_pairs[number.index()];
        let Some(poster) = queue_pair.poster.map(|poster| &mut self.posters[poster as usize]) else { return };
        if self.silent {
            return;
        }
        while poster.deadline() <= now {
            if let Some(bytes) = poster.on_deadline(now) {
                queue_pair.requester.post(bytes, &mut self.messages, &self.rule);
            }
        }
        if poster.deadline() != Time::NEVER {
            outlet.wake(poster.deadline(), AdapterWake::Post(number));
        }
        self.offer(number, now);
    }

    /// Messages of a queue pair are acknowledged: the next may be posted.
    fn completed(&mut self, number: QpNumber, count: u32, now: Time) {
        let queue_pair = &mut self.queue_pairs[number.index()];
        queue_pair.messages += u64::from(count);
        let Some(poster) = queue_pair.poster.filter(|_| !self.silent) else { return };
        for _ in 0..count {
            if let Some(bytes) = self.posters[poster as usize].on_completed(now) {
                queue_pair.requester.post(bytes, &mut self.messages, &self.rule);
            }
        }
    }

    /// Puts a queue pair in line, if it may send.
    fn offer(&mut self, number: QpNumber, now: Time) {
        let queue_pair = &self.queue_pairs[number.index()];
        if queue_pair.requester.may_send(&self.rule) {
            self.schedule.offer(queue_pair.flow, number.0, now);
        }
    }

    /// Lets requesters that have waited in vain go back.
    fn ring_timers(&mut self, now: Time) {
        while let Some(&Reverse((due, number))) = self.timers.peek()
            && due <= now
        {
            self.timers.pop();
            let queue_pair = &mut self.queue_pairs[number as usize];
            queue_pair.timer_set = false;
            match queue_pair.requester.on_deadline(&self.rule, now) {
                Overdue::No => {}
                Overdue::WentBack => self.tally.timeouts += 1,
                Overdue::GaveUp => self.tally.failed_queue_pairs += 1,
            }
            self.set_timer(QpNumber(number));
            self.offer(QpNumber(number), now);
        }
    }

    fn set_timer(&mut self, number: QpNumber) {
        let queue_pair = &mut self.queue_pairs[number.index()];
        let due = queue_pair.requester.deadline(&self.rule);
        if due != Time::NEVER && !queue_pair.timer_set {
            queue_pair.timer_set = true;
            self.timers.push(Reverse((due, number.0)));
        }
    }

    /// Sends the next packet, if there is one and the far end has room.
    fn send(&mut self, outlet: &mut impl Outlet<AdapterWake>) {
        let now = outlet.now();
        let mut ready = LaneSet::default();
        for lane in (0..self.lane_count as u8).map(Lane) {
            let Some((_, length)) = self.candidate(lane, outlet) else { continue };
            if self.port.admits(lane, length) {
                ready.insert(lane);
            } else {
                self.outputs[lane.index()].starved(now);
            }
        }
        if ready.is_empty() {
            return;
        }
        let Some(lane) = self.lanes.pick(ready) else { return };
        let Some((candidate, length)) = self.candidate(lane, outlet) else { return };
        let passage = self.port.start(lane, length, now);
        let id = match candidate {
            Candidate::Notification => self.notifications[lane.index()].pop(outlet.packets()),
            Candidate::Acknowledgement => self.acknowledgements[lane.index()].pop(outlet.packets()),
            Candidate::Data(turn) => Some(self.send_data(turn, passage.left, outlet)),
        };
        let id = id.expect("the candidate is there");
        outlet.packets()[id].injected = passage.starts;
        self.sending_until = passage.left;
        self.lanes.sent(lane, length);
        self.outputs[lane.index()].sent(length, now);
        passage.deliver(PORT, id, outlet);
    }

    /// What would go next on a lane, and its length on the wire.
    fn candidate(&mut self, lane: Lane, outlet: &mut impl Outlet<AdapterWake>) -> Option<(Candidate, Bytes)> {
        for (queue, candidate) in [
            (&self.notifications, Candidate::Notification),
            (&self.acknowledgements, Candidate::Acknowledgement),
        ] {
            if let Some(id) = queue[lane.index()].head() {
                return Some((candidate, outlet.packets()[id].wire_bytes()));
            }
        }
        if self.bus_free_at > outlet.now() {
            return None;
        }
        while let Some(turn) = self.schedule.turn(lane) {
            let queue_pair = &self.queue_pairs[turn.queue_pair as usize];
            let operation = queue_pair.end.operation;
            if let Some(out) = queue_pair.requester.outgoing(&self.messages, operation, &self.rule) {
                let length = out.segment.opcode.wire_bytes(out.segment.payload);
                return Some((Candidate::Data(turn), Bytes::new(u64::from(length))));
            }
            self.schedule.withdraw(turn, outlet.now());
        }
        None
    }

    /// Makes the data packet whose turn it is, and puts its queue pair back in line or to rest.
    fn send_data(&mut self, turn: Turn, left: Time, outlet: &mut impl Outlet<AdapterWake>) -> PacketId {
        let now = outlet.now();
        let queue_pair = &mut self.queue_pairs[turn.queue_pair as usize];
        let end = queue_pair.end;
        let out = queue_pair
            .requester
            .outgoing(&self.messages, end.operation, &self.rule)
            .expect("the candidate has something to send");
        queue_pair.requester.sent(&self.messages, &self.rule, now);
        let more = queue_pair.requester.may_send(&self.rule);
        self.tally.retransmitted += u64::from(out.again);
        self.injected += 1;
        let flags = if out.ack_request { BthFlags::ACK_REQUEST } else { BthFlags::empty() };
        let bth = Bth { destination_qp: end.peer_qp, psn: out.psn, opcode: out.segment.opcode, flags };
        let packet =
            Packet::new(self.route(&end), bth, QpNumber(turn.queue_pair), end.flow, out.segment.payload);
        let wire_time = self.port.wire().time_for(packet.wire_bytes());
        let gap = self.response.gap(self.schedule.state(turn.flow), wire_time, now);
        // Without a gap the flow is back in line at once: the wire itself keeps the packets apart.
        let rests_until = if gap == units::Span::ZERO { Time::ZERO } else { left + gap };
        self.schedule.sent(turn, more, rests_until, now);
        if let Some(limit) = self.injection_limit {
            self.bus_free_at = now + limit.time_for(Bytes::new(u64::from(out.segment.payload)));
        }
        self.set_timer(QpNumber(turn.queue_pair));
        outlet.packets().insert(packet)
    }

    /// When there may be something to do that nothing from outside announces.
    fn next_look(&self, now: Time) -> Time {
        let control = self.notifications.iter().chain(&self.acknowledgements).any(|queue| !queue.is_empty());
        let wire = self.sending_until;
        let bus = wire.max(self.bus_free_at);
        let mut next = self.timers.peek().map_or(Time::NEVER, |Reverse((due, _))| *due);
        // What could go now and does not lacks credit, and is woken by credit.
        if control && wire > now {
            next = next.min(wire);
        }
        if self.schedule.any_turn() && bus > now {
            next = next.min(bus);
        }
        next.min(self.schedule.next_wake().max(bus))
    }
}

/// What was observed.
impl Adapter {
    /// The port, with its flow control.
    #[must_use]
    pub const fn port(&self) -> &Port {
        &self.port
    }

    /// What was observed on a lane: what came in, what left.
    #[must_use]
    pub fn observed(&self, lane: Lane) -> (&LaneInput, &LaneOutput) {
        (&self.inputs[lane.index()], &self.outputs[lane.index()])
    }

    /// What the host behind a queue pair has taken.
    #[must_use]
    pub fn sink(&self, number: QpNumber) -> &SinkTally {
        &self.queue_pairs[number.index()].sink
    }

    /// What a queue pair that sends has seen: messages acknowledged, and BECNs.
    #[must_use]
    pub fn source(&self, number: QpNumber) -> (u64, u64) {
        let queue_pair = &self.queue_pairs[number.index()];
        (queue_pair.messages, queue_pair.becns)
    }

    /// Counts over all queue pairs.
    #[must_use]
    pub const fn tally(&self) -> &TransportTally {
        &self.tally
    }

    /// Packets made here, and packets that came in here.
    #[must_use]
    pub const fn turnover(&self) -> (u64, u64) {
        (self.injected, self.received)
    }

    /// Packets that have come in and wait for the host.
    #[must_use]
    pub const fn waiting_for_host(&self) -> u64 {
        self.drain.waiting()
    }

    /// What came in, in one number.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// Whether nothing is left to send, to acknowledge or to take, and the port is at rest.
    #[must_use]
    pub fn at_rest(&self, now: Time) -> bool {
        self.port.at_rest(now)
            && self.drain.waiting() == 0
            && self.notifications.iter().chain(&self.acknowledgements).all(PacketQueue::is_empty)
            && self.queue_pairs.iter().all(|queue_pair| queue_pair.requester.at_rest())
    }
}
