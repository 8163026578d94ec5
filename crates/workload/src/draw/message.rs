//! A message, as the streams of its host yield it.

use units::{Bytes, Time};

/// A message that has been drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DrawnMessage {
    /// Time at which it is posted.
    pub(crate) at: Time,
    /// Destination, by the number of its host.
    pub(crate) to: u32,
    pub(crate) bytes: Bytes,
}
