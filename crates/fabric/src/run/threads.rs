//! The windows of a fabric in several parts, on one thread for each part.
//!
//! Invariant: threads share nothing but their [`Meetings`]. After each they know the same words, and so each finds
//! the same next window, and the same reason to stop, by itself. While a thread works on a part, the part is its own;
//! between two advances all parts are in the world, where instruments see them.
//!
//! ```text
//! meet     next event of each part, or earlier: the least begins the window      a violation, an interrupt: stop
//! receive  mail that others sent before the meeting
//! window   all events before its end
//! send     mail, which lies in later windows
//! ```
//!
//! Adapters that send no mail may have their turns last in a window. A thread then sends its mail and comes to the
//! next meeting before these turns. The remaining work evens out windows in which other threads have more to do.

use core::sync::atomic::AtomicBool;
use core::{iter, mem};
use std::thread::{self, Scope};

use parallel::{Clock, Handoff, Meeting, Member, SliceRest};
use telemetry::Progress;
use units::Time;

use super::common_windows::CommonWindows;
use super::error::RunError;
use super::turns::Turns;
use super::until_done::Counting;
use super::{Advance, PROGRESS_EVERY, Run, after, is_set};
use crate::state::interconnect::Divided;
use crate::state::mail::Mailbag;
use crate::state::part::Part;

pub(super) const WORDS: usize = 3;

/// Words of a meeting: a time in ps before which the part has nothing to do, a [`Signal`], and the part's packet-hops
/// so far. All parts together have the least of the first, the greatest of the second, and the sum of the third.
pub(super) type Words = [u64; WORDS];

/// Neutral words: combined with other words, they change nothing.
pub(super) const NO_WORDS: Words = [u64::MAX, 0, 0];

/// Returns the words of all parts together.
pub(super) fn together(all: impl Iterator<Item = Words>) -> Words {
    all.fold(NO_WORDS, |[first, signal, sum], words| {
        [first.min(words[0]), signal.max(words[1]), sum + words[2]]
    })
}

/// The meetings of the threads of all parts, as each thread takes part in them.
pub(super) trait Meetings {
    /// Sends mail to another part, which gets it at the next meeting. Called at most once for each part between two
    /// meetings.
    fn send(&mut self, to: usize, mail: &mut Mailbag);

    /// Comes to the next meeting.
    fn come(&mut self, words: Words);

    /// Waits for the others at the meeting that the thread has come to. Shows the mail for the thread's own part to
    /// `see`. Returns the words of all parts together.
    fn wait(&mut self, see: impl FnMut(&mut Mailbag)) -> Words;

    /// Comes to a meeting before which nobody has sent mail, and waits for the others.
    fn agree(&mut self, words: Words) -> Words {
        self.come(words);
        self.wait(|mail| assert!(mail.is_empty(), "{mail:?} before an agreement"))
    }
}

/// The threads of one process.
impl Meetings for Member<'_, Mailbag, WORDS> {
    fn send(&mut self, to: usize, mail: &mut Mailbag) {
        Member::send(self, to, mail);
    }

    fn come(&mut self, words: Words) {
        Member::come(self, words);
    }

    fn wait(&mut self, see: impl FnMut(&mut Mailbag)) -> Words {
        let all = Member::wait(self);
        self.receive(see);
        together(all)
    }
}

/// A reason to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Signal {
    None,
    /// The next window may bring the last message: each thread finds this by itself.
    NearEnd,
    Pause,
    Interrupt,
    Violation,
}

impl Signal {
    const ALL: [Self; 5] = [Self::None, Self::NearEnd, Self::Pause, Self::Interrupt, Self::Violation];
}

/// State that the threads of a run share: their meetings, and the places where each is handed its work and hands it
/// back.
pub(super) struct SharedWork {
    meeting: Meeting<Mailbag, WORDS>,
    /// By part; the first thread hands its work to itself.
    slots: Box<[WorkSlot]>,
}

/// The places of a thread.
struct WorkSlot {
    work: Handoff<Work>,
    done: Handoff<Work>,
}

impl SharedWork {
    /// Creates the shared state of a run in `parts` parts.
    pub(super) fn new(clock: Clock, parts: usize) -> Self {
        let slot = || WorkSlot { work: Handoff::new(clock), done: Handoff::new(clock) };
        Self { meeting: Meeting::new(clock, parts), slots: iter::repeat_with(slot).take(parts).collect() }
    }
}

