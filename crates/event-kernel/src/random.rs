//! Named random streams.
//!
//! Invariant: the numbers of a stream depend on the run's seed, its purpose and its owner's name only. The number of
//! streams, the order of draws and the division of a run into parts have no effect on them.

use rand_pcg::Pcg64Mcg;

use crate::mix::{FNV_BASIS, GOLDEN, finalise, fnv1a};

/// The generator behind every [`stream`]: PCG XSL-RR 128/64 (MCG).
pub type Stream = Pcg64Mcg;

/// Returns the random stream of `purpose` (`"arrivals"`, `"destinations"`, ...) for `owner`, a name that is the same in
/// every run.
///
/// Two designs with the same seed have the same streams, so both meet identical arrivals. A stream that its owner no
/// longer uses leaves all others unchanged.
///
/// Seeding: h is the 64-bit FNV-1a hash of the seed's eight bytes (little-endian), the purpose, a separator and the
/// owner. The separator is the byte 0xFF, which no UTF-8 text contains. The generator's state is the first two
/// outputs of `SplitMix64` started from h, the first in the low half.
///
/// ```
/// let mut a = event_kernel::stream(1, "arrivals", "host 3");
/// let mut b = event_kernel::stream(1, "arrivals", "host 3");
/// assert_eq!(a, b);
/// ```
#[must_use]
pub fn stream(seed: u64, purpose: &str, owner: &str) -> Stream {
    let hash = [&seed.to_le_bytes()[..], purpose.as_bytes(), &[0xff], owner.as_bytes()]
        .into_iter()
        .fold(FNV_BASIS, fnv1a);
    let low = finalise(hash.wrapping_add(GOLDEN));
    let high = finalise(hash.wrapping_add(GOLDEN.wrapping_mul(2)));
    Pcg64Mcg::new(u128::from(high) << 64 | u128::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    fn first_two(mut stream: Stream) -> [u64; 2] {
        [stream.next_u64(), stream.next_u64()]
    }

    /// A failure after an update of `rand_pcg` means that every stored result of a run has changed.
    #[test]
    fn golden_values() {
        assert_eq!(first_two(stream(0, "", "")), [0xf22c_20c6_b932_cd29, 0xc3c1_23bf_2e16_fbda]);
        assert_eq!(
            first_two(stream(1, "arrivals", "host 0")),
            [0xcc57_b3d9_ff6c_9fed, 0x0c08_0f42_7e33_ff39]
        );
        assert_eq!(
            first_two(stream(1, "arrivals", "host 1")),
            [0x33c6_7923_d920_443a, 0x0c3f_f8e1_38c8_3457]
        );
        assert_eq!(
            first_two(stream(2, "arrivals", "host 0")),
            [0x4501_0799_756e_7f98, 0x1194_c972_970a_867f]
        );
    }

    #[test]
    fn the_border_between_purpose_and_owner_counts() {
        assert_ne!(stream(1, "ab", "c"), stream(1, "a", "bc"));
        assert_ne!(stream(1, "ab", ""), stream(1, "", "ab"));
    }
}
