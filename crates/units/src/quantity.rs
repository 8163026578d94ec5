//! The quantities and the arithmetic between them.
//!
//! Invariant: arithmetic beyond the range of `u64` panics in every build profile with overflow checks. It cannot occur
//! in runs shorter than 213 days of simulated time.

use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

/// An instant of simulated time: picoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

state_codec::value!(Time { 0 });

/// A length of simulated time, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

state_codec::value!(Span { 0 });

/// An amount of data, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

state_codec::value!(Bytes { 0 });

/// A data rate, in bits a second. The rate of a transmission is never zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

state_codec::value!(Rate { 0 });

/// A length of cable, in millimetres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Length(u64);

const PS_PER_S: u64 = 1_000_000_000_000;

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// A time after the end of every run: the deadline of a timer that is not set.
    pub const NEVER: Self = Self(u64::MAX);

    /// Returns the instant `ps` picoseconds after the start.
    #[must_use]
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// Returns the picoseconds since the start.
    #[must_use]
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Returns the seconds since the start, for printing only.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / PS_PER_S as f64
    }

    /// Returns the span since `earlier`, or zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// Returns the span since the start of the run.
    #[must_use]
    pub const fn since_start(self) -> Span {
        Span(self.0)
    }
}

impl Span {
    /// The empty span.
    pub const ZERO: Self = Self(0);

    /// Returns a span of `ps` picoseconds.
    #[must_use]
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// Returns a span of `ns` nanoseconds.
    #[must_use]
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * 1_000)
    }

    /// Returns a span of `us` microseconds.
    #[must_use]
    pub const fn from_us(us: u64) -> Self {
        Self(us * 1_000_000)
    }

    /// Returns the picoseconds.
    #[must_use]
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Returns the seconds, for printing only.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / PS_PER_S as f64
    }

    /// Returns the instant this span after the start of the run.
    #[must_use]
    pub const fn after_start(self) -> Time {
        Time(self.0)
    }
}

impl Bytes {
    /// No data.
    pub const ZERO: Self = Self(0);

    /// Returns `n` bytes.
    #[must_use]
    pub const fn new(n: u64) -> Self {
        Self(n)
    }

    /// Returns `n` KiB, of 1,024 bytes each.
    #[must_use]
    pub const fn kib(n: u64) -> Self {
        Self(n * 1024)
    }

    /// Returns the number of bytes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the mean rate of this amount over `span`, in bit/s, for printing only; 0 over an empty span.
    #[must_use]
    pub fn bps_over(self, span: Span) -> f64 {
        if span.0 == 0 { 0.0 } else { self.0 as f64 * 8.0 / span.seconds() }
    }

    /// Returns the difference, or zero if `other` is larger.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Rate {
    /// Returns a rate of `n` bits a second.
    #[must_use]
    pub const fn bps(n: u64) -> Self {
        Self(n)
    }

    /// Returns a rate of `n` gigabits (10^9 bits) a second.
    #[must_use]
    pub const fn gbps(n: u64) -> Self {
        Self(n * 1_000_000_000)
    }

    /// Returns the bits a second.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the duration of a transmission of `amount`, rounded up to the next picosecond.
    ///
    /// # Panics
    /// If the rate is zero, or if the duration exceeds 213 days.
    #[must_use]
    pub const fn time_for(self, amount: Bytes) -> Span {
        // Amounts up to 2.3 MB fit in 64 bits; larger ones need 128.
        match amount.0.checked_mul(8 * PS_PER_S) {
            Some(bit_ps) => Span(bit_ps.div_ceil(self.0)),
            None => {
                let wide = (amount.0 as u128 * (8 * PS_PER_S) as u128).div_ceil(self.0 as u128);
                assert!(wide <= u64::MAX as u128, "a transmission outlasts the clock");
                Span(wide as u64)
            }
        }
    }

    /// Returns the amount transmitted in `span`, rounded up to the next byte.
    ///
    /// # Panics
    /// If the amount exceeds the range of [`Bytes`].
    #[must_use]
    pub const fn amount_in(self, span: Span) -> Bytes {
        let amount = (self.0 as u128 * span.0 as u128).div_ceil(8 * PS_PER_S as u128);
        assert!(amount <= u64::MAX as u128, "an amount of data is beyond 16 EiB");
        Bytes(amount as u64)
    }
}

impl Length {
    /// Returns a length of `mm` millimetres.
    #[must_use]
    pub const fn from_mm(mm: u64) -> Self {
        Self(mm)
    }

    /// Returns the millimetres.
    #[must_use]
    pub const fn mm(self) -> u64 {
        self.0
    }

    /// Returns the time of flight over this length: 5 ps a millimetre (5 ns a metre), the speed of light in a medium of
    /// refractive index 1.5, as in copper and fibre alike.
    #[must_use]
    pub const fn time_of_flight(self) -> Span {
        Span(self.0 * 5)
    }
}

impl Add<Span> for Time {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0 + span.0)
    }
}

impl Sub<Span> for Time {
    type Output = Self;
    fn sub(self, span: Span) -> Self {
        Self(self.0 - span.0)
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}

impl Sub for Time {
    type Output = Span;
    fn sub(self, earlier: Self) -> Span {
        Span(self.0 - earlier.0)
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    fn mul(self, times: u64) -> Self {
        Self(self.0 * times)
    }
}

impl Div<u64> for Span {
    type Output = Self;
    fn div(self, parts: u64) -> Self {
        Self(self.0 / parts)
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;
    fn mul(self, times: u64) -> Self {
        Self(self.0 * times)
    }
}

macro_rules! additive {
    ($($quantity:ty),*) => {$(
        impl Add for $quantity {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }
        impl Sub for $quantity {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }
        impl AddAssign for $quantity {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }
        impl SubAssign for $quantity {
            fn sub_assign(&mut self, other: Self) {
                self.0 -= other.0;
            }
        }
        impl Sum for $quantity {
            fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
                all.fold(Self(0), |sum, one| sum + one)
            }
        }
    )*};
}

additive!(Span, Bytes, Rate, Length);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transmission_rounds_up_and_agrees_on_both_paths() {
        assert_eq!(Rate::gbps(8).time_for(Bytes::new(2048)), Span::from_ns(2048));
        assert_eq!(Rate::bps(13_636_363_636).time_for(Bytes::new(1)), Span::from_ps(587));
        assert_eq!(Rate::gbps(100).time_for(Bytes::new(100_000_000)), Span::from_us(8000));
    }

    #[test]
    fn amounts_are_rounded_up_to_bytes() {
        assert_eq!(Rate::gbps(40).amount_in(Span::from_us(1)), Bytes::new(5000));
        assert_eq!(Rate::gbps(40).amount_in(Span::from_ps(1)), Bytes::new(1));
        assert_eq!(Rate::gbps(40).amount_in(Span::ZERO), Bytes::ZERO);
    }

    #[test]
    fn five_nanoseconds_a_metre() {
        assert_eq!(Length::from_mm(2000).time_of_flight(), Span::from_ns(10));
    }
}
