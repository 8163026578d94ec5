//! What a scenario writes down about a channel adapter.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span};

/// A channel adapter and its host: scenario field `adapter` for all of them, `adapters` by host name for
/// those that differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdapterSpec {
    /// Receive buffer of each lane, at least one packet of the link's MTU, at most 128 KiB.
    pub receive_buffer: Bytes,
    /// How fast the host hands payload to its adapter (its bus); no limit if left out.
    #[serde(default)]
    pub injection_limit: Option<Rate>,
    /// How fast the host takes payload from its adapter; no limit if left out.
    #[serde(default)]
    pub drain_limit: Option<Rate>,
    /// A requester asks for an acknowledgement (`AckReq`) on each message's last packet, on every packet
    /// whose number in the message is a multiple of this (at least 1), and on the one that closes its window.
    #[schemars(range(min = 1))]
    pub ack_every: u32,
    /// The most packets of a queue pair that may be unacknowledged, 1 to 8,388,608 (half the PSN circle).
    #[schemars(range(min = 1, max = 8388608))]
    pub max_outstanding: u32,
    /// The most RDMA READs of a queue pair of RC that may be under way, asked for and not complete: 1 to 255 (eight
    /// bits in IBA's connection management). To be written for hosts that ask for such READs; of no effect elsewhere.
    #[serde(default)]
    #[schemars(range(min = 1, max = 255))]
    pub max_reads: Option<u8>,
    /// IBA `Local ACK Timeout`, 1 to 31: a requester waits 4.096 us * 2^this for progress, then goes back.
    /// 0 waits for ever.
    #[schemars(range(min = 0, max = 31))]
    pub ack_timeout: u8,
    /// IBA `Retry Count`, 0 to 7: how often it goes back without progress before it gives up.
    #[schemars(range(min = 0, max = 7))]
    pub retry_count: u8,
    /// Who sends next of those that may.
    #[serde(default)]
    pub schedule: ScheduleSpec,
}

/// In which order an adapter serves what a lane has to send: flows that their source response lets rest are passed
/// over by either. IBA leaves it to the adapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ScheduleSpec {
    /// Flows take turns, packet by packet.
    #[default]
    RoundRobin,
    /// The message that was posted first goes first: a queue of all that the host has posted.
    OldestFirst,
}

impl AdapterSpec {
    /// The time-out that `ack_timeout` stands for (IBA 9.7.6.1.3), none for 0.
    #[must_use]
    pub const fn timeout(&self) -> Option<Span> {
        if self.ack_timeout == 0 { None } else { Some(Span::from_ps(4_096_000 << self.ack_timeout)) }
    }
}
