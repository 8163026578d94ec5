//! Reading ahead: where so much happens at a time that no cache holds what it needs, the next few events' needs are
//! read together, before their turns.
//!
//! Invariant: nothing is changed, and nothing depends on what is read, so guesses may be wrong.

use cc_policies::policy::Place;
use link_layer::Signal;
use switch_arch::SwitchWake;

use crate::event::{Event, What};
use crate::world::World;

/// How many events are read ahead for at a time: as many as a core can wait for.
const AHEAD: usize = 8;
/// From how many events at a time, within a bucket of the future-event list, reading ahead pays: fabrics where less
/// happens fit into the cache.
pub(crate) const CROWD: usize = 96;

impl World {
    /// Reads what the next events will need, for a group of them at once: in a large fabric all of it lies far from
    /// the processor, and reads that do not need each other's answers wait together.
    #[inline(never)] // Small fabrics do without it.
    pub(crate) fn look_ahead(&mut self) {
        if let Some(left) = self.read_ahead.checked_sub(1) {
            self.read_ahead = left;
            return;
        }
        let sorted = self.fabric.queue.sorted();
        let count = sorted.len().min(AHEAD);
        let read = sorted.take(count).fold(0, |read, event| read ^ self.read_for(event));
        core::hint::black_box(read);
        self.read_ahead = count.saturating_sub(1);
    }

    /// Reads what an event will need; what comes of it means nothing.
    #[inline]
    fn read_for(&self, event: &Event) -> u64 {
        let pool = &self.fabric.pool;
        let Some(switch) = event.node.index().checked_sub(self.adapters.len()) else {
            let adapter = &self.adapters[event.node.index()];
            return match event.what {
                What::Arrive(_, packet) => adapter.fetch_for_arrival(&pool[packet]),
                _ => adapter.fetch(),
            };
        };
        let switch = &self.switches[switch];
        match event.what {
            What::Arrive(port, packet) => switch.fetch_for_arrival(port, &pool[packet]),
            What::Signal(port, Signal::Credit { lane, .. }) => switch.fetch_output(port, lane),
            What::Switch(SwitchWake::TailLeft { output, input, lane, .. }) => {
                switch.fetch_for_departure(Place { input, output, lane }, pool)
            }
            _ => 0,
        }
    }
}
