//! The end of a run when its finite traffic is delivered.
//!
//! Invariant: such a run has the events of a run whose `duration` is the instant at which it ends. A window in which the
//! last message could be delivered is therefore cut at that delivery, and cutting windows changes no result.
//!
//! | time | check |
//! |---|---|
//! | before the last message that time alone brings | none |
//! | after | before each window: the deliveries that it can bring are counted, and compared with those that are missing |
//!
//! Every delivery of a window is an event in it: the arrival of a message's last packet, which crosses a wire and so is
//! scheduled before the window is opened. Behind a host that takes its time, it is the end of the host's work instead.

use ca_transport::AdapterTimer;
use packet::NodeId;
use scenario::Plan;
use units::Time;

use super::after;
use crate::state::event::EventKind;
use crate::state::interconnect::Interconnect;
use crate::state::world::World;

/// Watches for the delivery of the last message of finite traffic.
#[derive(Debug)]
pub(crate) struct UntilDone {
    /// Times at which finite traffic may have ended without a delivery, latest first: its last posting, and later stops of
    /// closed loops.
    checks: Vec<Time>,
    /// Time of the last of these checks; `None` before the last posting.
    checked: Option<Time>,
    /// Messages that are not delivered, or fewer.
    missing: u64,
    /// True if the window was cut at an instant at which the last message can be delivered.
    cut: bool,
    /// Finite flows, by flow.
    finite: Box<[bool]>,
    /// Adapters that finite flows lead to, whose hosts take their time.
    slow: Box<[NodeId]>,
    /// Times of the deliveries that the next window can bring.
    candidates: Vec<Time>,
}

impl UntilDone {
    /// Creates the watch of a run of this plan.
    pub(crate) fn new(plan: &Plan, world: &World) -> Self {
        let workload = plan.workload();
        let last = workload.finite.last_posting;
        let stops = workload.finite.loop_stops.iter().rev().copied();
        let checks = stops.filter(|stop| *stop > last).chain([last]).collect();
        let finite: Box<[bool]> = workload.flows.iter().map(|flow| flow.finite).collect();
        let sinks = world.flows.iter().zip(&finite).filter(|(_, finite)| **finite);
        let mut slow: Vec<_> = sinks.map(|(ends, _)| ends.sink.0).collect();
        slow.retain(|node| world.adapters[node.index()].is_slow());
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

    /// Checks at its time, once all events of this instant are handled. Returns true if all is delivered.
    pub(crate) fn check(&mut self, now: Time, world: &World) -> bool {
        self.checks.pop();
        self.checked = Some(now);
        self.missing = world.finite_messages(now).undelivered();
        self.missing == 0
    }

    /// Returns the end of the next window, exclusive: `end`, or just after an earlier instant at which the last message can be
    /// delivered.
    pub(crate) fn window_end(&mut self, world: &mut World, end: Time) -> Time {
        let Some(checked) = self.checked else { return end };
        let (possible, slow) = self.deliveries(world, end);
        if self.missing <= possible {
            let handled = Time::from_ps(world.interconnect.queue.window_end().ps().saturating_sub(1));
            self.missing = world.finite_messages(handled.max(checked)).undelivered();
        }
        if self.missing > possible {
            self.missing -= possible;
            return end;
        }
        self.cut = true;
        let last = usize::try_from(self.missing - 1).ok().filter(|last| *last < self.candidates.len());
        let last = last.map(|last| *self.candidates.select_nth_unstable(last).1);
        last.into_iter().chain(slow).min().map_or(end, after)
    }

    /// Collects the deliveries of finite messages that can happen in the next window. Returns their number, or more, and the
    /// time of the first event of a host that takes its time.
    fn deliveries(&mut self, world: &mut World, end: Time) -> (u64, Option<Time>) {
        let World { adapters, interconnect, .. } = world;
        let Interconnect { queue, pool, .. } = interconnect;
        self.candidates.clear();
        let mut slow: Option<Time> = None;
        for (at, event) in queue.next_window(end) {
            let of_slow_host = match event.kind {
                EventKind::Arrive(_, packet) if event.node.index() < adapters.len() => {
                    let packet = &pool[packet];
                    if !packet.bth.opcode.ends_message() || !self.finite[packet.flow.index()] {
                        continue;
                    }
                    self.candidates.push(at);
                    adapters[event.node.index()].is_slow()
                }
                EventKind::Adapter(AdapterTimer::HostConsumed) => true,
                _ => false,
            };
            if of_slow_host {
                slow = Some(slow.map_or(at, |first| first.min(at)));
            }
        }
        let waiting = |node: &NodeId| adapters[node.index()].waiting_for_host();
        let waiting: u64 = if slow.is_some() { self.slow.iter().map(waiting).sum() } else { 0 };
        (self.candidates.len() as u64 + waiting, slow)
    }

    /// Returns the instant at which the window that was just handled delivered the last message, if it did.
    pub(crate) fn delivered(&mut self, world: &World) -> Option<Time> {
        if !core::mem::take(&mut self.cut) {
            return None;
        }
        let now = Time::from_ps(world.interconnect.queue.window_end().ps() - 1);
        self.missing = world.finite_messages(now).undelivered();
        (self.missing == 0).then_some(now)
    }
}
