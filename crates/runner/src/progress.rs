//! The bar on a terminal: simulated time, packet-hops a second, time left.
//!
//! Invariant: nothing is shown where standard error is not a terminal.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use telemetry::Progress;
use units::Span;

/// A bar that fills with simulated time.
pub(crate) struct Bar {
    bar: ProgressBar,
    total: Span,
    began: Instant,
}

impl Bar {
    /// A bar over this much simulated time; one that shows nothing if it is not wanted or cannot be seen.
    pub(crate) fn new(total: Span, wanted: bool) -> Self {
        let bar = if wanted && io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{wide_bar} {msg}, {eta} left");
            // In nanoseconds: the bar's own arithmetic has headroom.
            ProgressBar::new(total.ps() / 1000).with_style(style.expect("the template is right"))
        } else {
            ProgressBar::hidden()
        };
        Self { bar, total, began: Instant::now() }
    }

    /// The run has come this far.
    pub(crate) fn update(&self, progress: Progress) {
        if self.bar.is_hidden() {
            return;
        }
        let a_second =
            progress.packet_hops as f64 / self.began.elapsed().max(Duration::from_millis(1)).as_secs_f64();
        self.bar.set_message(format!(
            "{:.1} of {:.1} ms, {:.1} M packet-hops/s",
            progress.now.seconds() * 1e3,
            self.total.seconds() * 1e3,
            a_second / 1e6
        ));
        self.bar.set_position(progress.now.ps() / 1000);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
