//! The result of a unit, and its budget.
//!
//! Invariant: a result is plain data that survives its file. Its numbers have at most fifteen digits, which every
//! reader of JSON reads back as they were. So a stored result and a new result are the same to the last bit.

use std::time::Duration;

use fabric::RunError;
use results::manifest::RunEnd;
use scenario::Plan;
use serde::{Deserialize, Serialize};
use telemetry::{RunEnding, RunRecord};
use units::Bytes;

use crate::simulation::Outcome;
use crate::unit::Unit;
use measures::{Measure, Measured};
use results::lossless::Loss;

/// The result of a unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitResult {
    /// Name of the unit, and of its folder.
    pub name: String,
    /// The unit.
    pub unit: Unit,
    /// Seed of the plan, from the unit or from the scenario.
    pub seed: u64,
    /// Digest of the plan, in hexadecimal.
    pub plan_digest: String,
    /// Version of the simulator.
    pub version: String,
    /// Commit from which the simulator was built, if it is known.
    #[serde(default)]
    pub commit: Option<String>,
    /// End of the run.
    pub ended: UnitEnd,
    /// Fault of a run with results, if any.
    #[serde(default)]
    pub fault: Option<RunFault>,
    /// Digest of the run; `None` if the run has no results.
    pub digest: Option<String>,
    /// Number of packets lost; `None` if the run has no results.
    pub lost_packets: Option<u64>,
    /// Measures of the run; none if it has no results.
    pub measures: Vec<Measured>,
    /// Cost of the run. Everything else is the same on every machine, but for runs that a budget of time ended.
    pub cost: UnitCost,
}

impl UnitResult {
    /// Returns the end as a single word ([`UnitEnd::word_with`] its fault).
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.ended.word_with(self.fault)
    }

    /// Returns true if the run has results, no fault, and no job that is stuck.
    #[must_use]
    pub const fn is_sound(&self) -> bool {
        self.ended.has_results() && self.fault.is_none() && !self.is_stuck()
    }

    /// Returns true if the program of a job is at fault: it is stuck, or takes messages of other sizes.
    #[must_use]
    pub const fn is_of_wrong_job(&self) -> bool {
        matches!(self.fault, Some(RunFault::SizesDiffer)) || self.fault.is_none() && self.is_stuck()
    }

    /// Returns true if no rank of a job could go on, so that its numbers are no lower bounds of others: nothing would
    /// follow in a longer run.
    #[must_use]
    pub const fn is_stuck(&self) -> bool {
        matches!(self.ended, UnitEnd::Stuck { .. })
    }

    /// Returns a measure, if it is stored: those of [`measures::run::all`] and those that were asked for are.
    #[must_use]
    pub fn measured(&self, measure: &Measure) -> Option<&Measured> {
        self.measures.iter().find(|one| one.measure == *measure)
    }

    /// Returns true if the run has results, and this measure is not among them.
    #[must_use]
    pub fn lacks(&self, measure: &Measure) -> bool {
        self.ended.has_results() && self.measured(measure).is_none()
    }
}

/// A fault of a run with results: its numbers are true, but the fabric does not do its work, or a job not what its
/// program says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum RunFault {
    /// Nothing was delivered any more, while outputs waited for each other.
    StandsStill {
        /// Time since which nothing was delivered.
        since_s: f64,
    },
    /// Packets were dropped on lanes with PFC.
    NotLossless {
        /// Number of packets.
        packets: u64,
    },
    /// A receive of a job took a message of another size.
    SizesDiffer,
    /// The run was to be drained, and packets were still under way after the longest drain.
    NotDrained {
        /// Number of packets under way.
        packets: u64,
    },
}

impl RunFault {
    /// Returns the fault of a run, which was to be drained or not; of several the first of a standstill, a loss, a job
    /// whose sizes differ, and a drain that took too long. That all has failed, or a job is stuck, comes before sizes.
    #[must_use]
    pub fn of(plan: &Plan, record: &RunRecord, drain: bool) -> Option<Self> {
        let standstill = record.stands_still.map(|since| Self::StandsStill { since_s: since.seconds() });
        let loss = || Loss::of(plan, record).map(|loss| Self::NotLossless { packets: loss.packets });
        let ends_before = matches!(record.ended, RunEnding::GaveUp | RunEnding::Stuck);
        let unequal = record.unequal().filter(|_| !ends_before).map(|_| Self::SizesDiffer);
        let not_drained = Self::NotDrained { packets: record.audit.under_way };
        let not_drained = (drain && !record.audit.drained).then_some(not_drained);
        standstill.or_else(loss).or(unequal).or(not_drained)
    }

