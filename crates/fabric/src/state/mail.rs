//! Mail: events for nodes of other parts.
//!
//! Invariant: mail is plain data and holds its packets by value, so that no part needs another part's memory. It is
//! received before the window that it belongs to opens.
//!
//! A receiver reads mail from the cache of another processor, line by line. So packets lie apart from the letters that
//! announce them: a letter about a credit takes half a cache line.

use link_layer::Signal;
use packet::{NodeId, Packet, PortId};
use units::Time;

use super::part_id::PartId;

/// The mail of one part for another, in the order in which it was sent.
#[derive(Debug, Default)]
pub(crate) struct Mailbag {
    letters: Vec<Letter>,
    /// The packets that letters announce, in the order of the letters.
    packets: Vec<Packet>,
}

state_codec::value!(Mailbag { letters, packets });

/// An event for a node of the part that receives the letter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Letter {
    /// Time of the event.
    pub(crate) at: Time,
    /// Number of the node within the part that receives the letter.
    pub(crate) node: NodeId,
    /// The sender's count of signals; zero for a packet.
    pub(crate) sequence: u32,
    pub(crate) cargo: Cargo,
}

state_codec::value!(Letter { at, node, sequence, cargo });

const _: () = assert!(size_of::<Letter>() <= 32, "a letter is half a cache line");

/// Load of a wire to a port of another part.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cargo {
    /// The next packet of the mailbag.
    Packet(PortId),
    Signal(PortId, Signal),
}

state_codec::value!(enum Cargo { 0 = Packet(port), 1 = Signal(port, signal) });

impl Mailbag {
    /// Adds a packet, which arrives at a port of a node.
    #[inline]
    pub(crate) fn push_packet(&mut self, at: Time, (node, port): (NodeId, PortId), packet: Packet) {
        self.letters.push(Letter { at, node, sequence: 0, cargo: Cargo::Packet(port) });
        self.packets.push(packet);
    }

    /// Adds a signal, which arrives at a port of a node, with its sender's count of signals.
    #[inline]
    pub(crate) fn push_signal(
        &mut self,
        at: Time,
        (node, port): (NodeId, PortId),
        signal: Signal,
        sequence: u32,
    ) {
        self.letters.push(Letter { at, node, sequence, cargo: Cargo::Signal(port, signal) });
    }

    /// Moves all mail of another bag into this bag.
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.letters.append(&mut other.letters);
        self.packets.append(&mut other.packets);
    }

    /// Takes all letters out, and the packets that they announce.
    #[inline]
    pub(crate) fn open(&mut self) -> (impl Iterator<Item = Letter>, impl Iterator<Item = Packet>) {
        (self.letters.drain(..), self.packets.drain(..))
    }

    /// Drops all mail, and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.letters.clear();
        self.packets.clear();
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.letters.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }
}

/// The mail of a part that is not collected yet.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    /// By receiving part.
    bags: Vec<Mailbag>,
    /// Time of the earliest event; `None` without mail.
    first: Option<Time>,
}

impl Outgoing {
    /// Returns the mail for a part, to which an event at this time is added.
    #[inline]
    pub(crate) fn bag(&mut self, to: PartId, at: Time) -> &mut Mailbag {
        if self.bags.len() <= to.index() {
            self.bags.resize_with(to.index() + 1, Mailbag::default);
        }
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        &mut self.bags[to.index()]
    }

    /// Returns the time of the earliest event, and forgets it: called once before all mail is collected.
    pub(crate) fn take_first(&mut self) -> Option<Time> {
        self.first.take()
    }

    /// Returns true if all mail is collected.
    pub(crate) fn is_empty(&self) -> bool {
        self.bags.iter().all(Mailbag::is_empty)
    }

    /// Returns all mail, by the index of the receiving part, to be collected.
    pub(crate) fn bags(&mut self) -> impl Iterator<Item = (usize, &mut Mailbag)> {
        self.bags.iter_mut().enumerate().filter(|(_, mail)| !mail.is_empty())
    }

    /// Returns the mail for a part, to be collected.
    pub(crate) fn to(&mut self, part: PartId) -> Option<&mut Mailbag> {
        self.bags.get_mut(part.index()).filter(|mail| !mail.is_empty())
    }

    /// Gives the memory of collected mail back, to be used again.
    pub(crate) fn give_back(&mut self, part: PartId, empty: Mailbag) {
        debug_assert!(empty.is_empty(), "all mail is collected");
        self.bags[part.index()] = empty;
    }
}
