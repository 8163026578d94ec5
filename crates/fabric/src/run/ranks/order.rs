//! The orders of rank 0.
//!
//! Invariant: every rank gets the same orders and [questions](crate::state::world::observed), in the same sequence,
//! each in an exchange of its own. The first byte of a message distinguishes orders from questions.

use event_kernel::{Digest, Lookahead};
use units::{Span, Time};

use crate::run::common_windows::CommonWindows;

/// An order of rank 0 to all others.
#[derive(Debug)]
pub(super) enum Order {
    /// Builds the parts of the rank; it answers with a [`Reading`]. `plan` is the digest of the plan, `of_node` the
    /// part of each node. `inner` is the lookahead within each part, `between` the lookahead between parts.
    Begin { plan: Digest, of_node: Vec<u16>, inner: Vec<Lookahead>, between: Option<Span> },
    /// Brings up all links.
    BringUp,
    /// Silences the sources.
    Silence,
    /// Handles windows. The previous window ended at `handled`. Once deliveries are counted, `missing` is a lower
    /// bound of the undelivered messages of finite traffic.
    Advance { windows: CommonWindows, handled: Time, missing: Option<u64> },
    /// Answers with the state of the parts of the rank.
    Save,
    /// Loads the state of the parts of the rank, which follows. All events before `handled` are handled.
    Load { handled: Time },
    /// Returns from [`follow`](crate::follow).
    End,
}

state_codec::value!(enum Order {
    0 = Begin { plan, of_node, inner, between },
    1 = BringUp,
    2 = Silence,
    3 = Advance { windows, handled, missing },
    4 = Save,
    5 = Load { handled },
    6 = End,
});

/// The plan of a rank, compared with the plan of rank 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// The same plan.
    Same,
    /// Another plan.
    Other,
    /// No plan: it could not be read.
    None,
}

state_codec::value!(enum Reading { 0 = Same, 1 = Other, 2 = None });
