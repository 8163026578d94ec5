//! When messages were posted, and when their last payload was taken: what completion times are made of.
//!
//! Invariant: kept in the order in which it happened. Nothing decides by it, and no digest holds it.

use packet::QpNumber;
use units::{Bytes, Time};

/// What an adapter keeps of messages.
#[derive(Clone, Debug, Default)]
pub struct KeptMessages {
    /// Messages posted here: to which queue pair, when, and how long.
    pub posted: Vec<(QpNumber, Time, Bytes)>,
    /// Messages whose last payload the host here has taken: of which queue pair, and when.
    pub taken: Vec<(QpNumber, Time)>,
}
