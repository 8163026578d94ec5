//! Resolution of a cable: its rate and its time of flight.
//!
//! Invariant: every wire of a plan takes time. Otherwise the two ends of a cable would have to decide in the same
//! instant.

use settings::{FieldPath, SettingError};
use units::{Bytes, Length, Rate, Span};

use crate::spec::{CableSpec, Propagation, Width};

/// A cable of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CablePlan {
    /// Rate at which bytes of packets pass.
    pub rate: Rate,
    /// Time of a data byte on a lane: IBA's symbol time. A cable given by its `rate` counts as a single lane.
    pub symbol_time: Span,
    /// Time of flight from end to end.
    pub flight: Span,
}

/// A fault in the settings of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CableError {
    /// The rate is slower or faster than any cable.
    #[error("a rate of {0} is out of range")]
    RateOutOfRange(Rate),
    /// The cable has a rate, and a width or a speed as well.
    #[error("`rate` already states how fast the cable is, so `{0}` states it twice")]
    RateTwice(&'static str),
    /// The cable has a width only.
    #[error("a `width` without a `speed` is no rate")]
    WidthAlone,
    /// The cable has a speed only.
    #[error("a `speed` without a `width` is no rate")]
    SpeedAlone,
    /// The cable has neither a rate nor a width and a speed.
    #[error("the cable has no rate")]
    NoRate,
    /// The length of the cable is 0.
    #[error("a cable takes no time to cross")]
    NoLength,
    /// The delay of the cable is 0.
    #[error("a cable takes no time to cross")]
    NoDelay,
}

impl SettingError for CableError {
    fn path(&self) -> FieldPath {
        match self {
            Self::RateOutOfRange(_) => "rate".into(),
            Self::RateTwice(field) => (*field).into(),
            Self::WidthAlone | Self::SpeedAlone | Self::NoRate => FieldPath::default(),
            Self::NoLength | Self::NoDelay => "propagation".into(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::RateOutOfRange(_) => {
                format!("write \"{}\" to \"{}\"", CableSpec::SLOWEST, CableSpec::FASTEST)
            }
            Self::RateTwice(_) | Self::WidthAlone | Self::SpeedAlone | Self::NoRate => {
                "write `rate: \"40 Gb/s\"`, or `width: X4, speed: QDR`".to_owned()
            }
            Self::NoLength => "write a length of at least \"1 mm\"".to_owned(),
            Self::NoDelay => "write a delay of at least \"1 ps\"".to_owned(),
        })
    }
}

impl CableSpec {
    /// The slowest `rate` that a cable may have.
    pub const SLOWEST: Rate = Rate::gbps(1);
    /// The fastest `rate` that a cable may have.
    pub const FASTEST: Rate = Rate::gbps(800);

    /// Resolves the settings of a cable.
    ///
    /// # Errors
    /// Every fault in them.
    pub fn resolve(&self) -> Result<CablePlan, Vec<CableError>> {
        match (self.rates(), self.flight()) {
            (Ok((rate, symbol_time)), Ok(flight)) => Ok(CablePlan { rate, symbol_time, flight }),
            (rates, flight) => Err(rates.err().into_iter().chain(flight.err()).collect()),
        }
    }

    /// Returns the data rate and the symbol time. The data rate is `rate`, or signalling less encoding, rounded down to
    /// whole bit/s. Only FDR, 13.6364 Gb/s a lane, is not a whole number.
    fn rates(&self) -> Result<(Rate, Span), CableError> {
        let symbol_time = |lane: Rate| lane.time_for(Bytes::new(1));
        match (self.rate, self.width, self.speed) {
            (Some(rate), None, None) if (Self::SLOWEST..=Self::FASTEST).contains(&rate) => {
                Ok((rate, symbol_time(rate)))
            }
            (Some(rate), None, None) => Err(CableError::RateOutOfRange(rate)),
            (None, Some(width), Some(speed)) => {
                Ok((speed.data_rate(width), symbol_time(speed.data_rate(Width::X1))))
            }
            (Some(_), Some(_), _) => Err(CableError::RateTwice("width")),
            (Some(_), None, Some(_)) => Err(CableError::RateTwice("speed")),
            (None, Some(_), None) => Err(CableError::WidthAlone),
            (None, None, Some(_)) => Err(CableError::SpeedAlone),
            (None, None, None) => Err(CableError::NoRate),
        }
    }

    fn flight(&self) -> Result<Span, CableError> {
        match self.propagation {
            Propagation::Cable(length) if length == Length::default() => Err(CableError::NoLength),
            Propagation::Delay(Span::ZERO) => Err(CableError::NoDelay),
            Propagation::Cable(length) => Ok(length.time_of_flight()),
            Propagation::Delay(delay) => Ok(delay),
        }
    }
}
