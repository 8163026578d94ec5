//! Faults of a scenario, with their place in its text, and how they are printed.
//!
//! | module | contents |
//! |---|---|
//! | `diagnostic` | [`Diagnostic`]: faults with their places, and how they are printed |
//! | `nearest_field` | the field that was probably meant |

mod diagnostic;
mod nearest_field;

pub use diagnostic::{Diagnostic, Excerpt, LocatedFault};
pub(crate) use nearest_field::nearest_field;
