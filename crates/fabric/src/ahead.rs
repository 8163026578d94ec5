//! Reading ahead: in fabrics so large that no cache holds them, what the next turns need is read together before them.
//!
//! Invariant: nothing is changed, and nothing depends on what is read, so guesses may be wrong. Reads that do not need
//! each other's answers wait for memory together; in their turns each would wait alone.

use link_layer::Signal;
use packet::{PortId, VoqId};
use switch_arch::SwitchWake;

use crate::event::{Event, What};
use crate::world::World;

/// How many events are read ahead for at a time.
const AHEAD: usize = 64;
/// From how many nodes on reading ahead pays: smaller fabrics fit into the cache.
pub(crate) const NODES: usize = 1024;

impl World {
    /// Reads what the events of the present turn will need, and some after them, unless that has been done.
    #[inline]
    pub(crate) fn look_ahead(&mut self) {
        while self.read_to < self.fabric.queue.turn_end() {
            self.read_more();
        }
    }

    /// Reads what the next events will need that have not been read ahead for.
    #[inline(never)]
    fn read_more(&mut self) {
        let events = self.fabric.queue.planned_from(self.read_to).take(AHEAD);
        // Each pass needs what the one before it has read.
        let packets = events.clone().fold(0, |read, event| read ^ self.read_packet(event));
        let mut outputs = [PortId(0); AHEAD];
        for (event, output) in events.clone().zip(&mut outputs) {
            *output = self.read_node(event);
        }
        let rest = events.zip(outputs).fold(0, |read, (event, output)| read ^ self.read_rest(event, output));
        core::hint::black_box(packets ^ rest);
        self.read_to += AHEAD;
    }

    /// The packet that arrives.
    #[inline]
    fn read_packet(&self, event: &Event) -> u64 {
        match event.what {
            What::Arrive(_, packet) => u64::from(self.fabric.pool[packet].wire),
            _ => 0,
        }
    }

    /// What of a node every event needs. Returns the output that the packet is routed to, if that can be told.
    #[inline]
    fn read_node(&self, event: &Event) -> PortId {
        let Some(switch) = event.node.index().checked_sub(self.adapters.len()) else {
            return PortId(self.adapters[event.node.index()].fetch() as u16);
        };
        match event.what {
            What::Arrive(_, packet) => self.switches[switch].output_of(&self.fabric.pool[packet]),
            What::Switch(SwitchWake::TailLeft { output, .. }) => Some(output),
            What::Signal(port, _) => Some(port),
            _ => None,
        }
        .unwrap_or(PortId(0))
    }

    /// What an event needs of its node beyond that, by an output that was read before.
    #[inline]
    fn read_rest(&self, event: &Event, output: PortId) -> u64 {
        let pool = &self.fabric.pool;
        let Some(switch) = event.node.index().checked_sub(self.adapters.len()) else {
            let adapter = &self.adapters[event.node.index()];
            return match event.what {
                What::Arrive(_, packet) => adapter.fetch_for_arrival(&pool[packet]),
                _ => adapter.fetch_for_send(),
            };
        };
        let switch = &self.switches[switch];
        match event.what {
            What::Arrive(input, packet) => {
                switch.fetch_for_arrival(VoqId { input, output, lane: pool[packet].lrh.lane })
            }
            What::Signal(port, Signal::Credit { lane, .. }) => switch.fetch_output(port, lane),
            What::Switch(SwitchWake::TailLeft { output, input, lane, .. }) => {
                switch.fetch_for_departure(VoqId { input, output, lane }, pool)
            }
            _ => 0,
        }
    }
}
