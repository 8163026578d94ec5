//! Statistics of an adapter.
//!
//! Invariant: reading them changes nothing.

use cc_policies::{ControlState, Response};
use event_kernel::Digest;
use link_layer::Port;
use packet::{FlowId, Lane, Packet, PacketPool, QpNumber};
use telemetry::{LaneInput, LaneOutput, Marks, RepeatTally, TransportTally};
use units::{Bytes, Time};
use workload::Operation;
use workload::job::{JobMotion, RankReport};

use super::{Adapter, FiniteMessages, MessageLog, PendingReplies};
use crate::endpoint::Endpoint;
use crate::host_drain::SinkTally;
use crate::message::Message;

impl Adapter {
    /// Returns the port, with its flow control.
    #[must_use]
    pub const fn port(&self) -> &Port {
        &self.port
    }

    /// Returns the statistics of a lane: of arrivals and of departures.
    #[must_use]
    pub fn observed(&self, lane: Lane) -> (&LaneInput, &LaneOutput) {
        (&self.inputs[lane], &self.outputs[lane])
    }

    /// Returns the statistics of every lane, in order.
    pub fn all_observed(&self) -> impl Iterator<Item = (&LaneInput, &LaneOutput)> {
        self.inputs.iter().zip(self.outputs.iter())
    }

    /// Returns the data that the host behind a queue pair has consumed: none at the end that data leaves.
    #[must_use]
    pub fn sink(&self, number: QpNumber) -> SinkTally {
        let reception = self.queue_pairs[number.index()].reception;
        self.receptions.get(reception as usize).map(|reception| reception.tally).unwrap_or_default()
    }

    /// Returns the marked packets that the host behind a queue pair has consumed, by the first reason for the mark.
    /// Returns `None` if no packet was marked.
    #[must_use]
    pub fn marks(&self, number: QpNumber) -> Option<Marks> {
        let reception = self.queue_pairs[number.index()].reception;
        self.receptions.get(reception as usize)?.marks(&self.marks)
    }

    /// Returns the completed messages of a queue pair, and the BECNs it has received.
    #[must_use]
    pub fn seen(&self, number: QpNumber) -> (u64, u64) {
        let queue_pair = &self.queue_pairs[number.index()];
        (queue_pair.messages, queue_pair.becns)
    }

    /// Returns true if packets of a flow may overtake each other in the fabric: one can be missing without a loss.
    #[must_use]
    pub fn packets_may_overtake(&self) -> bool {
        self.config.may_overtake
    }

    /// Returns the counts of a queue pair's packets out of order and again, at this end.
    #[must_use]
    pub fn repeats(&self, number: QpNumber) -> RepeatTally {
        self.repeats.get(number.index()).copied().unwrap_or_default()
    }

    /// Returns the state of the response that controls a queue pair's packets; other queue pairs may share it. `None`
    /// if the adapter does not send for it.
    #[must_use]
    pub fn control_state(&self, number: QpNumber, now: Time) -> Option<ControlState> {
        let endpoint = &self.endpoints[self.queue_pairs[number.index()].endpoint as usize];
        Some(self.config.response.control_state(self.schedule.peek_state(endpoint.flow)?, now))
    }

    /// Shows every packet that waits here for its turn on a lane to `see`. These are notifications, acknowledgements,
    /// and the next packet of each endpoint that neither its window nor an inter-packet gap holds back.
    pub fn visit_waiting(&self, lane: Lane, (pool, now): (&PacketPool, Time), see: &mut dyn FnMut(&Packet)) {
        let replies = &self.replies[lane];
        replies.notifications.packets(pool).chain(replies.acknowledgements.packets(pool)).for_each(&mut *see);
        for number in self.schedule.all_ready(lane, now) {
            let slot = &self.endpoints[number as usize];
            if let Some(out) = slot.endpoint.next(&self.messages, &self.config.rule) {
                let length = self.config.framing.bytes(slot.service, out.segment.opcode, out.segment.payload);
                see(&self.new_packet(&out, Bytes::new(u64::from(length))));
            }
        }
    }

    /// Returns a packet without payload that goes the way of the data which a queue pair sends.
    #[must_use]
    pub fn probe(&self, number: QpNumber) -> Packet {
        self.queue_pairs[number.index()].end.probe((self.lid, number), &self.config.sl_to_vl)
    }

