//! Halves in line by the age of what they send next.
//!
//! Invariant: the front of a lane's line has the lowest age of all in it; of equal ages, the lowest half.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use packet::{ByLane, Lane};

use super::Turn;

/// A half in line: its age first, by which it is ordered; then half and flow.
type Place = Reverse<(u64, u32, u32)>;

/// The lines of all lanes.
#[derive(Clone, Debug)]
pub(super) struct Oldest {
    lanes: ByLane<BinaryHeap<Place>>,
    /// By half, of what it sends next.
    ages: Vec<u64>,
}

impl Oldest {
    pub(super) fn new(lanes: usize) -> Self {
        Self { lanes: ByLane::all(BinaryHeap::new(), lanes), ages: Vec::new() }
    }

    pub(super) fn add_member(&mut self) {
        self.ages.push(0);
    }

    pub(super) fn set_age(&mut self, half: u32, age: u64) {
        self.ages[half as usize] = age;
    }

    pub(super) fn push(&mut self, lane: Lane, Turn { flow, half }: Turn) {
        self.lanes[lane].push(Reverse((self.ages[half as usize], half, flow)));
    }

    pub(super) fn pop(&mut self, lane: Lane) {
        self.lanes[lane].pop();
    }

    pub(super) fn first(&self, lane: Lane) -> Option<Turn> {
        self.lanes[lane].peek().map(|&Reverse((_, half, flow))| Turn { flow, half })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lanes.iter().all(BinaryHeap::is_empty)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use cc_policies::AnyState;
    use proptest::prelude::*;
    use units::{Span, Time};

    use super::super::Schedule;
    use super::*;
    use crate::spec::ScheduleSpec;

    /// Halves 0 and 1 have a flow each; 2 and 3 share one.
    const FLOWS: [u32; 4] = [0, 1, 2, 2];

    /// What can happen.
    #[derive(Clone, Copy, Debug)]
    enum Op {
        /// A packet is posted to this half.
        Post(usize),
        /// Whoever's turn it is sends, and its flow rests for so many us.
        Send(u64),
        /// So many us pass.
        Pass(u64),
    }

    proptest! {
        /// Against a list of all that is posted: of those whose flow does not rest, the one posted first goes.
        #[test]
        fn the_oldest_that_may_go_goes_first(
            ops in prop::collection::vec(prop_oneof![
                (0..4usize).prop_map(Op::Post),
                (0..4usize).prop_map(Op::Post),
                prop_oneof![Just(0), 0..6u64].prop_map(Op::Send),
                (0..4u64).prop_map(Op::Pass),
            ], 0..300),
        ) {
            let mut schedule = Schedule::new(ScheduleSpec::OldestFirst, 1);
            for _ in FLOWS {
                schedule.add_member();
            }
            for _ in 0..3 {
                schedule.add_flow(AnyState::Off, Lane(0));
            }
            let mut posted: [VecDeque<u64>; 4] = Default::default();
            let (mut rests_until, mut now) = ([Time::ZERO; 3], Time::ZERO);
            for (age, op) in (0..).zip(ops) {
                let may = |half: &usize| rests_until[FLOWS[*half] as usize] <= now;
                let oldest = (0..4).filter(may).filter_map(|half| Some((*posted[half].front()?, half))).min();
                let expected = oldest.map(|(_, half)| Turn { flow: FLOWS[half], half: half as u32 });
                prop_assert_eq!(schedule.turn(Lane(0)), expected);
                prop_assert_eq!(schedule.any_turn(), expected.is_some());
                match op {
                    Op::Post(half) => {
                        posted[half].push_back(age);
                        schedule.offer(FLOWS[half], half as u32, posted[half][0], now);
                    }
                    Op::Send(rest) => {
                        let Some(turn) = expected else { continue };
                        posted[turn.half as usize].pop_front();
                        rests_until[turn.flow as usize] = now + Span::from_us(rest);
                        let more = posted[turn.half as usize].front().copied();
                        schedule.sent(turn, more, rests_until[turn.flow as usize], now);
                    }
                    Op::Pass(us) => {
                        now += Span::from_us(us);
                        schedule.wake(now);
                    }
                }
            }
        }
    }
}
