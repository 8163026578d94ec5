//! Patience of a thread that waits: the steps before it sleeps.

use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

/// Time after which a yield has let another thread have a turn: otherwise it takes less than a microsecond.
pub(crate) const ANOTHER_TURN: Duration = Duration::from_micros(50);

/// The length of each step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Time of looks with a pause of the processor between them.
    pub(crate) spinning: Duration,
    /// Looks with a yield to other threads between them.
    pub(crate) yields: u32,
}

impl Patience {
    /// Returns the patience of this number of threads that work at the same time. Without a processor for each,
    /// spinning keeps the threads that are waited for from their work.
    ///
    /// A thread that sleeps needs 50 to 100 us to wake up in a virtual machine, as long as a whole window of 128
    /// hosts. So threads spin for longer than their work in a window differs. It differs by up to some 100 us with
    /// 128 hosts, by some 500 us with 11,664. Measured on two processors, 2-thread runs of 128 hosts that slept after
    /// 100 us were slower than a single thread. A yield takes some 0.5 us where nothing else runs. On a busy machine
    /// it takes until others have had their turn, which may be milliseconds.
    pub(crate) fn of(threads: usize) -> Self {
        // Loom tries every order, so each further look would multiply the orders.
        if cfg!(loom) {
            return Self { spinning: Duration::ZERO, yields: 1 };
        }
        let spinning = if processors() < threads { Duration::ZERO } else { Duration::from_millis(1) };
        Self { spinning, yields: 200 }
    }
}

/// Returns the number of processors that this process may use, as it was when this was first asked for. Linux reads
/// files to tell, which takes as long as some meetings.
#[expect(clippy::disallowed_methods, reason = "of threads that wait, and there are none in a page")]
fn processors() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}
