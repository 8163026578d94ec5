//! The schedule: the endpoint that sends next, and the flows that are paced.
//!
//! Invariant: only a flow that its response paces is delayed. All other flows of a lane take turns packet by packet,
//! or are served oldest first. A *flow* here is the unit of a response's state: a queue pair, an end-to-end context,
//! a destination or a service level. Its endpoints belong to the queue pairs and contexts of that unit.
//!
//! ```text
//! RoundRobin    endpoint has a packet to send -> ring of its flow
//!               flow has such endpoints:  its inter-packet gap is over -> ring of its lane (ready)
//!                                         else                         -> heap of paced flows
//! OldestFirst   endpoint has a packet to send, and
//!               its flow's gap is over -> queue of its lane, by the age of its message
//!               else                   -> ring of its flow, and its flow into the heap of paced flows
//! ```

mod oldest_first;

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use cc_policies::AnyState;
use packet::{ByLane, Lane};
use prefetch::{prefetch, prefetch_all};
use units::Time;

use self::oldest_first::OldestFirst;
use crate::spec::ScheduleSpec;

/// End of a ring.
const END: u32 = u32::MAX;

/// Successor of an endpoint that is in no ring or queue.
const NOT_OFFERED: u32 = u32::MAX - 1;

/// A first-in-first-out list of indices, linked through a table of successors.
#[derive(Clone, Copy, Debug)]
struct IndexRing {
    first: u32,
    last: u32,
}

state_codec::value!(IndexRing { first, last });

/// A flow that a response policy controls. It fills a cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct ControlledFlow {
    state: AnyState,
    /// End of the inter-packet gap, before which the flow may not send.
    paced_until: Time,
    /// Endpoints with a packet to send.
    endpoints: IndexRing,
    /// Successor in the ring of its lane.
    next: u32,
    lane: Lane,
    place: FlowPlace,
    /// True if the flow was paced with a packet to send since it last sent.
    was_paced: bool,
}

state_codec::state!(ControlledFlow {
    state: part,
    paced_until,
    endpoints,
    next,
    lane: plan,
    place,
    was_paced
});

/// An endpoint in the ring of its flow, or in the queue of its lane.
#[derive(Clone, Copy, Debug)]
struct ScheduledEndpoint {
    /// Successor in the ring; in a queue, any other value than [`NOT_OFFERED`].
    next: u32,
}

state_codec::value!(ScheduledEndpoint { next });

/// A table entry with a successor in a ring.
trait Linked {
    fn next(&mut self) -> &mut u32;

    fn successor(&self) -> u32;
}

impl Linked for ControlledFlow {
    fn next(&mut self) -> &mut u32 {
        &mut self.next
    }

    fn successor(&self) -> u32 {
        self.next
    }
}

impl Linked for ScheduledEndpoint {
    fn next(&mut self) -> &mut u32 {
        &mut self.next
    }

