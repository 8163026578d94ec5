//! The closed set of endpoints.
//!
//! Invariant: an endpoint's kind follows from the transport service and from whether the endpoint posts messages.

use packet::{Packet, Psn, QpNumber};
use units::Time;

use super::any_order_responder::AnyOrderResponder;
use super::ee_context::EeContext;
use super::progress::Progress;
use super::requester::Requester;
use super::responder::Responder;
use super::selective_requester::SelectiveRequester;
use super::sender::Sender;
use super::uc_receiver::UcReceiver;
use super::ud_receiver::UdReceiver;
use super::{
    CompletedMessages, Endpoint, EndpointRule, OutgoingPacket, Placement, Readiness, ReceiveVerdict,
    RepeatRule, ReplyOutcome, TimeoutOutcome,
};
use crate::message::{MessageKey, Messages};

/// Any endpoint of a queue pair, or of an end-to-end context.
#[derive(Clone, Debug)]
pub enum AnyEndpoint {
    /// RC: posts requests.
    Requester(Requester),
    /// RC and RD: answers requests.
    Responder(Responder),
    /// RD: posts requests of several queue pairs.
    EeContext(Box<EeContext>),
    /// UC and UD: sends.
    Sender(Sender),
    /// UC: receives.
    UcReceiver(UcReceiver),
    /// UD: receives.
    UdReceiver(UdReceiver),
    /// RC: posts requests, and repeats missing ones alone.
    SelectiveRequester(Box<SelectiveRequester>),
    /// RC: answers requests that come in any order.
    AnyOrderResponder(Box<AnyOrderResponder>),
}

state_codec::state!(enum AnyEndpoint {
    0 = Requester(requester),
    1 = Responder(responder),
    2 = EeContext(context: part),
    3 = Sender(sender),
    4 = UcReceiver(receiver),
    5 = UdReceiver(receiver),
    6 = SelectiveRequester(requester: part),
    7 = AnyOrderResponder(responder),
});

// The kind takes no room of its own: it is told by values that a requester's first flag never has.
const _: () = assert!(size_of::<AnyEndpoint>() == 72, "as large as a requester: there may be a million");

/// Calls the endpoint of the present kind.
macro_rules! dispatch {
    ($any:expr, $endpoint:ident => $call:expr) => {
        match $any {
            Self::Requester($endpoint) => $call,
            Self::Responder($endpoint) => $call,
            Self::EeContext($endpoint) => $call,
            Self::Sender($endpoint) => $call,
            Self::UcReceiver($endpoint) => $call,
            Self::UdReceiver($endpoint) => $call,
            Self::SelectiveRequester($endpoint) => $call,
            Self::AnyOrderResponder($endpoint) => $call,
        }
    };
}

impl AnyEndpoint {
    /// The endpoint of this service that posts messages, or its peer. Its first packet has the number `first` (IBA:
    /// the starting PSN, agreed upon when two ends connect).
    #[must_use]
    pub fn new(transport: packet::TransportService, posts: bool, first: u64, rule: &RepeatRule) -> Self {
        if let (packet::TransportService::Rc, Some(rule)) = (transport, rule.any_order) {
            return if posts {
                Self::SelectiveRequester(Box::new(SelectiveRequester::starting_at(first, rule)))
            } else {
                Self::AnyOrderResponder(Box::new(AnyOrderResponder::starting_at(first, rule.window)))
            };
        }
        match (transport, posts) {
            (packet::TransportService::Rc, true) => Self::Requester(Requester::starting_at(first)),
            (packet::TransportService::Rd, true) => Self::EeContext(Box::new(EeContext::starting_at(first))),
            (packet::TransportService::Rc | packet::TransportService::Rd, false) => {
                Self::Responder(Responder::starting_at(first))
            }
            (packet::TransportService::Uc | packet::TransportService::Ud, true) => {
                Self::Sender(Sender::starting_at(first))
            }
            (packet::TransportService::Uc, false) => Self::UcReceiver(UcReceiver::starting_at(first)),
            (packet::TransportService::Ud, false) => Self::UdReceiver(UdReceiver),
        }
    }

    /// Adds a queue pair that uses this endpoint.
    pub fn join(&mut self, queue_pair: QpNumber) {
        if let Self::EeContext(context) = self {
            context.join(queue_pair);
        }
    }

