//! Settings of links and cables.

use std::collections::BTreeMap;

use packet::{Framing, Lane, Mtu};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Length, Rate, Span};

use crate::flow_control::headroom::{quanta, slowest_reaction};

/// Settings common to all links of the fabric: scenario field `link`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// Framing of packets: InfiniBand's link layer, or Ethernet, IPv4 and UDP.
    #[serde(default)]
    pub framing: Framing,
    /// Largest payload of a packet.
    pub mtu: Mtu,
    /// Number of data lanes, VL0 upwards: 1 to 15, and at most 8 with framing `RoCEv2` or without credits.
    #[schemars(range(min = 1, max = 15))]
    pub data_lanes: u8,
    /// Flow control of all links.
    pub flow_control: Discipline,
    /// Lane by service level (`SLtoVLMappingTable`, the same at every port). A service level that is not named is
    /// mapped to the lane of its own number modulo the number of data lanes.
    #[serde(default)]
    #[schemars(extend("patternProperties" = {"^([0-9]|1[0-5])$": {"type": "integer", "minimum": 0, "maximum": 14}}))]
    pub sl_to_vl: BTreeMap<u8, u8>,
    /// Arbitration of the lanes of a port (`VLArbitrationTable`).
    #[serde(default)]
    pub vl_arbitration: VlArbitrationSpec,
}

impl LinkSpec {
    /// Returns the length of the longest packet, in a buffer.
    #[must_use]
    pub const fn longest_packet(&self) -> Bytes {
        self.framing.longest_packet(self.mtu)
    }
}

/// Flow control: the rule by which a receiver keeps a sender from overrunning it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum Discipline {
    /// Credits of InfiniBand: absolute, per lane, in blocks of 64 bytes (IBA 7.9).
    Credits(CreditSpec),
    /// PFC: PAUSE and RESUME, per priority (IEEE 802.1Qbb). A priority is a lane, at most 8 of them.
    Pause(PauseSpec),
    /// No flow control: a packet that finds no room is dropped.
    Lossy,
}

impl Discipline {
    /// Returns true if a receiver of this lane requests pauses.
    #[must_use]
    pub fn pauses(&self, lane: Lane) -> bool {
        match self {
            Self::Credits(_) | Self::Lossy => false,
            Self::Pause(pause) => pause.pfc_enable.as_ref().is_none_or(|lanes| lanes.contains(&lane.0)),
        }
    }
}

/// Parameters of PFC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseSpec {
    /// Lanes with PFC (PFC enable bits of IEEE 802.1Qbb, `pfc_enable` of SONiC); all if left out. Packets of the others
    /// that find no room are dropped, and the other lanes need no headroom.
    #[serde(default)]
    #[schemars(inner(range(min = 0, max = 14)))]
    pub pfc_enable: Option<Vec<u8>>,
    /// Memory of each port and lane with PFC beyond the threshold; if left out, as much as can arrive by the port's own cable
    /// until a pause takes effect: the sum that `backwater headroom` prints (IEEE 802.1Qbb, annex O).
    #[serde(default)]
    pub headroom: Option<Bytes>,
    /// Bytes below the threshold that must be free before RESUME is sent, with the headroom empty; less if nothing is
    /// held. Two MTUs if left out, as Zhu and others (SIGCOMM 2015) have it.
    #[serde(default)]
    pub resume_offset: Option<Bytes>,
    /// Time for which a sender still starts packets after it has received a PAUSE; if left out, the most that IEEE 802.3
    /// allows at the rate of the link (31B.3.7), as far as it is known here: at 10, 25, 40, 50, 100, 200 and 400 Gb/s.
    #[serde(default)]
    pub reaction: Option<Span>,
    /// Duration that a PAUSE requests, in quanta of 512 bit times: 1 to 65,535.
    #[serde(default = "longest_pause")]
    #[schemars(range(min = 1, max = 65535))]
    pub quanta: u16,
    /// Time after a PAUSE at which another is sent if there is still no room; if left out, half of the duration that
    /// a PAUSE requests.
    #[serde(default)]
    pub refresh: Option<Span>,
}

fn longest_pause() -> u16 {
    u16::MAX
}

