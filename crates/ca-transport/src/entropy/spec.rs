//! Settings of entropy values: scenario field `adapter.entropy`.
//!
//! Invariant: a setting within its range always leads to a source of values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Span;

/// Entropy value of each packet of a queue pair, which switches hash together with the flow (`routing: Ecmp`). In
/// RoCEv2 it is the UDP source port; InfiniBand has no such field, and the model gives it one of the same size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum EntropySpec {
    /// The same value for all packets of a queue pair: a flow keeps its path.
    #[default]
    Flow,
    /// A value drawn anew for each packet: oblivious spraying.
    Random,
    /// The values in turn, from one that the queue pair draws.
    RoundRobin,
    /// The values in turn, but for values with a penalty. A packet that arrives marked adds 1 to the penalty of its value,
    /// a packet sent again 4, a packet sent again after a time-out 15, which is the most. A value with a penalty is skipped,
    /// which takes 1 from it.
    Bitmap(BitmapSpec),
    /// Recycled entropies (REPS): the value of an acknowledged packet that came unmarked is used once more, the oldest
    /// first; without such a value one is drawn. After a time-out, and for as long as `freeze`, the last good values are used
    /// again and again, and no new ones.
    Reps(RepsSpec),
}

impl EntropySpec {
    /// Returns whether these are the usual values, which are not written out.
    #[must_use]
    pub const fn is_usual(&self) -> bool {
        matches!(self, Self::Flow)
    }

    /// Returns the word for this entropy in a scenario.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Flow => "Flow",
            Self::Random => "Random",
            Self::RoundRobin => "RoundRobin",
            Self::Bitmap(_) => "Bitmap",
            Self::Reps(_) => "Reps",
        }
    }
}

/// Settings of a bitmap of entropy values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BitmapSpec {
    /// Number of values, 2 to 256.
    #[schemars(range(min = 2, max = 256))]
    pub values: u32,
}

impl Default for BitmapSpec {
    fn default() -> Self {
        Self { values: 64 }
    }
}

/// Settings of recycled entropies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RepsSpec {
    /// Number of good values that are kept, 1 to 64.
    #[schemars(range(min = 1, max = 64))]
    pub kept: u32,
    /// Time after a time-out in which no new values are drawn.
    pub freeze: Span,
}

/// Eight values, as in the REPS paper (Bonato and others, arXiv 2407.21625). The time is ours: the paper says that a
/// failed path is left within 100 us.
impl Default for RepsSpec {
    fn default() -> Self {
        Self { kept: 8, freeze: Span::from_us(100) }
    }
}
