//! Credits of InfiniBand, per virtual lane, in blocks of 64 bytes (IBA volume 1, 7.9.4).
//!
//! Invariant: all counters are absolute and 12 bits wide. The sender counts the blocks that it has sent in total
//! (`FCTBS`); the receiver states the total up to which the sender may go (`FCCL`). The next update therefore
//! compensates for a lost update, and no block can be granted twice.
//!
//! ```text
//! sender:    may send n blocks  iff  (FCCL - (FCTBS + n)) mod 4096 <= 2048
//! receiver:  ABR  = blocks received in total, set to the FCTBS of each flow-control packet
//!            FCCL = ABR + room
//! ```
//!
//! Room is the number of blocks that the far end may still send. It is the free blocks of a lane's own buffer
//! ([`Credits::release_own`]), or the blocks that a shared memory grants ([`Credits::release`], [`Credits::grant`],
//! [`SharedMemory`](crate::memory::SharedMemory)). Only arriving packets reduce it: a credit is never withdrawn.

use units::{Bytes, Span, Time};

use packet::Lane;

use super::signal::Signal;

/// Bytes in a block of credit.
pub const BLOCK: u64 = 64;
/// Size of the largest buffer that credits can describe, in blocks.
pub const MAX_BLOCKS: u16 = 2048;
/// Length of a flow-control packet: operation, FCTBS, lane and FCCL in 4 bytes, and 2 bytes of LPCRC.
pub const FLOW_CONTROL_PACKET: Bytes = Bytes::new(6);
/// Longest interval between two flow-control packets, in symbol times (IBA 7.9.3).
pub const REFRESH_SYMBOLS: u64 = 65_536;

const MODULUS: u16 = 4096;

/// Conditions under which a receiver sends an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdateRule {
    /// Newly granted blocks that cause an update at once.
    pub blocks: u16,
    /// Time after the last update at which any newly granted block causes another.
    pub interval: Span,
    /// Time after the last update at which another is sent in any case.
    pub refresh: Span,
}

/// Credits of a port and lane: its sender's counters for the far end, and its receiver's counters for arriving packets.
#[derive(Clone, Copy, Debug)]
pub struct Credits {
    fctbs: u16,
    fccl: u16,
    abr: u16,
    /// Blocks that may still arrive.
    room: u16,
    /// Room of the far end at rest.
    far_room: u16,
    /// Blocks of `room` that no update has announced yet.
    unadvertised: u16,
    /// Blocks that occupy memory here; of shared memory these can be more than credits count to.
    held: u32,
    updated: Time,
    timer: Time,
}

state_codec::state!(Credits { fctbs, fccl, abr, room, far_room: plan, unadvertised, held, updated, timer });

/// A receiver's share of memory, in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverShare {
    /// Blocks that packets occupy.
    pub held: u32,
    /// Blocks that may still arrive: announced to the far end, or about to be.
    pub room: u16,
}

/// Returns the number of blocks that a packet of this length occupies.
#[must_use]
pub const fn blocks(length: Bytes) -> u16 {
    length.get().div_ceil(BLOCK) as u16
}

impl Credits {
    /// Credits of a lane with this many blocks of room at rest, here and at the far end. The link has been brought up,
    /// so each side knows the other's room.
    ///
    /// # Panics
    /// If a room is larger than [`MAX_BLOCKS`].
    #[must_use]
    pub fn new(room: u16, far_room: u16) -> Self {
        assert!(room <= MAX_BLOCKS && far_room <= MAX_BLOCKS, "credits count to 2048 blocks");
        Self {
            fctbs: 0,
            fccl: far_room,
            abr: 0,
            room,
            far_room,
            unadvertised: 0,
            held: 0,
            updated: Time::ZERO,
            timer: Time::NEVER,
        }
    }

    // The sender.

    /// Returns true if the far end has room for a packet of this many blocks.
    #[must_use]
    pub const fn may_start(&self, blocks: u16) -> bool {
        // A total beyond FCCL gives a negative difference, which is more than half the modulus.
        (self.fccl.wrapping_sub(self.fctbs.wrapping_add(blocks)) % MODULUS) <= MAX_BLOCKS
    }

    /// Returns the blocks that this end may still send, as far as it knows.
    #[must_use]
    pub const fn far_room(&self) -> u16 {
        self.fccl.wrapping_sub(self.fctbs) % MODULUS
    }

    /// Returns the blocks sent for which the far end has not returned credit. A shared memory that grants more than its
    /// room at rest hides some of them.
    #[must_use]
    pub const fn far_use(&self) -> u16 {
        self.far_room.saturating_sub(self.far_room())
    }