impl PauseSpec {
    /// Returns the bytes below the threshold at which RESUME is sent, on links of this MTU.
    #[must_use]
    pub fn resume_offset(&self, mtu: Mtu) -> Bytes {
        self.resume_offset.unwrap_or(Bytes::from(mtu) * 2)
    }

    /// Returns the duration that a PAUSE requests on a link of this rate.
    #[must_use]
    pub const fn pause(&self, rate: Rate) -> Span {
        quanta(self.quanta as u64, rate)
    }

    /// Returns the time for which a sender on a link of this rate still starts packets after it has received a PAUSE;
    /// `None` if it is left out, and the standard's limit at this rate is not known.
    #[must_use]
    pub fn reaction(&self, rate: Rate) -> Option<Span> {
        self.reaction.or_else(|| Some(quanta(slowest_reaction(rate)?, rate)))
    }

    /// Returns the time after a PAUSE at which another is sent on a link of this rate.
    #[must_use]
    pub fn refresh(&self, rate: Rate) -> Span {
        self.refresh.unwrap_or_else(|| Span::from_ps(self.pause(rate).ps() / 2))
    }
}

/// Conditions under which credits are returned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreditSpec {
    /// Free blocks of 64 bytes that cause a flow-control packet, 1 to 2048.
    #[schemars(range(min = 1, max = 2048))]
    pub update_blocks: u16,
    /// Time after the last flow-control packet at which any free block causes another.
    pub update_interval: Span,
    /// Wire time of flow-control packets.
    pub wire_time: WireTime,
}

/// Wire time of flow-control packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum WireTime {
    /// They take their time, as in reality.
    Counted,
    /// They take no time, for comparison with theory.
    Free,
}

/// A port's lane arbitration tables (IBA 7.6.9), and lanes of strict priority. Without any, all lanes take turns
/// packet by packet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VlArbitrationSpec {
    /// Lanes that precede both tables, in order of priority: strict priority, which IBA lacks. Without tables, all
    /// other lanes take turns after them.
    #[serde(default)]
    #[schemars(inner(range(min = 0, max = 14)))]
    pub strict: Vec<u8>,
    /// High-priority table, at most 64 entries.
    #[serde(default)]
    pub high: Vec<VlWeight>,
    /// Low-priority table, at most 64 entries.
    #[serde(default)]
    pub low: Vec<VlWeight>,
    /// `LimitOfHighPriority`: bytes of high priority that may pass before a waiting packet of low priority has its
    /// turn, in units of 4,096; 0 means one packet, 255 no limit.
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
    /// Bytes that the lane may send in its turn, in units of 64, 0 to 255; 0 skips the entry.
    #[schemars(range(min = 0, max = 255))]
    pub weight: u8,
}

/// A kind of cable: scenario field `cables`, by name. It has either a `rate`, or a `width` and a `speed`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CableSpec {
    /// Rate at which bytes of packets pass, as Ethernet names it: 1 to 800 Gb/s. Left out if `width` and `speed` give it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Number of physical lanes, as IBA names it. Left out if `rate` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Width>,
    /// Signalling speed of each physical lane, which the encoding of its generation reduces. Left out if `rate` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<Speed>,
    /// Time of flight, from the length or as a delay.
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
    /// Length of the cable, at 5 ns per metre.
    Cable(Length),
    /// Delay.
    Delay(Span),
}

impl Width {
    /// Every width, narrowest first.
    pub const ALL: [Self; 5] = [Self::X1, Self::X2, Self::X4, Self::X8, Self::X12];

    /// Returns the number of lanes.
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

    /// Returns the speed's name in IBA and in scenarios.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sdr => "SDR",
            Self::Ddr => "DDR",
            Self::Qdr => "QDR",
            Self::Fdr10 => "FDR10",
            Self::Fdr => "FDR",
            Self::Edr => "EDR",
            Self::Hdr => "HDR",
            Self::Ndr => "NDR",
            Self::Xdr => "XDR",
        }
    }

    /// Returns the signalling rate of a lane, and the share of it that the encoding leaves for data, as a fraction.
    ///
    /// SDR to QDR: 8b/10b. FDR10 to EDR: 64b/66b. From HDR on: 256b/257b inside RS(544, 514), which leaves exactly 16
    /// of every 17 bits (256/257 * 514/544).
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
