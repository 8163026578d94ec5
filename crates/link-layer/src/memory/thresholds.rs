//! Thresholds of PFC, and the bound below which ECN marks before the earliest PAUSE.
//!
//! Invariant: sums of whole bytes, rounded down: a bound that is printed can be kept.
//!
//! Zhu and others, "Congestion control for large-scale RDMA deployments", SIGCOMM 2015, on buffer thresholds. A switch
//! of `n` ports and `p` priorities (8) has a memory `B`. PFC observes the packets that arrived at a port in a priority;
//! ECN observes the packets that wait for a port. Headroom `t_flight` is reserved for each port and priority.
//!
//! ```text
//! shared          B - p n t_flight
//! static   t_PFC  shared / (p n)
//! dynamic  t_PFC  beta (shared - s) / p             s: the occupied part of it
//!
//! worst case for ECN: in every priority, every output holds just t_ECN, and all packets of a priority arrived at one
//!   port: that input holds n t_ECN, all inputs together s = p n t_ECN; it must be below t_PFC:
//! static   t_ECN < shared / (p n n)
//! dynamic  t_ECN < beta shared / (p n (beta + 1))
//! ```

use units::Bytes;

use super::alpha::Alpha;
use super::share::Share;

/// The memory of a switch under PFC, with headroom for every port and priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseMemory {
    shared: u64,
    ports: u64,
    priorities: u64,
}

/// Error: headroom alone takes all memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("headroom of {needed} for {ports} ports and {priorities} priorities leaves nothing of {size}")]
pub struct HeadroomExceedsMemory {
    /// Headroom of all ports and priorities.
    pub needed: Bytes,
    /// Ports of the switch.
    pub ports: u16,
    /// Priorities with headroom.
    pub priorities: u8,
    /// Memory of the switch.
    pub size: Bytes,
}

/// Threshold at which a PAUSE is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseThreshold {
    /// Bytes held of a port and priority.
    Static(Bytes),
    /// The paper's beta times the free shared memory, over the number of priorities.
    Dynamic(Alpha),
}

impl PauseMemory {
    /// A memory of `size` for ports and priorities, with this headroom for each.
    ///
    /// # Errors
    /// If no memory is left to be shared.
    ///
    /// # Panics
    /// If there is no port or no priority.
    pub fn new(
        size: Bytes,
        ports: u16,
        priorities: u8,
        headroom: Bytes,
    ) -> Result<Self, HeadroomExceedsMemory> {
        assert!(ports > 0 && priorities > 0, "{ports} ports and {priorities} priorities");
        let needed = headroom * (u64::from(ports) * u64::from(priorities));
        match size.get().checked_sub(needed.get()) {
            Some(shared) if shared > 0 => {
                Ok(Self { shared, ports: u64::from(ports), priorities: u64::from(priorities) })
            }
            _ => Err(HeadroomExceedsMemory { needed, ports, priorities, size }),
        }
    }

    /// Returns the memory that headroom leaves.
    #[must_use]
    pub const fn shared(&self) -> Bytes {
        Bytes::new(self.shared)
    }

    /// Returns the highest static threshold: all ports and priorities can reach it together.
    #[must_use]
    pub const fn highest_static(&self) -> Bytes {
        Bytes::new(self.shared / (self.priorities * self.ports))
    }

    /// Returns the bytes that a port may hold in a priority before PAUSE, while `occupied` of the shared memory is in
    /// use.
    #[must_use]
    pub const fn pause(&self, threshold: PauseThreshold, occupied: Bytes) -> Bytes {
        match threshold {
            PauseThreshold::Static(bytes) => bytes,
            PauseThreshold::Dynamic(beta) => {
                Bytes::new(beta.times(self.shared.saturating_sub(occupied.get())) / self.priorities)
            }
        }
    }

    /// Returns the bound below which the ECN threshold must lie, so that an output exceeds it before any input is
    /// paused.
    #[must_use]
    pub const fn ecn_bound(&self, threshold: PauseThreshold) -> Bytes {
        Bytes::new(match threshold {
            PauseThreshold::Static(bytes) => bytes.get() / self.ports,
            PauseThreshold::Dynamic(beta) => beta.share_of(self.shared) / (self.priorities * self.ports),
        })
    }

