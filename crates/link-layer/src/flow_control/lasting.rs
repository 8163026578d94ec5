//! Use of a receiver's memory that never ends, from which the proof of a deadlock derives the room that there can
//! ever be.
//!
//! Invariant: an estimate of room is an upper bound for all futures in which the lasting use lasts.

use units::Bytes;

use super::credits::blocks;

/// The part of a receiver's memory that is never released.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastingUse {
    /// Bytes of the packets that never leave.
    pub bytes: u32,
    /// Blocks of credit that these packets occupy.
    pub blocks: u32,
    /// True if no further packet comes in: none is on the wire, and the far end never starts another.
    pub closed: bool,
}

impl LastingUse {
    /// Adds a packet of this length, which never leaves.
    pub fn hold(&mut self, length: Bytes) {
        self.bytes += length.get() as u32;
        self.blocks += u32::from(blocks(length));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_that_stay_add_up_in_bytes_and_in_whole_blocks() {
        let mut lasting = LastingUse::default();
        [65, 64, 1].map(Bytes::new).into_iter().for_each(|length| lasting.hold(length));
        assert_eq!(lasting, LastingUse { bytes: 130, blocks: 4, closed: false });
    }
}
