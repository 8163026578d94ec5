//! The origin of results: the program, the command, the plans.
//!
//! Invariant: a manifest identifies a run so that it can be repeated.

use experiment::VERSION;
use fabric::RunError;
use results::FILE_NAMES;
use results::manifest::{FileEntry, FolderKind, Manifest, PlanIdentity, RunEnd, SCHEMA};
use scenario::Plan;

/// Commit from which this program was built; `None` if it was not built in its repository. Changes that were not
/// committed do not show.
pub const COMMIT: Option<&str> = option_env!("BACKWATER_COMMIT");

/// Returns version and commit of this program. A checkpoint is valid for a single build.
#[must_use]
pub fn build() -> String {
    format!("version {VERSION} (commit {})", COMMIT.unwrap_or("unknown"))
}

/// Returns the manifest of a complete run of a plan that was made with these overrides, each `PATH=VALUE`.
#[must_use]
pub fn run_manifest(plan: &Plan, overrides: &[String]) -> Manifest {
    let identity = PlanIdentity {
        scenario: plan.name().to_owned(),
        overrides: overrides.to_vec(),
        seed: plan.seed(),
        plan_digest: plan.digest().to_string(),
        own_policies: plan.own_policies().iter().map(ToString::to_string).collect(),
    };
    let names = FILE_NAMES.iter().map(|name| (*name).to_owned());
    manifest(FolderKind::Run, vec![identity], names.chain(plan.files().keys().cloned()))
}

/// Returns the end of a run that failed.
#[must_use]
pub fn end_of_failure(error: &RunError) -> RunEnd {
    let message = error.to_string();
    match error {
        RunError::Violation(_) => RunEnd::Violation { message },
        RunError::Deadlock(_) => RunEnd::Deadlock { message },
    }
}

/// Returns the words of this process's command line. What is no Unicode in them becomes U+FFFD.
pub fn command_line() -> impl Iterator<Item = String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned())
}

/// Returns the manifest of a complete run of the command line of this process. `names` are the files that it may write.
#[must_use]
pub fn manifest(
    kind: FolderKind,
    plans: Vec<PlanIdentity>,
    names: impl IntoIterator<Item = String>,
) -> Manifest {
    Manifest {
        schema: SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        commit: COMMIT.map(str::to_owned),
        kind,
        verdict: None,
        command: command_line().collect(),
        plans,
        ended: RunEnd::Complete,
        files: names.into_iter().map(|name| FileEntry { name, bytes: 0 }).collect(),
        undrawn: Vec::new(),
        chosen: None,
    }
}
