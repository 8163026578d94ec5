//! The bit mixing behind random streams and digests.
//!
//! Invariant: these functions never change. Every stored seed, golden trajectory and digest depends on them.

/// 2^64 divided by the golden ratio: the step of `SplitMix64`.
pub(crate) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Applies the finaliser of `SplitMix64`: a bijection in which every bit of the input affects every bit of the
/// output.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, with
/// Stafford's thirteenth set of constants.
#[must_use]
pub const fn finalise(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Continues a 64-bit FNV-1a hash over bytes; the hash of nothing is [`FNV_BASIS`].
///
/// Source: Fowler, Noll, Vo; RFC 9923.
pub(crate) fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// The offset basis of 64-bit FNV-1a.
pub(crate) const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values() {
        assert_eq!(fnv1a(FNV_BASIS, b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(FNV_BASIS, b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(FNV_BASIS, b"foobar"), 0x8594_4171_f739_67e8);
        // The first two outputs of SplitMix64 from the state 0.
        assert_eq!(finalise(GOLDEN), 0xe220_a839_7b1d_cdaf);
        assert_eq!(finalise(GOLDEN.wrapping_mul(2)), 0x6e78_9e6a_a1b9_65f4);
    }
}
