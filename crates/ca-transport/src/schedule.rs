//! Whose turn it is, and who rests.
//!
//! Invariant: only a flow that its source response delays is held back; all others of the same lane
//! take turns, packet by packet, or are served oldest first. A *flow* here is what the response controls: one queue
//! pair, an end-to-end context, or all that goes to one destination or leaves on one service level. Its *members* are
//! the halves of queue pairs and contexts that send.
//!
//! ```text
//! RoundRobin    half has something to send -> in its flow's ring
//!               flow has a ring:  its rest is over -> in its lane's ring (ready)
//!                                 else             -> in the heap of those that rest
//! OldestFirst   half has something to send, and
//!               its flow's rest is over -> in its lane's line, by the age of its message
//!               else                    -> in its flow's ring, and its flow in the heap of those that rest
//! ```

mod oldest;

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use cc_policies::AnyState;
use packet::{ByLane, Lane};
use units::Time;

use self::oldest::Oldest;
use crate::spec::ScheduleSpec;

/// No further member: the end of a ring.
const END: u32 = u32::MAX;

/// A first-in-first-out list of numbered things, threaded through a table of who comes next.
#[derive(Clone, Copy, Debug)]
struct Ring {
    first: u32,
    last: u32,
}

/// What a source response controls: a cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Flow {
    state: AnyState,
    /// It may not send before.
    rests_until: Time,
    /// Halves with something to send.
    members: Ring,
    /// The flow after it in its lane's ring.
    next: u32,
    lane: Lane,
    place: Place,
    /// Whether it rested with something to send, since it last sent.
    rested: bool,
}

/// A half in its flow's ring.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// The half after it.
    next: u32,
    /// Whether it is in the ring.
    offered: bool,
}

/// What comes next in a ring.
trait Linked {
    fn next(&mut self) -> &mut u32;
}

impl Linked for Flow {
    fn next(&mut self) -> &mut u32 {
        &mut self.next
    }
}

impl Linked for Member {
    fn next(&mut self) -> &mut u32 {
        &mut self.next
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Nowhere,
    Ready,
    Resting,
}

/// The halves and flows of an adapter, and whose turn it is.
#[derive(Clone, Debug)]
#[repr(C)] // What is always looked at goes first.
pub struct Schedule {
    /// When the next rest is over: the top of `resting`, kept at hand.
    next_wake: Time,
    /// Whose rest is over.
    ready: Ready,
    flows: Vec<Flow>,
    /// By half.
    members: Vec<Member>,
    resting: BinaryHeap<Reverse<(Time, u32)>>,
}

/// Who may go, by lane.
#[derive(Clone, Debug)]
enum Ready {
    /// Flows, in the order of their turns.
    InTurn(ByLane<Ring>),
    /// Halves, by age.
    Oldest(Box<Oldest>),
}

/// Whose turn it is on a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The controlled flow, by number.
    pub flow: u32,
    /// The half, by number.
    pub half: u32,
}

impl Schedule {
    /// Nobody to serve yet, on this many lanes.
    #[must_use]
    pub fn new(spec: ScheduleSpec, lanes: usize) -> Self {
        Self {
            ready: match spec {
                ScheduleSpec::RoundRobin => Ready::InTurn(ByLane::all(Ring::EMPTY, lanes)),
                ScheduleSpec::OldestFirst => Ready::Oldest(Box::new(Oldest::new(lanes))),
            },
            next_wake: Time::NEVER,
            flows: Vec::new(),
            members: Vec::new(),
            resting: BinaryHeap::new(),
        }
    }

    /// Adds a controlled flow, and returns its number.
    pub fn add_flow(&mut self, state: AnyState, lane: Lane) -> u32 {
        let (rests_until, members, place) = (Time::ZERO, Ring::EMPTY, Place::Nowhere);
        self.flows.push(Flow { state, rests_until, members, next: END, lane, place, rested: false });
        self.resting.reserve(self.flows.len() - self.resting.len());
        self.flows.len() as u32 - 1
    }

    /// Makes room for a half more, with the next number.
    pub fn add_member(&mut self) {
        self.members.push(Member { next: END, offered: false });
        if let Ready::Oldest(line) = &mut self.ready {
            line.add_member();
        }
    }

