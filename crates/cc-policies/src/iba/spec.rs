//! Settings of InfiniBand's congestion control, with the names of IBA's own attributes.
//!
//! Invariant: each struct is one attribute of Annex A10; fields beyond it are choices that the Annex leaves to the
//! implementation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

/// InfiniBand's own congestion control, place by place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IbaScheme {
    /// At every switch: attribute `SwitchCongestionSetting`.
    pub marking: IbaMarkingSpec,
    /// At the destination: how a FECN is answered.
    pub echo: IbaEcho,
    /// At the source: attributes `CACongestionSetting` and `CongestionControlTable`.
    pub response: IbaResponseSpec,
}

/// IBA `SwitchCongestionSetting` (A10.4.3.6), as far as it bears on marking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IbaMarkingSpec {
    /// `Threshold`, 0 to 15: 0 marks nothing, 1 is the highest threshold, 15 the lowest.
    #[schemars(range(min = 0, max = 15))]
    pub threshold: u8,
    /// `Packet_Size`, in units of 64 bytes: packets smaller than this are never marked.
    pub packet_size: u8,
    /// `Marking_Rate`: the mean number of eligible packets between two that are marked; 0 marks all.
    pub marking_rate: u16,
    /// `Victim_Mask`: outputs that mark even where they are out of credits.
    pub victim_mask: VictimMask,
    /// What is compared with the threshold.
    pub compare: ComparedLoad,
    /// How far the queue must fall below the threshold before the port leaves the congestion state.
    pub hysteresis: Bytes,
    /// Ports whose settings differ (`SwitchPortCongestionSetting`, and their bits in `Victim_Mask`).
    #[serde(default)]
    pub ports: Vec<PortMarking>,
}

/// Settings of one switch port that differ from the fabric's (IBA `SwitchPortCongestionSetting`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PortMarking {
    /// The switch, by name.
    pub switch: String,
    /// The port, counted from 1: the output at which is marked.
    #[schemars(range(min = 1, max = 254))]
    pub port: u16,
    /// `Threshold` of this port, 0 to 15.
    #[schemars(range(min = 0, max = 15))]
    pub threshold: u8,
    /// `Packet_Size` of this port, in units of 64 bytes.
    pub packet_size: u8,
    /// `Marking_Rate` of this port (`Cong_Parm`).
    pub marking_rate: u16,
    /// This port's bit in `Victim_Mask`.
    pub victim_mask: bool,
}

/// Which outputs have their bit set in `Victim_Mask`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum VictimMask {
    /// No output.
    None,
    /// Outputs that face a channel adapter, the mask's purpose: an adapter too slow for its link
    /// never calls itself the root of a tree.
    AdapterPorts,
    /// Every output.
    All,
}

/// What is compared with the threshold. IBA leaves it to the switch; Gran and Reinemo (2011, 3.2.1)
/// name three ways, and their words for the third admit two readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ComparedLoad {
    /// Each virtual output queue, by itself.
    EachVoq,
    /// The sum of an output's virtual output queues.
    Sum,
    /// The sum divided by the number of inputs that contribute: their mean.
    SumOverInputs,
    /// The sum, against the threshold divided by the number of inputs that contribute.
    SumAgainstShare,
}

/// How a destination answers a FECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum IbaEcho {
    /// By a congestion notification packet (CNP), always.
    Cnp,
    /// By BECN on an acknowledgement sent at once, where the transport has them; else by a CNP.
    Acknowledgement,
}

/// IBA `CACongestionSetting` (A10.4.3.8) and `CongestionControlTable` (A10.4.3.9).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IbaResponseSpec {
    /// `Port_Control` bit 0: whose injection rate a BECN lowers.
    pub port_control: PortControl,
    /// `Congestion_Control_Table`.
    pub cct: CctSpec,
    /// `CCTI_Limit`: the highest index that a BECN can reach, and the table's last: its length less one.
    pub ccti_limit: u16,
    /// `CCTI_Increase`: added to the index by each BECN, 0 to 255.
    pub ccti_increase: u8,
    /// `CCTI_Min`: the index that the timer does not go below, 0 to 255.
    pub ccti_min: u8,
    /// `CCTI_Timer`, in units of 1.024 us, at least 1: at each expiry the index falls by one.
    #[schemars(range(min = 1, max = 65535))]
    pub ccti_timer: u16,
    /// `Trigger_Threshold`: how often the index reached it is counted; it controls nothing. 0 counts nothing.
    pub trigger_threshold: u8,
    /// When the timer starts.
    pub timer_start: TimerStart,
    /// Service levels whose settings differ from the above (`CACongestionEntry` is per SL).
    #[serde(default)]
    pub service_levels: Vec<ServiceLevelSetting>,
}

/// Settings of one service level that differ from the adapter's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServiceLevelSetting {
    /// The service level, 0 to 15.
    #[schemars(range(min = 0, max = 15))]
    pub service_level: u8,
    /// `CCTI_Increase` of this service level.
    pub ccti_increase: u8,
    /// `CCTI_Min` of this service level.
    pub ccti_min: u8,
    /// `CCTI_Timer` of this service level, in units of 1.024 us, at least 1.
    #[schemars(range(min = 1, max = 65535))]
    pub ccti_timer: u16,
    /// `Trigger_Threshold` of this service level.
    pub trigger_threshold: u8,
}

/// Whose injection rate is controlled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PortControl {
    /// Each queue pair's, by itself.
    QueuePair,
    /// All that leaves the port on one service level, together.
    ServiceLevel,
}

/// When the timer that lowers the index starts. IBA gives one timer to a port and service level; what
/// is written about hardware and models differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TimerStart {
    /// It runs freely from the start of the run, one for all flows of the port's service level
    /// (Pfister and others 2005; Gran and Reinemo 2011, 2.2).
    FreeRunning,
    /// With the first BECN after rest; later ones leave it alone (as an adapter's driver in Linux does).
    FirstBecn,
    /// Anew with each BECN (Gran and Reinemo 2011, 3.2.2, by their words "the related timer is updated").
    EachBecn,
}

/// A congestion control table: for each index the injection rate delay (IRD) after a packet, which is
/// `(packet time >> shift) * multiplier`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum CctSpec {
    /// Entry `i` delays by `i * step` packet times over `2^shift`.
    Linear {
        /// Number of entries, 1 to 65,535; IBA asks for at least 128.
        #[schemars(range(min = 1, max = 65535))]
        entries: u16,
        /// `CCT_Shift` of every entry, 0 to 3.
        #[schemars(range(min = 0, max = 3))]
        shift: u8,
        /// Growth of `CCT_Multiplier` from entry to entry, in 1 to 16,383 over the number of entries.
        #[schemars(range(min = 0, max = 16383))]
        step: u16,
    },
    /// Every entry, written as `(shift, multiplier)`: two bits and fourteen.
    Entries(
        #[schemars(extend("items" = {"type": "array", "prefixItems": [
            {"type": "integer", "minimum": 0, "maximum": 3}, {"type": "integer", "minimum": 0, "maximum": 16_383}
        ]}))]
        Vec<(u8, u16)>,
    ),
}
