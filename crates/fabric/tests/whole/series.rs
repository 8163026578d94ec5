//! Ports and sources over time, and logs of pauses: their samples add up to the counts of the run, and change nothing.

use std::collections::BTreeMap;

use telemetry::{PortSample, RunRecord};
use units::{Bytes, Span, Time};

use crate::common::{run, shipped};

const ALL: &str = r#"series=(ports: ["*"], sources: ["*"], pauses: ["*"], pauses_kept: 100000)"#;

/// Runs a scenario with this `series`, for a time that is a multiple of its samples.
fn with_series(name: &str, sets: &[&str], series: &str) -> RunRecord {
    run(&shipped(name, &[sets, &[series][..]].concat()))
}

/// An InfiniBand fabric with congestion control, and an Ethernet switch under PFC.
fn examples() -> [(&'static str, Vec<&'static str>); 3] {
    [
        ("victim", vec!["duration=\"24 ms\"", "sample=\"500 us\""]),
        ("roce-victim", vec!["duration=\"3 ms\"", "sample=\"50 us\""]),
        ("conext2016-join", vec!["duration=\"2 ms\"", "flows[2].start=\"1 ms\""]),
    ]
}

/// The samples of a lane, in order.
fn samples(record: &RunRecord, lane: usize) -> Vec<PortSample> {
    let series = record.port_series.as_ref().expect("ports are asked for");
    let place = series.lanes.iter().position(|one| *one as usize == lane).expect("the lane is asked for");
    series.samples.iter().skip(place).step_by(series.lanes.len()).copied().collect()
}

#[test]
fn the_digest_does_not_depend_on_series() {
    for (name, sets) in examples() {
        let (with, without) = (with_series(name, &sets, ALL), run(&shipped(name, &sets)));
        assert_eq!((with.digest, with.events), (without.digest, without.events), "{name}");
        assert!(without.port_series.is_none() && without.source_series.is_none());
        assert!(without.pause_events.is_none());
    }
}

#[test]
fn samples_of_ports_add_up_to_the_counts_of_the_run() {
    let mut marked = 0;
    for (name, sets) in examples() {
        let plan = shipped(name, &[&sets[..], &[ALL][..]].concat());
        let (graph, record) = (plan.graph(), run(&plan));
        let rows = record.series.rows.len();
        let mut highest = Bytes::ZERO;
        for (place, lane) in record.lanes.iter().enumerate() {
            let samples = samples(&record, place);
            assert_eq!(samples.len(), rows, "{name}");
            let sent: Bytes = samples.iter().map(|sample| sample.sent).sum();
            let stalled: Span = samples.iter().map(|sample| sample.stalled).sum();
            let marks: u64 = samples.iter().map(|sample| u64::from(sample.marked)).sum();
            assert_eq!((sent, stalled, marks), (lane.sent, lane.stalled, lane.marks.total()), "{name}");
            assert!(samples.iter().all(|sample| Bytes::new(sample.held.into()) <= lane.peak), "{name}");
            let is_host = graph.is_host(graph.find(&lane.node).expect("it is a node"));
            assert!(samples.iter().all(|sample| sample.queue.is_none() == is_host), "{name}");
            let queues = samples.iter().filter_map(|sample| sample.queue);
            highest = highest.max(Bytes::new(queues.max().unwrap_or(0).into()));
            marked += marks;
        }
        assert!(highest > Bytes::kib(8), "{name}: the longest queue at a sample has {highest}");
    }
    assert!(marked > 0, "no run has marked a packet");
}

