//! The reliable datagram's end-to-end (EE) context: what the queue pairs of two adapters share (IBA volume 1, 9.7.8,
//! cited from memory).
//!
//! Invariant: one message is under way at a time. The next one, of the queue pair whose turn it is, starts when all of
//! it is acknowledged or has come. Numbers, retries and the window are the context's; queue pairs have messages only.

use std::collections::VecDeque;

use packet::{Packet, Psn, QpNumber};
use units::Time;

use crate::message::{MessageKey, Messages};
use crate::requester::Requester;
use crate::transport::{Completed, Outgoing, Overdue, Readiness, Replied, Rule, Transport};

/// The requesting half of an end-to-end context.
#[derive(Clone, Debug, Default)]
pub struct Context {
    requester: Requester,
    /// By number of the queue pair.
    members: Vec<Member>,
    /// Members that have messages, in the order of their turns.
    turns: VecDeque<u32>,
}

/// A queue pair of the context, and its messages that have not started.
#[derive(Clone, Copy, Debug)]
struct Member {
    queue_pair: QpNumber,
    head: Option<MessageKey>,
    tail: Option<MessageKey>,
}

impl Context {
    /// One whose first packet has this number.
    #[must_use]
    pub fn starting_at(first: u64) -> Self {
        Self { requester: Requester::starting_at(first), ..Self::default() }
    }

    /// Takes in a queue pair, with a higher number than those before it.
    pub fn join(&mut self, queue_pair: QpNumber) {
        self.members.push(Member { queue_pair, head: None, tail: None });
        self.turns.reserve(self.members.len());
    }

    /// What numbers packets, and goes back.
    pub const fn requester(&mut self) -> &mut Requester {
        &mut self.requester
    }

    /// Starts the next message, if the last one is complete.
    fn start_next(&mut self, messages: &mut Messages) {
        if !self.requester.at_rest() || self.requester.failed() {
            return;
        }
        let Some(turn) = self.turns.pop_front() else { return };
        let member = &mut self.members[turn as usize];
        let key = member.head.expect("who has a turn has a message");
        member.head = messages[key].next.take();
        if member.head.is_some() {
            self.turns.push_back(turn);
        }
        self.requester.post(key, messages);
    }
}

impl Transport for Context {
    fn post(&mut self, key: MessageKey, messages: &mut Messages) {
        let place = self.members.binary_search_by_key(&messages[key].queue_pair, |member| member.queue_pair);
        let place = place.expect("the queue pair has joined");
        let member = &mut self.members[place];
        let tail = member.tail.replace(key);
        if member.head.is_none() {
            member.head = Some(key);
            self.turns.push_back(place as u32);
        } else if let Some(tail) = tail {
            messages[tail].next = Some(key);
        }
        self.start_next(messages);
    }

    fn readiness(&self, rule: &Rule) -> Readiness {
        self.requester.readiness(rule)
    }

    fn next(&self, messages: &Messages, rule: &Rule) -> Option<Outgoing> {
        self.requester.next(messages, rule)
    }

    fn next_message(&self) -> Option<MessageKey> {
        self.requester.next_message()
    }

    fn sent(&mut self, messages: &mut Messages, now: Time) -> Completed {
        self.requester.sent(messages, now)
    }

    fn on_reply(&mut self, packet: &Packet, messages: &mut Messages, now: Time) -> Replied {
        let replied = self.requester.on_reply(packet, messages, now);
        self.start_next(messages);
        replied
    }

    fn deadline(&self, rule: &Rule) -> Time {
        self.requester.deadline(rule)
    }

    fn on_deadline(&mut self, rule: &Rule, messages: &Messages, now: Time) -> Overdue {
        self.requester.on_deadline(rule, messages, now)
    }

    fn number_of(&self, psn: Psn) -> (u64, u64) {
        self.requester.number_of(psn)
    }

    fn at_rest(&self) -> bool {
        self.requester.at_rest() && (self.turns.is_empty() || self.requester.failed())
    }
}
