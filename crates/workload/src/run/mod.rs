//! Traffic during the run: the messages that a host posts, and their times.
//!
//! Invariant: `deadline()` names the time of the next message, and `on_deadline(now)` returns the message then.
//! `on_completed(now)` returns the message that takes the place of a completed message. Nothing else brings messages.
//!
//! | module | posts for |
//! |---|---|
//! | `generator` | a flow, by its schedule |
//! | `host_traffic` | several flows of a host, as their messages are drawn |

mod generator;
mod host_traffic;

pub use generator::MessageGenerator;
pub use host_traffic::{HostTraffic, Post};
