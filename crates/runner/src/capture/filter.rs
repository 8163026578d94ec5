//! Packets that a capture takes.
//!
//! Invariant: a filter that can take nothing, because a name matches no host or flow, is an error that proposes names.
//! A condition that is not given takes everything. A PAUSE frame has no flow, source or destination: a condition on one
//! of these leaves it out.

use fabric::{Passing, Sighting};
use packet::{FlowId, Lane, NodeId, Opcode};
use scenario::{Plan, help_with_name};
use serde::Serialize;
use settings::glob;
use units::{Span, Time};

/// Kind of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Payload of a message.
    Data,
    /// Request of an RDMA READ.
    ReadRequest,
    /// Acknowledgement, positive or negative.
    Ack,
    /// Congestion notification packet.
    Cnp,
    /// PAUSE or RESUME frame.
    Pause,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Data, Self::ReadRequest, Self::Ack, Self::Cnp, Self::Pause];

    /// Returns the kind of what passes.
    #[must_use]
    pub const fn of(what: &Passing) -> Self {
        match what {
            Passing::Pause { .. } => Self::Pause,
            Passing::Packet(packet) => match packet.bth.opcode {
                Opcode::Cnp => Self::Cnp,
                Opcode::Acknowledge => Self::Ack,
                Opcode::ReadRequest => Self::ReadRequest,
                _ => Self::Data,
            },
        }
    }

    /// Returns the word for the kind.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::ReadRequest => "read-request",
            Self::Ack => "ack",
            Self::Cnp => "cnp",
            Self::Pause => "pause",
        }
    }
}

/// Conditions on packets, as they are written. A packet meets a condition with alternatives if it meets any of them.
#[derive(Clone, Debug, Default)]
pub struct FilterSpec {
    /// Names or patterns of flows that the payload belongs to, or that the packet answers.
    pub flows: Vec<String>,
    /// Names or patterns of hosts that send the packet.
    pub from: Vec<String>,
    /// Names or patterns of hosts that the packet is for.
    pub to: Vec<String>,
    /// Lanes or priorities.
    pub lanes: Vec<u8>,
    /// Kinds.
    pub kinds: Vec<Kind>,
    /// True for packets that the port sends alone, false for those that it receives alone.
    pub outbound: Option<bool>,
    /// Time from which packets are taken.
    pub begin: Option<Span>,
    /// Time until which packets are taken.
    pub end: Option<Span>,
}

/// A condition that no packet meets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// No flow has the name.
    #[error("there is no flow `{given}`")]
    NoFlow {
        /// Name or pattern.
        given: String,
        /// Names that may be meant.
        help: String,
    },
    /// No host has the name.
    #[error("there is no host `{given}`")]
    NoHost {
        /// Name or pattern.
        given: String,
        /// Names that may be meant.
        help: String,
    },
    /// The links have no such lane.
    #[error("there is no lane {given}")]
    NoLane {
        /// Number.
        given: u8,
        /// Number of lanes.
        lanes: u8,
    },
    /// The span of time is empty.
    #[error("no time lies from {begin} to {end}")]
    NoTime {
        /// Its beginning.
        begin: Span,
        /// Its end.
        end: Span,
    },
}

impl FilterError {
    /// Returns the correction.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::NoFlow { help, .. } | Self::NoHost { help, .. } => help.clone(),
            Self::NoLane { lanes, .. } => match lanes {
                1 => "the links have one lane: write 0".to_owned(),
                _ => format!("write a lane from 0 to {}", lanes - 1),
            },
            Self::NoTime { .. } => "write an end after the beginning".to_owned(),
        }
    }
}

/// Conditions on packets of a plan. The default takes everything.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// By flow; `None` for all.
    flows: Option<Vec<bool>>,
    /// By host.
    from: Option<Vec<bool>>,
    to: Option<Vec<bool>>,
    lanes: Option<Vec<u8>>,
    kinds: Option<Vec<Kind>>,
    outbound: Option<bool>,
    begin: Time,
    /// The first instant at which no packet is taken.
    end: Option<Time>,
    words: String,
}

