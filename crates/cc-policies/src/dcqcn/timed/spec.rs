//! Settings of the reaction point with timers, and their check.
//!
//! Invariant: settings that pass can be built.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Rate, Span};

use crate::dcqcn::check::{DcqcnError, rate, time};

/// Most expiries of the cuts' clock within an interval of alpha: they are counted in eight bits.
const MOST_CUTS: u64 = 250;
/// Highest F: as of `Dcqcn`, whose stages have eight bits.
const MOST_RECOVERIES: u8 = 253;
/// Shortest time between cuts: a cut comes some 1 ns after its interval.
const LEAST_CUT_TIMER: Span = Span::from_ns(10);

/// Response of a source to CNPs by timers alone: of alpha, of cuts, and of increases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimedResponseSpec {
    /// g, 0 to 1, in steps of 2^-30: the weight of a new value in alpha.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub g: f64,
    /// K, above 0 and up to 250 times D: time from change to change of alpha. alpha rises if a CNP came within it, else
    /// it falls.
    pub alpha_timer: Span,
    /// D, at least 10 ns: time from one look for CNPs to the next. The rate is cut if there was one.
    pub cut_timer: Span,
    /// Makes the present rate the target at each cut. If false, only a cut after an increase does so.
    pub clamp_target: bool,
    /// T, above 0: time from a cut to the first increase, and from increase to increase.
    pub timer: Span,
    /// F, 0 to 253: number of increases after a cut that only recover the target.
    #[schemars(range(min = 0, max = 253))]
    pub fast_recovery: u8,
    /// `R_AI`, in whole kb/s: increment of the target at the increase after fast recovery.
    pub additive_increase: Rate,
    /// `R_HAI`, in whole kb/s: increment of the target at all later increases.
    pub hyper_increase: Rate,
    /// Lowest rate, at least 1 kb/s. At the rate of the link or above, the rate never falls.
    pub min_rate: Rate,
}

impl TimedResponseSpec {
    /// The vendor's defaults as HPCC's authors give them for links of 25 Gb/s: intervals of 1, 4 and 300 us, `R_AI` of
    /// 5 Mb/s, `R_HAI` of 50 Mb/s.
    pub const VENDOR: Self = Self {
        g: 1.0 / 256.0,
        alpha_timer: Span::from_us(1),
        cut_timer: Span::from_us(4),
        clamp_target: false,
        timer: Span::from_us(300),
        fast_recovery: 1,
        additive_increase: Rate::bps(5_000_000),
        hyper_increase: Rate::bps(50_000_000),
        min_rate: Rate::bps(100_000_000),
    };

    /// Checks the range of each setting.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), DcqcnError> {
        let &Self { g, alpha_timer, cut_timer, timer, fast_recovery, .. } = self;
        if !(0.0..=1.0).contains(&g) {
            return Err(DcqcnError::Weight { given: g });
        }
        if cut_timer < LEAST_CUT_TIMER {
            return Err(DcqcnError::CutTimer { given: cut_timer, least: LEAST_CUT_TIMER });
        }
        time("alpha_timer", alpha_timer)?;
        time("timer", timer)?;
        if alpha_timer > cut_timer * MOST_CUTS {
            return Err(DcqcnError::AlphaTimer { given: alpha_timer, most: cut_timer * MOST_CUTS });
        }
        if fast_recovery > MOST_RECOVERIES {
            return Err(DcqcnError::FastRecovery { given: fast_recovery, range: "0 to 253" });
        }
        for (field, given) in
            [("additive_increase", self.additive_increase), ("hyper_increase", self.hyper_increase)]
        {
            if given != Rate::bps(0) {
                rate(field, given)?;
            }
        }
        rate("min_rate", self.min_rate)
    }
}
