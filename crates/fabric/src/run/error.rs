//! The reasons for which a run fails.
//!
//! Invariant: a bug of the simulator and a fault of the scenario have different types.

use link_layer::InvariantViolation;
use packet::{Lane, PortId};
use units::{Span, Time};

use crate::observe::deadlock::Deadlock;

/// One of the simulator's promises found broken: a bug of the simulator, not of the scenario.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Violation {
    /// A node found it.
    #[error("{node}, port {port}, {lane}, at {at}: {what}")]
    AtNode {
        /// The node, by name.
        node: String,
        /// The port.
        port: PortId,
        /// The lane.
        lane: Lane,
        /// When.
        at: Time,
        /// Which promise.
        what: InvariantViolation,
    },
    /// Packets were lost or invented.
    #[error(
        "{injected} packets were injected, {delivered} delivered, {dropped} dropped and {under_way} are under way at \
         {at}: they do not add up"
    )]
    Conservation {
        /// Packets made.
        injected: u64,
        /// Packets that came in.
        delivered: u64,
        /// Packets dropped.
        dropped: u64,
        /// Packets between.
        under_way: u64,
        /// When.
        at: Time,
    },
    /// Packets were found missing, though none was dropped.
    #[error("packets were found missing {missed} times by {at}, though none was dropped")]
    Sequence {
        /// Negative acknowledgements, and gaps that nobody asks to be filled.
        missed: u64,
        /// When.
        at: Time,
    },
    /// A drain did not come to rest.
    #[error(
        "{node} is not at rest, and nothing moves any more, {waited} after the sources fell silent: packets or \
         credits are missing"
    )]
    Unrest {
        /// The first node that is not at rest, by name.
        node: String,
        /// How long was waited.
        waited: Span,
    },
}

/// The reason for which a run failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RunError {
    /// The simulator broke one of its own promises.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// Packets wait for each other in a circle: the scenario's routes allow it.
    #[error(transparent)]
    Deadlock(#[from] Deadlock),
}
