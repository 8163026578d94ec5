//! Faults of a scenario, with their place in its text, and how they are printed.
//!
//! | module | contents |
//! |---|---|
//! | `diagnostic` | [`Diagnostic`]: faults with their places, and how they are printed |
//! | `nearest` | the name that was probably meant |

mod diagnostic;
mod halves;
pub(crate) mod nearest;

pub(crate) use halves::in_two;

pub use diagnostic::{Diagnostic, Excerpt, LocatedFault};
