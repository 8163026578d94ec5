//! A switch as a scenario describes it.
//!
//! Invariant: questions about an organisation or an arbiter are answered here, each by one exhaustive match.

mod selection;

use cc_policies::policy::BufferOwner;
use link_layer::flow_control::credits::{BLOCK, MAX_BLOCKS};
use link_layer::spec::{Discipline, LinkSpec, VlArbitrationSpec};
use link_layer::{Alpha, CablePlan, Share};
use packet::Lane;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span};

pub use self::selection::{
    ChoicesSpec, FlowletChoice, FlowletSpec, LeastLoadedSpec, RoundRobinSpec, SelectedPacketsSpec,
    SelectionSpec, TieSpec, TurnsSpec,
};

/// A switch: scenario field `switch` for all switches, `switches` by name for exceptions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchSpec {
    /// Buffer organisation: where packets wait, and hence which inputs contend for an output.
    pub buffering: BufferingSpec,
    /// Arbiter: which input wins an output.
    pub arbiter: ArbiterSpec,
    /// Buffer of each port and lane; left out if `memory` is given. At least one packet of the link's MTU, under
    /// credits at most 128 KiB (2,048 blocks of 64 bytes in IBA). The size of a shared memory is the sum of all
    /// buffers. With `Output` it is the landing buffer of an input and lane, which holds packets until their output's
    /// queue has room. Under `Pause` the buffer includes the headroom: a pause is requested at the remainder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Bytes>,
    /// Ports or lanes whose buffer differs.
    #[serde(default)]
    pub buffers: Vec<BufferOverride>,
    /// Tables of service levels to lanes, by input and output (`SLtoVLMappingTable`, IBA 7.6.6). Of several entries
    /// that name a pair, the last one holds; `link.sl_to_vl` gives the lanes of all other pairs. A packet keeps its
    /// lane on the whole path if no switch has an entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("default" = Vec::<SlToVlSpec>::new()))]
    pub sl_to_vl: Vec<SlToVlSpec>,
    /// Ports whose lanes are arbitrated by tables of their own (`VLArbitrationTable`, IBA 7.6.9). Of several entries
    /// that name a port, the last one holds; `link.vl_arbitration` has the tables of all other ports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("default" = Vec::<PortArbitration>::new()))]
    pub vl_arbitration: Vec<PortArbitration>,
    /// Size of a memory that ports and lanes share, at most 1 GiB, in place of `buffer`; left out if `buffer` gives
    /// the size. Headroom and guarantees are taken from it; the remainder is shared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Bytes>,
    /// Ports and lanes whose headroom and guarantees are taken from `memory`, with a cable or without; those of the
    /// scenario if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provisioned: Option<Provision>,
    /// Queue of each output and lane: at least one packet of the link's MTU; `buffer` if left out. Only `Output` and,
    /// behind the crossbar, `CombinedInputOutput` have such queues; for other organisations the field is refused.
    #[serde(default)]
    pub output_buffer: Option<Bytes>,
    /// Division of a central memory among ports and lanes: for `buffering: Central`. If left out, a central memory is
    /// shared completely (`Complete`). Its guarantee is then a longest packet, and under credits what the longest
    /// cable needs to be busy, within half of `buffer`.
    #[serde(default)]
    pub sharing: Option<Sharing>,
    /// Ports, lanes or rates whose share of a shared memory differs. Of several entries that name a port and lane, the
    /// last one with an `alpha` gives its alpha, and the last one with `guaranteed` its guarantee.
    #[serde(default)]
    pub shares: Vec<ShareOverride>,
    /// Most bytes that may wait for an output and lane: at least one packet of the link's MTU; no limit if left out.
    /// Packets beyond that are dropped. Under `Pause` and `Lossy` only.
    #[serde(default)]
    pub egress_limit: Option<Bytes>,
    /// Pool of the queues at the outputs, of the lanes without PFC: a packet that finds no room in it is dropped. It
    /// needs a shared memory, and such lanes; no pool if left out. Lanes with PFC are not counted, as in SONiC, whose
    /// `egress_lossless_pool` is as large as the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub egress_pool: Option<EgressPoolSpec>,
    /// Time from the arrival of a packet's header until the packet is ready to leave.
    pub latency: Span,
    /// Earliest departure of a packet: before or after its tail has come in.
    pub forwarding: Forwarding,
    /// Read bandwidth of an input's buffer relative to the rate of its link, 1 to 1000. A single packet can always be
    /// read at the rate of its output. With `CombinedInputOutput` also the write bandwidth of an output's queues
    /// relative to the rate of its link. `Output` and `Central` are not limited by it, since they are not read at
    /// inputs.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub speedup: f64,
    /// Selector of a port, for routings with groups of ports. If left out: `LeastLoaded` with `routing: Adaptive`, else
    /// `Hash`. All but `Hash` let packets overtake each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<SelectionSpec>,
    /// Packets that the selector chooses a port for; all of 100 B or more if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_packets: Option<SelectedPacketsSpec>,
}