#[test]
fn samples_of_sources_add_up_and_show_the_control() {
    for (name, sets) in examples() {
        let record = with_series(name, &sets, ALL);
        let series = record.source_series.as_ref().expect("sources are asked for");
        assert_eq!(series.flows.len(), record.flows.len(), "{name}");
        for (place, flow) in record.flows.iter().enumerate() {
            let samples = series.samples.iter().skip(place).step_by(series.flows.len());
            assert_eq!(samples.map(|sample| sample.delivered).sum::<Bytes>(), flow.delivered, "{name}");
        }
        let some = |has: fn(&telemetry::SourceSample) -> bool| series.samples.iter().any(has);
        let shown = [
            some(|sample| sample.ccti.is_some_and(|ccti| ccti > 0)),
            some(|sample| sample.alpha.is_some_and(|alpha| alpha > 0.0)),
            some(|sample| sample.rate.is_some()),
        ];
        let expected = match name {
            "victim" => [true, false, true],
            "roce-victim" => [false; 3],
            _ => [false, true, true],
        };
        assert_eq!(shown, expected, "{name}");
    }
}

/// Returns the time for which a lane was paused, by its logged events; a pause that lasts ends with the run.
fn paused(record: &RunRecord, lane: usize) -> Span {
    let events = &record.pause_events.as_ref().expect("pauses are asked for").events;
    let (mut since, mut sum) = (None::<Time>, Span::ZERO);
    for event in events.iter().filter(|event| event.lane as usize == lane) {
        assert_eq!(since.is_none(), event.paused, "pauses and their ends take turns");
        match since.take() {
            None => since = Some(event.at),
            Some(start) => sum += event.at - start,
        }
    }
    let end = Time::ZERO + record.simulated;
    sum + since.map_or(Span::ZERO, |start| end - start)
}

#[test]
fn logged_pauses_last_as_long_as_outputs_were_paused() {
    let (name, sets) = &examples()[1];
    let record = with_series(name, sets, ALL);
    let events = record.pause_events.as_ref().expect("pauses are asked for");
    assert!(events.events.is_sorted() && events.events.len() > 20 && events.lost == 0, "{events:?}");
    for (place, lane) in record.lanes.iter().enumerate() {
        let pause = lane.pause.expect("the fabric is under PFC");
        assert_eq!(paused(&record, place), pause.paused, "{} port {}", lane.node, lane.port);
    }
    let short = with_series(name, sets, r#"series=(pauses: ["*"], pauses_kept: 3)"#);
    let kept = short.pause_events.as_ref().expect("pauses are asked for");
    assert_eq!(kept.events.len() as u64 + kept.lost, events.events.len() as u64);
    let mut of_lane: BTreeMap<u32, usize> = BTreeMap::new();
    kept.events.iter().for_each(|event| *of_lane.entry(event.lane).or_default() += 1);
    assert!(kept.lost > 0 && of_lane.values().all(|count| *count <= 3), "{kept:?}");
}

#[test]
fn under_credits_there_are_no_pauses() {
    let (name, sets) = &examples()[0];
    let record = with_series(name, sets, ALL);
    assert_eq!(record.pause_events, Some(telemetry::PauseEvents::default()));
}

#[test]
fn the_busiest_have_the_samples_that_they_have_among_all() {
    let (name, sets) = &examples()[1];
    let all = with_series(name, sets, ALL);
    let some = with_series(
        name,
        sets,
        r#"series=(busiest_ports: 2, longest_queues: 1, ports: ["H5"], busiest_sources: 1)"#,
    );
    let series = some.port_series.as_ref().expect("ports are asked for");
    let mut by_bytes: Vec<_> = (0..all.lanes.len()).collect();
    by_bytes.sort_by_key(|place| std::cmp::Reverse(all.lanes[*place].sent));
    for place in by_bytes.iter().take(2) {
        assert!(series.lanes.contains(&(*place as u32)), "{:?} lacks {place}", series.lanes);
    }
    assert!(series.lanes.len() >= 3 && series.lanes.len() <= 4, "{:?}", series.lanes);
    for lane in &series.lanes {
        assert_eq!(samples(&some, *lane as usize), samples(&all, *lane as usize));
    }
    let most = all.flows.iter().map(|flow| flow.delivered).max();
    let sources = some.source_series.as_ref().expect("sources are asked for");
    assert_eq!(sources.flows.len(), 1);
    assert_eq!(Some(all.flows[sources.flows[0] as usize].delivered), most);
}
