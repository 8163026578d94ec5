//! The closed set of selectors that choose anew each time that they are asked.
//!
//! Invariant: the event loop pays a branch for a selector, not an indirect call.

use packet::PortId;

use super::least_loaded::LeastLoaded;
use super::random::Random;
use super::round_robin::RoundRobin;
use super::selector::{Choice, Loads, Selector, SelectorSetup};
use crate::spec::FlowletChoice;

/// A selector that chooses anew each time.
#[derive(Clone, Debug)]
pub enum PacketSelector {
    /// At random.
    Random(Random),
    /// In turn.
    RoundRobin(RoundRobin),
    /// The least loaded port.
    LeastLoaded(LeastLoaded),
}

state_codec::state!(enum PacketSelector {
    0 = Random(selector: part),
    1 = RoundRobin(selector: part),
    2 = LeastLoaded(selector: part),
});

impl PacketSelector {
    /// Creates the selector that a scenario names.
    #[must_use]
    pub fn new(spec: FlowletChoice, setup: SelectorSetup) -> Self {
        match spec {
            FlowletChoice::Random => Self::Random(Random::new(setup.stream)),
            FlowletChoice::RoundRobin(spec) => Self::RoundRobin(RoundRobin::new(spec, setup)),
            FlowletChoice::LeastLoaded(spec) => Self::LeastLoaded(LeastLoaded::new(spec, setup)),
        }
    }
}

impl Selector for PacketSelector {
    fn choose(&mut self, choice: Choice<'_>, loads: &impl Loads) -> PortId {
        match self {
            Self::Random(selector) => selector.choose(choice, loads),
            Self::RoundRobin(selector) => selector.choose(choice, loads),
            Self::LeastLoaded(selector) => selector.choose(choice, loads),
        }
    }
}
