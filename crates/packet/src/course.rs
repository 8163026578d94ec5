//! The course of a packet whose route need not be minimal.
//!
//! Invariant: a course has 15 bits, since a packet is one cache line.
//!
//! ```text
//! Open -> Outward(via) -> Inward      by an intermediate switch
//! Open -> Inward                      minimal
//! ```

/// The course of a packet. Fabrics with minimal routes alone leave it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Course {
    /// No switch has decided yet about the route.
    Open,
    /// Minimal to its destination from here on, and decided.
    Inward,
    /// Minimal towards an intermediate switch, by its position among the switches.
    Outward(u16),
}

impl Course {
    /// Largest position of an intermediate switch.
    pub const MOST: u16 = (1 << 15) - 3;

    /// Returns the course in 15 bits.
    #[inline]
    #[must_use]
    pub const fn code(self) -> u16 {
        match self {
            Self::Open => 0,
            Self::Inward => 1,
            Self::Outward(via) => {
                debug_assert!(via <= Self::MOST);
                via + 2
            }
        }
    }

    #[inline]
    pub(crate) const fn of_code(code: u16) -> Self {
        match code {
            0 => Self::Open,
            1 => Self::Inward,
            via => Self::Outward(via - 2),
        }
    }
}
