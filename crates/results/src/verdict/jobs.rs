//! Jobs in the verdict of a run: how long each took, against its ideal, and where its critical path lost time.
//!
//! Invariant: each number stands in `jobs.csv`, and each place among those of the job's critical path.

use std::collections::BTreeMap;

use measures::censoring::CensoredValue;
use telemetry::{CriticalPath, JobRecord, PathPlace, RunRecord};
use units::Span;

use super::owners::Owners;
use super::words;
use crate::format::{counted, grouped};

/// Most jobs that sentences tell of.
const MOST_JOBS: usize = 3;
/// Most places that a sentence names, and most contributors of a place.
const MOST_NAMED: usize = 2;

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
    let complete =
        record.jobs.iter().filter_map(|job| Some((job.name.as_str(), job.measures.path.as_ref().ok()?)));
    let sentences: Vec<String> =
        complete.take(MOST_JOBS).filter_map(|(name, path)| of_path(record, owners, name, path)).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn of_path(record: &RunRecord, owners: &Owners, name: &str, path: &CriticalPath) -> Option<String> {
    let parts = path.parts;
    let late = parts.sum() - parts.compute - parts.wire;
    if late == Span::ZERO {
        return None;
    }
    let mut lost: Vec<String> = path
        .places
        .iter()
        .take(MOST_NAMED)
        .filter(|place| place.span > Span::ZERO)
        .map(|place| format!("{} at {}", time_of(place.span), at(record, owners, place)))
        .collect();
    let others: Span = path.places.iter().skip(MOST_NAMED).map(|place| place.span).sum();
    let more = [
        (others, "at other outputs"),
        (parts.waiting, "behind other messages of the job at the same host"),
        (parts.at_source, "at the sources, unseen by samples"),
        (parts.in_fabric, "in the fabric, unseen by samples"),
    ];
    let more = more.into_iter().filter(|(span, _)| *span > Span::ZERO);
    lost.extend(more.map(|(span, place)| format!("{} {place}", time_of(span))));
    Some(format!(
        "The critical path of {name} has {} of computation and {} of messages at their ideal time; it lost {}.",
        time_of(parts.compute),
        time_of(parts.wire),
        words::list(&lost)
    ))
}

/// Returns a place, and the contributors of its tree.
fn at(record: &RunRecord, owners: &Owners, place: &PathPlace) -> String {
    let output = format!("{} port {} to {}", place.node, place.port, place.peer);
    let Some(root) = place.root else { return output };
    let mut passed: BTreeMap<usize, (usize, u64)> = BTreeMap::new();
    for contributor in &record.congestion.roots[root as usize].contributors {
        let (flows, through) = passed.entry(owners.of(contributor.flow as usize)).or_default();
        *flows += 1;
        *through += contributor.through.get();
    }
    let mut passed: Vec<_> = passed.into_iter().collect();
    passed.sort_by_key(|(owner, (_, through))| (core::cmp::Reverse(*through), *owner));
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
        ContributorRecord, FlowRecord, GroupRecord, JobMeasures, NotMeasured, PathParts, RootRecord,
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
        let through = |flow, n| ContributorRecord { flow, through: Bytes::new(n), samples: 1 };
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
