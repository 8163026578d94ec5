//! The selector of a switch as a scenario describes it.
//!
//! Invariant: every choice has defaults, so that its bare name will do.

use packet::{ServiceLevel, TransportService};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

/// Selector of a port among the ports of a group, for routings with groups of ports (`Ecmp`, `Adaptive`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum SelectionSpec {
    /// By a hash of the packet's source, destination and queue pairs: a flow keeps its path.
    Hash,
    /// At random, for each packet.
    Random,
    /// In turn, for each packet.
    RoundRobin(RoundRobinSpec),
    /// The least loaded port, for each packet.
    LeastLoaded(LeastLoadedSpec),
    /// A flow keeps its port until a gap between its packets: InfiniBand's bounded adaptive routing, `LetFlow`.
    Flowlet(FlowletSpec),
}

impl SelectionSpec {
    /// Returns the word for this selector in a scenario.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Hash => "Hash",
            Self::Random => "Random",
            Self::RoundRobin(_) => "RoundRobin",
            Self::LeastLoaded(_) => "LeastLoaded",
            Self::Flowlet(_) => "Flowlet",
        }
    }

    /// Returns the bytes of state that a selector keeps at a switch of this many ports, in a fabric of this many hosts: of
    /// turns those of a single group of ports.
    #[must_use]
    pub fn state_bytes(&self, ports: usize, hosts: u64) -> u64 {
        let of_turns = |per: TurnsSpec| match per {
            TurnsSpec::Input => ports as u64,
            TurnsSpec::Destination => hosts,
        };
        let counts = ports as u64 * 8;
        counts
            + match self {
                Self::Hash | Self::Random | Self::LeastLoaded(_) => 0,
                Self::RoundRobin(spec) => of_turns(spec.per),
                Self::Flowlet(spec) => {
                    let turns =
                        if let FlowletChoice::RoundRobin(spec) = spec.then { of_turns(spec.per) } else { 0 };
                    u64::from(spec.entries) * 16 + turns
                }
            }
    }

    /// Examples of every selector, for tests.
    pub const EXAMPLES: [Self; 9] = {
        // Does not compile for a variant that is missing: add an example to the list too.
        const _: fn(SelectionSpec) = |spec| match spec {
            SelectionSpec::Hash
            | SelectionSpec::Random
            | SelectionSpec::RoundRobin(_)
            | SelectionSpec::LeastLoaded(_)
            | SelectionSpec::Flowlet(_) => {}
        };
        let (least, gap) = (LeastLoadedSpec::DEFAULT, Span::from_us(2));
        [
            Self::Hash,
            Self::Random,
            Self::RoundRobin(RoundRobinSpec { per: TurnsSpec::Input }),
            Self::RoundRobin(RoundRobinSpec { per: TurnsSpec::Destination }),
            Self::LeastLoaded(least),
            Self::LeastLoaded(LeastLoadedSpec { levels: 4, tie: TieSpec::Random, ..least }),
            Self::LeastLoaded(LeastLoadedSpec { choices: ChoicesSpec::Two, ..least }),
            Self::Flowlet(FlowletSpec { gap, then: FlowletChoice::Random, entries: 64 }),
            Self::Flowlet(FlowletSpec { gap, then: FlowletChoice::LeastLoaded(least), entries: 1024 }),
        ]
    };
}

/// Turns of the ports of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RoundRobinSpec {
    /// Packets that share a turn. The first port of each turn is drawn.
    pub per: TurnsSpec,
}

/// Packets that share a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TurnsSpec {
    /// Packets of an input to the same group of ports.
    #[default]
    Input,
    /// Packets to the same host.
    Destination,
}

/// Load by which a port is chosen. The load metric of adaptive switches is not published; this one is an assumption.
///
/// The load of a port is the bytes that wait for it on the packet's lane, and the rest of the packet on its wire. Among
/// ports of one level those come first for which the far end has credits, or has requested no pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LeastLoadedSpec {
    /// Levels of load that a switch tells apart: no load, up to one packet of the MTU, up to two, and so on; the last
    /// level has no upper bound.
    #[schemars(range(min = 2, max = 4096))]
    pub levels: u16,
    /// Choice among equally loaded ports.
    pub tie: TieSpec,
    /// Ports that are compared.
    pub choices: ChoicesSpec,
}

impl LeastLoadedSpec {
    /// The settings of the bare name.
    pub const DEFAULT: Self = Self { levels: 16, tie: TieSpec::RoundRobin, choices: ChoicesSpec::All };
}

impl Default for LeastLoadedSpec {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Choice among equally loaded ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TieSpec {
    /// In turn, for each group of ports.
    #[default]
    RoundRobin,
    /// At random.
    Random,
}

/// Ports that are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ChoicesSpec {
    /// All ports of the group.
    #[default]
    All,
    /// Two ports, drawn for each packet. Of equally loaded ones the first drawn is taken, whatever `tie` says.
    Two,
}

/// Bursts of a flow that keep their port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FlowletSpec {
    /// Longest time between two packets of a burst. Mellanox's adaptive-routing manager has 30 us.
    pub gap: Span,
    /// Choice of a burst's port.
    pub then: FlowletChoice,
    /// Entries of the table of flows. Flows of one entry, found by a hash, share their port.
    #[schemars(range(min = 1, max = 65_536))]
    pub entries: u32,
}

impl Default for FlowletSpec {
    fn default() -> Self {
        let then = FlowletChoice::LeastLoaded(LeastLoadedSpec::DEFAULT);
        Self { gap: Span::from_us(30), then, entries: 1024 }
    }
}

/// Choice of a burst's port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum FlowletChoice {
    /// At random, as `LetFlow` does.
    Random,
    /// In turn.
    RoundRobin(RoundRobinSpec),
    /// The least loaded port.
    LeastLoaded(LeastLoadedSpec),
}

/// Packets that the selector chooses a port for. A hash of their flow chooses for all others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SelectedPacketsSpec {
    /// Service levels (`ar_sl_mask` of OpenSM); all if left out.
    #[schemars(inner(range(min = 0, max = 15)))]
    pub levels: Vec<u8>,
    /// Transport services (`ar_transport_mask` of OpenSM); all if left out.
    pub services: Vec<TransportService>,
    /// Length on the wire below which a packet is not selected. With "100 B" acknowledgements, congestion notification
    /// packets and requests of RDMA READs go by hash.
    pub small: Bytes,
}

impl Default for SelectedPacketsSpec {
    fn default() -> Self {
        Self {
            levels: (0..ServiceLevel::COUNT).collect(),
            services: TransportService::ALL.to_vec(),
            small: Bytes::new(100),
        }
    }
}