/// The threads of a run, a thread for each part. They start when they are first needed.
pub(super) struct Workers<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    shared: &'env SharedWork,
    /// The first thread's membership, which is the run's own thread.
    lead: Member<'env, Mailbag, WORDS>,
    /// Members without a thread so far.
    others: Vec<Member<'env, Mailbag, WORDS>>,
}

impl<'scope, 'env> Workers<'scope, 'env> {
    /// Creates the workers, without threads so far. Threads that start later end with the scope.
    pub(super) fn new(scope: &'scope Scope<'scope, 'env>, shared: &'env SharedWork) -> Self {
        // The run's own thread works on the first part. Another thread for it would occupy another processor, while
        // this thread waits.
        let mut others = shared.meeting.members();
        let lead = others.remove(0);
        Self { scope, shared, lead, others }
    }

    /// Starts the threads that have not started.
    fn start(&mut self) {
        let slots = &self.shared.slots[1..];
        for (mut member, slot) in self.others.drain(..).zip(slots) {
            self.scope.spawn(move || {
                let closing = Closing(&slot.done);
                while let Some(mut work) = slot.work.take() {
                    work.run(&mut member, |_, _, _| Signal::None);
                    slot.done.give(work);
                }
                drop(closing);
            });
        }
    }
}

impl Drop for Workers<'_, '_> {
    fn drop(&mut self) {
        self.shared.slots.iter().for_each(|slot| slot.work.close());
    }
}

/// Closes a place when its thread ends, so that nobody waits for a thread that panicked.
struct Closing<'a>(&'a Handoff<Work>);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Run<'_> {
    /// Calls `work` with the workers of this run. There are none without a clock, as in a page, or with a single
    /// part.
    #[expect(clippy::disallowed_methods, reason = "a page has no clock, and so never comes to the threads")]
    pub(super) fn with_workers<R>(
        &mut self,
        work: impl FnOnce(&mut Self, Option<&mut Workers<'_, '_>>) -> R,
    ) -> R {
        let parts = self.world.parts.len();
        let Some(clock) = self.clock.filter(|_| parts > 1) else { return work(self, None) };
        let shared = SharedWork::new(clock, parts);
        thread::scope(|scope| work(self, Some(&mut Workers::new(scope, &shared))))
    }

    /// Handles every event up to and including the instant `stop`, window by window. Pauses earlier once the slice of
    /// elapsed time is over. Also returns the number of meetings, and of meetings before which a thread lost its
    /// processor.
    pub(super) fn advance_on_threads(
        &mut self,
        workers: &mut Workers<'_, '_>,
        (stop, slice): (Time, SliceRest),
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Advance, [u64; 2]), RunError> {
        // Only the first call starts threads. A run with a single thread by option never gets here, and has none.
        workers.start();
        let before = workers.lead.meetings();
        let mut works = self.hand_out(stop);
        let mut own = works.next().expect("a world has a part");
        let others = &workers.shared.slots[1..];
        // Other threads begin before this thread works on its own part: nobody can pass a meeting alone.
        others.iter().zip(works).for_each(|(slot, work)| slot.work.give(work));
        let mut watch = RunWatch::start(progress, self.interrupt, own.turns.events, Some(slice));
        let (end, signal) =
            own.run(&mut workers.lead, |events, now, packet_hops| watch.look(events, now, packet_hops));
        let missing = own.counting.as_ref().map(|counting| counting.missing);
        let done = others.iter().map(|slot| slot.done.take().expect("no thread of this run panicked"));
        for Work { part, turns, .. } in iter::once(own).chain(done) {
            self.world.parts.push(part);
            self.turns.push(turns);
        }
        // Without a window, no event lies up to the stop, and the end of the last window still holds.
        self.world.window_end = end.unwrap_or(self.world.window_end);
        let advance = self.conclude(signal, missing)?;
        let [meetings, lost] = workers.lead.meetings();
        Ok((advance, [meetings - before[0], lost - before[1]]))
    }

    /// Ends an advance of all parts for the reason that they agreed upon. `missing` is the number of finite messages
    /// that they have counted down to, if they have counted.
    ///
    /// # Errors
    /// The earliest violation, if a part has found any.
    pub(super) fn conclude(&mut self, signal: Signal, missing: Option<u64>) -> Result<Advance, RunError> {
        // The signal says only that some part is broken. The world names the earliest violation, whichever thread
        // found it first.
        if let Some(found) = self.world.broken() {
            return Err(self.violation(found).into());
        }
        if let (Some(until_done), Some(missing)) = (&mut self.until_done, missing) {
            until_done.counted(missing);
        }
        Ok(match signal {
            Signal::Interrupt => {
                self.interrupt_here();
                Advance::Interrupted
            }
            Signal::Pause => Advance::Paused,
            Signal::NearEnd => Advance::NearEnd,
            Signal::None | Signal::Violation => Advance::Reached,
        })
    }

    /// Takes the parts out of the world, as the work of each thread up to `stop`.
    fn hand_out(&mut self, stop: Time) -> impl Iterator<Item = Work> + use<> {
        let counting = self.until_done.as_ref().and_then(|until_done| until_done.counting(&self.world));
        let windows = CommonWindows::new(&self.world, stop, counting.is_some());
        let mut counting = counting.into_iter().flatten();
        let handled = self.world.window_end;
        // Threads own their parts until the advance ends. No lock is needed, and no instrument can see a part inside
        // a window.
        let parts = mem::take(&mut self.world.parts).into_iter().zip(mem::take(&mut self.turns));
        parts.map(move |(part, turns)| Work { part, turns, windows, handled, counting: counting.next() })
    }
}