impl Filter {
    /// Returns the conditions for a plan.
    ///
    /// # Errors
    /// If no packet of the plan can meet a condition.
    pub fn new(spec: &FilterSpec, plan: &Plan) -> Result<Self, FilterError> {
        let flows: Vec<&str> = plan.workload().flows.iter().map(|flow| &*flow.name).collect();
        let hosts: Vec<&str> = plan.graph().host_names().collect();
        let known_lanes = plan.link().data_lanes;
        if let Some(given) = spec.lanes.iter().copied().find(|lane| *lane >= known_lanes) {
            return Err(FilterError::NoLane { given, lanes: known_lanes });
        }
        if let Some((begin, end)) = spec.begin.zip(spec.end).filter(|(begin, end)| begin >= end) {
            return Err(FilterError::NoTime { begin, end });
        }
        let of_hosts = |given: &[String]| {
            chosen(given, &hosts)
                .map_err(|given| FilterError::NoHost { help: help_with_name(&given, &hosts, "hosts"), given })
        };
        let named = chosen(&spec.flows, &flows)
            .map_err(|given| FilterError::NoFlow { help: help_with_name(&given, &flows, "flows"), given })?;
        Ok(Self {
            flows: named,
            from: of_hosts(&spec.from)?,
            to: of_hosts(&spec.to)?,
            lanes: Some(spec.lanes.clone()).filter(|lanes| !lanes.is_empty()),
            kinds: Some(spec.kinds.clone()).filter(|kinds| !kinds.is_empty()),
            outbound: spec.outbound,
            begin: spec.begin.unwrap_or(Span::ZERO).after_start(),
            end: spec.end.map(Span::after_start),
            words: words(spec),
        })
    }

    /// Returns the conditions in words; nothing if there are none.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.words
    }

    /// Returns true if a packet meets all conditions.
    #[must_use]
    pub fn takes(&self, sighting: &Sighting) -> bool {
        let is_in_time = sighting.at >= self.begin && self.end.is_none_or(|end| sighting.at < end);
        let lane = match &sighting.what {
            Passing::Packet(packet) => packet.lrh.lane,
            Passing::Pause { lane, .. } => *lane,
        };
        is_in_time
            && self.outbound.is_none_or(|outbound| outbound == sighting.outbound)
            && self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&Kind::of(&sighting.what)))
            && self.lanes.as_ref().is_none_or(|lanes| lanes.iter().any(|given| Lane(*given) == lane))
            && self.takes_ends(&sighting.what)
    }

    fn takes_ends(&self, what: &Passing) -> bool {
        let Passing::Packet(packet) = what else {
            return self.flows.is_none() && self.from.is_none() && self.to.is_none();
        };
        let has =
            |chosen: &Option<Vec<bool>>, number: usize| chosen.as_ref().is_none_or(|chosen| chosen[number]);
        let (FlowId(flow), NodeId(from), NodeId(to)) =
            (packet.flow, packet.lrh.source().node(), packet.lrh.destination().node());
        has(&self.flows, flow as usize) && has(&self.from, from as usize) && has(&self.to, to as usize)
    }
}

/// Returns true for each name that any pattern matches; `None` if there is no pattern.
///
/// # Errors
/// If a pattern matches no name: the pattern.
fn chosen(given: &[String], names: &[&str]) -> Result<Option<Vec<bool>>, String> {
    let is_used = |pattern: &&String| names.iter().any(|name| glob::matches(pattern, name));
    if let Some(unused) = given.iter().find(|pattern| !is_used(pattern)) {
        return Err(unused.clone());
    }
    let is_chosen = |name: &&str| given.iter().any(|pattern| glob::matches(pattern, name));
    Ok((!given.is_empty()).then(|| names.iter().map(is_chosen).collect()))
}

/// Returns the conditions in words, such as `flow=F1, kind=data|cnp`.
fn words(spec: &FilterSpec) -> String {
    let list =
        |name: &str, given: Vec<String>| (!given.is_empty()).then(|| format!("{name}={}", given.join("|")));
    let direction = spec.outbound.map(|outbound| if outbound { "out" } else { "in" }.to_owned());
    let span = |given: Option<Span>| given.map(|span| span.to_string()).into_iter().collect();
    let all = [
        list("flow", spec.flows.clone()),
        list("from", spec.from.clone()),
        list("to", spec.to.clone()),
        list("lane", spec.lanes.iter().map(u8::to_string).collect()),
        list("kind", spec.kinds.iter().map(|kind| kind.word().to_owned()).collect()),
        list("direction", direction.into_iter().collect()),
        list("begin", span(spec.begin)),
        list("end", span(spec.end)),
    ];
    all.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
