//! Plans for tests, unit tests too.

use scenario::{Plan, Scenario, ScenarioText};

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
