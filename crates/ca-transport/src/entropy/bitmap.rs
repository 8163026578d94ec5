//! Values in turn, without those that congestion or loss has made suspicious.
//!
//! Invariant: every value comes up again. A skipped value loses a unit of its penalty, and a penalty is at most
//! [`Penalty::TIMEOUT`].
//!
//! Source: the bitmap load balancer of the Ultra Ethernet simulator (uet-htsim, `uec_mp.cpp`), by which the penalties are 1, 4
//! and 15. DEVIATION: that model is told the value of a lost packet by the switch that trimmed it. Here a source remembers the
//! values of the packets that it sent, and blames the value of a packet when it sends it again.

use packet::Psn;

/// Packets by number of which a source remembers the value: twice the values, at least. An older packet blames none.
const REMEMBERED: usize = 512;

/// Penalties of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Penalty;

impl Penalty {
    /// For a packet that arrived marked.
    pub const MARK: u8 = 1;
    /// For a packet sent again.
    pub const REPEAT: u8 = 4;
    /// For a packet sent again after a time-out, and the most.
    pub const TIMEOUT: u8 = 15;
}

/// Values with their penalties.
#[derive(Clone, Debug)]
pub struct PenaltyBitmap {
    penalties: Box<[u8]>,
    /// Place of the value that is next in turn.
    turn: u16,
    /// Number and value of the last packets, by number modulo the length.
    sent: Box<[(u32, u16)]>,
    /// True from a time-out until a packet is sent again.
    timed_out: bool,
}

state_codec::state!(PenaltyBitmap { penalties, turn, sent, timed_out });

impl PenaltyBitmap {
    /// Makes a bitmap of so many values, 1 to 256, from 1 on, without penalties, that begins at the place `first`.
    #[must_use]
    pub fn new(values: u32, first: u16) -> Self {
        Self {
            penalties: vec![0; values as usize].into(),
            turn: first,
            // No packet has a number of 32 bits: nothing is remembered yet.
            sent: vec![(u32::MAX, 0); REMEMBERED].into(),
            timed_out: false,
        }
    }

    /// Returns the value of the packet with this number. A packet that was sent before blames its former value.
    pub fn next(&mut self, psn: Psn, again: bool) -> u16 {
        let number = psn.get();
        let slot = number as usize % REMEMBERED;
        if again
            && let (remembered, value) = self.sent[slot]
            && remembered == number
        {
            let penalty =
                if core::mem::take(&mut self.timed_out) { Penalty::TIMEOUT } else { Penalty::REPEAT };
            self.punish(value, penalty);
        }
        // Ends: each step takes a unit from a finite sum.
        while self.penalties[usize::from(self.turn)] > 0 {
            self.penalties[usize::from(self.turn)] -= 1;
            self.step();
        }
        let value = self.turn + 1;
        self.step();
        self.sent[slot] = (number, value);
        value
    }

    /// Handles the echo of a value.
    pub fn on_echo(&mut self, value: u16, marked: bool) {
        if marked {
            self.punish(value, Penalty::MARK);
        }
    }

    /// Handles a time-out: the next packet sent again is taken as lost for good.
    pub fn on_timeout(&mut self) {
        self.timed_out = true;
    }

    fn punish(&mut self, value: u16, penalty: u8) {
        let place = usize::from(value).checked_sub(1);
        if let Some(present) = place.and_then(|place| self.penalties.get_mut(place)) {
            *present = (*present + penalty).min(Penalty::TIMEOUT);
        }
    }

    fn step(&mut self) {
        self.turn = (self.turn + 1) % self.penalties.len() as u16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(bitmap: &mut PenaltyBitmap, numbers: core::ops::Range<u32>) -> Vec<u16> {
        numbers.map(|number| bitmap.next(Psn::new(number), false)).collect()
    }

    #[test]
    fn values_without_penalty_take_turns() {
        assert_eq!(values(&mut PenaltyBitmap::new(4, 2), 0..6), [3, 4, 1, 2, 3, 4]);
    }

    /// A marked value is passed over once, a repeated one four times, and the others take its turns.
    #[test]
    fn a_value_is_skipped_once_for_each_unit_of_its_penalty() {
        let mut bitmap = PenaltyBitmap::new(4, 0);
        bitmap.on_echo(2, true);
        bitmap.on_echo(3, false);
        assert_eq!(values(&mut bitmap, 0..7), [1, 3, 4, 1, 2, 3, 4], "skipped once");
        // Packet 0 had value 1.
        assert_eq!(bitmap.next(Psn::new(0), true), 2);
        let later = values(&mut bitmap, 8..24);
        // The repeat itself has passed over it once.
        assert_eq!(later.iter().position(|value| *value == 1), Some(2 + 3 * 3), "{later:?}");
    }

    #[test]
    fn a_time_out_is_the_heaviest_penalty() {
        let mut bitmap = PenaltyBitmap::new(2, 0);
        assert_eq!(values(&mut bitmap, 0..2), [1, 2]);
        bitmap.on_timeout();
        assert_eq!(bitmap.next(Psn::new(0), true), 2, "packet 0 is sent again, by another value");
        let turns = values(&mut bitmap, 2..40).iter().position(|value| *value == 1);
        assert_eq!(turns, Some(14), "15 in all");
    }

    /// Values all of which are suspicious are used all the same.
    #[test]
    fn every_value_comes_up_again() {
        let mut bitmap = PenaltyBitmap::new(3, 0);
        for value in 1..4 {
            (0..100).for_each(|_| bitmap.on_echo(value, true));
        }
        assert_eq!(values(&mut bitmap, 0..3), [1, 2, 3]);
    }
}
