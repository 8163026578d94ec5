//! Sizes of the parts of a vector: blocks, and lanes of a block.
//!
//! Invariant: parts differ by at most a byte, the longer parts come first, and all parts together are the whole.

/// A number of bytes in parts: of n bytes in k parts, the first n mod k have a byte more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Split {
    bytes: u64,
    parts: u32,
}

impl Split {
    pub(super) const fn new(bytes: u64, parts: u32) -> Self {
        Self { bytes, parts }
    }

    /// Returns the bytes of a part.
    pub(super) fn part(self, part: u32) -> u64 {
        let parts = u64::from(self.parts);
        self.bytes / parts + u64::from(u64::from(part) < self.bytes % parts)
    }

    /// Returns the bytes of `lane` in the parts `first..first + count`, which go on at part 0 after the last. Each part
    /// is itself split into `lanes`.
    pub(super) fn lane(self, lane: u32, lanes: u32, first: u32, count: u32) -> u64 {
        if count == 1 {
            return Self::new(self.part(first % self.parts), lanes).part(lane);
        }
        let parts = u64::from(self.parts);
        let (long, short) = (self.bytes / parts + 1, self.bytes / parts);
        // Long parts stand at 0..remainder of each turn around the vector.
        let longs_before = |end: u64| {
            let (turns, rest) = (end / parts, end % parts);
            turns * (self.bytes % parts) + rest.min(self.bytes % parts)
        };
        let (first, count) = (u64::from(first), u64::from(count));
        let longs = longs_before(first + count) - longs_before(first);
        longs * Self::new(long, lanes).part(lane) + (count - longs) * Self::new(short, lanes).part(lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_ranges_are_sums_of_parts() {
        for (bytes, parts, lanes) in [(0, 3, 1), (1, 4, 1), (17, 5, 2), (100, 7, 3), (64, 8, 4)] {
            let split = Split::new(bytes, parts);
            assert_eq!((0..parts).map(|part| split.part(part)).sum::<u64>(), bytes);
            for first in 0..parts {
                for count in 0..=parts {
                    let by_lane = (0..lanes).map(|lane| split.lane(lane, lanes, first, count));
                    let sum: u64 = (first..first + count).map(|part| split.part(part % parts)).sum();
                    assert_eq!(by_lane.sum::<u64>(), sum, "{bytes} in {parts}, from {first}, {count}");
                }
            }
        }
    }
}
