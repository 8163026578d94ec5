//! A set of jobs, and the outcome of each.
//!
//! Invariant: each distinct job is simulated once.

use std::collections::{BTreeMap, BTreeSet};

use fabric::RunOptions;

use crate::pool;
use crate::run::RunSpec;
use crate::simulation::{Outcome, SimulationError, simulate};

/// A run with a seed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Job {
    /// The run.
    pub run: RunSpec,
    /// Seed of its random streams.
    pub seed: u64,
}

impl Job {
    fn simulate(&self) -> Result<Outcome, SimulationError> {
        Ok(simulate(&self.run.plan(self.seed)?, RunOptions::default(), &mut |_| {})?)
    }
}

/// Outcomes of a set of jobs.
#[derive(Debug, Default)]
pub struct Outcomes(BTreeMap<Job, Outcome>);

impl Outcomes {
    /// Simulates all jobs, as many at a time as there are processors.
    ///
    /// # Errors
    /// The first error that a job meets.
    pub fn of(jobs: BTreeSet<Job>) -> Result<Self, SimulationError> {
        let jobs: Vec<_> = jobs.into_iter().collect();
        let outcomes = pool::work_through(Some("runs"), &jobs, |_| 1, Job::simulate)?;
        Ok(Self(jobs.into_iter().zip(outcomes).collect()))
    }

    /// Returns the outcome of a job.
    ///
    /// # Panics
    /// If the job was not in the set.
    #[must_use]
    pub fn get(&self, run: &RunSpec, seed: u64) -> &Outcome {
        &self.0[&Job { run: run.clone(), seed }]
    }

    /// Returns the number of distinct jobs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the set of jobs was empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
