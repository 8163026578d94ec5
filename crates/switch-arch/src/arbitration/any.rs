//! The closed set of arbiters.
//!
//! Invariant: the event loop pays a branch for an arbiter, not an indirect call.

use super::arbiter::{Arbiter, Requests};
use super::islip::Islip;
use super::oldest_first::OldestFirst;
use super::round_robin::RoundRobin;
use crate::spec::ArbiterSpec;

/// Any arbiter that a scenario can name. Arbiters with much state are boxed, to keep the others small.
#[derive(Clone, Debug)]
pub enum AnyArbiter {
    /// Taking turns.
    RoundRobin(RoundRobin),
    /// Granting and accepting in turn.
    Islip(Box<Islip>),
    /// By age.
    OldestFirst(Box<OldestFirst>),
}

state_codec::state!(enum AnyArbiter { 0 = RoundRobin(arbiter: part), 1 = Islip(arbiter: part), 2 = OldestFirst(arbiter: part) });

impl AnyArbiter {
    /// Creates the arbiter that a scenario names, for a switch of this many ports and lanes.
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
