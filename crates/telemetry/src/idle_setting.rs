//! Settings of paths that cannot have an effect in a run.
//!
//! Invariant: the record depends on the plan alone.

use units::{Bytes, Span};

/// A setting that cannot have an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleSettingRecord {
    /// The field and its value, as in the scenario.
    pub setting: String,
    /// The reason.
    pub reason: IdleReason,
}

/// Reason for which a setting of paths cannot have an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleReason {
    /// A routing with groups of ports: no switch has several ports towards a host.
    OnePort,
    /// A routing with detours: no flow leaves the switches between which all paths are minimal.
    NoDetour,
    /// A selector: `selected_packets` has neither the service nor the level of any flow.
    NotSelected,
    /// A selector: all packets are shorter than those that it is for.
    TooShort {
        /// Shortest packet that the selector is for.
        small: Bytes,
        /// Longest packet of the link.
        longest: Bytes,
    },
    /// A selector: no packet that it is for meets a group of ports that it chooses from.
    NoneOnTheWay,
    /// Packets for a selector: a hash of their flow chooses the ports of all packets.
    HashForAll,
    /// Flowlets: the gap is as long as the run.
    GapBeyondRun {
        /// Longest time between two packets of a burst.
        gap: Span,
        /// Duration of the run.
        duration: Span,
    },
    /// Two drawn ports of groups that have no more.
    TwoOfTwo,
    /// An entropy: no switch on the way hashes it.
    NotHashed,
    /// An entropy that judges paths: no packet is acknowledged.
    NoAnswers,
    /// An entropy that judges paths: no switch marks packets.
    NoMarks,
}
