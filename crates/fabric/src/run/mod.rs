//! The event loop.
//!
//! Invariant: a window is no longer than the shortest wire delay to a switch. So no action of a node reaches a switch
//! within the window, and it reaches an adapter before the adapter's turn. Instruments look between windows, when all
//! events up to their instant are handled.
//!
//! A fabric in several parts has common windows, at most as long as the shortest wire between parts. All parts handle
//! a common window, each in windows of its own, and exchange their [mail](crate::state::mail). Windows have no effect
//! on results.
//!
//! | module | contents |
//! |---|---|
//! | here | the advance to the next look of the instruments, and the ends of a run |
//! | `turns` | the turns of a part's nodes within a window |
//! | `common_windows` | the windows of a fabric in several parts, on one thread |
//! | `threads` | the same with a thread for each part |
//! | `ranks` | the same on several processes |
//! | `prefetching` | prefetches memory, for fabrics larger than any cache |
//! | `until_done` | ends a run when its finite traffic is delivered |
//! | `drain` | runs a fabric empty after its sources fall silent |
//! | `audit` | conservation of packets |
//! | `saving` | the state of a run, for checkpoints |
//! | `tapping` | packets at chosen ports, handed over while the run goes on |
//! | `error` | the reasons for which a run fails |

mod audit;
mod common_windows;
mod drain;
pub(crate) mod error;
mod prefetching;
pub(crate) mod ranks;
pub(crate) mod saving;
mod tapping;
#[cfg(test)]
mod tests;
mod threads;
mod turns;
mod until_done;

use core::sync::atomic::{AtomicBool, Ordering};

use packet::FlowId;
use telemetry::{Audit, Progress, RunEnding};
use topology::Partition;
use units::Time;
use workload::job::JobMotion;

use crate::observe::Instruments;
use crate::observe::deadlock::{self, Deadlock};
use crate::observe::tap::{TapReader, WaitReader};
use crate::state::interconnect::{CAN_DIVIDE, Divided, NodeViolation, Whole};
use crate::state::part::Part;
use crate::state::world::World;
use error::{RunError, Violation};
use parallel::{Clock, Pace, Ranks, Stretch, Way};
use ranks::leading::Leader;
use saving::SavingTimer;
use scenario::Plan;
use threads::Workers;
use turns::Turns;
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
    /// Ends the run soon after it becomes true, at the instant that the run has reached. That takes some hundred
    /// thousand events, or a fraction of a second. The record says so ([`RunRecord::ended`](telemetry::RunRecord)).
    pub interrupt: Option<&'a AtomicBool>,
    /// Most moments at which every output and the congestion trees are recorded
    /// ([`RunRecord::timeline`](telemetry::RunRecord)); none if 0. There are at least half as many if the run has as
    /// many samples, and fewer in fabrics of more than 8,192 outputs and lanes.
    pub moments: usize,
    /// Parts into which the fabric is divided. The fabric stays whole if it is `None`, if a packet takes no time from
    /// part to part, or in a WebAssembly module. The result is the same for every partition.
    pub partition: Option<&'a Partition>,
    /// Lets one thread work on all parts in turn, instead of one thread on each.
    pub in_turn: bool,
    /// Processes that run the plan together. This process is rank 0; the others [`follow`](crate::follow). Each
    /// handles at least one part. `None` for this process alone.
    pub ranks: Option<&'a dyn Ranks>,
}

/// Events between two reports of progress.
const PROGRESS_EVERY: u64 = 1 << 18;

/// A run: the world, the instruments that look at it, and the loop's own counts.
pub(crate) struct Run<'a> {
    pub(crate) world: World<'a>,
    pub(crate) instruments: Instruments,
    /// The packet counts, from the end of the simulated time or of the drain.
    pub(crate) audit: Audit,
    /// Reason for which the run has ended.
    pub(crate) ended: RunEnding,
    /// End of the run, before a drain.
    pub(crate) end: Time,
    /// By part of this process.
    turns: Vec<Turns>,
    pub(crate) until_done: Option<UntilDone>,
    /// The first flow of jobs, which may get stuck; all later flows are of jobs too. `None` without jobs.
    pub(crate) jobs_from: Option<FlowId>,
    /// Number of events of all parts at which progress is reported next, while one thread handles them.
    report_at: u64,
    interrupt: Option<&'a AtomicBool>,
    /// True if the run goes on from a state.
    is_resumed: bool,
    /// Only while the run is to be saved.
    pub(crate) saving: Option<SavingTimer<'a>>,
    /// Only if the run is tapped.
    tap: Option<TapReader<'a>>,
    /// Only if waits are to be seen.
    waits: Option<WaitReader<'a>>,
    /// The way of parts, if it is prescribed.
    way: Option<Way>,
    pace: Pace,
    /// Clock by which threads wait, and by which the faster of two ways is found; `None` in a page.
    clock: Option<Clock>,
    /// Only if several processes run the plan.
    pub(crate) leader: Option<Leader<'a>>,
}