    fn successor(&self) -> u32 {
        self.next
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FlowPlace {
    Nowhere,
    Ready,
    Paced,
}

state_codec::value!(enum FlowPlace { 0 = Nowhere, 1 = Ready, 2 = Paced });

/// The endpoints and flows of an adapter, and the order in which they send.
#[derive(Clone, Debug)]
#[repr(C)] // What is always looked at goes first.
pub struct Schedule {
    /// Time at which the next inter-packet gap ends, as in the first entry of `paced`.
    next_resume: Time,
    /// Flows and endpoints that may send now.
    ready: ReadyQueues,
    flows: Vec<ControlledFlow>,
    /// By number of the endpoint.
    endpoints: Vec<ScheduledEndpoint>,
    paced: BinaryHeap<Reverse<(Time, u32)>>,
}

state_codec::state!(Schedule { next_resume, ready: part, flows: part, endpoints: part, paced });

/// Flows or endpoints that may send now, by lane.
#[derive(Clone, Debug)]
enum ReadyQueues {
    /// Flows, in the order of their turns.
    RoundRobin(ByLane<IndexRing>),
    /// Endpoints, by age.
    OldestFirst(Box<OldestFirst>),
}

state_codec::state!(enum ReadyQueues { 0 = RoundRobin(rings: part), 1 = OldestFirst(queues: part) });

/// The endpoint that sends next on a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Number of the controlled flow.
    pub flow: u32,
    /// Number of the endpoint.
    pub endpoint: u32,
}

impl Schedule {
    /// An empty schedule for this many lanes.
    #[must_use]
    pub fn new(spec: ScheduleSpec, lanes: usize) -> Self {
        Self {
            ready: match spec {
                ScheduleSpec::RoundRobin => ReadyQueues::RoundRobin(ByLane::all(IndexRing::EMPTY, lanes)),
                ScheduleSpec::OldestFirst => ReadyQueues::OldestFirst(Box::new(OldestFirst::new(lanes))),
            },
            next_resume: Time::NEVER,
            flows: Vec::new(),
            endpoints: Vec::new(),
            paced: BinaryHeap::new(),
        }
    }

    /// Adds a controlled flow, and returns its number.
    pub fn add_flow(&mut self, state: AnyState, lane: Lane) -> u32 {
        let (paced_until, endpoints, place) = (Time::ZERO, IndexRing::EMPTY, FlowPlace::Nowhere);
        self.flows.push(ControlledFlow {
            state,
            paced_until,
            endpoints,
            next: END,
            lane,
            place,
            was_paced: false,
        });
        // Each flow is among the paced at most once. Room for all of them keeps the event loop from allocating.
        self.paced.reserve(self.flows.len() - self.paced.len());
        self.flows.len() as u32 - 1
    }

    /// Makes room for endpoints and flows.
    pub fn expect(&mut self, endpoints: usize, flows: usize) {
        self.endpoints.reserve_exact(endpoints);
        self.flows.reserve_exact(flows);
        self.paced.reserve(flows);
    }

    /// Adds an endpoint, with the next number.
    pub fn add_endpoint(&mut self) {
        self.endpoints.push(ScheduledEndpoint { next: NOT_OFFERED });
        if let ReadyQueues::OldestFirst(line) = &mut self.ready {
            line.add_endpoint();
        }
    }

    /// Returns the response policy's state of a flow.
    pub fn state(&mut self, flow: u32) -> &mut AnyState {
        &mut self.flows[flow as usize].state
    }

    /// Returns the response policy's state of a flow, if there is such a flow.
    #[must_use]
    pub fn peek_state(&self, flow: u32) -> Option<&AnyState> {
        self.flows.get(flow as usize).map(|flow| &flow.state)
    }

    /// Returns true if a flow with a packet to send last waited for the end of its inter-packet gap.
    #[must_use]
    pub fn was_paced(&self, flow: u32) -> bool {
        self.flows[flow as usize].was_paced
    }

    /// Adds an endpoint of `flow` that has a packet to send, unless the schedule knows it. If the oldest goes first,
    /// the order is by `age`: the lower, the older.
    pub fn offer(&mut self, flow: u32, endpoint: u32, age: u64, now: Time) {
        let next = &mut self.endpoints[endpoint as usize].next;
        if *next == NOT_OFFERED {
            *next = END;
            self.enqueue(Selection { flow, endpoint }, age, now);
        }
    }

    /// Resumes the flows with an inter-packet gap that is over.
    #[inline]
    pub fn resume_paced(&mut self, now: Time) {
        if self.next_resume <= now {
            self.resume_all_paced(now);
        }
    }

    #[inline(never)] // Few instants end a gap.
    fn resume_all_paced(&mut self, now: Time) {
        while self.next_resume <= now {
            if let Some(Reverse((_, number))) = self.paced.pop() {
                let flow = &mut self.flows[number as usize];
                (flow.place, flow.was_paced) = (FlowPlace::Nowhere, true);
                self.place(number, now);
            }
            self.next_resume = self.paced.peek().map_or(Time::NEVER, |Reverse((until, _))| *until);
        }
    }

