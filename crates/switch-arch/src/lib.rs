//! The switch: buffer organisations, arbitration, and the pipeline that they share.
//!
//! Invariant: a switch knows no adapters, no other switches and no files. It sees packets come in, and
//! lets them go when its outputs are free and the far ends have room.
//!
//! ```text
//! arrive -> forwarding table -> [ready: a faster output waits for the tail] -> buffering
//!        -> arbiter (once per instant) -> marker -> wire        tail left -> buffer freed -> credit back
//! ```
//!
//! | module | answers |
//! |---|---|
//! | [`buffering`] | where packets wait, and who therefore contends for an output |
//! | [`arbiter`] | who wins |
//! | [`ledger`] | who contends for an output, and how much waits from where to where |
//! | `memory` | who may occupy how much |
//! | `loss` | what is dropped, under PFC or without flow control |
//! | `port` | what a packet's passage changes at a port, and what is observed of it |
//! | [`port_set`] | sets of ports as bit masks |
//! | [`resolve`] | from settings to the plan of a switch |
//! | `readers` | how fast an input's buffer can be read |
//! | `board` | the requests of one instant, as the arbiter sees them |
//! | [`switch`] | all of it, for as many ports as there are |
//! | `pipeline` | the pipeline |
//! | `crossing` | its second half, where packets wait at the outputs too |
//! | `fetch` | reading ahead, for fabrics that no cache holds |
//! | `look` | what waits where and for whom, for instruments |
//! | `staging` | the queues at the outputs, and how fast they can be written |

pub mod arbiter;
mod board;
pub mod buffering;
mod crossing;
mod fetch;
pub mod ledger;
mod look;
mod loss;
mod memory;
mod pipeline;
mod port;
pub mod port_set;
mod readers;
pub mod resolve;
mod setup;
pub mod spec;
mod staging;
pub mod switch;

pub use resolve::SwitchPlan;
pub use setup::{SwitchSetup, SwitchWake};
pub use spec::SwitchSpec;
pub use switch::Switch;
