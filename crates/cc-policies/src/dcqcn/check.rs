//! Check of the settings of DCQCN.
//!
//! Invariant: settings that pass can be built, and each of their values can have an effect.

use settings::{FieldPath, SettingError};
use units::{Bytes, Rate, Span};

use super::rates::RATE_UNIT;
use super::spec::{CnpEcho, DcqcnResponseSpec, Preset, RedMarkingSpec};

/// Highest rate that fits into 32 bits of that unit: 4.29 Tb/s.
const MOST_RATE: u64 = RATE_UNIT * u32::MAX as u64;
/// Highest service level: four bits.
const MAX_SERVICE_LEVEL: u8 = 15;
/// Help for a share that may be 1.
const OF_ONE: &str = "write a number above 0 and up to 1";

/// Fault in the thresholds of marking.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ThresholdError {
    /// Kmin is 0.
    #[error("Kmin cannot be 0")]
    NoKmin,
    /// Kmax below Kmin.
    #[error("Kmax is {kmax}, below Kmin, which is {kmin}")]
    Kmax {
        /// Kmin.
        kmin: Bytes,
        /// Value as written.
        kmax: Bytes,
    },
    /// Pmax is not a probability.
    #[error("{given} is no probability to mark with")]
    Pmax {
        /// Value as written.
        given: f64,
    },
    /// Pmax below 1 although no queue length lies between Kmin and Kmax.
    #[error(
        "Kmin and Kmax are both {kmax}, so that nothing lies between them, and a Pmax of {given} has no effect"
    )]
    IdlePmax {
        /// Kmin and Kmax.
        kmax: Bytes,
        /// Value as written.
        given: f64,
    },
}

/// Fault in the settings of DCQCN's marking, echo or response. `field` is the field's name.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum DcqcnError {
    /// A fault in the thresholds of all outputs.
    #[error("{0}")]
    Thresholds(ThresholdError),
    /// A fault in the thresholds of a rate.
    #[error("{error}")]
    OfRate {
        /// Position of the entry.
        index: usize,
        /// The fault.
        error: ThresholdError,
    },
    /// Two entries of the same rate.
    #[error("{rate} has thresholds already")]
    SameRate {
        /// Position of the second entry.
        index: usize,
        /// The rate.
        rate: Rate,
    },
    /// A threshold of all outputs beside thresholds by rate.
    #[error("`{field}` has no effect beside `by_rate`")]
    BesideRates {
        /// Name of the field.
        field: &'static str,
    },
    /// A share that is not between 0 and 1.
    #[error("`{field}` cannot be {given}")]
    Share {
        /// Name of the field.
        field: &'static str,
        /// Value as written.
        given: f64,
        /// Whether 1 is allowed.
        one: bool,
    },
    /// A time of 0.
    #[error("`{field}` is 0, which never ends")]
    NoTime {
        /// Name of the field.
        field: &'static str,
    },
    /// A byte counter out of range.
    #[error("a byte counter cannot count to {given}")]
    ByteCounter {
        /// Value as written.
        given: Bytes,
    },
    /// F out of range.
    #[error("`fast_recovery` is {given}")]
    FastRecovery {
        /// Value as written.
        given: u8,
        /// The range, in words.
        range: &'static str,
    },
    /// A weight that is not from 0 to 1.
    #[error("`g` cannot be {given}")]
    Weight {
        /// Value as written.
        given: f64,
    },
    /// Cuts too close to each other.
    #[error("cuts cannot be {given} apart")]
    CutTimer {
        /// Value as written.
        given: Span,
        /// Shortest time.
        least: Span,
    },
    /// An interval of alpha that is too long beside the interval of cuts.
    #[error("alpha cannot change each {given}: a change has at most 250 cuts before it")]
    AlphaTimer {
        /// Value as written.
        given: Span,
        /// Longest time.
        most: Span,
    },
    /// A rate out of range.
    #[error("`{field}` cannot be {given}")]
    Rate {
        /// Name of the field.
        field: &'static str,
        /// Value as written.
        given: Rate,
    },
    /// A service level that does not exist.
    #[error("service level {given} does not exist")]
    ServiceLevel {
        /// Value as written.
        given: u8,
    },
}

