//! What an adapter sends, and when.
//!
//! Invariant: notifications go before everything, acknowledgements before data of their lane; one packet at a time.

use core::cmp::Reverse;

use cc_policies::policy::{LimitedBy, Response, SentPacket};
use link_layer::{LaneSet, NodeContext, Passage};
use packet::{Bth, BthFlags, Lane, Packet, PacketId, QpNumber};
use units::{Bytes, Span, Time};

use super::ages::Ages;
use super::half::Half;
use super::{Adapter, AdapterTimer, Origin, PORT, SharedTraffic};
use crate::message::Message;
use crate::schedule::Turn;
use crate::transport::{Completed, Outgoing, Overdue, Readiness, Transport};

/// What could go next on a lane.
#[derive(Clone, Copy, Debug)]
enum Candidate {
    Notification,
    Acknowledgement,
    Data(Turn, Outgoing),
}

/// The age of what a half sends next; nothing looks at it where flows take turns.
fn age(ages: Option<&mut Ages>, half: &Half) -> u64 {
    ages.map_or(0, |ages| ages.of(half.transport.next_message()))
}

impl Adapter {
    /// Posts what is due for a queue pair, and asks to be woken for what comes next from where that came from.
    pub(super) fn post_due(&mut self, number: QpNumber, context: &mut impl NodeContext<AdapterTimer>) {
        let now = context.now();
        if self.silent {
            return;
        }
        let next = match self.queue_pairs[number.index()].origin {
            Origin::Peer => return,
            Origin::Generator(generator) => {
                while self.generators[generator as usize].deadline() <= now {
                    if let Some(bytes) = self.generators[generator as usize].on_deadline(now) {
                        self.post(number, bytes, now);
                    }
                }
                let due = self.generators[generator as usize].deadline();
                (due != Time::NEVER).then_some((due, number))
            }
            Origin::HostTraffic(shared) => loop {
                let SharedTraffic { traffic, queue_pairs } = &mut self.shared_traffic[shared as usize];
                let next = traffic.deadline().map(|(due, flow)| (due, queue_pairs[flow as usize]));
                // Of what is due at one instant, the queue pairs take their turns among all of this adapter.
                if next.is_none_or(|(due, to)| due > now || to != number) {
                    break next;
                }
                let post = traffic.on_deadline(now).expect("its deadline has come");
                self.post(number, post.bytes, now);
            },
        };
        if let Some((due, next)) = next {
            context.set_timer(due, AdapterTimer::Post(next));
        }
        self.offer(self.queue_pairs[number.index()].half, now);
    }

    fn post(&mut self, number: QpNumber, bytes: Bytes, now: Time) {
        if let Some(kept) = &mut self.kept {
            kept.posted.push((number, now, bytes));
        }
        let queue_pair = &self.queue_pairs[number.index()];
        let message = Message::new(number, queue_pair.end.operation, bytes, self.kind.rule.mtu);
        let key = self.messages.insert(message);
        if let Some(ages) = &mut self.ages {
            ages.posted(key);
        }
        self.halves[queue_pair.half as usize].transport.post(key, &mut self.messages);
    }

    /// Messages of a queue pair are complete: the next may be posted.
    pub(super) fn completed(&mut self, completed: Completed, now: Time) {
        if completed.messages == 0 {
            return;
        }
        let queue_pair = &mut self.queue_pairs[completed.queue_pair.index()];
        queue_pair.messages += u64::from(completed.messages);
        if self.silent {
            return;
        }
        match queue_pair.origin {
            Origin::Peer => {}
            Origin::Generator(generator) => {
                for _ in 0..completed.messages {
                    if let Some(bytes) = self.generators[generator as usize].on_completed(now) {
                        self.post(completed.queue_pair, bytes, now);
                    }
                }
            }
            Origin::HostTraffic(shared) => {
                for _ in 0..completed.messages {
                    self.post_next(shared, now);
                }
            }
        }
    }

