//! The place where a thread hands values to another.
//!
//! Invariant: each value is taken once, in the order in which they were given, and there is at most a single value at
//! a time.

use crate::stopwatch::Clock;
use crate::sync::{AtomicBool, Mutex, Ordering};
use crate::waiting::Waiting;

/// A place for a value, between a thread that gives and a thread that takes.
///
/// ```
/// use parallel::{Clock, Handoff};
///
/// let clock = Clock::of_machine().expect("this is no page");
/// let numbers = Handoff::new(clock);
/// std::thread::scope(|scope| {
///     let sum = scope.spawn(|| core::iter::from_fn(|| numbers.take()).sum::<u64>());
///     for number in [2, 3, 4] {
///         numbers.give(number);
///     }
///     numbers.close();
///     assert_eq!(sum.join().expect("it adds up"), 9);
/// });
/// ```
#[derive(Debug)]
pub struct Handoff<T> {
    value: Mutex<Option<T>>,
    is_full: AtomicBool,
    is_closed: AtomicBool,
    waiting: Waiting,
}

impl<T> Handoff<T> {
    /// Creates an empty place. Threads wait by the clock.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self {
            value: Mutex::new(None),
            is_full: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            waiting: Waiting::new(clock, 2),
        }
    }

    /// Gives a value, once the previous value is taken. Drops the value if the place is closed.
    ///
    /// # Panics
    /// If a thread panicked while it held the value, which none does.
    pub fn give(&self, value: T) {
        self.waiting.until(|| !self.is_full.load(Ordering::Acquire) || self.is_closed());
        if self.is_closed() {
            return;
        }
        *self.value.lock().expect("no thread panics with it") = Some(value);
        self.is_full.store(true, Ordering::Release);
        self.waiting.wake();
    }

    /// Takes the next value, once it is given; `None` if the place is closed and empty.
    ///
    /// # Panics
    /// If a thread panicked while it held the value, which none does.
    pub fn take(&self) -> Option<T> {
        self.waiting.until(|| self.is_full.load(Ordering::Acquire) || self.is_closed());
        let value = self.value.lock().expect("no thread panics with it").take();
        // Cleared after the value is out: a giver that saw it earlier would overwrite the value.
        self.is_full.store(false, Ordering::Release);
        self.waiting.wake();
        value
    }

    /// Closes the place: nothing more is given.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.waiting.wake();
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }
}
