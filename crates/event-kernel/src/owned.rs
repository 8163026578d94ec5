//! The owner of an event.
//!
//! Invariant: an event's owner never changes.

/// An event that tells the owner by which it is to be handled: a node, for example.
pub trait Owned {
    /// Returns the number of the owner, below the number of owners of the event's list.
    fn owner(&self) -> u32;
}

/// An event with its owner beside it.
impl<T> Owned for (u32, T) {
    fn owner(&self) -> u32 {
        self.0
    }
}
