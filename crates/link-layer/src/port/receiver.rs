//! The receivers of a node: its ports and lanes.
//!
//! Invariant: receivers are numbered port by port, and lane by lane within a port.

use packet::{Lane, PortId};

use crate::flow_control::lasting::LastingUse;

/// A port and lane, as the receiver of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverId {
    /// The port.
    pub port: PortId,
    /// The data lane.
    pub lane: Lane,
}

/// The numbers of a node's receivers, port by port.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReceiverNumbering {
    pub(super) lanes: usize,
}

impl ReceiverNumbering {
    /// Returns the lasting uses of all receivers except `receiver`.
    pub(super) fn others(
        self,
        receiver: ReceiverId,
        lasting: &[LastingUse],
    ) -> impl Iterator<Item = (ReceiverId, LastingUse)> {
        let all = (0..).map(move |number| self.receiver(number)).zip(lasting.iter().copied());
        all.filter(move |(other, _)| *other != receiver)
    }

    #[inline]
    pub(super) const fn number(self, receiver: ReceiverId) -> usize {
        receiver.port.index() * self.lanes + receiver.lane.index()
    }

    pub(super) const fn receiver(self, number: usize) -> ReceiverId {
        ReceiverId { port: PortId((number / self.lanes) as u16), lane: Lane((number % self.lanes) as u8) }
    }
}
