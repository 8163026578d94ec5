//! The folder of a sweep: its plan, the store of its results, and the collected table.
//!
//! Invariant: a folder belongs to one sweep. Files appear whole, by a rename.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use experiment::sweep::SweepPlan;
use report::manifest::MANIFEST;

use super::asked::unwritable;
use crate::failure::Failure;

/// Name of the plan of a sweep.
pub(super) const PLAN: &str = "sweep.jsonl";
/// Name of the collected table.
pub(super) const TABLE: &str = "results.csv";
/// Name of its schema.
pub(super) const SCHEMA: &str = "results.schema.json";

/// Writes the plan of a sweep into its folder, unless it is there. Another sweep is replaced only if `force` is true; its
/// results stay.
pub(super) fn claim(folder: &Path, plan: &SweepPlan, force: bool) -> Result<(), Failure> {
    if folder.join(MANIFEST).exists() {
        return Err(Failure::NoSweepFolder(folder.to_owned()));
    }
    let (path, lines) = (folder.join(PLAN), plan.lines());
    match fs::read_to_string(&path) {
        Ok(there) if there == lines => return Ok(()),
        Ok(_) if !force => return Err(Failure::OtherSweep(folder.to_owned())),
        Err(error) if error.kind() != ErrorKind::NotFound && !force => return Err(unwritable(folder)(error)),
        _ => {}
    }
    fs::create_dir_all(folder).map_err(unwritable(folder))?;
    write(&path, lines)
}

/// Writes a file whole or not at all.
pub(super) fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    fs::write(&part, contents).and_then(|()| fs::rename(&part, path)).map_err(|cause| {
        // It may not exist: the failure may have come before it.
        let _ = fs::remove_file(&part);
        unwritable(folder)(cause)
    })
}

/// Removes a file, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(cause) if cause.kind() != ErrorKind::NotFound => {
            Err(unwritable(path.parent().unwrap_or_else(|| Path::new("")))(cause))
        }
        _ => Ok(()),
    }
}

/// Reads the plan of a sweep's folder.
pub(super) fn plan(folder: &Path) -> Result<SweepPlan, Failure> {
    let path = folder.join(PLAN);
    if !path.is_file() {
        return Err(Failure::NoSweep(folder.to_owned()));
    }
    Ok(SweepPlan::read(&path)?)
}

/// Returns the folders, the first of which has the plan; all others must have the same.
pub(super) fn same_plan(folders: &[PathBuf]) -> Result<SweepPlan, Failure> {
    let first = plan(&folders[0])?;
    for other in &folders[1..] {
        if plan(other)? != first {
            return Err(Failure::DifferentSweeps(folders[0].clone(), other.clone()));
        }
    }
    Ok(first)
}
