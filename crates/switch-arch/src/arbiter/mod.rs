//! Arbiters: who wins, once per switch and instant, over everything that could move.
//!
//! Invariant: an arbiter sees only who asks for what. It grants an output to at most one input, and an
//! input at most what its buffer can be read for, which the [`Requests`] watch over.

mod islip;
mod oldest_first;
mod round_robin;

use packet::{Lane, PortId};
use units::Time;

pub use self::islip::Islip;
pub use self::oldest_first::OldestFirst;
pub use self::round_robin::RoundRobin;
use crate::port_set::PortSet;
use crate::spec::ArbiterSpec;

/// One output that could send now, and the inputs that have something for it.
#[derive(Clone, Copy, Debug)]
pub struct Request<const WORDS: usize = 4> {
    /// The output.
    pub output: PortId,
    /// The lane whose turn it is there.
    pub lane: Lane,
    /// Inputs with a packet for it that fits the credit.
    pub contenders: PortSet<WORDS>,
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
pub trait Requests<const WORDS: usize> {
    /// How many outputs ask.
    fn len(&self) -> usize;

    /// Whether none asks.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An output's request as it stands after the grants so far: inputs that can be read no faster have
    /// been taken out.
    fn request(&self, index: usize) -> Request<WORDS>;

    /// When the tail of the packet came in, or will have, that this contender has for this request.
    fn since(&self, index: usize, input: PortId) -> Time;

    /// Grants a request to one of its contenders.
    fn grant(&mut self, index: usize, input: PortId);
}

/// An arbiter of a switch.
pub trait Arbiter {
    /// Grants what shall move in this instant.
    fn matching<const WORDS: usize>(&mut self, requests: &mut impl Requests<WORDS>);
}

/// Any arbiter that a scenario can name. Those that remember much lie apart, so that the others stay small.
#[derive(Clone, Debug)]
pub enum AnyArbiter {
    /// Taking turns.
    RoundRobin(RoundRobin),
    /// Granting and accepting in turn.
    Islip(Box<Islip>),
    /// By age.
    OldestFirst(Box<OldestFirst>),
}

impl AnyArbiter {
    /// The arbiter that the scenario names.
    #[must_use]
    pub fn new(spec: ArbiterSpec, ports: usize, lanes: usize) -> Self {
        match spec {
            ArbiterSpec::RoundRobin => Self::RoundRobin(RoundRobin::new(ports, lanes)),
            ArbiterSpec::Islip { iterations } => Self::Islip(Box::new(Islip::new(iterations, ports, lanes))),
            ArbiterSpec::OldestFirst => Self::OldestFirst(Box::new(OldestFirst::new(ports))),
        }
    }
}

impl Arbiter for AnyArbiter {
    fn matching<const WORDS: usize>(&mut self, requests: &mut impl Requests<WORDS>) {
        match self {
            Self::RoundRobin(arbiter) => arbiter.matching(requests),
            Self::Islip(arbiter) => arbiter.matching(requests),
            Self::OldestFirst(arbiter) => arbiter.matching(requests),
        }
    }
}
