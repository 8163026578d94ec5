//! Numbers of parts.
//!
//! Invariant: parts are numbered from zero, without gaps.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PartId(pub(crate) u16);

impl PartId {
    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}
