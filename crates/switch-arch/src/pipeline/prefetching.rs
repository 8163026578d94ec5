//! Prefetching of the state that a coming event will need.
//!
//! Invariant: nothing is changed. A part is prefetched when its address is known without a wait, or after the part that
//! holds the address has been prefetched before.

use cc_policies::Marker;
use packet::{Lane, Packet, PacketPool, PortId, VoqId};
use prefetch::prefetch;

use super::{Pipeline, Stages};

impl<B: Stages<WORDS>, const WORDS: usize> Pipeline<B, WORDS> {
    #[inline]
    pub(crate) fn prefetch_route(&self, packet: &Packet) {
        self.forwarding.prefetch(packet.lrh.destination());
    }

    #[inline]
    pub(crate) fn prefetch_queue(&self, output: PortId, lane: Lane) {
        self.storage.contention.prefetch(output, lane);
    }

    #[inline]
    pub(crate) fn prefetch_for_arrival(&self, voq: VoqId) {
        self.prefetch_input(voq.input, voq.lane);
        self.prefetch_output(voq.output, voq.lane);
        prefetch(self.storage.buffering.waiting(voq));
    }

    #[inline]
    pub(crate) fn prefetch_for_departure(&self, voq: VoqId) {
        self.prefetch_input(voq.input, voq.lane);
        self.ports[voq.input].prefetch_rest(); // A credit is likely to be sent.
        self.prefetch_output(voq.output, voq.lane);
        if let Some(next) = self.likely_next(voq) {
            prefetch(self.storage.buffering.waiting(next));
        }
    }

    #[inline]
    pub(crate) fn prefetch_next(&self, voq: VoqId, pool: &PacketPool) {
        if let Some(next) = self.likely_next(voq) {
            self.ports[next.input].prefetch_first();
            prefetch(&pool[self.storage.buffering.head(next)]);
        }
    }

    /// Returns the queue that is likely to be next at the output after `voq`.
    #[inline]
    fn likely_next(&self, voq: VoqId) -> Option<VoqId> {
        // The order of round robin. Under other arbiters a wrong guess costs a cache line, and no result.
        let input = self.storage.contenders(voq.output, voq.lane).next_after(voq.input)?;
        Some(VoqId { input, ..voq })
    }

    #[inline]
    pub(crate) fn prefetch_output(&self, output: PortId, lane: Lane) {
        self.ports[output].prefetch_first();
        self.arbitration.prefetch(output, lane);
        self.storage.contention.prefetch(output, lane);
        self.marking.marker.prefetch(output, lane);
    }

    /// Prefetches the state that every event at an input and lane needs.
    #[inline]
    fn prefetch_input(&self, input: PortId, lane: Lane) {
        self.ports[input].prefetch_first();
        prefetch(&self.admission.inputs[(input, lane)]);
        self.arbitration.bandwidth.prefetch(input);
    }
}
