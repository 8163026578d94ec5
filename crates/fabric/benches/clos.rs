//! Whole runs: a permutation over a two-tier Clos under congestion control, packet-hops a second.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fabric::{RunOptions, simulate};
use scenario::{Plan, Scenario, ScenarioText};

fn plan(name: &str, sets: &[&str]) -> Plan {
    let checked = ScenarioText::find(name).and_then(|mut source| {
        sets.iter().try_for_each(|set| source.set(set))?;
        Scenario::read(&source)?.check(&source)
    });
    checked.unwrap_or_else(|diagnostic| panic!("{diagnostic}"))
}

fn whole_runs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("whole_run");
    group.sample_size(10);
    for (name, sets) in [
        ("gran2011-scenario2", &["duration=30ms", "flows.F2.start=10ms", "flows.F3.start=20ms"][..]),
        ("bench-a32", &["duration=2ms", "traffic[0].until=2ms"]),
        ("bench-b128", &["duration=300us"]),
    ] {
        let plan = plan(name, sets);
        let run = || simulate(&plan, RunOptions::default(), &mut |_| {}).expect("no promise is broken");
        group.throughput(Throughput::Elements(run().packet_hops));
        group.bench_function(name, |bencher| bencher.iter(run));
    }
    group.finish();
}

criterion_group!(benches, whole_runs);
criterion_main!(benches);
