//! Ranks that are no power of two, folded into the largest power of two below.
//!
//! Invariant: of p ranks, p' is the power of two and r = p - p'. The first 2r ranks form pairs; one rank of each stays
//! out of the rounds between, and the other keeps its data. Ranks that take part are renumbered in order.

/// The rank of a pair that takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeper {
    /// MPICH: the odd rank.
    Odd,
    /// Open MPI's Rabenseifner: the even rank.
    Even,
}

/// The part of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// It gives its data to its pair, and gets the result.
    Out { keeper: u32 },
    /// It takes the data of its pair, under the number `new`.
    Keeper { out: u32, new: u32 },
    /// It has no pair.
    Alone { new: u32 },
}

/// The folding of a number of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fold {
    ranks: u32,
    keeper: Keeper,
}

impl Fold {
    pub(super) const fn new(ranks: u32, keeper: Keeper) -> Self {
        Self { ranks, keeper }
    }

    /// Returns k, where 2^k ranks take part.
    pub(super) const fn rounds(self) -> u32 {
        self.ranks.ilog2()
    }

    /// Returns the number of ranks that take part.
    pub(super) const fn power(self) -> u32 {
        1 << self.rounds()
    }

    /// Returns the number of ranks that stay out.
    pub(super) const fn out(self) -> u32 {
        self.ranks - self.power()
    }

    pub(super) const fn part(self, rank: u32) -> Part {
        if rank >= 2 * self.out() {
            return Part::Alone { new: rank - self.out() };
        }
        let odd = rank % 2 == 1;
        match (self.keeper, odd) {
            (Keeper::Odd, true) | (Keeper::Even, false) => Part::Keeper { out: rank ^ 1, new: rank / 2 },
            (Keeper::Odd, false) | (Keeper::Even, true) => Part::Out { keeper: rank ^ 1 },
        }
    }

    /// Returns the new number of a rank; that of its keeper, for a rank that stays out.
    pub(super) const fn new_number(self, rank: u32) -> u32 {
        match self.part(rank) {
            Part::Out { .. } => rank / 2,
            Part::Keeper { new, .. } | Part::Alone { new } => new,
        }
    }

    /// Returns the rank of a new number.
    pub(super) const fn rank(self, new: u32) -> u32 {
        if new >= self.out() {
            return new + self.out();
        }
        match self.keeper {
            Keeper::Odd => 2 * new + 1,
            Keeper::Even => 2 * new,
        }
    }
}