pub(super) struct Work {
    pub(super) part: Part,
    pub(super) turns: Turns,
    pub(super) windows: CommonWindows,
    /// End of the last window before, exclusive.
    pub(super) handled: Time,
    /// Only once the deliveries of finite traffic are counted.
    pub(super) counting: Option<Counting>,
}

impl Work {
    /// Handles the part's events until all parts have reached the stop, or have a reason to stop earlier. After each
    /// window, `look` gets the events that the part has handled, the end of the window, and the packet-hops of all
    /// parts. Returns the end of the last window, if any window was handled, and the reason to stop earlier.
    pub(super) fn run(
        &mut self,
        member: &mut impl Meetings,
        mut look: impl FnMut(u64, Time, u64) -> Signal,
    ) -> (Option<Time>, Signal) {
        let (mut end, mut signal) = (None, Signal::None);
        self.come(member, signal);
        loop {
            // Every thread gets the same words here. All decisions up to the next meeting must depend on these words
            // alone: threads that decide differently would wait for each other forever.
            let (first, reason, packet_hops) = self.wait(member);
            // A violation ends the run only here, one meeting after it was found, so that no thread stays behind at a
            // meeting.
            if reason > Signal::None || end == Some(after(self.windows.stop)) {
                return (end, reason);
            }
            let handled = end.unwrap_or(self.handled);
            let Some(window_end) = self.windows.end(first, handled) else { return (end, reason) };
            // The exact end of the run may lie inside this window. Threads cannot cut it there: only a thread that
            // sees all parts knows the instant.
            if self.is_near_end(member, window_end) {
                return (end, Signal::NearEnd);
            }
            let has_come = self.handle(member, window_end, signal);
            end = Some(window_end);
            let found = match self.part.interconnect.broken {
                Some(_) => Signal::Violation,
                // The packet-hops are from before this window, as the words were. A report of progress may lag by a
                // window.
                None => look(self.turns.events, window_end, packet_hops),
            };
            // A thread that has already come can no longer announce `found`. It keeps the signal for its next words.
            signal = signal.max(found);
            if !has_come {
                self.come(member, signal);
            }
        }
    }

    /// Handles the part's events before the end of a window. Returns true if the thread has already come to the next
    /// meeting, with this signal. Signals that it finds later wait for the meeting after that. At the stop it never
    /// comes early, since no meeting would follow.
    fn handle(&mut self, member: &mut impl Meetings, end: Time, signal: Signal) -> bool {
        let Self { part, turns, windows, .. } = self;
        // Words sent early lack the signals of this window, and no meeting follows the stop.
        if end == after(windows.stop) {
            turns.run_until::<Divided>(part, end);
            return false;
        }
        let mut has_come = false;
        turns.run_and_tell::<Divided>(part, end, &mut |part| {
            // The adapters may still schedule events, so the part's next event is unknown. The end of the window is a
            // lower bound for it, and for this mail too.
            part.interconnect.outgoing.take_first();
            come(part, member, end, signal);
            has_come = true;
        });
        assert!(!has_come || part.interconnect.outgoing.is_empty(), "adapters send no mail");
        has_come
    }

