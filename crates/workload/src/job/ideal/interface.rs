//! A host's interface in a replay: messages of queue pairs that take turns packet by packet, as in the adapters of a
//! run, but without acknowledgements, windows, paced flows and lanes.
//!
//! ```text
//! queue pairs a, b, c have messages        a1 b1 c1 a2 b2 c2 a3 ...     a round: a packet of each
//! a message of d is posted during b2       ... a2 b2 d1 c2 a3 b3 d2     d is behind all that waited for a packet then
//! ```
//!
//! Invariant: rounds in which no message ends are passed over in one step, so that the work is proportional to messages
//! and not to packets.

use std::collections::{BTreeMap, VecDeque};

use units::{Span, Time};

/// Times of a message's packets at its sender's interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transmission {
    /// Number of packets before the last.
    pub before: u64,
    /// Time of each of these.
    pub packet: Span,
    /// Time of the last packet.
    pub last: Span,
}

impl Transmission {
    /// A message of one packet.
    #[must_use]
    pub const fn single(last: Span) -> Self {
        Self { before: 0, packet: Span::ZERO, last }
    }

    /// Returns the time of all packets, one after the other.
    #[must_use]
    pub fn whole(self) -> Span {
        self.packet * self.before + self.last
    }
}

/// A message that has left an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left<T> {
    /// The message.
    pub message: T,
    /// Its packets.
    pub transmission: Transmission,
    /// Time before which its first packet did not begin; the time at which it did if no other message was in its way.
    pub begun: Time,
    /// End of its last packet.
    pub end: Time,
}

/// A queue pair with a message under way.
#[derive(Clone, Copy, Debug)]
struct Turn<Q> {
    queue_pair: Q,
    /// Round of the last packet, and what the queue pair adds to the rounds before.
    last_round: u64,
    packet: Span,
    begun: Time,
    /// Start of its last packet so far; none if it has sent none since it joined.
    served: Option<Time>,
}

/// An interface, and its queue pairs `Q` with messages `T`.
#[derive(Clone, Debug)]
pub struct Interface<Q, T> {
    /// Messages of each queue pair that has any, oldest first.
    queues: BTreeMap<Q, VecDeque<(T, Transmission)>>,
    /// Queue pairs in the order of their turns in the round to come.
    ring: VecDeque<Turn<Q>>,
    /// Number and start of the round to come.
    round: u64,
    next: Time,
    /// Length of a round in which no message ends.
    length: Span,
    /// The first round in which a message ends.
    least: u64,
    /// The round before was passed over: `served` of its turns is not known.
    passed: bool,
    /// Queue pairs that ended their last message in the round before, and the starts of their last packets.
    ended: BTreeMap<Q, Time>,
}

