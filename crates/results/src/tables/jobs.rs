//! Tables of jobs: `jobs.csv`, `iterations.csv`, `ranks.csv`, `operations.csv`, `critical_path.csv`.
//!
//! Invariant: a run without jobs has none of them.

use telemetry::{
    CriticalPath, IterationRecord, JobRecord, MOST_OPERATIONS, OperationKind, PathIteration, PathParts,
    PathStep, PathStepKind, RankRecord, RunRecord,
};
use units::{Span, Time};

use crate::rows::{IterationRow, JobRow, OperationRow, PathStepRow, RankRow};
use crate::summary::{CriticalPathSummary, JobSummary};
use crate::table::TableRow;

/// Returns `jobs.csv`: one row for each job; `None` without jobs.
#[must_use]
pub fn jobs(record: &RunRecord) -> Option<String> {
    let row = |job: &JobRecord| {
        let job = JobSummary::from(job);
        let part = |part: fn(&CriticalPathSummary) -> f64| job.critical_path.as_ref().map(part);
        JobRow {
            ranks: job.ranks,
            hosts: job.hosts,
            start_s: job.start_s,
            completion_s: job.completion_s,
            iterations: job.iterations,
            iteration_s: job.iteration_s,
            longest_iteration_s: job.longest_iteration_s,
            algbw_gbyte_per_s: job.algbw_gbyte_per_s,
            busbw_gbyte_per_s: job.busbw_gbyte_per_s,
            operations: job.operations,
            ended_operations: job.ended_operations,
            messages: job.messages,
            bytes: job.bytes,
            ideal_s: job.ideal_s,
            slowdown: job.slowdown,
            straggler: job.straggler,
            spread_s: job.spread_s,
            exposed_s: job.exposed_s,
            unexpected_messages: job.unexpected_messages,
            path_compute_s: part(|path| path.compute_s),
            path_wire_s: part(|path| path.wire_s),
            path_waiting_s: part(|path| path.waiting_s),
            path_congestion_s: part(|path| path.congestion_s),
            path_source_s: part(|path| path.source_s),
            path_fabric_s: part(|path| path.fabric_s),
            job: job.name.into(),
        }
    };
    (!record.jobs.is_empty()).then(|| JobRow::csv(record.jobs.iter().map(row)))
}

/// Returns `iterations.csv`; `None` without jobs.
#[must_use]
pub fn iterations(record: &RunRecord) -> Option<String> {
    let rows = record.jobs.iter().flat_map(|job| {
        let most = job.iterations().take(MOST_OPERATIONS);
        most.map(move |one| iteration(job, &one))
    });
    (!record.jobs.is_empty()).then(|| IterationRow::csv(rows))
}

fn iteration<'a>(job: &'a JobRecord, one: &IterationRecord<'_>) -> IterationRow<'a> {
    let part = |part: fn(PathParts) -> Span| one.path.map(|path| part(path.parts).seconds());
    let places = job.measures.path.as_ref().map_or(&[][..], |path| &path.places);
    let most = one.path.and_then(|PathIteration { place, .. }| *place);
    let place = most.map(|(place, _)| &places[place as usize]);
    IterationRow {
        job: job.name.as_str().into(),
        iteration: one.number,
        end_s: one.end.seconds(),
        iteration_s: one.span.seconds(),
        ideal_s: one.ideal.map(Span::seconds),
        late_s: one.late().map(Span::seconds),
        path_compute_s: part(|parts| parts.compute),
        path_wire_s: part(|parts| parts.wire),
        path_waiting_s: part(|parts| parts.waiting),
        path_congestion_s: part(|parts| parts.congestion),
        path_source_s: part(|parts| parts.at_source),
        path_fabric_s: part(|parts| parts.in_fabric),
        node: place.map(|place| place.node.as_str().into()),
        port: place.map(|place| place.port.into()),
        tree: place.map(|place| place.root.is_some()),
        place_s: most.map(|(_, span)| span.seconds()),
    }
}

