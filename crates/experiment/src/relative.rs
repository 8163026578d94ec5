//! Settings of IBA's congestion control, relative to a scenario's settings.
//!
//! Invariant: a setting that is not named stays as it is.

use cc_policies::iba::spec::{CctSpec, ComparedLoad, IbaScheme, VictimMask};
use serde::{Deserialize, Serialize};

/// Largest `CCT_Multiplier`: fourteen bits.
const LARGEST_MULTIPLIER: u64 = (1 << 14) - 1;

/// A changed setting. Whole numbers, so that runs can be ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RelativeSetting {
    /// All delays of the congestion control table, in percent of the scenario's.
    Table(u32),
    /// Recovery timer (`CCTI_Timer`), in percent of the scenario's; at least 1 unit.
    Timer(u32),
    /// Index increment (`CCTI_Increase`), in percent of the scenario's; 1 to 255.
    Increment(u32),
    /// Weight of the switch threshold (`Threshold`).
    Threshold(u8),
    /// `Marking_Rate`.
    MarkingRate(u16),
    /// Load that is compared with the threshold.
    Compare(ComparedLoad),
    /// Marks at outputs that lack credit, too: `Victim_Mask` of all ports.
    VictimsMark,
}

/// Reason why a run cannot be tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RelativeError {
    /// The congestion control has no such settings.
    #[error("only IBA's congestion control can be tuned")]
    NotIba,
    /// The table is given by a formula.
    #[error("only a congestion control table that lists its entries can be stretched")]
    TableNotListed,
}

impl RelativeSetting {
    /// Returns the setting in percent of the scenario's; `Threshold` and `MarkingRate` as they are, `None` for a
    /// setting that is no number.
    #[must_use]
    pub fn percent(self) -> Option<f64> {
        match self {
            Self::Table(percent) | Self::Timer(percent) | Self::Increment(percent) => {
                Some(f64::from(percent))
            }
            Self::Threshold(weight) => Some(f64::from(weight)),
            Self::MarkingRate(rate) => Some(f64::from(rate)),
            Self::Compare(_) | Self::VictimsMark => None,
        }
    }

    /// Changes the setting.
    pub(crate) fn apply(self, iba: &mut IbaScheme) -> Result<(), RelativeError> {
        let response = &mut iba.response;
        match self {
            Self::Table(percent) => {
                let CctSpec::Entries(entries) = &mut response.cct else {
                    return Err(RelativeError::TableNotListed);
                };
                for (_, multiplier) in entries {
                    *multiplier = scaled(u64::from(*multiplier), percent).min(LARGEST_MULTIPLIER) as u16;
                }
            }
            Self::Timer(percent) => {
                let timer = scaled(u64::from(response.ccti_timer), percent);
                response.ccti_timer = timer.clamp(1, u64::from(u16::MAX)) as u16;
            }
            Self::Increment(percent) => {
                let increment = scaled(u64::from(response.ccti_increase), percent);
                response.ccti_increase = increment.clamp(1, u64::from(u8::MAX)) as u8;
            }
            Self::Threshold(weight) => iba.marking.threshold = weight,
            Self::MarkingRate(rate) => iba.marking.marking_rate = rate,
            Self::Compare(load) => iba.marking.compare = load,
            Self::VictimsMark => iba.marking.victim_mask = VictimMask::All,
        }
        Ok(())
    }
}

/// Returns `percent` of a number, rounded to the nearest.
const fn scaled(number: u64, percent: u32) -> u64 {
    (number * percent as u64 + 50) / 100
}
