//! The fields of a scenario file, as written.
//!
//! Invariant: no field is checked against another here; [`Scenario::check`] does that.

use std::collections::BTreeMap;

use ca_transport::spec::AdapterSpec;
use cc_policies::Scheme;
use link_layer::spec::{CableSpec, LinkSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use switch_arch::spec::SwitchSpec;
use topology::{CableChange, RoutingSpec, TopologySpec};
use units::Span;
use workload::{FlowSpec, JobSpec, PatternSpec};

use super::series::SeriesSpec;

/// An experiment: a fabric, its traffic, and the duration of the run.
///
/// A scenario file is written in RON. `Some` may be left out; a choice with fields needs one pair of
/// parentheses: `congestion_control: Iba(marking: (...), ...)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The aim of the experiment. The first sentence is shown in the list of scenarios.
    pub about: String,
    /// Name in tables and files; the file's name if left out.
    #[serde(default)]
    pub name: Option<String>,
    /// Simulated time, above 0; with `until_done` the longest.
    pub duration: Span,
    /// Ends the run when all finite traffic is delivered: flows and patterns that end by a number of messages, a `stop`, an
    /// `until` or a list. Other traffic goes on meanwhile.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("default" = false))]
    pub until_done: bool,
    /// Seed of all random streams without a seed of their own in `seeds`.
    #[serde(default = "one")]
    pub seed: u64,
    /// Seeds of some random streams apart from the others; `seed` for those that are left out.
    #[serde(default, skip_serializing_if = "SeedsSpec::is_default")]
    pub seeds: SeedsSpec,
    /// Interval of the series over time; above 0, at most the duration, at least a millionth of it.
    pub sample: Span,
    /// Hosts, switches and the cables between them.
    pub topology: TopologySpec,
    /// Single cables that differ from the topology, by a port at one of their ends, as in `watch`: `"leaf1:spine2": Removed`
    /// by the nodes at both ends (all cables between them), `"leaf1:17": Kind("slow")` by a port's number. `*` stands for any
    /// text, `?` for any one character; an entry without them has precedence.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("default" = {}))]
    pub changed_cables: BTreeMap<String, CableChange>,
    /// Rule by which forwarding tables are made.
    #[serde(default)]
    pub routing: RoutingSpec,
    /// Lanes of the layers of paths, for routings that have layers.
    #[serde(default, skip_serializing_if = "LayerLanes::is_default")]
    #[schemars(extend("default" = "Kept"))]
    pub layer_lanes: LayerLanes,
    /// Treatment of routes on which packets could wait for each other in a cycle.
    #[serde(default)]
    pub dependency_cycles: DependencyCycles,
    /// Kinds of cables, by the names that `topology` uses.
    pub cables: BTreeMap<String, CableSpec>,
    /// Settings of all links.
    pub link: LinkSpec,
    /// Settings of every switch without an entry in `switches`.
    pub switch: SwitchSpec,
    /// Settings of switches that differ, by name or pattern: `*` stands for any text, `?` for any one character. A field that an
    /// entry leaves out is that of `switch`; an entry with `memory` has no `buffer`, and the reverse. The entry of a name has
    /// precedence over a pattern that matches the name, and inherits the fields that the pattern states. Two patterns never
    /// match the same name.
    #[serde(default)]
    pub switches: BTreeMap<String, SwitchSpec>,
    /// Settings of every channel adapter without an entry in `adapters`.
    pub adapter: AdapterSpec,
    /// Settings of channel adapters that differ, by the name of their host or by a pattern, as in `switches`. A field that an
    /// entry leaves out is that of `adapter`.
    #[serde(default)]
    pub adapters: BTreeMap<String, AdapterSpec>,
    /// Congestion control: marking, notification and response.
    pub congestion_control: Scheme,
    /// Recording of the completion times of messages.
    #[serde(default)]
    pub completions: Completions,
    /// Flows with a name of their own.
    #[serde(default)]
    pub flows: Vec<FlowSpec>,
    /// Flows made by a rule.
    #[serde(default)]
    pub traffic: Vec<PatternSpec>,
    /// Jobs: programs of ranks that wait for each other's messages. None if left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobSpec>,
    /// Quantities recorded at each sample besides goodput.
    #[serde(default)]
    pub watch: Vec<WatchSpec>,
    /// Ports and sources recorded at each sample; none if left out.
    #[serde(default, skip_serializing_if = "SeriesSpec::is_default")]
    pub series: SeriesSpec,
}

/// Seeds of some random streams, so that traffic, paths and congestion control can be varied apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeedsSpec {
    /// Seed of the traffic: sources, destinations, sizes and times that are drawn; `seed` if left out.
    #[serde(default)]
    pub traffic: Option<u64>,
    /// Seed of the paths: the hashes of `Ecmp`, the tables of `Random`, and the draws of `switch.selection`; `seed` if left
    /// out.
    #[serde(default)]
    pub ecmp: Option<u64>,
    /// Seed of congestion control: packets that are marked by chance, and timers that do not run in step; `seed` if left
    /// out.
    #[serde(default)]
    pub marking: Option<u64>,
}

impl SeedsSpec {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A quantity recorded at each sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum WatchSpec {
    /// The packets that wait in switches for outputs and a lane, in bytes.
    Queue {
        /// The outputs: `switch:port` with the port's number, counted from 1, or with the node that its cable leads to.
        /// `*` stands for any text, `?` for any one character.
        ports: String,
        /// The lane.
        #[serde(default)]
        #[schemars(range(min = 0, max = 14))]
        lane: u8,
    },
    /// The state of the response that controls flows: for DCQCN rate, target rate and alpha; for IBA the index into its
    /// table, the delay and the rate that it allows; for the HP proposal delay, rate and window.
    Control {
        /// The flows with this name, or whose names match it: `*` stands for any text, `?` for any one character.
        flow: String,
    },
}

/// Treatment of routes on which packets could wait for each other in a cycle, a deadlock: a cycle of the
/// channel-dependency graph, over the paths and lanes of the scenario's flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DependencyCycles {
    /// The scenario is refused, and the cycle is named.
    #[default]
    Refused,
    /// The scenario is run, for the study of deadlock.
    Allowed,
}

/// Lanes of the layers of paths: with dimension order in a torus, or minimal routing in a dragonfly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum LayerLanes {
    /// Every layer has the lane of its service level on the whole path.
    #[default]
    Kept,
    /// Switches change lanes by input and output, so that two lanes do for each service level that flows ask for.
    Changed,
}

impl LayerLanes {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Recording of the times at which each message was posted, delivered and acknowledged, 56 bytes a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Completions {
    /// Times are recorded, for `fct.csv` and the table of completion times.
    #[default]
    Kept,
    /// Times are not recorded, for runs of very many messages.
    NotKept,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

fn one() -> u64 {
    1
}
