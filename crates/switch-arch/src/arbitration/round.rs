//! Arbitration in a switch: the arbiter, and the requests of an instant as it sees them.
//!
//! Invariant: no grant lets an input be read faster than its buffer allows.

use packet::{Lane, PacketPool, PortId, VoqId};
use units::Time;

use super::any::AnyArbiter;
use super::arbiter::{Arbiter, Grant, Request, Requests};
use super::read_bandwidth::ReadBandwidth;
use crate::buffering::Buffering;
use crate::ports::Ports;

/// The arbiter of a switch, and the requests and grants of the present instant.
#[derive(Debug)]
pub(crate) struct Arbitration<const WORDS: usize> {
    pub(crate) bandwidth: ReadBandwidth<WORDS>,
    arbiter: AnyArbiter,
    pub(crate) requests: Vec<Request<WORDS>>,
    pub(crate) grants: Vec<Grant>,
}

state_codec::state!([const WORDS: usize] Arbitration<WORDS> { bandwidth: part, arbiter: part, requests, grants });

impl<const WORDS: usize> Arbitration<WORDS> {
    /// Creates the arbitration of a switch of this many ports in which nothing is read.
    pub(crate) fn new(arbiter: AnyArbiter, bandwidth: ReadBandwidth<WORDS>, ports: usize) -> Self {
        Self { bandwidth, arbiter, requests: Vec::with_capacity(ports), grants: Vec::with_capacity(ports) }
    }

    /// Prefetches the turn of an output and lane.
    #[inline]
    pub(crate) fn prefetch(&self, output: PortId, lane: Lane) {
        if let AnyArbiter::RoundRobin(arbiter) = &self.arbiter {
            arbiter.prefetch(output, lane);
        }
    }

    /// Grants a request that has no rivals, if the arbiter is a round robin or has nothing to decide. Such a request
    /// asks for inputs that can be read, so it is never refused.
    #[inline(always)]
    pub(crate) fn grant_alone(&mut self, request: Request<WORDS>, ports: &Ports) -> Option<Grant> {
        let Request { output, lane, contenders } = request;
        if !self.bandwidth.is_limited() {
            return Some(grant_free(request));
        }
        let AnyArbiter::RoundRobin(arbiter) = &mut self.arbiter else { return None };
        let input = arbiter.turn(output, lane, contenders)?;
        self.bandwidth.start(input, output, ports.rate(output));
        Some(Grant { input, output, lane })
    }

    /// Lets the arbiter choose among `requests` and fills `grants`. Returns true if every request was granted.
    pub(crate) fn run(&mut self, ports: &Ports, buffering: &impl Buffering, packets: &PacketPool) -> bool {
        self.grants.clear();
        if self.requests.is_empty() {
            return true;
        }
        let reads_at_inputs = self.bandwidth.is_limited();
        let mut round = ArbitrationRound {
            requests: &self.requests,
            ports,
            buffering,
            packets,
            bandwidth: &mut self.bandwidth,
            grants: &mut self.grants,
        };
        if reads_at_inputs {
            self.arbiter.matching(&mut round);
        } else {
            round.grant_all();
        }
        self.grants.len() == self.requests.len()
    }
}

/// The requests of an instant, and the read bandwidth that the grants so far have left.
struct ArbitrationRound<'a, B, const WORDS: usize> {
    requests: &'a [Request<WORDS>],
    ports: &'a Ports,
    buffering: &'a B,
    packets: &'a PacketPool,
    bandwidth: &'a mut ReadBandwidth<WORDS>,
    grants: &'a mut Vec<Grant>,
}

impl<B: Buffering, const WORDS: usize> ArbitrationRound<'_, B, WORDS> {
    /// Grants every request to its contender: outputs that do not read at inputs do not compete.
    #[inline(never)] // A switch with an arbiter does not carry this code in its loop.
    fn grant_all(&mut self) {
        for index in 0..self.requests.len() {
            self.grants.push(grant_free(self.requests[index]));
        }
    }
}

/// Grants a request of an output that does not read at inputs: all its packets wait in the same queue.
#[inline]
fn grant_free<const WORDS: usize>(request: Request<WORDS>) -> Grant {
    let Request { output, lane, mut contenders } = request;
    Grant { input: contenders.pop().expect("a request has a contender"), output, lane }
}

impl<B: Buffering, const WORDS: usize> Requests<WORDS> for ArbitrationRound<'_, B, WORDS> {
    fn count(&self) -> usize {
        self.requests.len()
    }

    fn request(&self, index: usize) -> Request<WORDS> {
        let request = self.requests[index];
        if self.grants.is_empty() {
            return request; // No read has started since the request was made.
        }
        let rate = || self.ports.rate(request.output);
        let contenders = self.bandwidth.available(request.contenders, request.output, rate);
        Request { contenders, ..request }
    }

    fn since(&self, index: usize, input: PortId) -> Time {
        let Request { output, lane, .. } = self.requests[index];
        self.packets[self.buffering.head(VoqId { input, output, lane })].tail
    }

    fn grant(&mut self, index: usize, input: PortId) {
        let Request { output, lane, .. } = self.requests[index];
        self.bandwidth.start(input, output, self.ports.rate(output));
        self.grants.push(Grant { input, output, lane });
    }
}
