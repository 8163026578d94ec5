//! Measures of jobs.
//!
//! Invariant: a job that a run lacks has dashes there.

use measures::Measure;
use measures::run::{of_jobs, several};

use super::measured;
use super::row::{ComparedRun, ComparisonRow};

/// Topic of these rows.
pub(super) const TOPIC: &str = "jobs";

/// Returns a row for each job and quantity of which a run has a number.
pub(super) fn rows(runs: &[ComparedRun<'_>]) -> Vec<ComparisonRow> {
    let mut names: Vec<&str> = Vec::new();
    for job in runs.iter().flat_map(|run| &run.record.jobs) {
        if !names.contains(&&*job.name) {
            names.push(&job.name);
        }
    }
    let measures: Vec<Measure> = of_jobs(names.into_iter());
    let of_runs: Vec<_> = runs.iter().map(|run| several(run.measured(), measures.iter().cloned())).collect();
    let row = |measure: &Measure| measured::titled((TOPIC, &measure.group), measure.quantity);
    let mut rows = measured::filled(measures.iter().map(row), &of_runs);
    rows.retain(ComparisonRow::has_value);
    rows
}