    /// Counts the deliveries that the window up to `end` can bring to all parts, and returns true if the last message
    /// may be among them.
    fn is_near_end(&mut self, member: &mut impl Meetings, end: Time) -> bool {
        let Some(counting) = &mut self.counting else { return false };
        let possible = counting.possible(&mut self.part, end);
        // The third word is summed over all parts. Hops are not needed at this meeting, so it carries deliveries.
        let [_, _, possible] = member.agree([u64::MAX, 0, possible]);
        // `possible` may exceed the real deliveries, so this can be a false alarm, but never a missed end.
        if counting.missing <= possible {
            return true;
        }
        counting.missing -= possible;
        false
    }

    /// Comes to the next meeting, when all events up to it are handled.
    fn come(&mut self, member: &mut impl Meetings, signal: Signal) {
        let next = self.part.next_time().unwrap_or(Time::NEVER);
        come(&mut self.part, member, next, signal);
    }

    /// Waits for the other threads, and receives their mail. Returns the time of the first event of all, or an
    /// earlier time, the most urgent signal, and the packet-hops of all.
    fn wait(&mut self, member: &mut impl Meetings) -> (Option<Time>, Signal, u64) {
        let [first, signal, packet_hops] = member.wait(|mail| self.part.interconnect.receive(mail));
        let signal = Signal::ALL[usize::from(signal as u8)];
        (Some(Time::from_ps(first)).filter(|first| *first < Time::NEVER), signal, packet_hops)
    }
}

/// Comes to the next meeting, and sends the part's mail before it. The part has nothing to do before `next`, except
/// in the open window.
fn come(part: &mut Part, member: &mut impl Meetings, next: Time, signal: Signal) {
    part.interconnect.outgoing.bags().for_each(|(to, mail)| member.send(to, mail));
    member.come([next.ps(), signal as u64, part.interconnect.packet_hops]);
}

/// Progress reports, interrupts and pauses, on behalf of all threads. A single thread looks at them.
pub(super) struct RunWatch<'a, 'p> {
    progress: &'p mut dyn FnMut(Progress),
    interrupt: Option<&'a AtomicBool>,
    /// Number of its own events after which the thread looks, however few windows they took.
    look_at: u64,
    /// Elapsed time after which all pause; `None` if they do not.
    slice: Option<SliceRest>,
    /// Windows so far.
    windows: u32,
}

/// Most windows between two looks: a look takes as long as an event. The thread's own part may have no events in
/// them.
const WINDOWS_A_LOOK: u32 = 32;

impl<'a, 'p> RunWatch<'a, 'p> {
    /// Starts the watch of a thread that has handled `events` events. All threads pause at the end of the slice of
    /// elapsed time.
    pub(super) fn start(
        progress: &'p mut dyn FnMut(Progress),
        interrupt: Option<&'a AtomicBool>,
        events: u64,
        slice: Option<SliceRest>,
    ) -> Self {
        let look_at = events + PROGRESS_EVERY;
        Self { progress, interrupt, look_at, slice, windows: 0 }
    }

    /// Looks, after a window, for a reason to stop. `events` counts the events that the thread has handled.
    pub(super) fn look(&mut self, events: u64, now: Time, packet_hops: u64) -> Signal {
        self.windows += 1;
        // Windows count too: a part without events would otherwise not see an interrupt before the end of the
        // advance.
        if events < self.look_at && !self.windows.is_multiple_of(WINDOWS_A_LOOK) {
            return Signal::None;
        }
        self.look_at = events + PROGRESS_EVERY;
        (self.progress)(Progress { now, packet_hops });
        if is_set(self.interrupt) {
            Signal::Interrupt
        } else if self.slice.is_some_and(|slice| slice.is_over()) {
            Signal::Pause
        } else {
            Signal::None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first part may have handled far fewer events than all parts together, or none at all.
    #[test]
    fn a_thread_without_events_sees_an_interrupt() {
        let (mut reports, interrupt) = (0, AtomicBool::new(false));
        let mut progress = |_| reports += 1;
        let mut watch = RunWatch::start(&mut progress, Some(&interrupt), 1000, None);
        let mut look = |events: u64| watch.look(events, Time::ZERO, 7);
        assert!((1..WINDOWS_A_LOOK).all(|_| look(1000) == Signal::None), "nothing to see");
        assert_eq!(look(1000), Signal::None, "no interrupt");
        interrupt.store(true, core::sync::atomic::Ordering::Relaxed);
        assert!((1..WINDOWS_A_LOOK).all(|_| look(1000) == Signal::None), "no look before its time");
        assert_eq!(look(1000), Signal::Interrupt);
        assert_eq!(look(1000 + PROGRESS_EVERY), Signal::Interrupt, "after many events at once");
        assert_eq!(reports, 3);
    }
}
