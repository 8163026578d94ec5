//! Settings of the HP proposal, with the names of its slides.
//!
//! Invariant: a table is indexed by the present value of the rate or window that it changes, as in the slides.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

/// Settings of the HP proposal. Marks are answered on acknowledgements, sent at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HpScheme {
    /// Marking at every switch.
    pub marking: HpMarkingSpec,
    /// Response at the source.
    pub response: HpResponseSpec,
}

/// Marking rule of the HP proposal. The proposal itself is [`HpMarkingSpec::PROPOSAL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HpMarkingSpec {
    /// Condition under which a buffer counts as full: an input's, or the queue of an output in an output-queued switch.
    pub trigger: FullTrigger,
    /// Packets that a full buffer marks.
    pub set: MarkedSet,
    /// Packets of the full buffer itself that are marked.
    #[serde(default)]
    pub propagation: PropagatingPackets,
    /// Choice of the packets by time: those present at an event, or those that leave after it.
    #[serde(default)]
    pub timing: MarkTiming,
    /// Treatment of such a packet that can leave at once.
    #[serde(default)]
    pub immediate: ImmediatePackets,
}

impl HpMarkingSpec {
    /// The proposal: a buffer without room, packets of the whole switch, outputs with credit.
    pub const PROPOSAL: Self = Self {
        trigger: FullTrigger::Full,
        set: MarkedSet::Selective(RootTrigger::InputAndOutput),
        propagation: PropagatingPackets::All,
        timing: MarkTiming::PresentAtEvent,
        immediate: ImmediatePackets::Marked,
    };
}

/// Condition under which a buffer counts as full: an input's, or the queue of an output in an output-queued switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum FullTrigger {
    /// The buffer has no room for one more packet of the MTU.
    Full,
    /// More than this is occupied, counted in whole blocks of 64 bytes under credits; a queue at an output in bytes.
    Above(Bytes),
    /// At least this many packets are in the buffer, those counted whose tail has yet to leave it. US 7,573,827,
    /// claim 1, leaves the unit of the queue's size open. If fewer packets fill the buffer, it is never full.
    Packets(#[schemars(range(min = 1, max = 65535))] u16),
}

/// Choice of the packets that a full buffer marks, by time. An *event* is a buffer that becomes full, or a packet that
/// joins a queue of a full buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum MarkTiming {
    /// Packets in the full buffer at an event, and by a congested output as many departures as packets were present
    /// for it: a packet that comes after the event may leave in the place of one that was present. Follows the HP
    /// proposal's root, which ends when it "has sent all packets" that are currently in the switch. Identical flows get
    /// unequal shares: one that fills a buffer is marked several times a flight, which counts once, and each of the
    /// other flows' packets that come meanwhile counts.
    NextDepartures,
    /// The packets in the switch at an event, and no others: the HP proposal's packets "currently in the switch",
    /// HPL-2002-224's marks at "each marking event". Lack of credit after the event takes nothing back.
    #[default]
    PresentAtEvent,
    /// The packets that start to leave their buffer while it is full, and those that leave by a congested output while
    /// some full buffer holds a packet for it. US 7,573,827, claim 4, marks a packet "about to be transmitted" if its
    /// output is congested; the end of that state with the full buffer is our reading.
    WhileFull,
}

/// Treatment of a packet that would be marked but can leave at once: its output's wire is free when the packet
/// becomes ready, stays free until the packet's turn, and has credit. The buffer may be read for another output until
/// then: the packet does not wait for its link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ImmediatePackets {
    /// Marked like packets that wait: the slides mark every packet in a full buffer.
    #[default]
    Marked,
    /// Not marked: INFOCOM 2003 marks "all packets that cannot leave the congested link immediately" (as summarised).
    Spared,
}

/// Packets that are marked when a buffer is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum MarkedSet {
    /// The packets in the full buffer.
    Naive,
    /// The packets in the full buffer, and the packets elsewhere in the switch that leave by an output to which one
    /// of the former is destined.
    Selective(RootTrigger),
}

/// Condition under which an output is congested, and therefore a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum RootTrigger {
    /// The state of inputs alone: a full buffer holds a packet for the output.
    Input,
    /// The state of the output too: it has credit, and is a root until its credit runs out.
    InputAndOutput,
    /// In addition, packets in the switch wait for the output: US 7,573,827, claim 2, "the number of packets or bytes
    /// destined for said output link in queues of said network switch exceeds a predetermined value". Claim 2 adds to
    /// claim 1, so the output has credit too, and its credit ends the root.
    InputAndQueued {
        /// Least number of packets that wait for the output, at all inputs and in a queue at the output. The packet
        /// that has just come in counts, the packet on the wire does not. With 1 the rule is that of
        /// `InputAndOutput`; a number that never waits marks nothing.
        #[schemars(range(min = 1, max = 65535))]
        present: u16,
    },
}

/// Packets of a full buffer that are marked because it is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PropagatingPackets {
    /// All packets in the full buffer (HP proposal).
    #[default]
    All,
    /// The packets for an output that is congested by `set`: INFOCOM 2003 marks packets "destined to a congested link"
    /// (as summarised). With `Naive` and `Selective(Input)` every output of a packet in a full buffer is congested.
    ToCongested,
    /// None: a full buffer marks nothing by itself, and its packets only as others that leave by a root. In no
    /// document. `Naive`, which has no roots, would mark nothing.
    Off,
}

impl PropagatingPackets {
    /// Returns whether a packet in a full buffer is marked for it, by the state of the packet's output.
    pub(super) const fn includes(self, output_is_congested: bool) -> bool {
        match self {
            Self::All => true,
            Self::ToCongested => output_is_congested,
            Self::Off => false,
        }
    }
}

