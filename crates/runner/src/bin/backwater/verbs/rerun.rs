//! `rerun`: repeats a run from its result folder, and compares.
//!
//! Invariant: the folder stays as it is. A run is repeated from its resolved plan, in which every default and override
//! is written out. Its digest and every file must come out the same, but for the cost of the run.

use std::path::{Path, PathBuf};

use backwater::provenance::{self, end_of_failure};
use backwater::{FinishedRun, Plan, RunOptions};
use clap::Args;
use experiment::store::checked;
use experiment::{UnitResult, VERSION};
use results::manifest::{FolderKind, MANIFEST, Manifest, PlanIdentity, RESULT, RunEnd};
use results::tables::completions;
use serde_json::Value;
use settings::files::text_of_file;

use crate::failure::Failure;
use crate::interrupt;
use crate::progress::ProgressReport;
use crate::terminal::{print, warn};

/// Fields of `summary.json` that differ from run to run.
const COST: [&str; 3] = ["wall_s", "packet_hops_per_s", "peak_rss_bytes"];
#[derive(Args, Debug)]
pub(crate) struct RerunOptions {
    /// Result folder of `sim`, of a run of `compare`, or of a run of a sweep (`DIR/runs/NAME`).
    folder: PathBuf,
    /// Print no progress and no report, only errors.
    #[arg(long)]
    quiet: bool,
}

/// Repeats the run and compares its end, its digest and its files.
pub(crate) fn run(options: &RerunOptions) -> Result<(), Failure> {
    let folder = &options.folder;
    let result = result_alone(folder)?;
    let manifest = match &result {
        Some(result) => of_result(result),
        None => manifest(folder)?,
    };
    check(folder, &manifest)?;
    if manifest.version != VERSION {
        warn(&format!(
            "the run is of version {}, and this is {VERSION}: results may differ",
            manifest.version
        ));
    }
    let plan = plan(folder, &manifest)?;
    // A part of a sweep has no `--drain` in its command; the result of the run knows.
    let is_drained = || checked(folder).is_ok_and(|result| result.unit.drain);
    let drain = manifest.command.iter().any(|word| word == "--drain") || is_drained();
    let mut report = ProgressReport::new(plan.duration(), plan.until_done(), !options.quiet);
    let simulation = RunOptions { drain, interrupt: Some(interrupt::watched()), ..RunOptions::default() };
    let outcome = FinishedRun::of(plan, simulation, &mut |progress| report.update(progress));
    // The bar is cleared before anything else is printed.
    drop(report);
    let (ended, run) = match outcome {
        Ok(run) => (run.end(), Some(run)),
        Err(error) => (end_of_failure(&error), None),
    };
    // An interrupted repetition proves nothing, neither equality nor a difference.
    if let RunEnd::Interrupted { simulated_s } = ended {
        return Err(Failure::Interrupted { simulated_s });
    }
    let mut differences = Vec::new();
    if ended != manifest.ended {
        differences.push("it ends in another way".to_owned());
    }
    let (mut same, mut other) = (0, Vec::new());
    if let Some(run) = &run {
        (same, other) = compared(folder, &manifest, run)?;
        if let Some(digest) = result.and_then(|result| result.digest)
            && digest != run.summary.digest
        {
            differences.push(format!("digest {} instead of {digest}", run.summary.digest));
        }
    }
    differences.extend(other);
    if !differences.is_empty() {
        return Err(Failure::RerunDiffers { folder: folder.clone(), differences: differences.join("; ") });
    }
    if !options.quiet {
        let digest =
            run.map_or_else(|| "ended as before".to_owned(), |run| format!("digest {}", run.summary.digest));
        print(&format!("the same: {digest}; {same} files\n"));
    }
    Ok(())
}

fn refused(folder: &Path, why: impl Into<String>, help: &'static str) -> Failure {
    Failure::NoRerun { folder: folder.to_owned(), why: why.into(), help }
}

/// What a folder must be to be repeated.
const FOLDER: &str =
    "name a result folder of `sim`, or of a run of `compare` or of a sweep (`DIR/runs/NAME`)";

/// Reads the result of a run of a sweep that kept no files of it; `None` for any other folder.
fn result_alone(folder: &Path) -> Result<Option<UnitResult>, Failure> {
    if folder.join(MANIFEST).exists() || !folder.join(RESULT).exists() {
        return Ok(None);
    }
    checked(folder)
        .map(Some)
        .map_err(|reason| refused(folder, reason, "run the sweep again: it repeats this run"))
}

