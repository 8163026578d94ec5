//! Reading ahead: what an event to come will need, so that it is in the cache when its turn comes.
//!
//! Invariant: nothing is changed, and nothing depends on what is read.

use packet::{Lane, Packet};

use super::Adapter;
use crate::any::AnyTransport;

impl Adapter {
    /// Reads what the arrival of a packet will need. What it returns is of no meaning, but must not be optimised away.
    #[inline]
    #[must_use]
    pub fn fetch_for_arrival(&self, packet: &Packet) -> u64 {
        let Some(queue_pair) = self.queue_pairs.get(packet.bth.destination_qp.index()) else { return 0 };
        let half = self.halves.get(queue_pair.half as usize).map_or(0, |half| half.flow);
        let taken = self.sinks.get(queue_pair.sink as usize).map_or(0, |sink| sink.packets);
        self.fetch() ^ u64::from(half) ^ taken
    }

    /// Reads what any event needs, alike: a word of the cache lines that are always used.
    #[inline]
    #[must_use]
    pub fn fetch(&self) -> u64 {
        let turn = self.schedule.turn(Lane(0)).map_or(0, |turn| turn.half);
        self.sending_until.ps() ^ self.injected ^ self.outputs[Lane(0)].packets ^ u64::from(turn)
    }

    /// Reads what sending the next packet will need, alike: the half whose turn it is.
    #[inline]
    #[must_use]
    pub fn fetch_for_send(&self) -> u64 {
        let turn = self.schedule.turn(Lane(0));
        let half = turn.and_then(|turn| self.halves.get(turn.half as usize));
        half.map_or(0, |half| {
            u64::from(half.flow) ^ u64::from(matches!(half.transport, AnyTransport::Requester(_)))
        })
    }
}
