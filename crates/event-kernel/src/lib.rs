//! Event scheduling, random streams and digests.
//!
//! Invariant: nothing here depends on how a run is executed. A node's events come out in the order of `(time, order)`
//! for any order of insertion. A random stream depends only on its names and the run's seed, and a digest only on its
//! input.
//!
//! | item | contents |
//! |---|---|
//! | [`EventQueue`] | the future-event list, and with it the clock |
//! | [`Lookahead`] | the least delays of events for other owners |
//! | [`Density`] | the choice between windows and the order of times, by the events in a window |
//! | [`Owned`] | an event that tells its owner |
//! | [`EventOrder`] | the rank of an event among its owner's events of the same instant |
//! | [`stream`] | the random stream of a purpose and an owner |
//! | [`finalise`] | a bijection of 64-bit words that scatters them |
//! | [`Digest`] | the fingerprint of a run |
//!
//! The kernel knows nothing of packets, ports or policies: an event is any small `Copy` value that tells its owner.

mod batches;
mod density;
mod digest;
mod earliest_first;
mod keyed_event;
mod later;
mod mix;
mod order;
mod own_events;
mod owned;
mod queue;
mod random;
mod ring;

pub use batches::OwnerBatch;
pub use density::Density;
pub use digest::Digest;
pub use mix::finalise;
pub use order::EventOrder;
pub use owned::Owned;
pub use queue::{EventQueue, Lookahead, WindowLengths};
pub use random::{Stream, stream};
