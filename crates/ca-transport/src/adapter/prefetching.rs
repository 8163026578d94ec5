//! Prefetching of the state that a coming event will need.
//!
//! Invariant: nothing is changed. A part is prefetched when its address is known without a wait, or after the part that
//! holds the address has been prefetched before.

use core::mem::offset_of;

use packet::{BthFlags, Lane, Packet};
use prefetch::{prefetch, prefetch_all, prefetch_bytes};

use super::Adapter;
use super::endpoint_slot::EndpointSlot;
use crate::endpoint::Endpoint;

impl Adapter {
    /// Prefetches the state that any event needs, up to what is used once a message.
    #[inline]
    pub fn prefetch(&self) {
        prefetch_bytes(self, offset_of!(Self, finite));
    }

    /// Prefetches the queue pair that a packet is for. It leads to the state that the arrival needs.
    #[inline]
    pub fn prefetch_queue_pair(&self, packet: &Packet) {
        self.prefetch_schedule();
        if let Some(queue_pair) = self.queue_pairs.get(packet.bth.destination_qp.index()) {
            prefetch_all(queue_pair);
        }
    }

    /// Prefetches the parts of the schedule that lead to the state needed for sending.
    #[inline]
    pub fn prefetch_schedule(&self) {
        self.schedule.prefetch();
    }

    /// Prefetches the state that the arrival of a packet needs.
    #[inline]
    pub fn prefetch_for_arrival(&self, packet: &Packet) {
        let Some(queue_pair) = self.queue_pairs.get(packet.bth.destination_qp.index()) else { return };
        if let Some(endpoint) = self.endpoints.get(queue_pair.endpoint as usize) {
            prefetch_all(endpoint);
        }
        if let Some(reception) = self.receptions.get(queue_pair.reception as usize) {
            prefetch_all(reception);
        }
    }

    /// Prefetches the endpoint that sends the next packet.
    #[inline]
    pub fn prefetch_for_send(&self) {
        if let Some(endpoint) = self.selected() {
            prefetch_all(endpoint);
        }
    }

    /// Prefetches the flow, and the message, that the arrival of a reply affects, and the counts that a mark changes.
    #[inline]
    pub fn prefetch_for_reply(&self, packet: &Packet) {
        let Some(queue_pair) = self.queue_pairs.get(packet.bth.destination_qp.index()) else { return };
        if let Some(endpoint) = self.endpoints.get(queue_pair.endpoint as usize) {
            self.schedule.prefetch_flow(endpoint.flow);
            self.prefetch_message_of(endpoint);
            if packet.bth.flags.contains(BthFlags::BECN)
                && let Some(decreases) = self.shared.decreases.get(endpoint.flow as usize)
            {
                prefetch(decreases);
            }
        }
        if packet.marked().is_some()
            && let Some(reception) = self.receptions.get(queue_pair.reception as usize)
        {
            reception.prefetch_marks(&self.marks);
        }
    }

    /// Prefetches the message that the next packet belongs to.
    #[inline]
    pub fn prefetch_message(&self) {
        if let Some(endpoint) = self.selected() {
            self.prefetch_message_of(endpoint);
        }
    }

    #[inline]
    fn prefetch_message_of(&self, slot: &EndpointSlot) {
        if let Some(message) = slot.endpoint.next_message() {
            self.messages.prefetch(message);
        }
    }

    /// Returns the endpoint that sends next on the first lane.
    #[inline]
    fn selected(&self) -> Option<&EndpointSlot> {
        let next = self.schedule.select(Lane(0))?;
        self.endpoints.get(next.endpoint as usize)
    }
}