    /// Counts a packet of this many blocks that starts.
    pub fn start(&mut self, blocks: u16) {
        debug_assert!(self.may_start(blocks), "sent without credit");
        self.fctbs = (self.fctbs + blocks) % MODULUS;
    }

    /// Handles FCCL of a flow-control packet: the total up to which this end may send.
    pub fn on_fccl(&mut self, fccl: u16) {
        self.fccl = fccl;
    }

    // The receiver.

    /// Stores a packet of this many blocks. Returns false if there is no room for it, which credits exclude.
    #[must_use]
    pub fn admit(&mut self, blocks: u16) -> bool {
        self.abr = (self.abr + blocks) % MODULUS;
        self.held += u32::from(blocks);
        let fits = blocks <= self.room;
        self.room = self.room.saturating_sub(blocks);
        fits
    }

    /// Returns the blocks that are occupied here, and the blocks that may still arrive.
    #[must_use]
    pub const fn share(&self) -> ReceiverShare {
        ReceiverShare { held: self.held, room: self.room }
    }

    /// Handles FCTBS of a flow-control packet. Returns false if it differs from ABR, that is, if blocks were lost. ABR
    /// is then set to FCTBS (IBA 7.9.4).
    #[must_use]
    pub fn on_fctbs(&mut self, fctbs: u16) -> bool {
        let nothing_lost = self.abr == fctbs;
        self.abr = fctbs;
        nothing_lost
    }

    /// Releases a packet of this many blocks from the lane's own buffer: as many may arrive again.
    pub fn release_own(&mut self, blocks: u16) {
        self.release(blocks);
        self.grant(blocks);
    }

    /// Releases a packet of this many blocks from shared memory, which may grant them to another receiver.
    pub fn release(&mut self, blocks: u16) {
        self.held -= u32::from(blocks);
    }

    /// Adds this many blocks to the room.
    pub fn grant(&mut self, blocks: u16) {
        self.room += blocks;
        self.unadvertised += blocks;
    }

    /// Returns true if a packet of this many blocks has room here, and the far end does not know of enough room.
    #[must_use]
    pub const fn withholds(&self, blocks: u16) -> bool {
        self.room >= blocks && self.room < self.unadvertised + blocks
    }

    /// Returns the time of the next update if nothing else happens.
    #[inline]
    #[must_use]
    pub fn next_update(&self, rule: &UpdateRule) -> Time {
        self.updated + if self.unadvertised > 0 { rule.interval.min(rule.refresh) } else { rule.refresh }
    }

    /// Returns true if an update is due now.
    #[inline]
    #[must_use]
    pub fn is_update_due(&self, rule: &UpdateRule, now: Time) -> bool {
        self.unadvertised >= rule.blocks || now >= self.next_update(rule)
    }

    /// Returns the update to send now.
    pub fn update(&mut self, lane: Lane, now: Time) -> Signal {
        self.unadvertised = 0;
        self.updated = now;
        let fccl = (self.abr + self.room) % MODULUS;
        Signal::Credit { lane, fctbs: self.fctbs, fccl }
    }

    /// Returns the time of the lane's earliest timer. Any other timer of the lane is stale.
    #[must_use]
    pub const fn timer(&self) -> Time {
        self.timer
    }

    /// Notes the time of the lane's earliest timer; `NEVER` clears it.
    pub fn set_timer(&mut self, at: Time) {
        self.timer = at;
    }

