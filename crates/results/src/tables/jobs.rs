//! Table of jobs: `jobs.csv`.

use telemetry::RunRecord;

use crate::rows::JobRow;
use crate::summary::JobSummary;
use crate::table::TableRow;

/// Returns `jobs.csv`: one row for each job; `None` without jobs.
#[must_use]
pub fn jobs(record: &RunRecord) -> Option<String> {
    let rows = record.jobs.iter().map(|job| {
        let JobSummary {
            name,
            ranks,
            hosts,
            start_s,
            completion_s,
            iterations,
            iteration_s,
            algbw_gbyte_per_s,
            busbw_gbyte_per_s,
            operations,
            ended_operations,
            messages,
            bytes,
        } = JobSummary::from(job);
        JobRow {
            job: name.into(),
            ranks,
            hosts,
            start_s,
            completion_s,
            iterations,
            iteration_s,
            algbw_gbyte_per_s,
            busbw_gbyte_per_s,
            operations,
            ended_operations,
            messages,
            bytes,
        }
    });
    (!record.jobs.is_empty()).then(|| JobRow::csv(rows))
}
