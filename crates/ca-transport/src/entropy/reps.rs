//! Recycled entropies (REPS).
//!
//! Invariant: a value is recycled once for each unmarked echo, but while frozen.
//!
//! Source: Bonato and others, "REPS: Recycled Entropy Packet Spraying", arXiv 2407.21625; the ring, the oldest first and
//! freezing as in the Ultra Ethernet simulator (uet-htsim, `uec_mp.cpp`). The length of freezing is ours.

use event_kernel::Stream;
use units::{Span, Time};

/// Packets after freezing that get values drawn anew, whatever is kept: the fabric has changed meanwhile.
const EXPLORED: u8 = 16;

/// The last good values of a queue pair: a ring.
#[derive(Clone, Debug)]
pub struct RecycledValues {
    values: Box<[u16]>,
    /// Place of the next value to be kept.
    end: u8,
    /// Values that were kept so far, at most the length of the ring.
    known: u8,
    /// Values before `end` that are not used yet.
    fresh: u8,
    /// Place of the next value to be used again while frozen.
    turn: u8,
    /// Time until which no values are drawn.
    frozen_until: Time,
    is_frozen: bool,
    /// Packets that are still to get values drawn anew.
    exploring: u8,
    freeze: Span,
}

state_codec::state!(RecycledValues {
    values,
    end,
    known,
    fresh,
    turn,
    frozen_until,
    is_frozen,
    exploring,
    freeze: plan,
});

impl RecycledValues {
    /// Makes a ring of `kept` values, 1 to 64, that freezes for so long after a time-out.
    #[must_use]
    pub fn new(kept: u32, freeze: Span) -> Self {
        Self {
            values: vec![0; kept as usize].into(),
            end: 0,
            known: 0,
            fresh: 0,
            turn: 0,
            frozen_until: Time::ZERO,
            is_frozen: false,
            exploring: 0,
            freeze,
        }
    }

    /// Returns the value of a packet.
    pub fn next(&mut self, stream: &mut Stream, now: Time) -> u16 {
        if self.is_frozen && now >= self.frozen_until {
            self.is_frozen = false;
            self.exploring = EXPLORED;
        }
        if self.exploring > 0 {
            self.exploring -= 1;
        } else if self.fresh > 0 {
            let length = self.values.len() as u8;
            let oldest = (self.end + length - self.fresh) % length;
            self.fresh -= 1;
            return self.values[usize::from(oldest)];
        } else if self.is_frozen && self.known > 0 {
            let value = self.values[usize::from(self.turn % self.known)];
            self.turn = (self.turn + 1) % self.known;
            return value;
        }
        super::drawn(stream)
    }

    /// Keeps the value of a packet that arrived unmarked. A full ring forgets its oldest value.
    pub fn on_echo(&mut self, value: u16, marked: bool) {
        if marked {
            return;
        }
        let length = self.values.len() as u8;
        self.values[usize::from(self.end)] = value;
        self.end = (self.end + 1) % length;
        self.known = (self.known + 1).min(length);
        self.fresh = (self.fresh + 1).min(length);
    }

    /// Handles a time-out.
    pub fn on_timeout(&mut self, now: Time) {
        self.is_frozen = true;
        self.frozen_until = now + self.freeze;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use event_kernel::stream;

    const FREEZE: Span = Span::from_us(100);

    fn at(us: u64) -> Time {
        Span::from_us(us).after_start()
    }

    /// A stream, and the values that the same stream gives.
    fn drawn(count: usize) -> (Stream, Vec<u16>) {
        let mut other = stream(1, "entropy", "h1");
        (stream(1, "entropy", "h1"), (0..count).map(|_| super::super::drawn(&mut other)).collect())
    }

    #[test]
    fn good_values_are_used_once_more_the_oldest_first() {
        let (mut stream, drawn) = drawn(1);
        let mut values = RecycledValues::new(8, FREEZE);
        for (value, marked) in [(10, false), (11, true), (12, false)] {
            values.on_echo(value, marked);
        }
        let next = [(); 3].map(|()| values.next(&mut stream, Time::ZERO));
        assert_eq!(next, [10, 12, drawn[0]], "a marked value is not recycled, and the third is drawn");
    }

    #[test]
    fn a_full_ring_forgets_its_oldest_value() {
        let (mut stream, drawn) = drawn(1);
        let mut values = RecycledValues::new(2, FREEZE);
        (20..25).for_each(|value| values.on_echo(value, false));
        let next = [(); 3].map(|()| values.next(&mut stream, Time::ZERO));
        assert_eq!(next, [23, 24, drawn[0]]);
    }

    /// While frozen no value is drawn if one is known; then 16 are drawn although good ones are at hand.
    #[test]
    fn a_frozen_source_keeps_to_known_values_and_then_explores() {
        let (mut stream, drawn) = drawn(17);
        let mut values = RecycledValues::new(8, FREEZE);
        (7..9).for_each(|value| values.on_echo(value, false));
        values.on_timeout(at(1));
        let frozen = [(); 5].map(|()| values.next(&mut stream, at(100)));
        assert_eq!(frozen, [7, 8, 7, 8, 7]);
        values.on_echo(9, false);
        let explored: Vec<u16> = (0..16).map(|_| values.next(&mut stream, at(101))).collect();
        assert_eq!(explored, drawn[..16]);
        assert_eq!(values.next(&mut stream, at(101)), 9);
        assert_eq!(values.next(&mut stream, at(101)), drawn[16]);
    }

    #[test]
    fn a_frozen_source_that_knows_no_value_draws() {
        let (mut stream, drawn) = drawn(1);
        let mut values = RecycledValues::new(8, FREEZE);
        values.on_timeout(at(1));
        assert_eq!(values.next(&mut stream, at(2)), drawn[0]);
    }
}
