//! Channel adapters: queue pairs, pacing, acknowledgements, notifications.
//!
//! Invariant: an adapter knows no switches and no files. It has one port, sends one packet at a time,
//! and holds back exactly the flows that its source response holds back.
//!
//! | module | holds |
//! |---|---|
//! | [`message`] | messages posted and not yet acknowledged, and how they become packets |
//! | [`reliable`] | the reliable connection's two halves: requester and responder |
//! | [`schedule`] | whose turn it is, and who rests |
//! | [`receive`] | what waits for the host, and how fast it takes it |
//! | [`adapter`] | the adapter that joins them |

pub mod adapter;
pub mod message;
pub mod receive;
pub mod reliable;
pub mod schedule;
pub mod spec;

pub use adapter::{Adapter, AdapterSetup, AdapterWake, FlowEnd};
pub use receive::SinkTally;
pub use spec::AdapterSpec;
