//! Entries of `switches` and `adapters`: names and patterns, and the fields that they inherit.

use packet::NodeId;
use scenario::{Plan, Scenario, ScenarioText};
use units::Bytes;

fn plan(sets: &[&str]) -> Plan {
    let mut text = ScenarioText::find("roce400-leaf-spine").expect("it ships");
    sets.iter().for_each(|set| text.set(set).unwrap_or_else(|said| panic!("{said}")));
    let plan = Scenario::read(&text).and_then(|read| read.check(&text));
    plan.unwrap_or_else(|said| panic!("{said}"))
}

fn node(plan: &Plan, name: &str) -> NodeId {
    plan.graph().find(name).expect("it is there")
}

#[test]
fn a_pattern_holds_for_every_name_that_it_matches() {
    let plan = plan(&[
        "adapters={\"h1?\": (ack_every: 3), \"h2\": (ack_every: 5)}",
        "switches={\"leaf*\": (memory: \"32 MB\")}",
    ]);
    let every = |name: &str| plan.nodes().adapter(node(&plan, name)).ack_every;
    assert_eq!(["h1", "h2", "h9", "h10", "h19", "h20", "h100"].map(every), [16, 5, 16, 3, 3, 16, 16]);
    let memory = |name: &str| {
        let ports = plan.graph().ports(node(&plan, name)).len() as u64;
        Bytes::new(plan.nodes().switch(node(&plan, name)).buffer.get() * ports)
    };
    // An equal part for each port: 24 at a leaf, 16 at a spine; parts are whole bytes.
    let near = |name: &str, whole: u64| (whole - 32..=whole).contains(&memory(name).get());
    assert!(near("leaf1", 32_000_000) && near("leaf16", 32_000_000), "{}", memory("leaf1"));
    assert!(near("spine1", 64_000_000) && near("spine8", 64_000_000), "{}", memory("spine1"));
}

/// The entry of a name inherits from the pattern that matches it, and the pattern from the settings of all.
#[test]
fn a_name_inherits_from_the_pattern_that_matches_it() {
    let plan = plan(&["adapters={\"h*\": (ack_every: 3, retry_count: 2), \"h7\": (ack_every: 4)}"]);
    let of = |name: &str| {
        let settings = plan.nodes().adapter(node(&plan, name));
        (settings.ack_every, settings.retry_count, settings.max_outstanding)
    };
    assert_eq!([of("h1"), of("h7"), of("h77")], [(3, 2, 4096), (4, 2, 4096), (3, 2, 4096)]);
    // The scenario that is written out has every field, and makes the same plan.
    let text = ScenarioText::new("again.ron", &plan.resolved());
    let again = Scenario::read(&text).and_then(|read| read.check(&text));
    assert_eq!(again.unwrap_or_else(|said| panic!("{said}")).digest(), plan.digest());
}
