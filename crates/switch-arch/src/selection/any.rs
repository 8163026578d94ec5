//! The closed set of selectors.
//!
//! Invariant: the event loop pays a branch for a selector, not an indirect call.

use packet::PortId;

use super::flowlet::Flowlet;
use super::hash::Hash;
use super::packetwise::PacketSelector;
use super::selector::{Choice, Loads, Selector, SelectorSetup};
use crate::spec::{FlowletChoice, SelectionSpec};

/// Any selector that a scenario can name.
#[derive(Clone, Debug)]
pub enum AnySelector {
    /// By a hash of the packet's flow.
    Hash(Hash),
    /// Anew for each packet.
    Packetwise(PacketSelector),
    /// By bursts of flows.
    Flowlet(Box<Flowlet>),
}

state_codec::state!(enum AnySelector {
    0 = Hash(selector: part),
    1 = Packetwise(selector: part),
    2 = Flowlet(selector: part),
});

impl AnySelector {
    /// Creates the selector that a scenario names.
    #[must_use]
    pub fn new(spec: SelectionSpec, setup: SelectorSetup) -> Self {
        let choice = match spec {
            SelectionSpec::Hash => return Self::Hash(Hash),
            SelectionSpec::Flowlet(spec) => return Self::Flowlet(Box::new(Flowlet::new(spec, setup))),
            SelectionSpec::Random => FlowletChoice::Random,
            SelectionSpec::RoundRobin(spec) => FlowletChoice::RoundRobin(spec),
            SelectionSpec::LeastLoaded(spec) => FlowletChoice::LeastLoaded(spec),
        };
        Self::Packetwise(PacketSelector::new(choice, setup))
    }
}

impl Selector for AnySelector {
    fn choose(&mut self, choice: Choice<'_>, loads: &impl Loads) -> PortId {
        match self {
            Self::Hash(selector) => selector.choose(choice, loads),
            Self::Packetwise(selector) => selector.choose(choice, loads),
            Self::Flowlet(selector) => selector.choose(choice, loads),
        }
    }
}
