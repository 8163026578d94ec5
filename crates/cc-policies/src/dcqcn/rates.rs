//! Rates as whole numbers of kb/s, and the pacing of packets at such a rate.
//!
//! Invariant: 32 bits reach 4.29 Tb/s, more than any link.

use units::{Rate, Span};

/// The unit, in bit/s.
pub(super) const RATE_UNIT: u64 = 1_000;

/// Returns a rate in kb/s, rounded down, at most what 32 bits hold.
pub(super) fn kbps(rate: Rate) -> u32 {
    (rate.get() / RATE_UNIT).min(u64::from(u32::MAX)) as u32
}

/// Returns a rate given in kb/s.
pub(super) fn rate(kbps: u32) -> Rate {
    Rate::bps(u64::from(kbps) * RATE_UNIT)
}

/// Returns the gap after a packet that takes `packet_time` at the rate `line`. From start to start, packets take the
/// packet time times line rate over `R_C`, the rate `current`.
#[inline]
pub(super) fn gap(packet_time: Span, current: u32, line: u32) -> Span {
    let (current, line) = (u64::from(current), u64::from(line));
    Span::from_ps((u128::from(packet_time.ps()) * u128::from(line - current) / u128::from(current)) as u64)
}
