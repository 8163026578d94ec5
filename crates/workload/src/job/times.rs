//! Times of a rank's operations and messages, as its progress notes them.
//!
//! Invariant: every list has its length before the run. Noting a time changes a number and allocates nothing.
//! Operations have their numbers among the operations of all iterations: iteration i of a program with n operations has
//! the numbers from i n on.

use units::Time;

use super::graph::{Graph, OperationId, Work};
use super::rendezvous::Handshake;

/// Times of a rank's operations, and the messages that have come to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankTimes {
    /// Start of the rank; [`Time::NEVER`] before it.
    pub begun: Time,
    /// Start of each operation: a send or a receive is posted, a processor begins to compute; [`Time::NEVER`] before.
    pub started: Vec<Time>,
    /// End of each operation; [`Time::NEVER`] before.
    pub ended: Vec<Time>,
    /// Place of each send among the sends that the rank has posted; of other operations 0.
    pub order: Vec<u32>,
    /// Messages in the order of their arrival, and then places for messages to come.
    pub messages: Vec<ArrivedAt>,
    /// Number of messages that have arrived.
    pub arrived: u32,
    /// Number of messages that were posted.
    posted: u32,
    /// Handshake of each operation, if messages may ask their receiver; else none.
    pub handshakes: Vec<Handshake>,
}

/// A message at its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrivedAt {
    /// Rank that sent it.
    pub from: u32,
    /// Receive that took it; [`ArrivedAt::UNTAKEN`] before.
    pub receive: OperationId,
    /// Departure of the first byte of its last packet from the sender's adapter.
    pub departed: Time,
    /// Arrival of the whole message.
    pub at: Time,
}

state_codec::value!(ArrivedAt { from, receive, departed, at });
state_codec::value!(RankTimes { begun, started, ended, order, messages, arrived, posted, handshakes });

const _: () = assert!(size_of::<ArrivedAt>() == 24, "there is one for each message");

impl ArrivedAt {
    /// Stands for a receive: none has taken the message.
    pub const UNTAKEN: OperationId = OperationId::MAX;

    const TO_COME: Self =
        Self { from: u32::MAX, receive: Self::UNTAKEN, departed: Time::NEVER, at: Time::NEVER };
}

impl RankTimes {
    /// Makes room for the times of a program that runs this often.
    #[must_use]
    pub fn of(graph: &Graph, iterations: u32) -> Self {
        let is_receive = |id: &u32| matches!(graph.operation(*id).work, Work::Receive { .. });
        let receives = (0..graph.operations() as u32).filter(is_receive).count();
        let [count, receives] = [graph.operations(), receives].map(|one| one * iterations as usize);
        Self {
            begun: Time::NEVER,
            started: vec![Time::NEVER; count],
            ended: vec![Time::NEVER; count],
            order: vec![0; count],
            messages: vec![ArrivedAt::TO_COME; receives],
            arrived: 0,
            posted: 0,
            handshakes: Vec::new(),
        }
    }

    /// Makes room for the times of handshakes.
    pub(super) fn keep_handshakes(&mut self) {
        self.handshakes = vec![Handshake::NONE; self.started.len()];
    }

    /// Returns the handshake of an operation whose message has asked its receiver, and was answered.
    #[must_use]
    pub fn handshake(&self, id: OperationId) -> Option<Handshake> {
        self.handshakes.get(id as usize).copied().filter(|handshake| handshake.at != Time::NEVER)
    }

    /// Returns the time at which a receive was matched with its message.
    pub(super) fn matched(&self, receive: OperationId) -> Time {
        self.handshake(receive).map_or(self.ended[receive as usize], |handshake| handshake.at)
    }

    /// Notes the match of a receive with a message that asks.
    pub(super) fn accept(&mut self, receive: OperationId, now: Time) {
        self.handshakes[receive as usize].at = now;
    }

    /// Notes the arrival of a send's clear.
    pub(super) fn clear(&mut self, send: OperationId, departed: Time, now: Time) {
        self.handshakes[send as usize] = Handshake { at: now, departed };
    }

    /// Notes the departure of the last packet of a receive's payload.
    pub(super) fn receive(&mut self, receive: OperationId, departed: Time) {
        self.handshakes[receive as usize].departed = departed;
    }

    /// Returns the memory of the times of a program, in bytes.
    #[must_use]
    pub const fn memory(operations: u64, receives: u64) -> u64 {
        operations * 20 + receives * size_of::<ArrivedAt>() as u64
    }

    pub(super) fn start(&mut self, id: OperationId, now: Time) {
        self.started[id as usize] = now;
    }

    pub(super) fn post(&mut self, id: OperationId, now: Time) {
        self.start(id, now);
        self.order[id as usize] = self.posted;
        self.posted += 1;
    }

    pub(super) fn end(&mut self, id: OperationId, now: Time) {
        self.ended[id as usize] = now;
        // An operation that takes no time never started by itself.
        let started = &mut self.started[id as usize];
        *started = now.min(*started);
    }

    /// Notes a message; more than there are receives are not noted, since none will take them.
    pub(super) fn arrive(&mut self, from: u32, departed: Time, now: Time) {
        if let Some(message) = self.messages.get_mut(self.arrived as usize) {
            *message = ArrivedAt { from, receive: ArrivedAt::UNTAKEN, departed, at: now };
        }
        self.arrived += 1;
    }

    /// Notes that a receive takes the message of this place.
    pub(super) fn take(&mut self, place: u64, receive: OperationId) {
        let place = usize::try_from(place).ok();
        if let Some(message) = place.and_then(|place| self.messages.get_mut(place)) {
            message.receive = receive;
        }
    }

    /// Returns the messages that have arrived, in order.
    #[must_use]
    pub fn arrivals(&self) -> &[ArrivedAt] {
        &self.messages[..self.messages.len().min(self.arrived as usize)]
    }
}
