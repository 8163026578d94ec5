//! The congestion control that HP proposed to the InfiniBand Trade Association ("InfiniBand Congestion Control:
//! HP Proposal", slides, 2001), which Santos, Turner and Janakiraman then evaluated (INFOCOM 2003, DOI
//! 10.1109/INFCOM.2003.1208949; patents US 7,573,827 and US 7,920,476).
//!
//! Invariant: wherever the sources leave a choice, the choice is a field of the scenario or is written down
//! in `docs/models/hp-congestion-control.md`.
//!
//! | module | place |
//! |---|---|
//! | [`spec`] | what a scenario writes down |
//! | [`check`] | what of that is refused, and why |
//! | [`functions`] | the rate functions of the papers, as real numbers |
//! | [`ladder`] | from a function to tables of whole numbers |
//! | `tables` | from what a scenario says to these tables |
//! | [`echo`] | destination: marks to acknowledgements and CN packets |
//! | [`marking`] | switch: which packets belong to a congestion tree |
//! | [`response`] | source: marks on acknowledgements to rate and window |

pub mod check;
pub mod echo;
pub mod functions;
pub mod ladder;
pub mod marking;
pub mod response;
pub mod spec;
mod tables;

#[cfg(test)]
mod trajectory;

pub use echo::HpEcho;
pub use marking::HpMarker;
pub use response::{HpResponse, HpState};