impl SwitchSpec {
    /// Returns the buffer of a port, by its number, and lane, if a buffer is stated. Of several overrides that name
    /// it, the last one holds.
    #[must_use]
    pub fn buffer_of(&self, port: u16, lane: Lane) -> Option<Bytes> {
        self.override_of(port, lane).map(|place| self.buffers[place].size).or(self.buffer)
    }

    /// Returns the position of the override that states the buffer of a port, by its number, and lane.
    #[must_use]
    pub fn override_of(&self, port: u16, lane: Lane) -> Option<usize> {
        let names = |special: &BufferOverride| {
            special.port == port && special.lane.is_none_or(|number| number == lane.0)
        };
        self.buffers.iter().rposition(names)
    }

    /// Returns the position of the entry whose tables arbitrate the lanes of the port with this number; `None` for
    /// those of the link.
    #[must_use]
    pub fn arbitration_of(&self, port: u16) -> Option<usize> {
        let names = |own: &PortArbitration| own.port.is_none_or(|number| number == port);
        self.vl_arbitration.iter().rposition(names)
    }

    /// Returns the division of memory if the scenario leaves it out. A central memory is shared completely: complete
    /// sharing with minimum allocations, Kamoun and Kleinrock 1980. The other organisations have no memory to share.
    ///
    /// The guarantee is one longest packet. Credits may run ahead of the load by the guarantee only, so under credits
    /// it is as much as each of these cables needs to be busy, within half of a port's buffer. It has whole blocks,
    /// and at least as many as an update waits for.
    #[must_use]
    pub fn usual_sharing(&self, link: &LinkSpec, cables: &[CablePlan]) -> Sharing {
        if !self.buffering.shares_memory() {
            return Sharing::Static;
        }
        let longest = link.longest_packet().get();
        let guaranteed = match &link.flow_control {
            Discipline::Credits(credits) => {
                let update = u64::from(credits.update_blocks.min(MAX_BLOCKS)) * BLOCK;
                let needed = cables.iter().map(|cable| self.window_of(link, cable).get() + update).max();
                let half = self.least_buffer().get() / 2 / BLOCK * BLOCK;
                let window = needed.unwrap_or_default().next_multiple_of(BLOCK).min(half);
                longest.next_multiple_of(BLOCK).max(update).max(window)
            }
            Discipline::Pause(_) | Discipline::Lossy => longest,
        };
        Sharing::Complete { guaranteed: Bytes::new(guaranteed) }
    }

    /// Returns the bytes that a cable between two such switches carries from a packet's start until its credit is back,
    /// if the credit waits for a packet on its way.
    fn window_of(&self, link: &LinkSpec, cable: &CablePlan) -> Bytes {
        let packet = cable.rate.time_for(link.longest_packet());
        cable.rate.amount_in((cable.flight + self.latency + packet) * 2)
    }

