//! Jobs in the verdict of a run: how long each took, against its ideal, and where its critical path lost time.
//!
//! Invariant: each number stands in `jobs.csv`, `iterations.csv` or `summary.json`, and each place in the job's
//! critical path.

use std::collections::BTreeMap;

use measures::censoring::CensoredValue;
use telemetry::{CriticalPath, JobRecord, PathParts, PathPlace, PathStepKind, RunRecord};
use units::Span;

use super::owners::Owners;
use super::words;
use crate::format::{counted, grouped};

/// Most jobs that sentences tell of.
const MOST_JOBS: usize = 3;
/// Most places that a sentence names, and most contributors of a place.
const MOST_NAMED: usize = 2;

/// Returns the job that took longest against its ideal, of several the first: before all others a job that is not
/// complete, after them a job without an ideal; `None` without jobs.
pub(super) fn slowest(record: &RunRecord) -> Option<&JobRecord> {
    let ratio = |job: &JobRecord| match (job.end, job.measures.ideal) {
        (None, _) => f64::INFINITY,
        (Some(end), Ok(ideal)) if ideal > Span::ZERO => end.since(job.start).ps() as f64 / ideal.ps() as f64,
        (Some(_), _) => 0.0,
    };
    record.jobs.iter().rev().max_by(|one, other| ratio(one).total_cmp(&ratio(other)))
}

