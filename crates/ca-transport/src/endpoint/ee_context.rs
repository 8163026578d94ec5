//! The end-to-end (EE) context of reliable datagrams, shared by the queue pairs of two adapters (IBA volume 1, 9.7.8,
//! cited from memory).
//!
//! Invariant: a single message is in progress at a time. The queue pair next in turn starts its message when all
//! packets of the present message are acknowledged or received. Packet numbers, retries and the window belong to the
//! context; queue pairs have messages only.

use std::collections::VecDeque;

use packet::{Packet, Psn, QpNumber};
use units::Time;

use super::requester::Requester;
use super::{
    CompletedMessages, Endpoint, EndpointRule, OutgoingPacket, Readiness, ReplyOutcome, TimeoutOutcome,
};
use crate::message::list::MessageList;
use crate::message::{MessageKey, Messages};

/// The requester of an end-to-end context.
#[derive(Clone, Debug, Default)]
pub struct EeContext {
    requester: Requester,
    /// In ascending order of queue pairs.
    members: Vec<ContextMember>,
    /// Members that have messages, in the order of their turns.
    turns: VecDeque<u32>,
}

state_codec::state!(EeContext { requester, members: part, turns });

/// A queue pair of the context, with its messages that have not started.
#[derive(Clone, Copy, Debug)]
struct ContextMember {
    queue_pair: QpNumber,
    list: MessageList,
}

state_codec::state!(ContextMember { queue_pair: plan, list });

impl EeContext {
    /// A context that gives its first packet this number.
    #[must_use]
    pub fn starting_at(first: u64) -> Self {
        Self { requester: Requester::starting_at(first), ..Self::default() }
    }

    /// Adds a queue pair. Its number is higher than the numbers of all members before it.
    pub fn join(&mut self, queue_pair: QpNumber) {
        self.members.push(ContextMember { queue_pair, list: MessageList::default() });
        self.turns.reserve(self.members.len());
    }

    /// Returns the requester that numbers and repeats packets.
    pub const fn requester(&mut self) -> &mut Requester {
        &mut self.requester
    }

    /// Starts the next message if the last is complete.
    fn start_next(&mut self, messages: &mut Messages) {
        if !self.requester.at_rest() || self.requester.failed() {
            return;
        }
        let Some(turn) = self.turns.pop_front() else { return };
        let member = &mut self.members[turn as usize];
        let key = member.list.pop(messages).expect("a member in the order of turns has a message");
        // A member with more messages goes to the end of the line: it may send its next after all others had a turn.
        if member.list.first().is_some() {
            self.turns.push_back(turn);
        }
        self.requester.post(key, messages);
    }
}

impl EeContext {
    /// Returns true if the context has given up.
    #[must_use]
    pub const fn failed(&self) -> bool {
        self.requester.failed()
    }
}

impl Endpoint for EeContext {
    fn post(&mut self, key: MessageKey, messages: &mut Messages) {
        let place = self.members.binary_search_by_key(&messages[key].queue_pair, |member| member.queue_pair);
        let place = place.expect("the queue pair has joined");
        let member = &mut self.members[place];
        if member.list.first().is_none() {
            self.turns.push_back(place as u32);
        }
        member.list.push(key, messages);
        self.start_next(messages);
    }

    fn readiness(&self, rule: &EndpointRule) -> Readiness {
        self.requester.readiness(rule)
    }

    fn next(&self, messages: &Messages, rule: &EndpointRule) -> Option<OutgoingPacket> {
        self.requester.next(messages, rule)
    }

    fn next_message(&self) -> Option<MessageKey> {
        self.requester.next_message()
    }

    fn sent(&mut self, messages: &mut Messages, now: Time) -> CompletedMessages {
        self.requester.sent(messages, now)
    }

    fn on_reply(&mut self, packet: &Packet, messages: &mut Messages, now: Time) -> ReplyOutcome {
        let replied = self.requester.on_reply(packet, messages, now);
        self.start_next(messages);
        replied
    }

    fn deadline(&self, rule: &EndpointRule) -> Time {
        self.requester.deadline(rule)
    }

    fn on_deadline(&mut self, rule: &EndpointRule, messages: &Messages, now: Time) -> TimeoutOutcome {
        self.requester.on_deadline(rule, messages, now)
    }

    fn number_of(&self, psn: Psn) -> (u64, u64) {
        self.requester.number_of(psn)
    }

    fn has_more(&self, rule: &EndpointRule) -> bool {
        self.requester.has_more(rule) || !self.turns.is_empty() && !self.requester.failed()
    }

    fn at_rest(&self) -> bool {
        // A context that has given up never sends the messages of its turns.
        self.requester.at_rest() && (self.turns.is_empty() || self.requester.failed())
    }
}
