//! What a scenario may not say of DCQCN.
//!
//! Invariant: settings that pass can be built, and every part of what they say can have an effect.

use units::{Bytes, Rate, Span};

use super::spec::{CnpEcho, DcqcnResponse, RedMarking};

/// Rates are kept in kb/s.
const RATE_UNIT: u64 = 1_000;
/// The highest rate that fits: 4.29 Tb/s.
const MOST_RATE: u64 = RATE_UNIT * u32::MAX as u64;
/// The highest service level: four bits.
const MAX_SERVICE_LEVEL: u8 = 15;

/// Why settings are refused. `field` is the field's name.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum DcqcnError {
    /// Kmin is 0.
    #[error("a Kmin of 0 would never be come near to: write 1 byte, which marks the same packets")]
    NoKmin,
    /// Kmax below Kmin.
    #[error("Kmax is {kmax}, below Kmin, which is {kmin}: write {kmin} or more")]
    Kmax {
        /// Kmin.
        kmin: Bytes,
        /// As given.
        kmax: Bytes,
    },
    /// Pmax is no probability.
    #[error("{given} is no probability to mark with: write a number above 0 and up to 1")]
    Pmax {
        /// As given.
        given: f64,
    },
    /// Pmax stands where nothing lies between Kmin and Kmax.
    #[error(
        "Kmin and Kmax are both {kmax}, so that nothing lies between them, and a Pmax of {given} has no effect: write \
         1.0, for above Kmax all is marked"
    )]
    IdlePmax {
        /// Kmin and Kmax.
        kmax: Bytes,
        /// As given.
        given: f64,
    },
    /// A share that is not between 0 and 1.
    #[error("`{field}` cannot be {given}: write a number above 0 and {}", if *one { "up to 1" } else { "below 1" })]
    Share {
        /// Its name.
        field: &'static str,
        /// As given.
        given: f64,
        /// Whether 1 would be right.
        one: bool,
    },
    /// A time of nothing.
    #[error("`{field}` is 0, which never ends: write more, as \"55 us\"")]
    NoTime {
        /// `echo` or `response`.
        of: &'static str,
        /// Its name.
        field: &'static str,
    },
    /// A byte counter that cannot count so far.
    #[error("a byte counter cannot count to {given}: write 1 byte to {}", Bytes::new(u64::from(u32::MAX)))]
    ByteCounter {
        /// As given.
        given: Bytes,
    },
    /// F out of range.
    #[error("`fast_recovery` is {given}: write 1 to 254")]
    FastRecovery {
        /// As given.
        given: u8,
    },
    /// A rate out of range.
    #[error("`{field}` cannot be {given}: write whole kb/s, from \"1 kb/s\" to \"{}\"", Rate::bps(MOST_RATE))]
    Rate {
        /// Its name.
        field: &'static str,
        /// As given.
        given: Rate,
    },
    /// A service level that does not exist.
    #[error("service level {given} does not exist: write 0 to {MAX_SERVICE_LEVEL}")]
    ServiceLevel {
        /// As given.
        given: u8,
    },
}

impl DcqcnError {
    /// The field that is wrong, below `congestion_control`.
    #[must_use]
    pub fn path(&self) -> String {
        match *self {
            Self::NoKmin => "marking.kmin".to_owned(),
            Self::Kmax { .. } => "marking.kmax".to_owned(),
            Self::Pmax { .. } | Self::IdlePmax { .. } => "marking.pmax".to_owned(),
            Self::NoTime { of, field } => format!("{of}.{field}"),
            Self::Share { field, .. } | Self::Rate { field, .. } => format!("response.{field}"),
            Self::ByteCounter { .. } => "response.byte_counter".to_owned(),
            Self::FastRecovery { .. } => "response.fast_recovery".to_owned(),
            Self::ServiceLevel { .. } => "echo.service_level".to_owned(),
        }
    }
}

/// Whether a switch can mark so.
pub(crate) fn check_marking(marking: &RedMarking) -> Result<(), DcqcnError> {
    let &RedMarking { kmin, kmax, pmax, .. } = marking;
    if kmin == Bytes::ZERO {
        return Err(DcqcnError::NoKmin);
    }
    if kmax < kmin {
        return Err(DcqcnError::Kmax { kmin, kmax });
    }
    if !(pmax > 0.0 && pmax <= 1.0) {
        return Err(DcqcnError::Pmax { given: pmax });
    }
    if kmax == kmin && pmax < 1.0 {
        return Err(DcqcnError::IdlePmax { kmax, given: pmax });
    }
    Ok(())
}

/// Whether a destination can answer so.
pub(crate) fn check_echo(echo: &CnpEcho) -> Result<(), DcqcnError> {
    time("echo", "interval", echo.interval)?;
    match echo.service_level {
        Some(given) if given > MAX_SERVICE_LEVEL => Err(DcqcnError::ServiceLevel { given }),
        _ => Ok(()),
    }
}

/// Whether a source can respond so.
pub(crate) fn check_response(response: &DcqcnResponse) -> Result<(), DcqcnError> {
    let &DcqcnResponse { g, initial_alpha, byte_counter, fast_recovery, .. } = response;
    if !(g > 0.0 && g < 1.0) {
        return Err(DcqcnError::Share { field: "g", given: g, one: false });
    }
    if !(initial_alpha > 0.0 && initial_alpha <= 1.0) {
        return Err(DcqcnError::Share { field: "initial_alpha", given: initial_alpha, one: true });
    }
    time("response", "alpha_timer", response.alpha_timer)?;
    time("response", "timer", response.timer)?;
    if !(1..=u64::from(u32::MAX)).contains(&byte_counter.get()) {
        return Err(DcqcnError::ByteCounter { given: byte_counter });
    }
    if !(1..=254).contains(&fast_recovery) {
        return Err(DcqcnError::FastRecovery { given: fast_recovery });
    }
    rate("additive_increase", response.additive_increase)?;
    rate("hyper_increase", response.hyper_increase)?;
    rate("min_rate", response.min_rate)
}

fn time(of: &'static str, field: &'static str, given: Span) -> Result<(), DcqcnError> {
    if given == Span::ZERO { Err(DcqcnError::NoTime { of, field }) } else { Ok(()) }
}

fn rate(field: &'static str, given: Rate) -> Result<(), DcqcnError> {
    let whole = given.get().is_multiple_of(RATE_UNIT) && (RATE_UNIT..=MOST_RATE).contains(&given.get());
    if whole { Ok(()) } else { Err(DcqcnError::Rate { field, given }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dcqcn::spec::{Dcqcn, Preset};
    use crate::spec::Scheme;

    #[test]
    fn the_presets_pass() {
        for preset in [Preset::Recommended, Preset::Strawman] {
            assert_eq!(Scheme::Dcqcn(Dcqcn::preset(preset)).check(), Ok(()));
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let mistakes: [fn(&mut Dcqcn); 19] = [
            |all| all.marking.kmin = Bytes::ZERO,
            |all| all.marking.kmax = Bytes::new(4_999),
            |all| all.marking.pmax = 0.0,
            |all| all.marking.pmax = f64::NAN,
            |all| all.marking.pmax = 1.5,
            |all| all.marking.kmax = all.marking.kmin,
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
                let mut all = Dcqcn::preset(Preset::Recommended);
                mistake(&mut all);
                let error = Scheme::Dcqcn(all).check().expect_err("a mistake");
                format!("{}: {error}", error.path())
            })
            .collect();
        insta::assert_snapshot!(said.join("\n"));
    }
}
