//! Moments of a run: every output, and the congestion trees, against the other records of the same run.

use std::collections::BTreeSet;

use fabric::{RunOptions, simulate};
use telemetry::{Moment, RunRecord, Timeline};
use units::{Bytes, Span};

use crate::common::shipped;

/// The run has a tree, and 220 samples.
const SETS: [&str; 3] = ["duration=22 ms", "congestion_control=Off", r#"series=(ports: ["*"])"#];

fn with_moments(moments: usize) -> RunRecord {
    let plan = shipped("victim", &SETS);
    simulate(&plan, RunOptions { moments, ..RunOptions::default() }, &mut |_| {}).expect("the run ends well")
}

fn timeline(record: &RunRecord) -> &Timeline {
    record.timeline.as_ref().expect("moments are asked for")
}

/// Returns the moments that are multiples of the first but for the sample with the worst tree, which may lie between.
fn evenly_spaced(record: &RunRecord) -> Vec<&Moment> {
    let moments = &timeline(record).moments;
    let worst = record.congestion.worst.as_ref().map(|tree| tree.at);
    let interval = moments.iter().find(|moment| Some(moment.at) != worst).expect("there are moments").at;
    let is_multiple = |moment: &&Moment| moment.at.ps().is_multiple_of(interval.ps());
    moments.iter().filter(|moment| Some(moment.at) != worst || is_multiple(moment)).collect()
}

#[test]
fn moments_are_evenly_spaced_and_as_many_as_asked_for() {
    let without = with_moments(0);
    assert!(without.timeline.is_none());
    for most in [2, 8, 20] {
        let record = with_moments(most);
        assert_eq!(record.digest, without.digest);
        let moments = evenly_spaced(&record);
        assert!((most / 2..=most).contains(&moments.len()), "{} of {most}", moments.len());
        let interval = moments[0].at.since_start();
        assert!(interval.ps().is_multiple_of(record.series.interval.ps()));
        for (number, moment) in (1..).zip(&moments) {
            assert_eq!(moment.at, (interval * number).after_start());
        }
        let rest = record.simulated - moments.last().expect("there are moments").at.since_start();
        assert!(rest < interval, "{rest}");
    }
}

#[test]
fn a_moment_sums_up_the_samples_of_its_interval() {
    let record = with_moments(8);
    let moments = &timeline(&record).moments;
    let series = record.port_series.as_ref().expect("all ports are asked for");
    let samples: Vec<_> = series.samples.chunks_exact(series.lanes.len()).collect();
    let number = |moment: &Moment| (moment.at.since_start().ps() / record.series.interval.ps()) as usize;
    let starts = [0].into_iter().chain(moments.iter().map(number));
    for (from, moment) in starts.zip(moments) {
        let samples = &samples[from..number(moment)];
        assert!(!samples.is_empty() && samples.len() < 100, "{}", samples.len());
        for (place, lane) in moment.lanes.iter().enumerate() {
            let of_lane = || samples.iter().map(|row| row[place]);
            assert_eq!(lane.sent, of_lane().map(|sample| sample.sent).sum::<Bytes>());
            assert_eq!(lane.stalled, of_lane().map(|sample| sample.stalled).sum::<Span>());
            assert_eq!(lane.queue, samples[samples.len() - 1][place].queue);
        }
    }
    let sent: Bytes = moments.iter().flat_map(|moment| &moment.lanes).map(|lane| lane.sent).sum();
    assert!(sent > Bytes::kib(1024), "{sent}");
}

/// A tree of a few samples would otherwise fall between two moments, and a picture would have none.
#[test]
fn the_worst_tree_is_at_a_moment_however_few_there_are() {
    for moments in [2, 8, 10_000] {
        let record = with_moments(moments);
        let worst = record.congestion.worst.as_ref().expect("there is a tree");
        let of_worst: Vec<_> = timeline(&record).moments.iter().filter(|one| one.at == worst.at).collect();
        assert_eq!(of_worst.len(), 1, "{moments}");
        let tree = of_worst[0].trees.iter().find(|tree| tree.root == worst.root).expect("it is there");
        assert_eq!(tree.branches.len(), worst.branches.len());
    }
}

#[test]
fn trees_of_a_moment_are_those_of_its_sample() {
    let record = with_moments(10_000);
    let moments = &timeline(&record).moments;
    assert_eq!(moments.len(), record.series.rows.len(), "every sample is a moment");
    let trees: Vec<_> =
        moments.iter().flat_map(|at| at.trees.iter().map(move |tree| (at.at, tree))).collect();
    let mut seen: Vec<_> = trees
        .iter()
        .map(|(at, tree)| {
            let depth = tree.branches.iter().map(|(_, depth)| *depth).max().unwrap_or(0);
            (*at, tree.root, tree.branches.len() as u32, depth)
        })
        .collect();
    seen.sort_unstable();
    let mut sampled: Vec<_> = record
        .congestion
        .samples
        .iter()
        .map(|tree| (tree.at, tree.root, tree.branches, tree.depth))
        .collect();
    sampled.sort_unstable();
    assert!(!seen.is_empty());
    assert_eq!(seen, sampled);
    let worst = record.congestion.worst.as_ref().expect("there is a tree");
    let (_, tree) = trees
        .iter()
        .find(|(at, tree)| (*at, tree.root) == (worst.at, worst.root))
        .expect("the worst is kept");
    let named = |place: u32| (&record.lanes[place as usize].node, record.lanes[place as usize].port);
    let branches: Vec<_> = tree.branches.iter().map(|(place, _)| named(*place)).collect();
    let expected: Vec<_> = worst.branches.iter().map(|branch| (&branch.node, branch.port)).collect();
    assert_eq!(branches, expected);
    let hosts = |places: &[u32]| places.iter().map(|place| named(*place).0.as_str()).collect::<BTreeSet<_>>();
    let sources = |flows: &[u32]| {
        flows.iter().map(|flow| record.flows[*flow as usize].source.as_str()).collect::<BTreeSet<_>>()
    };
    assert_eq!(hosts(&tree.contributors), sources(&worst.contributors));
    assert_eq!(hosts(&tree.victims), sources(&worst.victims));
}
