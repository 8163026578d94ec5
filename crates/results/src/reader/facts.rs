//! Fields of `summary.json` that figures need.

use serde::Deserialize;

/// Fields of `summary.json` that figures need.
#[derive(Clone, Debug, Deserialize)]
pub struct RunFacts {
    /// Name of the scenario.
    pub scenario: String,
    /// Scheme of congestion control, as the scenario names it.
    pub congestion_control: String,
    /// Seed of the random streams.
    pub seed: u64,
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