/// The way in which an advance ended.
enum Advance {
    /// All events are handled up to the instant that was asked for.
    Reached,
    /// Some windows are handled, and more are to follow.
    Paused,
    /// The next window may bring the last message of finite traffic, which one thread has to see.
    NearEnd,
    /// Finite traffic was delivered at this instant.
    Done(Time),
    Interrupted,
}

impl<'a> Run<'a> {
    /// Creates a run of a world at rest, with the machine's clock if it has any.
    pub(crate) fn new(
        world: World<'a>,
        instruments: Instruments,
        (options, clock): (RunOptions<'a>, Option<Clock>),
    ) -> Self {
        Self {
            turns: (0..world.parts.len()).map(|part| Turns::new(part, options.scramble, clock)).collect(),
            world,
            instruments,
            audit: Audit::default(),
            ended: RunEnding::AtDuration,
            end: Time::ZERO,
            until_done: None,
            jobs_from: None,
            report_at: PROGRESS_EVERY,
            interrupt: options.interrupt,
            is_resumed: false,
            saving: None,
            tap: None,
            waits: None,
            way: options.in_turn.then_some(Way::InTurn),
            pace: Pace::default(),
            clock,
            leader: None,
        }
    }

    pub(crate) fn events(&self) -> u64 {
        self.turns.iter().map(|turns| turns.events).sum::<u64>() + self.world.events_of_others()
    }

    /// Lets the run end when all finite traffic of its plan is delivered.
    pub(crate) fn end_when_done(&mut self, plan: &Plan) {
        self.until_done = Some(UntilDone::new(plan, &self.world));
    }

    /// Brings up all links and runs from time zero up to and including the instant `end`; a run that is resumed, from
    /// its state on.
    pub(crate) fn run_to_end(
        &mut self,
        end: Time,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), RunError> {
        if !self.is_resumed {
            self.bring_up();
        }
        self.run_until(end, progress)?;
        self.close()
    }

    /// Ends a run that has reached its end, or has ended before it: counts packets, and checks that none is missing.
    pub(crate) fn close(&mut self) -> Result<(), RunError> {
        self.saving = None; // A drain is not saved: it is short, and begins again from the last state.
        match self.ended {
            // The end fell between two samples, so the last look at other ranks is older than the deliveries since
            // then.
            RunEnding::Done => {
                self.look_at_others();
                self.instruments.goodput.end_here(&self.world);
            }
            RunEnding::AtDuration if self.until_done.take().is_some() => self.ended = RunEnding::NotDone,
            RunEnding::AtDuration
            | RunEnding::NotDone
            | RunEnding::GaveUp
            | RunEnding::Stuck
            | RunEnding::Interrupted => {}
        }
        self.end = self.world.now();
        self.audit = audit::conservation(&self.world)?;
        Ok(())
    }

    /// Brings up all links, at time zero.
    pub(crate) fn bring_up(&mut self) {
        self.order_bring_up();
        match &mut self.world.parts[..] {
            // A rank with a single part still sends mail to other ranks: it needs the divided interconnect.
            [whole] if self.leader.is_none() => whole.bring_up::<Whole>(),
            parts if CAN_DIVIDE => parts.iter_mut().for_each(Part::bring_up::<Divided>),
            parts => unreachable!("a fabric of {} parts", parts.len()),
        }
    }

    /// Handles every event up to and including the instant `end`, and lets the instruments look on the way. An
    /// interrupt, or the delivery of all finite traffic, ends the run earlier.
    pub(crate) fn run_until(
        &mut self,
        end: Time,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), RunError> {
        self.with_workers(|run, workers| run.run_with(workers, end, progress))
    }

    /// As [`run_until`](Self::run_until), with workers that are kept for more than this.
    fn run_with(
        &mut self,
        mut workers: Option<&mut Workers<'_, '_>>,
        mut end: Time,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), RunError> {
        loop {
            let look = self.instruments.deadline();
            let check = self.until_done.as_ref().map_or(Time::NEVER, UntilDone::next_check);
            let save = self.saving.as_ref().map_or(Time::NEVER, |saving| saving.due);
            let tap = self.tap.as_ref().map_or(Time::NEVER, |tap| tap.due);
            let mut stop = end.min(look).min(check).min(save).min(tap);
            match self.advance(workers.as_deref_mut(), stop, progress)? {
                Advance::Reached => {}
                Advance::Paused | Advance::NearEnd => unreachable!("an advance that goes on"),
                // The advance has cut its last window at this delivery, so no event after it is handled.
                Advance::Done(done) => (stop, end) = (done, done),
                Advance::Interrupted => return Ok(()),
            }
            self.world.now = stop;
            if tap == stop {
                self.read_tap_at(stop);
            }
            if check == stop && self.check_done() {
                end = stop;
            }
            // A look at the end itself still has to happen before the run returns.
            if look > end && stop == end {
                progress(self.progress(end));
                return Ok(());
            }
            // The sample comes after the check for the end, since a sample at the last instant belongs to the run.
            if look == stop {
                self.look_at_others();
                if self.instruments.look(look, &self.world) {
                    self.check_deadlock()?;
                    let ending = if self.is_given_up() {
                        Some(RunEnding::GaveUp)
                    } else {
                        self.is_stuck().then_some(RunEnding::Stuck)
                    };
                    if let Some(ending) = ending {
                        self.end_before_done(ending);
                        progress(self.progress(stop));
                        return Ok(());
                    }
                }
            }
            // The state of a run that is done would lack `until_done`, which a resumed run expects.
            if save == stop && self.ended == RunEnding::AtDuration {
                self.save_here();
            }
            // Looks and states may take longer than all events between them. A run of no time has no results.
            progress(self.progress(stop));
            if stop > Time::ZERO && is_set(self.interrupt) {
                self.end_interrupted();
                return Ok(());
            }
        }
    }

    /// Handles every event up to and including the instant `stop`.
    fn advance(
        &mut self,
        workers: Option<&mut Workers<'_, '_>>,
        stop: Time,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Advance, RunError> {
        if CAN_DIVIDE && (self.world.parts.len() > 1 || self.leader.is_some()) {
            return self.advance_in_parts(workers, stop, progress);
        }
        if self.tap.is_some() {
            return self.advance_tapped(stop, progress);
        }
        loop {
            let is_reached = if self.until_done.as_ref().is_some_and(UntilDone::is_counting) {
                // Each window may bring the last message.
                !self.handle_window(stop)
            } else {
                let part = &mut self.world.parts[0];
                let is_reached = self.turns[0].run_windows(part, after(stop), self.report_at);
                self.world.window_end = part.interconnect.queue.window_end();
                is_reached
            };
            if is_reached {
                return Ok(Advance::Reached);
            }
            if let Some(advance) = self.after_window(progress)? {
                return Ok(advance);
            }
        }
    }

    /// Handles the next window of the only part that holds events up to `stop`. Returns false if there is none.
    fn handle_window(&mut self, stop: Time) -> bool {
        let is_open = self.open(stop);
        if is_open {
            self.turns[0].window::<Whole>(&mut self.world.parts[0], None);
        }
        is_open
    }

    /// Handles every event up to and including the instant `stop`, on several processes, on a thread for each part,
    /// or on a single thread.
    fn advance_in_parts(
        &mut self,
        mut workers: Option<&mut Workers<'_, '_>>,
        stop: Time,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Advance, RunError> {
        loop {
            let advance = match (workers.as_deref_mut(), self.clock) {
                _ if self.leader.is_some() => self.advance_on_ranks(stop, progress)?,
                (Some(workers), Some(clock)) => self.advance_at_pace((workers, clock), stop, progress)?,
                _ => self.advance_in_turn((stop, None), progress)?,
            };
            let advance = match advance {
                // Only an advance on one thread can cut a window at the delivery of the last message.
                Advance::NearEnd => self.advance_in_turn((stop, None), progress)?,
                other => other,
            };
            if !matches!(advance, Advance::Paused) {
                return Ok(advance);
            }
        }
    }

    /// Handles the events of a slice of elapsed time, or up to and including the instant `stop`, by the way that is
    /// faster.
    fn advance_at_pace(
        &mut self,
        (workers, clock): (&mut Workers<'_, '_>, Clock),
        stop: Time,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Advance, RunError> {
        let (slice, before) = (self.pace.rest(clock), self.events());
        let (advance, [meetings, lost]) = match self.way.unwrap_or(self.pace.way()) {
            Way::Threads => self.advance_on_threads(workers, (stop, slice), progress)?,
            Way::InTurn => (self.advance_in_turn((stop, Some(slice)), progress)?, [0; 2]),
        };
        let events = self.events() - before;
        self.pace.add(Stretch { events, elapsed: slice.elapsed(), meetings, lost });
        Ok(advance)
    }

    /// Opens the next window of the only part that holds events up to `stop`. Returns false if there is none.
    fn open(&mut self, stop: Time) -> bool {
        let end = match &mut self.until_done {
            Some(until_done) => until_done.window_end(&mut self.world, after(stop)),
            None => after(stop),
        };
        // The tap and the count of deliveries must see all events of a window before its turns. Such a window ends
        // where the list no longer knows every event.
        let is_looked_at = self.tap.is_some() || self.until_done.as_ref().is_some_and(UntilDone::is_counting);
        let queue = &mut self.world.parts[0].interconnect.queue;
        let is_open = if is_looked_at { queue.open_known(end) } else { queue.open(end) };
        self.world.window_end = queue.window_end();
        is_open
    }

    /// Looks for reasons to stop after a window that all parts have handled.
    fn after_window(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<Option<Advance>, RunError> {
        if let Some(found) = self.world.broken() {
            return Err(self.violation(found).into());
        }
        if let Some(done) = self.last_delivery() {
            return Ok(Some(Advance::Done(done)));
        }
        if self.events() >= self.report_at {
            self.report_at = self.events() + PROGRESS_EVERY;
            progress(self.progress(self.world.window_end));
            if is_set(self.interrupt) {
                self.interrupt_here();
                return Ok(Some(Advance::Interrupted));
            }
        }
        Ok(None)
    }

    /// Returns the instant of the last delivery of finite traffic if it lies in the window that was just handled; the
    /// run ends then.
    fn last_delivery(&mut self) -> Option<Time> {
        let done = self.until_done.as_mut()?.delivered(&self.world)?;
        self.world.now = done;
        self.end_done();
        Some(done)
    }

    /// Returns true, and ends the run, if finite traffic has ended without a delivery at the present instant.
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

    /// Returns true if every undelivered message that the run waits for has failed.
    fn is_given_up(&self) -> bool {
        let interval = self.instruments.goodput.series.interval;
        self.ended == RunEnding::AtDuration
            && self
                .until_done
                .as_ref()
                .is_some_and(|until_done| until_done.is_given_up(&self.world, interval))
    }

    /// Returns true if ranks of jobs are not done, and none of them can go on: nothing that a rank could wait for is
    /// under way. A message that UC has lost a packet of never arrives.
    fn is_stuck(&self) -> bool {
        let Some(from) = self.jobs_from.filter(|_| self.ended == RunEnding::AtDuration) else { return false };
        let JobMotion { ranks, posted, arrived, pending } = self.world.unfinished().motion;
        let is_lost = || audit::has_dropped(&self.world) && !audit::carries(&self.world, from);
        ranks > 0 && pending == 0 && (posted == arrived || is_lost())
    }

    /// Ends the run at the present instant, because nothing that it waits for can come any more.
    fn end_before_done(&mut self, ending: RunEnding) {
        self.instruments.goodput.end_here(&self.world);
        self.until_done = None;
        self.ended = ending;
    }

    /// Ends the run at the last instant of the window that was handled last.
    fn interrupt_here(&mut self) {
        // An interrupt comes between windows, not at a stop. The last complete instant lies just before the window's
        // end.
        self.world.now = before(self.world.window_end);
        self.end_interrupted();
    }

    /// Ends the run at the present instant, up to which all events are handled.
    fn end_interrupted(&mut self) {
        // The state is saved before the series ends here: a resumed run must continue as if it had never stopped.
        self.save_here();
        self.look_at_others();
        self.instruments.goodput.end_here(&self.world);
        self.ended = RunEnding::Interrupted;
    }

    /// Asks other ranks for every observation that instruments need at the present instant.
    pub(crate) fn look_at_others(&mut self) {
        self.world.look_at_others(self.instruments.goodput.needs_open());
    }

    /// Looks for a deadlock, once the nodes of other ranks are [seen](Self::look_at_others). A proof looks at every
    /// node.
    fn check_deadlock(&mut self) -> Result<(), Deadlock> {
        // A proof needs an image of every part of every rank. The quick look only needs observations that the last
        // look at other ranks has fetched.
        if self.leader.is_some() && !deadlock::is_suspected(&self.world) {
            return Ok(());
        }
        self.with_all_parts(|run| deadlock::find(&run.world).map_or(Ok(()), Err))
    }

    fn violation(&self, found: NodeViolation) -> Violation {
        let NodeViolation { at, node, port, lane, what } = found;
        let port = self.world.graph.port_number((node, port));
        Violation::AtNode { node: self.world.name(node).to_owned(), port, lane, at, what }
    }

    fn progress(&self, now: Time) -> Progress {
        Progress { now, packet_hops: self.world.packet_hops() }
    }
}

/// Returns true if the run is to be interrupted.
fn is_set(interrupt: Option<&AtomicBool>) -> bool {
    interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
}

fn after(instant: Time) -> Time {
    Time::from_ps(instant.ps().saturating_add(1))
}

fn before(instant: Time) -> Time {
    Time::from_ps(instant.ps().saturating_sub(1))
}