    /// Posts the next message of a closed loop, on the queue pair that the traffic names.
    fn post_next(&mut self, shared: u32, now: Time) {
        let SharedTraffic { traffic, queue_pairs } = &mut self.shared_traffic[shared as usize];
        let Some(post) = traffic.on_completed(now) else { return };
        let next = queue_pairs[post.flow as usize];
        self.post(next, post.bytes, now);
        self.offer(self.queue_pairs[next.index()].half, now);
    }

    /// Puts a half in line, if it may send.
    pub(super) fn offer(&mut self, number: u32, now: Time) {
        let half = &mut self.halves[number as usize];
        match half.transport.readiness(&self.kind.rule) {
            Readiness::Ready => {
                let age = age(self.ages.as_mut(), half);
                self.schedule.offer(half.flow, number, age, now);
            }
            Readiness::WindowClosed => half.held_by_window = true,
            Readiness::Idle => {}
        }
    }

    /// Lets halves that have waited in vain go back.
    pub(super) fn ring_timers(&mut self, now: Time) {
        while self.next_timer <= now {
            let Some(Reverse((_, number))) = self.timers.pop() else { break };
            let half = &mut self.halves[number as usize];
            half.timer_set = false;
            match half.transport.on_deadline(&self.kind.rule, &self.messages, now) {
                Overdue::No => {}
                Overdue::WentBack => self.tally.timeouts += 1,
                Overdue::GaveUp => self.tally.failed_queue_pairs += 1,
            }
            self.next_timer = self.timers.peek().map_or(Time::NEVER, |Reverse((due, _))| *due);
            self.set_timer(number);
            self.offer(number, now);
        }
    }

    fn set_timer(&mut self, number: u32) {
        let half = &mut self.halves[number as usize];
        if half.timer_set {
            return;
        }
        let due = half.transport.deadline(&self.kind.rule);
        if due != Time::NEVER {
            half.timer_set = true;
            self.next_timer = self.next_timer.min(due);
            self.timers.push(Reverse((due, number)));
        }
    }

    /// Sends the next packet, if there is one and the far end has room. A notification goes before the lanes'
    /// arbitration, on whatever lane it is.
    pub(super) fn send(&mut self, context: &mut impl NodeContext<AdapterTimer>) {
        let now = context.now();
        let (mut ready, mut found) = (LaneSet::default(), None);
        for lane in (0..self.lane_count as u8).map(Lane) {
            let Some((candidate, length)) = self.candidate(lane, context) else { continue };
            if self.port.may_start(lane, length) {
                if matches!(candidate, Candidate::Notification) {
                    self.start((lane, candidate, length), context);
                    return;
                }
                ready.insert(lane);
                found = Some((lane, candidate, length));
            } else {
                self.outputs[lane].starved(now);
            }
        }
        let Some(last) = found else { return };
        let Some(lane) = self.lanes.pick(ready) else { return };
        if lane == last.0 {
            self.start(last, context);
        } else if let Some((candidate, length)) = self.candidate(lane, context) {
            self.start((lane, candidate, length), context);
        }
    }

    /// What would go next on a lane, and its length on the wire.
    fn candidate(
        &mut self,
        lane: Lane,
        context: &mut impl NodeContext<AdapterTimer>,
    ) -> Option<(Candidate, Bytes)> {
        if let Some(id) = self.answers[lane].notifications.head() {
            return Some((Candidate::Notification, context.packets()[id].wire_bytes()));
        }
        if let Some(id) = self.answers[lane].acknowledgements.head() {
            return Some((Candidate::Acknowledgement, context.packets()[id].wire_bytes()));
        }
        if self.bus_free_at > context.now() {
            return None;
        }
        while let Some(turn) = self.schedule.turn(lane) {
            let half = &mut self.halves[turn.half as usize];
            if let Some(out) = half.transport.next(&self.messages, &self.kind.rule) {
                let length = self.kind.framing.bytes(half.service, out.segment.opcode, out.segment.payload);
                return Some((Candidate::Data(turn, out), Bytes::new(u64::from(length))));
            }
            // What was offered may no longer go: its window has shrunk.
            half.held_by_window = half.transport.readiness(&self.kind.rule) == Readiness::WindowClosed;
            self.schedule.withdraw(turn, context.now());
        }
        None
    }

