//! Memory that the receivers of a switch share under PFC, or without flow control.
//!
//! Invariant: of what is shared, all uses and what is free make up the whole. A receiver's use is what it holds under
//! its threshold beyond what is guaranteed to it; headroom is its own and counts for nothing here.
//!
//! ```text
//! shared    = memory - receivers * (guaranteed + headroom)  =  free + sum of all use
//! may hold  = guaranteed + min(alpha * free, use + free)         without alpha: guaranteed + use + free
//! ```
//!
//! The threshold is that of A. Choudhury and E. Hahne (IEEE/ACM Trans. Networking 6(2), 1998), by input. With headroom
//! `t_flight`, n ports and 8 priorities it is DCQCN's `t_PFC = beta (B - 8 n t_flight - s) / 8` for alpha = beta / 8, where
//! s is what is occupied (Zhu and others, SIGCOMM 2015, section 4).

use crate::memory::Alpha;
use crate::pause::Change;

/// Memory that several receivers share, in bytes.
#[derive(Clone, Debug)]
pub struct Pool {
    guaranteed: u32,
    shared: u64,
    free: u64,
    alpha: Option<Alpha>,
    /// Receivers that have asked for a pause, by bits.
    asking: Box<[u64]>,
}

impl Pool {
    /// A pool of which so much is shared, besides what each of so many receivers is guaranteed.
    #[must_use]
    pub fn new(receivers: usize, shared: u64, guaranteed: u32, alpha: Option<Alpha>) -> Self {
        Self { guaranteed, shared, free: shared, alpha, asking: vec![0; receivers.div_ceil(64)].into() }
    }

    /// How much a receiver that holds `own` may hold under its threshold now.
    #[must_use]
    pub fn limit(&self, own: u32) -> u32 {
        let all = u64::from(own.saturating_sub(self.guaranteed)) + self.free;
        let share = self.alpha.map_or(all, |alpha| alpha.times(self.free).min(all));
        u32::try_from(u64::from(self.guaranteed) + share).unwrap_or(u32::MAX)
    }

    /// What is shared, in use or free, in bytes.
    #[must_use]
    pub const fn shared(&self) -> u64 {
        self.shared
    }

    /// The most that one receiver can come to hold under its threshold: if no other uses any of what is shared.
    #[must_use]
    pub fn most(&self) -> u64 {
        let shared = self.alpha.map_or(self.shared, |alpha| alpha.share_of(self.shared));
        u64::from(self.guaranteed) + shared
    }

    /// What a receiver holds under its threshold has changed.
    ///
    /// # Panics
    /// If more is used than there is.
    pub fn changed(&mut self, change: Change) {
        let used = |own: u32| u64::from(own.saturating_sub(self.guaranteed));
        let free = self.free + used(change.before);
        self.free = free.checked_sub(used(change.after)).expect("what is used of a pool was free");
    }

    /// A receiver has asked for a pause, or has let go on.
    pub fn asks(&mut self, receiver: usize, asks: bool) {
        let bit = 1 << (receiver % 64);
        let word = &mut self.asking[receiver / 64];
        *word = if asks { *word | bit } else { *word & !bit };
    }

    /// The first receiver from this one on that has asked for a pause.
    #[must_use]
    pub fn asking_from(&self, start: usize) -> Option<usize> {
        let mut word = start / 64;
        let mut bits = self.asking.get(word)? & u64::MAX << (start % 64);
        while bits == 0 {
            word += 1;
            bits = *self.asking.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// Whether no receiver uses any of what is shared.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.free == self.shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// DCQCN's paper: 12 MB, 32 ports, 8 priorities, headroom 22.4 KB. With beta = 8 and an empty switch the threshold
    /// is all that is not headroom.
    #[test]
    fn dcqcns_dynamic_threshold() {
        let (receivers, headroom) = (8 * 32, 22_400);
        let shared = 12_000_000 - receivers as u64 * headroom;
        let mut pool = Pool::new(receivers, shared, 0, Some(Alpha::new(1.0)));
        assert_eq!(u64::from(pool.limit(0)), shared);
        pool.changed(Change { before: 0, after: 1_000_000 });
        assert_eq!(u64::from(pool.limit(1_000_000)), shared - 1_000_000);
        pool.changed(Change { before: 1_000_000, after: 0 });
        assert!(pool.is_whole());
        assert_eq!(pool.most(), shared / 2);
    }

    #[test]
    fn what_is_guaranteed_is_never_shared() {
        let mut pool = Pool::new(3, 1000, 500, None);
        pool.changed(Change { before: 0, after: 1500 });
        assert_eq!((pool.limit(1500), pool.limit(0)), (1500, 500));
        pool.changed(Change { before: 0, after: 500 });
        assert_eq!(pool.most(), 1500);
        pool.changed(Change { before: 1500, after: 400 });
        assert!(pool.is_whole());
    }

    #[test]
    fn who_asks_is_found_in_order() {
        let mut pool = Pool::new(200, 1000, 0, None);
        [3, 64, 199].into_iter().for_each(|receiver| pool.asks(receiver, true));
        let all = |pool: &Pool| {
            core::iter::successors(pool.asking_from(0), |last| pool.asking_from(last + 1)).collect::<Vec<_>>()
        };
        assert_eq!(all(&pool), [3, 64, 199]);
        pool.asks(64, false);
        assert_eq!(all(&pool), [3, 199]);
    }
}