/// Returns `ranks.csv`; `None` without jobs.
#[must_use]
pub fn ranks(record: &RunRecord) -> Option<String> {
    let rows = of_jobs(record, |job| &job.measures.ranks).map(|(job, rank): (_, &RankRecord)| RankRow {
        job: job.into(),
        rank: rank.rank,
        host: rank.host.as_str().into(),
        operations: rank.operations,
        end_s: rank.end.map(Time::seconds),
        compute_s: rank.computing.seconds(),
        exposed_s: rank.exposed.seconds(),
        overlap_s: rank.overlap.seconds(),
        wait_s: rank.waited.seconds(),
        unexpected_messages: rank.unexpected,
        unexpected_s: rank.unexpected_wait.seconds(),
        messages: rank.messages,
        bytes: rank.bytes.get(),
        path_s: rank.critical.seconds(),
    });
    (!record.jobs.is_empty()).then(|| RankRow::csv(rows))
}

/// Returns `operations.csv`; `None` without jobs.
#[must_use]
pub fn operations(record: &RunRecord) -> Option<String> {
    let rows = of_jobs(record, |job| &job.measures.operations).map(|(job, operation)| OperationRow {
        job: job.into(),
        rank: operation.rank,
        operation: operation.operation,
        iteration: operation.iteration,
        kind: match operation.kind {
            OperationKind::Send => "send",
            OperationKind::Receive => "receive",
            OperationKind::Compute => "compute",
        }
        .into(),
        peer: operation.peer,
        bytes: operation.bytes.get(),
        start_s: operation.start.map(Time::seconds),
        end_s: operation.end.map(Time::seconds),
        critical: operation.is_critical,
    });
    (!record.jobs.is_empty()).then(|| OperationRow::csv(rows))
}

/// Returns `critical_path.csv`; `None` without jobs.
#[must_use]
pub fn critical_path(record: &RunRecord) -> Option<String> {
    let paths =
        record.jobs.iter().filter_map(|job| Some((job.name.as_str(), job.measures.path.as_ref().ok()?)));
    let rows = paths.flat_map(|(job, path)| path.steps.iter().map(move |one| step(job, path, one)));
    (!record.jobs.is_empty()).then(|| PathStepRow::csv(rows))
}

fn step<'a>(job: &'a str, path: &'a CriticalPath, step: &PathStep) -> PathStepRow<'a> {
    let place = step.place.map(|place| &path.places[place as usize]);
    PathStepRow {
        job: job.into(),
        rank: step.rank,
        operation: step.operation,
        iteration: step.iteration,
        kind: match step.kind {
            PathStepKind::Compute => "compute",
            PathStepKind::Message => "message",
            PathStepKind::Completion => "completion",
            PathStepKind::Request => "request",
            PathStepKind::Clear => "clear",
            PathStepKind::Start => "start",
        }
        .into(),
        to_rank: step.to,
        receive: step.receive,
        start_s: step.start.seconds(),
        end_s: step.end.seconds(),
        compute_s: step.parts.compute.seconds(),
        wire_s: step.parts.wire.seconds(),
        waiting_s: step.parts.waiting.seconds(),
        congestion_s: step.parts.congestion.seconds(),
        source_s: step.parts.at_source.seconds(),
        fabric_s: step.parts.in_fabric.seconds(),
        node: place.map(|place| place.node.as_str().into()),
        port: place.map(|place| place.port.into()),
        tree: place.map(|place| place.root.is_some()),
    }
}

/// Returns the items of each job, with the job's name.
fn of_jobs<'a, T: 'a>(
    record: &'a RunRecord,
    items: impl Fn(&'a JobRecord) -> &'a Vec<T>,
) -> impl Iterator<Item = (&'a str, &'a T)> {
    record.jobs.iter().flat_map(move |job| items(job).iter().map(|item| (job.name.as_str(), item)))
}
