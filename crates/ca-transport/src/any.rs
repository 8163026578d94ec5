//! The closed set of halves: one enum, at the edge of the transports.
//!
//! Invariant: which half it is follows from the service, and from whether it is the one that posts.

use packet::{Packet, Psn, QpNumber};
use units::Time;

use crate::message::{MessageKey, Messages};
use crate::rd::Context;
use crate::requester::Requester;
use crate::responder::Responder;
use crate::transport::{Completed, Outgoing, Overdue, Readiness, Replied, Rule, Transport, Verdict};
use crate::uc::UcSink;
use crate::ud::UdSink;
use crate::unreliable::Source;

/// Any half of a queue pair, or of an end-to-end context.
#[derive(Clone, Debug)]
#[repr(u8)] // Which it is stands first, next to what of it is always used.
pub enum AnyTransport {
    /// RC: asks.
    Requester(Requester),
    /// RC and RD: is asked.
    Responder(Responder),
    /// RD: asks.
    Context(Box<Context>),
    /// UC and UD: sends.
    Source(Source),
    /// UC: receives.
    UcSink(UcSink),
    /// UD: receives.
    UdSink(UdSink),
}

/// Hands a call to the half that is there.
macro_rules! dispatch {
    ($any:expr, $half:ident => $call:expr) => {
        match $any {
            Self::Requester($half) => $call,
            Self::Responder($half) => $call,
            Self::Context($half) => $call,
            Self::Source($half) => $call,
            Self::UcSink($half) => $call,
            Self::UdSink($half) => $call,
        }
    };
}

impl AnyTransport {
    /// The half of this service that posts, or the other one; its first packet has this number (IBA: the starting PSN,
    /// agreed upon when two ends connect).
    #[must_use]
    pub fn new(transport: packet::TransportService, posts: bool, first: u64) -> Self {
        match (transport, posts) {
            (packet::TransportService::Rc, true) => Self::Requester(Requester::starting_at(first)),
            (packet::TransportService::Rd, true) => Self::Context(Box::new(Context::starting_at(first))),
            (packet::TransportService::Rc | packet::TransportService::Rd, false) => {
                Self::Responder(Responder::starting_at(first))
            }
            (packet::TransportService::Uc | packet::TransportService::Ud, true) => {
                Self::Source(Source::starting_at(first))
            }
            (packet::TransportService::Uc, false) => Self::UcSink(UcSink::starting_at(first)),
            (packet::TransportService::Ud, false) => Self::UdSink(UdSink),
        }
    }

    /// A queue pair is opened that has this half.
    pub fn join(&mut self, queue_pair: QpNumber) {
        if let Self::Context(context) = self {
            context.join(queue_pair);
        }
    }

    /// Sets how many packets congestion control lets be unacknowledged, at least 1; `u32::MAX` for any number. It is
    /// for halves whose packets are acknowledged.
    pub fn set_window(&mut self, packets: u32) {
        match self {
            Self::Requester(requester) => requester.set_window(packets),
            Self::Context(context) => context.requester().set_window(packets),
            Self::Responder(_) | Self::Source(_) | Self::UcSink(_) | Self::UdSink(_) => {}
        }
    }

    /// The responder that it is.
    ///
    /// # Panics
    /// If it is another half: only a responder acknowledges.
    #[must_use]
    pub fn responder(&self) -> &Responder {
        match self {
            Self::Responder(responder) => responder,
            other => unreachable!("{other:?} acknowledges nothing"),
        }
    }
}

impl Transport for AnyTransport {
    fn post(&mut self, key: MessageKey, messages: &mut Messages) {
        dispatch!(self, half => half.post(key, messages));
    }

    fn readiness(&self, rule: &Rule) -> Readiness {
        dispatch!(self, half => half.readiness(rule))
    }

    fn next(&self, messages: &Messages, rule: &Rule) -> Option<Outgoing> {
        dispatch!(self, half => half.next(messages, rule))
    }

    fn next_message(&self) -> Option<MessageKey> {
        dispatch!(self, half => half.next_message())
    }

    fn sent(&mut self, messages: &mut Messages, now: Time) -> Completed {
        dispatch!(self, half => half.sent(messages, now))
    }

    fn on_data(&mut self, packet: &Packet, rule: &Rule) -> Verdict {
        dispatch!(self, half => half.on_data(packet, rule))
    }

    fn on_reply(&mut self, packet: &Packet, messages: &mut Messages, now: Time) -> Replied {
        dispatch!(self, half => half.on_reply(packet, messages, now))
    }

    fn deadline(&self, rule: &Rule) -> Time {
        dispatch!(self, half => half.deadline(rule))
    }

    fn on_deadline(&mut self, rule: &Rule, messages: &Messages, now: Time) -> Overdue {
        dispatch!(self, half => half.on_deadline(rule, messages, now))
    }

    fn number_of(&self, psn: Psn) -> (u64, u64) {
        dispatch!(self, half => half.number_of(psn))
    }

    fn at_rest(&self) -> bool {
        dispatch!(self, half => half.at_rest())
    }
}
