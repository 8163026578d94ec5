//! The end of a run when its finite traffic is delivered.
//!
//! Invariant: such a run has the same events as a run with its last instant as `duration`. A window in which the last
//! message could be delivered is therefore cut at that delivery. Cutting windows changes no result.
//!
//! | time | check |
//! |---|---|
//! | before the last message that time alone brings | none |
//! | after | before each window: the deliveries that it can bring are compared with the missing deliveries |
//!
//! With a thread for each part, all threads meet once more before each window. They add up the deliveries that it can
//! bring to each part. Where the last message could be among them, a single thread goes on for some windows.
//!
//! Every delivery of a window is an event in it: the arrival of a message's last packet, or of a missing packet where
//! packets are taken in any order. It crosses a wire, and so is
//! scheduled before the window opens. Once deliveries are counted, a window never ends later than all of its events
//! are known. Behind a slow host, the end of the host's work takes the place of the arrival.
//!
//! A job is done when its last operation ends. While messages are missing it cannot be. Afterwards a window ends with
//! the first event that could end an operation: an arrival at an adapter, or the end of a computation.

use std::sync::Arc;

use ca_transport::{Adapter, AdapterTimer};
use packet::NodeId;
use scenario::Plan;
use state_codec::{StateWriter, Value};
use units::{Span, Time};
use workload::{Flow, Posting};

use super::{after, before};
use crate::state::event::EventKind;
use crate::state::interconnect::Interconnect;
use crate::state::part::Part;
use crate::state::world::observed::RankQuestion;
use crate::state::world::{Node, NodePlace, World};

/// Watches for the delivery of the last message of finite traffic.
#[derive(Debug)]
pub(crate) struct UntilDone {
    /// Times at which finite traffic may have ended without a delivery, latest first: its last posting, and later
    /// stops of closed loops.
    checks: Vec<Time>,
    /// Time of the last of these checks; `None` before the last posting.
    checked: Option<Time>,
    /// Messages that are not delivered, or fewer.
    missing: u64,
    /// True if the window was cut at an instant at which the last message can be delivered.
    cut: bool,
    /// Kind of each flow.
    finite: Arc<[FlowKind]>,
    /// Adapters of this process with a slow host, at the end of finite flows.
    slow: Box<[NodeId]>,
    /// Times of the deliveries that the next window can bring.
    candidates: Vec<Time>,
}

state_codec::state!(UntilDone {
    checks,
    checked,
    missing: derived,
    cut,
    finite: plan,
    slow: plan,
    candidates: derived,
});

impl UntilDone {
    /// Creates the watch of a run of this plan.
    pub(crate) fn new(plan: &Plan, world: &World) -> Self {
        let workload = plan.workload();
        let last = workload.finite.last_posting;
        let stops = workload.finite.loop_stops.iter().rev().copied();
        let checks = stops.filter(|stop| *stop > last).chain([last]).collect();
        let finite: Arc<[FlowKind]> = workload.flows.iter().map(FlowKind::of).collect();
        let sinks = world.flows.iter().zip(&*finite).filter(|(_, kind)| kind.is_finite());
        let mut slow: Vec<_> = sinks.map(|(ends, _)| ends.sink.0).collect();
        slow.retain(
            |node| matches!(world.own_node(*node), Some(Node::Adapter(adapter)) if adapter.is_slow()),
        );
        slow.sort_unstable();
        slow.dedup();
        let candidates = Vec::with_capacity(finite.len());
        let slow = slow.into();
        Self { checks, checked: None, missing: 0, cut: false, finite, slow, candidates }
    }

    /// Returns the time of the next [check](Self::check).
    pub(crate) fn next_check(&self) -> Time {
        self.checks.last().copied().unwrap_or(Time::NEVER)
    }

    /// Counts the missing messages anew, and forgets the candidates of earlier windows, which depend on how windows
    /// were cut.
    pub(crate) fn recount(&mut self, world: &World) {
        self.candidates.clear();
        self.missing = self.checked.map_or(0, |_| world.finite_messages(world.now()).undelivered());
    }

    /// Returns true once deliveries are counted before each window.
    pub(crate) fn is_counting(&self) -> bool {
        self.checked.is_some()
    }

    /// Checks at its time, once all events of this instant are handled. Returns true if all is delivered.
    pub(crate) fn check(&mut self, now: Time, world: &World) -> bool {
        self.checks.pop();
        self.checked = Some(now);
        let messages = world.finite_messages(now);
        self.missing = messages.undelivered();
        messages.is_all()
    }

