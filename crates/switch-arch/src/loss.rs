//! What a switch drops on arrival, under PFC or without flow control.
//!
//! Invariant: nothing is dropped but on arrival, and each drop is counted once: where there was neither room nor
//! headroom, at the port and lane by which the packet came; where too much waited for an output, at that output and lane.

use link_layer::{Outlet, PauseTally};
use packet::{Lane, PortId, VoqId};
use units::{Bytes, Time};

use crate::pipeline::Pipeline;
use crate::setup::SwitchWake;

/// What may wait for an output, and what was dropped for that.
#[derive(Debug)]
pub(crate) struct Egress {
    limit: Option<Bytes>,
    /// By output and lane.
    dropped: Box<[u64]>,
}

impl Egress {
    /// Nothing has been dropped yet.
    pub(crate) fn new(limit: Option<Bytes>, outputs: usize) -> Self {
        Self { limit, dropped: vec![0; outputs].into() }
    }
}

impl<const WORDS: usize> Pipeline<WORDS> {
    /// Whether a packet that has come in is kept, and if so takes it in.
    pub(crate) fn take_in(
        &mut self,
        place: VoqId,
        length: Bytes,
        outlet: &mut impl Outlet<SwitchWake>,
    ) -> bool {
        let VoqId { input, output, lane } = place;
        if self.egress.limit.is_some_and(|limit| self.ledger.waiting(output, lane) + length > limit) {
            self.egress.dropped[self.memory.at(output, lane)] += 1;
            return false;
        }
        self.memory.take_in(&mut self.ports, &mut self.marker, (input, lane), length, outlet)
    }

    pub(crate) fn pauses(&self, port: PortId, lane: Lane, now: Time) -> Option<PauseTally> {
        self.ports[port.index()].link.pauses().map(|pauses| pauses.tally(lane, now))
    }

    pub(crate) fn dropped_for(&self, output: PortId, lane: Lane) -> u64 {
        self.egress.dropped[self.memory.at(output, lane)]
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.ports.iter().map(|port| port.link.dropped()).sum::<u64>()
            + self.egress.dropped.iter().sum::<u64>()
    }
}
