//! The share of a receiver in the memory of its node.
//!
//! Invariant: a share is guaranteed memory, and a rule for the memory beyond it.

use units::Bytes;

use super::alpha::Alpha;

/// Share of a receiver in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Memory reserved for the receiver.
    pub guaranteed: Bytes,
    /// Factor of the receiver's dynamic threshold; `None` for complete sharing.
    pub alpha: Option<Alpha>,
}
