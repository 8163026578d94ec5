//! Waiting for what another thread does.
//!
//! Invariant: a thread that waits is woken if what it waits for happens before [`Waiting::wake`] is called.

use core::hint::spin_loop;

use crate::patience::{ANOTHER_TURN, Patience};
use crate::stopwatch::Stopwatch;
use crate::sync::{AtomicUsize, Condvar, Mutex, Ordering, fence, yield_now};

/// Looks between two readings of the clock, each of which takes as long as some looks. None under loom, which tries every order.
const SPINS: u32 = if cfg!(loom) { 0 } else { 64 };

/// The place where threads wait, and where others wake them.
#[derive(Debug)]
pub(crate) struct Waiting {
    patience: Patience,
    /// Number of threads that sleep, or are about to.
    sleepers: AtomicUsize,
    bed: Mutex<()>,
    bell: Condvar,
}

impl Waiting {
    /// Creates a place for so many threads that work at the same time.
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            patience: Patience::of(threads),
            sleepers: AtomicUsize::new(0),
            bed: Mutex::new(()),
            bell: Condvar::new(),
        }
    }

    /// Waits until something is there. Returns true if the waiting thread lost its processor.
    #[inline]
    pub(crate) fn until(&self, is_there: impl Fn() -> bool) -> bool {
        for _ in 0..SPINS {
            if is_there() {
                return false;
            }
            spin_loop();
        }
        self.longer(&is_there)
    }

    #[inline(never)]
    fn longer(&self, is_there: &dyn Fn() -> bool) -> bool {
        let began = Stopwatch::start();
        while began.elapsed() < self.patience.spinning {
            for _ in 0..SPINS {
                if is_there() {
                    return false;
                }
                spin_loop();
            }
        }
        let mut lost = false;
        for _ in 0..self.patience.yields {
            if is_there() {
                return false;
            }
            let began = Stopwatch::start();
            yield_now();
            if !cfg!(loom) && began.elapsed() > ANOTHER_TURN {
                lost = true;
                break;
            }
        }
        if is_there() {
            return lost;
        }
        let mut bed = self.bed.lock().expect("no thread panics with this lock");
        self.sleepers.fetch_add(1, Ordering::Relaxed);
        // Either the other thread sees this one among the sleepers, or this one sees what the other has done.
        fence(Ordering::SeqCst);
        while !is_there() {
            bed = self.bell.wait(bed).expect("no thread panics with this lock");
        }
        self.sleepers.fetch_sub(1, Ordering::Relaxed);
        drop(bed);
        true
    }

    /// Wakes those that sleep, after something was done that they may wait for.
    #[inline]
    pub(crate) fn wake(&self) {
        fence(Ordering::SeqCst);
        if self.sleepers.load(Ordering::Relaxed) > 0 {
            self.ring();
        }
    }

    #[inline(never)]
    fn ring(&self) {
        // A thread that counts as a sleeper holds the lock until it sleeps.
        drop(self.bed.lock().expect("no thread panics with this lock"));
        self.bell.notify_all();
    }
}
