//! Questions of rank 0 about the nodes of other ranks.
//!
//! Invariant: all other ranks get the same question, and each answers for its own nodes.

use packet::{FlowId, Lane, NodeId};
use units::Time;

/// A question of rank 0, which all other ranks answer for their own nodes.
#[derive(Debug)]
pub(crate) enum RankQuestion {
    /// [`Counts`](super::away::Counts) of the rank.
    Counts,
    /// Every observation that instruments need: [`Seen`](super::seen::Seen). With `open`, also the flows with a
    /// message that is not complete.
    Look { open: bool },
    /// Messages of finite flows.
    Finite,
    /// Sums for the audit.
    Audit,
    /// Digests of nodes and lanes.
    Digests,
    /// Pending work, and the first node that is not at rest.
    Rest,
    /// Deliveries of finite traffic that the next window can bring up to `end`.
    Deliveries { end: Time },
    /// Packets that wait at these switches, and at these lanes of hosts.
    Packets { at: Vec<(NodeId, Lane)> },
    /// The record's contents about ports and lanes.
    Lanes,
    /// The record's contents about flows.
    Flows,
    /// Logs of messages, if they are kept.
    Messages,
    /// Time of the last delivery of finite traffic.
    LastDelivery,
    /// Finite traffic that can still be delivered, and flows that have failed: [`Unfinished`](super::Unfinished).
    Unfinished,
    /// Ranks of jobs.
    Jobs,
    /// Whether a packet of a flow with this number or a higher one is under way.
    Carries { from: FlowId },
}

state_codec::value!(enum RankQuestion {
    0 = Counts,
    1 = Look { open },
    2 = Finite,
    3 = Audit,
    4 = Digests,
    5 = Rest,
    6 = Deliveries { end },
    7 = Packets { at },
    8 = Lanes,
    9 = Flows,
    10 = Messages,
    11 = LastDelivery,
    12 = Unfinished,
    13 = Jobs,
    14 = Carries { from },
});
