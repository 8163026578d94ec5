//! Rows of a result folder's tables, and the fields of `summary.json` that figures need.
//!
//! Invariant: a row has the columns that its readers need, and no other.

use serde::Deserialize;

/// Fields of `summary.json` that figures need.
#[derive(Clone, Debug, Deserialize)]
pub struct RunFacts {
    /// Name of the scenario.
    pub scenario: String,
    /// Scheme of congestion control, as the scenario names it.
    pub congestion_control: String,
    /// Simulated time, in s, with the drain.
    pub simulated_s: f64,
    /// Phases, in order.
    pub phases: Vec<PhaseFacts>,
    /// Flows without a name.
    pub others: OtherFacts,
    /// Log of pauses, if the scenario asks for one.
    #[serde(default)]
    pub pause_log: Option<PauseLogFacts>,
}

/// The log of pauses in `summary.json`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct PauseLogFacts {
    /// Number of events for which it had no room.
    pub lost_events: u64,
}

/// A phase in `summary.json`.
#[derive(Clone, Debug, Deserialize)]
pub struct PhaseFacts {
    /// The change that begins the phase.
    pub name: String,
    /// Beginning, in s.
    pub from_s: f64,
    /// End, in s.
    pub to_s: f64,
}

/// Flows without a name in `summary.json`.
#[derive(Clone, Debug, Deserialize)]
pub struct OtherFacts {
    /// Number of flows.
    pub flows: usize,
}

impl RunFacts {
    /// Returns the end of the run in s, without a drain.
    #[must_use]
    pub fn end_s(&self) -> f64 {
        self.phases.last().map_or(self.simulated_s, |phase| phase.to_s)
    }

    /// Returns the number of beginnings and ends of pauses that the full log lost.
    #[must_use]
    pub fn lost_pauses(&self) -> u64 {
        self.pause_log.map_or(0, |log| log.lost_events)
    }

    /// Returns the scheme of congestion control in words.
    #[must_use]
    pub fn scheme(&self) -> String {
        match self.congestion_control.as_str() {
            "Off" => "no congestion control".to_owned(),
            "Iba" => "InfiniBand congestion control".to_owned(),
            "Hp" => "congestion control of the HP proposal".to_owned(),
            "Dcqcn" => "DCQCN".to_owned(),
            "Guideline" => "InfiniBand congestion control by the guideline".to_owned(),
            "Mixed" => "parts of several congestion controls".to_owned(),
            other => other.to_owned(),
        }
    }
}

/// A row of `flows.csv`.
#[derive(Clone, Debug, Deserialize)]
pub struct FlowRow {
    /// Name.
    pub flow: String,
    /// Source host.
    pub src: String,
    /// Destination host.
    pub dst: String,
    /// Group, if it belongs to one.
    #[serde(default)]
    pub group: Option<String>,
    /// Whether the scenario names the flow.
    pub named: bool,
    /// Time of its first message, in s.
    pub start_s: f64,
    /// Payload delivered.
    pub delivered_bytes: f64,
}

/// A row of `series.csv`.
#[derive(Clone, Debug, Deserialize)]
pub struct SeriesRow {
    /// End of the interval, in s.
    pub time_s: f64,
    /// Kind of the subject: `flow`, `group`, `others` or `total`.
    pub kind: String,
    /// Name of the subject.
    pub name: String,
    /// Goodput in the interval.
    pub goodput_bps: f64,
    /// Number of flows of which there are quartiles.
    #[serde(default)]
    pub flows: Option<u32>,
    /// Lower quartile of the goodput of a flow.
    #[serde(default)]
    pub lower_quartile_bps: Option<f64>,
    /// Median of the goodput of a flow.
    #[serde(default)]
    pub median_bps: Option<f64>,
    /// Upper quartile of the goodput of a flow.
    #[serde(default)]
    pub upper_quartile_bps: Option<f64>,
}

/// A row of `fct.csv`: a message.
#[derive(Clone, Debug, Deserialize)]
pub struct MessageRow {
    /// Name of its flow.
    pub flow: String,
    /// Payload.
    pub size_bytes: f64,
    /// The completion time on the empty fabric.
    #[serde(default)]
    pub ideal_us: Option<f64>,
    /// Time from its posting to its delivery; `None` if it was not delivered.
    pub fct_us: Option<f64>,
    /// The completion time as a multiple of that on the empty fabric.
    pub slowdown: Option<f64>,
    /// Time since its posting at the end of the run, of a message that was not delivered.
    #[serde(default)]
    pub age_s: Option<f64>,
}

