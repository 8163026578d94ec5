//! Instruments of one port and lane: they sit with the node that they watch, and touch nothing else.

use packet::MarkReason;
use units::{Bytes, Span, Time};

/// Packets marked, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks([u64; MarkReason::COUNT]);

impl Marks {
    /// One more for this reason.
    pub fn count(&mut self, reason: MarkReason) {
        self.0[reason as usize] += 1;
    }

    /// How many for this reason.
    #[must_use]
    pub const fn of(&self, reason: MarkReason) -> u64 {
        self.0[reason as usize]
    }

    /// How many for any reason.
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

/// What a lane's input buffer held over time.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaneInput {
    held: Bytes,
    peak: Bytes,
    /// Byte-picoseconds up to `changed`.
    integral: u128,
    changed: Time,
}

impl LaneInput {
    /// A packet of this length came in.
    pub fn stored(&mut self, length: Bytes, now: Time) {
        self.settle(now);
        self.held += length;
        self.peak = self.peak.max(self.held);
    }

    /// A packet of this length has left.
    ///
    /// # Panics
    /// If more leaves than was there.
    pub fn freed(&mut self, length: Bytes, now: Time) {
        self.settle(now);
        self.held -= length;
    }

    /// What is held now.
    #[must_use]
    pub const fn held(&self) -> Bytes {
        self.held
    }

    /// The most that was ever held.
    #[must_use]
    pub const fn peak(&self) -> Bytes {
        self.peak
    }

    /// The mean of what was held from the start of the run to `now`, in bytes.
    #[must_use]
    pub fn mean(&self, now: Time) -> f64 {
        let total = self.integral + u128::from(self.held.get()) * u128::from(now.since(self.changed).ps());
        if now == Time::ZERO { 0.0 } else { total as f64 / now.ps() as f64 }
    }

    fn settle(&mut self, now: Time) {
        self.integral += u128::from(self.held.get()) * u128::from((now - self.changed).ps());
        self.changed = now;
    }
}

/// What a lane's output did.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaneOutput {
    /// Bytes on the wire, headers included, flow-control packets not.
    pub bytes: Bytes,
    /// Packets sent.
    pub packets: u64,
    /// Packets marked here.
    pub marks: Marks,
    starved_since: Option<Time>,
    starved: Span,
}

impl LaneOutput {
    /// A packet left.
    pub fn sent(&mut self, length: Bytes, now: Time) {
        self.bytes += length;
        self.packets += 1;
        if let Some(since) = self.starved_since.take() {
            self.starved += now.since(since);
        }
    }

    /// A packet waits, the wire is free, and there is no credit for it: the clock runs until one leaves.
    pub fn starved(&mut self, now: Time) {
        self.starved_since.get_or_insert(now);
    }

    /// How long packets waited for credit with the wire free, from the start of the run to `now`.
    #[must_use]
    pub fn without_credit(&self, now: Time) -> Span {
        self.starved + self.starved_since.map_or(Span::ZERO, |since| now.since(since))
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
        let mut marks = Marks::default();
        marks.count(MarkReason::Root);
        let mut sum = marks;
        marks.count(MarkReason::VictimMask);
        sum.add(&marks);
        assert_eq!((sum.of(MarkReason::Root), sum.of(MarkReason::VictimMask), sum.total()), (2, 1, 3));
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
    fn starvation_lasts_from_the_first_refusal_to_the_next_packet() {
        let mut lane = LaneOutput::default();
        lane.starved(us(5));
        lane.starved(us(6));
        assert_eq!(lane.without_credit(us(8)), Span::from_us(3));
        lane.sent(Bytes::new(100), us(9));
        lane.sent(Bytes::new(100), us(20));
        lane.starved(us(25));
        assert_eq!(lane.without_credit(us(30)), Span::from_us(4 + 5));
        assert_eq!((lane.bytes, lane.packets), (Bytes::new(200), 2));
    }
}
