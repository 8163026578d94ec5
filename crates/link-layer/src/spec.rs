//! What a scenario writes down about links.

use std::collections::BTreeMap;

use packet::{Framing, Mtu};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Length, Rate, Span};

use crate::flow_control::headroom::quanta;

/// What all links of the fabric have in common: scenario field `link`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// What carries the transport headers: InfiniBand's link layer, or Ethernet, IPv4 and UDP.
    #[serde(default)]
    pub framing: Framing,
    /// The largest payload of a packet.
    pub mtu: Mtu,
    /// How many data lanes are configured, VL0 upwards: 1 to 15.
    #[schemars(range(min = 1, max = 15))]
    pub data_lanes: u8,
    /// How a receiver keeps a sender from overrunning it.
    pub flow_control: Discipline,
    /// Lane by service level (`SLtoVLMappingTable`, the same at every port). Service levels that are not
    /// named go to the lane of their own number modulo the number of data lanes.
    #[serde(default)]
    #[schemars(extend("patternProperties" = {"^([0-9]|1[0-5])$": {"type": "integer", "minimum": 0, "maximum": 14}}))]
    pub sl_to_vl: BTreeMap<u8, u8>,
    /// In what order the lanes of a port are served (`VLArbitrationTable`).
    #[serde(default)]
    pub vl_arbitration: VlArbitrationSpec,
}

impl LinkSpec {
    /// The length of the longest packet, in a buffer.
    #[must_use]
    pub const fn longest_packet(&self) -> Bytes {
        self.framing.longest_packet(self.mtu)
    }
}

/// How a receiver keeps a sender from overrunning it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum Discipline {
    /// IBA's credits: absolute, per lane, in blocks of 64 bytes (IBA 7.9).
    Credits(CreditSpec),
    /// PFC: PAUSE and RESUME, per priority (IEEE 802.1Qbb). A priority is a lane, at most 8 of them.
    Pause(PauseSpec),
    /// None: what finds no room is dropped.
    Lossy,
}

/// How PFC pauses a sender.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseSpec {
    /// What each port and lane may still take in once it has asked for a pause; if left out, as much as can come in
    /// until the pause takes effect (see [`Headroom`](crate::Headroom)), by the port's own cable.
    #[serde(default)]
    pub headroom: Option<Bytes>,
    /// RESUME is sent when the headroom is empty and so much has come free below the threshold, or all.
    pub resume_offset: Bytes,
    /// How long a sender goes on starting packets after it has a PAUSE.
    pub reaction: Span,
    /// For how many quanta of 512 bit times a PAUSE asks, 1 to 65,535.
    #[serde(default = "longest_pause")]
    #[schemars(range(min = 1, max = 65535))]
    pub quanta: u16,
    /// How long after a PAUSE it is sent again, if there is still no room; half of the time that it asks for, if left
    /// out.
    #[serde(default)]
    pub refresh: Option<Span>,
}

fn longest_pause() -> u16 {
    u16::MAX
}

impl PauseSpec {
    /// How long a PAUSE asks for on a link of this rate.
    #[must_use]
    pub const fn pause(&self, rate: Rate) -> Span {
        quanta(self.quanta as u64, rate)
    }

    /// How long after a PAUSE it is sent again on a link of this rate.
    #[must_use]
    pub fn refresh(&self, rate: Rate) -> Span {
        self.refresh.unwrap_or_else(|| Span::from_ps(self.pause(rate).ps() / 2))
    }
}

/// When credits are handed back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreditSpec {
    /// A flow-control packet is sent when this many 64-byte blocks have come free, 1 to 2048 ...
    #[schemars(range(min = 1, max = 2048))]
    pub update_blocks: u16,
    /// ... or when any have, and the last one is this long ago.
    pub update_interval: Span,
    /// Whether flow-control packets take time on the wire.
    pub wire_time: WireTime,
}

/// Whether flow-control packets take time on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum WireTime {
    /// They do, as in reality.
    Counted,
    /// They cost nothing: for comparing with theory.
    Free,
}

/// A port's lane arbitration tables (IBA 7.6.9), and lanes of strict priority. Without any, all lanes take turns packet by packet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VlArbitrationSpec {
    /// Lanes that go before both tables, the first of them first: strict priority, which IBA has not. Lanes that stand
    /// in no table and not here take turns after all others, if there are no tables.
    #[serde(default)]
    #[schemars(inner(range(min = 0, max = 14)))]
    pub strict: Vec<u8>,
    /// High-priority table, at most 64 entries.
    #[serde(default)]
    pub high: Vec<VlWeight>,
    /// Low-priority table, at most 64 entries.
    #[serde(default)]
    pub low: Vec<VlWeight>,
    /// `LimitOfHighPriority`: how many times 4,096 bytes of high priority may pass before a waiting packet
    /// of low priority has its turn; 0 means one packet, 255 no limit.
    #[serde(default)]
    #[schemars(range(min = 0, max = 255))]
    pub limit_of_high_priority: u8,
}

