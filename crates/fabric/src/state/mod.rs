//! The state of a run: nodes, and everything between them.
//!
//! Invariant: state holds no loop and no instrument. A node changes only itself, and reaches other nodes only through
//! [`interconnect::NodeAccess`]. A part changes only itself, and reaches other parts only by [`mail`].
//!
//! | module | contents |
//! |---|---|
//! | `event` | events, and their order within one instant |
//! | `part_id` | numbers of parts |
//! | `mail` | events for nodes of other parts |
//! | `interconnect` | the clock, events, packets and cables of a part |
//! | `part` | some nodes with their interconnect |
//! | `world` | all parts as a single fabric; with `observed`, nodes of all processes as instruments see them |
//! | `division` | the world of a plan's nodes, in one part or several |

pub(crate) mod division;
pub(crate) mod event;
pub(crate) mod interconnect;
pub(crate) mod mail;
pub(crate) mod part;
pub(crate) mod part_id;
pub(crate) mod world;
