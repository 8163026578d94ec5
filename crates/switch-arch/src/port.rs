//! A port of a switch: what a packet's passage changes there.
//!
//! Invariant: a port is two cache lines, and what every packet needs of it stands in the first.

use link_layer::{Passage, Port};
use packet::Lane;
use units::{Bytes, Time};

/// A port of a switch.
#[derive(Debug)]
#[repr(C, align(128))] // Processors that read lines in pairs read both at once.
pub(crate) struct SwitchPort {
    /// When the tail of the last packet that started here leaves.
    tail_leaves: Time,
    pub(crate) link: Port,
}

const _: () = assert!(size_of::<SwitchPort>() == 128, "a port is two cache lines");

impl SwitchPort {
    /// A port at rest.
    pub(crate) const fn new(link: Port) -> Self {
        Self { tail_leaves: Time::ZERO, link }
    }

    /// Whether the wire carries a packet whose tail has yet to leave. By the time that outputs are asked, all whose
    /// tails leave in this instant have left.
    #[inline]
    pub(crate) fn is_sending(&self, now: Time) -> bool {
        self.tail_leaves > now
    }

    /// A word of its first cache line: for reading ahead.
    #[inline]
    pub(crate) const fn fetched_first(&self) -> u64 {
        self.tail_leaves.ps()
    }

    /// Something of both of its cache lines, alike.
    #[inline]
    pub(crate) const fn fetched(&self) -> u64 {
        self.fetched_first() ^ self.link.signals_sent()
    }

    /// Starts a packet on the wire.
    #[inline(always)]
    pub(crate) fn start(&mut self, lane: Lane, length: Bytes, now: Time) -> Passage {
        let passage = self.link.start(lane, length, now);
        self.tail_leaves = passage.left;
        passage
    }
}

impl AsRef<Port> for SwitchPort {
    #[inline]
    fn as_ref(&self) -> &Port {
        &self.link
    }
}

impl AsMut<Port> for SwitchPort {
    #[inline]
    fn as_mut(&mut self) -> &mut Port {
        &mut self.link
    }
}