    /// Returns the smallest buffer of a port and lane; 0 B for a memory that is stated as a total, or has a part for
    /// absent ports.
    fn least_buffer(&self) -> Bytes {
        let own = self.buffers.iter().map(|own| own.size);
        let buffer = self.buffer.filter(|_| self.provisioned.is_none());
        buffer.map_or(Bytes::ZERO, |buffer| own.fold(buffer, Ord::min))
    }

    /// Returns the division of memory: `sharing`, which a scenario that leaves it out gets as
    /// [`usual_sharing`](Self::usual_sharing) before it is checked.
    ///
    /// # Panics
    /// If `sharing` is left out.
    #[must_use]
    pub const fn division(&self) -> Sharing {
        self.sharing.expect("a scenario that leaves out `sharing` gets the usual one")
    }

    /// Returns the share of a port, by its number, and lane, whose cable has this rate, in shared memory; `None` if
    /// each port and lane has its own buffer.
    #[must_use]
    pub fn share_of(&self, port: u16, lane: Lane, rate: Rate) -> Option<Share> {
        share_of(&self.division(), &self.shares, (port, lane, rate))
    }
}

/// Buffer organisation. In all of them links are told of memory by input and lane ([`SwitchSpec::buffer`]), and a
/// packet is charged to its input's part until its tail has left it: on the wire, over the crossbar with
/// `CombinedInputOutput`, to its output's queue with `Output`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BufferingSpec {
    /// Packets wait at the inputs, in one queue for each lane, with head-of-line blocking.
    InputFifo,
    /// Packets wait at the inputs, in a queue for each output and lane: virtual output queues.
    InputVoq,
    /// Packets wait at the outputs, in one queue of `output_buffer` for each lane, which all inputs share. All inputs
    /// write at once, so the memory is as many times faster than a link as there are ports; `speedup` has no effect.
    /// A packet waits at its input only while its output's queue has no room for it.
    Output,
    /// Packets wait in one memory that all ports share ([`SwitchSpec::sharing`]), in a queue for each output and lane.
    Central,
    /// Packets wait at the inputs in virtual output queues, and again at the outputs, behind a crossbar that is
    /// `speedup` times faster than the links.
    CombinedInputOutput,
}

impl BufferingSpec {
    /// Every organisation, for tests.
    pub const ALL: [Self; 5] = {
        // Does not compile for a variant that is missing: add it to the list too.
        const _: fn(BufferingSpec) = |spec| match spec {
            BufferingSpec::InputFifo
            | BufferingSpec::InputVoq
            | BufferingSpec::Output
            | BufferingSpec::Central
            | BufferingSpec::CombinedInputOutput => {}
        };
        [Self::InputFifo, Self::InputVoq, Self::Output, Self::Central, Self::CombinedInputOutput]
    };

    /// Returns true if packets are read out of a buffer at their input, whose read bandwidth is limited
    /// ([`SwitchSpec::speedup`]).
    #[must_use]
    pub const fn reads_at_inputs(self) -> bool {
        match self {
            Self::InputFifo | Self::InputVoq | Self::CombinedInputOutput => true,
            Self::Output | Self::Central => false,
        }
    }

    /// Returns true if packets wait a second time, in a queue at their output ([`SwitchSpec::output_buffer`]).
    #[must_use]
    pub const fn has_output_queues(self) -> bool {
        match self {
            Self::Output | Self::CombinedInputOutput => true,
            Self::InputFifo | Self::InputVoq | Self::Central => false,
        }
    }

    /// Returns the ports to which the buffers belong that a marker takes for full.
    #[must_use]
    pub const fn buffers_of(self) -> BufferOwner {
        match self {
            Self::Output => BufferOwner::Outputs,
            Self::InputFifo | Self::InputVoq | Self::Central | Self::CombinedInputOutput => {
                BufferOwner::Inputs
            }
        }
    }