/// Returns the time of each job, against its ideal; `None` without jobs.
pub(super) fn times(record: &RunRecord) -> Option<String> {
    let mut sentences: Vec<String> = record.jobs.iter().take(MOST_JOBS).map(time).collect();
    let more = record.jobs.len().saturating_sub(MOST_JOBS);
    sentences.extend((more > 0).then(|| format!("`jobs.csv` has {} more.", counted(more as u32, "job"))));
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn time(job: &JobRecord) -> String {
    let name = &job.name;
    let Some(end) = job.end else {
        let left = job.operations - job.ended;
        return format!(
            "{name} is not complete: {} of {} operations have not ended.",
            grouped(left),
            grouped(job.operations)
        );
    };
    let whole = end.since(job.start);
    match job.measures.ideal {
        Ok(ideal) if ideal > Span::ZERO => {
            let ratio = words::times(CensoredValue::Exact(whole.ps() as f64 / ideal.ps() as f64));
            format!("{name} took {}, {ratio} its ideal of {}.", time_of(whole), time_of(ideal))
        }
        Ok(_) | Err(_) => format!("{name} took {}.", time_of(whole)),
    }
}

/// Returns the parts of the critical paths that lost time; `None` if none did.
pub(super) fn paths(record: &RunRecord, owners: &Owners) -> Option<String> {
    let complete = record.jobs.iter().filter_map(|job| Some((job, job.measures.path.as_ref().ok()?)));
    let sentences = complete.take(MOST_JOBS).flat_map(|(job, path)| {
        let whole = of_path(record, owners, &job.name, path);
        let iteration = of_latest_iteration(record, owners, job, path);
        whole.into_iter().chain(iteration)
    });
    let sentences: Vec<String> = sentences.collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn of_path(record: &RunRecord, owners: &Owners, name: &str, path: &CriticalPath) -> Option<String> {
    let parts = path.parts;
    let named: Vec<_> = path.places.iter().take(MOST_NAMED).map(|place| (place, place.span)).collect();
    let lost = lost((record, owners), parts, &named, first_start(path));
    (!lost.is_empty()).then(|| {
        format!(
            "The critical path of {name} has {} of computation and {} of messages at their ideal time; it lost {}.",
            time_of(parts.compute),
            time_of(parts.wire),
            words::list(&lost)
        )
    })
}

/// Returns the lateness of a job's latest iteration, and the place that most of it is blamed on.
fn of_latest_iteration(
    record: &RunRecord,
    owners: &Owners,
    job: &JobRecord,
    path: &CriticalPath,
) -> Option<String> {
    let latest = job.latest_iteration()?;
    let late = format!(
        "Iteration {} of {} is {} late: {}, ideally {}",
        latest.number,
        job.name,
        time_of(latest.late()?),
        time_of(latest.span),
        time_of(latest.ideal?)
    );
    let on_path = latest.path?;
    let named = on_path.place.map(|(place, span)| (&path.places[place as usize], span));
    let start = first_start(path).filter(|_| latest.number == 0);
    let lost = lost((record, owners), on_path.parts, named.as_slice(), start);
    Some(match &lost[..] {
        [] => format!("{late}; in it, the critical path lost nothing."),
        lost => format!("{late}; in it, the critical path lost {}.", words::list(lost)),
    })
}

/// Returns the rank whose late start a path begins with, and the wait for it.
fn first_start(path: &CriticalPath) -> Option<(u32, Span)> {
    let first = path.steps.first().filter(|step| step.kind == PathStepKind::Start)?;
    Some((first.rank, first.parts.waiting))
}

/// Returns the parts of a path that lost time, with the places named first. `start` is a rank with the wait for it.
fn lost(
    (record, owners): (&RunRecord, &Owners),
    parts: PathParts,
    named: &[(&PathPlace, Span)],
    start: Option<(u32, Span)>,
) -> Vec<String> {
    let (mut lost, mut others) = (Vec::new(), parts.congestion);
    for (place, span) in named.iter().filter(|(_, span)| *span > Span::ZERO) {
        lost.push(format!("{} at {}", time_of(*span), at(record, owners, place)));
        others -= *span;
    }
    lost.extend(start.map(|(rank, wait)| format!("{} until rank {rank} started", time_of(wait))));
    let waiting = parts.waiting - start.map_or(Span::ZERO, |(_, wait)| wait);
    let more = [
        (others, "at other outputs"),
        (waiting, "behind other messages of the job at the same host"),
        (parts.at_source, "at the sources, unseen by samples"),
        (parts.in_fabric, "in the fabric, unseen by samples"),
    ];
    let more = more.into_iter().filter(|(span, _)| *span > Span::ZERO);
    lost.extend(more.map(|(span, place)| format!("{} {place}", time_of(span))));
    lost
}

/// Returns a place, and the contributors of its tree.
fn at(record: &RunRecord, owners: &Owners, place: &PathPlace) -> String {
    let output = format!("{} port {} to {}", place.node, place.port, place.peer);
    let Some(root) = place.root else { return output };
    let mut passed: BTreeMap<usize, (usize, u64)> = BTreeMap::new();
    for contributor in &record.congestion.roots[root as usize].contributors {
        let (flows, through) = passed.entry(owners.of(contributor.flow as usize)).or_default();
        *flows += 1;
        // Nothing where flows have other paths, too: the number of flows orders then.
        *through += contributor.through.unwrap_or_default().get();
    }
    let mut passed: Vec<_> = passed.into_iter().collect();
    passed.sort_by_key(|(owner, (flows, through))| (core::cmp::Reverse((*through, *flows)), *owner));
    let mut named: Vec<String> = passed
        .iter()
        .take(MOST_NAMED)
        .map(|(owner, (flows, _))| owners.at(*owner).flows_in_words(*flows))
        .collect();
    let rest: usize = passed.iter().skip(MOST_NAMED).map(|(_, (flows, _))| flows).sum();
    named.extend((rest > 0).then(|| format!("{} more", counted(rest as u32, "flow"))));
    if named.is_empty() {
        return format!("{output}, the root of a tree");
    }
    format!("{output}, the root of the tree of {}", words::list(&named))
}

fn time_of(span: Span) -> String {
    words::time(span.seconds())
}

#[cfg(test)]
mod tests {
    use telemetry::{
        ContributorRecord, FlowRecord, GroupRecord, JobMeasures, NotMeasured, PathIteration, PathStep,
        RootRecord,
    };
    use units::Bytes;

    use super::*;

    fn us(us: u64) -> Span {
        Span::from_us(us)
    }

    /// A job with 31 of 100 us at the root of an incast of two flows.
    fn record() -> RunRecord {
        let flow = |name: &str, group| FlowRecord {
            name: name.into(),
            named: group == 0,
            group: Some(group),
            ..FlowRecord::default()
        };
        let through = |flow, n| ContributorRecord { flow, through: Some(Bytes::new(n)), samples: 1 };
        let root = RootRecord {
            contributors: vec![through(0, 7), through(1, 5), through(2, 3)],
            ..RootRecord::default()
        };
        let place = |node: &str, root, span| PathPlace {
            node: node.to_owned(),
            port: 9,
            peer: "h4".to_owned(),
            lane: 0,
            root,
            span,
        };
        let parts = PathParts {
            compute: us(20),
            wire: us(30),
            waiting: us(4),
            congestion: us(36),
            at_source: us(0),
            in_fabric: us(10),
        };
        let places = vec![place("leaf3", Some(0), us(31)), place("leaf1", None, us(5))];
        let path = CriticalPath { parts, places, ..CriticalPath::default() };
        let measures = JobMeasures { ideal: Ok(us(40)), path: Ok(path), ..JobMeasures::default() };
        let job = JobRecord {
            name: "A".to_owned(),
            end: Some(us(100).after_start()),
            operations: 12,
            ended: 12,
            measures,
            ..JobRecord::default()
        };
        let mut record = RunRecord {
            groups: ["incast", "A"].map(|name| GroupRecord { name: name.to_owned() }).to_vec(),
            flows: vec![flow("i1", 1), flow("i2", 1), flow("A:0->1", 1)],
            jobs: vec![job],
            ..RunRecord::default()
        };
        (record.flows[0].group, record.flows[1].group) = (Some(0), Some(0));
        record.congestion.roots = vec![root];
        record
    }

    #[test]
    fn a_job_is_told_with_its_path() {
        let record = record();
        assert_eq!(times(&record).as_deref(), Some("A took 100 us, 2.5 times its ideal of 40 us."));
        let owners = Owners::new(&record, None);
        let told = paths(&record, &owners).expect("it lost time");
        assert_eq!(
            told,
            "The critical path of A has 20 us of computation and 30 us of messages at their ideal time; it lost 31 us at \
             leaf3 port 9 to h4, the root of the tree of all 2 flows of incast and the flow of A, 5 us at leaf1 port 9 to \
             h4, 4 us behind other messages of the job at the same host and 10 us in the fabric, unseen by samples."
        );
    }

    #[test]
    fn the_latest_iteration_is_told_with_its_place() {
        let mut record = record();
        let job = &mut record.jobs[0];
        job.ends = [us(40), us(100)].map(Span::after_start).to_vec();
        job.measures.ideal_ends = vec![us(21), us(40)];
        let parts = PathParts { compute: us(10), wire: us(12), congestion: us(33), ..PathParts::default() };
        let second = PathIteration { parts, place: Some((0, us(31))) };
        let path = job.measures.path.as_mut().expect("a path");
        path.iterations = vec![PathIteration::default(), second];
        let told = |record: &RunRecord| paths(record, &Owners::new(record, None)).expect("it lost time");
        let expected = "Iteration 1 of A is 41 us late: 60 us, ideally 19 us; in it, the critical path lost 31 us at \
                        leaf3 port 9 to h4, the root of the tree of all 2 flows of incast and the flow of A and 2 us \
                        at other outputs.";
        assert!(told(&record).ends_with(expected), "{}", told(&record));
        let job = &mut record.jobs[0];
        job.measures.path.as_mut().expect("a path").iterations[1] = PathIteration::default();
        assert!(told(&record).ends_with("in it, the critical path lost nothing."), "{}", told(&record));
        record.jobs[0].measures.ideal_ends.clear();
        assert!(!told(&record).contains("Iteration"), "{}", told(&record));
    }

    #[test]
    fn a_late_start_is_no_message() {
        let mut record = record();
        let parts = PathParts { waiting: us(3), ..PathParts::default() };
        let start = PathStep {
            rank: 7,
            operation: 0,
            iteration: 0,
            kind: PathStepKind::Start,
            to: None,
            receive: None,
            start: Span::ZERO.after_start(),
            end: us(3).after_start(),
            parts,
            place: None,
        };
        record.jobs[0].measures.path.as_mut().expect("a path").steps = vec![start];
        let told = paths(&record, &Owners::new(&record, None)).expect("it lost time");
        let expected =
            "3 us until rank 7 started, 1 us behind other messages of the job at the same host and";
        assert!(told.contains(expected), "{told}");
    }

    #[test]
    fn a_job_without_measures_is_told_as_far_as_it_is_known() {
        let mut record = record();
        let job = &mut record.jobs[0];
        (job.measures.ideal, job.measures.path) = (Err(NotMeasured::AnyMessage), Err(NotMeasured::Lossy));
        assert_eq!(times(&record).as_deref(), Some("A took 100 us."));
        assert_eq!(paths(&record, &Owners::new(&record, None)), None);
        (record.jobs[0].end, record.jobs[0].ended) = (None, 9);
        let told = "A is not complete: 3 of 12 operations have not ended.";
        assert_eq!(times(&record).as_deref(), Some(told));
        assert_eq!(times(&RunRecord::default()), None);
    }
}
