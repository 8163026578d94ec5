//! The event loop.
//!
//! Invariant: within a window, which is no longer than the shortest wire delay, nodes handle their events one node
//! after the other, in any order. A node finishes one instant before it begins the next, and decides exactly once in
//! it. Instruments look between windows, when all events up to their instant are handled.
//!
//! [`Run::run_until`] is the only place that opens windows. A run split into parts runs it once for each part, each on
//! a `World` of its own: parts meet after every window to exchange the events that
//! [`state::interconnect`](crate::state::interconnect) sent to other parts, and before instruments look.
//!
//! | module | contents |
//! |---|---|
//! | here | windows, and the turns of nodes |
//! | `prefetching` | prefetches memory, for fabrics larger than any cache |
//! | `until_done` | ends a run when its finite traffic is delivered |
//! | `drain` | runs a fabric empty after its sources fall silent |
//! | `audit` | conservation of packets |
//! | `error` | the reasons for which a run fails |

mod audit;
mod drain;
pub(crate) mod error;
mod prefetching;
mod until_done;

use core::sync::atomic::{AtomicBool, Ordering};

use ca_transport::Adapter;
use event_kernel::Stream;
use packet::NodeId;
use rand::seq::SliceRandom;
use switch_arch::Switch;
use telemetry::{Audit, Progress, RunEnding};
use units::Time;

use crate::observe::Instruments;
use crate::observe::deadlock::{self, Deadlock};
use crate::state::event::EventKind;
use crate::state::interconnect::{NodeAccess, NodeViolation};
use crate::state::world::World;
use error::{RunError, Violation};
use prefetching::Prefetching;
use scenario::Plan;
use until_done::UntilDone;

/// Variations of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions<'a> {
    /// Silences the sources at the end, runs until the fabric is empty, and demands that every packet is delivered and
    /// every credit returned.
    pub drain: bool,
    /// Shuffles the nodes of each window by this seed, so that events are scheduled in another order. The result is
    /// the same for every seed, which a test checks.
    pub scramble: Option<u64>,
    /// Ends the run soon after it becomes true, at the instant that the run has reached: within some hundred thousand
    /// events, which take a fraction of a second. The record says so ([`RunRecord::ended`](telemetry::RunRecord)).
    pub interrupt: Option<&'a AtomicBool>,
    /// Most moments at which every output and the congestion trees are recorded ([`RunRecord::timeline`](telemetry::RunRecord));
    /// none if 0. There are at least half as many if the run has as many samples, and fewer in fabrics of more than 8,192
    /// outputs and lanes.
    pub moments: usize,
}

/// Events between two reports of progress.
const PROGRESS_EVERY: u64 = 1 << 18;

/// A run: the world, the instruments that look at it, and the loop's own counts.
pub(crate) struct Run<'a> {
    pub(crate) world: World,
    pub(crate) instruments: Instruments,
    /// Events handled.
    pub(crate) events: u64,
    /// The packet counts, from the end of the simulated time or of the drain.
    pub(crate) audit: Audit,
    /// Reason for which the run has ended.
    pub(crate) ended: RunEnding,
    /// End of the run, before a drain.
    pub(crate) end: Time,
    until_done: Option<UntilDone>,
    prefetching: Prefetching,
    scramble: Option<Stream>,
    interrupt: Option<&'a AtomicBool>,
}

impl<'a> Run<'a> {
    /// Creates a run of a world at rest.
    pub(crate) fn new(world: World, instruments: Instruments, options: RunOptions<'a>) -> Self {
        Self {
            world,
            instruments,
            events: 0,
            audit: Audit::default(),
            ended: RunEnding::AtDuration,
            end: Time::ZERO,
            until_done: None,
            prefetching: Prefetching::default(),
            interrupt: options.interrupt,
            scramble: options.scramble.map(|seed| event_kernel::stream(seed, "scramble", "world")),
        }
    }

    /// Lets the run end when all finite traffic of its plan is delivered.
    pub(crate) fn end_when_done(&mut self, plan: &Plan) {
        self.until_done = Some(UntilDone::new(plan, &self.world));
    }

    /// Brings up all links and runs from time zero up to and including the instant `end`.
    pub(crate) fn run_to_end(
        &mut self,
        end: Time,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), RunError> {
        let World { adapters, switches, interconnect, .. } = &mut self.world;
        let mut nodes = (0..).map(NodeId);
        for (adapter, node) in adapters.iter_mut().zip(&mut nodes) {
            adapter.bring_up(&mut interconnect.access(node));
        }
        for (switch, node) in switches.iter_mut().zip(nodes) {
            switch.bring_up(&mut interconnect.access(node));
        }
        self.run_until(end, progress)?;
        match self.ended {
            RunEnding::Done => self.instruments.goodput.end_here(&self.world),
            RunEnding::AtDuration if self.until_done.take().is_some() => self.ended = RunEnding::NotDone,
            RunEnding::AtDuration | RunEnding::NotDone | RunEnding::Interrupted => {}
        }
        self.end = self.world.now();
        self.audit = audit::conservation(&self.world)?;
        Ok(())
    }

