//! Settings of connections that take packets in any order, and of their recovery from losses.
//!
//! Invariant: both ends of a connection agree. A responder in any order needs a requester that repeats selectively, and
//! the reverse.

use packet::TransportService;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Span;

/// Order in which responders of RC accept packets. UC, UD and RD are not affected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DeliverySpec {
    /// In the order of their numbers alone, as IBA has it: a packet ahead of a missing one is dropped.
    #[default]
    InOrder,
    /// In any order: payload is placed at once. Needs `recovery: SelectiveRepeat`.
    AnyOrder(AnyOrderSpec),
}

/// A responder that takes packets in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AnyOrderSpec {
    /// Packets from the first missing one on that the responder can tell apart, 1 to 32,768: a packet farther ahead is
    /// dropped. A requester has no more under way, and requests a longer RDMA READ in parts.
    #[schemars(range(min = 1, max = 32768))]
    pub window: u32,
    /// Evidence by which a missing packet counts as lost.
    pub nak: NakSpec,
}

/// Evidence by which a missing packet counts as lost before the time-out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum NakSpec {
    /// None: only the time-out repeats. For fabrics that lose nothing, and overtake far.
    #[default]
    Never,
    /// The arrival of a packet with a number at least this much higher, 1 to 32,767, below the window and `cap`.
    /// `After(1)` is IRN's rule, for fabrics where no packet overtakes another.
    After(#[schemars(range(min = 1, max = 32767))] u32),
}

/// Repetition of lost packets by requesters of RC. RD goes back in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RecoverySpec {
    /// The missing packet and all after it (IBA 9.7).
    #[default]
    GoBackN,
    /// Missing packets alone, as IRN (Mittal and others, SIGCOMM 2018). Needs `delivery: AnyOrder`.
    SelectiveRepeat(SelectiveRepeatSpec),
}

/// Repetition of missing packets alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SelectiveRepeatSpec {
    /// Most packets of a queue pair under way, 1 to 32,768, at most `max_outstanding` and the window. IRN: one
    /// bandwidth-delay product of the longest path. If left out, these two alone limit it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 32768))]
    pub cap: Option<u32>,
    /// Time without progress after which a requester with few packets under way repeats, above 0 and at most `high`.
    /// IRN's paper: 100 us. That of `high` if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<Span>,
    /// The same with more packets under way, above 0. IRN's paper: 320 us. That of `ack_timeout` if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<Span>,
    /// Most packets under way that are few, 0 to 32,768. IRN: 3.
    #[schemars(range(min = 0, max = 32768))]
    pub few: u32,
    /// Growth of both time-outs while there is no progress.
    pub time_outs: TimeOutGrowth,
}

/// Growth of a time-out from one to the next without progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TimeOutGrowth {
    /// None.
    #[default]
    Fixed,
    /// Each is twice as long as the one before.
    Doubling,
}

impl Default for AnyOrderSpec {
    fn default() -> Self {
        Self { window: 512, nak: NakSpec::Never }
    }
}

impl Default for SelectiveRepeatSpec {
    fn default() -> Self {
        Self { cap: None, low: None, high: None, few: 3, time_outs: TimeOutGrowth::Fixed }
    }
}

impl DeliverySpec {
    /// Returns whether this is the usual order, which is not written out.
    #[must_use]
    pub const fn is_usual(&self) -> bool {
        matches!(self, Self::InOrder)
    }
}

impl RecoverySpec {
    /// Returns whether this is the usual recovery, which is not written out.
    #[must_use]
    pub const fn is_usual(&self) -> bool {
        matches!(self, Self::GoBackN)
    }
}

/// The reason for which a transport service does not suit paths on which packets overtake each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OvertakingError {
    /// UC.
    #[error("UC drops each message of which a packet comes out of order")]
    Unreliable,
    /// RD.
    #[error(
        "RD accepts the packets of an end-to-end context in order alone, and repeats each that has overtaken another"
    )]
    Context,
}

impl OvertakingError {
    /// Checks that a transport service keeps its promise where packets overtake each other. RC does, by either
    /// delivery: in order, it refuses a packet that has overtaken another, and go-back-N sends it again.
    ///
    /// # Errors
    /// If the service would lose messages, or repeat packets of other flows.
    pub const fn check(service: TransportService) -> Result<(), Self> {
        match service {
            TransportService::Ud | TransportService::Rc => Ok(()),
            TransportService::Uc => Err(Self::Unreliable),
            TransportService::Rd => Err(Self::Context),
        }
    }

    /// Returns the correction.
    #[must_use]
    pub const fn help(self) -> &'static str {
        match self {
            Self::Unreliable | Self::Context => "write `transport: Rc`",
        }
    }
}
