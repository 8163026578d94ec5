//! How far a run has come: simulated time, packet-hops a second, time left.
//!
//! Invariant: it is said on standard error alone, by a bar on a terminal and by lines elsewhere; a run that is over
//! within [`EVERY`] says nothing in lines.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use telemetry::Progress;
use units::Span;

/// Between two lines.
const EVERY: Duration = Duration::from_secs(10);

/// Shows progress in simulated time.
pub(crate) struct Bar {
    form: Form,
    total: Span,
    began: Instant,
}

enum Form {
    Bar(ProgressBar),
    Lines { last: Instant },
    Nothing,
}

impl Bar {
    /// Of this much simulated time; one that shows nothing if it is not wanted.
    pub(crate) fn new(total: Span, wanted: bool) -> Self {
        let began = Instant::now();
        let form = if !wanted {
            Form::Nothing
        } else if io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{wide_bar} {msg}").expect("the template is right");
            // In nanoseconds: the bar's own arithmetic has headroom.
            Form::Bar(ProgressBar::new(total.ps() / 1000).with_style(style))
        } else {
            Form::Lines { last: began }
        };
        Self { form, total, began }
    }

    /// The run has come this far.
    pub(crate) fn update(&mut self, progress: Progress) {
        let message = || line(progress, self.total, self.began.elapsed());
        match &mut self.form {
            Form::Bar(bar) => {
                bar.set_message(message());
                bar.set_position(progress.now.ps() / 1000);
            }
            Form::Lines { last } if last.elapsed() >= EVERY => {
                *last = Instant::now();
                // Whoever closes standard error does not want to know.
                let _ = writeln!(io::stderr(), "{}", message());
            }
            Form::Lines { .. } | Form::Nothing => {}
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Form::Bar(bar) = &self.form {
            bar.finish_and_clear();
        }
    }
}

/// `120.0 of 500.0 ms, 4.1 M packet-hops/s, 38 s left`: as if the rest took as long a millisecond as what is done.
fn line(progress: Progress, total: Span, elapsed: Duration) -> String {
    let (elapsed, done) = (elapsed.as_secs_f64().max(1e-3), progress.now.seconds() / total.seconds());
    let left = elapsed * (1.0 / done - 1.0).max(0.0);
    // At the very beginning nothing is known.
    let left = if left.is_finite() { format!("{left:.0} s left") } else { "beginning".to_owned() };
    format!(
        "{:.1} of {:.1} ms, {:.1} M packet-hops/s, {left}",
        progress.now.seconds() * 1e3,
        total.seconds() * 1e3,
        progress.packet_hops as f64 / elapsed / 1e6,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_how_fast_and_how_long() {
        let progress = Progress { now: Span::from_us(120_000).after_start(), packet_hops: 48_000_000 };
        let said = line(progress, Span::from_us(500_000), Duration::from_secs(12));
        assert_eq!(said, "120.0 of 500.0 ms, 4.0 M packet-hops/s, 38 s left");
        let start = Progress { now: units::Time::ZERO, packet_hops: 0 };
        let said = line(start, Span::from_us(500_000), Duration::ZERO);
        assert_eq!(said, "0.0 of 500.0 ms, 0.0 M packet-hops/s, beginning");
    }
}
