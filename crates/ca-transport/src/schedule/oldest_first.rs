//! Queues of endpoints by the age of their next packet.
//!
//! Invariant: the front of a lane's queue has the lowest age of the queue; of equal ages, the lowest endpoint.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use packet::{ByLane, Lane};

use super::Selection;

/// A queued endpoint: the age, by which the queue is ordered, then the endpoint and its flow.
type Queued = Reverse<(u64, u32, u32)>;

/// The queues of all lanes.
#[derive(Clone, Debug)]
pub(super) struct OldestFirst {
    lanes: ByLane<BinaryHeap<Queued>>,
    /// Age of each endpoint's next packet.
    ages: Vec<u64>,
}

state_codec::state!(OldestFirst { lanes: part, ages: part });

impl OldestFirst {
    pub(super) fn new(lanes: usize) -> Self {
        Self { lanes: ByLane::all(BinaryHeap::new(), lanes), ages: Vec::new() }
    }

    pub(super) fn add_endpoint(&mut self) {
        self.ages.push(0);
    }

    pub(super) fn set_age(&mut self, endpoint: u32, age: u64) {
        self.ages[endpoint as usize] = age;
    }

    pub(super) fn push(&mut self, lane: Lane, Selection { flow, endpoint }: Selection) {
        self.lanes[lane].push(Reverse((self.ages[endpoint as usize], endpoint, flow)));
    }

    pub(super) fn pop(&mut self, lane: Lane) {
        self.lanes[lane].pop();
    }

    pub(super) fn first(&self, lane: Lane) -> Option<Selection> {
        self.lanes[lane].peek().map(|&Reverse((_, endpoint, flow))| Selection { flow, endpoint })
    }

    /// Returns all queued endpoints of a lane, in no particular order.
    pub(super) fn all(&self, lane: Lane) -> impl Iterator<Item = Selection> {
        self.lanes[lane].iter().map(|&Reverse((_, endpoint, flow))| Selection { flow, endpoint })
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

    /// Endpoints 0 and 1 have a flow each; 2 and 3 share a flow.
    const FLOWS: [u32; 4] = [0, 1, 2, 2];

    /// A step of the test.
    #[derive(Clone, Copy, Debug)]
    enum Op {
        /// Post a packet to this endpoint.
        Post(usize),
        /// Let the selected endpoint send, and pace its flow for this number of us.
        Send(u64),
        /// Let this number of us pass.
        Pass(u64),
    }

    proptest! {
        /// Compares the schedule with a list of all posted packets: the first posted packet of an unpaced flow goes
        /// first.
        #[test]
        fn the_oldest_endpoint_that_may_send_goes_first(
            ops in prop::collection::vec(prop_oneof![
                (0..4usize).prop_map(Op::Post),
                (0..4usize).prop_map(Op::Post),
                prop_oneof![Just(0), 0..6u64].prop_map(Op::Send),
                (0..4u64).prop_map(Op::Pass),
            ], 0..300),
        ) {
            let mut schedule = Schedule::new(ScheduleSpec::OldestFirst, 1);
            for _ in FLOWS {
                schedule.add_endpoint();
            }
            for _ in 0..3 {
                schedule.add_flow(AnyState::Off, Lane(0));
            }
            let mut posted: [VecDeque<u64>; 4] = Default::default();
            let (mut paced_until, mut now) = ([Time::ZERO; 3], Time::ZERO);
            for (age, op) in (0..).zip(ops) {
                let may = |endpoint: &usize| paced_until[FLOWS[*endpoint] as usize] <= now;
                let oldest = (0..4).filter(may).filter_map(|endpoint| Some((*posted[endpoint].front()?, endpoint))).min();
                let expected = oldest.map(|(_, endpoint)| Selection { flow: FLOWS[endpoint], endpoint: endpoint as u32 });
                prop_assert_eq!(schedule.select(Lane(0)), expected);
                prop_assert_eq!(schedule.has_candidate(), expected.is_some());
                match op {
                    Op::Post(endpoint) => {
                        posted[endpoint].push_back(age);
                        schedule.offer(FLOWS[endpoint], endpoint as u32, posted[endpoint][0], now);
                    }
                    Op::Send(gap) => {
                        let Some(selection) = expected else { continue };
                        posted[selection.endpoint as usize].pop_front();
                        paced_until[selection.flow as usize] = now + Span::from_us(gap);
                        let more = posted[selection.endpoint as usize].front().copied();
                        schedule.sent(selection, more, paced_until[selection.flow as usize], now);
                    }
                    Op::Pass(us) => {
                        now += Span::from_us(us);
                        schedule.resume_paced(now);
                    }
                }
            }
        }
    }
}
