//! Reading ahead: what an event to come will need, so that it is in the cache when its turn comes.
//!
//! Invariant: nothing is changed, and nothing depends on what is read. Reads for several events wait for memory at
//! the same time; in their turns each would wait alone.

use cc_policies::Marker;
use packet::{Lane, PacketPool, PortId, VoqId};

use crate::pipeline::Pipeline;

impl<const WORDS: usize> Pipeline<WORDS> {
    #[inline]
    pub(crate) fn fetch_for_arrival(&self, place: VoqId) -> u64 {
        let VoqId { input, output, lane } = place;
        self.fetch_input(input, lane) ^ self.fetch_output(output, lane) ^ u64::from(self.ledger.waits(place))
    }

    #[inline]
    pub(crate) fn fetch_for_departure(&self, place: VoqId, pool: &PacketPool) -> u64 {
        let VoqId { input, output, lane } = place;
        let next = self.ledger.contenders(output, lane).next_after(input);
        let waiting = next.map_or(0, |input| {
            u64::from(pool[self.buffering.head(VoqId { input, output, lane }, &self.ledger)].wire)
        });
        self.fetch_input(input, lane) ^ self.fetch_output(output, lane) ^ waiting
    }

    #[inline]
    pub(crate) fn fetch_output(&self, output: PortId, lane: Lane) -> u64 {
        self.ports[output.index()].fetched()
            ^ u64::from(!self.ledger.contenders(output, lane).is_empty())
            ^ self.marker.fetch(output, lane)
    }

    /// Reads what every event at an input and lane will need, alike.
    #[inline]
    fn fetch_input(&self, input: PortId, lane: Lane) -> u64 {
        let held = self.inputs[self.memory.at(input, lane)].held();
        self.ports[input.index()].fetched_first() ^ held.get() ^ self.readers.limit(input)
    }
}