    /// Handles every event up to and including the instant `end`, and lets the instruments look on the way. An interrupt, or
    /// the delivery of all finite traffic, ends the run earlier.
    pub(crate) fn run_until(
        &mut self,
        mut end: Time,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), RunError> {
        let mut report_at = self.events + PROGRESS_EVERY;
        loop {
            let look = self.instruments.deadline();
            let check = self.until_done.as_ref().map_or(Time::NEVER, UntilDone::next_check);
            let mut stop = end.min(look).min(check);
            while self.open(stop) {
                self.window();
                if let Some(found) = self.world.interconnect.broken {
                    return Err(self.violation(found).into());
                }
                if let Some(done) = self.last_delivery() {
                    (stop, end) = (done, done);
                }
                if self.events >= report_at {
                    report_at = self.events + PROGRESS_EVERY;
                    progress(self.progress(self.world.now()));
                    if self.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
                        self.interrupt_here();
                        return Ok(());
                    }
                }
            }
            self.world.interconnect.now = stop;
            if check == stop && self.check_done() {
                end = stop;
            }
            if look > end {
                progress(self.progress(end));
                return Ok(());
            }
            if look == stop && self.instruments.look(look, &self.world) {
                self.check_deadlock()?;
            }
        }
    }

    /// Opens the next window that holds events up to `stop`. Returns false if there is none.
    fn open(&mut self, stop: Time) -> bool {
        let end = match &mut self.until_done {
            Some(until_done) => until_done.window_end(&mut self.world, after(stop)),
            None => after(stop),
        };
        self.world.interconnect.queue.open(end)
    }

    /// Returns the instant of the last delivery of finite traffic if it lies in the window that was just handled; the run ends
    /// then.
    fn last_delivery(&mut self) -> Option<Time> {
        let done = self.until_done.as_mut()?.delivered(&self.world)?;
        self.world.interconnect.now = done;
        self.end_done();
        Some(done)
    }

    /// Checks whether finite traffic has ended without a delivery at the present instant; the run ends then.
    fn check_done(&mut self) -> bool {
        let now = self.world.now();
        let done = self.until_done.as_mut().is_some_and(|until_done| until_done.check(now, &self.world));
        if done {
            self.end_done();
        }
        done
    }

    /// Ends the run at the present instant, at which its finite traffic is done.
    fn end_done(&mut self) {
        self.until_done = None;
        self.ended = RunEnding::Done;
    }

    /// Gives every node with events in the open window its turn.
    fn window(&mut self) {
        self.prefetching.begin_window();
        if let Some(stream) = &mut self.scramble {
            self.world.interconnect.queue.batches().shuffle(stream);
        }
        while let Some(node) = self.world.interconnect.queue.next_owner() {
            self.prefetching.before_turn(&self.world);
            let World { adapters, switches, interconnect, .. } = &mut self.world;
            let access = &mut interconnect.access(NodeId(node));
            self.events += match (node as usize).checked_sub(adapters.len()) {
                None => turn(&mut adapters[node as usize], access),
                Some(switch) => turn(&mut switches[switch], access),
            };
        }
    }

    /// Ends the run at the last instant of the window that was handled last.
    fn interrupt_here(&mut self) {
        let World { interconnect, .. } = &mut self.world;
        interconnect.now = Time::from_ps(interconnect.queue.window_end().ps() - 1);
        self.instruments.goodput.end_here(&self.world);
        self.ended = RunEnding::Interrupted;
    }

    fn check_deadlock(&self) -> Result<(), Deadlock> {
        deadlock::find(&self.world).map_or(Ok(()), Err)
    }

    fn violation(&self, found: NodeViolation) -> Violation {
        let NodeViolation { at, node, port, lane, what } = found;
        Violation::AtNode { node: self.world.name(node).to_owned(), port, lane, at, what }
    }

    fn progress(&self, now: Time) -> Progress {
        Progress { now, packet_hops: self.world.interconnect.packet_hops }
    }
}

/// A node, as the loop drives it.
trait Driven {
    /// Handles one event.
    fn handle(&mut self, event: EventKind, access: &mut NodeAccess<'_>);

    /// Decides, once all events of an instant are handled.
    fn decide(&mut self, access: &mut NodeAccess<'_>);
}

impl Driven for Adapter {
    #[inline(always)]
    fn handle(&mut self, event: EventKind, access: &mut NodeAccess<'_>) {
        match event {
            EventKind::Arrive(_, packet) => self.arrive(packet, access),
            EventKind::Signal(_, signal) => self.on_signal(signal, access),
            EventKind::Adapter(timer) => self.on_timer(timer, access),
            EventKind::Switch(timer) => unreachable!("a switch's {timer:?} at an adapter"),
        }
    }

    #[inline(always)]
    fn decide(&mut self, access: &mut NodeAccess<'_>) {
        self.decide(access);
    }
}

impl Driven for Switch {
    #[inline(always)]
    fn handle(&mut self, event: EventKind, access: &mut NodeAccess<'_>) {
        match event {
            EventKind::Arrive(port, packet) => self.arrive(port, packet, access),
            EventKind::Signal(port, signal) => self.on_signal(port, signal, access),
            EventKind::Switch(timer) => self.on_timer(timer, access),
            EventKind::Adapter(timer) => unreachable!("an adapter's {timer:?} at a switch"),
        }
    }

    #[inline(always)]
    fn decide(&mut self, access: &mut NodeAccess<'_>) {
        self.decide(access);
    }
}

/// Handles all events of a node in the open window, instant by instant. Returns the number of events.
fn turn(node: &mut impl Driven, access: &mut NodeAccess<'_>) -> u64 {
    let mut events = 0;
    while let Some(mut event) = access.next_instant() {
        loop {
            events += 1;
            node.handle(event.kind, access);
            let Some(next) = access.next_of_instant() else { break };
            event = next;
        }
        node.decide(access);
    }
    events
}

/// The instant after this one.
fn after(instant: Time) -> Time {
    Time::from_ps(instant.ps().saturating_add(1))
}
