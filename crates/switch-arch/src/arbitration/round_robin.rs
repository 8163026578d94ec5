//! Round robin: at each output and lane the inputs take turns.
//!
//! Invariant: an output that asked in vain chooses before the outputs that did not, so no output is starved of inputs.

use packet::{Lane, PortId};
use prefetch::prefetch;

use super::arbiter::{Arbiter, Request, Requests};
use crate::tables::{LaneTable, PortSet};

/// Inputs take turns at each output and lane. Outputs that got nothing when they last asked choose first.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    /// Input that won last, by output and lane.
    last: LaneTable<PortId>,
    /// Outputs that asked in vain.
    losers: PortSet,
}

state_codec::state!(RoundRobin { last: part, losers });

impl RoundRobin {
    /// Creates an arbiter for a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self { last: LaneTable::new(ports, lanes, PortId(0)), losers: PortSet::EMPTY }
    }

    /// Prefetches the input that won last at an output and lane.
    #[inline]
    pub(crate) fn prefetch(&self, output: PortId, lane: Lane) {
        prefetch(&self.last[(output, lane)]);
    }

    /// Returns the next input in turn of those that contend for an output and lane; `None` if there is none.
    #[inline(always)]
    pub(crate) fn turn<const WORDS: usize>(
        &mut self,
        output: PortId,
        lane: Lane,
        contenders: PortSet<WORDS>,
    ) -> Option<PortId> {
        let last = &mut self.last[(output, lane)];
        let input = contenders.next_after(*last);
        if let Some(input) = input {
            *last = input;
            self.losers.remove(output);
        } else {
            self.losers.insert(output);
        }
        input
    }

    fn serve<const WORDS: usize>(&mut self, index: usize, requests: &mut impl Requests<WORDS>) {
        let Request { output, lane, contenders } = requests.request(index);
        if let Some(input) = self.turn(output, lane, contenders) {
            requests.grant(index, input);
        }
    }
}

impl Arbiter for RoundRobin {
    fn matching<const WORDS: usize>(&mut self, requests: &mut impl Requests<WORDS>) {
        // A copy: an output that wins in the first pass leaves `losers`, and would be served again in the second.
        let before = self.losers;
        for first in [true, false] {
            for index in 0..requests.count() {
                if before.contains(requests.request(index).output) == first {
                    self.serve(index, requests);
                }
            }
        }
    }
}
