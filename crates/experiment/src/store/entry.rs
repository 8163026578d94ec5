//! The folder of a unit's result on disk.
//!
//! Invariant: a folder of a unit's name appears whole, by a single rename. A folder with changed bytes, as after a loss
//! of power, or with another unit's result, is never taken for a result. `result.json` holds a digest of its own text,
//! and a digest of each other file.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::io;
use std::path::Path;

use event_kernel::Digest;
use files::OwnedFolder;
use results::OutputFile;
use results::folder::is_result;
use results::manifest::{FolderKind, MANIFEST, Manifest, RESULT};
use serde::{Deserialize, Serialize};
use settings::files::text_of_file;

use super::result::UnitResult;
use crate::simulation::VERSION;
use crate::statistics::pooled::GroupCompletions;
use crate::unit::IdentifiedUnit;

/// Name and version of the format of `result.json`. It changes if a field changes its meaning or is removed.
const SCHEMA: &str = "backwater-unit/2";
/// The beginning of `result.json`, whatever the version.
const BEGINNING: &str = "{\"schema\":\"backwater-unit/";
/// The text before the digest of the file.
const CHECKSUM: &str = "\"checksum\":\"";

/// The contents of `result.json`, as they are written.
#[derive(Serialize)]
struct WrittenFile<'a> {
    schema: &'static str,
    /// Digest of the text of this file, with zeros in place of the digest.
    checksum: String,
    files: Vec<StoredFile>,
    result: &'a UnitResult,
    /// Histograms of completion times; none if the run kept none.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    completions: &'a [GroupCompletions],
}

/// The contents of `result.json`, as sweeps read them.
#[derive(Deserialize)]
struct ReadFile {
    schema: String,
    files: Vec<StoredFile>,
    result: UnitResult,
}

/// The histograms in `result.json`.
#[derive(Deserialize)]
struct Histograms {
    #[serde(default)]
    completions: Vec<GroupCompletions>,
}

/// Another file of the folder.
#[derive(Serialize, Deserialize)]
struct StoredFile {
    name: String,
    digest: String,
}

/// State of a unit's folder.
#[derive(Clone, Debug, PartialEq)]
pub enum Stored {
    /// There is no such folder.
    Missing,
    /// The result is there, whole.
    Found(Box<UnitResult>),
    /// The folder is there, and is not the result of this unit by this version.
    Unusable(String),
    /// Something is there that carries no manifest of this program.
    Foreign,
}

/// Returns the text of `result.json` beside these files.
pub(super) fn result_text(
    result: &UnitResult,
    completions: &[GroupCompletions],
    files: &[OutputFile],
) -> OutputFile {
    let stored = |file: &OutputFile| StoredFile {
        name: file.name.clone(),
        digest: Digest::of_text(&file.contents).to_string(),
    };
    let (checksum, files) = (Digest::new().to_string(), files.iter().map(stored).collect());
    let file = WrittenFile { schema: SCHEMA, checksum, files, result, completions };
    let blank = names::json::escaped(serde_json::to_string(&file).expect("a result is plain data")) + "\n";
    debug_assert_eq!(
        serde_json::from_str::<ReadFile>(&blank).map(|read| read.result).ok().as_ref(),
        Some(result)
    );
    // The digest cannot cover itself. It is taken with a blank in its place, which `checked` puts back to compare.
    let contents = blank.replacen(&file.checksum, &Digest::of_text(&blank).to_string(), 1);
    OutputFile { name: RESULT.to_owned(), contents }
}

/// Reads the histograms of completion times from a folder, if its files are as they were written.
pub(super) fn completions(folder: &Path) -> Option<Vec<GroupCompletions>> {
    checked(folder).ok()?;
    let text = text_of_file(&folder.join(RESULT)).ok()?;
    let Histograms { completions } = serde_json::from_str(&text).ok()?;
    (!completions.is_empty()).then_some(completions)
}

