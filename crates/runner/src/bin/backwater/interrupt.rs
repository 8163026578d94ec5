//! Ctrl-C: the first one asks runs to end, the second one kills the program.
//!
//! Invariant: a run that was asked to end does so at an instant that it has reached, and its results are written.

use std::io::{self, Write};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

/// True once the user has asked runs to end.
static INTERRUPT: AtomicBool = AtomicBool::new(false);

/// Exit status of a program that a second Ctrl-C kills: 128 and the number of `SIGINT`, as shells count.
const KILLED: i32 = 130;

/// Handles Ctrl-C from now on. Returns the flag that runs watch.
pub(crate) fn watched() -> &'static AtomicBool {
    let handled = ctrlc::set_handler(|| {
        if INTERRUPT.swap(true, Ordering::Relaxed) {
            process::exit(KILLED);
        }
        // A closed standard error is no reason to stop.
        let _ = writeln!(io::stderr(), "interrupted: the run ends here; Ctrl-C again kills it");
    });
    // Where no handler can be set, Ctrl-C kills the program, as it does without one.
    drop(handled);
    &INTERRUPT
}
