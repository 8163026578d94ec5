//! Signals by which users, clusters and closed terminals end the program: Ctrl-C, SIGTERM, SIGHUP.
//!
//! Invariant: a run that was asked to end does so at an instant that it has reached, and its results are written. A
//! verb without such a run ends at once. Either has its own exit status, and leaves nothing temporary.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use files::end_process;

use crate::terminal::tell;

/// True once runs have been asked to end.
static INTERRUPT: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// True once a run watches for that.
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

/// Exit status of a program that was interrupted.
pub(crate) const INTERRUPTED: u8 = 5;
/// Exit status of a program that a second Ctrl-C kills: 128 and the number of `SIGINT`, as shells count.
const KILLED: i32 = 130;

/// Handles the signals from now on. Where no handler can be set, they kill the program, as they do by default.
pub(crate) fn handle() {
    #[cfg(unix)]
    drop(signals::handle());
    #[cfg(not(unix))]
    drop(ctrlc::set_handler(|| end(true)));
}

/// Returns the flag that runs watch. The first signal asks them to end from now on.
pub(crate) fn watched() -> &'static AtomicBool {
    IS_WATCHED.store(true, Ordering::Relaxed);
    &INTERRUPT
}

/// Handles Ctrl-C and SIGTERM from now on without a word, for a process that another answers for. Returns the flag that
/// runs watch.
pub(crate) fn watched_silently() -> &'static AtomicBool {
    #[cfg(unix)]
    signals::set(&INTERRUPT);
    &INTERRUPT
}

/// Ends the program: a first time by asking its runs, if they watch. A second time counts only if it `is_ctrl_c`:
/// clusters, shells and `timeout` send their signals to a program and to its group.
fn end(is_ctrl_c: bool) {
    if !IS_WATCHED.load(Ordering::Relaxed) {
        tell("interrupted");
        end_process(i32::from(INTERRUPTED));
    }
    if !INTERRUPT.swap(true, Ordering::Relaxed) {
        tell("interrupted: the run ends soon; Ctrl-C again kills it");
    } else if is_ctrl_c {
        end_process(KILLED);
    }
}

#[cfg(unix)]
mod signals {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::{fs, io, thread};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag;
    use signal_hook::iterator::Signals;

    /// Handles the signals by a thread of its own.
    pub(super) fn handle() -> io::Result<()> {
        // `nohup` has a program ignore that its terminal is closed. Where the system does not tell, it is not to be
        // defeated.
        let hangup = (is_ignored(SIGHUP) == Some(false)).then_some(SIGHUP);
        let mut signals = Signals::new([SIGINT, SIGTERM].into_iter().chain(hangup))?;
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || signals.forever().for_each(|signal| super::end(signal == SIGINT)))
            .map(drop)
    }

    pub(super) fn set(flag: &Arc<AtomicBool>) {
        for signal in [SIGINT, SIGTERM] {
            // Where no handler can be set, the signal kills the program, as it does by default.
            drop(flag::register(signal, Arc::clone(flag)));
        }
    }

    /// Returns true if the process ignores a signal; `None` where the system does not tell.
    fn is_ignored(signal: i32) -> Option<bool> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        let ignored = u64::from_str_radix(ignored.trim(), 16).ok()?;
        Some(ignored >> (signal - 1) & 1 != 0)
    }
}
