//! Memory that several receivers share, each a port and lane under credits of its own.
//!
//! Invariant: what has been promised can be kept. A receiver *commits* what it holds and what its sender may
//! still send (its room), and over all receivers the sum of the commitments, each counted as what it is
//! guaranteed at least, is at most the size of the memory.
//!
//! ```text
//! committed = held + room                           room <= guaranteed, so that nobody hoards
//! use       = committed - guaranteed >= 0           a receiver's part of what is shared
//! shared    = size - receivers * guaranteed  =  free + sum of all use
//!
//! a packet comes in   held rises and room falls: use stays, and the receiver wants its room back
//! a packet leaves     held falls: use falls, what of it was guaranteed becomes room again at once, and what
//!                     was shared goes to those who want room, in turn
//! ```
//!
//! | sharing | a receiver that wants room gets it as long as | source |
//! |---|---|---|
//! | complete | anything is free | Kamoun and Kleinrock 1980, with a minimum for each |
//! | dynamic threshold | its use is at most alpha times what is free | Choudhury and Hahne 1998 |
//!
//! DEVIATION: both are of switches that drop packets, and count what waits for an output. Credits hold back the
//! sender at an input, and cannot be taken back: so it is inputs that share, and what is promised is in use.

use crate::credits::Share;

/// One, as a factor of a dynamic threshold.
const ONE: u64 = 1 << 16;

/// The factor of a dynamic threshold, in steps of 1/65,536: no rounding of a float decides who gets memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alpha(u64);

impl Alpha {
    /// The least factor that a scenario may name.
    pub const LEAST: f64 = 1.0 / 128.0;
    /// The greatest factor that a scenario may name.
    pub const MOST: f64 = 128.0;

    /// The nearest step to this factor.
    ///
    /// # Panics
    /// If it is not from [`Self::LEAST`] to [`Self::MOST`].
    #[must_use]
    pub fn new(factor: f64) -> Self {
        assert!((Self::LEAST..=Self::MOST).contains(&factor), "a factor of {factor} is out of range");
        Self((factor * ONE as f64).round() as u64)
    }

    /// So many times this factor, which may be more than [`Self::MOST`]: of `n` receivers together.
    #[must_use]
    pub const fn of_all(self, n: u64) -> Self {
        Self(self.0 * n)
    }

    /// This factor times `amount`, rounded down.
    pub(crate) const fn times(self, amount: u64) -> u64 {
        (self.0 as u128 * amount as u128 / ONE as u128) as u64
    }

    /// This factor over one more than itself, times `amount`, rounded down.
    pub(crate) const fn share_of(self, amount: u64) -> u64 {
        (self.0 as u128 * amount as u128 / (self.0 + ONE) as u128) as u64
    }

    /// What may be added to `used` while `free` is free, so that then `used <= alpha * free` still holds.
    const fn leaves(self, used: u64, free: u64) -> u64 {
        (self.0 * free).saturating_sub(ONE * used) / (ONE + self.0)
    }
}

/// Memory that several receivers share.
#[derive(Clone, Debug)]
pub struct SharedMemory {
    guaranteed: u16,
    shared: u32,
    /// What of `shared` no receiver uses.
    free: u32,
    /// The factor of the dynamic threshold; none for complete sharing.
    alpha: Option<Alpha>,
    /// Receivers with less room than they are guaranteed, by bits.
    wanting: Box<[u64]>,
    /// Whose turn it is.
    turn: usize,
}

/// A receiver that may take in more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Which.
    pub receiver: usize,
    /// How many blocks more.
    pub blocks: u16,
}

impl SharedMemory {
    /// A memory of `size` blocks for so many receivers, each of which is guaranteed so many blocks and has them
    /// as its room at rest.
    ///
    /// # Panics
    /// If more is guaranteed than there is.
    #[must_use]
    pub fn new(receivers: usize, size: u32, guaranteed: u16, alpha: Option<Alpha>) -> Self {
        let own = receivers as u32 * u32::from(guaranteed);
        let shared = size.checked_sub(own).unwrap_or_else(|| panic!("{own} blocks of {size} are guaranteed"));
        let wanting = vec![0; receivers.div_ceil(64)].into();
        Self { guaranteed, shared, free: shared, alpha, wanting, turn: 0 }
    }

