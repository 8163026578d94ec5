//! Operations of jobs in a trace: a group for each job, with its critical path and rows for each rank.
//!
//! Invariant: an operation without length has no slice. Operations of a rank that overlap stand in several rows.

use std::io::{self, Write};

use telemetry::{JobRecord, OperationKind, OperationRecord, PathStep, PathStepKind, RunRecord};
use traces::perfetto::{Fact, PerfettoWriter, TrackId};
use units::Time;

use super::{EventKind, Limited};

/// Adds the operations that the record of each job has.
pub(super) fn add<W: Write>(record: &RunRecord, to: &mut Limited<W>) {
    let end = record.simulated.after_start();
    for job in &record.jobs {
        let mut group = None;
        add_path(job, &mut group, to);
        let all = &job.measures.operations;
        for of_rank in all.chunk_by(|one, other| one.rank == other.rank) {
            add_rank(job, of_rank, (&mut group, end), to);
        }
    }
}

/// Adds the steps of the critical path, which follow one another, as a row.
fn add_path<W: Write>(job: &JobRecord, group: &mut Option<TrackId>, to: &mut Limited<W>) {
    let Ok(path) = &job.measures.path else { return };
    let mut row = None;
    for step in path.steps.iter().filter(|step| step.start < step.end) {
        to.add(EventKind::PathStep, |writer| {
            let track = match row {
                Some(row) => row,
                None => {
                    let of_job = job_track(writer, job, group)?;
                    *row.insert(writer.track(Some(of_job), "critical path")?)
                }
            };
            let place = step.place.map(|place| &path.places[place as usize]);
            let place = place.map(|place| format!("{} port {} to {}", place.node, place.port, place.peer));
            writer.slice(track, (step.start, step.end), &step_name(step), &step_facts(step, place.as_deref()))
        });
    }
}

fn step_name(step: &PathStep) -> String {
    let PathStep { rank, .. } = step;
    match (step.kind, step.to) {
        (PathStepKind::Compute, _) => format!("compute at {rank}"),
        (PathStepKind::Start, _) => format!("wait for the start of {rank}"),
        (PathStepKind::Message, Some(to)) => format!("message from {rank} to {to}"),
        (PathStepKind::Completion, Some(to)) => format!("completion at {rank} of its message to {to}"),
        (PathStepKind::Request, Some(to)) => format!("request from {rank} to {to}"),
        (PathStepKind::Clear, Some(to)) => format!("clear from {rank} to {to}"),
        (_, None) => format!("message from {rank}"),
    }
}

/// Returns number and iteration of a step, and its parts in ps, with the place that congestion is blamed on.
fn step_facts<'a>(step: &PathStep, place: Option<&'a str>) -> Vec<Fact<'a>> {
    let parts = step.parts;
    let all = [
        ("compute (ps)", parts.compute),
        ("wire (ps)", parts.wire),
        ("waiting (ps)", parts.waiting),
        ("congestion (ps)", parts.congestion),
        ("late at the source (ps)", parts.at_source),
        ("late in the fabric (ps)", parts.in_fabric),
    ];
    let numbers =
        [Fact::Count("iteration", step.iteration.into()), Fact::Count("operation", step.operation.into())];
    let parts =
        all.into_iter().filter(|(_, span)| span.ps() > 0).map(|(name, span)| Fact::Count(name, span.ps()));
    numbers.into_iter().chain(parts).chain(place.map(|place| Fact::Text("congested output", place))).collect()
}

fn add_rank<W: Write>(
    job: &JobRecord,
    operations: &[OperationRecord],
    (group, end): (&mut Option<TrackId>, Time),
    to: &mut Limited<W>,
) {
    let span = |one: &OperationRecord| Some((one.start?, one.end.unwrap_or(end)));
    let mut all: Vec<_> = operations.iter().filter_map(|one| Some((span(one)?, one))).collect();
    all.retain(|((from, until), _)| from < until);
    all.sort_unstable_by_key(|(span, one)| (*span, one.operation));
    let mut parent = None;
    let mut rows: Vec<(TrackId, Time)> = Vec::new();
    for ((from, until), one) in all {
        let row = rows.iter().position(|(_, free)| *free <= from);
        to.add(EventKind::Operation, |writer| {
            let track = match row {
                Some(row) => rows[row].0,
                None => {
                    let parent = rank_track(writer, (job, one.rank), group, &mut parent)?;
                    rows.push((writer.track(Some(parent), "operations")?, until));
                    rows[rows.len() - 1].0
                }
            };
            let row = row.unwrap_or(rows.len() - 1);
            rows[row].1 = until;
            writer.slice(track, (from, until), &name(one), &facts(one))
        });
    }
}

