//! DCQCN, the congestion control of RoCEv2. Sources: Zhu and others, "Congestion Control for Large-Scale RDMA
//! Deployments", SIGCOMM 2015, DOI 10.1145/2785956.2787484; "ECN or Delay", CoNEXT 2016, DOI 10.1145/2999572.2999593.
//!
//! Invariant: wherever the paper, its authors' simulator and vendors' adapters differ, the difference is a field of
//! the scenario or is written down in `docs/models/dcqcn.md`.
//!
//! | module | contents |
//! |---|---|
//! | [`spec`] | settings, and the presets |
//! | [`vendor`] | replacements for vendors' parameters without a field |
//! | [`check`] | ranges of settings |
//! | [`marking`] | switch, congestion point (CP): RED on the queue of an output |
//! | [`echo`] | destination, notification point (NP): no second CNP of a flow in an interval |
//! | [`response`] | source, reaction point (RP): CNPs, a timer and a byte counter to a rate |
//! | `alpha_clock`, `share`, `rates` | parts of the responses: alpha's free-running clock; whole shares and rates |
//! | [`timed`] | source, reaction point of HPCC's simulator: alpha, cuts and increases by timers of their own |
//! | [`fluid`] | N flows as differential equations, for comparison with runs |

mod alpha_clock;
pub mod check;
pub mod echo;
pub mod fluid;
pub mod marking;
mod rates;
pub mod response;
mod share;
pub mod spec;
pub mod timed;
pub mod vendor;

#[cfg(test)]
mod trajectory;

pub use fluid::Fluid;
pub use marking::RedMarker;
pub use response::{DcqcnResponse, DcqcnState};
