//! Reading ahead: loads the state that a coming event will need, so that it is in the cache when the event is handled.
//!
//! Invariant: nothing is changed, and nothing depends on the values that are read. Reads for several events wait for
//! memory at the same time; in its turn each would wait alone.

use cc_policies::Marker;
use packet::{Lane, PacketPool, PortId, VoqId};

use super::{Pipeline, Stages};

impl<B: Stages<WORDS>, const WORDS: usize> Pipeline<B, WORDS> {
    #[inline]
    pub(crate) fn fetch_for_arrival(&self, voq: VoqId) -> u64 {
        self.fetch_input(voq.input, voq.lane)
            ^ self.fetch_output(voq.output, voq.lane)
            ^ u64::from(self.storage.buffering.waiting(voq))
    }

    #[inline]
    pub(crate) fn fetch_for_departure(&self, voq: VoqId, pool: &PacketPool) -> u64 {
        let VoqId { input, output, lane } = voq;
        let next = self.storage.contenders(output, lane).next_after(input);
        let head = next.map_or(0, |input| {
            u64::from(pool[self.storage.buffering.head(VoqId { input, output, lane })].wire)
        });
        self.fetch_input(input, lane) ^ self.fetch_output(output, lane) ^ head
    }

    #[inline]
    pub(crate) fn fetch_output(&self, output: PortId, lane: Lane) -> u64 {
        self.ports[output].fetch()
            ^ u64::from(!self.storage.contenders(output, lane).is_empty())
            ^ self.marking.marker.fetch(output, lane)
    }

    /// Reads the state that every event at an input and lane needs.
    #[inline]
    fn fetch_input(&self, input: PortId, lane: Lane) -> u64 {
        let held = self.admission.inputs[(input, lane)].held();
        self.ports[input].fetch_first() ^ held.get() ^ self.arbitration.bandwidth.limit(input)
    }
}
