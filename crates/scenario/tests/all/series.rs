//! Ports and sources to record over time, as a scenario selects them.

use packet::NodeId;
use scenario::{Plan, Scenario, ScenarioText};

/// Returns the plan of gran2011-scenario1 with this `series`.
fn plan(series: &str) -> Plan {
    let mut text = ScenarioText::find("gran2011-scenario1").expect("it is shipped");
    text.set(&format!("series=({series})")).expect("it is a struct");
    Scenario::read(&text).and_then(|read| read.check(&text)).unwrap_or_else(|fault| panic!("{fault}"))
}

#[test]
fn ports_and_sources_are_selected_each_once() {
    let plan = plan(r#"ports: ["S1:H?", "S1:1"], sources: ["H1", "F*", "H2"], pauses: ["S2:S1"]"#);
    let name = |node: NodeId| plan.graph().name(node).to_owned();
    let ports: Vec<_> = plan
        .series()
        .ports
        .named
        .iter()
        .map(|(node, port)| format!("{}:{}", name(*node), port.0 + 1))
        .collect();
    assert_eq!(ports, ["S1:1", "S1:2", "S1:3"]);
    let flows = &plan.workload().flows;
    let sources: Vec<_> = plan.series().sources.named.iter().map(|flow| &*flows[flow.index()].name).collect();
    let expected: Vec<_> = flows
        .iter()
        .filter(|flow| flow.name.starts_with('F') || ["H1", "H2"].contains(&plan.graph().name(flow.source)))
        .map(|flow| &*flow.name)
        .collect();
    assert!(!expected.is_empty() && expected.len() <= flows.len());
    assert_eq!(sources, expected);
    assert_eq!(plan.series().pauses.ports.len(), 1);
    assert_eq!(plan.series().pauses.kept, 10_000);
}

#[test]
fn memory_counts_every_sample_and_log() {
    let series = |series: &str| plan(series).memory().series.get();
    let samples = plan("").duration().ps() / plan("").sample().ps();
    let more = |asked: &str| series(asked) - series("");
    assert_eq!(more(r#"ports: ["S1:1"]"#), 170 * samples);
    let lanes = plan("").lanes().count() as u64;
    assert_eq!(more("busiest_ports: 2"), 170 * samples * lanes);
    assert_eq!(more(r#"longest_queues: 2, ports: ["S1:1"]"#), 170 * samples * lanes);
    let flows = plan("").workload().flows.len() as u64;
    assert_eq!(more("busiest_sources: 1"), 590 * samples * flows);
    assert_eq!(more(r#"pauses: ["S1:1", "S1:2"], pauses_kept: 50"#), 2 * 50 * 16);
}

/// A scenario without `series` keeps its plan, and with it the plan's digest.
#[test]
fn nothing_asked_for_is_not_written() {
    assert!(!plan("").resolved().contains("series:"));
    assert!(plan(r#"ports: ["S1:1"]"#).resolved().contains("series:"));
}
