//! Memory that several receivers share under PFC, or without flow control.
//!
//! Invariant: the sum of all use and the free bytes are the shared bytes. A receiver uses its load under the threshold
//! beyond its guaranteed minimum. Headroom belongs to its receiver and does not count here.
//!
//! ```text
//! shared  = memory - sum of all guaranteed - sum of all headroom  =  free + sum of all use
//! limit   = guaranteed + min(alpha * free, use + free)         without alpha: guaranteed + use + free
//! ```
//!
//! Guaranteed bytes and alpha belong to the receiver. The threshold follows A. Choudhury and E. Hahne (IEEE/ACM Trans.
//! Networking 6(2), 1998), per input. For alpha = beta / 8 it is DCQCN's `t_PFC = beta (B - 8 n t_flight - s) / 8` (Zhu
//! and others, SIGCOMM 2015, section 4). There `t_flight` is the headroom, n the number of ports, 8 the number of
//! priorities, and s the occupied memory.

use super::alpha::Alpha;
use super::receiver_set::ReceiverSet;
use super::share::Share;
use crate::flow_control::pause::LoadChange;

/// Memory that several receivers share under PFC, or without flow control, in bytes.
#[derive(Clone, Debug)]
pub struct MemoryPool {
    shared: u64,
    free: u64,
    shares: Box<[ByteShare]>,
    /// Receivers that have requested a pause.
    pausing: ReceiverSet,
}

state_codec::state!(MemoryPool { shared: plan, free, shares: plan, pausing });

/// Share of a receiver, in bytes.
#[derive(Clone, Copy, Debug)]
struct ByteShare {
    guaranteed: u32,
    alpha: Option<Alpha>,
}

impl ByteShare {
    /// Returns the shared bytes that a receiver with this load uses.
    #[inline]
    fn used(self, load: u32) -> u64 {
        u64::from(load.saturating_sub(self.guaranteed))
    }

    /// Returns the threshold of a receiver that uses all of the shared bytes `available` to it except `free` bytes.
    #[inline]
    fn limit(self, free: u64, available: u64) -> u32 {
        let share = self.alpha.map_or(available, |alpha| alpha.times(free).min(available));
        u32::try_from(u64::from(self.guaranteed) + share).unwrap_or(u32::MAX)
    }
}

impl MemoryPool {
    /// A pool with `shared` bytes besides the guaranteed bytes of each receiver, and with these shares of the
    /// receivers.
    ///
    /// # Panics
    /// If a guarantee does not fit into 32 bits.
    #[must_use]
    pub fn new(shared: u64, shares: &[Share]) -> Self {
        let in_bytes = |share: &Share| ByteShare {
            guaranteed: u32::try_from(share.guaranteed.get()).expect("a guarantee fits into 32 bits"),
            alpha: share.alpha,
        };
        let pausing = ReceiverSet::new(shares.len());
        Self { shared, free: shared, shares: shares.iter().map(in_bytes).collect(), pausing }
    }

    /// Returns the present threshold of a receiver with this load, in bytes.
    #[inline]
    #[must_use]
    pub fn limit(&self, receiver: usize, load: u32) -> u32 {
        let share = self.shares[receiver];
        share.limit(self.free, share.used(load) + self.free)
    }

    /// Returns the highest threshold of a receiver with this load, while the others use at least `by_others` shared
    /// bytes.
    #[must_use]
    pub fn highest_limit(&self, receiver: usize, load: u32, by_others: u64) -> u32 {
        let available = self.shared.saturating_sub(by_others);
        let share = self.shares[receiver];
        share.limit(available.saturating_sub(share.used(load)), available)
    }

    /// Returns the shared bytes that a receiver with this load uses.
    #[inline]
    #[must_use]
    pub fn used(&self, receiver: usize, load: u32) -> u64 {
        self.shares[receiver].used(load)
    }

    /// Returns the highest load that a receiver can reach under its threshold, namely while no other uses a shared
    /// byte.
    #[must_use]
    pub fn most(&self, receiver: usize) -> u64 {
        let ByteShare { guaranteed, alpha } = self.shares[receiver];
        let shared = alpha.map_or(self.shared, |alpha| alpha.share_of(self.shared));
        u64::from(guaranteed) + shared
    }

    /// Handles the change of a receiver's load. Returns its threshold afterwards, in bytes.
    ///
    /// # Panics
    /// If more bytes are used than there are.
    #[inline]
    pub fn on_load_change(&mut self, receiver: usize, change: LoadChange) -> u32 {
        let share = self.shares[receiver];
        let available = self.free + share.used(change.before);
        self.free =
            available.checked_sub(share.used(change.after)).expect("the bytes used of a pool were free");
        share.limit(self.free, available)
    }

    /// Notes that a receiver requests a pause, or no longer does.
    #[inline]
    pub fn set_pausing(&mut self, receiver: usize, pausing: bool) {
        if pausing {
            self.pausing.insert(receiver);
        } else {
            self.pausing.remove(receiver);
        }
    }

    /// Returns the first receiver that requests a pause and is `start` or later.
    #[inline]
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
    use units::Bytes;

    use super::*;

    /// DCQCN's paper: 12 MB, 32 ports, 8 priorities, headroom 22.4 KB. With beta = 8 and an empty switch the
    /// threshold is all memory beyond headroom.
    #[test]
    fn dcqcns_dynamic_threshold() {
        let (receivers, headroom) = (8 * 32, 22_400);
        let shared = 12_000_000 - receivers as u64 * headroom;
        let share = Share { guaranteed: Bytes::ZERO, alpha: Some(Alpha::new(1.0)) };
        let mut pool = MemoryPool::new(shared, &vec![share; receivers]);
        assert_eq!(u64::from(pool.limit(0, 0)), shared);
        pool.on_load_change(0, LoadChange { before: 0, after: 1_000_000 });
        assert_eq!(u64::from(pool.limit(0, 1_000_000)), shared - 1_000_000);
        pool.on_load_change(0, LoadChange { before: 1_000_000, after: 0 });
        assert!(pool.is_released());
        assert_eq!(pool.most(0), shared / 2);
    }

    #[test]
    fn guaranteed_bytes_are_never_shared() {
        let share = Share { guaranteed: Bytes::new(500), alpha: None };
        let mut pool = MemoryPool::new(1000, &[share; 3]);
        pool.on_load_change(0, LoadChange { before: 0, after: 1500 });
        assert_eq!((pool.limit(0, 1500), pool.limit(1, 0)), (1500, 500));
        pool.on_load_change(1, LoadChange { before: 0, after: 500 });
        assert_eq!(pool.most(2), 1500);
        pool.on_load_change(0, LoadChange { before: 1500, after: 400 });
        assert!(pool.is_released());
    }
}
