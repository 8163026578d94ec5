//! Event scheduling, random streams and digests.
//!
//! Invariant: nothing here depends on how a run is executed. A node's events come out in the order of
//! `(time, order)` for any order of insertion, a random stream depends only on its names and the run's seed, and
//! a digest depends only on its input.
//!
//! | item | contents |
//! |---|---|
//! | [`EventQueue`] | the future-event list, and with it the clock |
//! | [`EventOrder`] | the rank of an event among events of the same instant |
//! | [`stream`] | the random stream of one purpose and one owner |
//! | [`finalise`] | a bijection of 64-bit words that scatters them |
//! | [`Digest`] | the fingerprint of a run |
//!
//! The kernel knows nothing of packets, ports or policies: an event is any small `Copy` value.

mod batches;
mod digest;
mod earliest_first;
mod mix;
mod order;
mod own_events;
mod queue;
mod random;
mod ring;
mod window_event;

pub use batches::OwnerBatch;
pub use digest::Digest;
pub use mix::finalise;
pub use order::EventOrder;
pub use queue::EventQueue;
pub use random::{Stream, stream};
