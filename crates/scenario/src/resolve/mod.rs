//! Parts of a scenario that stand for other settings, and are replaced by them.
//!
//! Invariant: the plan, and the scenario that is written beside its results, contain only the replacement.
//!
//! | module | replaces | by |
//! |---|---|---|
//! | `topology_file` | `topology: HpccFile(..)` | nodes, links and cables |
//! | `guideline` | `congestion_control: Guideline` | settings for this network |

pub(crate) mod guideline;
pub(crate) mod topology_file;