    /// What the source response remembers of a flow.
    pub fn state(&mut self, flow: u32) -> &mut AnyState {
        &mut self.flows[flow as usize].state
    }

    /// The same, for a look at it; none if there is no such flow.
    #[must_use]
    pub fn look_at(&self, flow: u32) -> Option<&AnyState> {
        self.flows.get(flow as usize).map(|flow| &flow.state)
    }

    /// Whether the rest of a flow was what it waited for last, with something to send.
    #[must_use]
    pub fn rested(&self, flow: u32) -> bool {
        self.flows[flow as usize].rested
    }

    /// A half of `flow` has something to send; it may be known already. What goes by age goes by `age`: the lower, the
    /// older.
    pub fn offer(&mut self, flow: u32, half: u32, age: u64, now: Time) {
        if !core::mem::replace(&mut self.members[half as usize].offered, true) {
            self.line_up(Turn { flow, half }, age, now);
        }
    }

    /// Wakes the flows whose rest is over.
    #[inline]
    pub fn wake(&mut self, now: Time) {
        if self.next_wake <= now {
            self.wake_resting(now);
        }
    }

    #[inline(never)] // Few instants end a rest.
    fn wake_resting(&mut self, now: Time) {
        while self.next_wake <= now {
            if let Some(Reverse((_, flow))) = self.resting.pop() {
                let woken = &mut self.flows[flow as usize];
                (woken.place, woken.rested) = (Place::Nowhere, true);
                self.place(flow, now);
            }
            self.next_wake = self.resting.peek().map_or(Time::NEVER, |Reverse((until, _))| *until);
        }
    }

    /// When the next rest is over.
    #[must_use]
    pub const fn next_wake(&self) -> Time {
        self.next_wake
    }

    /// Whose turn it is on this lane.
    #[must_use]
    pub fn turn(&self, lane: Lane) -> Option<Turn> {
        match &self.ready {
            Ready::InTurn(lanes) => {
                let flow = lanes[lane].first()?;
                let half = self.flows[flow as usize].members.first().expect("a ready flow has a member");
                Some(Turn { flow, half })
            }
            Ready::Oldest(line) => line.first(lane),
        }
    }

    /// Whether it is anyone's turn on any lane.
    #[must_use]
    pub fn any_turn(&self) -> bool {
        match &self.ready {
            Ready::InTurn(lanes) => lanes.iter().any(|ring| ring.first().is_some()),
            Ready::Oldest(line) => !line.is_empty(),
        }
    }

    /// The half whose turn it was has sent; `more` is the age of what it has left to send, if there is something, and
    /// its flow rests until `rests_until`.
    pub fn sent(&mut self, turn: Turn, more: Option<u64>, rests_until: Time, now: Time) {
        let flow = &mut self.flows[turn.flow as usize];
        let lane = flow.lane;
        flow.rests_until = rests_until;
        flow.rested = false;
        match &mut self.ready {
            Ready::InTurn(lanes) => {
                let goes_on = more.is_some() && flow.members.has_one();
                // Who has no rivals keeps its place: no need to look at who comes next.
                if goes_on && rests_until <= now && lanes[lane].has_one() {
                    return;
                }
                flow.place = Place::Nowhere;
                if !goes_on {
                    flow.members.pop(&mut self.members);
                }
                lanes[lane].pop(&mut self.flows);
                if goes_on {
                    return self.place(turn.flow, now);
                }
            }
            Ready::Oldest(line) => line.pop(lane),
        }
        if let Some(age) = more {
            self.line_up(turn, age, now);
        } else {
            self.members[turn.half as usize].offered = false;
            self.place(turn.flow, now);
        }
        self.set_aside(lane, now);
    }

    /// The half whose turn it was has nothing to send after all.
    pub fn withdraw(&mut self, turn: Turn, now: Time) {
        let rests_until = self.flows[turn.flow as usize].rests_until;
        self.sent(turn, None, rests_until, now);
    }

