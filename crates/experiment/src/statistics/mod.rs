//! Statistics over seeds and within a run: intervals, differences, warm-up, verdicts.
//!
//! Invariant: a value that is not known never makes a setting look better. Everything is deterministic, bootstraps
//! included.
//!
//! | module | contents |
//! |---|---|
//! | [`student`] | Student's t |
//! | `estimate` | means over seeds with their intervals, and paired differences |
//! | [`sign_test`] | the exact test of signs, for values with a known order and no known difference |
//! | [`bootstrap`] | intervals of quantiles and other statistics, by resampling |
//! | [`histogram`] | quantiles over the messages of many runs |
//! | [`pooled`] | the same quantiles over the seeds of a setting, with their intervals |
//! | [`batch_means`] | the interval of a mean within a run |
//! | [`holm`] | several comparisons at once |
//! | [`power`] | seeds that a difference needs |
//! | `reading` | the number of a seed: known, censored or missing |
//! | [`verdict`] | the best of several settings, and how sure that is |
//!
//! Warm-up and stationarity stand in [`measures::steady_state`], since single runs are reported with them.
//! `docs/statistics.md` has the definitions and their sources.

pub mod batch_means;
pub mod bootstrap;
mod estimate;
pub mod histogram;
pub mod holm;
pub mod pooled;
pub mod power;
mod reading;
pub mod sign_test;
pub mod student;
pub mod verdict;

pub use estimate::Estimate;
pub use measures::steady_state::{SteadyState, Unsteady, steady_state, warm_up};
pub use reading::Reading;
pub use verdict::{EdgeOfTried, Setting, Verdict};
