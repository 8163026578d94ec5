//! A small fabric without flows, for tests of patterns.
//!
//! Two leaves with three hosts each, h1 to h3 and h4 to h6, and two spines, one cable from each leaf to each spine. All links
//! carry 10 Gb/s: 1.25 kB a microsecond.

use scenario::{Plan, Scenario, ScenarioText};

/// Returns the plan of the fabric with these patterns and overrides.
pub(super) fn plan(traffic: &str, sets: &[&str]) -> Plan {
    let mut source = ScenarioText::find("one-flow").expect("it ships");
    let traffic = format!("traffic=[{traffic}]");
    let own = [
        "topology=FatTree(down: [3, 2], up: [2], parallel: [1], host_cable: \"host\", trunk_cable: \"host\")",
        "cables={\"host\": (rate: \"10 Gb/s\", propagation: Delay(\"10 ns\"))}",
        "flows=[]",
        "watch=[]",
        "sample=\"100 us\"",
    ];
    for set in own.into_iter().chain(sets.iter().copied()).chain([traffic.as_str()]) {
        source.set(set).expect("a good override");
    }
    let scenario = Scenario::read(&source).expect("a good scenario");
    scenario.check(&source).unwrap_or_else(|error| panic!("{traffic}: {error}"))
}
