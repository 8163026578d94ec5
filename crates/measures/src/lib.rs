//! Measures: numbers that are read off the record of a run.
//!
//! Invariant: a statistic has one definition, which stands here; tables, figures, sweeps, tunings and claims name it. A number that
//! the end of a run could change is a lower bound, and says so.
//!
//! | module | contents |
//! |---|---|
//! | `rounding` | numbers without digits that have no meaning |
//! | [`statistics`] | mean, median, coefficient of variation, Jain's index |
//! | [`censoring`] | quantiles over values of which some are known by a lower bound only |
//! | [`phase`] | goodput in a phase, and in its second half |
//! | [`samples`] | the samples within a time, and the time until goodput reaches a level |
//! | [`steady_state`] | the warm-up of a series, and whether the rest is stationary |

pub mod censoring;
pub mod phase;
mod rounding;
pub mod samples;
pub mod statistics;
pub mod steady_state;

pub use phase::PhasePart;
pub use rounding::rounded;
