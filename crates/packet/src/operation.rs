//! Operations on messages (IBA volume 1, chapter 9).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::service::TransportService;

/// Operation that each message of a flow performs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Operation {
    /// SEND: consumes a receive request.
    Send,
    /// RDMA WRITE: goes straight to the destination's memory.
    #[default]
    RdmaWrite,
    /// RDMA READ: the destination of the data requests it.
    RdmaRead,
}

state_codec::value!(enum Operation { 0 = Send, 1 = RdmaWrite, 2 = RdmaRead });

impl Operation {
    /// Every operation.
    pub const ALL: [Self; 3] = [Self::Send, Self::RdmaWrite, Self::RdmaRead];

    /// Returns whether a transport service has this operation (IBA volume 1, 9.8: UC has no RDMA READ, UD neither READ
    /// nor WRITE).
    #[must_use]
    pub const fn is_carried_by(self, transport: TransportService) -> bool {
        match self {
            Self::Send => true,
            Self::RdmaWrite => !matches!(transport, TransportService::Ud),
            Self::RdmaRead => transport.is_reliable(),
        }
    }

    /// Its name in tables and files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Send => "SEND",
            Self::RdmaWrite => "RDMA WRITE",
            Self::RdmaRead => "RDMA READ",
        }
    }
}
