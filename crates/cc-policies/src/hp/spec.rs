//! What a scenario writes down about the HP proposal, with the names of its slides.
//!
//! Invariant: a table is indexed by the present value of what it changes, as in the slides.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

/// The HP proposal, place by place. Marks are answered on acknowledgements, sent at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HpScheme {
    /// At every switch.
    pub marking: HpMarkingSpec,
    /// At the source.
    pub response: HpResponseSpec,
}

/// Which packets a switch marks. The proposal itself is `Full` and `Selective(InputAndOutput)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HpMarkingSpec {
    /// When an input's buffer counts as full.
    pub trigger: FullTrigger,
    /// What is marked then.
    pub set: MarkedSet,
    /// What of that becomes of a packet that can leave at once.
    #[serde(default)]
    pub immediate: ImmediatePackets,
}

/// When an input's buffer counts as full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum FullTrigger {
    /// When it has no room for one more packet of the MTU.
    Full,
    /// When more than this is occupied, counted in whole blocks of 64 bytes.
    Above(Bytes),
}

/// What becomes of a packet that would be marked but can leave at once: its output's wire is free as it becomes
/// ready, stays so until it is the packet's turn, and has credit. Whether its input's buffer is being read for another
/// output until then makes no difference: the packet does not wait for its link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ImmediatePackets {
    /// It is marked like those that wait: the slides mark every packet in a full buffer.
    #[default]
    Marked,
    /// It is not: INFOCOM 2003 marks "all packets that cannot leave the congested link immediately" (as summarised).
    Spared,
}

/// What is marked when an input's buffer is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum MarkedSet {
    /// The packets in the full buffer.
    Naive,
    /// These, and the packets elsewhere in the switch that leave by an output that one of them is destined to.
    Selective(RootTrigger),
}

/// What makes an output a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RootTrigger {
    /// The state of inputs alone: a packet for it in a full buffer.
    Input,
    /// The state of the output too: it has credit, and is a root until it runs out of it.
    InputAndOutput,
}

/// How a source answers marks: the proposal's function template. Rate and window together are its
/// hybrid; either may be left out, and so may both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HpResponseSpec {
    /// Control of the rate by the inter-packet delay (IPD); none if left out.
    #[serde(default)]
    pub rate: Option<RateControl>,
    /// Control of the number of unacknowledged packets (CWND); none if left out.
    #[serde(default)]
    pub window: Option<WindowControl>,
    /// What a decrease does to the count of acknowledgements that an increase still takes (RPI).
    pub rpi_after_decrease: RpiAfterDecrease,
}

/// What becomes of RPI at a decrease. The slides' function leaves it alone; but then a flow that has just fallen
/// to its lowest rate may have to wait for many acknowledgements, against the slides' third property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RpiAfterDecrease {
    /// It stays as it is: the function as the slides write it.
    Kept,
    /// It is loaded for the new rate or window, as after an increase.
    Reloaded,
}

/// Rate tables, indexed by the IPD: at IPD `i` the rate is `Rmax / (i + 1)`, and `max_ipd`, 1 to 255 (IBA's IPD has
/// eight bits), stands for the lowest rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum RateControl {
    /// Additive increase, multiplicative decrease.
    Aimd {
        /// The longest delay, in packet times.
        #[schemars(range(min = 1, max = 255))]
        max_ipd: u8,
        /// What a decrease divides the rate by, 1.01 to 256; the slides' is 2.
        #[schemars(range(min = 1.01, max = 256.0))]
        divisor: f64,
    },
    /// Fast increase, multiplicative decrease.
    Fimd {
        /// The longest delay, in packet times.
        #[schemars(range(min = 1, max = 255))]
        max_ipd: u8,
        /// What a decrease divides the rate by, 1.01 to 256.
        #[schemars(range(min = 1.01, max = 256.0))]
        divisor: f64,
    },
    /// Linear inter-packet delay: a decrease adds 1 to it.
    Lipd {
        /// The longest delay, in packet times.
        #[schemars(range(min = 1, max = 255))]
        max_ipd: u8,
    },
    /// The increase that follows from this decrease by the proposal's three properties.
    Derived {
        /// New IPD by IPD: above it, and the last entry its own place.
        rate_decrease: Vec<u8>,
    },
    /// All three tables, as written.
    Tables {
        /// New IPD by IPD: not above it.
        rate_increase: Vec<u8>,
        /// New IPD by IPD: not below it.
        rate_decrease: Vec<u8>,
        /// `new_rate_RPI`: unmarked acknowledgements until the next increase, by new IPD; at least 1.
        #[schemars(inner(range(min = 1)))]
        new_rate_rpi: Vec<u32>,
    },
}

/// Window tables, indexed by CWND, whose first entry is for a window of 1 packet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum WindowControl {
    /// Always this many packets, at least 1; no tables.
    Fixed(#[schemars(range(min = 1))] u16),
    /// Additive increase, multiplicative decrease.
    Aimd {
        /// The widest window, in packets, at least 2.
        #[schemars(range(min = 2, max = 65535))]
        max_window: u16,
        /// What a decrease divides the window by, 1.01 to 256.
        #[schemars(range(min = 1.01, max = 256.0))]
        divisor: f64,
    },
    /// Fast increase, multiplicative decrease.
    Fimd {
        /// The widest window, in packets, at least 2.
        #[schemars(range(min = 2, max = 65535))]
        max_window: u16,
        /// What a decrease divides the window by, 1.01 to 256.
        #[schemars(range(min = 1.01, max = 256.0))]
        divisor: f64,
    },
    /// The increase that follows from this decrease by the proposal's three properties.
    Derived {
        /// New CWND by CWND: below it, and the first entry 1.
        #[schemars(inner(range(min = 1, max = 65535)))]
        window_decrease: Vec<u16>,
    },
    /// All three tables, as written.
    Tables {
        /// New CWND by CWND: not below it.
        #[schemars(inner(range(min = 1, max = 65535)))]
        window_increase: Vec<u16>,
        /// New CWND by CWND: not above it.
        #[schemars(inner(range(min = 1, max = 65535)))]
        window_decrease: Vec<u16>,
        /// `new_window_RPI`: unmarked acknowledgements until the next increase, by new CWND; at least 1.
        #[schemars(inner(range(min = 1)))]
        new_window_rpi: Vec<u32>,
    },
}
