//! `cite`: BibTeX of this program and of the models that the runs of a folder used.
//!
//! Invariant: nothing is written, and the entries follow from the folder's files alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use claims::citation::{Citations, CitedRun};
use clap::Args;
use experiment::Store;
use experiment::store::checked;
use experiment::sweep::SweepPlan;
use results::manifest::{FolderKind, MANIFEST, Manifest, RESULT};
use scenario::{Scenario, ScenarioText};
use serde_json::Value;
use settings::files::text_of_file;

use crate::failure::Failure;
use crate::terminal::print_exactly;

/// Plan of a sweep in its folder.
const PLAN: &str = "sweep.jsonl";
/// Settings of a tuning's winner in its folder.
const WINNER: &str = "winner.set";

#[derive(Args, Debug)]
pub(crate) struct CiteOptions {
    /// Result folder of `sim`, `compare`, `sweep` or `tune`, or of a run of a sweep (`DIR/runs/NAME`).
    dir: PathBuf,
}

/// Prints the entries.
pub(crate) fn run(options: &CiteOptions) -> Result<(), Failure> {
    let folder = &options.dir;
    let (mut citations, mut runs) = (Citations::default(), Vec::new());
    if !folder.join(MANIFEST).exists() && folder.join(RESULT).exists() {
        let result = checked(folder).map_err(|why| refused(folder, &why))?;
        let unit = &result.unit;
        add_unit(&mut citations, &unit.scenario, &unit.overrides)?;
        runs.push(CitedRun {
            scenario: unit.scenario.clone(),
            overrides: unit.overrides.clone(),
            seed: result.seed,
            digest: result.digest,
        });
        print_exactly(&citations.bibtex(&result.version, result.commit.as_deref(), &runs));
        return Ok(());
    }
    let manifest = manifest(folder)?;
    match manifest.kind {
        FolderKind::Run => runs.push(add_run(&mut citations, folder, &manifest)?),
        FolderKind::Comparison => {
            for own in folders_in(folder) {
                runs.push(add_run(&mut citations, &own, &self::manifest(&own)?)?);
            }
        }
        FolderKind::Sweep => add_sweep(&mut citations, &mut runs, folder)?,
        FolderKind::Tuning => add_tuning(&mut citations, &mut runs, folder, &manifest)?,
        FolderKind::Reproduction | FolderKind::Import => {
            return Err(refused(folder, "it is the folder of another command"));
        }
    }
    print_exactly(&citations.bibtex(&manifest.version, manifest.commit.as_deref(), &runs));
    Ok(())
}

fn refused(folder: &Path, why: &str) -> Failure {
    Failure::Worded {
        error: format!("`{}` cannot be cited: {why}", folder.display()),
        help: "name a result folder of `sim`, `compare`, `sweep` or `tune`, or of a run of a sweep (`DIR/runs/NAME`)"
            .to_owned(),
    }
}

fn manifest(folder: &Path) -> Result<Manifest, Failure> {
    let text = text_of_file(&folder.join(MANIFEST))
        .map_err(|error| refused(folder, &format!("its `{MANIFEST}` cannot be read: {error}")))?;
    Manifest::read(&text)
        .map_err(|error| refused(folder, &format!("its `{MANIFEST}` is no manifest: {error}")))
}

/// Returns the folders of the runs of a comparison, in the order of their names.
fn folders_in(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.join(MANIFEST).exists()).collect()
}

/// Adds the sources of a run: of its plan, or of its scenario where the plan is not kept.
fn add_run(citations: &mut Citations, folder: &Path, manifest: &Manifest) -> Result<CitedRun, Failure> {
    let [identity] = &manifest.plans[..] else {
        return Err(refused(folder, "it is not the folder of one run"));
    };
    let plan = folder.join("plan.ron");
    if plan.is_file() {
        let scenario = Scenario::read(&ScenarioText::of_file(&plan)?)?;
        citations.add(&scenario, &identity.scenario);
    } else {
        add_unit(citations, &identity.scenario, &identity.overrides)?;
    }
    let summary = text_of_file(&folder.join("summary.json")).ok();
    let summary = summary.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let digest = summary.and_then(|summary| Some(summary["digest"].as_str()?.to_owned()));
    Ok(CitedRun {
        scenario: identity.scenario.clone(),
        overrides: identity.overrides.clone(),
        seed: identity.seed,
        digest,
    })
}

/// Adds the sources of all runs of a sweep.
fn add_sweep(citations: &mut Citations, runs: &mut Vec<CitedRun>, folder: &Path) -> Result<(), Failure> {
    let (plan, store) = (SweepPlan::read(&folder.join(PLAN))?, Store::open(folder));
    let mut known = BTreeSet::new();
    for run in &plan.runs {
        let unit = &run.unit;
        if known.insert((&unit.scenario, &unit.overrides)) {
            add_unit(citations, &unit.scenario, &unit.overrides)?;
        }
        let result = store.result(&run.unit());
        runs.push(CitedRun {
            scenario: unit.scenario.clone(),
            overrides: unit.overrides.clone(),
            seed: result.as_ref().map_or(unit.seeds.run.unwrap_or_default(), |result| result.seed),
            digest: result.and_then(|result| result.digest),
        });
    }
    Ok(())
}

/// Adds the sources of a tuning's scenario and of its winner, if there is one. The winner's runs come first, then
/// those of the scenario as it is.
fn add_tuning(
    citations: &mut Citations,
    runs: &mut Vec<CitedRun>,
    folder: &Path,
    manifest: &Manifest,
) -> Result<(), Failure> {
    let [identity] = &manifest.plans[..] else {
        return Err(refused(folder, "it does not name the scenario that was tuned"));
    };
    add_unit(citations, &identity.scenario, &identity.overrides)?;
    let winner = text_of_file(&folder.join(WINNER)).unwrap_or_default();
    let winner: Vec<_> = winner.lines().map(str::to_owned).collect();
    if !winner.is_empty() {
        add_unit(citations, &identity.scenario, &[&identity.overrides[..], &winner].concat())?;
    }
    let folders = fs::read_dir(folder.join("runs")).into_iter().flatten().flatten();
    let mut found: Vec<_> = folders.filter_map(|entry| checked(&entry.path()).ok()).collect();
    let moved = |sets: &[String]| winner.is_empty() || !winner.iter().all(|set| sets.contains(set));
    found.sort_by_cached_key(|run| (moved(&run.unit.overrides), run.unit.overrides.clone(), run.seed));
    runs.extend(found.into_iter().map(|run| CitedRun {
        scenario: run.unit.scenario,
        overrides: run.unit.overrides,
        seed: run.seed,
        digest: run.digest,
    }));
    Ok(())
}

/// Adds the sources of a scenario with overrides.
fn add_unit(citations: &mut Citations, scenario: &str, overrides: &[String]) -> Result<(), Failure> {
    let plan = experiment::plan(scenario, overrides, None)?;
    let text = ScenarioText::new(scenario, &plan.resolved());
    citations.add(&Scenario::read(&text)?, plan.name());
    Ok(())
}
