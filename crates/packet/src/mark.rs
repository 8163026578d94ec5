//! The code of a mark's reason.
//!
//! Invariant: a code is opaque here. A marking rule gives it a meaning and a name; counters only index by it.

use core::num::NonZeroU8;

use state_codec::{StateError, StateReader, StateWriter, Value};

/// Code of the reason for which a switch marked a packet, 0 to 7. The marking rule knows its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarkCode(NonZeroU8);

const _: () = assert!(size_of::<Option<MarkCode>>() == 1, "one byte of a packet");

impl MarkCode {
    /// Number of codes.
    pub const COUNT: usize = 8;

    /// Returns the code with this number.
    ///
    /// # Panics
    /// If `number` is not below [`COUNT`](Self::COUNT).
    #[must_use]
    pub const fn new(number: u8) -> Self {
        assert!((number as usize) < Self::COUNT, "a code is below 8");
        Self(NonZeroU8::MIN.saturating_add(number))
    }

    /// Returns the code's index into a table of counters.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// Returns every code, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self::new)
    }
}

impl Value for MarkCode {
    fn put(&self, to: &mut StateWriter) {
        self.0.put(to);
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        let code = NonZeroU8::take(from)?;
        let known = Some(Self(code)).filter(|code| code.index() < Self::COUNT);
        known.ok_or_else(|| from.malformed("no code of a mark"))
    }
}
