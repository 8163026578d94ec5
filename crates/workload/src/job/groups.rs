//! Groups of a job's ranks.
//!
//! Invariant: each rank is in one group, or in none.

/// Groups of equal size with a constant stride among the first ranks of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Ranks in groups: the first of the job. A multiple of `size` times `stride`.
    pub ranks: u32,
    /// Ranks of a group.
    pub size: u32,
    /// Ranks from one member to the next.
    pub stride: u32,
}

impl Groups {
    /// Returns the place of a rank in its group; `None` if it is in none.
    pub(super) const fn place(self, rank: u32) -> Option<u32> {
        if rank < self.ranks { Some(rank / self.stride % self.size) } else { None }
    }

    /// Returns the rank at a place of the group that `rank` is in.
    pub(super) const fn member(self, rank: u32, place: u32) -> u32 {
        let block = self.size * self.stride;
        rank / block * block + rank % self.stride + place * self.stride
    }
}
