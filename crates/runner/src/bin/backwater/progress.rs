//! Progress of a run: simulated time, packet-hops per second, remaining time; and of a batch: runs, rate, remaining
//! time.
//!
//! Invariant: progress goes to standard error only, as a bar on a terminal and as lines elsewhere. A run that takes
//! less than [`LINE_INTERVAL`] prints no line.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use experiment::store::BatchEvent;
use indicatif::{ProgressBar, ProgressStyle};
use results::format::counted;
use telemetry::Progress;
use units::{Span, Time};

use crate::terminal::{shows_errors, tell, warn, warn_of_other_build};

/// Interval between two lines.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// Least interval between two states of a bar.
const BAR_INTERVAL: Duration = Duration::from_millis(50);

/// Reports progress in simulated time.
pub(crate) struct ProgressReport {
    form: ReportForm,
    total: Span,
    /// True if the run may end before.
    at_most: bool,
    /// Number of runs that the time and the packet-hops belong to.
    runs: usize,
    began: Instant,
}

enum ReportForm {
    Bar { bar: ProgressBar, last: Instant },
    Lines { last: Instant },
    Nothing,
}

impl ProgressReport {
    /// Starts a report on a run of this much simulated time, or `at_most` so much; without output unless `wanted`.
    pub(crate) fn new(total: Span, at_most: bool, wanted: bool) -> Self {
        let began = Instant::now();
        let form = if !wanted {
            ReportForm::Nothing
        } else if shows_errors() {
            let style = ProgressStyle::with_template("{wide_bar} {msg}").expect("the template is right");
            // In nanoseconds, so that the bar's arithmetic does not overflow.
            ReportForm::Bar { bar: ProgressBar::new(total.ps() / 1000).with_style(style), last: began }
        } else {
            ReportForm::Lines { last: began }
        };
        Self { form, total, at_most, runs: 1, began }
    }

    /// Reports the simulated time reached.
    pub(crate) fn update(&mut self, progress: Progress) {
        let together = if self.runs > 1 { format!("{} runs: ", self.runs) } else { String::new() };
        let message = || together + &line(progress, (self.total, self.at_most), self.began.elapsed());
        match &mut self.form {
            ReportForm::Bar { bar, last } if last.elapsed() >= BAR_INTERVAL => {
                *last = Instant::now();
                bar.set_message(message());
                bar.set_position(progress.now.ps() / 1000);
            }
            ReportForm::Lines { last } if last.elapsed() >= LINE_INTERVAL => {
                *last = Instant::now();
                tell(&message());
            }
            ReportForm::Bar { .. } | ReportForm::Lines { .. } | ReportForm::Nothing => {}
        }
    }
}

impl Drop for ProgressReport {
    fn drop(&mut self) {
        if let ReportForm::Bar { bar, .. } = &self.form {
            bar.finish_and_clear();
        }
    }
}

/// Returns `120.0 of 500.0 ms, 4.1 M packet-hops/s, 38 s left`. The estimate assumes that each simulated millisecond
/// takes equally long. If the run lasts at most so long, so says each number.
fn line(progress: Progress, (total, at_most): (Span, bool), elapsed: Duration) -> String {
    let at_most = if at_most { "at most " } else { "" };
    let (elapsed, done) = (elapsed.as_secs_f64().max(1e-3), progress.now.seconds() / total.seconds());
    let left = elapsed * (1.0 / done - 1.0).max(0.0);
    // At the start there is nothing to estimate from.
    let left = if left.is_finite() { format!("{at_most}{left:.0} s left") } else { "beginning".to_owned() };
    format!(
        "{:.1} of {at_most}{:.1} ms, {:.1} M packet-hops/s, {left}",
        progress.now.seconds() * 1e3,
        total.seconds() * 1e3,
        progress.packet_hops as f64 / elapsed / 1e6,
    )
}

/// Reports progress in steps that have names: a bar on a terminal, and nothing elsewhere.
pub(crate) struct StepReport {
    bar: Option<ProgressBar>,
}

