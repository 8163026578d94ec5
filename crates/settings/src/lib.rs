//! Settings that users write: the path of a field, a fault in its value, and patterns of names.
//!
//! Invariant: a fault is built from its parts and stays in parts. No message is split again to separate the fault from
//! the proposal.
//!
//! | module | contents |
//! |---|---|
//! | `path` | [`FieldPath`]: `flows[2].to`, `cables.host.speed`; the path of an override |
//! | [`glob`] | patterns of names: `leaf1`, `h1*` |
//! | [`nearest`] | the name that was probably meant |
//! | [`files`] | texts from files that may be pipes or devices |
//! | `fault` | [`Fault`]: path, message, help; [`SettingError`]: a crate's typed error as a fault |

mod fault;
pub mod files;
pub mod glob;
pub mod nearest;
mod path;

pub use fault::{Fault, SettingError};
pub use path::{FieldPath, PathError, PathStep, path_of};
