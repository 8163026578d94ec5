//! Readers of jobs, whose scenario is checked with the job on it.
//!
//! Invariant: bytes of a binary file and characters up to U+00FF are the same numbers, so that changes of texts change
//! binary files.

use std::sync::OnceLock;

use interop::import::goal;
use interop::import::{ImportedJob, ImportedScenario, SourceText};
use scenario::{Diagnostic, Scenario, ScenarioText};
use simulators::htsim;

use crate::outcomes::{Outcome, imported};

/// A job with every statement of the language.
pub(crate) const FEATURES: &str = include_str!("../../../../fixtures/import/features.goal");
const FEATURES_BINARY: &[u8] = include_bytes!("../../../../fixtures/import/features.goal.bin");

/// Returns the binary file as a text.
pub(crate) fn binary() -> String {
    FEATURES_BINARY.iter().copied().map(char::from).collect()
}

pub(crate) fn of_text(text: &str) -> Outcome {
    imported(on_fabric(goal::from_text("file", text.to_owned(), goal::CALC_UNIT)))
}

pub(crate) fn of_binary(text: &str) -> Outcome {
    let bytes: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
    imported(on_fabric(goal::from_binary("file", &bytes, goal::CALC_UNIT)))
}

/// Puts a job on a fabric of five hosts, and checks the scenario, which reads the job again.
fn on_fabric(job: Result<ImportedJob, Diagnostic>) -> Result<ImportedScenario, Diagnostic> {
    static FABRIC: OnceLock<ScenarioText> = OnceLock::new();
    let fabric = FABRIC.get_or_init(|| ScenarioText::find("victim").expect("a shipped scenario"));
    checked(job?.into_scenario("job", fabric.clone()))
}

/// Puts the job of a connection matrix on a fabric of 32 hosts.
pub(crate) fn of_matrix(text: &str) -> Outcome {
    static FABRIC: OnceLock<ScenarioText> = OnceLock::new();
    let fabric = FABRIC.get_or_init(|| ScenarioText::find("bench-a32").expect("a shipped scenario"));
    let matrix = SourceText { name: "file", text };
    imported(checked(htsim::read_into(matrix, None, "job", fabric.clone())))
}

fn checked(imported: Result<ImportedScenario, Diagnostic>) -> Result<ImportedScenario, Diagnostic> {
    let imported = imported?;
    let text = ScenarioText::new("job.ron", &imported.scenario).with_files(imported.files.clone());
    Scenario::read(&text)?.check(&text)?;
    Ok(imported)
}
