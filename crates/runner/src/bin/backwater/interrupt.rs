//! Ctrl-C: the first one asks runs to end, the second one kills the program. SIGTERM asks runs that save their state, or that several
//! processes share, to end.
//!
//! Invariant: a run that was asked to end does so at an instant that it has reached, and its results are written.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use crate::terminal::tell;

/// True once runs have been asked to end.
static INTERRUPT: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Exit status of a program that a second Ctrl-C kills: 128 and the number of `SIGINT`, as shells count.
const KILLED: i32 = 130;

/// Handles Ctrl-C from now on. Returns the flag that runs watch.
pub(crate) fn watched() -> &'static AtomicBool {
    let handled = ctrlc::set_handler(|| {
        if INTERRUPT.swap(true, Ordering::Relaxed) {
            // No destructor runs: locks and files that are not whole would stay.
            files::remove_temporary();
            process::exit(KILLED);
        }
        tell("interrupted: the run ends soon; Ctrl-C again kills it");
    });
    // Where no handler can be set, Ctrl-C kills the program, as it does without one.
    drop(handled);
    &INTERRUPT
}

/// Handles Ctrl-C and SIGTERM from now on without a word, for a process that another answers for. Returns the flag that runs
/// watch.
pub(crate) fn watched_silently() -> &'static AtomicBool {
    #[cfg(unix)]
    // Where no handler can be set, the signal kills the program, as it does without one.
    drop(signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&INTERRUPT)));
    watch_termination();
    &INTERRUPT
}

/// Takes SIGTERM, by which clusters announce the end of a job's time, for a first Ctrl-C from now on.
pub(crate) fn watch_termination() {
    #[cfg(unix)]
    // Where no handler can be set, SIGTERM kills the program, as it does without one.
    drop(signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::clone(&INTERRUPT)));
}