impl StepReport {
    /// Starts a report on `steps` steps.
    pub(crate) fn new(steps: usize) -> Self {
        let bar = shows_errors().then(|| {
            let style = ProgressStyle::with_template("{wide_bar} {msg}").expect("the template is right");
            ProgressBar::new(steps as u64).with_style(style)
        });
        Self { bar }
    }

    /// Reports that the next step begins.
    pub(crate) fn begin(&mut self, name: &'static str) {
        if let Some(bar) = &self.bar {
            // The first step begins at 0.
            bar.set_position(if bar.message().is_empty() { 0 } else { bar.position() + 1 });
            bar.set_message(name);
        }
    }
}

impl Drop for StepReport {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Reports progress of several runs at a time, from many threads, in simulated time added up over all of them.
pub(crate) struct RunsReport {
    state: Mutex<RunsState>,
}

struct RunsState {
    report: ProgressReport,
    /// Progress of each run.
    runs: Vec<Progress>,
}

impl RunsReport {
    /// Starts a report on runs of these durations. With `at_most`, runs may end earlier. Without `wanted`, there is no
    /// output.
    pub(crate) fn new(durations: &[Span], at_most: bool, wanted: bool) -> Self {
        let total = durations.iter().copied().sum();
        let mut report = ProgressReport::new(total, at_most, wanted);
        report.runs = durations.len();
        let start = Progress { now: Time::ZERO, packet_hops: 0 };
        Self { state: Mutex::new(RunsState { report, runs: vec![start; durations.len()] }) }
    }

    /// Reports the simulated time that a run has reached.
    pub(crate) fn update(&self, run: usize, progress: Progress) {
        let mut state = self.state.lock().expect("no thread panics");
        state.runs[run] = progress;
        let sum = sum(&state.runs);
        state.report.update(sum);
    }
}

/// Returns the progress of all runs together.
fn sum(runs: &[Progress]) -> Progress {
    let now = runs.iter().map(|run| run.now.since(Time::ZERO)).sum::<Span>().after_start();
    Progress { now, packet_hops: runs.iter().map(|run| run.packet_hops).sum() }
}

/// Reports progress in runs, from many threads, and warns of stored results that need a word.
pub(crate) struct BatchReport {
    state: Mutex<BatchState>,
    wanted: bool,
}

struct BatchState {
    bar: Option<ProgressBar>,
    /// Number of runs with stored results.
    there: usize,
    /// Number of runs, or the most.
    asked: usize,
    /// True if `asked` is a budget, from which batches take what they need.
    at_most: bool,
    done: usize,
    failed: usize,
    /// True once a warning has said that results of another build are used.
    told_of_other_build: bool,
    began: Instant,
    last: Instant,
}

impl BatchReport {
    /// Starts a report on a single batch, which tells its number of runs; without progress unless `wanted`.
    pub(crate) fn new(wanted: bool) -> Self {
        Self::of(0, false, wanted)
    }

    /// Starts a report on batches that take at most `budget` runs together; without progress unless `wanted`.
    pub(crate) fn at_most(budget: usize, wanted: bool) -> Self {
        Self::of(budget, true, wanted)
    }

    fn of(asked: usize, at_most: bool, wanted: bool) -> Self {
        let began = Instant::now();
        let bar = (wanted && shows_errors()).then(|| {
            let style = ProgressStyle::with_template("{wide_bar} {msg}").expect("the template is right");
            ProgressBar::new(asked as u64).with_style(style)
        });
        Self { state: Mutex::new(BatchState { bar, asked, at_most, ..BatchState::at(began) }), wanted }
    }

    pub(crate) fn update(&self, event: BatchEvent<'_>) {
        let mut state = self.state.lock().expect("no thread panics");
        match event {
            BatchEvent::Redone { name, reason } => warn(&format!("`{name}` is run again: {reason}")),
            BatchEvent::OtherBuild { .. } => {
                // Each batch may have such results: a single warning is enough.
                if !std::mem::replace(&mut state.told_of_other_build, true) {
                    warn_of_other_build();
                }
            }
            BatchEvent::Began { asked, there } => state.begin(asked, there),
            BatchEvent::Finished(result) => {
                state.done += 1;
                state.failed += usize::from(!result.ended.has_results());
            }
        }
        if self.wanted {
            state.show();
        }
    }
}

impl Drop for BatchReport {
    fn drop(&mut self) {
        // A thread that panicked has told more than a bar can.
        if let Ok(BatchState { bar: Some(bar), .. }) = self.state.get_mut() {
            bar.finish_and_clear();
        }
    }
}

impl BatchState {
    /// Returns the state before the first run.
    const fn at(began: Instant) -> Self {
        Self {
            bar: None,
            there: 0,
            asked: 0,
            at_most: false,
            done: 0,
            failed: 0,
            told_of_other_build: false,
            began,
            last: began,
        }
    }

