//! Settings that users write: the path of a field, and a fault in its value.
//!
//! Invariant: a fault is built from its parts and stays in parts. No message is split again to separate the fault from
//! the proposal.
//!
//! | module | contents |
//! |---|---|
//! | `path` | [`FieldPath`]: `flows[2].to`, `cables.host.speed` |
//! | `fault` | [`Fault`]: path, message, help; [`SettingError`]: a crate's typed error as a fault |

mod fault;
mod path;

pub use fault::{Fault, SettingError};
pub use path::{FieldPath, PathError, PathStep};