    /// Sets the congestion window in packets, at least 1; `u32::MAX` for no limit. An endpoint without
    /// acknowledgements has no window.
    pub fn set_window(&mut self, packets: u32) {
        match self {
            Self::Requester(requester) => requester.set_window(packets),
            Self::EeContext(context) => context.requester().set_window(packets),
            Self::SelectiveRequester(requester) => requester.set_window(packets),
            Self::Responder(_)
            | Self::Sender(_)
            | Self::UcReceiver(_)
            | Self::UdReceiver(_)
            | Self::AnyOrderResponder(_) => {}
        }
    }

    /// Returns true if the endpoint has given up after its last retry.
    #[must_use]
    pub fn failed(&self) -> bool {
        match self {
            Self::Requester(requester) => requester.failed(),
            Self::EeContext(context) => context.failed(),
            Self::SelectiveRequester(requester) => requester.failed(),
            Self::Responder(_)
            | Self::Sender(_)
            | Self::UcReceiver(_)
            | Self::UdReceiver(_)
            | Self::AnyOrderResponder(_) => false,
        }
    }

    /// Returns the place of the packet that was accepted last in any order; of none before the first.
    #[must_use]
    pub fn placed(&self) -> Placement {
        match self {
            Self::SelectiveRequester(requester) => requester.placed(),
            Self::AnyOrderResponder(responder) => responder.placed(),
            Self::Requester(_)
            | Self::Responder(_)
            | Self::EeContext(_)
            | Self::Sender(_)
            | Self::UcReceiver(_)
            | Self::UdReceiver(_) => Placement::default(),
        }
    }

    /// Returns the most messages that end with a packet which arrives in any order, if the packet ends none itself.
    #[must_use]
    pub fn ends_ahead(&self) -> u32 {
        match self {
            Self::SelectiveRequester(requester) => requester.reads(),
            Self::AnyOrderResponder(responder) => responder.ends_ahead(),
            Self::Requester(_)
            | Self::Responder(_)
            | Self::EeContext(_)
            | Self::Sender(_)
            | Self::UcReceiver(_)
            | Self::UdReceiver(_) => 0,
        }
    }

    /// Returns the progress of a responder.
    ///
    /// # Panics
    /// If the endpoint is of another kind: only a responder acknowledges.
    #[must_use]
    pub fn progress(&self) -> Progress {
        match self {
            Self::Responder(responder) => responder.progress(),
            Self::AnyOrderResponder(responder) => responder.progress(),
            other => unreachable!("only a responder acknowledges, not {other:?}"),
        }
    }
}

impl Endpoint for AnyEndpoint {
    fn post(&mut self, key: MessageKey, messages: &mut Messages) {
        dispatch!(self, endpoint => endpoint.post(key, messages));
    }

    fn readiness(&self, rule: &EndpointRule) -> Readiness {
        dispatch!(self, endpoint => endpoint.readiness(rule))
    }

    fn next(&self, messages: &Messages, rule: &EndpointRule) -> Option<OutgoingPacket> {
        dispatch!(self, endpoint => endpoint.next(messages, rule))
    }

    fn next_message(&self) -> Option<MessageKey> {
        dispatch!(self, endpoint => endpoint.next_message())
    }

    fn sent(&mut self, messages: &mut Messages, now: Time) -> CompletedMessages {
        dispatch!(self, endpoint => endpoint.sent(messages, now))
    }

    fn on_data(&mut self, packet: &Packet, rule: &EndpointRule) -> ReceiveVerdict {
        dispatch!(self, endpoint => endpoint.on_data(packet, rule))
    }

    fn on_reply(&mut self, packet: &Packet, messages: &mut Messages, now: Time) -> ReplyOutcome {
        dispatch!(self, endpoint => endpoint.on_reply(packet, messages, now))
    }

    fn deadline(&self, rule: &EndpointRule) -> Time {
        dispatch!(self, endpoint => endpoint.deadline(rule))
    }

    fn on_deadline(&mut self, rule: &EndpointRule, messages: &Messages, now: Time) -> TimeoutOutcome {
        dispatch!(self, endpoint => endpoint.on_deadline(rule, messages, now))
    }

    fn number_of(&self, psn: Psn) -> (u64, u64) {
        dispatch!(self, endpoint => endpoint.number_of(psn))
    }

    fn has_more(&self, rule: &EndpointRule) -> bool {
        dispatch!(self, endpoint => endpoint.has_more(rule))
    }

    fn at_rest(&self) -> bool {
        dispatch!(self, endpoint => endpoint.at_rest())
    }
}
