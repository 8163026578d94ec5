//! The tables of rate and window, from their settings.
//!
//! Invariant: a table is indexed by the present value of the rate or window that it changes, and no entry leads out
//! of the table.

use super::functions::RateFunction;
use super::ladder::{Ladder, LadderStep, ipd_rates, window_rates};
use super::spec::{RateControl, WindowControl};

impl RateControl {
    /// Returns the tables, by IPD.
    pub(super) fn table(&self) -> Vec<LadderStep> {
        match self {
            Self::Aimd { max_ipd, divisor } => by_ipd(RateFunction::Aimd(*divisor), *max_ipd),
            Self::Fimd { max_ipd, divisor } => by_ipd(RateFunction::Fimd(*divisor), *max_ipd),
            Self::Lipd { max_ipd } => by_ipd(RateFunction::Lipd, *max_ipd),
            Self::Derived { rate_decrease } => {
                let longest = rate_decrease.len() - 1;
                let levels = rate_decrease.iter().rev().map(|ipd| longest - usize::from(*ipd)).collect();
                upside_down(&Ladder::derived(levels, ipd_rates(longest as u8)).steps())
            }
            Self::Tables { rate_increase, rate_decrease, new_rate_rpi } => {
                let steps = rate_increase.iter().zip(rate_decrease).zip(new_rate_rpi);
                steps
                    .map(|((up, down), rpi)| LadderStep {
                        increase: u16::from(*up),
                        decrease: u16::from(*down),
                        new_rpi: *rpi,
                    })
                    .collect()
            }
        }
    }
}

fn by_ipd(function: RateFunction, max_ipd: u8) -> Vec<LadderStep> {
    upside_down(&Ladder::of(function, ipd_rates(max_ipd)).steps())
}

/// Reverses the order: levels go from slow to fast, delays from fast to slow.
fn upside_down(steps: &[LadderStep]) -> Vec<LadderStep> {
    let top = steps.len() as u16 - 1;
    let turned = |step: &LadderStep| LadderStep {
        increase: top - step.increase,
        decrease: top - step.decrease,
        new_rpi: step.new_rpi,
    };
    steps.iter().rev().map(turned).collect()
}

impl WindowControl {
    /// Returns the tables, by CWND less 1; empty for a window that does not change.
    pub(super) fn table(&self) -> Vec<LadderStep> {
        let of = |function, max_window| Ladder::of(function, window_rates(max_window)).steps();
        match self {
            Self::Fixed(_) => Vec::new(),
            Self::Aimd { max_window, divisor } => of(RateFunction::Aimd(*divisor), *max_window),
            Self::Fimd { max_window, divisor } => of(RateFunction::Fimd(*divisor), *max_window),
            Self::Derived { window_decrease } => {
                let levels = window_decrease.iter().map(|window| usize::from(*window) - 1).collect();
                Ladder::derived(levels, window_rates(window_decrease.len() as u16)).steps()
            }
            Self::Tables { window_increase, window_decrease, new_window_rpi } => {
                let steps = window_increase.iter().zip(window_decrease).zip(new_window_rpi);
                steps
                    .map(|((up, down), rpi)| LadderStep {
                        increase: up - 1,
                        decrease: down - 1,
                        new_rpi: *rpi,
                    })
                    .collect()
            }
        }
    }
}