    /// Returns true if ports and lanes may share one memory ([`SwitchSpec::sharing`]).
    #[must_use]
    pub const fn shares_memory(self) -> bool {
        match self {
            Self::Central => true,
            Self::InputFifo | Self::InputVoq | Self::Output | Self::CombinedInputOutput => false,
        }
    }
}

/// Division of a central memory, whose size is the sum of all buffers of its switch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Sharing {
    /// Every port and lane has a buffer of its own.
    Static,
    /// Memory beyond the guarantees is given on demand: complete sharing with minimum allocations (Kamoun and Kleinrock
    /// 1980). The default with `Central`.
    Complete {
        /// Memory guaranteed to every port and lane, and also the most that its credits may run ahead of its load: at
        /// least one packet of the link's MTU, at most 128 KiB, counted in whole blocks of 64 bytes.
        guaranteed: Bytes,
    },
    /// Beyond its guarantee a port and lane may use up to `alpha` times the free memory: dynamic thresholds
    /// (Choudhury and Hahne 1998).
    Dynamic {
        /// 1/128 to 128, held in steps of 1/65,536.
        #[schemars(range(min = Alpha::LEAST, max = Alpha::MOST))]
        alpha: f64,
        /// Memory guaranteed to every port and lane, with the limits of `Complete`.
        guaranteed: Bytes,
    },
}

impl Sharing {
    /// Returns the memory guaranteed to every port and lane; `None` if each has a buffer of its own.
    #[must_use]
    pub const fn guaranteed(&self) -> Option<Bytes> {
        match self {
            Self::Static => None,
            Self::Complete { guaranteed } | Self::Dynamic { guaranteed, .. } => Some(*guaranteed),
        }
    }

    /// Returns the factor of the dynamic threshold.
    #[must_use]
    pub fn alpha(&self) -> Option<Alpha> {
        match self {
            Self::Static | Self::Complete { .. } => None,
            Self::Dynamic { alpha, .. } => Some(Alpha::new(*alpha)),
        }
    }
}

/// Arbiter of outputs, for organisations in which packets wait at inputs. In `Output` and `Central` inputs do not
/// compete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum ArbiterSpec {
    /// At each output the inputs take turns.
    RoundRobin,
    /// Outputs grant and inputs accept, each in turn, in several iterations (McKeown 1999).
    Islip {
        /// Iterations in an instant, 1 to 254. With as many as there are ports the matching is maximal.
        #[schemars(range(min = 1, max = 254))]
        iterations: u8,
    },
    /// The packet that came in first wins.
    OldestFirst,
}

impl ArbiterSpec {
    /// Examples of every arbiter, for tests.
    pub const EXAMPLES: [Self; 5] = {
        // Does not compile for a variant that is missing: add an example to the list too.
        const _: fn(ArbiterSpec) = |spec| match spec {
            ArbiterSpec::RoundRobin | ArbiterSpec::Islip { .. } | ArbiterSpec::OldestFirst => {}
        };
        [
            Self::RoundRobin,
            Self::Islip { iterations: 1 },
            Self::Islip { iterations: 2 },
            Self::Islip { iterations: 4 },
            Self::OldestFirst,
        ]
    };
}

/// Earliest departure of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Forwarding {
    /// Once it is routed, if the output cannot overtake its tail: virtual cut-through.
    CutThrough,
    /// Once its tail has come in.
    StoreAndForward,
}

/// Buffer of a port, or of one lane of it, that differs from the switch's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BufferOverride {
    /// Number of the port, as its link gives it; else counted from 1.
    #[schemars(range(min = 0, max = 1023))]
    pub port: u16,
    /// Number of the lane; every lane if left out.
    #[serde(default)]
    #[schemars(range(min = 0, max = 14))]
    pub lane: Option<u8>,
    /// Size of the buffer.
    pub size: Bytes,
}

