//! Parts of a scenario that stand for other settings, and are replaced by them.
//!
//! Invariant: the plan, and the scenario that is written beside its results, contain only the replacement.
//!
//! | module | replaces | by |
//! |---|---|---|
//! | `topology_file` | `topology: HpccFile(..)` | nodes, links and cables |
//! | `guideline` | `congestion_control: Guideline` | settings for this network |
//! | `sharing` | `sharing` of a switch, left out | the usual division of its memory |
//! | `selection` | `selection` of a switch, left out under `routing: Adaptive` | `LeastLoaded` |

pub(crate) mod guideline;
pub(crate) mod selection;
pub(crate) mod sharing;
pub(crate) mod topology_file;
