//! Channel adapters: queue pairs, pacing, acknowledgements, notifications.
//!
//! Invariant: an adapter knows no switches and no files. It has one port, sends a packet at a time, and delays
//! exactly the flows that its response policy delays.
//!
//! ```text
//! message posted -> message -> endpoint -> schedule -> adapter -> port       packets out
//!                   host_drain <- endpoint <--------- adapter <- port        packets in
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`spec`] | settings of adapters |
//! | [`reordering`] | settings of delivery in any order, and of recovery |
//! | [`resolve`] | from settings to the receive memory of the port |
//! | [`message`] | messages that are not yet complete, and their packets |
//! | [`endpoint`] | transport services: the endpoints of RC, RD, UC and UD |
//! | [`entropy`] | values in packets that switches hash |
//! | [`schedule`] | the next endpoint to send, and paced flows |
//! | [`host_drain`] | packets that wait for the host |
//! | [`adapter`] | the adapter that joins them |

pub mod adapter;
pub mod endpoint;
pub mod entropy;
pub mod host_drain;
pub mod message;
pub mod reordering;
pub mod resolve;
pub mod schedule;
pub mod spec;

pub use adapter::config::AdapterConfigs;
pub use adapter::opening::ExpectedQueuePairs;
pub use adapter::setup::{AdapterSetup, AdapterTimer, FlowEnd, MessageOrigin};
pub use adapter::{Adapter, FiniteMessages};
pub use endpoint::Endpoint;
pub use endpoint::any::AnyEndpoint;
pub use entropy::EntropySpec;
pub use host_drain::SinkTally;
pub use message::log::MessageLog;
pub use reordering::{DeliverySpec, NakSpec, OvertakingError, RecoverySpec};
pub use spec::{AdapterSpec, Compliance, ScheduleSpec};
