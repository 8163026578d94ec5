//! Scenarios with extreme values, two at a time, with cables taken away, and with changed texts: each is checked or refused, and none
//! panics. A nightly workflow draws many more of them (`PROPTEST_CASES`).

use proptest::prelude::*;
use proptest::sample::select;
use scenario::{Scenario, ScenarioText, shipped};

/// Shipped scenarios of each kind, small enough to be checked hundreds of times.
const SCENARIOS: [&str; 5] = ["one-flow", "victim", "roce-victim", "gran2011-scenario2", "zhu2015-victim"];

/// Fields, and values at and beyond their limits.
const FIELDS: [(&str, &[&str]); 15] = [
    ("duration", &["1 ps", "100000 s", "18446744 s"]),
    ("sample", &["1 ps", "100000 s", "0 s"]),
    ("seed", &["0", "18446744073709551615"]),
    ("link.mtu", &["256 B", "4 KiB", "3 B"]),
    ("link.data_lanes", &["0", "1", "8", "15", "255"]),
    (
        "link.flow_control",
        &[
            "Lossy",
            "Pause(resume_offset: \"0 B\", reaction: \"100000 s\")",
            "Pause(headroom: \"0 B\", resume_offset: \"1 GiB\", reaction: \"0 s\", quanta: 1)",
            "Credits(update_blocks: 1, update_interval: \"1 ps\", wire_time: Counted)",
            "Credits(update_blocks: 2048, update_interval: \"100000 s\", wire_time: Counted)",
        ],
    ),
    ("switch.buffering", &["InputFifo", "InputVoq", "Output", "CombinedInputOutput", "Central"]),
    ("switch.latency", &["0 s", "100000 s", "18446744 s"]),
    ("switch.buffer", &["0 B", "1 B", "128 KiB", "1 GiB", "16777215 GiB"]),
    ("switch.speedup", &["1.0", "1000.0", "1e300", "-0.0"]),
    ("adapter.receive_buffer", &["0 B", "1 GiB"]),
    ("adapter.drain_limit", &["0 b/s", "1 b/s", "18000000 Tb/s"]),
    ("adapter.ack_timeout", &["0", "1", "31", "255"]),
    (
        "congestion_control",
        &["Off", "Dcqcn()", "Dcqcn(marking: (kmin: \"0 B\", kmax: \"1 GiB\", pmax: 1.0))"],
    ),
    (
        "changed_cables",
        &[
            "{\"*:*\": Removed}",
            "{\"S*:*\": Removed}",
            "{\"s1:*\": Removed, \"h*:*\": Removed}",
            "{\"*:*\": Rate(\"1 b/s\")}",
        ],
    ),
];

/// An override of a field by one of its values.
fn extreme() -> impl Strategy<Value = String> {
    select(&FIELDS[..])
        .prop_flat_map(|(path, values)| select(values).prop_map(move |value| format!("{path}={value}")))
}

/// Checks a scenario, and asks its plan what the command prints of it.
fn checked(source: &ScenarioText) {
    if let Ok(plan) = Scenario::read(source).and_then(|scenario| scenario.check(source)) {
        let _ = (plan.ecn_first(), plan.headrooms(), plan.memory(), plan.resolved());
    }
}

proptest! {
    #[test]
    fn pairs_of_extremes_are_checked_or_refused(name in select(&SCENARIOS[..]), first in extreme(), second in extreme()) {
        let mut source = ScenarioText::find(name).expect("it ships");
        // A value of another form is refused at once.
        if source.set(&first).is_ok() && source.set(&second).is_ok() {
            checked(&source);
        }
    }

    #[test]
    fn changed_texts_are_checked_or_refused(
        name in select(&SCENARIOS[..]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), select(&b"()[]{}\",:0-9eE.\\/* _"[..]), 0_u8..3), 1..6),
    ) {
        let found = shipped().iter().find(|one| one.name == name).expect("it ships");
        let mut text = found.text.as_bytes().to_vec();
        for (at, byte, how) in changes {
            let at = at.index(text.len());
            match how {
                0 => text[at] = byte,
                1 => text.insert(at, byte),
                _ => { text.remove(at); }
            }
        }
        let text = String::from_utf8_lossy(&text);
        checked(&ScenarioText::new("changed.ron", &text));
    }
}

/// A switch may lose all of its cables, whatever its organisation and flow control: an operator's first question.
#[test]
fn a_switch_without_cables_is_planned() {
    for (name, cables) in
        [("roce400-leaf-spine", "spine1:*"), ("zhu2015-victim", "L1:*"), ("bench-a32-roce", "spine1:*")]
    {
        for more in ["seed=1", "congestion_control=Off", "link.flow_control=Lossy"] {
            let mut source = ScenarioText::find(name).expect("it ships");
            source.set(&format!("changed_cables={{\"{cables}\": Removed}}")).expect("it can be set");
            source.set(more).expect("it can be set");
            checked(&source);
        }
    }
}

/// Brackets by the thousand end in a message, and take no more of the stack than a hundred of them.
#[test]
fn deep_brackets_are_refused() {
    for bracket in ["(", "[", "{", "(a:", "[(", "Some("] {
        let source = ScenarioText::new("deep.ron", &bracket.repeat(20_000));
        let refused = Scenario::read(&source).map(|_| ()).expect_err("it is no scenario").to_string();
        assert!(!refused.is_empty());
    }
    let source = ScenarioText::new("deep.ron", &format!("({}", "[".repeat(20_000)));
    let deep = ScenarioText::new("deep.ron", &format!("(about: {}", "[".repeat(20_000)));
    let refused =
        |source: &ScenarioText| Scenario::read(source).map(|_| ()).expect_err("too deep").to_string();
    assert!(refused(&deep).contains("too many brackets are open"), "{}", refused(&deep));
    assert!(refused(&source).contains("brackets"), "{}", refused(&source));
}
