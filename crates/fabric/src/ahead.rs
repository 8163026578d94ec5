//! Reading ahead: in fabrics so large that no cache holds them, what a node's turn needs is read together before it.
//!
//! Invariant: nothing is changed, and nothing depends on what is read, so guesses may be wrong.

use cc_policies::policy::Place;
use link_layer::Signal;
use switch_arch::SwitchWake;

use crate::event::{Event, What};
use crate::world::World;

/// How many events are read ahead for in a turn: about as many as a core can wait for at a time.
const AHEAD: usize = 16;
/// From how many nodes on reading ahead pays: smaller fabrics fit into the cache.
pub(crate) const NODES: usize = 2048;

impl World {
    /// Reads what a node's turn will need, for all that is known of it at once: in a large fabric all of it lies far
    /// from the processor, and reads that do not need each other's answers wait together.
    #[inline(never)]
    pub(crate) fn look_ahead(&self) {
        let known = self.fabric.queue.known();
        let read = known.take(AHEAD).fold(0, |read, event| read ^ self.read_for(event));
        core::hint::black_box(read);
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