/// Returns the manifest that the run of a result would have, without files.
fn of_result(result: &UnitResult) -> Manifest {
    let identity = PlanIdentity {
        scenario: result.unit.scenario.clone(),
        overrides: result.unit.assignments(),
        seed: result.seed,
        plan_digest: result.plan_digest.clone(),
        own_policies: Vec::new(),
    };
    let manifest = provenance::manifest(FolderKind::Run, vec![identity], []);
    let (version, ended) = (result.version.clone(), result.ended.of_manifest());
    Manifest { version, ended, command: Vec::new(), ..manifest }
}

fn manifest(folder: &Path) -> Result<Manifest, Failure> {
    let text = text_of_file(&folder.join(MANIFEST))
        .map_err(|error| refused(folder, format!("its `{MANIFEST}` cannot be read: {error}"), FOLDER))?;
    Manifest::read(&text)
        .map_err(|error| refused(folder, format!("its `{MANIFEST}` is no manifest: {error}"), FOLDER))
}

/// Refuses a folder that does not hold a single run that ended by itself.
fn check(folder: &Path, manifest: &Manifest) -> Result<(), Failure> {
    match manifest.kind {
        FolderKind::Run => {}
        FolderKind::Comparison => return Err(refused(folder, "it holds several runs", FOLDER)),
        _ => return Err(refused(folder, "it is not the folder of one run", FOLDER)),
    }
    match (&manifest.ended, manifest.plans.len()) {
        (_, 0 | 2..) => Err(refused(folder, "it is not the folder of one run", FOLDER)),
        (RunEnd::Writing, _) => Err(refused(
            folder,
            "its files were being written",
            "run it again with the command of its `run.json`",
        )),
        (RunEnd::Interrupted { .. }, _) => Err(refused(
            folder,
            "the run was interrupted, or past its budget, at a time that depends on the machine",
            "run it again with the command of its `run.json`",
        )),
        _ => Ok(()),
    }
}

/// Returns the plan of the run. A run that failed has left none: it is made anew from the scenario's name and the
/// overrides.
fn plan(folder: &Path, manifest: &Manifest) -> Result<Plan, Failure> {
    let identity = &manifest.plans[0];
    let file = folder.join("plan.ron");
    let plan = if file.is_file() {
        experiment::plan(&file.display().to_string(), &[], None)?
    } else {
        experiment::plan(&identity.scenario, &identity.overrides, Some(identity.seed))?
    };
    if plan.digest().to_string() == identity.plan_digest {
        return Ok(plan);
    }
    let (why, help) = if file.is_file() {
        ("its `plan.ron` is not the plan of its `run.json`", "one of the two was changed after the run")
    } else {
        (
            "it has no `plan.ron`, and the scenario of this name is another one now",
            "run the scenario again with `sim`, and with `plan.ron` among its `--files`",
        )
    };
    Err(refused(folder, why, help))
}

/// Compares the files that the manifest names with the repeated run's. Returns the number of equal files, and the
/// differences.
fn compared(folder: &Path, manifest: &Manifest, run: &FinishedRun) -> Result<(usize, Vec<String>), Failure> {
    let mut files = run.files();
    if let Some(contents) = completions::hpcc(&run.record) {
        files.push(results::OutputFile { name: "fct.txt".to_owned(), contents });
    }
    let (mut same, mut differences) = (0, Vec::new());
    for name in manifest.files.iter().map(|file| &file.name).filter(|name| *name != RESULT) {
        let there = match text_of_file(&folder.join(name)) {
            Ok(text) => text,
            Err(error) => {
                differences.push(format!("`{name}` cannot be read: {error}"));
                continue;
            }
        };
        let Some(made) = files.iter().find(|file| file.name == *name) else {
            // A figure that was added by `figure`, or a file of a verb that came later.
            warn(&format!("`{name}` is not compared: `sim` does not write it"));
            continue;
        };
        let equal = if name == "summary.json" {
            let (there, made) = (results(&there), results(&made.contents));
            if let (Some(there), Some(made)) = (&there, &made)
                && there["digest"] != made["digest"]
            {
                differences.push(format!("digest {} instead of {}", made["digest"], there["digest"]));
            }
            there.is_some() && there == made
        } else {
            there == made.contents
        };
        if equal {
            same += 1;
        } else {
            differences.push(format!("`{name}` is not the same"));
        }
    }
    Ok((same, differences))
}

/// Returns a summary without the cost of its run, and without the command that its verdict advises; `None` if it is no
/// JSON.
fn results(summary: &str) -> Option<Value> {
    let mut value: Value = serde_json::from_str(summary).ok()?;
    let fields = value.as_object_mut()?;
    // The advice repeats the words of the command line, which name a file for a run from its plan.
    if let Some(verdict) = fields.get_mut("verdict").and_then(Value::as_object_mut) {
        verdict.remove("advice");
    }
    for name in COST {
        fields.remove(name);
    }
    Some(value)
}
