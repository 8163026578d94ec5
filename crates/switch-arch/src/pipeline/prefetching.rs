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
    pub(crate) fn prefetch_head(&self) {
        prefetch(&self.agenda);
        prefetch(&self.forwarding);
    }

    #[inline]
    pub(crate) fn prefetch_route(&self, packet: &Packet) {
        self.forwarding.prefetch(packet.lrh.destination);
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
    pub(crate) fn prefetch_for_departure(&self, voq: VoqId, pool: &PacketPool) {
        let VoqId { input, output, lane } = voq;
        self.prefetch_input(input, lane);
        self.prefetch_output(output, lane);
        if let Some(input) = self.storage.contenders(output, lane).next_after(input) {
            prefetch(&pool[self.storage.buffering.head(VoqId { input, output, lane })]);
        }
    }

    #[inline]
    pub(crate) fn prefetch_output(&self, output: PortId, lane: Lane) {
        self.ports[output].prefetch_all();
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