    /// Returns the fault as a single word, as tables have it: `stands_still`, `not_lossless`, `sizes_differ`,
    /// `not_drained`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::StandsStill { .. } => "stands_still",
            Self::NotLossless { .. } => "not_lossless",
            Self::SizesDiffer => "sizes_differ",
            Self::NotDrained { .. } => "not_drained",
        }
    }
}

/// Time that a run took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitCost {
    /// Elapsed real time, in whole microseconds.
    pub wall_s: f64,
    /// Number of events handled; 0 if the run has no results.
    pub events: u64,
}

/// End of the run of a unit. Only a run that was complete, done, not done or gave up has measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum UnitEnd {
    /// The run reached its end.
    Complete,
    /// All finite traffic was delivered, and the run was to end then.
    Done {
        /// Time at which the last message was delivered.
        done_s: f64,
    },
    /// The run was to end when all finite traffic was delivered, and reached its longest time before.
    NotDone {
        /// Simulated time, the longest of the run.
        simulated_s: f64,
    },
    /// The run was to end when all finite traffic was delivered, and all that was left of it had failed.
    GaveUp {
        /// Simulated time, up to the sample that found it.
        simulated_s: f64,
    },
    /// No rank of a job that is not done could go on.
    Stuck {
        /// Simulated time, up to the sample that found it.
        simulated_s: f64,
        /// The first such job; empty in results of versions that kept no name.
        #[serde(default)]
        job: String,
    },
    /// The run took longer than its budget of real time.
    OverTime {
        /// The budget.
        budget_s: f64,
        /// Simulated time that it reached.
        simulated_s: f64,
    },
    /// The run did not start: its traffic is expected to need more memory than its budget.
    OverMemory {
        /// The budget.
        budget_bytes: u64,
        /// The memory that the traffic is expected to need.
        expected_bytes: u64,
    },
    /// Packets were found to wait for each other in a cycle.
    Deadlock {
        /// The cycle.
        message: String,
    },
    /// The simulator violated its own invariant.
    Violation {
        /// The invariant.
        message: String,
    },
}

impl UnitEnd {
    /// Returns the end of a simulation; `None` if it was interrupted.
    pub(crate) fn of(outcome: &Result<Outcome, RunError>) -> Option<Self> {
        let Outcome { summary, record, .. } = match outcome {
            Ok(outcome) => outcome,
            Err(error @ RunError::Deadlock(_)) => return Some(Self::Deadlock { message: error.to_string() }),
            Err(error @ RunError::Violation(_)) => {
                return Some(Self::Violation { message: error.to_string() });
            }
        };
        let simulated_s = summary.simulated_s;
        match record.ended {
            RunEnding::AtDuration => Some(Self::Complete),
            RunEnding::Done => Some(Self::Done { done_s: summary.done_s.unwrap_or(simulated_s) }),
            RunEnding::NotDone => Some(Self::NotDone { simulated_s }),
            RunEnding::GaveUp => Some(Self::GaveUp { simulated_s }),
            RunEnding::Stuck => {
                let job = record.jobs.iter().find(|job| job.end.is_none());
                Some(Self::Stuck { simulated_s, job: job.map_or_else(String::new, |job| job.name.clone()) })
            }
            RunEnding::Interrupted => None,
        }
    }

