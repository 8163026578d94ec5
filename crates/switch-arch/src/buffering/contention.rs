//! Who contends for which output, in one place for all organisations.
//!
//! Invariant: an output is said to have a lane exactly if somebody contends for it there. Outputs ask this all the
//! time, so it costs no branch on the organisation.

use cc_policies::policy::Place;
use link_layer::{LaneSet, PortSet};
use packet::{Lane, PortId};

/// Who contends for which output and lane.
#[derive(Clone, Debug)]
pub struct Contention {
    lanes: usize,
    /// Inputs, by (output, lane).
    contenders: Vec<PortSet>,
    /// By output.
    waiting: Vec<LaneSet>,
}

impl Contention {
    /// Nobody contends yet, at a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self {
            lanes,
            contenders: vec![PortSet::EMPTY; ports * lanes],
            waiting: vec![LaneSet::default(); ports],
        }
    }

    /// Lanes on which somebody contends for this output.
    #[must_use]
    pub fn lanes(&self, output: PortId) -> LaneSet {
        self.waiting[output.index()]
    }

    /// Inputs that contend for this output and lane.
    #[must_use]
    pub fn contenders(&self, output: PortId, lane: Lane) -> PortSet {
        self.contenders[output.index() * self.lanes + lane.index()]
    }

    /// This input now has a packet at the head of a queue for that output and lane.
    #[inline(always)]
    pub fn contend(&mut self, Place { input, output, lane }: Place) {
        self.contenders[output.index() * self.lanes + lane.index()].insert(input);
        self.waiting[output.index()].insert(lane);
    }

    /// This input has none any more.
    #[inline(always)]
    pub fn withdraw(&mut self, Place { input, output, lane }: Place) {
        let contenders = &mut self.contenders[output.index() * self.lanes + lane.index()];
        contenders.remove(input);
        if contenders.is_empty() {
            self.waiting[output.index()].remove(lane);
        }
    }
}
