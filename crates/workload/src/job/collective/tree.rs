//! Binomial trees in the numberings of MPICH and Open MPI, on ranks counted from the root.
//!
//! | numbering | parent of v | children of v, in order of sending |
//! |---|---|---|
//! | lowest bit (MPICH) | v without its lowest set bit | v + 2^k for 2^k below that bit, largest first |
//! | highest bit (Open MPI, Schedgen) | v without its highest set bit | v + 2^k for 2^k above v, smallest first |
//!
//! Invariant: both trees have ceil(log2 p) levels, and the parent's number is below the child's.

use super::kind::Numbering;

/// Binomial tree of a number of ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binomial {
    pub(super) ranks: u32,
    pub(super) numbering: Numbering,
}

impl Binomial {
    /// Returns the parent of `v`, which is not the root.
    pub(super) const fn parent(self, v: u32) -> u32 {
        match self.numbering {
            Numbering::LowestBit => v & (v - 1),
            Numbering::HighestBit => v - (1 << v.ilog2()),
        }
    }

    /// Returns the number of children of `v`.
    pub(super) fn children(self, v: u32) -> u32 {
        match self.numbering {
            Numbering::LowestBit => self.bits_below(v),
            Numbering::HighestBit => {
                let first = Self::bits(v);
                (first..32).take_while(|bit| (v as u64) + (1 << bit) < self.ranks as u64).count() as u32
            }
        }
    }

    /// Returns a child of `v`, in the order of sending.
    pub(super) fn child(self, v: u32, number: u32) -> u32 {
        match self.numbering {
            Numbering::LowestBit => v + (1 << (self.bits_below(v) - 1 - number)),
            Numbering::HighestBit => v + (1 << (Self::bits(v) + number)),
        }
    }

    /// Returns the number of ranks from `v` on that are below `v`, itself included, in the numbering by lowest bits,
    /// where they follow one another.
    pub(super) fn subtree(self, v: u32) -> u32 {
        if v == 0 { self.ranks } else { (1 << v.trailing_zeros()).min(self.ranks - v) }
    }

    /// Children of `v` in the numbering by lowest bits: bits below its lowest set bit that stay below the ranks.
    fn bits_below(self, v: u32) -> u32 {
        let lowest = if v == 0 { 32 } else { v.trailing_zeros() };
        (0..lowest).take_while(|bit| u64::from(v) + (1 << bit) < u64::from(self.ranks)).count() as u32
    }

    const fn bits(v: u32) -> u32 {
        32 - v.leading_zeros()
    }
}
