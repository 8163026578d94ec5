//! The reasons for which a run fails.
//!
//! Invariant: a bug of the simulator and a fault of the scenario have different types.

use link_layer::InvariantViolation;
use packet::Lane;
use units::{Span, Time};

use crate::observe::deadlock::Deadlock;

/// A violated invariant: a bug of the simulator, not of the scenario.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Violation {
    /// A node violated an invariant.
    #[error("{node}, port {port}, {lane}, at {at}: {what}")]
    AtNode {
        /// The node, by name.
        node: String,
        /// Number of the port.
        port: u16,
        /// The lane.
        lane: Lane,
        /// Time of the violation.
        at: Time,
        /// The invariant.
        what: InvariantViolation,
    },
    /// Packets were lost or invented.
    #[error(
        "{injected} packets were injected, {delivered} delivered, {dropped} dropped and {under_way} are under way at \
         {at}: they do not add up"
    )]
    Conservation {
        /// Packets sent by adapters.
        injected: u64,
        /// Packets received by adapters.
        delivered: u64,
        /// Packets dropped.
        dropped: u64,
        /// Packets in the fabric.
        under_way: u64,
        /// Time of the audit.
        at: Time,
    },
    /// Packets are missing although none was dropped.
    #[error("packets were found missing {missed} times by {at}, though none was dropped")]
    Sequence {
        /// Number of negative acknowledgements, and of gaps in unacknowledged flows.
        missed: u64,
        /// Time of the audit.
        at: Time,
    },
    /// The fabric does not come to rest in a drain.
    #[error(
        "{node} is not at rest, and nothing moves any more, {waited} after the sources fell silent: packets or \
         credits are missing"
    )]
    Unrest {
        /// The first node that is not at rest, by name.
        node: String,
        /// Time since the sources fell silent.
        waited: Span,
    },
}

/// The reason for which a run failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RunError {
    /// The simulator violated an invariant of its own.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// Packets wait for each other in a cycle, which the scenario's routes allow.
    #[error(transparent)]
    Deadlock(#[from] Deadlock),
}
