//! When things happen, in which order, and by which chance.
//!
//! Invariant: nothing here depends on how a run is executed. A node's events come out in the order of
//! `(time, order)` whatever the order of insertion, a random stream depends only on its names and
//! the run's seed, and a digest depends only on what it was given.
//!
//! | item | is |
//! |---|---|
//! | [`EventQueue`] | the future-event list and, with it, the clock |
//! | [`Order`] | the place of an event among those of the same instant |
//! | [`stream`] | the random stream of one purpose and one owner |
//! | [`finalise`] | a bijection of 64-bit words that scatters them |
//! | [`Digest`] | a fingerprint of what happened |
//!
//! The kernel knows nothing of packets, ports or policies: an event is any small `Copy` value.

mod buckets;
mod chance;
mod digest;
mod groups;
mod mix;
mod order;
mod queue;

pub use chance::{Stream, stream};
pub use digest::Digest;
pub use groups::Turn;
pub use mix::finalise;
pub use order::Order;
pub use queue::EventQueue;
