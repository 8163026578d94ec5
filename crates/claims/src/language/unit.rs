//! Units of measured numbers.
//!
//! Invariant: a number is measured in the plain unit of its dimension (bit/s, s, packets, bytes) and divided by its
//! unit once.

use serde::Deserialize;

/// Unit of a measured number.
#[derive(Clone, Debug, Deserialize)]
pub enum Unit {
    /// Gb/s, for goodput.
    Gbps,
    /// Share of a reference, by its name; both are goodput.
    Of(String),
    /// Share of the data rate of `count` hosts' links, for goodput.
    Links {
        /// Number of links.
        count: u32,
        /// Data rate of each, in Gb/s.
        gbps: f64,
    },
    /// Milliseconds.
    Ms,
    /// Microseconds.
    Us,
    /// Packets.
    Packets,
    /// Kilobytes of 1,000 bytes.
    Kb,
    /// GB/s of 10^9 bytes, for algbw and busbw.
    GbytesPerSecond,
    /// None: an index or a share.
    One,
}

impl Unit {
    /// Returns the plain unit of numbers in this unit.
    #[must_use]
    pub const fn plain(&self) -> measures::Unit {
        match self {
            Self::Gbps | Self::Of(_) | Self::Links { .. } => measures::Unit::BitsPerSecond,
            Self::Ms | Self::Us => measures::Unit::Seconds,
            Self::Packets => measures::Unit::Packets,
            Self::Kb => measures::Unit::Bytes,
            Self::GbytesPerSecond => measures::Unit::BytesPerSecond,
            Self::One => measures::Unit::One,
        }
    }

    /// Returns the unit as printed behind a number.
    #[must_use]
    pub fn word(&self) -> String {
        match self {
            Self::Gbps => "Gb/s".to_owned(),
            Self::Of(name) => name.clone(),
            Self::Links { .. } => "of each link".to_owned(),
            Self::Ms => "ms".to_owned(),
            Self::Us => "us".to_owned(),
            Self::Packets => "packets".to_owned(),
            Self::Kb => "KB".to_owned(),
            Self::GbytesPerSecond => "GB/s".to_owned(),
            Self::One => String::new(),
        }
    }

    /// Returns the name of the reference of which numbers are shares.
    #[must_use]
    pub fn reference(&self) -> Option<&str> {
        match self {
            Self::Of(name) => Some(name),
            Self::Gbps
            | Self::Links { .. }
            | Self::Ms
            | Self::Us
            | Self::Packets
            | Self::Kb
            | Self::GbytesPerSecond
            | Self::One => None,
        }
    }

    /// Returns the unit in the plain unit of its dimension; `reference` returns the number of a reference by its name.
    pub(crate) fn scale<E>(&self, reference: impl FnOnce(&str) -> Result<f64, E>) -> Result<f64, E> {
        match self {
            Self::Of(name) => reference(name),
            Self::Gbps | Self::GbytesPerSecond => Ok(1e9),
            Self::Links { count, gbps } => Ok(f64::from(*count) * gbps * 1e9),
            Self::Ms => Ok(1e-3),
            Self::Us => Ok(1e-6),
            Self::Kb => Ok(1e3),
            Self::Packets | Self::One => Ok(1.0),
        }
    }
}
