//! DCQCN, the congestion control of RoCEv2 (Zhu and others, "Congestion Control for Large-Scale RDMA Deployments",
//! SIGCOMM 2015, DOI 10.1145/2785956.2787484; "ECN or Delay", CoNEXT 2016, DOI 10.1145/2999572.2999593).
//!
//! Invariant: wherever the paper, its authors' simulator and what vendors sell differ, the difference is a field of
//! the scenario or is written down in `docs/models/dcqcn.md`.
//!
//! | module | place |
//! |---|---|
//! | [`spec`] | what a scenario writes down, and the presets |
//! | [`vendor`] | what to write for a vendor's parameter that is no field |
//! | [`check`] | what of that is refused, and why |
//! | [`marking`] | switch, congestion point (CP): RED on the queue of an output |
//! | [`echo`] | destination, notification point (NP): at most one CNP a flow in an interval |
//! | [`response`] | source, reaction point (RP): CNPs, a timer and a byte counter to a rate |
//! | [`fluid`] | nowhere: N flows as differential equations, to hold runs against |

pub mod check;
pub mod echo;
pub mod fluid;
pub mod marking;
pub mod response;
pub mod spec;
pub mod vendor;

#[cfg(test)]
mod trajectory;

pub use fluid::Fluid;
pub use marking::RedMarker;
pub use response::{DcqcnResponse, DcqcnState};
