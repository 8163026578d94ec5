//! The wire of a host, on which messages take turns packet by packet, as if nothing held it up.
//!
//! Invariant: departures are those of an adapter with only this work, without acknowledgements, windows, paced flows
//! and lanes: its flows take turns, or the message posted first goes first.

use std::collections::{BTreeMap, VecDeque};

use units::{Span, Time};

/// A message that is to leave by the wire.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// Flow whose turn it takes.
    pub(super) flow: u32,
    pub(super) posted: Time,
    packets: u64,
    /// Times on the wire of its first packet, of each one between and of its last packet. A single packet is the last.
    first: Span,
    each: Span,
    last: Span,
}

impl Load {
    /// A message of this number of packets, the last of which departs at best after `departed`, and has left after
    /// `occupied`.
    pub(super) fn new(flow: u32, posted: Time, packets: u64, (departed, occupied): (Span, Span)) -> Self {
        let each = Span::from_ps(departed.ps() / packets.saturating_sub(1).max(1));
        // What the division leaves, and the longer header of a first packet.
        let first = departed - each * packets.saturating_sub(2);
        Self { flow, posted, packets, first, each, last: occupied - departed }
    }
}

/// The wire at an instant.
struct Turns<'a> {
    loads: &'a [Load],
    /// Messages of each flow that are not sent, by place; flows have numbers in the order of their first message.
    queues: Vec<VecDeque<usize>>,
    /// Packets of each message that are not sent.
    left: Vec<u64>,
    /// Flows with a message, in the order of their turns.
    ring: VecDeque<usize>,
    now: Time,
    /// First message that is not posted.
    next: usize,
}

/// Returns the time at which the last packet of each message departs. `loads` are in the order of posting. With
/// `in_turn` their flows take turns; else the message posted first goes first.
pub(super) fn departures(loads: &[Load], in_turn: bool) -> Vec<Time> {
    let mut numbers = BTreeMap::new();
    let flows: Vec<usize> = loads
        .iter()
        .map(|load| {
            let next = numbers.len();
            *numbers.entry(if in_turn { load.flow } else { 0 }).or_insert(next)
        })
        .collect();
    let mut turns = Turns {
        loads,
        queues: vec![VecDeque::new(); numbers.len()],
        left: loads.iter().map(|load| load.packets).collect(),
        ring: VecDeque::new(),
        now: Time::ZERO,
        next: 0,
    };
    let mut departures = vec![Time::NEVER; loads.len()];
    let mut since_skip = 0;
    loop {
        turns.post(&flows);
        if since_skip >= turns.ring.len() {
            turns.skip_rounds();
            turns.post(&flows);
            since_skip = 0;
        }
        let Some(flow) = turns.ring.pop_front() else {
            let Some(load) = loads.get(turns.next) else { return departures };
            turns.now = load.posted;
            continue;
        };
        since_skip += 1;
        let place = turns.queues[flow][0];
        if turns.left[place] == 1 {
            departures[place] = turns.now;
            turns.queues[flow].pop_front();
        }
        turns.now += turns.next_packet(place);
        turns.left[place] -= 1;
        // Its next turn comes before those of flows that join while the packet is on the wire.
        if !turns.queues[flow].is_empty() {
            turns.ring.push_back(flow);
        }
    }
}

impl Turns<'_> {
    /// Adds the messages that are posted by now.
    fn post(&mut self, flows: &[usize]) {
        while self.loads.get(self.next).is_some_and(|load| load.posted <= self.now) {
            let queue = &mut self.queues[flows[self.next]];
            if queue.is_empty() {
                self.ring.push_back(flows[self.next]);
            }
            queue.push_back(self.next);
            self.next += 1;
        }
    }

    fn next_packet(&self, place: usize) -> Span {
        let Load { packets, first, each, last, .. } = self.loads[place];
        match self.left[place] {
            1 => last,
            left if left == packets => first,
            _ => each,
        }
    }

    /// Passes the rounds in which each flow sends a packet that is neither the first nor the last of its message, and
    /// none joins.
    fn skip_rounds(&mut self) {
        let (mut rounds, mut round) = (u64::MAX, Span::ZERO);
        for flow in &self.ring {
            let place = self.queues[*flow][0];
            let is_begun = self.left[place] < self.loads[place].packets;
            rounds = rounds.min(if is_begun { self.left[place] - 1 } else { 0 });
            round += self.loads[place].each;
        }
        if let Some(load) = self.loads.get(self.next) {
            rounds = rounds.min(load.posted.since(self.now).ps() / round.ps().max(1));
        }
        if self.ring.is_empty() || rounds == 0 {
            return;
        }
        self.now += round * rounds;
        for flow in &self.ring {
            self.left[self.queues[*flow][0]] -= rounds;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message of packets of 10 ps, the last of 7 ps.
    fn load(flow: u32, posted: u64, packets: u64) -> Load {
        let departed = Span::from_ps(10 * (packets - 1));
        Load::new(flow, Time::from_ps(posted), packets, (departed, departed + Span::from_ps(7)))
    }

    fn of(loads: &[Load], in_turn: bool) -> Vec<u64> {
        departures(loads, in_turn).into_iter().map(Time::ps).collect()
    }

    #[test]
    fn flows_take_turns_and_messages_of_a_flow_do_not() {
        let loads = [load(4, 100, 3), load(4, 100, 1), load(9, 100, 2), load(9, 400, 1)];
        // 4: 100, 120, 137; 9: 110, 130; 4's second message in its next turn, at 144.
        assert_eq!(of(&loads, true), [137, 144, 130, 400]);
        assert_eq!(of(&loads, false), [120, 127, 144, 400]);
    }

    /// A flow that joins while a packet is on the wire comes after that packet's flow.
    #[test]
    fn a_flow_joins_at_the_end() {
        assert_eq!(of(&[load(0, 0, 3), load(1, 5, 1), load(2, 10, 1)], true), [34, 20, 27]);
    }

    /// Long messages are passed in rounds: the same as packet by packet, by a sum.
    #[test]
    fn rounds_are_skipped_up_to_the_next_posting() {
        let million = 1_000_000;
        // Two flows until the third joins in the midst of a packet, then three.
        let loads = [load(0, 0, million), load(1, 0, million), load(2, 7_777_775, 2)];
        let last = 10 * 2 * (million - 1) + 17;
        assert_eq!(of(&loads, true), [last, last + 7, 7_777_830]);
        assert_eq!(of(&loads[..1], true), [10 * (million - 1)]);
    }
}