    /// Puts a half in line, or with those that wait for the end of their flow's rest.
    fn line_up(&mut self, Turn { flow, half }: Turn, age: u64, now: Time) {
        let own = &mut self.flows[flow as usize];
        if let Ready::Oldest(line) = &mut self.ready {
            line.set_age(half, age);
            if own.rests_until <= now {
                line.push(own.lane, Turn { flow, half });
                return;
            }
        }
        own.members.push(half, &mut self.members);
        self.place(flow, now);
    }

    /// By age: takes halves out of the front of the line whose flow has come to rest since they were put there.
    fn set_aside(&mut self, lane: Lane, now: Time) {
        loop {
            let Ready::Oldest(line) = &mut self.ready else { return };
            let Some(turn) = line.first(lane) else { return };
            let flow = &mut self.flows[turn.flow as usize];
            if flow.rests_until <= now {
                return;
            }
            line.pop(lane);
            flow.members.push(turn.half, &mut self.members);
            self.place(turn.flow, now);
        }
    }

    /// Puts a flow where it belongs, if it is nowhere.
    fn place(&mut self, number: u32, now: Time) {
        let flow = &mut self.flows[number as usize];
        if flow.place != Place::Nowhere || flow.members.first().is_none() {
            return;
        }
        if flow.rests_until > now {
            flow.place = Place::Resting;
            self.next_wake = self.next_wake.min(flow.rests_until);
            self.resting.push(Reverse((flow.rests_until, number)));
            return;
        }
        let lane = flow.lane;
        match &mut self.ready {
            Ready::InTurn(lanes) => {
                flow.place = Place::Ready;
                lanes[lane].push(number, &mut self.flows);
            }
            Ready::Oldest(line) => {
                while let Some(half) = flow.members.first() {
                    flow.members.pop(&mut self.members);
                    line.push(lane, Turn { flow: number, half });
                }
            }
        }
    }
}

impl Ring {
    const EMPTY: Self = Self { first: END, last: END };

    fn first(&self) -> Option<u32> {
        (self.first != END).then_some(self.first)
    }

    const fn has_one(&self) -> bool {
        self.first == self.last && self.first != END
    }

    fn push(&mut self, member: u32, all: &mut [impl Linked]) {
        *all[member as usize].next() = END;
        if self.first == END {
            self.first = member;
        } else {
            *all[self.last as usize].next() = member;
        }
        self.last = member;
    }

    fn pop(&mut self, all: &mut [impl Linked]) {
        self.first = *all[self.first as usize].next();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Span;

    fn at(us: u64) -> Time {
        Span::from_us(us).after_start()
    }

    #[test]
    fn a_resting_flow_holds_back_nobody_else() {
        let mut schedule = Schedule::new(ScheduleSpec::RoundRobin, 1);
        for half in 0..3 {
            schedule.add_member();
            let flow = schedule.add_flow(AnyState::Off, Lane(0));
            schedule.offer(flow, half, 0, at(0));
        }
        let mut order = Vec::new();
        for now in 0..9 {
            schedule.wake(at(now));
            let turn = schedule.turn(Lane(0)).expect("two never rest");
            let rest = if turn.flow == 1 { at(now + 5) } else { Time::ZERO };
            schedule.sent(turn, Some(0), rest, at(now));
            order.push(turn.flow);
        }
        assert_eq!(order, [0, 1, 2, 0, 2, 0, 2, 0, 1]);
        assert_eq!(schedule.next_wake(), at(13));
    }

    #[test]
    fn members_of_one_flow_share_its_rest_and_take_turns() {
        let mut schedule = Schedule::new(ScheduleSpec::RoundRobin, 1);
        let flow = schedule.add_flow(AnyState::Off, Lane(0));
        for half in 0..2 {
            schedule.add_member();
            schedule.offer(flow, half, 0, at(0));
        }
        let mut order = Vec::new();
        for now in (0..40).step_by(10) {
            schedule.wake(at(now));
            let turn = schedule.turn(Lane(0)).expect("the rest is over");
            schedule.sent(turn, Some(0), at(now + 10), at(now));
            assert_eq!(schedule.turn(Lane(0)), None);
            order.push(turn.half);
        }
        assert_eq!(order, [0, 1, 0, 1]);
    }
}
