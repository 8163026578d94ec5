//! Who wins: once per switch and instant, over everything that could move.
//!
//! Invariant: an arbiter sees only who asks for what. It grants an output to at most one input, and an
//! input at most what its buffer can be read for, which the [`Requests`] watch over.

use link_layer::PortSet;
use packet::{Lane, PortId};

use crate::spec::ArbiterSpec;

/// One output that could send now, and the inputs that have something for it.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The output.
    pub output: PortId,
    /// The lane whose turn it is there.
    pub lane: Lane,
    /// Inputs with a packet for it that fits the credit.
    pub contenders: PortSet,
}

/// A match: this input sends to this output now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The input.
    pub input: PortId,
    /// The output.
    pub output: PortId,
    /// The lane.
    pub lane: Lane,
}

/// What could move at one switch in one instant, and what has been granted of it.
pub trait Requests {
    /// How many outputs ask.
    fn len(&self) -> usize;

    /// Whether none asks.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An output's request as it stands after the grants so far: inputs that can be read no faster have
    /// been taken out.
    fn request(&self, index: usize) -> Request;

    /// Grants a request to one of its contenders.
    fn grant(&mut self, index: usize, input: PortId);
}

/// An arbiter of a switch.
pub trait Arbiter {
    /// Grants what shall move in this instant.
    fn matching(&mut self, requests: &mut impl Requests);
}

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

/// Any arbiter that a scenario can name.
#[derive(Clone, Debug)]
pub enum AnyArbiter {
    /// Taking turns.
    RoundRobin(RoundRobin),
}

impl AnyArbiter {
    /// The arbiter that the scenario names.
    #[must_use]
    pub fn new(spec: ArbiterSpec, ports: usize, lanes: usize) -> Self {
        match spec {
            ArbiterSpec::RoundRobin => Self::RoundRobin(RoundRobin::new(ports, lanes)),
        }
    }
}

impl Arbiter for AnyArbiter {
    fn matching(&mut self, requests: &mut impl Requests) {
        match self {
            Self::RoundRobin(arbiter) => arbiter.matching(requests),
        }
    }
}
