//! The field `series`: ports and sources that are recorded over time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Ports and sources that are recorded at each sample, and ports whose pauses are logged, each kind in a file of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeriesSpec {
    /// Ports in `port_series.csv`: `switch:port` with the port's number, counted from 1, or with the node that its cable
    /// leads to. `*` stands for any text, `?` for any one character.
    #[serde(default)]
    pub ports: Vec<String>,
    /// Number of ports and lanes in `port_series.csv` besides: those that send most bytes. During the run all ports are
    /// recorded, 40 bytes for each lane and sample.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub busiest_ports: u32,
    /// The same number for those with the longest queue at any sample.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub longest_queues: u32,
    /// Flows in `source_series.csv`, by name or by their source host, or by a pattern of either.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Number of flows in `source_series.csv` besides: those that deliver most bytes. During the run all flows are recorded,
    /// 88 bytes for each flow and sample.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub busiest_sources: u32,
    /// Ports whose pauses are in `pauses.csv`, as in `ports`. A port under credits has none.
    #[serde(default)]
    pub pauses: Vec<String>,
    /// Number of beginnings and ends of pauses that are kept for each of these ports and lanes; later ones are counted.
    #[serde(default = "kept")]
    #[schemars(range(min = 1, max = 10_000_000))]
    pub pauses_kept: u32,
}

impl Default for SeriesSpec {
    fn default() -> Self {
        Self {
            ports: Vec::new(),
            busiest_ports: 0,
            longest_queues: 0,
            sources: Vec::new(),
            busiest_sources: 0,
            pauses: Vec::new(),
            pauses_kept: kept(),
        }
    }
}

impl SeriesSpec {
    /// Returns true if nothing is asked for.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

const fn kept() -> u32 {
    10_000
}
