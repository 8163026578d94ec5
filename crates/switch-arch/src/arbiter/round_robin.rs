//! Round robin: at each output and lane the inputs take turns.
//!
//! Invariant: an output that asked in vain chooses before those that did not, so none is starved of inputs.

use packet::{Lane, PortId};

use super::{Arbiter, Request, Requests};
use crate::port_set::PortSet;

/// Inputs take turns at each output and lane. Outputs that got nothing when they last asked choose first.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    lanes: usize,
    /// The input that won last, by (output, lane).
    last: Box<[PortId]>,
    /// Outputs that asked in vain.
    losers: PortSet,
}

impl RoundRobin {
    /// For a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self { lanes, last: vec![PortId(0); ports * lanes].into(), losers: PortSet::EMPTY }
    }

    /// Whose turn it is of those that contend for an output and lane: of nobody if none does.
    #[inline]
    pub(crate) fn turn<const WORDS: usize>(
        &mut self,
        output: PortId,
        lane: Lane,
        contenders: PortSet<WORDS>,
    ) -> Option<PortId> {
        let last = &mut self.last[output.index() * self.lanes + lane.index()];
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
        let before = self.losers;
        for first in [true, false] {
            for index in 0..requests.len() {
                if before.contains(requests.request(index).output) == first {
                    self.serve(index, requests);
                }
            }
        }
    }
}
