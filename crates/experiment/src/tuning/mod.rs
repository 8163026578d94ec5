//! Tuning: a search for the best settings of a space.
//!
//! Invariant: a search decides by training runs only, and what is reported is measured on others.
//!
//! ```text
//! Space --method--> Points --overrides, training seeds--> Scores --> Winner --held-out seeds--> Judgement
//! ```
//!
//! The modules are floors, lowest first; each uses only those before it.
//!
//! | module | contents |
//! |---|---|
//! | `point` | a point of the unit cube, in which all methods search |
//! | `space` | parameters, their ranges, and the overrides of a point |
//! | `design` | grid and Latin hypercube |
//! | `halving` | successive halving over seeds |
//! | `pareto` | fronts of several objectives |
//! | `score` | scores of settings, and their order |
//! | `estimator` | the tree-structured Parzen estimator (TPE) |
//! | `search` | which settings are tried with how many seeds |
//! | [`sensitivity`] | the effect of each parameter by itself |

mod design;
mod estimator;
mod halving;
mod pareto;
mod point;
mod score;
mod search;
pub mod sensitivity;
mod space;

pub use point::Point;
pub use score::{Score, ranking};
pub use search::{Extent, Method, Scorer, Trial, pareto_front, winner};
pub use space::{Parameter, SPACES, Space, Value, Values};