    /// Returns the time at which the next inter-packet gap ends.
    #[must_use]
    pub const fn next_resume(&self) -> Time {
        self.next_resume
    }

    /// Prefetches the flow that is next in turn on VL0, and the end of the next gap.
    #[inline]
    pub fn prefetch(&self) {
        if let Some(paced) = self.paced.peek() {
            prefetch(paced);
        }
        if let ReadyQueues::RoundRobin(lanes) = &self.ready
            && let Some(flow) = lanes[Lane(0)].first()
        {
            self.prefetch_flow(flow);
        }
    }

    /// Prefetches the flow with this number, if it exists.
    #[inline]
    pub fn prefetch_flow(&self, flow: u32) {
        if let Some(flow) = self.flows.get(flow as usize) {
            prefetch_all(flow);
        }
    }

    /// Returns the endpoint that sends next on this lane.
    #[must_use]
    pub fn select(&self, lane: Lane) -> Option<Selection> {
        match &self.ready {
            ReadyQueues::RoundRobin(lanes) => {
                let flow = lanes[lane].first()?;
                let endpoint =
                    self.flows[flow as usize].endpoints.first().expect("a ready flow has a endpoint");
                Some(Selection { flow, endpoint })
            }
            ReadyQueues::OldestFirst(line) => line.first(lane),
        }
    }

    /// Returns every endpoint that may send on this lane now, in no particular order.
    pub fn all_ready(&self, lane: Lane, now: Time) -> impl Iterator<Item = u32> {
        let (flows, queued) = match &self.ready {
            ReadyQueues::RoundRobin(lanes) => (Some(lanes[lane]), None),
            ReadyQueues::OldestFirst(line) => (None, Some(line.all(lane))),
        };
        let in_turn = flows.into_iter().flat_map(|ring| ring.entries(&self.flows));
        let in_turn = in_turn.flat_map(|flow| self.flows[flow as usize].endpoints.entries(&self.endpoints));
        // A flow that was paced since its endpoint joined the queue leaves the queue when it is first.
        let by_age = queued.into_iter().flatten();
        let by_age = by_age.filter(move |chosen| self.flows[chosen.flow as usize].paced_until <= now);
        in_turn.chain(by_age.map(|chosen| chosen.endpoint))
    }

    /// Returns true if an endpoint may send on any lane.
    #[must_use]
    pub fn has_candidate(&self) -> bool {
        match &self.ready {
            ReadyQueues::RoundRobin(lanes) => lanes.iter().any(|ring| ring.first().is_some()),
            ReadyQueues::OldestFirst(line) => !line.is_empty(),
        }
    }

    /// Handles a packet sent by the selected endpoint. `more` is the age of the endpoint's next packet, if it has a
    /// next packet. The flow may not send before `paced_until`.
    pub fn sent(&mut self, selection: Selection, more: Option<u64>, paced_until: Time, now: Time) {
        let flow = &mut self.flows[selection.flow as usize];
        let lane = flow.lane;
        flow.paced_until = paced_until;
        flow.was_paced = false;
        match &mut self.ready {
            ReadyQueues::RoundRobin(lanes) => {
                let continues = more.is_some() && flow.endpoints.has_one();
                // A flow without rivals keeps its place: its successor need not be read.
                if continues && paced_until <= now && lanes[lane].has_one() {
                    return;
                }
                flow.place = FlowPlace::Nowhere;
                if !continues {
                    flow.endpoints.pop(&mut self.endpoints);
                }
                lanes[lane].pop(&mut self.flows);
                if continues {
                    return self.place(selection.flow, now);
                }
            }
            ReadyQueues::OldestFirst(line) => line.pop(lane),
        }
        if let Some(age) = more {
            self.enqueue(selection, age, now);
        } else {
            self.endpoints[selection.endpoint as usize].next = NOT_OFFERED;
            self.place(selection.flow, now);
        }
        self.set_paced_aside(lane, now);
    }

