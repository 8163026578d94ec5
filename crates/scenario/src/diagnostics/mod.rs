//! Faults of a scenario, with their place in its text, and how they are printed.
//!
//! | module | contents |
//! |---|---|
//! | `diagnostic` | [`Diagnostic`]: faults with their places, and how they are printed |
//! | `nearest` | the name that was probably meant |

mod diagnostic;
pub(crate) mod nearest;

pub use diagnostic::{Diagnostic, Excerpt, LocatedFault};
