//! The peak of the memory of whole runs, against the estimate of their plans.
//!
//! Invariant: this program has a single test, so that its memory is the memory of the run.
#![cfg(target_os = "linux")]

use std::fs;

use fabric::{RunOptions, simulate};
use scenario::{Plan, Scenario, ScenarioText};
use telemetry::{RunRecord, Timeline};

/// Runs in ascending order of their memory.
const RUNS: [&[&str]; 4] = [
    &["topology.radix=36", "traffic=[]", "duration=10 us", "sample=1 us"],
    &["topology.radix=36", "traffic[0].bytes=1 MiB", "duration=150 us", "sample=2 us"],
    &["topology.radix=36", "link.data_lanes=8", "traffic=[]", "duration=10 us", "sample=5 us"],
    &["topology.radix=48", "link.data_lanes=15", "traffic=[]", "duration=10 us", "sample=5 us"],
];

fn plan(sets: &[&str]) -> Plan {
    let checked = ScenarioText::find("bench-b128").and_then(|mut source| {
        sets.iter().try_for_each(|set| source.set(set))?;
        Scenario::read(&source)?.check(&source)
    });
    checked.unwrap_or_else(|diagnostic| panic!("{diagnostic}"))
}

fn run(plan: &Plan) -> RunRecord {
    let options = RunOptions { moments: Timeline::MOST, ..RunOptions::default() };
    simulate(plan, options, &mut |_| {}).unwrap_or_else(|failed| panic!("{failed}"))
}

/// Returns the peak of the memory of this process, in bytes.
fn peak() -> f64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it has the peak");
    let kib: f64 = line.trim().trim_end_matches(" kB").parse().expect("it is a number");
    kib * 1024.0
}

/// The estimate is within a quarter of the peak. Texts of files, which are made after the run, are in the estimate
/// alone.
#[test]
fn the_estimate_is_near_the_peak() {
    run(&plan(&["topology.radix=4"])); // The program's own pages are in memory then.
    let before = peak();
    for sets in RUNS {
        let plan = plan(sets);
        let record = run(&plan);
        let (grown, estimate) = (peak() - before, plan.memory().total().get() as f64);
        assert_eq!(record.lanes.len(), plan.lanes().count());
        println!("{sets:?}: {:.1} MB, estimated {:.1} MB", grown / 1e6, estimate / 1e6);
        assert!(
            (0.8..1.25).contains(&(estimate / grown)),
            "{sets:?}: {grown} bytes, estimated {}",
            plan.memory()
        );
    }
}
