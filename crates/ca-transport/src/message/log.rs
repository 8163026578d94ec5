//! Times of posting, of consumption and of acknowledgement, from which completion times are computed.
//!
//! Invariant: entries are in order of time. No decision and no digest depends on them.

use packet::QpNumber;
use units::{Bytes, Time};

/// Posted and consumed messages of an adapter.
#[derive(Clone, Debug, Default)]
pub struct MessageLog {
    /// Messages posted here: queue pair, time, length.
    pub posted: Vec<(QpNumber, Time, Bytes)>,
    /// Messages that the host here has consumed to the last byte: queue pair and time.
    pub consumed: Vec<(QpNumber, Time)>,
    /// Of the consumed messages of RDMA WRITEs that may end in any order: queue pair, and number of the packet after
    /// the message's last, lower 32 bits, in the order of `consumed`.
    pub written: Vec<(QpNumber, u32)>,
    /// Messages posted here to a reliable service that are complete: queue pair and time. The last acknowledgement,
    /// or the last response to an RDMA READ, arrived at that time.
    pub acknowledged: Vec<(QpNumber, Time)>,
}

state_codec::value!(MessageLog { posted, consumed, written, acknowledged });
