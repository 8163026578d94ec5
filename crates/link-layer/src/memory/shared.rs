//! Memory that several receivers share under credits, each with credits of its own.
//!
//! Invariant: every promise can be kept. A receiver *commits* the blocks that it holds and the blocks that its sender
//! may still send (its room). Summed over all receivers, each counted with its guaranteed minimum at least, the
//! commitments are at most the size of the memory.
//!
//! ```text
//! committed = held + room                           room <= guaranteed, so that no receiver hoards memory
//! use       = committed - guaranteed >= 0           a receiver's part of the shared blocks
//! shared    = size - sum of all guaranteed  =  free + sum of all use
//!
//! packet admitted   held rises and room falls: use is constant, and the receiver wants its room back
//! packet released   held falls, and use with it: guaranteed blocks become room again at once, shared blocks go to
//!                   the receivers that want room, in turn
//! ```
//!
//! | sharing | a receiver that wants room gets it as long as | source |
//! |---|---|---|
//! | complete | any block is free | Kamoun and Kleinrock 1980, with a minimum for each |
//! | dynamic threshold | its use is at most alpha times the free blocks | Choudhury and Hahne 1998 |
//!
//! DEVIATION: both papers treat switches that drop packets, and count the packets that wait for an output. Credits hold
//! back the sender at an input, and cannot be withdrawn: here inputs share the memory, and promised blocks are in use.

use super::alpha::Alpha;
use super::receiver_set::ReceiverSet;
use super::share::Share;
use crate::flow_control::credits::{BLOCK, ReceiverShare};

/// Memory that several receivers share under credits, in blocks.
#[derive(Clone, Debug)]
pub struct SharedMemory {
    shared: u32,
    /// Blocks of `shared` that no receiver uses.
    free: u32,
    shares: Box<[BlockShare]>,
    /// Receivers with less room than they are guaranteed.
    wanting: ReceiverSet,
    /// Receiver in turn.
    turn: usize,
}

state_codec::state!(SharedMemory { shared: plan, free, shares: plan, wanting, turn });

/// Share of a receiver, in blocks.
#[derive(Clone, Copy, Debug)]
struct BlockShare {
    guaranteed: u16,
    /// Factor of the dynamic threshold; `None` for complete sharing.
    alpha: Option<Alpha>,
}

/// Blocks granted to a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditGrant {
    /// Number of the receiver.
    pub receiver: usize,
    /// Blocks added to its room.
    pub blocks: u16,
}

impl SharedMemory {
    /// A memory of `size` blocks for receivers with these shares. Guarantees count in whole blocks, and are the room of
    /// a receiver at rest.
    ///
    /// # Panics
    /// If more blocks are guaranteed than there are, or more than credits describe.
    #[must_use]
    pub fn new(size: u32, shares: &[Share]) -> Self {
        let in_blocks = |share: &Share| BlockShare {
            guaranteed: u16::try_from(share.guaranteed.get() / BLOCK).expect("credits describe a guarantee"),
            alpha: share.alpha,
        };
        let shares: Box<[_]> = shares.iter().map(in_blocks).collect();
        let own: u32 = shares.iter().map(|share| u32::from(share.guaranteed)).sum();
        let shared = size.checked_sub(own).unwrap_or_else(|| panic!("{own} blocks of {size} are guaranteed"));
        let wanting = ReceiverSet::new(shares.len());
        Self { shared, free: shared, shares, wanting, turn: 0 }
    }

    /// Handles the admission of a packet at a receiver that now has this share. Returns the blocks to grant to that
    /// receiver. A refusal is remembered.
    #[must_use]
    pub fn on_admission(&mut self, receiver: usize, share: ReceiverShare) -> u16 {
        let wanted = self.wanted(receiver, share);
        let blocks = self.available(receiver, share).min(u32::from(wanted)) as u16;
        self.free -= u32::from(blocks);
        if blocks < wanted {
            self.wanting.insert(receiver);
        }
        blocks
    }

