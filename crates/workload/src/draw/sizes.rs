//! Sizes of messages.
//!
//! Invariant: a size is 1 byte to the longest message of IBA. The mean is known before anything is drawn, because the
//! intervals that make the offered load follow from it.

use rand::{Rng, RngExt};
use units::Bytes;

use crate::environment::Environment;
use crate::error::{InField, SyntheticError, WorkloadError};
use crate::file::SizeCdf;
use crate::spec::{SizeSpec, check};

/// A distribution of sizes that has been checked.
#[derive(Debug, PartialEq)]
pub(crate) enum SizeDistribution {
    Fixed(Bytes),
    Uniform(Bytes, Bytes),
    Cdf(SizeCdf),
}

impl SizeDistribution {
    /// Creates the distribution of `spec`, which is the field `size` of its pattern.
    pub(crate) fn new(spec: &SizeSpec, environment: &Environment<'_>) -> Result<Self, WorkloadError> {
        match spec {
            SizeSpec::Fixed(size) => {
                check::message_size(*size).in_field("size")?;
                Ok(Self::Fixed(*size))
            }
            SizeSpec::Uniform { least, most } => {
                check::message_size(*least).in_field("size.least")?;
                check::message_size(*most).in_field("size.most")?;
                if least > most {
                    let error = SyntheticError::SizesReversed { least: *least, most: *most };
                    return Err(WorkloadError::at("size.most", error));
                }
                Ok(Self::Uniform(*least, *most))
            }
            SizeSpec::Cdf(file) => {
                let text = environment.file(file).in_field("size")?;
                let cdf = SizeCdf::read(text).map_err(|flaw| flaw.in_file(file, text));
                cdf.in_field("size").map(Self::Cdf)
            }
        }
    }

    /// Mean payload, in bytes.
    pub(crate) fn mean(&self) -> f64 {
        match self {
            Self::Fixed(size) => size.get() as f64,
            Self::Uniform(least, most) => (least.get() + most.get()) as f64 / 2.0,
            Self::Cdf(cdf) => cdf.mean(),
        }
    }

    pub(crate) fn longest(&self) -> Bytes {
        match self {
            Self::Fixed(size) | Self::Uniform(_, size) => *size,
            Self::Cdf(cdf) => cdf.longest(),
        }
    }

    /// Draws the size of a message.
    pub(crate) fn draw(&self, random: &mut impl Rng) -> Bytes {
        match self {
            Self::Fixed(size) => *size,
            Self::Uniform(least, most) => Bytes::new(random.random_range(least.get()..=most.get())),
            Self::Cdf(cdf) => cdf.draw(random),
        }
    }
}
