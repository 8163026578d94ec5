//! Quantities and counts in the sentences of pages.
//!
//! Invariant: a quantity that is exactly a short number is written as that number.

use core::fmt::Debug;

use measures::spelling::{Zeros, digits};
use results::format::{counted, grouped};

pub(super) use measures::spelling::{rate, size as bytes, time};

/// The range of a count of things in a run.
const COUNT: &str = "a count has at most 64 bits";

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
