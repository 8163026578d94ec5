//! What a search for the flows of a tree finds.
//!
//! Invariant: no flow is both a contributor and a victim.

use std::collections::BTreeSet;

use packet::PortId;
use units::{Bytes, Span};

/// The flows of a tree at a sample.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// Flows that leave by the root, in order.
    pub(super) contributors: Vec<u32>,
    /// Flows that do not leave by the root, in order.
    pub(super) victims: Vec<Victim>,
    /// Ports of the root's switch by which contributors' data came.
    pub(super) feeders: BTreeSet<PortId>,
    /// True if packets alone tell the paths of some flows: a victim may turn out to be a contributor.
    pub(super) by_packets: bool,
}

/// A victim at a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Victim {
    pub(super) flow: u32,
    /// Its wait since the previous sample.
    pub(super) waited: Span,
    /// Bytes that the idle branches on its path could have carried for it.
    pub(super) lost: Bytes,
}
