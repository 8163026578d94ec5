//! Settings of non-minimal routes, as a scenario writes them.
//!
//! Invariant: every field has a default, so that a routing's name may stand alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

/// Settings of `Valiant`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValiantSpec {
    /// Place that packets go through.
    #[serde(default)]
    pub through: Through,
}

/// Settings of `Ugal` and `Par`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UgalSpec {
    /// Place that a detour leads through.
    #[serde(default)]
    pub through: Through,
    /// Advantage of the minimal route: a packet takes the detour if the minimal route's weight times its load is more than
    /// the detour's weight times its load plus this.
    #[serde(default)]
    pub bias: Bytes,
    /// Weights of the two loads.
    #[serde(default)]
    pub weigh: DetourWeights,
    /// Load of an output.
    #[serde(default)]
    pub load: LoadSeen,
}

/// Place that a detour leads through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Through {
    /// A switch, drawn among all of the fabric.
    #[default]
    Switch,
    /// A group of a dragonfly that is neither the source's nor the destination's. The packet goes on from the switch by
    /// which it enters that group.
    Group,
}

/// Weights of the loads of a minimal route and of a detour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum DetourWeights {
    /// The number of cables between switches on each (Singh 2005; Kim, Dally, Scott and Abts 2008).
    #[default]
    Hops,
    /// 1 and this number; `BookSim2` has 2 for dragonflies.
    Fixed(#[schemars(range(min = 1, max = 16))] u8),
}

/// Load of an output, on the lanes of a packet's service level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum LoadSeen {
    /// Bytes that wait for the output here.
    Waiting,
    /// The same, and the bytes for which the far end has not returned credit, as simulators of flits count. Without
    /// credits nothing is known of the far end.
    #[default]
    WaitingAndFar,
}
