//! The files that are kept of a run, besides its result.
//!
//! Invariant: where there are files, there is a manifest that names them and `result.json`.

use figures::RunOutput;
use results::choice::PAGE;
use results::manifest::{
    FileEntry, FolderKind, MANIFEST, Manifest, PlanIdentity, RESULT, SCHEMA, UndrawnEntry,
};
use results::{FileChoice, MadeFiles, OutputFile, RunFiles};
use scenario::Plan;

use super::StoreError;
use super::result::UnitResult;
use crate::simulation::{Outcome, VERSION};

/// The program and the command that results come from.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Commit from which the simulator was built, if it is known.
    pub commit: Option<String>,
    /// Command line, word by word.
    pub command: Vec<String>,
}

/// Returns the files that are kept of a run, with their manifest, if there are any.
pub(super) fn files(
    plan: &Plan,
    outcome: Option<&Outcome>,
    result: &UnitResult,
    keep: &FileChoice,
    origin: &Origin,
) -> Result<Vec<OutputFile>, StoreError> {
    if *keep == FileChoice::none() {
        return Ok(Vec::new());
    }
    let mut manifest = manifest(plan, result, keep, origin);
    let made = outcome.map(|outcome| made(plan, outcome));
    // The page and the figures read the same tables.
    let page_of = |made: &MadeFiles<'_>| page::of_files(RunFiles::Made(made), &manifest);
    let page = made.as_ref().filter(|_| keep.has(PAGE)).map(page_of).transpose()?;
    let RunOutput { mut files, undrawn } = kept(plan, made, keep);
    files.extend(page);
    manifest.undrawn = undrawn.iter().map(UndrawnEntry::from).collect();
    let entry = |file: &OutputFile| FileEntry { name: file.name.clone(), bytes: file.contents.len() as u64 };
    manifest.files.splice(0..0, files.iter().map(entry));
    files.push(OutputFile { name: MANIFEST.to_owned(), contents: manifest.json() });
    Ok(files)
}

/// Returns the files of a run with results.
pub(super) fn made<'a>(plan: &Plan, Outcome { summary, record, .. }: &'a Outcome) -> MadeFiles<'a> {
    MadeFiles::new(summary, record, plan.resolved())
}

/// Returns the files that are kept of a run, and the figures among them that cannot be drawn. A run without results has
/// no more than its plan.
pub(super) fn kept(plan: &Plan, made: Option<MadeFiles<'_>>, keep: &FileChoice) -> RunOutput {
    let file = |(name, contents): (&str, String)| OutputFile { name: name.to_owned(), contents };
    let has_plan = keep.has("plan.ron");
    let mut output = match made {
        Some(made) => figures::output_of(made, keep),
        None => RunOutput {
            files: has_plan.then(|| file(("plan.ron", plan.resolved()))).into_iter().collect(),
            undrawn: Vec::new(),
        },
    };
    let named = plan.files().iter().filter(|_| has_plan);
    output.files.extend(named.map(|(name, contents)| file((name, contents.clone()))));
    output
}

/// Returns the manifest of a run, which names `result.json` alone.
fn manifest(plan: &Plan, result: &UnitResult, keep: &FileChoice, origin: &Origin) -> Manifest {
    let chosen = keep.names().into_iter().map(str::to_owned).collect();
    Manifest {
        schema: SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        commit: origin.commit.clone(),
        kind: FolderKind::Run,
        verdict: None,
        command: origin.command.clone(),
        plans: vec![PlanIdentity {
            scenario: plan.name().to_owned(),
            overrides: result.unit.assignments(),
            seed: plan.seed(),
            plan_digest: result.plan_digest.clone(),
            own_policies: plan.own_policies().iter().map(ToString::to_string).collect(),
        }],
        ended: result.ended.of_manifest(),
        // The size of `result.json` is not known before its text, which has a digest of this file.
        files: vec![FileEntry { name: RESULT.to_owned(), bytes: 0 }],
        undrawn: Vec::new(),
        chosen: (*keep != FileChoice::All).then_some(chosen),
    }
}
