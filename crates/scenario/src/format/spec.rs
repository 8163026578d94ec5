//! The scenario file, as written.
//!
//! Invariant: no field is checked against another here; that is [`Scenario::check`]'s.

use std::collections::BTreeMap;

use ca_transport::spec::AdapterSpec;
use cc_policies::Scheme;
use link_layer::spec::{CableSpec, LinkSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use switch_arch::spec::SwitchSpec;
use topology::{RoutingSpec, TopologySpec};
use units::Span;
use workload::{FlowSpec, PatternSpec};

/// An experiment: a fabric, what is sent over it, and for how long.
///
/// The file holds it in RON. `Some` may be left out; a variant with fields needs one pair of
/// parentheses: `congestion_control: Iba(marking: (...), ...)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What the experiment shows. Its first sentence stands in the list of scenarios.
    pub about: String,
    /// What it is called in tables and files; the file's name if left out.
    #[serde(default)]
    pub name: Option<String>,
    /// How long it is simulated; above 0.
    pub duration: Span,
    /// Seed of all random streams.
    #[serde(default = "one")]
    pub seed: u64,
    /// Interval of the series over time; above 0, at most the duration, at least a millionth of it.
    pub sample: Span,
    /// Who is cabled to whom.
    pub topology: TopologySpec,
    /// By what rule forwarding tables are made.
    #[serde(default)]
    pub routing: RoutingSpec,
    /// What becomes of routes on which packets could wait for each other in a cycle.
    #[serde(default)]
    pub dependency_cycles: DependencyCycles,
    /// Kinds of cable, by the name that `topology` gives them.
    pub cables: BTreeMap<String, CableSpec>,
    /// What all links have in common.
    pub link: LinkSpec,
    /// Every switch but those in `switches`.
    pub switch: SwitchSpec,
    /// Switches that differ, by name.
    #[serde(default)]
    pub switches: BTreeMap<String, SwitchSpec>,
    /// Every channel adapter but those in `adapters`.
    pub adapter: AdapterSpec,
    /// Channel adapters that differ, by the name of their host.
    #[serde(default)]
    pub adapters: BTreeMap<String, AdapterSpec>,
    /// Congestion control, in all places at once.
    pub congestion_control: Scheme,
    /// Whether completion times of messages are kept.
    #[serde(default)]
    pub completions: Completions,
    /// Flows with a name of their own.
    #[serde(default)]
    pub flows: Vec<FlowSpec>,
    /// Flows made by a rule.
    #[serde(default)]
    pub traffic: Vec<PatternSpec>,
    /// What is written down at each sample besides goodput.
    #[serde(default)]
    pub watch: Vec<WatchSpec>,
}

/// What to look at, sample by sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum WatchSpec {
    /// What waits in a switch for an output and lane, in bytes.
    Queue {
        /// The switch, by name.
        switch: String,
        /// The output port, counted from 1.
        #[schemars(range(min = 1, max = 254))]
        port: u16,
        /// The lane.
        #[serde(default)]
        #[schemars(range(min = 0, max = 14))]
        lane: u8,
    },
    /// How DCQCN's reaction point controls a flow: its rate, its target, and alpha.
    Control {
        /// The flow, by name.
        flow: String,
    },
}

/// What becomes of routes on which packets could wait for each other in a cycle, so that a run could stand
/// still: a cycle of the channel-dependency graph, over the ways and lanes of the scenario's flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DependencyCycles {
    /// They are refused, and the cycle is named.
    #[default]
    Refused,
    /// They are run: for the study of deadlock.
    Allowed,
}

/// Whether it is kept when each message was posted and when it was delivered, 40 bytes a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Completions {
    /// It is, for `fct.csv` and the table of completion times.
    #[default]
    Kept,
    /// It is not: for runs of very many messages.
    NotKept,
}

fn one() -> u64 {
    1
}
