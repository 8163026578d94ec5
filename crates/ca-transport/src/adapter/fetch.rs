//! Reading ahead: loads the state that a future event needs, so that it is in the cache by then.
//!
//! Invariant: nothing is changed, and nothing depends on the values.

use packet::{Lane, Packet};

use super::Adapter;
use crate::endpoint::any::AnyEndpoint;

impl Adapter {
    /// Reads the state that the arrival of a packet needs. The result has no meaning, but must not be optimised away.
    #[inline]
    #[must_use]
    pub fn fetch_for_arrival(&self, packet: &Packet) -> u64 {
        let Some(queue_pair) = self.queue_pairs.get(packet.bth.destination_qp.index()) else { return 0 };
        let endpoint = self.endpoints.get(queue_pair.endpoint as usize).map_or(0, |endpoint| endpoint.flow);
        let taken = self.sinks.get(queue_pair.sink as usize).map_or(0, |sink| sink.packets);
        self.fetch() ^ u64::from(endpoint) ^ taken
    }

    /// Reads the state that any event needs: a word of each cache line that is always used.
    #[inline]
    #[must_use]
    pub fn fetch(&self) -> u64 {
        let selection = self.schedule.select(Lane(0)).map_or(0, |selection| selection.endpoint);
        self.sending_until.ps() ^ self.injected ^ self.outputs[Lane(0)].packets ^ u64::from(selection)
    }

    /// Reads the state that sending the next packet needs: that of the selected endpoint.
    #[inline]
    #[must_use]
    pub fn fetch_for_send(&self) -> u64 {
        let selection = self.schedule.select(Lane(0));
        let endpoint = selection.and_then(|selection| self.endpoints.get(selection.endpoint as usize));
        endpoint.map_or(0, |endpoint| {
            u64::from(endpoint.flow) ^ u64::from(matches!(endpoint.endpoint, AnyEndpoint::Requester(_)))
        })
    }
}
