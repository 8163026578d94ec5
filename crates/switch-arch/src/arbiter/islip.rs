//! iSLIP: outputs grant in turn, inputs accept in turn, several times over.
//!
//! N. McKeown: The iSLIP Scheduling Algorithm for Input-Queued Switches, IEEE/ACM Transactions on Networking
//! 7(2), 1999, sections II and III.
//!
//! Invariant: pointers move only past a grant that was accepted in the first iteration. So an input that an
//! output grants to is served before that output goes on, and outputs get out of each other's step.
//!
//! | step | who | what |
//! |---|---|---|
//! | request | inputs not done with | ask every output for which they have a packet |
//! | grant | outputs without a match | the first asker after their pointer |
//! | accept | inputs with grants | the first granter after their pointer |
//!
//! DEVIATION: outputs ask when they are free, not all in the same time slot, and each for one lane; the pointers
//! of grants are kept by output and lane, those of acceptances by input. An input that can be read for more
//! than one packet at a time accepts one in each iteration.

use packet::PortId;

use super::{Arbiter, Requests};
use crate::port_set::PortSet;

/// Outputs grant in turn, inputs accept in turn, several times over.
#[derive(Clone, Debug)]
pub struct Islip {
    iterations: u8,
    lanes: usize,
    /// The input that accepted this output last, by (output, lane).
    granted: Vec<PortId>,
    /// The output that this input accepted last.
    accepted: Vec<PortId>,
    /// Outputs that grant to this input.
    offers: Vec<PortSet>,
    /// Where this output's request stands.
    places: Vec<usize>,
}

impl Islip {
    /// For a switch of this many ports and lanes.
    #[must_use]
    pub fn new(iterations: u8, ports: usize, lanes: usize) -> Self {
        Self {
            iterations,
            lanes,
            granted: vec![PortId(0); ports * lanes],
            accepted: vec![PortId(0); ports],
            offers: vec![PortSet::EMPTY; ports],
            places: vec![0; ports],
        }
    }

    /// Every output without a match grants to one input. Returns the inputs that have grants.
    fn grant<const WORDS: usize>(&mut self, matched: &PortSet, requests: &impl Requests<WORDS>) -> PortSet {
        let mut offered = PortSet::EMPTY;
        for index in 0..requests.len() {
            let request = requests.request(index);
            if matched.contains(request.output) {
                continue;
            }
            let last = self.granted[request.output.index() * self.lanes + request.lane.index()];
            if let Some(input) = request.contenders.next_after(last) {
                self.offers[input.index()].insert(request.output);
                self.places[request.output.index()] = index;
                offered.insert(input);
            }
        }
        offered
    }

    /// `input` accepts one of its grants. Returns the output.
    fn accept<const WORDS: usize>(
        &mut self,
        input: PortId,
        first_iteration: bool,
        requests: &mut impl Requests<WORDS>,
    ) -> PortId {
        let offers = core::mem::take(&mut self.offers[input.index()]);
        let output = offers.next_after(self.accepted[input.index()]).expect("the input has a grant");
        let index = self.places[output.index()];
        if first_iteration {
            let lane = requests.request(index).lane;
            self.granted[output.index() * self.lanes + lane.index()] = input;
            self.accepted[input.index()] = output;
        }
        requests.grant(index, input);
        output
    }
}

impl Arbiter for Islip {
    // Apart, so that switches that take turns do not carry its code in their loop.
    #[inline(never)]
    fn matching<const WORDS: usize>(&mut self, requests: &mut impl Requests<WORDS>) {
        let mut matched = PortSet::EMPTY;
        for iteration in 0..self.iterations {
            let offered = self.grant(&matched, requests);
            if offered.is_empty() {
                return;
            }
            for input in offered {
                matched.insert(self.accept(input, iteration == 0, requests));
            }
        }
    }
}
