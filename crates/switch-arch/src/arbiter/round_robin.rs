//! Round robin: at each output and lane the inputs take turns.
//!
//! Invariant: an output that asked in vain chooses before those that did not, so none is starved of inputs.

use link_layer::PortSet;
use packet::PortId;

use super::{Arbiter, Requests};

/// Inputs take turns at each output and lane. Outputs that got nothing when they last asked choose first.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    lanes: usize,
    /// The input that won last, by (output, lane).
    last: Vec<PortId>,
    /// Outputs that asked in vain.
    losers: PortSet,
}

impl RoundRobin {
    /// For a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self { lanes, last: vec![PortId(0); ports * lanes], losers: PortSet::EMPTY }
    }

    fn serve(&mut self, index: usize, requests: &mut impl Requests) {
        let request = requests.request(index);
        let last = &mut self.last[request.output.index() * self.lanes + request.lane.index()];
        if let Some(input) = request.contenders.next_after(*last) {
            *last = input;
            self.losers.remove(request.output);
            requests.grant(index, input);
        } else {
            self.losers.insert(request.output);
        }
    }
}

impl Arbiter for RoundRobin {
    fn matching(&mut self, requests: &mut impl Requests) {
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
