//! Memory that several receivers share under PFC, or without flow control.
//!
//! Invariant: the sum of all use and the free bytes are the shared bytes. A receiver uses its load under the threshold
//! beyond its guaranteed minimum. Headroom belongs to its receiver and does not count here.
//!
//! ```text
//! shared  = memory - receivers * (guaranteed + headroom)  =  free + sum of all use
//! limit   = guaranteed + min(alpha * free, use + free)         without alpha: guaranteed + use + free
//! ```
//!
//! The threshold is that of A. Choudhury and E. Hahne (IEEE/ACM Trans. Networking 6(2), 1998), per input. With headroom
//! `t_flight`, n ports and 8 priorities it is DCQCN's `t_PFC = beta (B - 8 n t_flight - s) / 8` for alpha = beta / 8, where
//! s is the occupied memory (Zhu and others, SIGCOMM 2015, section 4).

use super::alpha::Alpha;
use super::receiver_set::ReceiverSet;
use crate::flow_control::pause::LoadChange;

/// Memory that several receivers share under PFC, or without flow control, in bytes.
#[derive(Clone, Debug)]
pub struct MemoryPool {
    guaranteed: u32,
    shared: u64,
    free: u64,
    alpha: Option<Alpha>,
    /// Receivers that have requested a pause.
    pausing: ReceiverSet,
}

impl MemoryPool {
    /// A pool with so many shared bytes, besides the guaranteed bytes of each receiver.
    #[must_use]
    pub fn new(receivers: usize, shared: u64, guaranteed: u32, alpha: Option<Alpha>) -> Self {
        Self { guaranteed, shared, free: shared, alpha, pausing: ReceiverSet::new(receivers) }
    }

    /// Returns the present threshold of a receiver with this load, in bytes.
    #[must_use]
    pub fn limit(&self, load: u32) -> u32 {
        let all = u64::from(load.saturating_sub(self.guaranteed)) + self.free;
        let share = self.alpha.map_or(all, |alpha| alpha.times(self.free).min(all));
        u32::try_from(u64::from(self.guaranteed) + share).unwrap_or(u32::MAX)
    }

    /// Returns the shared bytes, used or free.
    #[must_use]
    pub const fn shared(&self) -> u64 {
        self.shared
    }

    /// Returns the highest load that one receiver can reach under its threshold, namely while no other uses a shared byte.
    #[must_use]
    pub fn most(&self) -> u64 {
        let shared = self.alpha.map_or(self.shared, |alpha| alpha.share_of(self.shared));
        u64::from(self.guaranteed) + shared
    }

    /// Handles the change of a receiver's load.
    ///
    /// # Panics
    /// If more bytes are used than there are.
    pub fn on_load_change(&mut self, change: LoadChange) {
        let used = |load: u32| u64::from(load.saturating_sub(self.guaranteed));
        let free = self.free + used(change.before);
        self.free = free.checked_sub(used(change.after)).expect("the bytes used of a pool were free");
    }

    /// Notes that a receiver requests a pause, or no longer does.
    pub fn set_pausing(&mut self, receiver: usize, pausing: bool) {
        if pausing {
            self.pausing.insert(receiver);
        } else {
            self.pausing.remove(receiver);
        }
    }

    /// Returns the first receiver that requests a pause and is `start` or later.
    #[must_use]
    pub fn pausing_from(&self, start: usize) -> Option<usize> {
        self.pausing.first_from(start)
    }

    /// Returns true if no receiver uses a shared byte.
    #[must_use]
    pub const fn is_released(&self) -> bool {
        self.free == self.shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// DCQCN's paper: 12 MB, 32 ports, 8 priorities, headroom 22.4 KB. With beta = 8 and an empty switch the
    /// threshold is all memory beyond headroom.
    #[test]
    fn dcqcns_dynamic_threshold() {
        let (receivers, headroom) = (8 * 32, 22_400);
        let shared = 12_000_000 - receivers as u64 * headroom;
        let mut pool = MemoryPool::new(receivers, shared, 0, Some(Alpha::new(1.0)));
        assert_eq!(u64::from(pool.limit(0)), shared);
        pool.on_load_change(LoadChange { before: 0, after: 1_000_000 });
        assert_eq!(u64::from(pool.limit(1_000_000)), shared - 1_000_000);
        pool.on_load_change(LoadChange { before: 1_000_000, after: 0 });
        assert!(pool.is_released());
        assert_eq!(pool.most(), shared / 2);
    }

    #[test]
    fn guaranteed_bytes_are_never_shared() {
        let mut pool = MemoryPool::new(3, 1000, 500, None);
        pool.on_load_change(LoadChange { before: 0, after: 1500 });
        assert_eq!((pool.limit(1500), pool.limit(0)), (1500, 500));
        pool.on_load_change(LoadChange { before: 0, after: 500 });
        assert_eq!(pool.most(), 1500);
        pool.on_load_change(LoadChange { before: 1500, after: 400 });
        assert!(pool.is_released());
    }
}