    /// Removes the selected endpoint, which has no packet to send after all.
    pub fn withdraw(&mut self, selection: Selection, now: Time) {
        let paced_until = self.flows[selection.flow as usize].paced_until;
        self.sent(selection, None, paced_until, now);
    }

    /// Adds an endpoint to the queue of its lane, or to its flow's ring while the flow is paced.
    fn enqueue(&mut self, Selection { flow, endpoint }: Selection, age: u64, now: Time) {
        let own = &mut self.flows[flow as usize];
        if let ReadyQueues::OldestFirst(line) = &mut self.ready {
            line.set_age(endpoint, age);
            if own.paced_until <= now {
                line.push(own.lane, Selection { flow, endpoint });
                return;
            }
        }
        own.endpoints.push(endpoint, &mut self.endpoints);
        self.place(flow, now);
    }

    /// Oldest first: removes endpoints from the front of the queue if their flow has been paced since they joined it.
    fn set_paced_aside(&mut self, lane: Lane, now: Time) {
        loop {
            let ReadyQueues::OldestFirst(line) = &mut self.ready else { return };
            let Some(selection) = line.first(lane) else { return };
            let flow = &mut self.flows[selection.flow as usize];
            if flow.paced_until <= now {
                return;
            }
            line.pop(lane);
            flow.endpoints.push(selection.endpoint, &mut self.endpoints);
            self.place(selection.flow, now);
        }
    }

    /// Puts a flow that is nowhere into its lane's ring, or among the paced flows.
    fn place(&mut self, number: u32, now: Time) {
        let flow = &mut self.flows[number as usize];
        if flow.place != FlowPlace::Nowhere || flow.endpoints.first().is_none() {
            return;
        }
        if flow.paced_until > now {
            flow.place = FlowPlace::Paced;
            self.next_resume = self.next_resume.min(flow.paced_until);
            self.paced.push(Reverse((flow.paced_until, number)));
            return;
        }
        let lane = flow.lane;
        match &mut self.ready {
            ReadyQueues::RoundRobin(lanes) => {
                flow.place = FlowPlace::Ready;
                lanes[lane].push(number, &mut self.flows);
            }
            ReadyQueues::OldestFirst(line) => {
                while let Some(endpoint) = flow.endpoints.first() {
                    flow.endpoints.pop(&mut self.endpoints);
                    line.push(lane, Selection { flow: number, endpoint });
                }
            }
        }
    }
}

impl IndexRing {
    const EMPTY: Self = Self { first: END, last: END };

    fn first(&self) -> Option<u32> {
        (self.first != END).then_some(self.first)
    }

    const fn has_one(&self) -> bool {
        self.first == self.last && self.first != END
    }

    /// Returns all entries, from the first on.
    fn entries(self, all: &[impl Linked]) -> impl Iterator<Item = u32> {
        let next = move |entry: &u32| (*entry != self.last).then(|| all[*entry as usize].successor());
        core::iter::successors(self.first(), next)
    }

    fn push(&mut self, endpoint: u32, all: &mut [impl Linked]) {
        *all[endpoint as usize].next() = END;
        if self.first == END {
            self.first = endpoint;
        } else {
            *all[self.last as usize].next() = endpoint;
        }
        self.last = endpoint;
    }