    /// Puts the packet that was picked on the wire.
    fn start(
        &mut self,
        (lane, candidate, length): (Lane, Candidate, Bytes),
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        let now = context.now();
        let passage = self.port.start(lane, length, now);
        let id = match candidate {
            Candidate::Notification => self.answers[lane].notifications.pop(context.packets()),
            Candidate::Acknowledgement => self.answers[lane].acknowledgements.pop(context.packets()),
            Candidate::Data(turn, out) => Some(self.make_data((turn, out, length), &passage, context)),
        };
        let id = id.expect("the candidate is there");
        if matches!(candidate, Candidate::Acknowledgement) {
            let number = context.packets()[id].source_qp;
            let half = self.queue_pairs[number.index()].half;
            self.halves[half as usize].queued_ack.take_if(|queued| *queued == id);
        }
        context.packets()[id].injected = passage.starts;
        self.sending_until = passage.left;
        self.lanes.sent(lane, length);
        self.outputs[lane].sent(length, now);
        passage.deliver(PORT, id, context);
    }

    /// Makes the packet whose turn it is, and puts its half back in line or to rest.
    fn make_data(
        &mut self,
        (turn, out, length): (Turn, Outgoing, Bytes),
        passage: &Passage,
        context: &mut impl NodeContext<AdapterTimer>,
    ) -> PacketId {
        let now = context.now();
        let half = &mut self.halves[turn.half as usize];
        let completed = half.transport.sent(&mut self.messages, now);
        self.completed(completed, now);
        let half = &mut self.halves[turn.half as usize];
        let readiness = half.transport.readiness(&self.kind.rule);
        let limited_by = if self.schedule.rested(turn.flow) {
            LimitedBy::Rate
        } else if half.held_by_window {
            LimitedBy::Window
        } else {
            LimitedBy::Other
        };
        half.held_by_window = readiness == Readiness::WindowClosed;
        self.tell_of_sent(turn.half, out.psn, SentPacket { limited_by, length }, now);
        if out.again {
            self.tally.retransmitted += 1;
        }
        self.injected += 1;
        let gap = self.kind.response.gap(self.schedule.state(turn.flow), passage.left - passage.starts, now);
        // Without a gap the flow is back in line at once: the wire itself keeps the packets apart.
        let rests_until = if gap == Span::ZERO { Time::ZERO } else { passage.left + gap };
        let half = &self.halves[turn.half as usize];
        let more = (readiness == Readiness::Ready).then(|| age(self.ages.as_mut(), half));
        self.schedule.sent(turn, more, rests_until, now);
        if let Some(limit) = self.kind.injection_limit {
            self.bus_free_at = now + limit.time_for(Bytes::new(u64::from(out.segment.payload)));
        }
        self.set_timer(turn.half);
        let end = &self.queue_pairs[out.queue_pair.index()].end;
        let flags = if out.ack_request { BthFlags::ACK_REQUEST } else { BthFlags::empty() };
        let bth = Bth {
            destination_qp: end.peer_qp,
            psn: out.psn,
            opcode: out.segment.opcode,
            transport: end.transport,
            flags,
        };
        let mut packet = Packet::new(self.route(end), bth, out.queue_pair, end.flow, out.segment.payload);
        // The candidate's length is that of its framing.
        packet.wire = length.get() as u16;
        packet.dma_length = out.dma_length;
        context.packets().insert(packet)
    }

    /// When the wire or the host's bus is free for what could go next. What could go now and does not lacks
    /// credit, and credit wakes it.
    pub(super) fn next_chance(&self, now: Time) -> Time {
        let wire = self.sending_until;
        let bus = wire.max(self.bus_free_at);
        if wire > now && self.answers.iter().any(|answers| !answers.is_empty()) {
            return wire;
        }
        if bus > now && self.schedule.any_turn() { bus } else { Time::NEVER }
    }
}
