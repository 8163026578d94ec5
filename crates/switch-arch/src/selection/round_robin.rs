//! In turn.
//!
//! Invariant: of any n packets in succession that share a turn, each of n ports that are up gets one.

use packet::PortId;
use rand::Rng;

use super::selector::{Choice, Loads, Selector, SelectorSetup};
use crate::spec::{RoundRobinSpec, TurnsSpec};

/// Ports of a group in turn.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    per: TurnsSpec,
    groups: usize,
    /// Place of the next port in its group: by input and group, or by destination.
    turns: Box<[u8]>,
}

state_codec::state!(RoundRobin { per: plan, groups: plan, turns });

impl RoundRobin {
    /// Creates a selector. The first port of each turn is drawn: if all inputs began with the same port, packets that
    /// come at the same time would go by the same ports for ever.
    #[must_use]
    pub fn new(spec: RoundRobinSpec, mut setup: SelectorSetup) -> Self {
        let mut turns = vec![0; Self::turns(spec, &setup)].into_boxed_slice();
        setup.stream.fill_bytes(&mut turns);
        Self { per: spec.per, groups: setup.groups, turns }
    }

    /// Returns the number of turns that the selector keeps.
    pub(super) const fn turns(spec: RoundRobinSpec, setup: &SelectorSetup) -> usize {
        match spec.per {
            TurnsSpec::Input => setup.ports * setup.groups,
            TurnsSpec::Destination => setup.hosts + 1,
        }
    }
}

impl Selector for RoundRobin {
    fn choose(&mut self, choice: Choice<'_>, loads: &impl Loads) -> PortId {
        let turn = match self.per {
            TurnsSpec::Input => choice.input.index() * self.groups + choice.group.number(),
            TurnsSpec::Destination => choice.packet.lrh.destination().index(),
        };
        let turn = &mut self.turns[turn];
        let candidates = choice.candidates(loads);
        let first = candidates.start + usize::from(*turn) % candidates.len();
        let place = choice.up_from(first, candidates.clone(), loads).next().unwrap_or(first);
        *turn = ((place + 1 - candidates.start) % candidates.len()) as u8;
        choice.group.port(place)
    }
}
