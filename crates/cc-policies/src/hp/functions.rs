//! The rate functions of the papers, as real numbers.
//!
//! Invariant: rates are in units of the lowest, Rmin, and go from 1 to `highest` = Rmax / Rmin. An increase is the
//! effect of an unmarked acknowledgement.
//!
//! | | decrease | increase | source |
//! |---|---|---|---|
//! | AIMD | r / m | r + (m - 1) / r | decrease: the proposal, m = 2; increase: derived here, see below |
//! | FIMD | r / m | r * m^(1/r) | US 7,920,476, claims 2 and 3 |
//! | LIPD | R / (R / r + 1), R = Rmax | r / (1 - 1 / R) | a summary of INFOCOM 2003 |
//!
//! AIMD's increase is in no source at hand. The increase here is a constant gain per time. It is the smallest gain that
//! goes back in a single step from Rmin to the rate from which a decrease leads there.

/// A decrease function, its increase function, and the clock that follows from them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RateFunction {
    /// Additive increase, multiplicative decrease by this divisor.
    Aimd(f64),
    /// Fast increase, multiplicative decrease by this divisor.
    Fimd(f64),
    /// Linear inter-packet delay.
    Lipd,
}

impl RateFunction {
    /// Returns the rate after a marked acknowledgement.
    #[must_use]
    pub fn decrease(self, rate: f64, highest: f64) -> f64 {
        match self {
            Self::Aimd(divisor) | Self::Fimd(divisor) => rate / divisor,
            Self::Lipd => highest / (highest / rate + 1.0),
        }
        .max(1.0)
    }

    /// Returns the rate after an unmarked acknowledgement.
    #[must_use]
    pub fn increase(self, rate: f64, highest: f64) -> f64 {
        match self {
            Self::Aimd(divisor) => rate + (divisor - 1.0) / rate,
            Self::Fimd(divisor) => rate * divisor.powf(1.0 / rate),
            Self::Lipd => rate / (1.0 - 1.0 / highest),
        }
        .min(highest)
    }

    /// Returns the time, in packet times at Rmin, at which an unmarked flow that starts at Rmin passes this rate, if
    /// the increase were continuous. At rate r acknowledgements come r times as fast. So `d clock / d r` is 1 over r
    /// times the gain of a single acknowledgement. FIMD and LIPD recover in a unit of the clock.
    #[must_use]
    pub fn clock(self, rate: f64, highest: f64) -> f64 {
        match self {
            Self::Aimd(divisor) => (rate - 1.0) / (divisor - 1.0),
            Self::Fimd(divisor) => rate.ln() / divisor.ln(),
            Self::Lipd => highest - highest / rate,
        }
    }
}
