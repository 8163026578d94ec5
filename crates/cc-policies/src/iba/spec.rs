//! Settings of InfiniBand's congestion control, with the names of IBA's own attributes.
//!
//! Invariant: each struct is one attribute of Annex A10; fields beyond it are choices that the Annex leaves to the
//! implementation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

/// Settings of InfiniBand's own congestion control. A field that is left out has the value of the shipped scenario
/// `gran2011-scenario1`: marks at the lowest threshold, a table of 128 entries with steps of one packet time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IbaScheme {
    /// Name of these parameters in tables and files; `Iba` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Marking at every switch: attribute `SwitchCongestionSetting`.
    pub marking: IbaMarkingSpec,
    /// Answer of the destination to a FECN.
    pub echo: IbaEcho,
    /// Response at the source: attributes `CACongestionSetting` and `CongestionControlTable`.
    pub response: IbaResponseSpec,
}

impl Default for IbaScheme {
    fn default() -> Self {
        Self {
            name: None,
            marking: IbaMarkingSpec::default(),
            echo: IbaEcho::Cnp,
            response: IbaResponseSpec::default(),
        }
    }
}

/// IBA `SwitchCongestionSetting` (A10.4.3.6): the parts that concern marking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IbaMarkingSpec {
    /// `Threshold`, 0 to 15: 0 marks nothing, 1 is the highest threshold, 15 the lowest.
    #[schemars(range(min = 0, max = 15))]
    pub threshold: u8,
    /// `Packet_Size`, in units of 64 bytes: smaller packets are never marked.
    pub packet_size: u8,
    /// `Marking_Rate`: the mean number of eligible packets between two that are marked; 0 marks all.
    pub marking_rate: u16,
    /// `Victim_Mask`: outputs that mark even without credits.
    pub victim_mask: VictimMask,
    /// Load that is compared with the threshold.
    pub compare: ComparedLoad,
    /// Distance below the threshold at which the port leaves the congestion state.
    pub hysteresis: Bytes,
    /// Ports whose settings differ (`SwitchPortCongestionSetting`, and their bits in `Victim_Mask`).
    pub ports: Vec<PortMarking>,
}

impl Default for IbaMarkingSpec {
    fn default() -> Self {
        Self {
            threshold: 15,
            packet_size: 8,
            marking_rate: 1,
            victim_mask: VictimMask::AdapterPorts,
            compare: ComparedLoad::Sum,
            hysteresis: Bytes::kib(4),
            ports: Vec::new(),
        }
    }
}

/// Settings of one switch port that differ from the fabric's (IBA `SwitchPortCongestionSetting`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PortMarking {
    /// Name of the switch.
    pub switch: String,
    /// Number of the output port at which packets are marked, from 1.
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

/// Outputs that have their bit set in `Victim_Mask`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum VictimMask {
    /// No output.
    None,
    /// Outputs that face a channel adapter, the mask's purpose: an adapter too slow for its link never declares
    /// itself the root of a tree.
    AdapterPorts,
    /// Every output.
    All,
}

/// Load that is compared with the threshold. IBA leaves it to the switch. Gran and Reinemo (2011, 3.2.1) name three
/// loads, and their words for the third admit two readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum ComparedLoad {
    /// Each virtual output queue, by itself.
    EachVoq,
    /// The sum of an output's virtual output queues.
    Sum,
    /// The sum divided by the number of contributing inputs: their mean.
    SumOverInputs,
    /// The sum, against the threshold divided by the number of contributing inputs.
    SumAgainstShare,
}

/// Answer of a destination to a FECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum IbaEcho {
    /// A congestion notification packet (CNP), always.
    Cnp,
    /// BECN on an acknowledgement sent at once, if the transport has acknowledgements; else a CNP.
    Acknowledgement,
}

/// IBA `CACongestionSetting` (A10.4.3.8) and `CongestionControlTable` (A10.4.3.9).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IbaResponseSpec {
    /// `Port_Control` bit 0: the traffic whose injection rate a BECN lowers.
    pub port_control: PortControl,
    /// `Congestion_Control_Table`.
    pub cct: CctSpec,
    /// `CCTI_Limit`: the highest index that a BECN can reach, which is the table's last one: its length less one.
    pub ccti_limit: u16,
    /// `CCTI_Increase`: added to the index by each BECN, 0 to 255.
    pub ccti_increase: u8,
    /// `CCTI_Min`: the lowest index that the timer can reach, 0 to 255.
    pub ccti_min: u8,
    /// `CCTI_Timer`, in units of 1.024 us, at least 1: at each expiry the index falls by one.
    #[schemars(range(min = 1, max = 65535))]
    pub ccti_timer: u16,
    /// `Trigger_Threshold`: an index that is counted each time it is reached; it controls nothing. 0 counts nothing.
    pub trigger_threshold: u8,
    /// Start of the timer.
    pub timer_start: TimerStart,
    /// Settings of service levels that differ from the above (`CACongestionEntry` is per SL).
    pub service_levels: Vec<ServiceLevelSetting>,
}

impl Default for IbaResponseSpec {
    fn default() -> Self {
        Self {
            port_control: PortControl::QueuePair,
            cct: CctSpec::Linear { entries: 128, shift: 0, step: 1 },
            ccti_limit: 127,
            ccti_increase: 1,
            ccti_min: 0,
            ccti_timer: 15,
            trigger_threshold: 0,
            timer_start: TimerStart::FreeRunning,
            service_levels: Vec::new(),
        }
    }
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

/// Traffic whose injection rate is controlled together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PortControl {
    /// Each queue pair by itself.
    QueuePair,
    /// All packets that leave the port on one service level.
    ServiceLevel,
}

/// Start of the timer that lowers the index. IBA gives one timer to a port and service level; descriptions of
/// hardware and models differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TimerStart {
    /// With the run, at all adapters alike: one free-running timer for all flows of the port's service level (Pfister
    /// and others 2005; Gran and Reinemo 2011, 2.2).
    FreeRunning,
    /// Free-running like `FreeRunning`, but from some time before the run, drawn for each adapter and service level uniformly within one
    /// period: real adapters start at times of their own.
    FreeRunningOwnPhase,
    /// With the first BECN after rest; later ones do not restart it (an adapter's driver in Linux).
    FirstBecn,
    /// Anew with each BECN (Gran and Reinemo 2011, 3.2.2, by their words "the related timer is updated").
    EachBecn,
}

/// Congestion control table: for each index the injection rate delay (IRD) after a packet, `(packet time >> shift) *
/// multiplier`.
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
        /// Growth of `CCT_Multiplier` from entry to entry; the last entry has at most 16,383.
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
