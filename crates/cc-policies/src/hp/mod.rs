//! The congestion control that HP proposed to the InfiniBand Trade Association ("InfiniBand Congestion Control: HP
//! Proposal", slides, 2001). Santos, Turner and Janakiraman then evaluated it (INFOCOM 2003, DOI
//! 10.1109/INFCOM.2003.1208949; patents US 7,573,827 and US 7,920,476).
//!
//! Invariant: wherever the sources leave a choice, the choice is a field of the scenario or is written down
//! in `docs/models/hp-congestion-control.md`.
//!
//! | module | place |
//! |---|---|
//! | [`spec`] | settings |
//! | [`check`] | ranges of settings |
//! | [`functions`] | the rate functions of the papers, as real numbers |
//! | [`ladder`] | tables of whole numbers from a function |
//! | `tables` | tables of whole numbers from settings |
//! | [`echo`] | destination: marks to acknowledgements and CN packets |
//! | [`marking`] | switch: packets of a congestion tree are marked |
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