    /// Returns the length on the wire of the shortest packet that a time-out could make this adapter send; `None` if
    /// it has nothing to send. Zero if it takes part in RDMA READs: their requests are shorter than any data.
    #[must_use]
    pub fn shortest_packet(&self) -> Option<Bytes> {
        if self.queue_pairs.iter().any(|queue_pair| queue_pair.end.operation == Operation::RdmaRead) {
            return Some(Bytes::ZERO);
        }
        // A message's last packet has the least payload, and no header that the others lack.
        let last = |message: &Message| {
            let endpoint = self.queue_pairs[message.queue_pair.index()].endpoint;
            let service = self.endpoints[endpoint as usize].service;
            let part = message.segment(message.end - 1, self.config.rule.mtu);
            self.config.framing.bytes(service, part.opcode, part.payload)
        };
        self.messages.values().map(last).min().map(|length| Bytes::new(u64::from(length)))
    }

    /// Returns the flow of each message that is posted here and not complete. A flow appears once for each such
    /// message.
    pub fn open_flows(&self) -> impl Iterator<Item = FlowId> {
        self.messages.values().map(|message| self.queue_pairs[message.queue_pair.index()].end.flow)
    }

    /// Returns true once no further message is posted.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.silent
    }

    /// Returns the times of messages, if they are recorded.
    #[must_use]
    pub fn message_log(&self) -> Option<&MessageLog> {
        self.log.as_deref()
    }

    /// Returns the messages of finite flows that this adapter has posted, delivered, and is to post.
    #[must_use]
    pub fn finite_messages(&self, now: Time) -> FiniteMessages {
        let drawn: u64 = self.shared_traffic.iter().map(|shared| shared.traffic.to_come(now)).sum();
        let of_jobs = self.jobs.as_ref().map_or(0, |of_jobs| of_jobs.jobs.to_come());
        FiniteMessages { to_come: drawn + of_jobs, ranks: self.job_motion().ranks, ..self.finite }
    }

    /// Returns what moves in the jobs here.
    #[must_use]
    pub fn job_motion(&self) -> JobMotion {
        self.jobs.as_ref().map_or(JobMotion::default(), |of_jobs| of_jobs.jobs.motion())
    }

    /// Returns true if a rank here goes on without the network: it is to start, or computes, or the host has packets
    /// that it has not consumed.
    #[must_use]
    pub fn jobs_go_on(&self) -> bool {
        self.jobs
            .as_ref()
            .is_some_and(|of_jobs| of_jobs.jobs.deadline() < Time::NEVER || self.drain.waiting() > 0)
    }

    /// Returns the state of each rank that runs here.
    pub fn job_ranks(&self) -> impl Iterator<Item = RankReport> {
        self.jobs.iter().flat_map(|of_jobs| of_jobs.jobs.reports())
    }

    /// Returns true if a message of a finite flow is open here at an endpoint that has not given up.
    #[must_use]
    pub fn works_on_finite(&self) -> bool {
        self.messages.values().any(|message| {
            let queue_pair = &self.queue_pairs[message.queue_pair.index()];
            queue_pair.end.finite && !self.endpoints[queue_pair.endpoint as usize].endpoint.failed()
        })
    }

    /// Returns the flows of the queue pairs with an endpoint that has given up, and the time at which it did.
    pub fn failures(&self) -> impl Iterator<Item = (FlowId, Time)> {
        self.failures.iter().flat_map(|(at, number)| {
            let own = self.queue_pairs.iter().filter(|queue_pair| queue_pair.endpoint == *number);
            own.map(|queue_pair| (queue_pair.end.flow, *at))
        })
    }

    /// Returns true if the host takes its time to consume payload.
    #[must_use]
    pub const fn is_slow(&self) -> bool {
        !self.drain.is_unlimited()
    }

    /// Returns the counts over all queue pairs.
    #[must_use]
    pub const fn tally(&self) -> &TransportTally {
        &self.tally
    }

    /// Returns the number of packets made here, and of packets received here.
    #[must_use]
    pub const fn turnover(&self) -> (u64, u64) {
        (self.injected, self.received)
    }

    /// Returns the payload that the host has consumed, of all flows.
    #[must_use]
    pub const fn taken_by_host(&self) -> Bytes {
        self.consumed
    }

    /// Returns the number of packets that wait for the host.
    #[must_use]
    pub const fn waiting_for_host(&self) -> u64 {
        self.drain.waiting()
    }

    /// Returns the digest of all arrivals.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns true if nothing is left to send, to acknowledge or to consume, and the port is at rest.
    #[must_use]
    pub fn at_rest(&self, now: Time) -> bool {
        self.port.at_rest(now)
            && self.drain.waiting() == 0
            && self.replies.iter().all(PendingReplies::is_empty)
            && self.endpoints.iter().all(|endpoint| endpoint.endpoint.at_rest())
    }
}
