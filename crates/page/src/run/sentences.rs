//! What was run, and how it ended, in words. What came out stands in the verdict of `summary.json`.
//!
//! Invariant: each number is from `summary.json`, or a count of rows.

use std::collections::BTreeSet;

use results::manifest::{Manifest, PlanIdentity, RunEnd};
use results::reader::{ReadError, RunFacts, RunFiles};
use results::rows::PortRow;

use crate::words;

/// Longest overrides that a sentence names, in bytes.
const LONGEST_OVERRIDES: usize = 160;
/// Sentence of a run without a verdict.
const NO_VERDICT: &str = "The run is of a version that made no verdict: `backwater rerun DIR` runs it again.";

/// Returns the scheme, flows, time, fabric, seed and overrides.
pub(super) fn run(files: RunFiles<'_>, facts: &RunFacts, plan: &PlanIdentity) -> Result<String, ReadError> {
    let flows = files.flows()?;
    let ports: Vec<PortRow<'_>> = files.rows()?;
    let nodes: BTreeSet<&str> = ports.iter().flat_map(|port| [&*port.node, &*port.peer]).collect();
    let overrides = plan.overrides.join(", ");
    let with = match overrides.len() {
        0 => String::new(),
        1..=LONGEST_OVERRIDES => format!(", with {overrides}"),
        _ => format!(", with {}, which stand below", words::count(plan.overrides.len(), "override")),
    };
    Ok(format!(
        "{}, {} for {} in a fabric of {}, seed {}{with}",
        facts.scheme(),
        words::count(flows.len(), "flow"),
        words::time(facts.end_s()),
        words::count(nodes.len(), "node"),
        plan.seed,
    ))
}

/// Returns the sentences below the verdict: that there is none, and how a run ended that was not complete.
pub(super) fn leads(has_verdict: bool, manifest: &Manifest) -> Vec<String> {
    let missing = (!has_verdict).then(|| NO_VERDICT.to_owned());
    let ended = !matches!(manifest.ended, RunEnd::Complete);
    missing.into_iter().chain(ended.then(|| format!("The run ended {}.", end(manifest)))).collect()
}

/// Returns the end of a run in words.
pub(super) fn end(manifest: &Manifest) -> String {
    match &manifest.ended {
        RunEnd::Complete => "after its whole duration".to_owned(),
        RunEnd::Done { done_s } => {
            format!("when all finite traffic was delivered, at {}", words::time(*done_s))
        }
        RunEnd::NotDone { simulated_s } => {
            format!("not done at its longest time, {}", words::time(*simulated_s))
        }
        RunEnd::GaveUp { simulated_s } => {
            format!("at {}, when all that was left had failed", words::time(*simulated_s))
        }
        RunEnd::Interrupted { simulated_s } => format!("interrupted at {}", words::time(*simulated_s)),
        RunEnd::Deadlock { message } | RunEnd::Violation { message } => message.clone(),
        RunEnd::Writing => "while its files were being written".to_owned(),
    }
}
