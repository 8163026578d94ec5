//! The fingerprint of a run.
//!
//! Invariant: the same words in the same order give the same digest, on any machine and in any version that does not
//! state otherwise. The digest guards against accidents, not against adversaries: it is not a cryptographic hash.

use core::fmt::{self, Display, Formatter};

use crate::mix::{GOLDEN, finalise};

/// A stable fingerprint of a sequence of words.
///
/// Each owner absorbs its events into a digest of its own, in its own order. At the end the digests are
/// [combined](Digest::combine) in a fixed order of owners. The digest of a run therefore does not depend on the
/// interleaving of owners.
///
/// ```
/// use event_kernel::Digest;
/// let mut digest = Digest::new();
/// digest.absorb(42);
/// assert_eq!(digest.to_string().len(), 16);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(u64);

state_codec::value!(Digest { 0 });

impl Digest {
    /// Returns the digest of the empty sequence.
    #[must_use]
    pub const fn new() -> Self {
        Self(0)
    }

    /// Appends a word. The order of words counts.
    ///
    /// The step is `finalise((state + GOLDEN) ^ word)`, with the finaliser and the constant of `SplitMix64`. It is a
    /// bijection of the state for any word, and of the word for any state.
    #[inline]
    pub const fn absorb(&mut self, word: u64) {
        self.0 = finalise(self.0.wrapping_add(GOLDEN) ^ word);
    }

    /// Returns the digest of the bytes of a text.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    /// Returns the digest of bytes: of their number, then of the bytes in words of eight, least significant byte first.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut digest = Self::new();
        // Without the length, bytes of zero at the end of the last word would not count.
        digest.absorb(bytes.len() as u64);
        for bytes in bytes.chunks(8) {
            digest.absorb(bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
        digest
    }

    /// Returns the digest of the digests of all owners, in the order given, and of their number.
    #[must_use]
    pub fn combine(owners: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::new();
        let mut count = 0;
        for owner in owners {
            all.absorb(owner.0);
            count += 1;
        }
        all.absorb(count);
        all
    }

    /// Reads a digest as it is displayed; `None` for any other text.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let digest = Self(u64::from_str_radix(text, 16).ok()?);
        // Parsing also accepts capitals, a sign and fewer digits, which no digest is displayed as.
        (digest.to_string() == text).then_some(digest)
    }

    /// Returns the digest as a number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl Display for Digest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[u64]) -> Digest {
        let mut digest = Digest::new();
        words.iter().for_each(|word| digest.absorb(*word));
        digest
    }

    #[test]
    fn golden_values() {
        assert_eq!(of(&[]).to_string(), "0000000000000000");
        assert_eq!(of(&[0]).to_string(), "e220a8397b1dcdaf");
        assert_eq!(of(&[1, 2, 3]).to_string(), "eabcfa2c623c5a59");
        assert_eq!(Digest::combine([of(&[1]), of(&[2])]).to_string(), "1fca9bae3fe35e3e");
    }

    #[test]
    fn a_digest_is_read_as_it_is_displayed() {
        assert_eq!(Digest::read("e220a8397b1dcdaf"), Some(of(&[0])));
        for other in ["", "1", "E220A8397B1DCDAF", "+220a8397b1dcdaf", "e220a8397b1dcdaf0"] {
            assert_eq!(Digest::read(other), None, "{other}");
        }
    }

    #[test]
    fn order_length_and_owner_count() {
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
        assert_ne!(of(&[0]), of(&[0, 0]));
        assert_ne!(Digest::combine([of(&[1]), of(&[2])]), Digest::combine([of(&[2]), of(&[1])]));
        assert_ne!(Digest::combine([Digest::new()]), Digest::combine([Digest::new(); 2]));
    }
}
