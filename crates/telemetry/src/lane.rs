//! Instruments of a port and lane. They are part of the node that they observe.
//!
//! Invariant: the counters that every packet changes take half a cache line for each direction, so that observing a
//! lane costs at most a cache line. Counters that few packets change, such as [`Marks`], are stored elsewhere.

use packet::MarkCode;
use units::{Bytes, Span, Time};

/// Packets marked, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks([u64; MarkCode::COUNT]);

state_codec::value!(Marks { 0 });

impl Marks {
    /// Counts a mark of this reason.
    pub fn count(&mut self, reason: MarkCode) {
        self.0[reason.index()] += 1;
    }

    /// Returns the number of marks of this reason.
    #[must_use]
    pub const fn of(&self, reason: MarkCode) -> u64 {
        self.0[reason.index()]
    }

    /// Returns the number of marks of all reasons.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Adds another count.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}

/// Occupancy of a lane's input buffer over time.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))] // None straddles two cache lines.
pub struct LaneInput {
    /// Bytes in the buffer, which is smaller than 4 GiB.
    held: u32,
    peak: u32,
    /// Sum of length times time over the packets that arrived, less the same sum over the packets that departed. In
    /// byte-picoseconds, modulo 2^128. The bytes held now times the present time, less this, is the integral of
    /// `held` over time.
    moment: u128,
}

state_codec::value!(LaneInput { held, peak, moment });

const _: () =
    assert!(size_of::<LaneInput>() == 32 && size_of::<LaneOutput>() == 32, "half a cache line each");

impl LaneInput {
    /// Records the arrival of a packet of this length.
    ///
    /// # Panics
    /// If the buffer has 4 GiB, more than any buffer can hold.
    #[inline]
    pub fn stored(&mut self, length: Bytes, now: Time) {
        // The sums wrap, but their difference is right: the integral itself is far below 2^128.
        self.moment = self.moment.wrapping_add(moment(length, now));
        self.held = self.held.checked_add(length.get() as u32).expect("a buffer holds less than 4 GiB");
        self.peak = self.peak.max(self.held);
    }

    /// Records the departure of a packet of this length.
    ///
    /// # Panics
    /// If more bytes leave than the buffer has.
    #[inline]
    pub fn freed(&mut self, length: Bytes, now: Time) {
        self.moment = self.moment.wrapping_sub(moment(length, now));
        self.held = self.held.checked_sub(length.get() as u32).expect("what leaves a buffer was in it");
    }

    /// Returns the present occupancy.
    #[must_use]
    pub const fn held(&self) -> Bytes {
        Bytes::new(self.held as u64)
    }

    /// Returns the largest occupancy so far.
    #[must_use]
    pub const fn peak(&self) -> Bytes {
        Bytes::new(self.peak as u64)
    }

    /// Returns the mean occupancy from the start of the run to `now`, in bytes.
    #[must_use]
    pub fn mean(&self, now: Time) -> f64 {
        let total = moment(self.held(), now).wrapping_sub(self.moment);
        if now == Time::ZERO { 0.0 } else { total as f64 / now.ps() as f64 }
    }
}

/// Returns a length times a time, in byte-picoseconds.
#[inline]
fn moment(length: Bytes, at: Time) -> u128 {
    u128::from(length.get()) * u128::from(at.ps())
}

/// Counts of a lane's output.
#[derive(Clone, Copy, Debug)]
pub struct LaneOutput {
    /// Bytes sent on the wire, with headers, without flow-control packets.
    pub bytes: Bytes,
    /// Packets sent.
    pub packets: u64,
    /// Start of the present stall, or `NEVER`.
    stalled_since: Time,
    /// Sum of past stalls.
    stalled: Span,
}

state_codec::value!(LaneOutput { bytes, packets, stalled_since, stalled });

impl Default for LaneOutput {
    fn default() -> Self {
        Self { bytes: Bytes::ZERO, packets: 0, stalled_since: Time::NEVER, stalled: Span::ZERO }
    }
}

impl LaneOutput {
    /// Records the departure of a packet, which ends a stall.
    #[inline]
    pub fn sent(&mut self, length: Bytes, now: Time) {
        self.bytes += length;
        self.packets += 1;
        if self.stalled_since < Time::NEVER {
            self.stalled = self.stalled_time(now);
            self.stalled_since = Time::NEVER;
        }
    }

    /// Records that a packet waits on a free wire, without credit or in a pause. The stall lasts until a packet leaves.
    pub fn stalled(&mut self, now: Time) {
        self.stalled_since = self.stalled_since.min(now);
    }

    /// Returns the start of the present stall, and the sum of past stalls.
    #[must_use]
    pub fn waits(&self) -> (Option<Time>, Span) {
        (Some(self.stalled_since).filter(|since| *since < Time::NEVER), self.stalled)
    }

    /// Returns the time for which the output was stalled, from the start of the run to `now`.
    #[must_use]
    pub fn stalled_time(&self, now: Time) -> Span {
        self.stalled + now.since(self.stalled_since) // Zero since `NEVER`.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(n: u64) -> Time {
        Span::from_us(n).after_start()
    }

    #[test]
    fn marks_are_counted_by_reason_and_add_up() {
        const ROOT: MarkCode = MarkCode::new(0);
        const VICTIM_MASK: MarkCode = MarkCode::new(1);
        let mut marks = Marks::default();
        marks.count(ROOT);
        let mut sum = marks;
        marks.count(VICTIM_MASK);
        sum.add(&marks);
        assert_eq!((sum.of(ROOT), sum.of(VICTIM_MASK), sum.total()), (2, 1, 3));
    }

    #[test]
    fn occupancy_is_weighted_by_time() {
        let mut lane = LaneInput::default();
        lane.stored(Bytes::new(1000), us(10));
        lane.stored(Bytes::new(2000), us(20));
        lane.freed(Bytes::new(1000), us(30));
        assert_eq!((lane.held(), lane.peak()), (Bytes::new(2000), Bytes::new(3000)));
        // 10 us of nothing, 10 of 1000, 10 of 3000, 10 of 2000.
        assert!((lane.mean(us(40)) - 1500.0).abs() < 1e-9, "{}", lane.mean(us(40)));
        assert_eq!(LaneInput::default().mean(Time::ZERO), 0.0);
    }

    #[test]
    fn the_integral_may_overflow() {
        let mut lane = LaneInput::default();
        let hour = |n: u64| us(n * 3_600_000_000);
        lane.stored(Bytes::new(3 << 30), us(0));
        lane.stored(Bytes::new(1 << 20), hour(1));
        lane.freed(Bytes::new(3 << 30), hour(2));
        let mean = (f64::from(3 << 10) + f64::from((3 << 10) + 1) + 1.0) / 3.0 * f64::from(1 << 20);
        assert!((lane.mean(hour(3)) / mean - 1.0).abs() < 1e-12, "{} and not {mean}", lane.mean(hour(3)));
    }

    #[test]
    fn starvation_lasts_from_the_first_refusal_to_the_next_packet() {
        let mut lane = LaneOutput::default();
        lane.stalled(us(5));
        lane.stalled(us(6));
        assert_eq!(lane.stalled_time(us(8)), Span::from_us(3));
        lane.sent(Bytes::new(100), us(9));
        lane.sent(Bytes::new(100), us(20));
        lane.stalled(us(25));
        assert_eq!(lane.stalled_time(us(30)), Span::from_us(4 + 5));
        assert_eq!((lane.bytes, lane.packets), (Bytes::new(200), 2));
    }
}