    /// Returns true at a sample if no queue pair that still works has a finite message to deliver. All failures date
    /// from the previous sample or earlier. Packets that were under way then have had an interval of samples to
    /// arrive.
    pub(crate) fn is_given_up(&self, world: &World, interval: Span) -> bool {
        if !self.is_counting() {
            return false;
        }
        let unfinished = world.unfinished();
        let mut of_finite =
            unfinished.failed.iter().filter(|(_, flow)| self.finite[flow.index()].is_finite());
        let latest = of_finite.next_back().map(|(at, _)| *at);
        !unfinished.works && latest.is_some_and(|at| world.now().since(at) >= interval)
    }

    /// Returns the end of the next window, exclusive: `end`, or just after an earlier instant at which the last
    /// message can be delivered.
    pub(crate) fn window_end(&mut self, world: &mut World, end: Time) -> Time {
        let Some(checked) = self.checked else { return end };
        let (possible, slow) = self.deliveries(world, end);
        // `missing` is counted down by possible deliveries, not by actual deliveries. It may be too small, so the
        // exact count is taken only when it matters.
        if self.missing <= possible {
            let handled = before(world.window_end);
            self.missing = world.finite_messages(handled.max(checked)).undelivered();
        }
        if self.missing > possible {
            // A second count after the window would look at every adapter. The lower bound needs none.
            self.missing -= possible;
            return end;
        }
        // The window ends just after the first instant at which the count can be complete: every earlier delivery
        // leaves at least one message missing.
        self.cut = true;
        // Without a missing message, ranks of jobs are not done: any event at an adapter may end the last of them.
        let last = self.missing.checked_sub(1).and_then(|last| usize::try_from(last).ok());
        let last = last.filter(|last| *last < self.candidates.len());
        let last = last.map(|last| *self.candidates.select_nth_unstable(last).1);
        last.into_iter().chain(slow).min().map_or(end, after)
    }

    /// Collects the deliveries of finite messages that can happen in the next window. Returns an upper bound of their
    /// number, and the time of the first event of a slow host.
    fn deliveries(&mut self, world: &mut World, end: Time) -> (u64, Option<Time>) {
        self.candidates.clear();
        let (candidates, finite) = (&mut self.candidates, &self.finite);
        let (mut slow, mut waiting) =
            own_deliveries(world, (finite, &self.slow), end, |at| candidates.push(at));
        for of_rank in world.of_others::<Deliveries>(&RankQuestion::Deliveries { end }) {
            candidates.extend(of_rank.times);
            slow = slow.into_iter().chain(of_rank.slow).min();
            waiting += of_rank.waiting;
        }
        // A slow host may complete several messages in one window, each with packets that wait already. Without an
        // event of such a host, none of them can.
        let waiting = if slow.is_some() { waiting } else { 0 };
        (candidates.len() as u64 + waiting, slow)
    }

    /// Answers with the deliveries that the next window can bring to this process.
    pub(super) fn put_deliveries(&self, world: &mut World<'_>, end: Time, to: &mut StateWriter) {
        let mut times = Vec::new();
        let (slow, waiting) = own_deliveries(world, (&self.finite, &self.slow), end, |at| times.push(at));
        Deliveries { times, slow, waiting }.put(to);
    }

    /// Returns the count for each part of this process on a thread of its own, once deliveries are counted.
    pub(super) fn counting(&self, world: &World<'_>) -> Option<Vec<Counting>> {
        self.checked.map(|_| self.counting_from(self.missing, world))
    }

    /// Returns the count for each part of this process, which begins with `missing` messages.
    pub(super) fn counting_from(&self, missing: u64, world: &World<'_>) -> Vec<Counting> {
        let counting = |_| Counting { finite: Arc::clone(&self.finite), slow: Vec::new(), missing };
        let mut all: Vec<_> = world.parts.iter().map(counting).collect();
        for node in &self.slow {
            let NodePlace { part, index } = world.places[node.index()];
            all[part.index() - world.first_part].slow.push(index);
        }
        all
    }

    /// Takes over the number of missing messages that threads have counted down.
    pub(super) fn counted(&mut self, missing: u64) {
        self.missing = missing;
    }

