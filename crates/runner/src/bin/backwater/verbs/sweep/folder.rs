//! The folder of a sweep: its plan, the store of its results, the collected table, and its manifest.
//!
//! Invariant: a folder belongs to a single sweep. Files appear whole, by a rename. Several processes may run parts of a
//! sweep. Plan, manifest and table change under the folder's lock, which a process holds for a moment. A table is
//! written only beside its own plan.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use backwater::provenance;
use experiment::sweep::SweepPlan;
use files::{Lock, MadeFolders, OwnedFolder, Part};
use results::Manifest;
use results::folder::wait_for_lock;
use results::manifest::{FileEntry, FolderKind, MANIFEST};
use results::rows::SweepRow;
use results::sweep::ANSWER;
use results::table::TableRow;
use settings::files::text_of_file;

use super::asked::unwritable;
use crate::failure::Failure;

pub(super) const PLAN: &str = "sweep.jsonl";
/// Name of the collected table.
pub(super) const TABLE: &str = SweepRow::FILE;
/// Name of the collected table in Parquet.
pub(super) const BINARY_TABLE: &str = "results.parquet";
pub(super) const SCHEMA: &str = "results.schema.json";

/// State of a sweep's folder before its runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FolderClaim {
    /// The folder had no plan, or this plan.
    Own,
    /// The folder had a plan. All its runs are among this plan's runs.
    Extended,
    /// The folder had another plan, which is replaced by force.
    Replaced,
}

/// Writes the plan of a sweep into its folder, unless it is there. A plan with further settings or seeds takes the
/// place of the plan that it extends; another sweep is replaced only if `force` is true. Results stay.
pub(super) fn claim(folder: &Path, plan: &SweepPlan, force: bool) -> Result<FolderClaim, Failure> {
    let (path, lines) = (folder.join(PLAN), plan.lines());
    // Parts of a sweep start independently: each finds the plan as it is.
    if has_plan(folder, &lines) && manifest(folder)?.is_some() {
        return Ok(FolderClaim::Own);
    }
    let _lock = wait_for_lock(folder)?;
    let manifest = manifest(folder)?;
    let claim = match text_of_file(&path) {
        Ok(there) if there == lines && manifest.is_some() => return Ok(FolderClaim::Own),
        Ok(there) if there == lines => FolderClaim::Own,
        Ok(_) if SweepPlan::read(&path).is_ok_and(|there| plan.extends(&there)) => FolderClaim::Extended,
        Ok(_) if force => FolderClaim::Replaced,
        Ok(_) => return Err(Failure::OtherSweep(folder.to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => FolderClaim::Own,
        Err(_) if force => FolderClaim::Replaced,
        Err(error) => return Err(unwritable(folder)(error)),
    };
    MadeFolders::down_to(folder).map_err(unwritable(folder))?.keep();
    write(folder, PLAN, lines)?;
    // An answer to the former plan does not answer this plan's question.
    remove(folder, ANSWER)?;
    describe_as(folder, None, provenance::command_line().collect())?;
    Ok(claim)
}

/// Takes the lock of a sweep's folder, to write the answer to its plan.
///
/// # Errors
/// If another process has put another plan there since this plan was read.
pub(super) fn locked(folder: &Path, plan: &SweepPlan) -> Result<Lock, Failure> {
    let lock = wait_for_lock(folder)?;
    if has_plan(folder, &plan.lines()) { Ok(lock) } else { Err(Failure::SweepChanged(folder.to_owned())) }
}

fn has_plan(folder: &Path, lines: &str) -> bool {
    text_of_file(&folder.join(PLAN)).is_ok_and(|there| there == lines)
}

/// Returns the manifest of a sweep's folder; `None` if there is none.
fn manifest(folder: &Path) -> Result<Option<Manifest>, Failure> {
    let path = folder.join(MANIFEST);
    if !path.exists() {
        return Ok(None);
    }
    let read = text_of_file(&path).ok().and_then(|text| Manifest::read(&text).ok());
    match read.filter(|manifest| manifest.kind == FolderKind::Sweep) {
        Some(manifest) => Ok(Some(manifest)),
        None => Err(Failure::NoSweepFolder(folder.to_owned())),
    }
}

/// Writes the manifest of a sweep's folder: its command, its files, and the answer to its question. The command stays
/// the sweep's.
pub(super) fn describe(folder: &Path, verdict: Option<&str>) -> Result<(), Failure> {
    describe_as(folder, verdict, command(folder)?)
}

fn describe_as(folder: &Path, verdict: Option<&str>, command: Vec<String>) -> Result<(), Failure> {
    let own = provenance::manifest(FolderKind::Sweep, Vec::new(), []);
    let entry = |name: &str| {
        let bytes = fs::metadata(folder.join(name)).ok()?.len();
        Some(FileEntry { name: name.to_owned(), bytes })
    };
    let files = [PLAN, ANSWER, TABLE, BINARY_TABLE, SCHEMA].into_iter().filter_map(entry).collect();
    let verdict = verdict.map(str::to_owned);
    write(folder, MANIFEST, Manifest { command, verdict, files, ..own }.json())
}

/// Returns the command line of a sweep: that of its folder's manifest, or this one.
pub(super) fn command(folder: &Path) -> Result<Vec<String>, Failure> {
    Ok(manifest(folder)?.map_or_else(|| provenance::command_line().collect(), |there| there.command))
}

/// Writes a file of the sweep whole or not at all.
pub(super) fn write(folder: &Path, name: &str, contents: impl AsRef<[u8]>) -> Result<(), Failure> {
    Part::write(folder, name, contents).and_then(Part::place).map_err(unwritable(folder))
}

/// Removes a file of the sweep, if it is there.
pub(super) fn remove(folder: &Path, name: &str) -> Result<(), Failure> {
    let is_of_sweep =
        |text: &str| Manifest::read(text).is_ok_and(|manifest| manifest.kind == FolderKind::Sweep);
    let owned = OwnedFolder::proven(folder, MANIFEST, is_of_sweep);
    owned.map_or(Ok(()), |owned| owned.remove(name)).map_err(unwritable(folder))
}

/// Reads the plan of a sweep's folder.
pub(super) fn plan(folder: &Path) -> Result<SweepPlan, Failure> {
    let path = folder.join(PLAN);
    if !path.is_file() {
        return Err(Failure::NoSweep(folder.to_owned()));
    }
    Ok(SweepPlan::read(&path)?)
}

/// Returns the plan of the first folder. All other folders must have the same.
pub(super) fn same_plan(folders: &[PathBuf]) -> Result<SweepPlan, Failure> {
    let first = plan(&folders[0])?;
    for other in &folders[1..] {
        if plan(other)? != first {
            return Err(Failure::DifferentSweeps(folders[0].clone(), other.clone()));
        }
    }
    Ok(first)
}
