//! Plans for tests, and values from their records.

use fabric::{RunOptions, simulate};
use scenario::{Plan, Scenario, ScenarioText};
use telemetry::RunRecord;

/// Returns the plan of a file in `fixtures/laws`, with fields set.
pub(crate) fn law(name: &str, sets: &[&str]) -> Plan {
    let file = format!("{}/../../fixtures/laws/{name}.ron", env!("CARGO_MANIFEST_DIR"));
    plan(ScenarioText::find(&file), sets)
}

/// Returns the plan of a shipped scenario, with fields set.
pub(crate) fn shipped(name: &str, sets: &[&str]) -> Plan {
    plan(ScenarioText::find(name), sets)
}

fn plan(source: Result<ScenarioText, scenario::Diagnostic>, sets: &[&str]) -> Plan {
    let checked = source.and_then(|mut source| {
        sets.iter().try_for_each(|set| source.set(set))?;
        Scenario::read(&source)?.check(&source)
    });
    checked.unwrap_or_else(|diagnostic| panic!("{diagnostic}"))
}

/// Runs a plan.
pub(crate) fn run(plan: &Plan) -> RunRecord {
    simulate(plan, RunOptions::default(), &mut |_| {}).unwrap_or_else(|violation| panic!("{violation}"))
}

/// Returns the goodput of a flow in the second half of a phase, in bit/s.
pub(crate) fn settled_bps(record: &RunRecord, flow: usize, phase: usize) -> f64 {
    let phase = &record.phases[phase];
    let at =
        |time| record.snapshots.iter().find(|snapshot| snapshot.at == time).expect("a snapshot is there");
    let (settled, end) = (at(phase.second_half), at(phase.to));
    (end.delivered[flow] - settled.delivered[flow]).bps_over(phase.to - phase.second_half)
}