    /// Returns the distance of this ECN threshold below its bound, in bytes. Above 0, ECN acts before PFC even in the
    /// worst case; otherwise PAUSE may come first.
    #[must_use]
    pub const fn ecn_margin(&self, threshold: PauseThreshold, ecn: Bytes) -> i64 {
        self.ecn_bound(threshold).get() as i64 - ecn.get() as i64
    }
}

/// Returns the least load at which a receiver with this share requests a pause in a pool of `shared` bytes. On each
/// other lane a receiver holds as much, with the guarantees in `others`.
///
/// The worst case above, for receivers with different shares. It is found by trial of the pool's rule, since below a
/// guarantee a receiver takes nothing of the shared bytes.
#[must_use]
pub fn earliest_pause(shared: Bytes, share: Share, others: &[Bytes]) -> Bytes {
    let pauses = |load: u64| {
        let used = |guaranteed: &Bytes| load.saturating_sub(guaranteed.get());
        let all = used(&share.guaranteed) + others.iter().map(used).sum::<u64>();
        let free = shared.get().saturating_sub(all);
        let own = load.checked_sub(share.guaranteed.get());
        own.is_some_and(|own| free == 0 || share.alpha.is_some_and(|alpha| own >= alpha.times(free)))
    };
    // Above a load that pauses, every load does. At the upper bound nothing is free, so that load pauses.
    let (mut calm, mut paused) = (0, shared.get() + share.guaranteed.get() + 1);
    while calm + 1 < paused {
        let load = calm.midpoint(paused);
        if pauses(load) { paused = load } else { calm = load }
    }
    Bytes::new(paused)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The switch of the paper: 12 MB, 32 ports of 40 Gb/s, 8 priorities, headroom of 22.4 KB.
    fn trident() -> PauseMemory {
        PauseMemory::new(Bytes::new(12_000_000), 32, 8, Bytes::new(22_400)).expect("headroom fits")
    }

    #[test]
    fn the_papers_static_threshold_is_24_47_kb_and_leaves_ecn_less_than_an_mtu() {
        let highest = trident().highest_static();
        assert_eq!(highest, Bytes::new(24_475));
        let bound = trident().ecn_bound(PauseThreshold::Static(highest));
        assert_eq!(bound, Bytes::new(764));
        assert!(trident().ecn_margin(PauseThreshold::Static(highest), Bytes::new(1500)) < 0);
    }

    #[test]
    fn with_beta_8_ecn_has_21_75_kb() {
        let dynamic = PauseThreshold::Dynamic(Alpha::new(8.0));
        assert_eq!(trident().ecn_bound(dynamic), Bytes::new(21_755));
        assert_eq!(trident().ecn_margin(dynamic, Bytes::new(5_000)), 16_755);
        assert_eq!(trident().ecn_margin(dynamic, Bytes::new(21_755)), 0);
    }

    #[test]
    fn at_the_bound_the_worst_case_just_reaches_the_threshold() {
        for beta in [0.5, 1.0, 8.0, 16.0] {
            let dynamic = PauseThreshold::Dynamic(Alpha::new(beta));
            let ecn = trident().ecn_bound(dynamic).get();
            let holds = |ecn: u64| 32 * ecn < trident().pause(dynamic, Bytes::new(8 * 32 * ecn)).get();
            assert!(holds(ecn - 1), "below the bound ECN is first, with beta {beta}");
            assert!(!holds(ecn + 1), "above it PAUSE is, with beta {beta}");
        }
    }

    #[test]
    fn headroom_leaves_the_rest_to_be_shared() {
        assert_eq!(trident().shared(), Bytes::new(12_000_000 - 22_400 * 32 * 8));
    }

    #[test]
    fn headroom_that_takes_everything_is_refused() {
        let refused = PauseMemory::new(Bytes::new(5_734_400), 32, 8, Bytes::new(22_400));
        assert_eq!(
            refused.expect_err("nothing is left").to_string(),
            "headroom of 5600 KiB for 32 ports and 8 priorities leaves nothing of 5600 KiB"
        );
    }
}
