//! The windows of a fabric in several parts.
//!
//! Invariant: a common window is at most as long as the shortest wire between parts. It begins at or before the first
//! event of any part. So no action of a part in it reaches another part within it. It ends where a bucket of every
//! part's event list ends, since cutting a bucket takes time. Only a stop may cut a bucket.

use event_kernel::WindowLengths;
use parallel::SliceRest;
use telemetry::Progress;
use units::{Span, Time};

use super::error::RunError;
use super::until_done::UntilDone;
use super::{Advance, Run, after, before};
use crate::state::interconnect::Divided;
use crate::state::world::World;

/// Events that one thread handles at a time, some 300 us: starting several threads again takes some 50 us.
const AT_A_TIME: u64 = 4096;

/// Windows of a part in a common window where no cable leads from part to part. An interrupt is looked for after
/// each.
const OF_ISLANDS: u64 = 16;

/// The rule by which all parts find their next common window.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommonWindows {
    /// Longest window; `None` without end.
    longest: Option<Span>,
    /// Longest bucket of all parts' event lists.
    bucket: Span,
    /// Last instant to be handled.
    pub(super) stop: Time,
}

state_codec::value!(CommonWindows { longest, bucket, stop });

impl CommonWindows {
    /// Returns the rule for windows up to `stop`. If `is_whole`, a window lies within the next window of each part's
    /// event list.
    pub(super) fn new(world: &World, stop: Time, is_whole: bool) -> Self {
        let lists = || world.window_lengths();
        // The list's window may begin with a bucket that is already handled in part.
        let within = |list: WindowLengths| list.known - list.bucket + Span::from_ps(1);
        let shortest = lists().map(within).min().filter(|_| is_whole);
        let longest = world.between.into_iter().chain(shortest).min();
        let window = lists().map(|list| list.longest).max().unwrap_or(Span::ZERO);
        let longest = longest.unwrap_or(window * OF_ISLANDS);
        Self {
            longest: Some(without_short_rest(longest, window)),
            bucket: lists().map(|list| list.bucket).max().unwrap_or(Span::ZERO),
            stop,
        }
    }

    /// Returns the rule for one window up to `end`, exclusive, which is later than [zero](Time::ZERO).
    pub(super) fn one(end: Time) -> Self {
        Self { longest: None, bucket: Span::from_ps(1), stop: before(end) }
    }

    /// Returns the end, exclusive, of the next window; `None` if it would begin beyond the stop. No event lies before
    /// `first`, or before `handled`.
    pub(super) fn end(&self, first: Option<Time>, handled: Time) -> Option<Time> {
        // `first` may be a lower bound, such as the begin of a bucket. Windows must not overlap, or mail would arrive
        // in the past.
        let first = first?.max(handled);
        if first > self.stop {
            return None;
        }
        let end_from = |begin: Time| self.longest.map_or(Time::NEVER, |longest| begin + longest);
        let whole = self.begin_of_bucket(end_from(self.begin_of_bucket(first)));
        // Buckets of some parts may be longer than a window.
        let end = if whole > first { whole } else { end_from(first) };
        Some(end.min(after(self.stop)))
    }

    fn begin_of_bucket(&self, at: Time) -> Time {
        Time::from_ps(at.ps() / self.bucket.ps() * self.bucket.ps())
    }
}

/// Ratio of a part's window to the rest of a common window above which the rest is left out. Meetings become only a
/// little more frequent, and no part opens a window for few events.
const SHORT: u64 = 4;

/// Returns `longest`, reduced to whole windows of this length if the rest is [short](SHORT).
fn without_short_rest(longest: Span, window: Span) -> Span {
    let rest = Span::from_ps(longest.ps() % window.ps().max(1));
    if window <= longest && rest * SHORT < window { longest - rest } else { longest }
}

impl Run<'_> {
    /// Handles every event up to and including the instant `stop`, part by part on one thread. Pauses earlier, after
    /// at least [`AT_A_TIME`] events, once the slice of elapsed time is over.
    pub(super) fn advance_in_turn(
        &mut self,
        (stop, slice): (Time, Option<SliceRest>),
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Advance, RunError> {
        let is_counting = self.until_done.as_ref().is_some_and(UntilDone::is_counting);
        let windows = CommonWindows::new(&self.world, stop, is_counting);
        self.world.exchange_mail();
        let mut look_at = self.events() + AT_A_TIME;
        loop {
            let first = self.world.next_time();
            let Some(mut end) = windows.end(first, self.world.window_end) else {
                return Ok(Advance::Reached);
            };
            if let Some(until_done) = &mut self.until_done {
                end = until_done.window_end(&mut self.world, end);
            }
            self.handle_in_turn(end);
            self.world.window_end = end;
            if let Some(advance) = self.after_window(progress)? {
                return Ok(advance);
            }
            if end == after(stop) {
                return Ok(Advance::Reached);
            }
            if self.events() >= look_at {
                if slice.is_none_or(|slice| slice.is_over()) {
                    return Ok(Advance::Paused);
                }
                look_at = self.events() + AT_A_TIME;
            }
        }
    }

    /// Handles all events before `end`, part by part, and hands over the mail between parts.
    fn handle_in_turn(&mut self, end: Time) {
        if self.leader.is_some() {
            return self.handle_window_on_ranks(end);
        }
        for (part, turns) in self.world.parts.iter_mut().zip(&mut self.turns) {
            turns.run_until::<Divided>(part, end);
        }
        self.world.exchange_mail();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The adapters' cables of a part of 128 hosts take 1 us, so its windows have 15 buckets of 65,536 ps. The wire
    /// to another part takes 1.1 us. A common window of 16 buckets would cost a part an additional window of a single
    /// bucket.
    #[test]
    fn a_common_window_has_no_short_rest() {
        let (bucket, between) = (Span::from_ps(1 << 16), Span::from_ns(1100));
        let longest = without_short_rest(between, bucket * 15);
        assert_eq!(longest, bucket * 15);
        let windows =
            CommonWindows { longest: Some(longest), bucket, stop: Span::from_us(1000).after_start() };
        let ends = |first: u64| windows.end(Some(Time::from_ps(first)), Time::ZERO).expect("before the stop");
        assert_eq!(ends(0), Time::from_ps(15 << 16));
        assert_eq!(ends((1 << 16) + 700), Time::from_ps(16 << 16), "from within a bucket");
        assert_eq!(windows.end(Some(Time::ZERO), Time::from_ps(15 << 16)), Some(Time::from_ps(30 << 16)));
    }

    #[test]
    fn a_long_rest_stays() {
        let without = |longest, window| without_short_rest(Span::from_ns(longest), Span::from_ns(window));
        for (longest, window, left) in
            [(230, 131, 230), (270, 131, 262), (270, 10, 270), (100, 101, 100), (105, 66, 105), (100, 0, 100)]
        {
            assert_eq!(
                without(longest, window),
                Span::from_ns(left),
                "{longest} ns of windows of {window} ns"
            );
        }
    }
}
