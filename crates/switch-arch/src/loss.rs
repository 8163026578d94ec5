//! Packets that a switch drops on arrival, under PFC or without flow control.
//!
//! Invariant: packets are dropped on arrival only, and each drop is counted once: at the output and lane whose queue has
//! reached its limit, or else at the port and lane whose memory and headroom are full.

use link_layer::{NodeContext, ReceiverId};
use packet::{Lane, PortId, VoqId};
use units::Bytes;

use crate::pipeline::Pipeline;
use crate::setup::SwitchWake;

/// Limit of the queue of each output and lane, and the packets dropped for it.
#[derive(Debug)]
pub(crate) struct Egress {
    limit: Bytes,
    /// By output and lane.
    dropped: Box<[u64]>,
}

impl Egress {
    pub(crate) fn new(limit: Bytes, outputs: usize) -> Self {
        Self { limit, dropped: vec![0; outputs].into() }
    }
}

impl<const WORDS: usize> Pipeline<WORDS> {
    /// Admits a packet that has arrived, or returns false if the packet is dropped.
    #[inline]
    pub(crate) fn admit(
        &mut self,
        voq: VoqId,
        length: Bytes,
        outlet: &mut impl NodeContext<SwitchWake>,
    ) -> bool {
        let VoqId { input, output, lane } = voq;
        if let Some(egress) = &mut self.egress
            && self.ledger.waiting(output, lane) + length > egress.limit
        {
            egress.dropped[self.memory.at(output, lane)] += 1;
            return false;
        }
        let receiver = ReceiverId { port: input, lane };
        self.memory.admit(&mut self.ports, &mut self.marker, receiver, length, outlet)
    }

    pub(crate) fn dropped_for(&self, output: PortId, lane: Lane) -> u64 {
        self.egress.as_ref().map_or(0, |egress| egress.dropped[self.memory.at(output, lane)])
    }

    pub(crate) fn dropped(&self) -> u64 {
        let at_outputs = self.egress.iter().flat_map(|egress| &egress.dropped).sum::<u64>();
        self.ports.iter().map(|port| port.link.dropped()).sum::<u64>() + at_outputs
    }
}
