//! Counts of the transports over all queue pairs, as `summary.json` has them.
//!
//! Invariant: counts of packets are sums over all flows; distances and sizes are those of the worst flow.

use schemars::JsonSchema;
use serde::Serialize;
use telemetry::RunRecord;

/// Counts over all queue pairs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TransportSummary {
    /// Acknowledgements sent.
    pub acknowledgements: u64,
    /// Congestion notification packets sent.
    pub cnps: u64,
    /// BECNs that reached a source, on a CNP or an acknowledgement.
    pub becns: u64,
    /// BECNs for queue pairs that had no packet left to send.
    pub late_becns: u64,
    /// Number of times that a CCTI reached its `Trigger_Threshold`.
    pub trigger_events: u64,
    /// Negative acknowledgements sent.
    pub naks: u64,
    /// Number of time-outs after which a requester went back.
    pub timeouts: u64,
    /// Data packets retransmitted, and RDMA READ requests, each of which asks for one or more data packets.
    pub retransmitted_packets: u64,
    /// Data packets, READ responses among them, that arrived although they had been accepted before: they were not
    /// needed.
    pub spurious_packets: u64,
    /// Data packets of RC and RD that arrived while a packet before them was missing. UC and UD count none.
    pub out_of_order_packets: u64,
    /// Largest distance from a flow's first missing packet to one that was accepted, in packets.
    pub largest_distance_packets: u64,
    /// Most payload of a flow accepted ahead of a missing packet, in bytes, each packet counted as one MTU.
    pub largest_ahead_bytes: u64,
    /// Queue pairs and end-to-end contexts that failed after their last retry.
    pub failed_queue_pairs: u64,
    /// Gaps in the sequence numbers of a service that does not retransmit (UC): 0 wherever the fabric is lossless.
    pub gaps: u64,
}

impl From<&RunRecord> for TransportSummary {
    fn from(record: &RunRecord) -> Self {
        let (tally, all) = (&record.transport, record.repeats());
        Self {
            acknowledgements: tally.acknowledgements,
            cnps: tally.cnps,
            becns: tally.becns,
            late_becns: tally.late_becns,
            trigger_events: tally.trigger_events,
            naks: tally.naks,
            timeouts: tally.timeouts,
            retransmitted_packets: tally.retransmitted,
            spurious_packets: all.spurious,
            out_of_order_packets: all.out_of_order,
            largest_distance_packets: all.farthest,
            largest_ahead_bytes: all.held_bytes,
            failed_queue_pairs: tally.failed_queue_pairs,
            gaps: tally.gaps,
        }
    }
}
