//! What was observed at an adapter.
//!
//! Invariant: looking changes nothing.

use cc_policies::{FlowRate, Response};
use event_kernel::Digest;
use link_layer::Port;
use packet::{Lane, QpNumber};
use telemetry::{LaneInput, LaneOutput, TransportTally};
use units::{Bytes, Time};

use super::{Adapter, Answers, KeptMessages};
use crate::receive::SinkTally;
use crate::transport::Transport;

impl Adapter {
    /// The port, with its flow control.
    #[must_use]
    pub const fn port(&self) -> &Port {
        &self.port
    }

    /// What was observed on a lane: what came in, what left.
    #[must_use]
    pub fn observed(&self, lane: Lane) -> (&LaneInput, &LaneOutput) {
        (&self.inputs[lane], &self.outputs[lane])
    }

    /// What was observed on every lane, in order.
    pub fn all_observed(&self) -> impl Iterator<Item = (&LaneInput, &LaneOutput)> {
        self.inputs.iter().zip(self.outputs.iter())
    }

    /// What the host behind a queue pair has taken: nothing where data leaves.
    #[must_use]
    pub fn sink(&self, number: QpNumber) -> SinkTally {
        self.sinks.get(self.queue_pairs[number.index()].sink as usize).copied().unwrap_or_default()
    }

    /// What a queue pair has seen: its messages that are complete, and BECNs.
    #[must_use]
    pub fn seen(&self, number: QpNumber) -> (u64, u64) {
        let queue_pair = &self.queue_pairs[number.index()];
        (queue_pair.messages, queue_pair.becns)
    }

    /// Returns the rate of a queue pair under its response, if the response computes one.
    #[must_use]
    pub fn flow_rate(&self, number: QpNumber, now: Time) -> Option<FlowRate> {
        let half = &self.halves[self.queue_pairs[number.index()].half as usize];
        self.kind.response.flow_rate(self.schedule.look_at(half.flow)?, now)
    }

    /// When messages were posted and taken, if that is kept.
    #[must_use]
    pub fn kept_messages(&self) -> Option<&KeptMessages> {
        self.kept.as_deref()
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

    /// Payload that the host has taken, of all flows.
    #[must_use]
    pub const fn taken_by_host(&self) -> Bytes {
        self.taken
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
            && self.answers.iter().all(Answers::is_empty)
            && self.halves.iter().all(|half| half.transport.at_rest())
    }
}