pub(super) fn read(folder: &Path, unit: &IdentifiedUnit) -> Stored {
    match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Stored::Missing,
        Err(error) => return Stored::Unusable(format!("it cannot be read: {error}")),
        Ok(_) => {}
    }
    match checked(folder).and_then(|result| result_of(unit, result)) {
        Ok(result) => Stored::Found(Box::new(result)),
        // Only a folder that this program has written may be replaced by a new run.
        Err(reason) if owned(folder).is_some() => Stored::Unusable(reason),
        Err(_) => Stored::Foreign,
    }
}

/// Reads the result in a folder, if its bytes are as they were written.
///
/// # Errors
/// If there is none: the reason.
pub fn checked(folder: &Path) -> Result<UnitResult, String> {
    let unreadable = |name: &str| {
        let name = name.to_owned();
        move |error: io::Error| format!("`{name}` cannot be read: {error}")
    };
    let text = text_of_file(&folder.join(RESULT)).map_err(unreadable(RESULT))?;
    let torn = || format!("`{RESULT}` is not as it was written");
    let start = text.find(CHECKSUM).ok_or_else(torn)? + CHECKSUM.len();
    let blank = Digest::new().to_string();
    let stated = text.get(start..start + blank.len()).ok_or_else(torn)?;
    let blanked = format!("{}{blank}{}", &text[..start], &text[start + blank.len()..]);
    if Digest::of_text(&blanked).to_string() != stated {
        return Err(torn());
    }
    let other =
        |found: &dyn Display| format!("`{RESULT}` has another format, as of another version: {found}");
    let file: ReadFile = serde_json::from_str(&text).map_err(|error| other(&error))?;
    if file.schema != SCHEMA {
        return Err(other(&file.schema));
    }
    for StoredFile { name, digest } in &file.files {
        let contents = text_of_file(&folder.join(name)).map_err(unreadable(name))?;
        if Digest::of_text(&contents).to_string() != *digest {
            return Err(format!("`{name}` is not as it was written"));
        }
    }
    Ok(file.result)
}

/// Returns the result if it is the unit's, by this version of the simulator.
fn result_of(unit: &IdentifiedUnit, mut result: UnitResult) -> Result<UnitResult, String> {
    if result.version != VERSION {
        return Err(format!("it is of version {}", result.version));
    }
    if result.plan_digest != unit.plan_digest() || result.unit.drain != unit.unit().drain {
        return Err("it is the result of another plan".to_owned());
    }
    // The same plan may have been asked for in other words.
    result.unit = unit.unit().clone();
    Ok(result)
}

/// Returns the folder of a unit if it carries the manifest of a run, or a result, so that it may be replaced.
pub(super) fn owned(folder: &Path) -> Option<OwnedFolder<'_>> {
    let is_of_run = |text: &str| Manifest::read(text).is_ok_and(|manifest| manifest.kind == FolderKind::Run);
    OwnedFolder::proven(folder, MANIFEST, is_of_run)
        .or_else(|| OwnedFolder::proven(folder, RESULT, is_of_unit))
}

/// Returns true for the text of a result by any version. The text may be incomplete, as after a loss of power.
fn is_of_unit(text: &str) -> bool {
    // A loss of power may leave a file cut short, or with its length and zeros for contents.
    text.starts_with(BEGINNING) || BEGINNING.starts_with(text) || text.bytes().all(|byte| byte == 0)
}

/// Returns the names of files in a unit's folder that the program has made. A manifest may come from others, and name
/// any file.
pub(super) fn names(folder: &Path) -> BTreeSet<String> {
    let text = text_of_file(&folder.join(MANIFEST)).unwrap_or_default();
    let files = Manifest::read(&text).map_or_else(|_| Vec::new(), |manifest| manifest.files);
    let listed = files.into_iter().map(|file| file.name).filter(|name| is_result(name));
    listed.chain([MANIFEST, RESULT].map(str::to_owned)).collect()
}
