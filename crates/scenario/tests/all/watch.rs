//! Quantities to watch, as a scenario selects them.

use packet::{Lane, NodeId};
use scenario::{Plan, Scenario, ScenarioText, WatchPlan};

/// Returns the queues that `watch` selects in gran2011-scenario1, as `switch:port`.
fn queues(watch: &str) -> Vec<String> {
    let mut text = ScenarioText::find("gran2011-scenario1").expect("it is shipped");
    text.set(&format!("watch=[{watch}]")).expect("it is a list");
    let plan: Plan = Scenario::read(&text).and_then(|read| read.check(&text)).expect("the ports are there");
    let name = |node: NodeId| plan.graph().name(node).to_owned();
    let queue = |watched: &WatchPlan| match *watched {
        WatchPlan::Queue { switch, output, lane: Lane(0) } => format!("{}:{}", name(switch), output.0 + 1),
        ref other => panic!("{other:?} is not a queue of lane 0"),
    };
    plan.watch().iter().map(queue).collect()
}

#[test]
fn ports_are_selected_by_number_peer_and_pattern_each_once() {
    assert_eq!(queues(r#"Queue(ports: "S2:2")"#), ["S2:2"]);
    assert_eq!(queues(r#"Queue(ports: "S2:H5")"#), ["S2:2"]);
    assert_eq!(queues(r#"Queue(ports: "*:H?")"#), ["S1:1", "S1:2", "S1:3", "S2:1", "S2:2", "S2:3", "S2:4"]);
    // Hosts have no queues to watch: a pattern that selects some selects those of switches.
    assert_eq!(queues(r#"Queue(ports: "*:S2"), Queue(ports: "S1:4")"#), ["S1:4"]);
}
