//! Similarities and differences of buffer organisations, on whole fabrics.

use switch_arch::spec::{ArbiterSpec, BufferingSpec};

use crate::common::{law, run, shipped};

/// Every arbiter, as a scenario has it.
fn arbiters() -> impl Iterator<Item = String> {
    ArbiterSpec::EXAMPLES.iter().map(|arbiter| ron::to_string(arbiter).expect("a spec is plain data"))
}

/// With one destination there is no head-of-line blocking: input FIFO and virtual output queues agree to the byte.
#[test]
fn input_fifo_equals_voq_for_one_destination() {
    for arbiter in arbiters() {
        let digest = |buffering: &str| {
            let sets = [&format!("switch.arbiter={arbiter}"), &format!("switch.buffering={buffering}")];
            run(&law("incast", &sets.map(String::as_str))).digest
        };
        assert_eq!(digest("InputFifo"), digest("InputVoq"), "{arbiter}");
    }
}

/// A central memory shared in fixed parts equals output queueing, to the byte.
#[test]
fn central_equals_output() {
    for (name, duration) in [("santos2003", "5 ms"), ("bench-a32", "2 ms")] {
        let digest = |buffering: &str| {
            let sets = [&format!("duration=\"{duration}\""), &format!("switch.buffering={buffering}")];
            run(&shipped(name, &sets.map(String::as_str))).digest
        };
        assert_eq!(digest("Central"), digest("Output"), "{name}");
        assert_ne!(digest("InputVoq"), digest("Output"), "{name}: the field has no effect");
        assert_ne!(digest("InputVoq"), digest("InputFifo"), "{name}: the field has no effect");
    }
}

/// Losslessness and conservation hold, and all credits return, in every organisation.
#[test]
fn every_organisation_drains() {
    for buffering in BufferingSpec::ALL {
        for arbiter in arbiters() {
            for (name, speedup) in [("santos2003", 1.0), ("bench-a32", 2.0)] {
                let sets = [
                    &*format!("switch.arbiter={arbiter}"),
                    &*format!("switch.buffering={buffering:?}"),
                    &*format!("switch.speedup={speedup:?}"),
                    "duration=\"2 ms\"",
                ];
                let plan = shipped(name, &sets);
                let options = fabric::RunOptions { drain: true, ..fabric::RunOptions::default() };
                let record = fabric::simulate(&plan, options, &mut |_| {})
                    .unwrap_or_else(|violation| panic!("{name}, {buffering:?}, {arbiter}: {violation}"));
                assert!(
                    record.audit.drained && record.audit.delivered > 1000,
                    "{name}, {buffering:?}, {arbiter}"
                );
            }
        }
    }
}