impl SettingError for DcqcnError {
    fn path(&self) -> FieldPath {
        match *self {
            Self::Thresholds(error) => error.field().into(),
            Self::OfRate { index, error } => FieldPath::from("by_rate").index(index).name(error.field()),
            Self::SameRate { index, .. } => FieldPath::from("by_rate").index(index).name("rate"),
            Self::BesideRates { field }
            | Self::NoTime { field }
            | Self::Share { field, .. }
            | Self::Rate { field, .. } => field.into(),
            Self::ByteCounter { .. } => "byte_counter".into(),
            Self::FastRecovery { .. } => "fast_recovery".into(),
            Self::Weight { .. } => "g".into(),
            Self::CutTimer { .. } => "cut_timer".into(),
            Self::AlphaTimer { .. } => "alpha_timer".into(),
            Self::ServiceLevel { .. } => "service_level".into(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match *self {
            Self::Thresholds(error) | Self::OfRate { error, .. } => error.help(),
            Self::SameRate { .. } => "write each rate once".to_owned(),
            Self::BesideRates { .. } => "leave it out, or write it in the entries of `by_rate`".to_owned(),
            Self::Share { one: true, .. } => OF_ONE.to_owned(),
            Self::Share { one: false, .. } => "write a number above 0 and below 1".to_owned(),
            Self::NoTime { .. } => "write more, as \"55 us\"".to_owned(),
            Self::ByteCounter { .. } => format!("write 1 byte to {}", Bytes::new(u64::from(u32::MAX))),
            Self::FastRecovery { range, .. } => format!("write {range}"),
            Self::Weight { .. } => "write a number from 0 to 1".to_owned(),
            Self::CutTimer { least, .. } => format!("write \"{least}\" or more"),
            Self::AlphaTimer { most, .. } => format!("write \"{most}\" or less, or a longer `cut_timer`"),
            Self::Rate { .. } => format!("write whole kb/s, from \"1 kb/s\" to \"{}\"", Rate::bps(MOST_RATE)),
            Self::ServiceLevel { .. } => format!("write 0 to {MAX_SERVICE_LEVEL}"),
        })
    }
}

impl ThresholdError {
    const fn field(&self) -> &'static str {
        match self {
            Self::NoKmin => "kmin",
            Self::Kmax { .. } => "kmax",
            Self::Pmax { .. } | Self::IdlePmax { .. } => "pmax",
        }
    }

    fn help(&self) -> String {
        match self {
            Self::NoKmin => "write \"1 B\", which marks the same packets".to_owned(),
            Self::Kmax { kmin, .. } => format!("write {kmin} or more"),
            Self::Pmax { .. } => OF_ONE.to_owned(),
            Self::IdlePmax { .. } => "write 1.0, for above Kmax all is marked".to_owned(),
        }
    }
}

impl RedMarkingSpec {
    /// Checks the thresholds and the probabilities.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), DcqcnError> {
        thresholds(self.kmin, self.kmax, self.pmax).map_err(DcqcnError::Thresholds)?;
        for (index, entry) in self.by_rate.iter().enumerate() {
            thresholds(entry.kmin, entry.kmax, entry.pmax)
                .map_err(|error| DcqcnError::OfRate { index, error })?;
            if self.by_rate[..index].iter().any(|other| other.rate == entry.rate) {
                return Err(DcqcnError::SameRate { index, rate: entry.rate });
            }
        }
        let idle = self.beside_rates().filter(|_| !self.by_rate.is_empty());
        idle.map_or(Ok(()), |field| Err(DcqcnError::BesideRates { field }))
    }

    /// Returns the first of `kmin`, `kmax` and `pmax` that no preset has: it was written.
    fn beside_rates(&self) -> Option<&'static str> {
        let presets = [Preset::Recommended, Preset::Strawman].map(Self::preset);
        let kmin = presets.iter().all(|preset| preset.kmin != self.kmin);
        let kmax = presets.iter().all(|preset| preset.kmax != self.kmax);
        let pmax = presets.iter().all(|preset| preset.pmax.to_bits() != self.pmax.to_bits());
        [(kmin, "kmin"), (kmax, "kmax"), (pmax, "pmax")].iter().find(|(own, _)| *own).map(|(_, field)| *field)
    }
}

/// Checks the thresholds and the probability of an output.
fn thresholds(kmin: Bytes, kmax: Bytes, pmax: f64) -> Result<(), ThresholdError> {
    if kmin == Bytes::ZERO {
        return Err(ThresholdError::NoKmin);
    }
    if kmax < kmin {
        return Err(ThresholdError::Kmax { kmin, kmax });
    }
    if !(pmax > 0.0 && pmax <= 1.0) {
        return Err(ThresholdError::Pmax { given: pmax });
    }
    if kmax == kmin && pmax < 1.0 {
        return Err(ThresholdError::IdlePmax { kmax, given: pmax });
    }
    Ok(())
}