/// Lanes of packets from an input to an output, by service level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlToVlSpec {
    /// Number of the port by which packets come; every port if left out.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1023))]
    pub input: Option<u16>,
    /// Number of the port by which packets leave; every port if left out.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1023))]
    pub output: Option<u16>,
    /// Lane of the link at the output, by service level: 16 numbers, from service level 0 on.
    pub lanes: Vec<u8>,
}

/// Arbitration of the lanes of a port.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PortArbitration {
    /// Number of the port by which packets leave; every port if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1023))]
    pub port: Option<u16>,
    /// The port's tables.
    pub tables: VlArbitrationSpec,
}

/// Share of a shared memory that differs from `sharing`: of a port, of a lane, of the ports of one rate, or of a lane
/// of these. It names at least one of `port`, `rate` and `lane`, and gives `alpha`, `guaranteed`, or both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShareOverride {
    /// Number of the port, as its link gives it, else counted from 1; every port if left out.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1023))]
    pub port: Option<u16>,
    /// Data rate of the port's cable; every rate if left out.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// Number of the lane; every lane if left out.
    #[serde(default)]
    #[schemars(range(min = 0, max = 14))]
    pub lane: Option<u8>,
    /// Factor of the dynamic threshold, for `sharing: Dynamic`: 1/128 to 128, held in steps of 1/65,536; that of
    /// `sharing` if left out.
    #[serde(default)]
    #[schemars(range(min = Alpha::LEAST, max = Alpha::MOST))]
    pub alpha: Option<f64>,
    /// Memory guaranteed to the port and lane; that of `sharing` if left out.
    #[serde(default)]
    pub guaranteed: Option<Bytes>,
}

impl ShareOverride {
    /// Returns true if the entry is for this port and lane, whose cable has this rate.
    fn names(&self, port: u16, lane: Lane, rate: Rate) -> bool {
        self.port.is_none_or(|number| number == port)
            && self.lane.is_none_or(|number| number == lane.0)
            && self.rate.is_none_or(|own| own == rate)
    }
}

/// Returns the share of a port, by its number, and lane, whose cable has this rate, by these rules; `None` without
/// sharing.
fn share_of(
    sharing: &Sharing,
    shares: &[ShareOverride],
    (port, lane, rate): (u16, Lane, Rate),
) -> Option<Share> {
    let mut share = Share { guaranteed: sharing.guaranteed()?, alpha: sharing.alpha() };
    for special in shares.iter().filter(|special| special.names(port, lane, rate)) {
        share.guaranteed = special.guaranteed.unwrap_or(share.guaranteed);
        share.alpha = special.alpha.map(Alpha::new).or(share.alpha);
    }
    Some(share)
}

/// Pool of the queues at the outputs (`BUFFER_POOL` of type `egress` in SONiC), of the lanes without PFC. It counts a
/// packet from its arrival until its tail has left, in the queue of its output and lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EgressPoolSpec {
    /// Size of the pool, the guarantees of its queues included.
    pub size: Bytes,
    /// Division of the pool among outputs and lanes: `Complete` or `Dynamic`.
    pub sharing: Sharing,
    /// Outputs, lanes or rates whose share of the pool differs.
    #[serde(default)]
    pub shares: Vec<ShareOverride>,
}

impl EgressPoolSpec {
    /// Returns the share of an output, by its number, and lane, whose cable has this rate; `None` without sharing.
    #[must_use]
    pub fn share_of(&self, output: u16, lane: Lane, rate: Rate) -> Option<Share> {
        share_of(&self.sharing, &self.shares, (output, lane, rate))
    }
}

/// Ports and lanes for which a switch's memory is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provision {
    /// Number of ports: at least those with a cable.
    #[schemars(range(min = 1, max = 254))]
    pub ports: u16,
    /// Number of lanes: at least `link.data_lanes`. The lanes that the scenario lacks have headroom under PFC.
    #[schemars(range(min = 1, max = 15))]
    pub lanes: u8,
}