/// A row of `watch.csv`: a value at an instant.
#[derive(Clone, Debug, Deserialize)]
pub struct QuantityRow {
    /// The sample, in s.
    pub time_s: f64,
    /// The output or flow.
    pub object: String,
    /// The quantity, with its unit at the end.
    pub quantity: String,
    /// The value.
    pub value: Option<f64>,
}

/// Label of a run in a row of `compare.csv`.
#[derive(Clone, Debug, Deserialize)]
pub struct ComparisonLabel {
    /// The label.
    pub run: String,
}

/// A row of `trees.csv`: a tree at a sample.
#[derive(Clone, Debug, Deserialize)]
pub struct TreeRow {
    /// The sample, in s.
    pub time_s: f64,
    /// Switch of the root.
    pub root_node: String,
    /// Its output.
    pub root_port: u32,
    /// Node at the other end.
    pub root_peer: String,
    /// Lane.
    pub lane: u32,
    /// Packets waiting for the root in its switch.
    pub queue_bytes: f64,
}

impl TreeRow {
    /// Returns the name of the root.
    #[must_use]
    pub fn root(&self) -> String {
        output(&self.root_node, self.root_port, &self.root_peer, self.lane)
    }
}

fn output(node: &str, port: u32, peer: &str, lane: u32) -> String {
    let lane = if lane == 0 { String::new() } else { format!(", VL{lane}") };
    format!("{node} port {port} to {peer}{lane}")
}

/// A row of `worst_tree.csv`: an output or a flow of the tree.
#[derive(Clone, Debug, Deserialize)]
pub struct WorstTreeRow {
    /// The sample, in s.
    pub time_s: f64,
    /// `root`, `branch`, `contributor` or `victim`.
    pub role: String,
    /// Node of an output.
    pub node: Option<String>,
    /// Its port.
    pub port: Option<u32>,
    /// Source host of a flow.
    pub src: Option<String>,
}

impl WorstTreeRow {
    /// Returns node and port of an output; `None` of a flow.
    #[must_use]
    pub fn output(&self) -> Option<(String, u32)> {
        Some((self.node.clone()?, self.port?))
    }
}

/// A row of `ports.csv`.
#[derive(Clone, Debug, Deserialize)]
pub struct PortRow {
    /// Node.
    pub node: String,
    /// Port.
    pub port: u32,
    /// Node at the other end.
    pub peer: String,
    /// Time for which packets waited without credit.
    pub without_credit_s: f64,
    /// Time for which the output was paused.
    #[serde(default)]
    pub paused_s: Option<f64>,
}

/// A row of `port_series.csv`: a port in an interval.
#[derive(Clone, Debug, Deserialize)]
pub struct PortSample {
    /// End of the interval, in s.
    pub time_s: f64,
    /// Node.
    pub node: String,
    /// Port.
    pub port: u32,
    /// Node at the other end.
    pub peer: String,
    /// Lane.
    pub lane: u32,
    /// Packets waiting for the output; `None` at an adapter.
    pub queue_bytes: Option<f64>,
    /// Share of the link's rate.
    pub utilisation: f64,
    /// Time with packets waiting and no credit, or paused.
    pub stalled_s: f64,
}

/// A row of `pauses.csv`: the beginning or the end of a pause of an output.
#[derive(Clone, Debug, Deserialize)]
pub struct PauseRow {
    /// Time at which it took effect, in s.
    pub time_s: f64,
    /// Node of the output.
    pub node: String,
    /// Port.
    pub port: u32,
    /// Node at the other end.
    pub peer: String,
    /// Lane.
    pub lane: u32,
    /// `pause` or `resume`.
    pub event: String,
}

impl PauseRow {
    /// Returns true if the output could not send from then on.
    #[must_use]
    pub fn is_pause(&self) -> bool {
        self.event == "pause"
    }

    /// Returns the name of the output.
    #[must_use]
    pub fn output(&self) -> String {
        output(&self.node, self.port, &self.peer, self.lane)
    }
}

impl PortSample {
    /// Returns the name of the output.
    #[must_use]
    pub fn output(&self) -> String {
        output(&self.node, self.port, &self.peer, self.lane)
    }
}
