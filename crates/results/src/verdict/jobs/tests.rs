//! Sentences on jobs of a record that is made by hand.

use telemetry::{
    ContributorRecord, FlowRecord, GroupRecord, JobMeasures, NotMeasured, PathIteration, PathStep,
    RootRecord, SharedLink,
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
    let measures = JobMeasures { ideal: Ok(us(53)), path: Ok(path), ..JobMeasures::default() };
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
    assert_eq!(times(&record).as_deref(), Some("A took 100 us, 1.89 times its ideal of 53 us."));
    let owners = Owners::new(&record, None);
    let told = paths(&record, &owners).expect("it was held up");
    assert_eq!(
        told,
        "The critical path of A has 20 us of computation, 30 us of messages at their ideal time and 3 us behind other \
         messages of the job at the same host, as its ideal has, and was held up for 47 us: 31 us at leaf3 port 9 to \
         h4, the root of the tree of all 2 flows of incast and the flow of A, 5 us at leaf1 port 9 to h4, 1 us more than \
         ideally behind other messages of the job at the same host and 10 us in the fabric, unseen by samples."
    );
}

#[test]
fn an_output_is_named_once() {
    let mut record = record();
    let path = record.jobs[0].measures.path.as_mut().expect("a path");
    path.places[1].node = "leaf3".to_owned();
    let told = paths(&record, &Owners::new(&record, None)).expect("it was held up");
    let once = "47 us: 36 us at leaf3 port 9 to h4, for 31 us of them the root of the tree of all 2 flows of incast \
                and the flow of A, 1 us more";
    assert!(told.contains(once), "{told}");
    // The order of the two changes nothing.
    record.jobs[0].measures.path.as_mut().expect("a path").places.reverse();
    assert_eq!(paths(&record, &Owners::new(&record, None)).as_deref(), Some(&*told));
}

#[test]
fn a_shared_link_is_named_with_the_flows_of_others() {
    let mut record = record();
    let path = record.jobs[0].measures.path.as_mut().expect("a path");
    path.places[0] = PathPlace { node: "h1".to_owned(), root: None, ..path.places[0].clone() };
    path.shared = vec![SharedLink { place: 0, flows: vec![0, 1] }];
    let told = paths(&record, &Owners::new(&record, None)).expect("it was held up");
    let shared = "31 us at h1 port 9 to h4, a link that it shares with all 2 flows of incast, 5 us at leaf1";
    assert!(told.contains(shared), "{told}");
}

/// Jobs that took as long as ideally, or hardly longer, or that are late.
#[test]
fn a_ratio_has_three_digits_and_tells_late_jobs() {
    let cases = [(53, "1.00", false), (54, "1.02", false), (56, "1.06", true), (106, "2.00", true)];
    for (took, told, is_late) in cases {
        let mut record = record();
        record.jobs[0].end = Some(us(took).after_start());
        let sentence = times(&record).expect("a job");
        assert!(sentence.contains(&format!(", {told} times its ideal")), "{sentence}");
        assert_eq!(any_is_late(&record), is_late, "{sentence}");
    }
}

/// Parts of all sizes: waits and all else add up to the length, and what made the job later to its lateness. Without
/// waits of its own beyond the ideal, nothing of the ideal's own waits is told as a wait.
#[test]
fn parts_add_up_and_lateness_is_what_the_ideal_does_not_have() {
    let sizes = [0, 3, 40];
    let all = sizes.iter().flat_map(|compute| sizes.iter().map(move |waiting| (*compute, *waiting)));
    for (compute, waiting) in all {
        for (congestion, ideal) in [(0, 5), (7, 5), (7, 30), (60, 45), (60, 90)] {
            let (wire, in_fabric) = (us(2), us(1));
            let (compute, waiting, congestion) = (us(compute), us(waiting), us(congestion));
            let parts = PathParts { compute, wire, waiting, congestion, in_fabric, ..PathParts::default() };
            // No chain of computations and messages is longer than the ideal.
            let ideal = us(ideal).max(compute + wire);
            let shares = Shares::of(parts, None, Some(ideal));
            let contained = shares.contained.expect("there is an ideal");
            let (whole, held) = (parts.sum(), shares.held());
            assert_eq!(compute + wire + contained + held, whole, "{parts:?}");
            let late = whole - ideal.min(whole);
            assert!(held >= late, "{parts:?}: nothing else made it late");
            // Without other waits than those of the ideal, no wait of its own is one.
            if whole == ideal + congestion + in_fabric {
                assert_eq!((shares.beyond, held), (Span::ZERO, late), "{parts:?}");
            }
            let without = without_effect(held, Some(late), "it");
            assert_eq!(without.is_empty(), held == late, "{parts:?}: {without}");
        }
    }
    // Nothing is known to be more than ideal without an ideal.
    let parts = PathParts { waiting: us(9), ..PathParts::default() };
    assert_eq!(Shares::of(parts, None, None).held(), Span::ZERO);
}

#[test]
fn the_latest_iteration_is_told_with_its_place() {
    let mut record = record();
    let job = &mut record.jobs[0];
    job.ends = [us(40), us(100)].map(Span::after_start).to_vec();
    job.measures.ideal_ends = vec![us(21), us(53)];
    let parts = PathParts { compute: us(10), wire: us(12), congestion: us(33), ..PathParts::default() };
    let second = PathIteration { parts, place: Some((0, us(31))) };
    let path = job.measures.path.as_mut().expect("a path");
    path.iterations = vec![PathIteration::default(), second];
    let told = |record: &RunRecord| paths(record, &Owners::new(record, None)).expect("it was held up");
    let expected = "Iteration 1 of A is 28 us late: 60 us, ideally 32 us; in it, the critical path was held up for 33 \
                    us: 31 us at leaf3 port 9 to h4, the root of the tree of all 2 flows of incast and the flow of A and 2 \
                    us at other outputs; 5 us of that did not make it later than its ideal.";
    assert!(told(&record).ends_with(expected), "{}", told(&record));
    let job = &mut record.jobs[0];
    job.measures.path.as_mut().expect("a path").iterations[1] = PathIteration::default();
    assert!(told(&record).ends_with("in it, nothing held up the critical path."), "{}", told(&record));
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
    let told = paths(&record, &Owners::new(&record, None)).expect("it was held up");
    let expected = "3 us until rank 7 started, and was held up for 47 us";
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
