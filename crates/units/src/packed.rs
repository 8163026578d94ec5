//! A quantity that may be missing, in the room of one.
//!
//! Invariant: the largest number stands for none. It is a quantity of no run: [`Time::NEVER`], or 16 EiB.

use core::fmt::{self, Debug, Formatter};

use crate::quantity::{Bytes, Time};

/// A quantity that may be missing. Takes no more room than the quantity, unlike `Option`: there may be a million.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PackedOption<T>(T);

const _: () = assert!(size_of::<PackedOption<Time>>() == size_of::<Time>(), "as small as the quantity");

/// A quantity with a value that stands for none.
pub trait Packable: Copy + PartialEq {
    /// The value that stands for none.
    const NONE: Self;
}

impl Packable for Time {
    const NONE: Self = Self::NEVER;
}

impl Packable for Bytes {
    const NONE: Self = Self::new(u64::MAX);
}

/// A number of an object: there are fewer than `u32::MAX` of any kind.
impl Packable for u32 {
    const NONE: Self = Self::MAX;
}

impl<T: Packable> PackedOption<T> {
    /// No quantity.
    pub const NONE: Self = Self(T::NONE);

    /// Returns the quantity, if there is one.
    #[must_use]
    pub fn get(self) -> Option<T> {
        (self.0 != T::NONE).then_some(self.0)
    }

    /// Returns true if there is a quantity.
    #[must_use]
    pub fn is_some(self) -> bool {
        self.get().is_some()
    }

    /// Returns true if there is none.
    #[must_use]
    pub fn is_none(self) -> bool {
        self.get().is_none()
    }
}

impl<T: Packable> Default for PackedOption<T> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<T: Packable> From<T> for PackedOption<T> {
    /// # Panics
    /// If the value stands for none.
    fn from(quantity: T) -> Self {
        assert!(quantity != T::NONE, "this value stands for none");
        Self(quantity)
    }
}

impl<T: Packable> From<Option<T>> for PackedOption<T> {
    /// # Panics
    /// If the value stands for none.
    fn from(quantity: Option<T>) -> Self {
        quantity.map_or(Self::NONE, Self::from)
    }
}

/// As an `Option`.
impl<T: Packable + Debug> Debug for PackedOption<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_packed_comes_out_again(number in prop::option::of(0..u64::MAX)) {
            let bytes = number.map(Bytes::new);
            prop_assert_eq!(PackedOption::from(bytes).get(), bytes);
            let time = number.map(Time::from_ps);
            prop_assert_eq!(PackedOption::from(time).get(), time);
            prop_assert_eq!(format!("{:?}", PackedOption::from(time)), format!("{time:?}"));
            prop_assert_ne!(PackedOption::from(time).is_some(), PackedOption::from(time).is_none());
        }
    }

    #[test]
    #[should_panic(expected = "stands for none")]
    fn what_stands_for_none_is_no_quantity() {
        let _ = PackedOption::from(Time::NEVER);
    }
}
