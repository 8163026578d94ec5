//! Settings of a channel adapter.

use core::num::NonZeroU32;

use link_layer::spec::VlArbitrationSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span};

use crate::endpoint::{AnyOrderRule, RepeatRule};
use crate::entropy::EntropySpec;
use crate::reordering::{DeliverySpec, NakSpec, RecoverySpec, TimeOutGrowth};

/// A channel adapter and its host: scenario field `adapter` for all of them, `adapters` by host name for those that
/// differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdapterSpec {
    /// Receive buffer of each lane: at least one packet of the link's MTU, beside the headroom under PFC; at most 128 KiB
    /// under credits, else 1 GiB.
    pub receive_buffer: Bytes,
    /// Rate at which the host hands payload to its adapter: its bus, or a static rate that a manager has set for it, such
    /// as for a host that ignores congestion control. Unlimited if left out.
    #[serde(default)]
    pub injection_limit: Option<Rate>,
    /// Rate at which the host consumes payload from its adapter; unlimited if left out.
    #[serde(default)]
    pub drain_limit: Option<Rate>,
    /// Interval of acknowledgement requests (`AckReq`) in packets of a message, at least 1. The last packet of a
    /// message and the packet that closes the window request an acknowledgement in any case.
    #[schemars(range(min = 1))]
    pub ack_every: u32,
    /// Service level of the adapter's acknowledgements, 0 to 15, which leads them to a lane (`link.sl_to_vl`); that of
    /// their flow if left out, so that they share the lane and the queues of its data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 15))]
    pub ack_service_level: Option<u8>,
    /// Most packets of a queue pair that may be unacknowledged, 1 to 8,388,608 (half the PSN circle).
    #[schemars(range(min = 1, max = 8388608))]
    pub max_outstanding: u32,
    /// Order in which responders accept packets; `InOrder` if left out.
    #[serde(default, skip_serializing_if = "DeliverySpec::is_usual")]
    pub delivery: DeliverySpec,
    /// Repetition of lost packets by requesters; `GoBackN` if left out.
    #[serde(default, skip_serializing_if = "RecoverySpec::is_usual")]
    pub recovery: RecoverySpec,
    /// Entropy values of data packets, which switches hash; `Flow` if left out.
    #[serde(default, skip_serializing_if = "EntropySpec::is_usual")]
    pub entropy: EntropySpec,
    /// Most RDMA READs of a queue pair of RC in progress, 1 to 255 (eight bits in IBA's connection management).
    /// Hosts that request such READs need it; without effect elsewhere, where it may be left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 255))]
    pub max_reads: Option<u8>,
    /// IBA `Local ACK Timeout`, 1 to 31: a requester waits 4.096 us * 2^this for progress, then goes back. 0 waits
    /// for ever.
    #[schemars(range(min = 0, max = 31))]
    pub ack_timeout: u8,
    /// IBA `Retry Count`, 0 to 7: number of times that a requester goes back without progress before it gives up.
    #[schemars(range(min = 0, max = 7))]
    pub retry_count: u8,
    /// Arbitration of the lanes of the adapter's port; `link.vl_arbitration` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vl_arbitration: Option<VlArbitrationSpec>,
    /// Order in which messages and flows are served.
    #[serde(default)]
    pub schedule: ScheduleSpec,
    /// Compliance of the adapter with the fabric's congestion control; `Comply` if left out.
    #[serde(default, skip_serializing_if = "Compliance::is_usual")]
    pub congestion_control: Compliance,
}

/// Compliance of an adapter with the congestion control of its fabric: scenario field `congestion_control`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Compliance {
    /// Its sources respond to notifications, and it answers marks.
    #[default]
    Comply,
    /// Its sources send on as if no notification had come, without rate and window of the response. It answers marks of
    /// packets that it receives, as others do.
    Ignore,
    /// As `Ignore`, and it answers no marks either: sources that send to it are never notified.
    Silent,
}

impl Compliance {
    /// Returns whether this is the usual compliance, which is not written out.
    const fn is_usual(&self) -> bool {
        matches!(self, Self::Comply)
    }
}

/// Order in which an adapter serves the packets of a lane. Either order passes over flows that their response paces.
/// IBA leaves the order to the adapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ScheduleSpec {
    /// Flows take turns, packet by packet.
    #[default]
    RoundRobin,
    /// The message posted first goes first: one queue of all messages of the host.
    OldestFirst,
}

impl AdapterSpec {
    /// Returns the order of delivery and the repeats of RC, which agree.
    #[must_use]
    pub fn repeat_rule(&self) -> RepeatRule {
        let (DeliverySpec::AnyOrder(delivery), RecoverySpec::SelectiveRepeat(recovery)) =
            (self.delivery, self.recovery)
        else {
            return RepeatRule::IN_ORDER;
        };
        let nak_after = match delivery.nak {
            NakSpec::Never => None,
            NakSpec::After(packets) => NonZeroU32::new(packets),
        };
        let high = recovery.high.or_else(|| self.timeout());
        RepeatRule {
            any_order: Some(AnyOrderRule {
                window: delivery.window,
                nak_after,
                cap: recovery.cap.unwrap_or(delivery.window),
            }),
            low: recovery.low.or(high),
            high,
            few: recovery.few,
            doubling: recovery.time_outs == TimeOutGrowth::Doubling,
        }
    }

    /// Returns the time-out that `ack_timeout` stands for (IBA 9.7.6.1.3); `None` for 0.
    #[must_use]
    pub const fn timeout(&self) -> Option<Span> {
        if self.ack_timeout == 0 { None } else { Some(Span::from_ps(4_096_000 << self.ack_timeout)) }
    }
}
