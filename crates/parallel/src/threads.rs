//! The number of threads that some work may take.
//!
//! Invariant: it is at most the number of the machine's processors, since threads that work in step gain nothing
//! without a processor each.

use core::fmt::{self, Display, Formatter};
use core::num::NonZero;
use std::thread;

/// Threads that a run may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// The calling thread alone.
    #[default]
    One,
    /// This number, or fewer if that many gain nothing, but no more than the machine has processors.
    AtMost(NonZero<usize>),
    /// As many as gain, but no more than the machine has processors.
    Auto,
}

impl Threads {
    /// Returns the most threads.
    #[must_use]
    pub fn most(self) -> usize {
        match self {
            Self::One => 1,
            Self::AtMost(threads) => processors().min(threads.get()),
            Self::Auto => processors(),
        }
    }
}

impl Display for Threads {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::One => f.write_str("1"),
            Self::AtMost(threads) => write!(f, "{threads}"),
            Self::Auto => f.write_str("auto"),
        }
    }
}

/// Returns the number of processors of the machine that this process may use.
#[expect(clippy::disallowed_methods, reason = "of a run in parts, and a page has none")]
fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}
