//! Prefetching of the state that a coming event will need.
//!
//! Invariant: nothing is changed. A part is prefetched when its address is known without a wait, or after the part that
//! holds the address has been prefetched before.

use packet::{Lane, Packet};
use prefetch::prefetch;

use super::Adapter;

impl Adapter {
    /// Prefetches the state that any event needs: each cache line that is always used.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.sending_until);
        prefetch(&self.injected);
        prefetch(&self.outputs[Lane(0)]);
    }

    /// Prefetches what tells the state that the arrival of a packet needs.
    #[inline]
    pub fn prefetch_queue_pair(&self, packet: &Packet) {
        self.prefetch_schedule();
        if let Some(queue_pair) = self.queue_pairs.get(packet.bth.destination_qp.index()) {
            prefetch(queue_pair);
        }
    }

    /// Prefetches what tells the state that sending needs.
    #[inline]
    pub fn prefetch_schedule(&self) {
        self.schedule.prefetch();
    }

    /// Prefetches the state that the arrival of a packet needs.
    #[inline]
    pub fn prefetch_for_arrival(&self, packet: &Packet) {
        let Some(queue_pair) = self.queue_pairs.get(packet.bth.destination_qp.index()) else { return };
        if let Some(endpoint) = self.endpoints.get(queue_pair.endpoint as usize) {
            prefetch(endpoint);
        }
        if let Some(reception) = self.receptions.get(queue_pair.reception as usize) {
            prefetch(reception);
        }
    }

    /// Prefetches the state that sending the next packet needs: that of the selected endpoint.
    #[inline]
    pub fn prefetch_for_send(&self) {
        let selection = self.schedule.select(Lane(0));
        if let Some(endpoint) = selection.and_then(|next| self.endpoints.get(next.endpoint as usize)) {
            prefetch(endpoint);
        }
    }
}
