//! Channels of a rank: the pairs of peer and tag that its messages have.
//!
//! Invariant: a table holds each pair once, in the order of its first use. The index places pairs by a fixed function,
//! so that a program is packed alike on every machine.

/// A peer and a tag; `u32::MAX` stands for any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Channel {
    /// Rank at the other end.
    pub peer: u32,
    /// Tag of the messages.
    pub tag: u32,
}

/// Channels while a program is built.
#[derive(Debug, Default)]
pub(super) struct ChannelTable {
    channels: Vec<Channel>,
    /// Places of the channels plus one by their hash, with linear probing; 0 is free. At most half is in use.
    index: Vec<u32>,
}

impl Channel {
    /// The peer or tag that stands for any.
    pub const ANY: u32 = u32::MAX;

    /// Returns true if the peer or the tag is any.
    #[must_use]
    pub const fn is_wild(self) -> bool {
        self.peer == Self::ANY || self.tag == Self::ANY
    }

    /// Returns true if receives of this channel take messages of another, or of the same.
    pub(super) const fn takes(self, message: Self) -> bool {
        (self.peer == Self::ANY || self.peer == message.peer)
            && (self.tag == Self::ANY || self.tag == message.tag)
    }

    /// Returns a product of the pair with an odd constant (Fibonacci hashing); its high bits are well mixed.
    const fn hash(self) -> u64 {
        let pair = (self.peer as u64) << 32 | self.tag as u64;
        (pair ^ pair >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

impl ChannelTable {
    /// Returns the place of a channel, which it enters if it is new.
    pub(super) fn place(&mut self, channel: Channel) -> u32 {
        // Programs of trees and rings send long runs to the same peer.
        if self.channels.last() == Some(&channel) {
            return self.channels.len() as u32 - 1;
        }
        if self.index.len() < 2 * (self.channels.len() + 1) {
            self.grow();
        }
        let slot = self.slot(channel);
        if self.index[slot] == 0 {
            self.channels.push(channel);
            self.index[slot] = self.channels.len() as u32;
        }
        self.index[slot] - 1
    }

    /// Returns the channels in the order of their first use.
    pub(super) fn finish(self) -> Box<[Channel]> {
        self.channels.into_boxed_slice()
    }

    /// Returns the slot with a channel, or the free slot for it.
    fn slot(&self, channel: Channel) -> usize {
        let mask = self.index.len() - 1;
        let mut slot = (channel.hash() >> 32) as usize & mask;
        while self.index[slot] != 0 && self.channels[self.index[slot] as usize - 1] != channel {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.index = vec![0; (4 * (self.channels.len() + 1)).next_power_of_two()];
        for place in 0..self.channels.len() {
            let slot = self.slot(self.channels[place]);
            self.index[slot] = place as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_has_one_place() {
        let mut table = ChannelTable::default();
        let pairs = || (0..40).flat_map(|peer| (0..25).map(move |tag| Channel { peer, tag: tag * 4096 }));
        let first: Vec<u32> = pairs().map(|pair| table.place(pair)).collect();
        assert_eq!(first, (0..1000).collect::<Vec<u32>>());
        let again: Vec<u32> = pairs().map(|pair| table.place(pair)).collect();
        assert_eq!(again, first);
        assert_eq!(table.finish().to_vec(), pairs().collect::<Vec<_>>());
    }
}
