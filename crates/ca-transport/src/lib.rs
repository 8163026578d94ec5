//! Channel adapters: queue pairs, pacing, acknowledgements, notifications.
//!
//! Invariant: an adapter knows no switches and no files. It has one port, sends one packet at a time,
//! and holds back exactly the flows that its source response holds back.
//!
//! | module | holds |
//! |---|---|
//! | [`message`] | messages posted and not yet complete, and how they become packets |
//! | [`transport`] | what a transport service does: the trait of its halves |
//! | [`requester`], [`responder`] | RC: numbers and goes back, takes in order |
//! | [`read`] | RDMA READs that a responder has yet to answer |
//! | [`rd`] | the end-to-end context that queue pairs of RD share |
//! | [`unreliable`], [`uc`], [`ud`] | UC and UD: sending, and their two ways of receiving |
//! | [`any`] | the closed set of halves |
//! | [`resolve`] | from settings to the receive memory of the port |
//! | [`schedule`] | whose turn it is, and who rests |
//! | [`receive`] | what waits for the host, and how fast it takes it |
//! | [`adapter`] | the adapter that joins them |

pub mod adapter;
pub mod any;
pub mod message;
pub mod rd;
pub mod read;
pub mod receive;
pub mod requester;
pub mod resolve;
pub mod responder;
pub mod schedule;
pub mod spec;
pub mod transport;
pub mod uc;
pub mod ud;
pub mod unreliable;

pub use adapter::{
    Adapter, AdapterConfigs, AdapterSetup, AdapterTimer, FlowEnd, KeptMessages, MessageOrigin,
};
pub use any::AnyTransport;
pub use receive::SinkTally;
pub use spec::{AdapterSpec, ScheduleSpec};
pub use transport::Transport;