    /// A packet has come in at this receiver, which now has this share: how many blocks more may come in. What
    /// is refused is remembered.
    #[must_use]
    pub fn stored(&mut self, receiver: usize, share: Share) -> u16 {
        let wanted = self.wanted(share);
        let blocks = self.available(share).min(u32::from(wanted)) as u16;
        self.free -= u32::from(blocks);
        if blocks < wanted {
            self.wanting[receiver / 64] |= 1 << (receiver % 64);
        }
        blocks
    }

    /// A packet of this many blocks has left this receiver, which now has this share: how many blocks more may
    /// come in because they are guaranteed. What of them was shared is free, and [`Self::next`] says for whom.
    ///
    /// # Panics
    /// If more comes free than there is.
    #[must_use]
    pub fn freed(&mut self, receiver: usize, share: Share, blocks: u16) -> u16 {
        let missing = u32::from(self.guaranteed).saturating_sub(share.held + u32::from(share.room)) as u16;
        if missing == self.wanted(share) {
            self.satisfied(receiver);
        }
        self.free += u32::from(blocks - missing);
        assert!(self.free <= self.shared, "{} of {} shared blocks are free", self.free, self.shared);
        missing
    }

    /// Whose turn it is of those who want room and can be given some, and how much; the memory counts it as
    /// given. None if nobody can be given any.
    ///
    /// A turn ends when the receiver has all that it wants, or when its threshold stands against more. If the
    /// memory is used up before, the turn goes on when some comes free: so everyone gets room for a whole packet,
    /// not all of them a piece of one.
    pub fn next(&mut self, share: impl Fn(usize) -> Share) -> Option<Allowance> {
        if self.free == 0 {
            return None;
        }
        let turn = self.turn;
        let from =
            |start| core::iter::successors(self.wanting_from(start), |last| self.wanting_from(last + 1));
        let mut round = from(turn).chain(from(0).take_while(|receiver| *receiver < turn));
        let (receiver, wanted, blocks) = round.find_map(|receiver| {
            let share = share(receiver);
            let wanted = self.wanted(share);
            let blocks = self.available(share).min(u32::from(wanted)) as u16;
            (blocks > 0).then_some((receiver, wanted, blocks))
        })?;
        self.free -= u32::from(blocks);
        if blocks == wanted {
            self.satisfied(receiver);
        }
        let goes_on = blocks < wanted && self.free == 0;
        self.turn = if goes_on { receiver } else { receiver + 1 };
        Some(Allowance { receiver, blocks })
    }

    /// How many blocks a receiver with this share could be given now, were it not for the limit of its room.
    #[must_use]
    pub fn available(&self, share: Share) -> u32 {
        let used = (share.held + u32::from(share.room)).saturating_sub(u32::from(self.guaranteed));
        match self.alpha {
            None => self.free,
            Some(alpha) => alpha.leaves(u64::from(used), u64::from(self.free)) as u32,
        }
    }

    /// The most blocks that one receiver can come to hold: if no other uses any of what is shared.
    #[must_use]
    pub fn most(&self) -> u32 {
        let shared = u64::from(self.shared);
        let most = self.alpha.map_or(shared, |alpha| alpha.leaves(0, shared));
        u32::from(self.guaranteed) + most as u32
    }

    /// Whether no receiver uses any of what is shared.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.free == self.shared
    }

    fn wanted(&self, share: Share) -> u16 {
        self.guaranteed - share.room
    }

    fn satisfied(&mut self, receiver: usize) {
        self.wanting[receiver / 64] &= !(1 << (receiver % 64));
    }

    /// The first receiver from this one on that wants room.
    fn wanting_from(&self, start: usize) -> Option<usize> {
        let first = *self.wanting.get(start / 64)? & u64::MAX << (start % 64);
        let later = (start / 64 + 1..self.wanting.len()).map(|word| (word, self.wanting[word]));
        let (word, bits) = core::iter::once((start / 64, first)).chain(later).find(|(_, bits)| *bits != 0)?;
        Some(word * 64 + bits.trailing_zeros() as usize)
    }
}