    /// Takes the number of runs of a batch. A budget stays as it is, and does not count what was there.
    fn begin(&mut self, asked: usize, there: usize) {
        if self.at_most {
            return;
        }
        (self.asked, self.there, self.began) = (asked, there, Instant::now());
        if let Some(bar) = &self.bar {
            bar.set_length(asked as u64);
        }
    }

    fn show(&mut self) {
        let line = self.line(self.began.elapsed());
        match &self.bar {
            Some(bar) => {
                bar.set_message(line);
                bar.set_position((self.there + self.done) as u64);
            }
            None if self.last.elapsed() >= LINE_INTERVAL => {
                self.last = Instant::now();
                tell(&line);
            }
            None => {}
        }
    }

    /// Returns `20 of 60 runs, 2.5 runs/s, 16 s left, 1 without results`. Runs that were there do not count for the
    /// rate.
    fn line(&self, elapsed: Duration) -> String {
        let rate = self.done as f64 / elapsed.as_secs_f64().max(1e-3);
        let left = self.asked.saturating_sub(self.there + self.done) as f64 / rate;
        let at_most = if self.at_most { "at most " } else { "" };
        let left = if left.is_finite() {
            format!("{rate:.1} runs/s, {at_most}{left:.0} s left")
        } else {
            "beginning".to_owned()
        };
        let failed =
            if self.failed > 0 { format!(", {} without results", self.failed) } else { String::new() };
        let asked = counted(self.asked, "run");
        format!("{} of {at_most}{asked}, {left}{failed}", self.there + self.done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_time_speed_and_remaining_time() {
        let progress = Progress { now: Span::from_us(120_000).after_start(), packet_hops: 48_000_000 };
        let text = line(progress, (Span::from_us(500_000), false), Duration::from_secs(12));
        assert_eq!(text, "120.0 of 500.0 ms, 4.0 M packet-hops/s, 38 s left");
        let text = line(progress, (Span::from_us(500_000), true), Duration::from_secs(12));
        assert_eq!(text, "120.0 of at most 500.0 ms, 4.0 M packet-hops/s, at most 38 s left");
        let start = Progress { now: Time::ZERO, packet_hops: 0 };
        let text = line(start, (Span::from_us(500_000), false), Duration::ZERO);
        assert_eq!(text, "0.0 of 500.0 ms, 0.0 M packet-hops/s, beginning");
    }

    #[test]
    fn runs_at_a_time_are_added_up() {
        let run = |us, packet_hops| Progress { now: Span::from_us(us).after_start(), packet_hops };
        let both = sum(&[run(100, 7), run(250, 9)]);
        assert_eq!((both.now, both.packet_hops), (Span::from_us(350).after_start(), 16));
    }

    #[test]
    fn a_line_of_a_batch_has_runs_rate_time_and_failures() {
        let now = Instant::now();
        let mut state = BatchState { there: 10, asked: 60, ..BatchState::at(now) };
        assert_eq!(state.line(Duration::from_secs(4)), "10 of 60 runs, beginning");
        (state.done, state.failed) = (10, 1);
        assert_eq!(
            state.line(Duration::from_secs(4)),
            "20 of 60 runs, 2.5 runs/s, 16 s left, 1 without results"
        );
        let mut tuning = BatchState { asked: 60, at_most: true, ..BatchState::at(now) };
        tuning.begin(8, 3);
        tuning.done = 10;
        assert_eq!(
            tuning.line(Duration::from_secs(4)),
            "10 of at most 60 runs, 2.5 runs/s, at most 20 s left"
        );
    }
}
