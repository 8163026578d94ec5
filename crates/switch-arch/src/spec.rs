//! What a scenario writes down about a switch.

use link_layer::Alpha;
use packet::{Lane, PortId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

/// A switch: scenario field `switch` for all of them, `switches` by name for those that differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchSpec {
    /// Where packets wait, and therefore who contends for an output.
    pub buffering: BufferingSpec,
    /// Who wins.
    pub arbiter: ArbiterSpec,
    /// Buffer of each port and lane, at least one packet of the link's MTU, under credits at most 128 KiB (IBA's count
    /// to 2,048 blocks of 64 bytes). Where memory is shared, its size is the sum of them. Under `Pause` the headroom is
    /// part of it: a port and lane of its own buffer asks for a pause at what is left.
    pub buffer: Bytes,
    /// Ports or lanes whose buffer differs.
    #[serde(default)]
    pub buffers: Vec<BufferOverride>,
    /// Queue of each output and lane behind the crossbar, at least one packet of the link's MTU; `buffer` if
    /// left out. Only `CombinedInputOutput` has such queues: elsewhere it is refused.
    #[serde(default)]
    pub output_buffer: Option<Bytes>,
    /// Who may occupy how much of the memory, where it is one: `buffering: Central`.
    #[serde(default)]
    pub sharing: Sharing,
    /// The most that may wait for an output and lane, at least one packet of the link's MTU: what comes in beyond that
    /// is dropped; no limit if left out. Under `Pause` and `Lossy` only.
    #[serde(default)]
    pub egress_limit: Option<Bytes>,
    /// From the header's arrival to the packet's readiness to leave.
    pub latency: Span,
    /// Whether a packet may leave before its tail has come in.
    pub forwarding: Forwarding,
    /// How much faster an input's buffer can be read than its link fills it, 1 to 1000. A single packet
    /// can always be read at the rate of its output. With `CombinedInputOutput` also how much faster an
    /// output's queues can be written than its link empties them. `Output` and `Central` are not read at inputs,
    /// and not limited by it.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub speedup: f64,
}

impl SwitchSpec {
    /// Buffer of a port and lane, with the override that names it; a later one stands over an earlier.
    #[must_use]
    pub fn buffer_of(&self, port: PortId, lane: Lane) -> Bytes {
        let names = |special: &&BufferOverride| {
            special.port == port.0 + 1 && special.lane.is_none_or(|number| number == lane.0)
        };
        self.buffers.iter().rev().find(names).map_or(self.buffer, |special| special.size)
    }

    /// Queue of each output and lane behind the crossbar; none where packets go from where they wait to the wire.
    #[must_use]
    pub fn output_queue(&self) -> Option<Bytes> {
        self.buffering.has_output_queues().then(|| self.output_buffer.unwrap_or(self.buffer))
    }
}

/// Where packets wait. Everywhere the memory is allotted by input and lane ([`SwitchSpec::buffer`]), and a
/// packet is charged to its input's until its tail has left it: on the wire, or with `CombinedInputOutput` over
/// the crossbar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BufferingSpec {
    /// At the inputs, in one queue for each lane: head-of-line blocking and all.
    InputFifo,
    /// At the inputs, in a queue for each output (virtual output queues).
    InputVoq,
    /// At the outputs, in one queue for each lane. All inputs write at once, so the memory is as many times
    /// faster than a link as there are ports; `speedup` has no bearing.
    Output,
    /// In a memory that all ports share, with one queue for each output and lane, as in `Output`.
    Central,
    /// At the inputs in virtual output queues, and once more at the outputs, behind a crossbar that is `speedup`
    /// times faster than the links.
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

    /// Returns true if packets wait a second time, at their output behind the crossbar
    /// ([`SwitchSpec::output_buffer`]).
    #[must_use]
    pub const fn has_output_queues(self) -> bool {
        match self {
            Self::CombinedInputOutput => true,
            Self::InputFifo | Self::InputVoq | Self::Output | Self::Central => false,
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

/// Who may occupy how much of a central memory, whose size is the sum of all buffers of its switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Sharing {
    /// Every port and lane has its own buffer.
    #[default]
    Static,
    /// What is not guaranteed to anyone is given as it is asked for (complete sharing with a minimum for each:
    /// Kamoun and Kleinrock 1980).
    Complete {
        /// What every port and lane is guaranteed, and also how far its credits may run ahead of what it holds:
        /// at least one packet of the link's MTU, at most 128 KiB, counted in whole blocks of 64 bytes.
        guaranteed: Bytes,
    },
    /// Of what is not guaranteed, a port and lane may use up to `alpha` times what nobody uses (dynamic
    /// thresholds: Choudhury and Hahne 1998).
    Dynamic {
        /// 1/128 to 128, held in steps of 1/65,536.
        #[schemars(range(min = Alpha::LEAST, max = Alpha::MOST))]
        alpha: f64,
        /// As for `Complete`.
        guaranteed: Bytes,
    },
}

impl Sharing {
    /// What every port and lane is guaranteed; none where each has its own buffer.
    #[must_use]
    pub const fn guaranteed(&self) -> Option<Bytes> {
        match self {
            Self::Static => None,
            Self::Complete { guaranteed } | Self::Dynamic { guaranteed, .. } => Some(*guaranteed),
        }
    }

    /// The factor of the dynamic threshold.
    #[must_use]
    pub fn alpha(&self) -> Option<Alpha> {
        match self {
            Self::Static | Self::Complete { .. } => None,
            Self::Dynamic { alpha, .. } => Some(Alpha::new(*alpha)),
        }
    }
}

/// Who wins an output, where packets wait at inputs. In `Output` and `Central` nobody contends for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum ArbiterSpec {
    /// Inputs take turns.
    RoundRobin,
    /// Outputs grant and inputs accept, each in turn, so often in an instant (McKeown 1999).
    Islip {
        /// How often, 1 to 254. With as many as ports nothing that could move is left out.
        #[schemars(range(min = 1, max = 254))]
        iterations: u8,
    },
    /// What came in first goes first.
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

/// When a packet may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Forwarding {
    /// As soon as it is routed, if its tail cannot be overrun: virtual cut-through.
    CutThrough,
    /// Once its tail has come in.
    StoreAndForward,
}

/// A port, or one lane of it, whose buffer differs from the switch's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BufferOverride {
    /// The port, counted from 1.
    #[schemars(range(min = 1, max = 254))]
    pub port: u16,
    /// The lane; every lane if left out.
    #[serde(default)]
    #[schemars(range(min = 0, max = 14))]
    pub lane: Option<u8>,
    /// Its buffer.
    pub size: Bytes,
}
