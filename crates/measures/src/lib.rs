//! Measures: numbers that are read off the record of a run.
//!
//! Invariant: a quantity and a statistic have a single definition, which stands here; tables, figures, sweeps, tunings
//! and claims name it. A number that the end of a run could change is a lower bound, and says so.
//!
//! | module | contents |
//! |---|---|
//! | `rounding` | numbers without digits that have no meaning |
//! | [`spelling`] | times, rates and sizes as text |
//! | [`statistics`] | mean, median, coefficient of variation, Jain's index |
//! | [`censoring`] | quantiles over values, some known by a lower bound only |
//! | [`completion`] | completion time and slowdown of a message |
//! | [`flows`] | sums and extremes over flows |
//! | [`phase`] | goodput in a phase, and in its second half |
//! | [`samples`] | the samples within a time, and the time until goodput reaches a level |
//! | [`steady_state`] | the warm-up of a series, and whether the rest is stationary |
//! | [`turnover`] | rate of messages, and hosts that stand still |
//! | `unit` | units, and the spelling of numbers |
//! | `quantity` | quantities, their units, directions and definitions |
//! | `language` | measures as users write them: `p99(victims)` |
//! | [`run`] | measures of a run, or the reasons for those that it lacks |
//!
//! `docs/statistics.md` lists every quantity.

pub mod censoring;
pub mod completion;
pub mod flows;
mod language;
pub mod phase;
mod quantity;
mod rounding;
pub mod run;
pub mod samples;
pub mod spelling;
pub mod statistics;
pub mod steady_state;
pub mod turnover;
mod unit;

pub use language::{ALL, Measure, MeasureError, MeasureFault};
pub use phase::PhasePart;
pub use quantity::{Direction, Quantity, QuantityInfo, Reach};
pub use rounding::rounded;
pub use run::{Measured, Missing};
pub use unit::{NumberError, Unit};
