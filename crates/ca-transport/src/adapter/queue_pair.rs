//! Queue pairs of an adapter, and the origins of their messages.
//!
//! Invariant: a queue pair is one cache line, since there may be a million.

use cc_policies::EchoState;
use packet::QpNumber;
use workload::HostTraffic;

use super::setup::FlowEnd;

/// Place among the sinks of a queue pair that receives no data.
pub(super) const NO_SINK: u32 = u32::MAX;

/// A queue pair: its other end, and its statistics.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct QueuePair {
    pub(super) end: FlowEnd,
    /// Number of the endpoint that the flow uses.
    pub(super) endpoint: u32,
    pub(super) origin: MessageSource,
    /// Place among the sinks; [`NO_SINK`] at the end that data leaves.
    pub(super) sink: u32,
    pub(super) becns: u64,
    pub(super) messages: u64,
    /// State of the notification policy.
    pub(super) echo: EchoState,
}

state_codec::state!(QueuePair { end: plan, endpoint: plan, origin: plan, sink: plan, becns, messages, echo });

const _: () = assert!(size_of::<QueuePair>() == 64, "a queue pair is a cache line: there may be a million");

/// The origin of the messages of a queue pair, by number.
#[derive(Clone, Copy, Debug)]
pub(super) enum MessageSource {
    Peer,
    /// Index of the generator among those of the adapter.
    Generator(u32),
    /// Index of the traffic among that of the adapter.
    HostTraffic(u32),
}

/// Host traffic and the queue pairs that it posts to.
#[derive(Clone, Debug)]
pub(super) struct SharedTraffic {
    pub(super) traffic: HostTraffic,
    /// In the order of the traffic's flows.
    pub(super) queue_pairs: Box<[QpNumber]>,
}

state_codec::state!(SharedTraffic { traffic: part, queue_pairs: plan });
