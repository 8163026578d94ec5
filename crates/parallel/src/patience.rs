//! Patience of a member that waits: the steps before it sleeps.

use std::thread;

/// Number of steps of each kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Looks with a pause of the processor between them.
    pub(crate) spins: u32,
    /// Looks with a yield to other threads between them.
    pub(crate) yields: u32,
}

impl Patience {
    /// Returns the patience of so many members. Without a processor for each, spinning keeps from work those that are
    /// waited for.
    ///
    /// A pause takes 5 to 40 ns, so that members spin for some 15 to 120 us: about as long as the differences between their
    /// work in a window of the largest fabrics, which are 70 to 125 us at 11,664 hosts. A yield takes some 0.5 us where
    /// nothing else runs; on a busy machine it takes until others have had their turn, which may be milliseconds.
    pub(crate) fn of(members: usize) -> Self {
        if cfg!(loom) {
            return Self { spins: 0, yields: 1 };
        }
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Self { spins: if processors < members { 0 } else { 3000 }, yields: 200 }
    }
}
