//! Mail: events for nodes of other parts.
//!
//! Invariant: mail is plain data and holds its packet by value, so that no part needs another part's memory. It is
//! received before the window that it belongs to opens.

use link_layer::Signal;
use packet::{NodeId, Packet, PortId};
use units::Time;

use super::part_id::PartId;

/// An event for a node of another part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mail {
    /// Time of the event.
    pub(crate) at: Time,
    /// Number of the node within the part that receives the mail.
    pub(crate) node: NodeId,
    pub(crate) cargo: Cargo,
}

state_codec::value!(Mail { at, node, cargo });

/// What a wire carries to another part.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cargo {
    /// A packet, to a port.
    Packet(PortId, Packet),
    /// A signal, to a port, with the sequence number that its sender gave it.
    Signal(PortId, Signal, u32),
}

state_codec::value!(enum Cargo { 0 = Packet(port, packet), 1 = Signal(port, signal, sequence) });

/// The mail of a part that is not collected yet.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    /// By receiving part.
    boxes: Vec<Vec<Mail>>,
    /// Time of the earliest event; `None` if there is none.
    first: Option<Time>,
}

impl Outgoing {
    /// Adds mail for a part.
    pub(crate) fn push(&mut self, to: PartId, mail: Mail) {
        if self.boxes.len() <= to.index() {
            self.boxes.resize_with(to.index() + 1, Vec::new);
        }
        self.boxes[to.index()].push(mail);
        self.first = Some(self.first.map_or(mail.at, |first| first.min(mail.at)));
    }

    /// Returns the time of the earliest event, and forgets it: called once before all mail is collected.
    pub(crate) fn take_first(&mut self) -> Option<Time> {
        self.first.take()
    }

    /// Returns all mail, by the index of the receiving part, to be collected.
    pub(crate) fn boxes(&mut self) -> impl Iterator<Item = (usize, &mut Vec<Mail>)> {
        self.boxes.iter_mut().enumerate().filter(|(_, mail)| !mail.is_empty())
    }

    /// Returns the mail for a part, to be collected.
    pub(crate) fn to(&mut self, part: PartId) -> Option<&mut Vec<Mail>> {
        self.boxes.get_mut(part.index()).filter(|mail| !mail.is_empty())
    }

    /// Gives the memory of collected mail back, to be used again.
    pub(crate) fn give_back(&mut self, part: PartId, empty: Vec<Mail>) {
        debug_assert!(empty.is_empty(), "all mail is collected");
        self.boxes[part.index()] = empty;
    }
}
