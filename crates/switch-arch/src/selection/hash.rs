//! By a hash of the packet's flow.
//!
//! Invariant: a flow keeps its port as long as the same ports are up.

use packet::PortId;

use super::selector::{Choice, Loads, Selector};

/// The port that a hash of the packet's flow chooses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hash;

state_codec::state!(Hash {});

impl Selector for Hash {
    fn choose(&mut self, choice: Choice<'_>, loads: &impl Loads) -> PortId {
        let (group, key) = (choice.group, choice.packet.flow_key());
        let fixed = group.fixed(key);
        if loads.is_up(fixed) {
            return fixed;
        }
        let candidates = choice.candidates(loads);
        let up = choice.up_from(candidates.start, candidates, loads);
        let count = up.clone().count();
        up.clone().nth(group.hashed(key, count.max(1))).map_or(fixed, |place| group.port(place))
    }
}
