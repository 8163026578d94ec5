//! The words of a claims file: measures, units, expectations, claims.
//!
//! Invariant: the language is closed. A claim names a run, a measure, a unit and an expectation; none of them is code.
//!
//! ```text
//! run (scenario + overrides), for each seed -> measure (numbers) -> unit -> mean and interval -> expectation -> verdict
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`measure`] | numbers to be read off a run, and their dimension |
//! | [`mod@unit`] | units of these numbers |
//! | [`expectation`] | ranges and comparisons that the numbers are held against |
//! | [`claim`] | claims, and the references that they compare with |

pub mod claim;
pub mod expectation;
pub mod measure;
pub mod unit;

pub use claim::{Claim, ClaimRole, ClaimStatus, Quantity, References};
pub use expectation::Expectation;
pub use measure::{CompletionStatistic, Measure};
pub use unit::Unit;
