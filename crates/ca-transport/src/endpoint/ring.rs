//! A bitmap of packets by number, over a window that moves.
//!
//! Invariant: bits stand for numbers of one window, at most as many as there are bits. A number that leaves the window
//! is cleared, since its bit is used again.

use state_codec::{StateError, StateReader, StateWriter, Value};

/// Bits of a window of packets.
#[derive(Clone, Debug)]
pub struct Ring {
    /// A power of two in number, so that a number's bit is found without a division.
    words: Box<[u64]>,
}

impl Value for Ring {
    fn put(&self, to: &mut StateWriter) {
        self.words.to_vec().put(to);
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        let words: Vec<u64> = Value::take(from)?;
        if !words.len().is_power_of_two() {
            return Err(from.malformed("a bitmap is not of a power of two"));
        }
        Ok(Self { words: words.into_boxed_slice() })
    }
}

impl Ring {
    /// An empty bitmap for windows of this number of packets, or somewhat more.
    #[must_use]
    pub fn new(window: u32) -> Self {
        Self { words: vec![0; Self::words_for(window)].into_boxed_slice() }
    }

    /// Returns the bytes of memory that the bits of a window take.
    #[must_use]
    pub const fn bytes(window: u32) -> usize {
        Self::words_for(window) * size_of::<u64>()
    }

    const fn words_for(window: u32) -> usize {
        window.div_ceil(u64::BITS).next_power_of_two() as usize
    }

    /// Returns the bit of a number.
    #[must_use]
    pub const fn has(&self, number: u64) -> bool {
        self.words[self.word(number)] >> (number % 64) & 1 != 0
    }

    /// Sets the bit of a number.
    pub const fn set(&mut self, number: u64) {
        self.words[self.word(number)] |= 1 << (number % 64);
    }

    /// Clears the bits from one number to before another, and returns how many were set.
    pub fn clear(&mut self, from: u64, to: u64) -> u32 {
        let mut cleared = 0;
        let mut at = from;
        while at < to {
            let upto = (at - at % 64 + 64).min(to);
            let mask = u64::MAX << (at % 64) & u64::MAX >> (63 - (upto - 1) % 64);
            let word = &mut self.words[self.word(at)];
            cleared += (*word & mask).count_ones();
            *word &= !mask;
            at = upto;
        }
        cleared
    }

    /// Returns the first number from one on and before another without a bit; the other if all have it.
    #[must_use]
    pub fn next_clear(&self, from: u64, to: u64) -> u64 {
        self.find(from, to, |word| !word)
    }

    /// Returns the first number from one on and before another with a bit; the other if none has it.
    #[must_use]
    pub fn next_set(&self, from: u64, to: u64) -> u64 {
        self.find(from, to, |word| word)
    }

    /// Returns the last number from one on and before another without a bit.
    #[must_use]
    pub fn last_clear(&self, from: u64, to: u64) -> Option<u64> {
        self.find_last(from, to, |word| !word)
    }

    /// Returns the last number from one on and before another with a bit.
    #[must_use]
    pub fn last_set(&self, from: u64, to: u64) -> Option<u64> {
        self.find_last(from, to, |word| word)
    }

    /// Returns the number of bits that are set.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    const fn word(&self, number: u64) -> usize {
        (number / 64) as usize & (self.words.len() - 1)
    }

    fn find(&self, from: u64, to: u64, bits: impl Fn(u64) -> u64) -> u64 {
        let mut at = from;
        while at < to {
            let found = bits(self.words[self.word(at)]) & u64::MAX << (at % 64);
            if found != 0 {
                return (at - at % 64 + u64::from(found.trailing_zeros())).min(to);
            }
            at += 64 - at % 64;
        }
        to
    }

    fn find_last(&self, from: u64, to: u64, bits: impl Fn(u64) -> u64) -> Option<u64> {
        let mut at = to;
        while at > from {
            let (start, upto) = ((at - 1) / 64 * 64, (at - 1) % 64);
            let found = bits(self.words[self.word(at - 1)]) & u64::MAX >> (63 - upto);
            if found != 0 {
                return Some(start + 63 - u64::from(found.leading_zeros())).filter(|number| *number >= from);
            }
            at = start;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Compares the bitmap with a set of numbers, in a window that moves.
        #[test]
        fn a_ring_is_a_set_of_numbers(
            window in 1..300u32, start in 0..1u64 << 40,
            ops in prop::collection::vec((0..300u64, 0..300u64, 0..4u8), 0..200),
        ) {
            let (mut ring, mut known, mut low) = (Ring::new(window), BTreeSet::new(), start);
            let window = u64::from(window);
            for (one, other, op) in ops {
                let (from, to) = (low + one.min(other) % window, low + one.max(other) % window);
                let (from, to) = (from.min(to), from.max(to));
                let clear = |number: &u64| !known.contains(number);
                prop_assert_eq!((ring.has(from), ring.count() as usize), (known.contains(&from), known.len()));
                prop_assert_eq!(ring.next_clear(from, to), (from..to).find(clear).unwrap_or(to));
                prop_assert_eq!(ring.last_clear(from, to), (from..to).rev().find(clear));
                prop_assert_eq!(ring.next_set(from, to), known.range(from..to).next().copied().unwrap_or(to));
                prop_assert_eq!(ring.last_set(from, to), known.range(from..to).next_back().copied());
                match op {
                    0 | 1 => {
                        ring.set(from);
                        known.insert(from);
                    }
                    2 => {
                        let count = known.range(from..to).count();
                        prop_assert_eq!(ring.clear(from, to) as usize, count);
                        known.retain(|number| !(from..to).contains(number));
                    }
                    _ => {
                        ring.clear(low, from);
                        known.retain(|number| *number >= from);
                        low = from;
                    }
                }
            }
        }
    }
}
