//! The folder of a unit's result on disk.
//!
//! Invariant: a folder of a unit's name appears whole, by one rename, after its bytes are on the disk. A folder whose bytes
//! are not those that were written, or whose result is another unit's, is never taken for a result: `result.json` holds a
//! digest of its own text and one of each other file.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use event_kernel::Digest;
use report::OutputFile;
use serde::{Deserialize, Serialize};

use telemetry::RunRecord;

use super::result::UnitResult;
use crate::simulation::VERSION;
use crate::statistics::pooled::{GroupCompletions, completions_of};
use crate::unit::IdentifiedUnit;

/// Name of the file with the result.
pub(super) const RESULT: &str = "result.json";
/// Name of the file with histograms of completion times.
const COMPLETIONS: &str = "completions.json";
/// Name and version of the format of `result.json`. It changes if a field changes its meaning or is removed.
const SCHEMA: &str = "backwater-unit/1";
/// The text before the digest of the file.
const CHECKSUM: &str = "\"checksum\":\"";

/// The contents of `result.json`.
#[derive(Serialize, Deserialize)]
struct ResultFile {
    schema: String,
    /// Digest of the text of this file, with zeros in place of the digest.
    checksum: String,
    files: Vec<StoredFile>,
    result: UnitResult,
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
}

/// Returns the text of `result.json`, and the result as this text has it.
pub(super) fn result_text(result: UnitResult, files: &[OutputFile]) -> (OutputFile, UnitResult) {
    let stored = |file: &OutputFile| StoredFile {
        name: file.name.clone(),
        digest: Digest::of_text(&file.contents).to_string(),
    };
    let (schema, checksum) = (SCHEMA.to_owned(), Digest::new().to_string());
    let file = ResultFile { schema, checksum, files: files.iter().map(stored).collect(), result };
    let blank = serde_json::to_string(&file).expect("a result is plain data") + "\n";
    let result = serde_json::from_str::<ResultFile>(&blank).expect("a result is read as written").result;
    let contents = blank.replacen(&file.checksum, &Digest::of_text(&blank).to_string(), 1);
    (OutputFile { name: RESULT.to_owned(), contents }, result)
}

/// Returns the file with histograms of completion times; `None` if the run has none.
pub(super) fn completions_file(record: &RunRecord) -> Option<OutputFile> {
    let groups = completions_of(record);
    let contents = || serde_json::to_string(&groups).expect("histograms are plain data") + "\n";
    (!groups.is_empty()).then(|| OutputFile { name: COMPLETIONS.to_owned(), contents: contents() })
}

/// Reads the histograms of completion times from a folder whose files are as they were written.
pub(super) fn completions(folder: &Path) -> Option<Vec<GroupCompletions>> {
    checked(folder).ok()?;
    serde_json::from_str(&fs::read_to_string(folder.join(COMPLETIONS)).ok()?).ok()
}

/// Reads the result of a unit from a folder.
pub(super) fn read(folder: &Path, unit: &IdentifiedUnit) -> Stored {
    match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Stored::Missing,
        Err(error) => return Stored::Unusable(format!("it cannot be read: {error}")),
        Ok(_) => {}
    }
    match checked(folder).and_then(|result| result_of(unit, result)) {
        Ok(result) => Stored::Found(Box::new(result)),
        Err(reason) => Stored::Unusable(reason),
    }
}

/// Reads a result whose bytes are those that were written; else the reason.
pub(super) fn checked(folder: &Path) -> Result<UnitResult, String> {
    let unreadable = |name: &str| {
        let name = name.to_owned();
        move |error: io::Error| format!("`{name}` cannot be read: {error}")
    };
    let text = fs::read_to_string(folder.join(RESULT)).map_err(unreadable(RESULT))?;
    let torn = || format!("`{RESULT}` is not as it was written");
    let start = text.find(CHECKSUM).ok_or_else(torn)? + CHECKSUM.len();
    let blank = Digest::new().to_string();
    let stated = text.get(start..start + blank.len()).ok_or_else(torn)?;
    let blanked = format!("{}{blank}{}", &text[..start], &text[start + blank.len()..]);
    if Digest::of_text(&blanked).to_string() != stated {
        return Err(torn());
    }
    let file: ResultFile = serde_json::from_str(&text)
        .map_err(|error| format!("`{RESULT}` has another format, as of another version: {error}"))?;
    for StoredFile { name, digest } in &file.files {
        let contents = fs::read_to_string(folder.join(name)).map_err(unreadable(name))?;
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
    if result.plan_digest != unit.plan_digest() {
        return Err("it is the result of another plan".to_owned());
    }
    // The same plan may have been asked for in other words.
    result.unit = unit.unit().clone();
    Ok(result)
}

/// Writes all files to a new folder, and the folder and the files to the disk.
pub(super) fn write(folder: &Path, files: &[OutputFile]) -> io::Result<()> {
    fs::create_dir(folder)?;
    for OutputFile { name, contents } in files {
        let path = folder.join(name);
        if let Some(below) = path.parent() {
            fs::create_dir_all(below)?;
        }
        fs::write(&path, contents)?;
        File::open(&path)?.sync_all()?;
    }
    sync_folder(folder)
}

/// Writes the entries of a folder to the disk, on systems where a folder can be opened.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
