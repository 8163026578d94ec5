//! Waiting for what another thread does.
//!
//! Invariant: a thread that waits is woken if what it waits for happens before [`Waiting::wake`] is called.

use core::hint::spin_loop;
use core::time::Duration;

use crate::patience::{ANOTHER_TURN, Patience};
use crate::stopwatch::{Clock, Stopwatch};
use crate::sync::{AtomicUsize, Condvar, Mutex, Ordering, fence, yield_now};

/// Looks between two readings of the clock. A reading takes as long as some looks. None under loom, which tries every
/// order.
const SPINS: u32 = if cfg!(loom) { 0 } else { 64 };

/// The place where threads wait, and where others wake them.
#[derive(Debug)]
pub(crate) struct Waiting {
    clock: Clock,
    patience: Patience,
    /// Number of threads that sleep, or are about to.
    sleepers: AtomicUsize,
    lock: Mutex<()>,
    wakes: Condvar,
}

/// The course of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The thread kept its processor.
    Awake,
    /// Another thread had a turn on the processor.
    Yielded,
    /// The thread slept. The whole wait took this long.
    Slept(Duration),
}

impl Wait {
    /// Returns true if a thread lost its processor: the thread that waited, or a thread that it waited for.
    /// `since_last` is the time since the last wait, including this wait. A thread that has more to do is waited for
    /// too, but not for longer than the others work.
    pub(crate) fn is_loss(self, since_last: impl FnOnce() -> Duration) -> bool {
        match self {
            Self::Awake => false,
            Self::Yielded => true,
            Self::Slept(waited) => waited > since_last() / 2,
        }
    }
}

impl Waiting {
    /// Creates a place for this number of threads that work at the same time.
    pub(crate) fn new(clock: Clock, threads: usize) -> Self {
        Self {
            clock,
            patience: Patience::of(threads),
            sleepers: AtomicUsize::new(0),
            lock: Mutex::new(()),
            wakes: Condvar::new(),
        }
    }

    /// Waits until something is there.
    #[inline]
    pub(crate) fn until(&self, is_there: impl Fn() -> bool) -> Wait {
        for _ in 0..SPINS {
            if is_there() {
                return Wait::Awake;
            }
            spin_loop();
        }
        self.longer(&is_there)
    }

    #[inline(never)]
    fn longer(&self, is_there: &dyn Fn() -> bool) -> Wait {
        let began = Stopwatch::start(self.clock);
        while began.elapsed() < self.patience.spinning {
            for _ in 0..SPINS {
                if is_there() {
                    return Wait::Awake;
                }
                spin_loop();
            }
        }
        let mut wait = Wait::Awake;
        for _ in 0..self.patience.yields {
            if is_there() {
                return Wait::Awake;
            }
            let yielded = Stopwatch::start(self.clock);
            yield_now();
            if !cfg!(loom) && yielded.elapsed() > ANOTHER_TURN {
                wait = Wait::Yielded;
                break;
            }
        }
        if is_there() {
            return wait;
        }
        let mut lock = self.lock.lock().expect("no thread panics with this lock");
        self.sleepers.fetch_add(1, Ordering::Relaxed);
        // Either the other thread sees this thread among the sleepers, or this thread sees what the other has done.
        fence(Ordering::SeqCst);
        while !is_there() {
            lock = self.wakes.wait(lock).expect("no thread panics with this lock");
        }
        self.sleepers.fetch_sub(1, Ordering::Relaxed);
        drop(lock);
        if wait == Wait::Yielded { wait } else { Wait::Slept(began.elapsed()) }
    }

    /// Wakes the threads that sleep, after something was done that they may wait for.
    #[inline]
    pub(crate) fn wake(&self) {
        // Pairs with the fence in `longer`: what was done comes before the look at the sleepers.
        fence(Ordering::SeqCst);
        if self.sleepers.load(Ordering::Relaxed) > 0 {
            self.notify();
        }
    }

    #[inline(never)]
    fn notify(&self) {
        // A thread that counts as a sleeper holds the lock until it sleeps.
        drop(self.lock.lock().expect("no thread panics with this lock"));
        self.wakes.notify_all();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// With 11,664 hosts, either of two threads sleeps now and then. The other has 1.2 ms more to do in a window of 6
    /// ms.
    #[test]
    fn a_wait_is_a_loss_if_it_is_longer_than_the_work_before() {
        let us = Duration::from_micros;
        for (wait, since_last, is_loss) in [
            (Wait::Awake, us(10), false),
            (Wait::Yielded, us(10_000), true),
            (Wait::Slept(us(1200)), us(6000), false),
            (Wait::Slept(us(4000)), us(4160), true),
        ] {
            assert_eq!(wait.is_loss(|| since_last), is_loss, "{wait:?} of {since_last:?}");
        }
    }
}
