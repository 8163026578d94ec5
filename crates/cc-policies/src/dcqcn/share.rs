//! Shares from 0 to 1 as whole numbers: alpha, and g.
//!
//! Invariant: products are rounded down, on every machine alike.

/// Unit of a share: 2 to the power of minus this.
pub(super) const SCALE: u32 = 30;
/// The share 1.
pub(super) const ONE: u64 = 1 << SCALE;

/// Returns the product of two shares, in parts of [`ONE`], rounded down.
pub(super) const fn times(one: u64, other: u64) -> u64 {
    (one * other) >> SCALE
}

/// Returns the power of a share, in parts of [`ONE`], rounded down at each multiplication.
pub(super) const fn power(mut share: u64, mut exponent: u64) -> u64 {
    let mut product = ONE;
    while exponent > 0 {
        if exponent % 2 == 1 {
            product = times(product, share);
        }
        share = times(share, share);
        exponent /= 2;
    }
    product
}
