//! Queue pairs are opened: each gets an endpoint, and a flow that controls its sending.
//!
//! Invariant: endpoints of end-to-end contexts and flows of wider scope are found by key here, and nowhere else.

use std::collections::VecDeque;

use cc_policies::policy::{Response, StateScope, TrafficKind};
use packet::{QpNumber, TransportService};
use workload::HostTraffic;
use workload::Operation;
use workload::job::HostJobs;

use super::endpoint_slot::{DecreaseEra, EndpointSlot, NO_FLOW, SharedFlowKey};
use super::next_timer::NextTimer;
use super::queue_pair::{AdapterJobs, MessageSource, NO_RECEPTION, QueuePair, Reception, SharedTraffic};
use super::setup::{FlowEnd, MessageOrigin};
use super::{Adapter, MAX_QUEUE_PAIRS};
use crate::endpoint::any::AnyEndpoint;

/// The queue pairs that an adapter is about to open, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExpectedQueuePairs {
    /// All of them.
    pub all: usize,
    /// Queue pairs that send data or ask for it under a flow of their own.
    pub controlled: usize,
    /// Queue pairs that receive data or requests for data.
    pub receiving: usize,
}

impl ExpectedQueuePairs {
    /// Counts an end of a flow; `posts` is true at the end that posts the messages.
    pub const fn count(&mut self, operation: Operation, posts: bool) {
        let reads = matches!(operation, Operation::RdmaRead);
        self.all += 1;
        self.controlled += (posts || reads) as usize;
        self.receiving += (!posts || reads) as usize;
    }
}

impl Adapter {
    /// Makes room for exactly the expected queue pairs, so that opening them moves none and leaves no room unused.
    /// More can be opened all the same.
    pub fn expect(&mut self, expected: ExpectedQueuePairs) {
        let ExpectedQueuePairs { all, controlled, receiving } = expected;
        self.queue_pairs.reserve_exact(all);
        self.endpoints.reserve_exact(all);
        self.receptions.reserve_exact(receiving);
        self.shared.decreases.reserve_exact(controlled);
        self.schedule.expect(all, controlled);
    }

    /// Returns the number that the next queue pair will have.
    #[must_use]
    pub fn next_qp(&self) -> QpNumber {
        QpNumber(self.queue_pairs.len() as u32)
    }

    /// Opens a queue pair, which is an end of a flow.
    ///
    /// # Panics
    /// If there are [`MAX_QUEUE_PAIRS`] already.
    pub fn open(&mut self, end: FlowEnd, origin: MessageOrigin) -> QpNumber {
        let number = self.next_qp();
        assert!(number.0 < MAX_QUEUE_PAIRS, "an adapter has at most {MAX_QUEUE_PAIRS} queue pairs");
        let endpoint = self.endpoint_for(number, &end, !matches!(origin, MessageOrigin::Peer));
        let origin = match origin {
            MessageOrigin::Peer => MessageSource::Peer,
            MessageOrigin::Generator(generator) => {
                self.generators.push(generator);
                MessageSource::Generator(self.generators.len() as u32 - 1)
            }
            MessageOrigin::HostTraffic => MessageSource::HostTraffic(self.shared_traffic.len() as u32),
            MessageOrigin::Job => MessageSource::JobLink(u32::MAX),
        };
        let receives = end.operation == Operation::RdmaRead || matches!(origin, MessageSource::Peer);
        let reception = if receives { self.receptions.len() as u32 } else { NO_RECEPTION };
        self.receptions.extend(receives.then(Reception::default));
        self.queue_pairs.push(QueuePair { end, endpoint, origin, reception, becns: 0, messages: 0 });
        number
    }

    /// Adds host traffic that posts to these queue pairs, in the order of its flows.
    pub fn add_host_traffic(&mut self, traffic: HostTraffic, queue_pairs: Box<[QpNumber]>) {
        for number in &queue_pairs {
            self.queue_pairs[number.index()].origin =
                MessageSource::HostTraffic(self.shared_traffic.len() as u32);
        }
        self.shared_traffic.push(SharedTraffic { traffic, queue_pairs });
    }