    /// Handles the release of a packet of `blocks` blocks by a receiver that now has this share. Returns the guaranteed
    /// blocks to grant to that receiver. The shared blocks are free, and [`Self::next_grant`] names their receivers.
    ///
    /// # Panics
    /// If more blocks come free than there are.
    #[must_use]
    pub fn on_release(&mut self, receiver: usize, share: ReceiverShare, blocks: u16) -> u16 {
        let guaranteed = u32::from(self.shares[receiver].guaranteed);
        let missing = guaranteed.saturating_sub(share.held + u32::from(share.room)) as u16;
        if missing == self.wanted(receiver, share) {
            self.wanting.remove(receiver);
        }
        self.free += u32::from(blocks - missing);
        assert!(self.free <= self.shared, "{} of {} shared blocks are free", self.free, self.shared);
        missing
    }

    /// Grants free blocks to the next receiver, in turn, that wants room and may have some. Returns `None` if there is
    /// no such receiver. `share` returns the present share of a receiver.
    ///
    /// A turn ends when the receiver has all the room that it wants, or when its threshold forbids more. If the free
    /// blocks run out before, the turn continues when some come free. So each receiver gets room for a whole packet,
    /// instead of all of them room for a piece of a packet.
    pub fn next_grant(&mut self, share: impl Fn(usize) -> ReceiverShare) -> Option<CreditGrant> {
        if self.free == 0 {
            return None;
        }
        let turn = self.turn;
        let mut round = self
            .wanting
            .iter_from(turn)
            .chain(self.wanting.iter_from(0).take_while(|receiver| *receiver < turn));
        let (receiver, wanted, blocks) = round.find_map(|receiver| {
            let share = share(receiver);
            let wanted = self.wanted(receiver, share);
            let blocks = self.available(receiver, share).min(u32::from(wanted)) as u16;
            (blocks > 0).then_some((receiver, wanted, blocks))
        })?;
        drop(round);
        self.free -= u32::from(blocks);
        if blocks == wanted {
            self.wanting.remove(receiver);
        }
        let continues = blocks < wanted && self.free == 0;
        self.turn = if continues { receiver } else { receiver + 1 };
        Some(CreditGrant { receiver, blocks })
    }

    /// Returns the blocks that a receiver with this share could be granted now, if its room were not limited.
    #[must_use]
    pub fn available(&self, receiver: usize, share: ReceiverShare) -> u32 {
        let used = self.used(receiver, share.held + u32::from(share.room));
        match self.shares[receiver].alpha {
            None => self.free,
            Some(alpha) => alpha.leaves(u64::from(used), u64::from(self.free)) as u32,
        }
    }

    /// Returns the shared blocks that a receiver uses which commits this many blocks.
    #[must_use]
    pub fn used(&self, receiver: usize, committed: u32) -> u32 {
        committed.saturating_sub(u32::from(self.shares[receiver].guaranteed))
    }

    /// Returns the most room that a receiver with `room` can ever have. It holds at least `held` blocks for ever, and
    /// the others use at least `by_others` shared blocks.
    #[must_use]
    pub fn most_room(&self, receiver: usize, room: u16, held: u32, by_others: u32) -> u16 {
        let BlockShare { guaranteed, alpha } = self.shares[receiver];
        let available = u64::from(self.shared.saturating_sub(by_others));
        let used = alpha.map_or(available, |alpha| alpha.leaves(0, available));
        let grantable = (u32::from(guaranteed) + used as u32).saturating_sub(held);
        room.max(grantable.min(u32::from(guaranteed)) as u16)
    }

    /// Returns the most blocks that a receiver can come to hold, namely while no other uses a shared block.
    #[must_use]
    pub fn most(&self, receiver: usize) -> u32 {
        let BlockShare { guaranteed, alpha } = self.shares[receiver];
        let shared = u64::from(self.shared);
        let most = alpha.map_or(shared, |alpha| alpha.leaves(0, shared));
        u32::from(guaranteed) + most as u32
    }

    /// Returns true if no receiver uses a shared block.
    #[must_use]
    pub const fn is_released(&self) -> bool {
        self.free == self.shared
    }

    fn wanted(&self, receiver: usize, share: ReceiverShare) -> u16 {
        self.shares[receiver].guaranteed - share.room
    }
}
