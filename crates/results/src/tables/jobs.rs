//! Table of jobs: `jobs.csv`.

use telemetry::RunRecord;

use crate::rows::JobRow;
use crate::summary::JobSummary;
use crate::table::TableRow;

/// Returns `jobs.csv`: one row for each job; `None` without jobs.
#[must_use]
pub fn jobs(record: &RunRecord) -> Option<String> {
    let rows = record.jobs.iter().map(|job| {
        let JobSummary { name, ranks, start_s, completion_s, operations, ended_operations, messages, bytes } =
            JobSummary::from(job);
        JobRow {
            job: name.into(),
            ranks,
            start_s,
            completion_s,
            operations,
            ended_operations,
            messages,
            bytes,
        }
    });
    (!record.jobs.is_empty()).then(|| JobRow::csv(rows))
}
