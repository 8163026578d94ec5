//! Tuning: a search for the best settings of a space.
//!
//! Invariant: a search decides by training runs only, and what is reported is measured on others.
//!
//! ```text
//! Space --method--> Points --overrides, training seeds--> Scores --> Winner --held-out seeds--> Judgement
//!        baseline, guideline --^
//! ```
//!
//! The modules are floors, lowest first; each uses only those before it.
//!
//! | module | contents |
//! |---|---|
//! | `point` | a point of the unit cube, in which all methods search |
//! | `candidate` | settings that take part in a search: points, the baseline, a guideline |
//! | `space` | parameters, their ranges, and the overrides of a point |
//! | `design` | grid and Latin hypercube |
//! | `halving` | successive halving over seeds |
//! | `pareto` | fronts of several objectives |
//! | `score` | scores of settings, and their order |
//! | `estimator` | the tree-structured Parzen estimator (TPE) |
//! | `search` | which settings are tried with how many seeds |
//! | [`sensitivity`] | the effect of each parameter by itself |
//! | `goal` | objectives and constraints over measures |
//! | `budget` | its runs, divided between search, judgement and sensitivity |
//! | `question` | the question of a tuning, checked |
//! | `answer` | its answer |
//! | `findings` | the best of the search, parameters that matter, and the answer in four sentences |
//! | `verdict` | the answer in sentences |
//! | `runs` | its runs, by the store |
//! | `job` | a tuning, from its question to its answer |

mod answer;
mod budget;
mod candidate;
mod design;
mod estimator;
mod findings;
mod goal;
mod halving;
mod job;
mod pareto;
mod point;
mod question;
mod runs;
mod score;
mod search;
pub mod sensitivity;
mod space;
#[cfg(test)]
mod testing;
mod verdict;

pub use answer::{Advice, Held, HeldMean, Judged, Loss, Sensitivity, Side, TrialRow, Tuned};
pub use budget::Budget;
pub use candidate::{Candidate, NoGuideline};
pub use findings::readable;
pub use goal::{Comparison, Constraint, GoalError, Objective};
pub use point::Point;
pub use question::{TuningError, TuningJob};
pub use runs::BatchWatch;
pub use score::{Score, ranking};
pub use search::{Extent, Halved, Method, Scored, Scorer, Trial, WHOLE, pareto_front, winner};
pub use space::{Parameter, SPACES, Space, Value, Values};
pub use verdict::percent;
