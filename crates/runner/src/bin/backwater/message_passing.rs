//! Messages between processes by MPI.
//!
//! Invariant: only the thread that joined exchanges messages, which is all that MPI is asked to allow. An error of MPI
//! ends all processes, with its message: this is MPI's own default. No call of an exchange blocks. A blocked MPI would
//! look for messages all the time. Where processors are few or busy, that would keep the awaited processes from their
//! work.

use std::sync::Mutex;

use mpi::Threading;
use mpi::environment::Universe;
use mpi::request::{LocalScope, Request};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Equivalence, Source};
use parallel::{Ranks, look_until};

/// The processes that were started together. Leaves MPI when it is dropped, once all others do.
pub(crate) struct World {
    ranks: MpiRanks,
    _universe: Universe,
}

#[derive(Debug)]
struct MpiRanks {
    rank: usize,
    count: usize,
    /// Memory for messages that come in, by rank.
    received: Mutex<Vec<Vec<u8>>>,
}

impl World {
    /// Joins the processes that were started together.
    ///
    /// # Panics
    /// If this process has joined before, or MPI allows no threads beside its caller.
    pub(crate) fn joined() -> Self {
        let (universe, threading) =
            mpi::initialize_with_threading(Threading::Funneled).expect("a process joins once");
        assert!(threading >= Threading::Funneled, "MPI allows no threads: {threading:?}");
        let world = universe.world();
        let (rank, count) = (world.rank() as usize, world.size() as usize);
        let ranks = MpiRanks { rank, count, received: Mutex::new(vec![Vec::new(); count]) };
        Self { ranks, _universe: universe }
    }

    pub(crate) fn ranks(&self) -> &dyn Ranks {
        &self.ranks
    }
}

impl Ranks for MpiRanks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.count
    }

    fn exchange(&self, messages: &mut [Vec<u8>]) {
        assert_eq!(messages.len(), self.count, "a message for each rank");
        let mut received = self.received.lock().expect("one thread exchanges messages");
        let world = SimpleCommunicator::world();
        let others = || (0..self.count).filter(|rank| *rank != self.rank);
        mpi::request::scope(|scope| {
            let send = |rank: usize| {
                let message = messages[rank].as_slice();
                let length = message.len();
                assert!(
                    length <= i32::MAX as usize,
                    "MPI sends at most 2 GiB at a time, and this is {length} bytes"
                );
                world.process_at_rank(rank as i32).immediate_send(scope, message)
            };
            let sent: Vec<_> = others().map(send).collect();
            for (rank, place) in received.iter_mut().enumerate().filter(|(rank, _)| *rank != self.rank) {
                let from = world.process_at_rank(rank as i32);
                let (message, status) = look_until(|| from.immediate_matched_probe());
                place.resize(status.count(u8::equivalent_datatype()) as usize, 0);
                finish(message.immediate_matched_receive_into(scope, place.as_mut_slice()));
            }
            sent.into_iter().for_each(finish);
        });
        others().for_each(|rank| core::mem::swap(&mut messages[rank], &mut received[rank]));
    }
}

/// Waits until a message is sent or received.
fn finish<'a>(request: Request<'a, [u8], &LocalScope<'a>>) {
    let mut pending = Some(request);
    look_until(|| {
        pending = pending.take()?.test().err();
        pending.is_none().then_some(())
    });
}