impl CnpEcho {
    /// Checks the interval and the service level.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), DcqcnError> {
        time("interval", self.interval)?;
        match self.service_level {
            Some(given) if given > MAX_SERVICE_LEVEL => Err(DcqcnError::ServiceLevel { given }),
            _ => Ok(()),
        }
    }
}

impl DcqcnResponseSpec {
    /// Checks the range of each setting.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), DcqcnError> {
        let &Self { g, initial_alpha, byte_counter, fast_recovery, .. } = self;
        if !(g > 0.0 && g < 1.0) {
            return Err(DcqcnError::Share { field: "g", given: g, one: false });
        }
        if !(initial_alpha > 0.0 && initial_alpha <= 1.0) {
            return Err(DcqcnError::Share { field: "initial_alpha", given: initial_alpha, one: true });
        }
        time("alpha_timer", self.alpha_timer)?;
        time("timer", self.timer)?;
        if !(1..=u64::from(u32::MAX)).contains(&byte_counter.get()) {
            return Err(DcqcnError::ByteCounter { given: byte_counter });
        }
        if !(1..=254).contains(&fast_recovery) {
            return Err(DcqcnError::FastRecovery { given: fast_recovery, range: "1 to 254" });
        }
        rate("additive_increase", self.additive_increase)?;
        rate("hyper_increase", self.hyper_increase)?;
        rate("min_rate", self.min_rate)
    }
}

/// Checks that a time is above 0.
pub(super) fn time(field: &'static str, given: Span) -> Result<(), DcqcnError> {
    if given == Span::ZERO { Err(DcqcnError::NoTime { field }) } else { Ok(()) }
}

/// Checks that a rate is at least 1 kb/s and fits into 32 bits of that.
pub(super) fn rate(field: &'static str, given: Rate) -> Result<(), DcqcnError> {
    let whole = given.get().is_multiple_of(RATE_UNIT) && (RATE_UNIT..=MOST_RATE).contains(&given.get());
    if whole { Ok(()) } else { Err(DcqcnError::Rate { field, given }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scheme;
    use crate::dcqcn::spec::{DcqcnScheme, RateThresholds};

    const OF_25_G: RateThresholds = RateThresholds {
        rate: Rate::gbps(25),
        kmin: Bytes::new(100_000),
        kmax: Bytes::new(400_000),
        pmax: 0.2,
    };

    #[test]
    fn the_presets_pass() {
        for preset in [Preset::Recommended, Preset::Strawman] {
            assert_eq!(Scheme::Dcqcn(DcqcnScheme::preset(preset)).check(), Ok(()));
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let mistakes: [fn(&mut DcqcnScheme); 22] = [
            |all| all.marking.kmin = Bytes::ZERO,
            |all| all.marking.kmax = Bytes::new(4_999),
            |all| all.marking.pmax = 0.0,
            |all| all.marking.pmax = f64::NAN,
            |all| all.marking.pmax = 1.5,
            |all| all.marking.kmax = all.marking.kmin,
            |all| all.marking.by_rate = vec![RateThresholds { kmax: Bytes::new(9), ..OF_25_G }],
            |all| all.marking.by_rate = vec![OF_25_G; 2],
            |all| (all.marking.by_rate, all.marking.kmin) = (vec![OF_25_G], Bytes::new(6_000)),
            |all| all.echo.interval = Span::ZERO,
            |all| all.echo.service_level = Some(16),
            |all| all.response.g = 1.0,
            |all| all.response.initial_alpha = 0.0,
            |all| all.response.initial_alpha = 1.1,
            |all| all.response.alpha_timer = Span::ZERO,
            |all| all.response.timer = Span::ZERO,
            |all| all.response.byte_counter = Bytes::ZERO,
            |all| all.response.byte_counter = Bytes::new(1 << 32),
            |all| all.response.fast_recovery = 0,
            |all| all.response.additive_increase = Rate::bps(500),
            |all| all.response.hyper_increase = Rate::bps(1_500),
            |all| all.response.min_rate = Rate::gbps(5_000),
        ];
        let said: Vec<_> = mistakes
            .iter()
            .map(|mistake| {
                let mut all = DcqcnScheme::preset(Preset::Recommended);
                mistake(&mut all);
                let fault = Scheme::Dcqcn(all).check().expect_err("a mistake");
                format!("{}: {}; {}", fault.path, fault.message, fault.help.expect("help"))
            })
            .collect();
        insta::assert_snapshot!(said.join("\n"));
    }
}