    fn pop(&mut self, all: &mut [impl Linked]) {
        self.first = *all[self.first as usize].next();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use units::Span;

    fn at(us: u64) -> Time {
        Span::from_us(us).after_start()
    }

    #[test]
    fn a_paced_flow_delays_no_other() {
        let mut schedule = Schedule::new(ScheduleSpec::RoundRobin, 1);
        for endpoint in 0..3 {
            schedule.add_endpoint();
            let flow = schedule.add_flow(AnyState::Off, Lane(0));
            schedule.offer(flow, endpoint, 0, at(0));
        }
        let mut order = Vec::new();
        for now in 0..9 {
            schedule.resume_paced(at(now));
            let selection = schedule.select(Lane(0)).expect("two flows are never paced");
            let gap = if selection.flow == 1 { at(now + 5) } else { Time::ZERO };
            schedule.sent(selection, Some(0), gap, at(now));
            order.push(selection.flow);
        }
        assert_eq!(order, [0, 1, 2, 0, 2, 0, 2, 0, 1]);
        assert_eq!(schedule.next_resume(), at(13));
    }

    #[test]
    fn endpoints_of_one_flow_share_its_gap_and_take_turns() {
        let mut schedule = Schedule::new(ScheduleSpec::RoundRobin, 1);
        let flow = schedule.add_flow(AnyState::Off, Lane(0));
        for endpoint in 0..2 {
            schedule.add_endpoint();
            schedule.offer(flow, endpoint, 0, at(0));
        }
        let mut order = Vec::new();
        for now in (0..40).step_by(10) {
            schedule.resume_paced(at(now));
            let selection = schedule.select(Lane(0)).expect("the gap is over");
            schedule.sent(selection, Some(0), at(now + 10), at(now));
            assert_eq!(schedule.select(Lane(0)), None);
            order.push(selection.endpoint);
        }
        assert_eq!(order, [0, 1, 0, 1]);
    }

    proptest! {
        /// In either order, all endpoints with a packet and an unpaced flow are ready, on their flow's lane alone.
        /// Endpoints 2 and 3 share flow 2.
        #[test]
        fn all_that_may_send_are_ready(
            spec in prop::sample::select(&[ScheduleSpec::RoundRobin, ScheduleSpec::OldestFirst][..]),
            ops in prop::collection::vec((0..3u8, 0..4usize, 0..6u64), 0..100),
        ) {
            let (flows, lanes) = ([0, 1, 2, 2], [Lane(0), Lane(1), Lane(0)]);
            let mut schedule = Schedule::new(spec, 2);
            lanes.iter().for_each(|lane| { schedule.add_flow(AnyState::Off, *lane); });
            flows.iter().for_each(|_| schedule.add_endpoint());
            let (mut packets, mut paced_until, mut now) = ([0; 4], [Time::ZERO; 3], Time::ZERO);
            for (age, (op, endpoint, us)) in (0..).zip(ops) {
                let flow = flows[endpoint];
                let chosen = schedule.select(lanes[flow as usize]);
                match (op, chosen) {
                    (0, _) => {
                        packets[endpoint] += 1;
                        schedule.offer(flow, endpoint as u32, age, now);
                    }
                    (1, Some(chosen)) => {
                        let left = &mut packets[chosen.endpoint as usize];
                        *left -= 1;
                        let until = now + Span::from_us(us);
                        paced_until[chosen.flow as usize] = until;
                        schedule.sent(chosen, (*left > 0).then_some(age), until, now);
                    }
                    _ => {
                        now += Span::from_us(us);
                        schedule.resume_paced(now);
                    }
                }
                let may = |number: &u32| {
                    let number = *number as usize;
                    packets[number] > 0 && paced_until[flows[number] as usize] <= now
                };
                for lane in [Lane(0), Lane(1)] {
                    let of_lane = |number: &u32| lanes[flows[*number as usize] as usize] == lane;
                    let mut ready: Vec<u32> = schedule.all_ready(lane, now).collect();
                    ready.sort_unstable();
                    let expected: Vec<u32> = (0..4).filter(of_lane).filter(may).collect();
                    prop_assert_eq!(ready, expected);
                }
                prop_assert_eq!(schedule.has_candidate(), (0..4).any(|number| may(&number)));
            }
        }
    }
}
