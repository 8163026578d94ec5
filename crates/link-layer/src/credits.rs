//! IBA's credits, per virtual lane, in blocks of 64 bytes (IBA volume 1, 7.9.4).
//!
//! Invariant: all counters are absolute and 12 bits wide. The sender counts what it has sent in total
//! (`FCTBS`), the receiver says up to where it may go (`FCCL`); so a lost update is made good by the
//! next, and no block can be given back twice.
//!
//! ```text
//! sender:    may send n blocks  iff  (FCCL - (FCTBS + n)) mod 4096 <= 2048
//! receiver:  ABR  = blocks received in total, set to the FCTBS of each flow-control packet
//!            FCCL = ABR + room
//! ```
//!
//! The room is what the far end may still send: the free blocks of a buffer that the lane has to itself
//! ([`Credits::freed`]), or what a memory allows that several lanes share ([`Credits::released`],
//! [`Credits::allowed`], [`SharedMemory`](crate::memory::SharedMemory)). It falls only by what comes in, so
//! no credit is ever taken back.

use units::{Bytes, Span, Time};

use packet::Lane;

/// Bytes in a block of credit.
pub const BLOCK: u64 = 64;
/// The largest buffer that credits can describe, in blocks.
pub const MAX_BLOCKS: u16 = 2048;
/// Length of a flow-control packet: operation, FCTBS, lane and FCCL in 4 bytes, and 2 of LPCRC.
pub const FLOW_CONTROL_PACKET: Bytes = Bytes::new(6);
/// A flow-control packet is sent at the latest every so many symbol times (IBA 7.9.3).
pub const REFRESH_SYMBOLS: u64 = 65_536;

const MODULUS: u16 = 4096;

/// What flows back over a wire, apart from packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A flow-control packet (IBA 7.9.4).
    Credit {
        /// The lane that it speaks of.
        lane: Lane,
        /// Blocks that its sender has sent in total on this lane, modulo 4096.
        fctbs: u16,
        /// Up to where its receiver may go on sending, modulo 4096.
        fccl: u16,
    },
    /// A PAUSE frame for one priority (IEEE 802.1Qbb).
    Pause {
        /// The lane that it speaks of.
        lane: Lane,
        /// For how long to pause, in quanta of 512 bit times; 0 to go on: RESUME.
        quanta: u16,
    },
}

/// When a receiver hands credits back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdateRule {
    /// When this many blocks have come free.
    pub blocks: u16,
    /// Or when any have, and the last update is this long ago.
    pub interval: Span,
    /// And when the last update is this long ago in any case.
    pub refresh: Span,
}

/// Both halves of the flow control of one port and lane: as sender towards the far end, and as
/// receiver of what comes from there.
#[derive(Clone, Copy, Debug)]
pub struct Credits {
    fctbs: u16,
    fccl: u16,
    abr: u16,
    /// Blocks that may still come in.
    room: u16,
    /// The room of the far end at rest.
    far_room: u16,
    /// What of the room the far end has not been told of.
    unadvertised: u16,
    /// Blocks that occupy memory here; of shared memory that can be more than credits count to.
    held: u32,
    updated: Time,
    alarm: Time,
}

/// A receiver's part of the memory, in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Occupied.
    pub held: u32,
    /// What may still come in: promised to the far end, or about to be.
    pub room: u16,
}

/// The number of blocks that a packet of this length takes up.
#[must_use]
pub const fn blocks(length: Bytes) -> u16 {
    length.get().div_ceil(BLOCK) as u16
}

