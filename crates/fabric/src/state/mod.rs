//! The state of a run: nodes, and everything between them.
//!
//! Invariant: state holds no loop and no instrument. A node changes only itself, and reaches other nodes only through
//! [`interconnect::NodeAccess`].

pub(crate) mod event;
pub(crate) mod interconnect;
pub(crate) mod world;