    /// Adds the ranks of jobs that run here. Their flows leave by the `leaving` queue pairs, and come in by the
    /// `coming`, each in the order of the jobs' own lists.
    pub fn add_jobs(&mut self, jobs: HostJobs, leaving: Box<[QpNumber]>, coming: &[QpNumber]) {
        for (link, number) in (0..).zip(&leaving) {
            self.queue_pairs[number.index()].origin = MessageSource::JobLink(link);
        }
        for (sink, number) in (0..).zip(coming) {
            self.queue_pairs[number.index()].origin = MessageSource::JobSink(sink);
        }
        let lists = if self.delivers_in_any_order() { coming.len() } else { 0 };
        let (timer, ends) = (NextTimer::default(), vec![VecDeque::new(); lists]);
        self.jobs = Some(Box::new(AdapterJobs { jobs, queue_pairs: leaving, timer, ends }));
    }

    /// Returns the number of the endpoint for a queue pair that is being opened.
    fn endpoint_for(&mut self, number: QpNumber, end: &FlowEnd, posts: bool) -> u32 {
        let context = (end.peer, end.service_level, posts);
        let known = self.shared.contexts.get(&context).filter(|_| end.transport == TransportService::Rd);
        let endpoint = known.copied().unwrap_or_else(|| self.new_endpoint(end.transport, posts));
        if end.transport == TransportService::Rd {
            self.shared.contexts.insert(context, endpoint);
        }
        self.endpoints[endpoint as usize].endpoint.join(number);
        let answers_reads = !posts && end.operation == Operation::RdmaRead;
        if (posts || answers_reads) && self.endpoints[endpoint as usize].flow == NO_FLOW {
            self.control(
                endpoint,
                end,
                if posts { TrafficKind::Requests } else { TrafficKind::ReadResponses },
            );
        }
        endpoint
    }

    fn new_endpoint(&mut self, service: TransportService, posts: bool) -> u32 {
        self.schedule.add_endpoint();
        self.timers.reserve(1);
        self.endpoints.push(EndpointSlot {
            endpoint: AnyEndpoint::new(service, posts, 0, &self.config.rule.repeats),
            service,
            unacknowledged: false,
            timer_set: false,
            held_by_window: false,
            flow: NO_FLOW,
            open_ack: None,
        });
        self.endpoints.len() as u32 - 1
    }

    /// Puts the sending of an endpoint under the control of its own flow or of a shared flow.
    fn control(&mut self, endpoint: u32, end: &FlowEnd, sends: TrafficKind) {
        let level = end.service_level;
        let key = match self.config.response.scope(end.transport, sends) {
            StateScope::QueuePair => None,
            StateScope::EeContext => Some(SharedFlowKey::Context(end.peer, level)),
            StateScope::DestinationLevel => Some(SharedFlowKey::Destination(end.peer, level)),
            StateScope::ServiceLevel => Some(SharedFlowKey::ServiceLevel(level)),
        };
        let flow = key.and_then(|key| self.shared.flows.get(&key).copied()).unwrap_or_else(|| {
            let lane = self.config.sl_to_vl[usize::from(level.0)];
            self.shared.decreases.push(0);
            self.schedule.add_flow(self.config.response.at_rest(level), lane)
        });
        if let Some(key) = key {
            self.shared.flows.insert(key, flow);
        }
        if let Some(entropies) = &mut self.entropies {
            entropies.open(endpoint);
        }
        let slot = &mut self.endpoints[endpoint as usize];
        slot.flow = flow;
        slot.unacknowledged = !sends.is_acknowledged(end.transport);
        // Only an endpoint without acknowledgements dates its packets by eras. A window needs acknowledgements.
        if slot.unacknowledged {
            let eras = &mut self.shared.eras;
            eras.resize(eras.len().max(endpoint as usize + 1), DecreaseEra::default());
        } else {
            slot.endpoint.set_window(self.config.response.window(self.schedule.state(flow)));
        }
    }
}