    /// Returns the instant of the last delivery, if the window that was just handled brought it.
    pub(crate) fn delivered(&mut self, world: &World) -> Option<Time> {
        if !core::mem::take(&mut self.cut) {
            return None;
        }
        let now = before(world.window_end);
        let messages = world.finite_messages(now);
        self.missing = messages.undelivered();
        messages.is_all().then_some(now)
    }
}

/// Kind of a flow, as far as the end of a run depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlowKind {
    /// The flow has no end of its own.
    Endless,
    Finite,
    /// Finite, and its messages and their completions let ranks of a job go on.
    OfJob,
}

impl FlowKind {
    fn of(flow: &Flow) -> Self {
        match flow.posting {
            Posting::Job { .. } => Self::OfJob,
            _ if flow.finite => Self::Finite,
            _ => Self::Endless,
        }
    }

    const fn is_finite(self) -> bool {
        !matches!(self, Self::Endless)
    }
}

/// Deliveries that a window can bring to the parts of another process.
#[derive(Debug)]
struct Deliveries {
    times: Vec<Time>,
    /// Time of the first event of a slow host.
    slow: Option<Time>,
    /// Packets that wait for such hosts.
    waiting: u64,
}

state_codec::value!(Deliveries { times, slow, waiting });

/// The count of deliveries that windows can bring to a part.
pub(super) struct Counting {
    /// Kind of each flow.
    pub(super) finite: Arc<[FlowKind]>,
    /// Positions of the part's adapters with a slow host, at the end of finite flows.
    pub(super) slow: Vec<u32>,
    /// Messages of the whole fabric that are not delivered, or fewer.
    pub(super) missing: u64,
}

impl Counting {
    /// Returns the number of deliveries, or more, that the part's next window can bring up to `end`.
    pub(super) fn possible(&self, part: &mut Part, end: Time) -> u64 {
        let mut count = 0;
        let slow = visit_deliveries(part, &self.finite, end, |_| count += 1);
        let waiting = |index: &u32| part.adapters[*index as usize].ends_waiting();
        count + if slow.is_some() { self.slow.iter().map(waiting).sum() } else { 0 }
    }
}

/// Shows the times of finite deliveries that can happen in the next window of this process's parts to `see`. Returns
/// the time of the first event of a slow host, and the number of packets that wait for `slow_hosts`.
fn own_deliveries(
    world: &mut World<'_>,
    (finite, slow_hosts): (&[FlowKind], &[NodeId]),
    end: Time,
    mut see: impl FnMut(Time),
) -> (Option<Time>, u64) {
    let parts = world.parts.iter_mut();
    let slow = parts.filter_map(|part| visit_deliveries(part, finite, end, &mut see)).min();
    let waiting = |node: &NodeId| world.adapter(*node).ends_waiting();
    (slow, slow_hosts.iter().map(waiting).sum())
}

/// Shows the times of finite deliveries that can happen in a part's next window to `see`. Returns the time of the
/// first event of a slow host.
fn visit_deliveries(
    part: &mut Part,
    finite: &[FlowKind],
    end: Time,
    mut see: impl FnMut(Time),
) -> Option<Time> {
    let Part { adapters, interconnect, .. } = part;
    let Interconnect { queue, pool, .. } = interconnect;
    // All hosts have the same order of delivery.
    let any_order = adapters.first().is_some_and(Adapter::delivers_in_any_order);
    let mut slow: Option<Time> = None;
    for (at, event) in queue.next_window(end) {
        let of_slow_host = match event.kind() {
            EventKind::Arrive(_, packet) if event.node().index() < adapters.len() => {
                let packet = &pool[packet];
                let itself = packet.bth.opcode.ends_message();
                let kind = finite[packet.flow.index()];
                // An acknowledgement may complete a send, and with it a rank.
                if kind == FlowKind::OfJob && !packet.bth.opcode.is_data() {
                    slow = Some(slow.map_or(at, |first| first.min(at)));
                }
                if !itself && !any_order || !kind.is_finite() {
                    continue;
                }
                let adapter = &adapters[event.node().index()];
                let others = if any_order { adapter.ends_ahead(packet) } else { 0 };
                let ends = u32::from(itself) + others;
                if ends == 0 {
                    continue;
                }
                (0..ends).for_each(|_| see(at));
                adapter.is_slow()
            }
            EventKind::Adapter(AdapterTimer::HostConsumed | AdapterTimer::Compute) => true,
            _ => false,
        };
        if of_slow_host {
            slow = Some(slow.map_or(at, |first| first.min(at)));
        }
    }
    slow
}
