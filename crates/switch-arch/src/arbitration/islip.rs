//! iSLIP: outputs grant in turn, inputs accept in turn, several times over.
//!
//! N. McKeown: The iSLIP Scheduling Algorithm for Input-Queued Switches, IEEE/ACM Transactions on Networking
//! 7(2), 1999, sections II and III.
//!
//! Invariant: a pointer moves only past a grant that was accepted in the first iteration. So an output goes on granting
//! to an input until it has served that input, and the pointers desynchronise.
//!
//! | step | actor | action |
//! |---|---|---|
//! | request | inputs without a match | ask every output for which they have a packet |
//! | grant | outputs without a match | choose the first request after their pointer |
//! | accept | inputs with grants | choose the first grant after their pointer |
//!
//! DEVIATION: outputs ask when they are free, not all in the same time slot, and each for a single lane. Grant pointers
//! are kept by output and lane, accept pointers by input. An input that can be read for several packets at a time
//! accepts a grant in each iteration.

use packet::PortId;

use super::arbiter::{Arbiter, Requests};
use crate::tables::{LaneTable, PortSet};

/// Outputs grant in turn, inputs accept in turn, several times over.
#[derive(Clone, Debug)]
pub struct Islip {
    iterations: u8,
    /// Input that accepted last, by output and lane: the grant pointers.
    granted: LaneTable<PortId>,
    /// Output that was accepted last, by input: the accept pointers.
    accepted: Vec<PortId>,
    /// Outputs with a grant, by input. All are empty between matchings.
    offers: Vec<PortSet>,
    /// Index of the request, by output. Scratch space of a matching.
    indices: Vec<usize>,
}

state_codec::state!(Islip { iterations: plan, granted: part, accepted: part, offers: part, indices: part });

impl Islip {
    /// Creates an arbiter for a switch of this many ports and lanes.
    #[must_use]
    pub fn new(iterations: u8, ports: usize, lanes: usize) -> Self {
        Self {
            iterations,
            granted: LaneTable::new(ports, lanes, PortId(0)),
            accepted: vec![PortId(0); ports],
            offers: vec![PortSet::EMPTY; ports],
            indices: vec![0; ports],
        }
    }

    /// Lets every output without a match grant to an input. Returns the inputs with grants.
    fn grant<const WORDS: usize>(&mut self, matched: &PortSet, requests: &impl Requests<WORDS>) -> PortSet {
        let mut offered = PortSet::EMPTY;
        for index in 0..requests.count() {
            let request = requests.request(index);
            if matched.contains(request.output) {
                continue;
            }
            let last = self.granted[(request.output, request.lane)];
            if let Some(input) = request.contenders.next_after(last) {
                self.offers[input.index()].insert(request.output);
                self.indices[request.output.index()] = index;
                offered.insert(input);
            }
        }
        offered
    }

    /// Lets `input` accept the next of its grants in turn. Returns the output.
    fn accept<const WORDS: usize>(
        &mut self,
        input: PortId,
        first_iteration: bool,
        requests: &mut impl Requests<WORDS>,
    ) -> PortId {
        let offers = core::mem::take(&mut self.offers[input.index()]);
        let output = offers.next_after(self.accepted[input.index()]).expect("the input has a grant");
        let index = self.indices[output.index()];
        // Later iterations must not move the pointers: an output could otherwise pass over an input for ever.
        if first_iteration {
            let lane = requests.request(index).lane;
            self.granted[(output, lane)] = input;
            self.accepted[input.index()] = output;
        }
        requests.grant(index, input);
        output
    }
}

impl Arbiter for Islip {
    // Not inlined: a switch with round robin does not carry this code in its loop.
    #[inline(never)]
    fn matching<const WORDS: usize>(&mut self, requests: &mut impl Requests<WORDS>) {
        let mut matched = PortSet::EMPTY;
        for iteration in 0..self.iterations {
            let offered = self.grant(&matched, requests);
            // No later iteration can find a match that this iteration did not.
            if offered.is_empty() {
                return;
            }
            for input in offered {
                matched.insert(self.accept(input, iteration == 0, requests));
            }
        }
    }
}
