//! Packets that arrive out of order, twice, or again, and messages that end out of order.
//!
//! Invariant: a packet that arrives in order on its first way changes nothing here. A gap is a fault of the simulator
//! where flow control prevents losses and no path lets packets overtake each other.

use link_layer::{InvariantViolation, NodeContext};
use packet::{Opcode, Packet, PacketId, PacketPool, QpNumber, TransportService};
use telemetry::RepeatTally;
use units::Time;

use super::queue_pair::{LastPacket, MessageSource};
use super::setup::AdapterTimer;
use super::{Adapter, PORT};
use crate::endpoint::ReceiveVerdict;

impl Adapter {
    /// Returns true if the queue pair's endpoints take packets in any order.
    pub(super) fn takes_any_order(&self, number: QpNumber) -> bool {
        self.delivers_in_any_order() && self.queue_pairs[number.index()].end.transport == TransportService::Rc
    }

    /// Returns true if connections of RC take packets in any order here.
    #[must_use]
    pub fn delivers_in_any_order(&self) -> bool {
        self.config.rule.repeats.any_order.is_some()
    }

    /// Returns the most messages that the arrival of a packet can end, beside the message that it ends itself.
    #[must_use]
    pub fn ends_ahead(&self, packet: &Packet) -> u32 {
        let number = packet.bth.destination_qp;
        if !packet.bth.opcode.is_data() || !self.takes_any_order(number) {
            return 0;
        }
        self.endpoints[self.queue_pairs[number.index()].endpoint as usize].endpoint.ends_ahead()
    }

    /// Returns the most messages that end with the packets which wait for the host.
    #[must_use]
    pub const fn ends_waiting(&self) -> u64 {
        self.waiting_for_host() + self.placed_ends
    }

    /// Counts a packet with another verdict than acceptance in order, and reports a gap where there can be none.
    #[cold]
    pub(super) fn note_disorder(
        &mut self,
        packet: &Packet,
        verdict: ReceiveVerdict,
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        let number = packet.bth.destination_qp;
        let endpoint = &self.endpoints[self.queue_pairs[number.index()].endpoint as usize].endpoint;
        let placed = endpoint.placed();
        let gap = match verdict {
            ReceiveVerdict::Accept | ReceiveVerdict::Duplicate | ReceiveVerdict::ReadRequested => false,
            ReceiveVerdict::Placed { .. } => placed.ahead > 0,
            ReceiveVerdict::Drop { first } => first,
            ReceiveVerdict::Resume | ReceiveVerdict::Gap { .. } => true,
        };
        if gap && self.port.is_lossless() && !self.config.may_overtake {
            context.report_violation(PORT, packet.lrh.lane, InvariantViolation::Sequence);
        }
        match verdict {
            ReceiveVerdict::Duplicate if packet.bth.opcode != Opcode::ReadRequest => {
                self.repeats_of(number).spurious += 1;
            }
            ReceiveVerdict::Placed { .. } if placed.ahead > 0 => {
                let mtu = u64::from(self.config.rule.mtu.bytes());
                let tally = self.repeats_of(number);
                tally.out_of_order += 1;
                tally.farthest = tally.farthest.max(u64::from(placed.ahead));
                tally.held_bytes = tally.held_bytes.max(u64::from(placed.held) * mtu);
            }
            ReceiveVerdict::Gap { .. } => {
                let tally = self.repeats_of(number);
                tally.out_of_order += 1;
                tally.refused += 1;
            }
            _ => {}
        }
    }

    /// Returns the counts of a queue pair, which begin with the first packet that they count.
    #[cold]
    pub(super) fn repeats_of(&mut self, number: QpNumber) -> &mut RepeatTally {
        if self.repeats.len() < self.queue_pairs.len() {
            self.repeats.resize(self.queue_pairs.len(), RepeatTally::default());
        }
        &mut self.repeats[number.index()]
    }

    /// Counts the packets that wait for the host, for each queue pair with packets out of order: they have arrived,
    /// and are not consumed.
    pub fn note_waiting(&mut self, pool: &PacketPool) {
        let Self { repeats, drain, .. } = self;
        repeats.iter_mut().for_each(|tally| tally.waiting = 0);
        for packet in drain.packets(pool) {
            let tally = repeats.get_mut(packet.bth.destination_qp.index());
            if let Some(tally) = tally.filter(|tally| tally.out_of_order > 0) {
                tally.waiting += 1;
            }
        }
    }

    /// Accepts a packet that was taken in any order, and notes in it which messages end with it.
    pub(super) fn accept_placed(
        &mut self,
        id: PacketId,
        packet: &Packet,
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        let number = packet.bth.destination_qp;
        let endpoint = self.queue_pairs[number.index()].endpoint as usize;
        let placed = self.endpoints[endpoint].endpoint.placed();
        self.placed_ends += u64::from(placed.messages);
        if packet.bth.opcode.has_immediate() {
            self.keep_last(packet, placed.end);
        }
        // Both fields have done their work, and the packet may still wait for its host.
        let waiting = &mut context.packets()[id];
        (waiting.msn, waiting.dma_length) = (placed.messages, placed.end);
        let packet = *waiting;
        self.accept(id, &packet, context);
    }

    /// Keeps the immediate data of a job's message until the message ends for its rank: packets before it may be
    /// missing.
    #[cold]
    fn keep_last(&mut self, packet: &Packet, end: u32) {
        let origin = self.queue_pairs[packet.bth.destination_qp.index()].origin;
        let (MessageSource::JobSink(sink), Some(of_jobs)) = (origin, &mut self.jobs) else {
            unreachable!("only messages of jobs have immediate data")
        };
        let lasts = &mut of_jobs.ends[sink as usize];
        let place = lasts.partition_point(|other| (other.end.wrapping_sub(end) as i32) < 0);
        lasts.insert(place, LastPacket { end, immediate: packet.dma_length, departed: packet.injected });
    }

    /// Hands the first messages of a job's flow that have not ended to their rank.
    #[cold]
    fn end_of_jobs(&mut self, sink: u32, messages: u32, now: Time) {
        for _ in 0..messages {
            let of_jobs = self.jobs.as_mut().expect("ranks of a job receive here");
            let last = of_jobs.ends[sink as usize].pop_front();
            let LastPacket { immediate, departed, .. } = last.expect("a message ends with its last packet");
            self.with_jobs(now, |jobs| jobs.on_arrived(sink, (immediate, departed), now));
        }
    }

    /// Counts the messages that end with a packet which the host has consumed.
    pub(super) fn end_placed(&mut self, packet: &Packet, finite: bool, now: Time) {
        let (messages, end) = (packet.msn, packet.dma_length);
        self.placed_ends -= u64::from(messages);
        if finite {
            self.finite.delivered += u64::from(messages);
        }
        if let Some(log) = &mut self.log {
            let number = packet.bth.destination_qp;
            log.consumed.extend((0..messages).map(|_| (number, now)));
            if packet.bth.opcode.is_write() && messages > 0 {
                log.written.push((number, end));
            }
        }
        let number = packet.bth.destination_qp;
        if messages > 0
            && let MessageSource::JobSink(sink) = self.queue_pairs[number.index()].origin
        {
            self.end_of_jobs(sink, messages, now);
        }
    }
}
