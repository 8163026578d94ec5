//! How long messages are.
//!
//! Invariant: 1 byte to the longest message of IBA; the mean is known before anything is drawn, because the
//! offered load is made of it.

use rand::{Rng, RngExt};
use units::Bytes;

use crate::builder::{Fault, Site, check_message};
use crate::error::WorkloadErrorKind as Kind;
use crate::file::{Cdf, cdf};
use crate::synthetic::spec::Size;

/// A distribution that has been checked.
#[derive(Debug, PartialEq)]
pub(super) enum Distribution {
    Fixed(Bytes),
    Uniform(Bytes, Bytes),
    Cdf(Cdf),
}

impl Distribution {
    pub(super) fn new(spec: &Size, site: &Site<'_>) -> Result<Self, Fault> {
        match spec {
            Size::Fixed(size) => {
                check_message(*size).map_err(|kind| ("size", kind))?;
                Ok(Self::Fixed(*size))
            }
            Size::Uniform { least, most } => {
                check_message(*least).map_err(|kind| ("size.least", kind))?;
                check_message(*most).map_err(|kind| ("size.most", kind))?;
                if least > most {
                    return Err(("size.most", Kind::SizesReversed { least: *least, most: *most }));
                }
                Ok(Self::Uniform(*least, *most))
            }
            Size::Cdf(file) => {
                let text = site.file(file).map_err(|kind| ("size", kind))?;
                let cdf = cdf::read(text).map_err(|flaw| ("size", flaw.in_file(file, text)))?;
                Ok(Self::Cdf(cdf))
            }
        }
    }

    /// Mean payload, in bytes.
    pub(super) fn mean(&self) -> f64 {
        match self {
            Self::Fixed(size) => size.get() as f64,
            Self::Uniform(least, most) => (least.get() + most.get()) as f64 / 2.0,
            Self::Cdf(cdf) => cdf.mean(),
        }
    }

    /// The longest.
    pub(super) fn longest(&self) -> Bytes {
        match self {
            Self::Fixed(size) | Self::Uniform(_, size) => *size,
            Self::Cdf(cdf) => cdf.longest(),
        }
    }

    pub(super) fn draw(&self, random: &mut impl Rng) -> Bytes {
        match self {
            Self::Fixed(size) => *size,
            Self::Uniform(least, most) => Bytes::new(random.random_range(least.get()..=most.get())),
            Self::Cdf(cdf) => cdf.draw(random),
        }
    }
}