impl<Q: Ord + Copy, T: Copy> Default for Interface<Q, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<Q: Ord + Copy, T: Copy> Interface<Q, T> {
    /// An interface without messages.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            queues: BTreeMap::new(),
            ring: VecDeque::new(),
            round: 0,
            next: Time::ZERO,
            length: Span::ZERO,
            least: u64::MAX,
            passed: false,
            ended: BTreeMap::new(),
        }
    }

    /// Posts a message. Rounds in which a message ends and that began before `now` must have been taken.
    pub fn post(&mut self, now: Time, queue_pair: Q, message: T, transmission: Transmission) {
        self.advance(now);
        let queue = self.queues.entry(queue_pair).or_default();
        queue.push_back((message, transmission));
        if queue.len() > 1 {
            return;
        }
        self.tell_served();
        // A queue pair whose last packet has yet to begin goes on after it.
        let served = self.ended.get(&queue_pair).copied().filter(|served| *served >= now);
        let joins = served.unwrap_or(now);
        let joined_after = |turn: &Turn<Q>| turn.served.is_some_and(|served| served >= joins);
        let behind = self.ring.iter().rev().take_while(|turn| joined_after(turn)).count();
        let begun = if self.ring.is_empty() { self.next } else { now };
        let turn = Turn { served, ..self.begin(queue_pair, transmission, self.round, begun) };
        self.ring.insert(self.ring.len() - behind, turn);
    }

    /// Returns the time at which the next round is to be taken, if any message is left.
    #[must_use]
    pub fn due(&self) -> Option<Time> {
        let rounds = self.least.checked_sub(self.round).filter(|_| !self.ring.is_empty())?;
        Some(self.next + self.length * rounds)
    }

    /// Takes the next round in which messages end, and hands these to `left`.
    pub fn take_round(&mut self, mut left: impl FnMut(Left<T>)) {
        if self.ring.is_empty() {
            return;
        }
        self.pass(self.least - self.round);
        self.ended.clear();
        let round = self.round;
        for _ in 0..self.ring.len() {
            let mut turn = self.ring.pop_front().expect("a turn for each queue pair");
            let start = self.next;
            turn.served = Some(start);
            if turn.last_round > round {
                self.next += turn.packet;
                self.ring.push_back(turn);
                continue;
            }
            let queue = self.queues.get_mut(&turn.queue_pair).expect("a turn has a message");
            let (message, transmission) = queue.pop_front().expect("a turn has a message");
            self.next += transmission.last;
            self.length -= turn.packet;
            left(Left { message, transmission, begun: turn.begun, end: self.next });
            match queue.front().copied() {
                Some((_, transmission)) => {
                    let turn = self.begin(turn.queue_pair, transmission, round + 1, self.next);
                    self.ring.push_back(Turn { served: Some(start), ..turn });
                }
                None => {
                    self.queues.remove(&turn.queue_pair);
                    self.ended.insert(turn.queue_pair, start);
                }
            }
        }
        self.round += 1;
        self.passed = false;
        self.least = self.ring.iter().map(|turn| turn.last_round).min().unwrap_or(u64::MAX);
    }

    fn begin(&mut self, queue_pair: Q, transmission: Transmission, round: u64, begun: Time) -> Turn<Q> {
        let last_round = round + transmission.before;
        self.least = self.least.min(last_round);
        self.length += transmission.packet;
        Turn { queue_pair, last_round, packet: transmission.packet, begun, served: None }
    }

    /// Passes over the rounds that begin before `now` and in which no message ends.
    fn advance(&mut self, now: Time) {
        if self.ring.is_empty() {
            self.next = self.next.max(now);
        } else if self.next < now && self.length > Span::ZERO {
            let begun = (now - self.next).ps().div_ceil(self.length.ps());
            self.pass(begun.min(self.least - self.round));
        }
        debug_assert!(self.next >= now, "the round in which a message ends is taken when it begins");
    }

    fn pass(&mut self, rounds: u64) {
        if rounds > 0 {
            self.next += self.length * rounds;
            self.round += rounds;
            self.passed = true;
        }
    }

    /// Sets the starts of the packets of a round that was passed over.
    fn tell_served(&mut self) {
        if !core::mem::take(&mut self.passed) {
            return;
        }
        let mut start = self.next - self.length;
        for turn in &mut self.ring {
            turn.served = Some(start);
            start += turn.packet;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A posted message: time, queue pair and packets.
    type Post = (u64, u8, Transmission);

    /// Sends packet by packet, as an adapter does: a queue pair with more to send goes behind all others when its
    /// packet begins. Returns the end of each message.
    fn by_packets(posts: &[Post]) -> Vec<Time> {
        let mut ends = vec![Time::ZERO; posts.len()];
        let (mut queues, mut ring) = (BTreeMap::<u8, VecDeque<(usize, u64)>>::new(), VecDeque::new());
        let (mut now, mut posted) = (Time::ZERO, 0);
        loop {
            while let Some((time, queue_pair, sent)) = posts.get(posted)
                && Time::from_ps(*time) <= now
            {
                let queue = queues.entry(*queue_pair).or_default();
                queue.push_back((posted, sent.before));
                if queue.len() == 1 {
                    ring.push_back(*queue_pair);
                }
                posted += 1;
            }
            let Some(queue_pair) = ring.pop_front() else {
                let Some((time, ..)) = posts.get(posted) else { return ends };
                now = Time::from_ps(*time);
                continue;
            };
            let queue = queues.get_mut(&queue_pair).unwrap();
            let (message, left) = queue.pop_front().unwrap();
            let sent = posts[message].2;
            if left > 0 {
                queue.push_front((message, left - 1));
                now += sent.packet;
            } else {
                now += sent.last;
                ends[message] = now;
            }
            // Messages that are posted while the packet is under way come to the ring behind this queue pair.
            if !queue.is_empty() {
                ring.push_back(queue_pair);
            }
        }
    }

    fn by_rounds(posts: &[Post]) -> Vec<Left<usize>> {
        let mut interface = Interface::new();
        let mut all = Vec::new();
        for (message, (time, queue_pair, sent)) in posts.iter().enumerate() {
            let now = Time::from_ps(*time);
            while interface.due().is_some_and(|due| due < now) {
                interface.take_round(|left| all.push(left));
            }
            interface.post(now, *queue_pair, message, *sent);
        }
        while interface.due().is_some() {
            interface.take_round(|left| all.push(left));
        }
        all.sort_by_key(|left| left.message);
        all
    }

    proptest! {
        /// Rounds that are passed over give the times of packets that are sent one by one.
        #[test]
        fn rounds_are_those_of_packets(
            packet in 2_u64..9,
            posts in prop::collection::vec((0_u64..40, 0_u8..5, 0_u64..9, 1_u64..12), 1..12),
        ) {
            let mut now = 0;
            let posts: Vec<Post> = posts.iter().map(|(wait, queue_pair, before, last)| {
                now += wait * u64::from(wait % 3 > 0);
                let packet = if *before > 0 { Span::from_ps(packet) } else { Span::ZERO };
                (now, *queue_pair, Transmission { before: *before, packet, last: Span::from_ps(*last) })
            }).collect();
            let left = by_rounds(&posts);
            let ends: Vec<Time> = left.iter().map(|left| left.end).collect();
            prop_assert_eq!(&ends, &by_packets(&posts));
            for (left, (time, _, sent)) in left.iter().zip(&posts) {
                prop_assert!(left.begun.ps() >= *time && left.begun + sent.whole() <= left.end);
            }
        }
    }

    /// A short message passes a long one of another queue pair, and waits for one of its own.
    #[test]
    fn short_messages_pass_long_ones_of_other_queue_pairs() {
        let long = Transmission { before: 999, packet: Span::from_ps(10), last: Span::from_ps(10) };
        let short = Transmission::single(Span::from_ps(3));
        let ends = |queue_pair| -> Vec<u64> {
            by_rounds(&[(0, 0, long), (0, queue_pair, short)]).iter().map(|left| left.end.ps()).collect()
        };
        assert_eq!(ends(1), [10_003, 13]);
        assert_eq!(ends(0), [10_000, 10_003]);
    }
}