    /// Returns the end as a single word, as tables have it: the fault of a run with results, if any, otherwise this
    /// end.
    #[must_use]
    pub fn word_with(&self, fault: Option<RunFault>) -> &'static str {
        fault.map_or(self.word(), RunFault::word)
    }

    /// Returns the end as a single word, as tables have it: `complete`, `deadlock`.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Done { .. } => "done",
            Self::NotDone { .. } => "not_done",
            Self::GaveUp { .. } => "gave_up",
            Self::Stuck { .. } => "stuck",
            Self::OverTime { .. } => "over_time",
            Self::OverMemory { .. } => "over_memory",
            Self::Deadlock { .. } => "deadlock",
            Self::Violation { .. } => "violation",
        }
    }

    /// Returns true if the run has results: it reached an end that its scenario gives.
    #[must_use]
    pub const fn has_results(&self) -> bool {
        matches!(
            self,
            Self::Complete
                | Self::Done { .. }
                | Self::NotDone { .. }
                | Self::GaveUp { .. }
                | Self::Stuck { .. }
        )
    }

    /// Returns the end as words: `over time`, `stuck: job train`.
    #[must_use]
    pub fn words_with(&self, fault: Option<RunFault>) -> String {
        match self {
            Self::Stuck { job, .. } if fault.is_none() && !job.is_empty() => format!("stuck: job {job}"),
            _ => self.word_with(fault).replace('_', " "),
        }
    }

    /// Returns the end as a manifest has it.
    #[must_use]
    pub fn of_manifest(&self) -> RunEnd {
        match self {
            Self::Complete => RunEnd::Complete,
            Self::Done { done_s } => RunEnd::Done { done_s: *done_s },
            Self::NotDone { simulated_s } => RunEnd::NotDone { simulated_s: *simulated_s },
            Self::GaveUp { simulated_s } => RunEnd::GaveUp { simulated_s: *simulated_s },
            Self::Stuck { simulated_s, .. } => RunEnd::Stuck { simulated_s: *simulated_s },
            Self::OverTime { simulated_s, .. } => RunEnd::Interrupted { simulated_s: *simulated_s },
            Self::OverMemory { .. } => RunEnd::Interrupted { simulated_s: 0.0 },
            Self::Deadlock { message } => RunEnd::Deadlock { message: message.clone() },
            Self::Violation { message } => RunEnd::Violation { message: message.clone() },
        }
    }
}

/// Limits of each run; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunBudget {
    /// Real time that a run may take.
    pub wall: Option<Duration>,
    /// Memory that the traffic of a run may be expected to need.
    pub memory: Option<Bytes>,
}

impl RunBudget {
    /// Returns true if a run that ended so could end otherwise under this budget, which is larger than its own was.
    pub(crate) fn allows_more_than(&self, ended: &UnitEnd) -> bool {
        match ended {
            UnitEnd::OverTime { budget_s, .. } => self.wall.is_none_or(|wall| wall.as_secs_f64() > *budget_s),
            UnitEnd::OverMemory { expected_bytes, .. } => {
                self.memory.is_none_or(|memory| memory.get() >= *expected_bytes)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use telemetry::{JobRecord, UnequalSizes};

    use super::*;

    /// The order is that of exit statuses: gave up is 9, stuck and sizes 10, not done and not drained 6.
    #[test]
    fn sizes_come_after_a_run_that_gave_up() {
        let plan = crate::simulation::plan("one-flow", &[], None).unwrap();
        let [sent, received] = [800, 8].map(Bytes::new);
        let unequal = Some(UnequalSizes { send: (1, 0), sent, receive: (0, 0), received });
        let of = |ended, unequal| {
            let job = JobRecord { unequal, ..JobRecord::default() };
            RunFault::of(&plan, &RunRecord { ended, jobs: vec![job], ..RunRecord::default() }, true)
        };
        for ended in [RunEnding::Done, RunEnding::NotDone, RunEnding::AtDuration] {
            assert_eq!(of(ended, unequal), Some(RunFault::SizesDiffer));
        }
        for ended in [RunEnding::GaveUp, RunEnding::Stuck] {
            assert_eq!(of(ended, unequal), of(ended, None));
            assert_ne!(of(ended, unequal), Some(RunFault::SizesDiffer));
        }
    }

    #[test]
    fn a_larger_budget_allows_more() {
        let of = |seconds: Option<u64>, bytes: Option<u64>| RunBudget {
            wall: seconds.map(Duration::from_secs),
            memory: bytes.map(Bytes::new),
        };
        let late = UnitEnd::OverTime { budget_s: 10.0, simulated_s: 0.1 };
        assert!(!of(Some(10), None).allows_more_than(&late));
        assert!(of(Some(11), None).allows_more_than(&late) && of(None, None).allows_more_than(&late));
        let large = UnitEnd::OverMemory { budget_bytes: 5, expected_bytes: 8 };
        assert!(!of(None, Some(7)).allows_more_than(&large) && of(None, Some(8)).allows_more_than(&large));
        assert!(!of(None, None).allows_more_than(&UnitEnd::Complete));
    }
}