/// One entry of a lane arbitration table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VlWeight {
    /// The lane, 0 to 14.
    #[schemars(range(min = 0, max = 14))]
    pub lane: u8,
    /// How many times 64 bytes it may send in its turn, 0 to 255; 0 skips the entry.
    #[schemars(range(min = 0, max = 255))]
    pub weight: u8,
}

/// A kind of cable: scenario field `cables`, by name. It has either a `rate`, or a `width` and a `speed`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CableSpec {
    /// The rate at which bytes of packets pass, as Ethernet names it: 1 to 800 Gb/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Number of lanes side by side, as IBA names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Width>,
    /// Signalling speed of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<Speed>,
    /// Time of flight, by length or as such.
    pub propagation: Propagation,
}

/// Number of physical lanes of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Width {
    /// 1x.
    X1,
    /// 2x.
    X2,
    /// 4x, the usual one.
    X4,
    /// 8x.
    X8,
    /// 12x.
    X12,
}

/// Signalling speed of a physical lane, by IBA's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Speed {
    /// Single data rate: 2.5 Gb/s a lane.
    Sdr,
    /// Double data rate: 5 Gb/s a lane.
    Ddr,
    /// Quad data rate: 10 Gb/s a lane.
    Qdr,
    /// Fourteen data rate at 10.3125 Gb/s a lane.
    Fdr10,
    /// Fourteen data rate: 14.0625 Gb/s a lane.
    Fdr,
    /// Enhanced data rate: 25.78125 Gb/s a lane.
    Edr,
    /// High data rate: 53.125 Gb/s a lane.
    Hdr,
    /// Next data rate: 106.25 Gb/s a lane.
    Ndr,
    /// Extreme data rate: 212.5 Gb/s a lane.
    Xdr,
}

/// Time of flight over a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Propagation {
    /// From its length, at 5 ns a metre.
    Cable(Length),
    /// As such.
    Delay(Span),
}

impl Width {
    /// Every width, narrowest first.
    pub const ALL: [Self; 5] = [Self::X1, Self::X2, Self::X4, Self::X8, Self::X12];

    /// The number of lanes.
    #[must_use]
    pub const fn lanes(self) -> u64 {
        match self {
            Self::X1 => 1,
            Self::X2 => 2,
            Self::X4 => 4,
            Self::X8 => 8,
            Self::X12 => 12,
        }
    }
}

impl Speed {
    /// Every speed, slowest first.
    pub const ALL: [Self; 9] =
        [Self::Sdr, Self::Ddr, Self::Qdr, Self::Fdr10, Self::Fdr, Self::Edr, Self::Hdr, Self::Ndr, Self::Xdr];

    /// Signalling rate of a lane, and the share of it that the encoding leaves for data, as a fraction.
    ///
    /// SDR to QDR: 8b/10b. FDR10 to EDR: 64b/66b. From HDR on: 256b/257b inside RS(544, 514), which
    /// leaves exactly 16 of every 17 bits (256/257 * 514/544).
    #[must_use]
    pub const fn signalling(self) -> (Rate, u64, u64) {
        match self {
            Self::Sdr => (Rate::bps(2_500_000_000), 8, 10),
            Self::Ddr => (Rate::bps(5_000_000_000), 8, 10),
            Self::Qdr => (Rate::bps(10_000_000_000), 8, 10),
            Self::Fdr10 => (Rate::bps(10_312_500_000), 64, 66),
            Self::Fdr => (Rate::bps(14_062_500_000), 64, 66),
            Self::Edr => (Rate::bps(25_781_250_000), 64, 66),
            Self::Hdr => (Rate::bps(53_125_000_000), 16, 17),
            Self::Ndr => (Rate::bps(106_250_000_000), 16, 17),
            Self::Xdr => (Rate::bps(212_500_000_000), 16, 17),
        }
    }

    /// Rate at which bytes of packets pass: signalling less encoding, rounded down to whole bit/s (only FDR,
    /// 13.6364 Gb/s a lane, is not a whole number).
    #[must_use]
    pub const fn data_rate(self, width: Width) -> Rate {
        let (signal, data, line) = self.signalling();
        let bits = width.lanes() as u128 * signal.get() as u128 * data as u128 / line as u128;
        Rate::bps(bits as u64)
    }
}
