//! Carriage of messages in a replay: from the interface of their sender's host to their receiver.
//!
//! Invariant: messages between two ranks are dealt to their queue pairs in turn, and taken in the order of posting.

use std::collections::BTreeMap;

use units::{Span, Time};

use super::interface::Left;
use super::{Event, IdealMessage, Replay, Turns};
use crate::job::graph::{OperationId, Work};
use crate::job::rendezvous::{CLEAR_BYTES, REQUEST_BYTES, WirePart};

/// Queue pair of a host: ranks and number, or a single one if the oldest message goes first.
pub(super) type QueuePair = (u32, u32, u32);

/// A message at an interface.
#[derive(Clone, Copy)]
pub(super) struct Carried {
    from: u32,
    to: u32,
    turn: u64,
    message: Message,
    ideal: IdealMessage,
}

/// Messages from one rank to another.
#[derive(Default)]
pub(super) struct Pair {
    posted: u64,
    taken: u64,
    /// Messages that wait for earlier ones of other queue pairs.
    early: BTreeMap<u64, Message>,
}

/// A message on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Message {
    pub(super) part: WirePart,
    /// Its send, and its receive once it is matched.
    pub(super) send: OperationId,
    pub(super) receive: OperationId,
    pub(super) tag: u32,
}

impl Pair {
    /// Returns the number of the message that is posted now.
    pub(super) const fn post(&mut self) -> u64 {
        self.posted += 1;
        self.posted - 1
    }
}

impl<M: FnMut(Time, u32, u32, u64) -> IdealMessage> Replay<'_, M> {
    /// Carries a part of a message from one rank to another.
    pub(super) fn carry(&mut self, (from, to): (u32, u32), message: Message) {
        let bytes = match message.part {
            WirePart::Request => REQUEST_BYTES,
            WirePart::Clear => CLEAR_BYTES,
            WirePart::Whole | WirePart::Payload => {
                let Work::Send { bytes, .. } = self.graphs[from as usize].operation(message.send).work else {
                    unreachable!("only sends have payload");
                };
                bytes
            }
        };
        let ideal = (self.message)(self.now, from, to, bytes);
        let turn = self.pairs.entry((from, to)).or_default().post();
        let carried = Carried { from, to, turn, message, ideal };
        if ideal.sent.whole() == Span::ZERO {
            return self.on_its_way(carried, (self.now, self.now));
        }
        let queue_pairs = self.job.map_or(1, |job| u64::from(job.queue_pairs));
        let queue_pair = match self.turns[from as usize] {
            Turns::Packets => (from, to, (turn % queue_pairs) as u32),
            Turns::Messages => QueuePair::default(),
        };
        let interface = self.interface_of[from as usize];
        self.interfaces[interface as usize].post(self.now, queue_pair, carried, ideal.sent);
        self.plan_round(interface);
    }

    /// Plans the next round of an interface in which messages end.
    fn plan_round(&mut self, interface: u32) {
        if let Some(due) = self.interfaces[interface as usize].due() {
            self.plan(due, Event::Round { interface });
        }
    }

    /// Sends on the messages that end in the round that an interface begins.
    pub(super) fn leave(&mut self, interface: u32) {
        // A message that was posted meanwhile has put the round off, or another comes first.
        if self.interfaces[interface as usize].due() != Some(self.now) {
            return;
        }
        let mut all = Vec::new();
        self.interfaces[interface as usize].take_round(|left| all.push(left));
        for Left { message, begun, end, .. } in all {
            self.on_its_way(message, (begun, end));
        }
        self.plan_round(interface);
    }

    /// Plans the ends of a message that has left its sender's interface.
    fn on_its_way(&mut self, carried: Carried, (begun, end): (Time, Time)) {
        let Carried { from, to, turn, message, ideal } = carried;
        let (arrival, completed) = ideal.ends(begun, end);
        self.plan(arrival, Event::Arrived { from, to, turn, message });
        if matches!(message.part, WirePart::Whole | WirePart::Payload) {
            self.plan(completed, Event::Ended { rank: from, id: message.send });
        }
    }

    /// Hands over a message, and those that waited for it, in the order of posting.
    pub(super) fn arrive_in_turn(&mut self, (from, to): (u32, u32), turn: u64, message: Message) {
        let pair = self.pairs.get_mut(&(from, to)).expect("the pair has posted a message");
        pair.early.insert(turn, message);
        while let Some(pair) = self.pairs.get_mut(&(from, to))
            && let Some(message) = pair.early.remove(&pair.taken)
        {
            pair.taken += 1;
            self.arrive(from, to, message);
        }
    }
}