/// Response of a source to marks: the proposal's function template. Rate and window together are its hybrid; either
/// or both may be left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HpResponseSpec {
    /// Control of the rate by the inter-packet delay (IPD); none if left out.
    #[serde(default)]
    pub rate: Option<RateControl>,
    /// Control of the number of unacknowledged packets (CWND); none if left out.
    #[serde(default)]
    pub window: Option<WindowControl>,
    /// Effect of a decrease on RPI, the number of acknowledgements until the next increase.
    pub rpi_after_decrease: RpiAfterDecrease,
    /// Constraints on the last packet (RWL) under which RPI is counted down.
    #[serde(default)]
    pub rpi_limits: RpiLimits,
    /// Unit in which RPI is counted down.
    #[serde(default)]
    pub rpi_unit: RpiUnit,
}

impl HpResponseSpec {
    /// No response: neither the rate nor the window is controlled.
    pub const NONE: Self = Self {
        rate: None,
        window: None,
        rpi_after_decrease: RpiAfterDecrease::Kept,
        rpi_limits: RpiLimits::Controlled,
        rpi_unit: RpiUnit::Packet,
    };
}

/// Constraints on the last packet (RWL) under which an unmarked acknowledgement counts down RPI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RpiLimits {
    /// The rate if it is controlled, and the window if it has tables.
    #[default]
    Controlled,
    /// The rate or the window, also a `Fixed` one, the adapter's, or a rate without control: "if RWL is rate or window"
    /// (HP proposal). RPI then falls to 1 and no further, as with a table of one entry whose `new_*_RPI` is 1, so that
    /// the next acknowledgement under a controlled constraint brings an increase.
    RateOrWindow,
}

/// Unit in which unmarked acknowledgements count down RPI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RpiUnit {
    /// The packets that the acknowledgement is the first to acknowledge: recovery takes as long with acknowledgements
    /// that cover several packets.
    #[default]
    Packet,
    /// The acknowledgement: "RPI := RPI - 1" for each unmarked one (HP proposal), repeated ones included.
    Acknowledgement,
}

/// Effect of a decrease on RPI. The slides' function leaves RPI alone; but then a flow that has just fallen to its
/// lowest rate may have to wait for many acknowledgements, against the slides' third property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RpiAfterDecrease {
    /// RPI keeps its value: the function as the slides write it.
    Kept,
    /// RPI is loaded for the new rate or window, as after an increase.
    Reloaded,
}

/// Rate tables, indexed by the IPD: at IPD `i` the rate is `Rmax / (i + 1)`, and `max_ipd`, 1 to 255 (IBA's IPD has
/// eight bits), stands for the lowest rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum RateControl {
    /// Additive increase, multiplicative decrease.
    Aimd {
        /// Longest delay, in packet times.
        #[schemars(range(min = 1, max = 255))]
        max_ipd: u8,
        /// Divisor of the rate at a decrease, 1.01 to 256; the slides' is 2.
        #[schemars(range(min = 1.01, max = 256.0))]
        divisor: f64,
    },
    /// Fast increase, multiplicative decrease.
    Fimd {
        /// Longest delay, in packet times.
        #[schemars(range(min = 1, max = 255))]
        max_ipd: u8,
        /// Divisor of the rate at a decrease, 1.01 to 256.
        #[schemars(range(min = 1.01, max = 256.0))]
        divisor: f64,
    },
    /// Linear inter-packet delay: a decrease adds 1 to the delay.
    Lipd {
        /// Longest delay, in packet times.
        #[schemars(range(min = 1, max = 255))]
        max_ipd: u8,
    },
    /// The increase that follows from this decrease by the proposal's three properties.
    Derived {
        /// New IPD by IPD: above the present IPD; the last entry is its own index.
        rate_decrease: Vec<u8>,
    },
    /// All three tables, written out.
    Tables {
        /// New IPD by IPD: at most the present IPD.
        rate_increase: Vec<u8>,
        /// New IPD by IPD: at least the present IPD.
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
    /// A fixed window of this many packets, at least 1, without tables.
    Fixed(#[schemars(range(min = 1))] u16),
    /// Additive increase, multiplicative decrease.
    Aimd {
        /// Widest window, in packets, at least 2.
        #[schemars(range(min = 2, max = 65535))]
        max_window: u16,
        /// Divisor of the window at a decrease, 1.01 to 256.
        #[schemars(range(min = 1.01, max = 256.0))]
        divisor: f64,
    },
    /// Fast increase, multiplicative decrease.
    Fimd {
        /// Widest window, in packets, at least 2.
        #[schemars(range(min = 2, max = 65535))]
        max_window: u16,
        /// Divisor of the window at a decrease, 1.01 to 256.
        #[schemars(range(min = 1.01, max = 256.0))]
        divisor: f64,
    },
    /// The increase that follows from this decrease by the proposal's three properties.
    Derived {
        /// New CWND by CWND: below the present CWND; the first entry is 1.
        #[schemars(inner(range(min = 1, max = 65535)))]
        window_decrease: Vec<u16>,
    },
    /// All three tables, written out. Tables of one entry hold the window at one packet, as in the slides' experiment.
    Tables {
        /// New CWND by CWND: at least the present CWND.
        #[schemars(inner(range(min = 1, max = 65535)))]
        window_increase: Vec<u16>,
        /// New CWND by CWND: at most the present CWND.
        #[schemars(inner(range(min = 1, max = 65535)))]
        window_decrease: Vec<u16>,
        /// `new_window_RPI`: unmarked acknowledgements until the next increase, by new CWND; at least 1.
        #[schemars(inner(range(min = 1)))]
        new_window_rpi: Vec<u32>,
    },
}
