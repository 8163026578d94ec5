//! Ports and sources that a plan records over time.
//!
//! Invariant: names are sorted, and each stands once.

use packet::{FlowId, NodeId, PortId};

/// Everything that is recorded over time because the scenario's `series` asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesPlan {
    /// Ports at each sample.
    pub ports: PortSeriesPlan,
    /// Sources at each sample.
    pub sources: SourceSeriesPlan,
    /// Pauses of outputs.
    pub pauses: PauseLogPlan,
}

/// Ports that are recorded at each sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSeriesPlan {
    /// Ports that the scenario names.
    pub named: Vec<(NodeId, PortId)>,
    /// Number of ports and lanes that send most bytes.
    pub busiest: usize,
    /// Number of ports and lanes with the longest queue at any sample.
    pub longest_queues: usize,
}

/// Flows that are recorded at each sample at their sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSeriesPlan {
    /// Flows that the scenario names, or whose source hosts it names.
    pub named: Vec<FlowId>,
    /// Number of flows that deliver most bytes.
    pub busiest: usize,
}

/// Outputs whose pauses are logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PauseLogPlan {
    /// Ports that the scenario names.
    pub ports: Vec<(NodeId, PortId)>,
    /// Number of changes that are kept for each port and lane.
    pub kept: usize,
}

impl PortSeriesPlan {
    /// Returns true if no port is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && !self.takes_all()
    }

    /// Returns true if all ports must be recorded during the run, so that the busiest can be chosen at its end.
    #[must_use]
    pub const fn takes_all(&self) -> bool {
        self.busiest > 0 || self.longest_queues > 0
    }

    /// Returns true if the scenario names this port.
    #[must_use]
    pub fn names(&self, node: NodeId, port: PortId) -> bool {
        self.named.binary_search(&(node, port)).is_ok()
    }
}

impl SourceSeriesPlan {
    /// Returns true if no flow is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && !self.takes_all()
    }

    /// Returns true if all flows must be recorded during the run, so that the busiest can be chosen at its end.
    #[must_use]
    pub const fn takes_all(&self) -> bool {
        self.busiest > 0
    }
}

impl PauseLogPlan {
    /// Returns true if the pauses of this port are logged.
    #[must_use]
    pub fn logs(&self, node: NodeId, port: PortId) -> bool {
        self.ports.binary_search(&(node, port)).is_ok()
    }
}
