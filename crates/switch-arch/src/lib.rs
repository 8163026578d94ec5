//! The switch: buffer organisations, arbitration, and the pipeline that they share.
//!
//! Invariant: a switch knows no adapters, no other switches and no files. Packets arrive, and leave when their outputs
//! are free and the far ends have room.
//!
//! ```text
//! arrive -> forwarding table -> [ready: a faster output waits for the tail] -> buffering
//!        -> arbiter (once per instant) -> marker -> wire        tail left -> buffer freed -> credit back
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`spec`] | a switch as a scenario describes it |
//! | [`tables`] | sets and tables by port, lane and virtual output queue |
//! | [`resolve`] | from settings to the plan of a switch |
//! | `setup` | the parts that a switch is built from, and its timers |
//! | [`buffering`] | where packets wait, and hence which inputs contend for an output |
//! | `ports` | the links of a switch, and the wires that they put packets on |
//! | `detouring` | routes that need not be minimal: the choice, and the lanes |
//! | [`arbitration`] | which input wins which output |
//! | [`selection`] | which port of a group a packet takes |
//! | `pipeline` | the way of a packet, from its arrival to the departure of its tail |
//! | `switch` | the pipeline for the switch's number of ports and stages |
//!
//! A module imports only from modules above it in this table.

pub mod arbitration;
pub mod buffering;
mod detouring;
mod pipeline;
mod ports;
pub mod resolve;
pub mod selection;
mod setup;
pub mod spec;
mod switch;
pub mod tables;

pub use detouring::DetourSetup;
pub use pipeline::SwitchView;
pub use resolve::{SelectedPackets, SelectionPlan, SwitchPlan};
pub use setup::{SelectionSetup, SwitchSetup, SwitchTimer};
pub use spec::SwitchSpec;
pub use switch::Switch;
