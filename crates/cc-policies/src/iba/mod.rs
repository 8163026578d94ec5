//! InfiniBand's own congestion control (IBA volume 1, Annex A10), as Gran and Reinemo describe it
//! ("InfiniBand Congestion Control: Modelling and validation", 2011, DOI 10.4108/icst.simutools.2011.245509).
//!
//! Invariant: wherever the Annex leaves a choice, the choice is a field of the scenario or is written down
//! in `docs/models/iba-congestion-control.md`.
//!
//! | module | place | attribute |
//! |---|---|---|
//! | [`spec`] | settings | all |
//! | [`check`] | ranges of settings | |
//! | [`marking`] | switch: FECN | `SwitchCongestionSetting` |
//! | [`echo`] | destination: FECN to BECN | none |
//! | [`response`] | source: BECN to injection rate delay | `CACongestionSetting`, `CongestionControlTable` |

pub mod check;
pub mod echo;
pub mod marking;
pub mod response;
pub mod spec;

#[cfg(test)]
mod trajectory;

pub use marking::IbaMarker;
pub(crate) use response::TIMER_UNIT;
pub use response::{IbaResponse, IbaState};
