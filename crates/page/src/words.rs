//! Quantities and counts in the sentences of pages.
//!
//! Invariant: a quantity that is exactly a short number is written as that number.

use core::fmt::Debug;

use measures::spelling::{Dimension, Zeros, digits, spelled};
use results::format::{counted, grouped};

/// The range of a count of things in a run.
const COUNT: &str = "a count has at most 64 bits";

/// Returns a time in seconds with a fitting unit.
pub(super) fn time(seconds: f64) -> String {
    spelled(seconds, Dimension::Time, Zeros::Dropped)
}

/// Returns a rate in bit/s with a fitting unit.
pub(super) fn rate(bps: f64) -> String {
    spelled(bps, Dimension::Rate, Zeros::Dropped)
}

/// Returns a number of bytes with a fitting unit.
pub(super) fn bytes(bytes: f64) -> String {
    spelled(bytes, Dimension::Size, Zeros::Dropped)
}

/// Returns a number with three significant digits, without zeros at the end of its decimals.
pub(super) fn short(value: f64) -> String {
    digits(value, Zeros::Dropped)
}

/// Returns a count with its noun, in the plural unless it is 1.
pub(super) fn count(count: impl TryInto<u64, Error: Debug>, noun: &str) -> String {
    counted(count, noun)
}

/// Returns a count with a comma between thousands.
pub(super) fn thousands(count: impl TryInto<u64, Error: Debug>) -> String {
    grouped(count.try_into().expect(COUNT))
}