    /// Returns true if nothing is held here and the far end's whole room is known here.
    #[must_use]
    pub const fn at_rest(&self) -> bool {
        self.held == 0 && self.far_room() == self.far_room
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limit_of(update: Signal) -> u16 {
        let Signal::Credit { fctbs, fccl, .. } = update else { unreachable!("an update is of credits") };
        assert!(fctbs < 4096 && fccl < 4096, "both are fields of 12 bits (IBA 7.9.4)");
        fccl
    }

    #[test]
    fn blocks_round_up() {
        assert_eq!(blocks(Bytes::new(64)), 1);
        assert_eq!(blocks(Bytes::new(65)), 2);
        assert_eq!(blocks(Bytes::new(2074)), 33);
    }

    #[test]
    fn a_full_buffer_admits_nothing_and_an_update_compensates_for_a_lost_one() {
        let (mut sender, mut receiver) = (Credits::new(0, 100), Credits::new(100, 0));
        for _ in 0..3 {
            sender.start(33);
            assert!(receiver.admit(33));
        }
        assert!(!sender.may_start(2) && sender.may_start(1));
        receiver.release_own(33);
        let _lost = receiver.update(Lane(0), Time::ZERO);
        receiver.release_own(33);
        let fccl = limit_of(receiver.update(Lane(0), Time::ZERO));
        sender.on_fccl(fccl);
        assert!(sender.may_start(67) && !sender.may_start(68));
    }

    #[test]
    fn room_is_withheld_from_a_packet_until_the_far_end_knows_of_it() {
        let (mut sender, mut receiver) = (Credits::new(0, 100), Credits::new(100, 0));
        for _ in 0..3 {
            sender.start(33);
            assert!(receiver.admit(33));
        }
        for (released, told) in [(33, true), (3, false), (30, false), (33, true)] {
            receiver.release_own(released);
            for blocks in 0..100 {
                let (fits, known) = (receiver.share().room >= blocks, sender.may_start(blocks));
                assert_eq!(receiver.withholds(blocks), fits && !known, "{blocks} blocks");
            }
            if told {
                sender.on_fccl(limit_of(receiver.update(Lane(0), Time::ZERO)));
                assert!((0..100).all(|blocks| !receiver.withholds(blocks)), "the far end knows");
            }
        }
        assert!(sender.at_rest() && receiver.at_rest());
    }

    #[test]
    fn an_update_is_due_by_blocks_by_interval_and_at_the_latest_by_refresh() {
        let at = |us: u64| Span::from_us(us).after_start();
        let rule = |interval, refresh| UpdateRule {
            blocks: 10,
            interval: Span::from_us(interval),
            refresh: Span::from_us(refresh),
        };
        let mut credits = Credits::new(100, 0);
        let usual = rule(4, 50);
        assert!(!credits.is_update_due(&usual, at(49)) && credits.is_update_due(&usual, at(50)));
        assert!(credits.admit(20));
        credits.release_own(9);
        assert!(!credits.is_update_due(&usual, at(3)) && credits.is_update_due(&usual, at(4)));
        credits.release_own(1);
        assert!(credits.is_update_due(&usual, at(0)));
        let _ = credits.update(Lane(0), at(0));
        credits.release_own(1);
        assert_eq!(
            credits.next_update(&rule(1000, 50)),
            at(50),
            "a long interval does not put the refresh off"
        );
    }

    #[test]
    fn blocks_lost_on_the_wire_are_noticed_and_their_credit_returns() {
        let (mut sender, mut receiver) = (Credits::new(0, 100), Credits::new(100, 0));
        sender.start(33);
        assert!(receiver.admit(33));
        sender.start(33); // Lost.
        let Signal::Credit { fctbs, .. } = sender.update(Lane(0), Time::ZERO) else { unreachable!() };
        assert!(!receiver.on_fctbs(fctbs), "33 blocks are missing");
        receiver.release_own(33);
        let fccl = limit_of(receiver.update(Lane(0), Time::ZERO));
        sender.on_fccl(fccl);
        assert!(sender.at_rest() && receiver.on_fctbs(fctbs));
    }

    proptest! {
        /// The buffer never overflows, and all credits return. This holds for any interleaving of sends, deliveries,
        /// releases, updates and lost updates, over many turns of the 12-bit counters.
        #[test]
        fn credits_never_overrun_and_all_return(
            capacity in 1..=MAX_BLOCKS,
            ops in prop::collection::vec((0..5u8, 1..66u16), 0..2000),
        ) {
            let (mut sender, mut receiver) = (Credits::new(0, capacity), Credits::new(capacity, 0));
            let (mut flying, mut held) = (std::collections::VecDeque::new(), std::collections::VecDeque::new());
            let tell = |receiver: &mut Credits, sender: &mut Credits, lost: bool| {
                let fccl = limit_of(receiver.update(Lane(0), Time::ZERO));
                if !lost { sender.on_fccl(fccl); }
            };
            for (op, size) in ops {
                match op {
                    0 if sender.may_start(size) => { sender.start(size); flying.push_back(size); }
                    1 => if let Some(size) = flying.pop_front() {
                        prop_assert!(receiver.admit(size));
                        held.push_back(size);
                    },
                    2 => if let Some(size) = held.pop_front() { receiver.release_own(size); },
                    3 => tell(&mut receiver, &mut sender, false),
                    4 => tell(&mut receiver, &mut sender, true),
                    _ => {}
                }
            }
            for size in flying { prop_assert!(receiver.admit(size)); held.push_back(size); }
            for size in held { receiver.release_own(size); }
            tell(&mut receiver, &mut sender, false);
            prop_assert!(sender.at_rest() && receiver.at_rest());
        }
    }
}