impl Credits {
    /// The flow control of a lane that has this many blocks of room at rest, here and at the far end; the
    /// link has been brought up, so each side knows of the other's room.
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
            alarm: Time::NEVER,
        }
    }

    // As sender.

    /// Whether the far end has room for a packet of this many blocks.
    #[must_use]
    pub const fn admits(&self, blocks: u16) -> bool {
        (self.fccl.wrapping_sub(self.fctbs.wrapping_add(blocks)) % MODULUS) <= MAX_BLOCKS
    }

    /// A packet of this many blocks has started.
    pub fn sent(&mut self, blocks: u16) {
        debug_assert!(self.admits(blocks), "sent without credit");
        self.fctbs = (self.fctbs + blocks) % MODULUS;
    }

    /// The far end says up to where sending may go on.
    pub fn heard_limit(&mut self, fccl: u16) {
        self.fccl = fccl;
    }

    // As receiver.

    /// A packet of this many blocks came in; false if there is no room for it, which credits exclude.
    #[must_use]
    pub fn stored(&mut self, blocks: u16) -> bool {
        self.abr = (self.abr + blocks) % MODULUS;
        self.held += u32::from(blocks);
        let fits = blocks <= self.room;
        self.room = self.room.saturating_sub(blocks);
        fits
    }

    /// What is occupied here, and what may still come in.
    #[must_use]
    pub const fn share(&self) -> Share {
        Share { held: self.held, room: self.room }
    }

    /// The far end says how much it has sent in total; false if that is not what came in, which means
    /// that something was lost. The count is set right.
    #[must_use]
    pub fn heard_total(&mut self, fctbs: u16) -> bool {
        let nothing_lost = self.abr == fctbs;
        self.abr = fctbs;
        nothing_lost
    }

    /// A packet of this many blocks has left a buffer that is this lane's own: as many may come in.
    pub fn freed(&mut self, blocks: u16) {
        self.released(blocks);
        self.allowed(blocks);
    }

    /// A packet of this many blocks has left a shared memory, which may give them to another.
    pub fn released(&mut self, blocks: u16) {
        self.held -= u32::from(blocks);
    }

    /// This many blocks more may come in.
    pub fn allowed(&mut self, blocks: u16) {
        self.room += blocks;
        self.unadvertised += blocks;
    }

    /// Whether the far end knows of too little room for a packet of this many blocks, and there is enough.
    #[must_use]
    pub const fn withholds(&self, blocks: u16) -> bool {
        self.room >= blocks && self.room < self.unadvertised + blocks
    }

    /// When an update is due, if nothing else happens; `NEVER` until the clock has been started.
    #[must_use]
    pub fn due(&self, rule: &UpdateRule) -> Time {
        self.updated + if self.unadvertised > 0 { rule.interval.min(rule.refresh) } else { rule.refresh }
    }

    /// Whether an update is due now.
    #[must_use]
    pub fn is_due(&self, rule: &UpdateRule, now: Time) -> bool {
        self.unadvertised >= rule.blocks || now >= self.due(rule)
    }

    /// The update to send now.
    pub fn update(&mut self, lane: Lane, now: Time) -> Signal {
        self.unadvertised = 0;
        self.updated = now;
        let fccl = (self.abr + self.room) % MODULUS;
        Signal::Credit { lane, fctbs: self.fctbs, fccl }
    }

    /// When the one alarm that counts is set for.
    #[must_use]
    pub const fn alarm(&self) -> Time {
        self.alarm
    }

    /// Sets the alarm.
    pub fn set_alarm(&mut self, at: Time) {
        self.alarm = at;
    }

    /// Whether nothing is held here and every credit of the far end's buffer is back here.
    #[must_use]
    pub const fn at_rest(&self) -> bool {
        self.held == 0 && self.fccl.wrapping_sub(self.fctbs) % MODULUS == self.far_room
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limit_of(update: Signal) -> u16 {
        let Signal::Credit { fccl, .. } = update else { unreachable!("an update is of credits") };
        fccl
    }

    #[test]
    fn blocks_round_up() {
        assert_eq!(blocks(Bytes::new(64)), 1);
        assert_eq!(blocks(Bytes::new(65)), 2);
        assert_eq!(blocks(Bytes::new(2074)), 33);
    }

    #[test]
    fn a_full_buffer_admits_nothing_and_an_update_heals_the_loss_of_another() {
        let (mut sender, mut receiver) = (Credits::new(0, 100), Credits::new(100, 0));
        for _ in 0..3 {
            sender.sent(33);
            assert!(receiver.stored(33));
        }
        assert!(!sender.admits(2) && sender.admits(1));
        receiver.freed(33);
        let _lost = receiver.update(Lane(0), Time::ZERO);
        receiver.freed(33);
        let fccl = limit_of(receiver.update(Lane(0), Time::ZERO));
        sender.heard_limit(fccl);
        assert!(sender.admits(67) && !sender.admits(68));
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
        assert!(!credits.is_due(&usual, at(49)) && credits.is_due(&usual, at(50)));
        assert!(credits.stored(20));
        credits.freed(9);
        assert!(!credits.is_due(&usual, at(3)) && credits.is_due(&usual, at(4)));
        credits.freed(1);
        assert!(credits.is_due(&usual, at(0)));
        let _ = credits.update(Lane(0), at(0));
        credits.freed(1);
        assert_eq!(credits.due(&rule(1000, 50)), at(50), "a long interval does not put the refresh off");
    }

    #[test]
    fn what_was_lost_on_the_wire_is_noticed_and_made_good() {
        let (mut sender, mut receiver) = (Credits::new(0, 100), Credits::new(100, 0));
        sender.sent(33);
        assert!(receiver.stored(33));
        sender.sent(33); // Lost.
        let Signal::Credit { fctbs, .. } = sender.update(Lane(0), Time::ZERO) else { unreachable!() };
        assert!(!receiver.heard_total(fctbs), "33 blocks are missing");
        receiver.freed(33);
        let fccl = limit_of(receiver.update(Lane(0), Time::ZERO));
        sender.heard_limit(fccl);
        assert!(sender.at_rest() && receiver.heard_total(fctbs));
    }

    proptest! {
        /// For any interleaving of sends, deliveries, frees, updates and lost updates, over many turns
        /// of the 12-bit counters: the buffer never overflows, and all credit comes home.
        #[test]
        fn credits_never_overrun_and_come_home(
            capacity in 1..=MAX_BLOCKS,
            ops in prop::collection::vec((0..5u8, 1..66u16), 0..2000),
        ) {
            let (mut sender, mut receiver) = (Credits::new(0, capacity), Credits::new(capacity, 0));
            let (mut flying, mut held) = (std::collections::VecDeque::new(), std::collections::VecDeque::new());
            let tell = |receiver: &mut Credits, sender: &mut Credits, lost: bool| {
                let fccl = limit_of(receiver.update(Lane(0), Time::ZERO));
                if !lost { sender.heard_limit(fccl); }
            };
            for (op, size) in ops {
                match op {
                    0 if sender.admits(size) => { sender.sent(size); flying.push_back(size); }
                    1 => if let Some(size) = flying.pop_front() {
                        prop_assert!(receiver.stored(size));
                        held.push_back(size);
                    },
                    2 => if let Some(size) = held.pop_front() { receiver.freed(size); },
                    3 => tell(&mut receiver, &mut sender, false),
                    4 => tell(&mut receiver, &mut sender, true),
                    _ => {}
                }
            }
            for size in flying { prop_assert!(receiver.stored(size)); held.push_back(size); }
            for size in held { receiver.freed(size); }
            tell(&mut receiver, &mut sender, false);
            prop_assert!(sender.at_rest() && receiver.at_rest());
        }
    }
}