/// Returns the track that groups the rows of a rank, below the track of its job.
fn rank_track<W: Write>(
    writer: &mut PerfettoWriter<W>,
    (job, rank): (&JobRecord, u32),
    group: &mut Option<TrackId>,
    parent: &mut Option<TrackId>,
) -> io::Result<TrackId> {
    if let Some(parent) = *parent {
        return Ok(parent);
    }
    let of_job = job_track(writer, job, group)?;
    Ok(*parent.insert(writer.track(Some(of_job), &format!("rank {rank}"))?))
}

/// Returns the track of a job.
fn job_track<W: Write>(
    writer: &mut PerfettoWriter<W>,
    job: &JobRecord,
    group: &mut Option<TrackId>,
) -> io::Result<TrackId> {
    Ok(match *group {
        Some(group) => group,
        None => *group.insert(writer.track(None, &format!("job {}", job.name))?),
    })
}

fn name(operation: &OperationRecord) -> String {
    match (operation.kind, operation.peer) {
        (OperationKind::Compute, _) => "compute".to_owned(),
        (OperationKind::Send, Some(to)) => format!("send to {to}"),
        (OperationKind::Send, None) => "send".to_owned(),
        (OperationKind::Receive, Some(from)) => format!("receive from {from}"),
        (OperationKind::Receive, None) => "receive from any".to_owned(),
    }
}

fn facts(operation: &OperationRecord) -> [Fact<'static>; 4] {
    [
        Fact::Count("iteration", operation.iteration.into()),
        Fact::Count("operation", operation.operation.into()),
        Fact::Count("bytes", operation.bytes.get()),
        Fact::Text("on the critical path", if operation.is_critical { "yes" } else { "no" }),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use telemetry::{CriticalPath, JobMeasures, PathParts};
    use units::{Bytes, Span};

    use super::*;

    /// Two operations at once need two rows, a third comes after them, and one without length has no slice.
    #[test]
    fn operations_at_once_have_rows_of_their_own() {
        let at = |ns| Some(Span::from_ns(ns).after_start());
        let operation = |rank, operation, kind, (start, end)| OperationRecord {
            rank,
            operation,
            iteration: 0,
            kind,
            peer: (kind == OperationKind::Send).then_some(1),
            bytes: Bytes::new(9),
            start,
            end,
            is_critical: true,
        };
        let operations = vec![
            operation(0, 0, OperationKind::Compute, (at(0), at(10))),
            operation(0, 1, OperationKind::Send, (at(5), at(20))),
            operation(0, 2, OperationKind::Compute, (at(10), at(30))),
            operation(0, 3, OperationKind::Compute, (at(30), at(30))),
            operation(1, 0, OperationKind::Receive, (at(0), None)),
            operation(1, 1, OperationKind::Compute, (None, None)),
        ];
        let step = |kind, to, (start, end): (u64, u64)| PathStep {
            rank: 0,
            operation: 0,
            iteration: 3,
            kind,
            to,
            receive: None,
            start: Span::from_ns(start).after_start(),
            end: Span::from_ns(end).after_start(),
            parts: PathParts { congestion: Span::from_ns(end - start), ..PathParts::default() },
            place: None,
        };
        let steps = vec![
            step(PathStepKind::Start, None, (0, 3)),
            step(PathStepKind::Compute, None, (3, 10)),
            step(PathStepKind::Message, Some(1), (10, 20)),
        ];
        let path = Ok(CriticalPath { steps, ..CriticalPath::default() });
        let measures = JobMeasures { operations, path, ..JobMeasures::default() };
        let job = JobRecord { name: "A".to_owned(), measures, ..JobRecord::default() };
        let record = RunRecord { jobs: vec![job], simulated: Span::from_ns(99), ..RunRecord::default() };
        let writer = PerfettoWriter::new(Vec::new());
        let mut limited = Limited { writer, most: 100, kinds: BTreeMap::new(), failed: None };
        add(&record, &mut limited);
        assert_eq!(limited.kinds[&EventKind::Operation].written, 4);
        assert_eq!(limited.kinds[&EventKind::PathStep].written, 3);
        let bytes = limited.writer.finish().expect("memory takes all");
        let times = |word: &str| bytes.windows(word.len()).filter(|found| *found == word.as_bytes()).count();
        let counts = ["job A", "rank 0", "rank 1", "operations", "send to 1", "receive from any"].map(times);
        assert_eq!(counts, [1, 1, 1, 3, 1, 1]);
        let counts =
            ["critical path", "wait for the start of 0", "message from 0 to 1", "congestion (ps)"].map(times);
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
        assert_eq!(times("iteration"), 7, "of four operations and three steps");
    }
}
