//! The result folder: it belongs to one run, and is written whole or not at all.
//!
//! Invariant: the manifest ([`Manifest`]) names every file of the folder that the program wrote. Files that no manifest
//! names are foreign: they stay as they are. While files change places, the manifest says so, and names the files of
//! the former and the new run. If the writer is killed, the folder is therefore known as torn, and the next run into it
//! removes the files of both. A file that a manifest names is removed only if the new run or any command writes a file
//! of this name; copies of files that another scenario named stay.

use settings::files::text_of_file;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use files::{Lock, LockError, MadeFolders, OwnedFolder, Part};
use names::file::stays_below;

use crate::OutputFile;
use crate::manifest::{FileEntry, MANIFEST, Manifest, RunEnd};
use crate::parquet::parquet_name;
use crate::schema::{self, FileSchema};

/// An error about the result folder.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// A file cannot be written, renamed or removed.
    #[error("cannot write to the output folder `{}`: {cause}", folder.display())]
    Unwritable {
        /// The folder.
        folder: PathBuf,
        /// Reason given by the system.
        cause: io::Error,
    },
    /// The folder has the results of another run.
    #[error("`{}` holds the results of another run: {theirs}", folder.display())]
    OtherRun {
        /// The folder.
        folder: PathBuf,
        /// That run in words.
        theirs: String,
    },
    /// The folder has a file that a run may write, and that none is known to have written.
    #[error("`{}` holds a file `{name}` that no manifest names: it may be yours", folder.display())]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// Name of the file.
        name: String,
    },
    /// A file that the scenario names would have the name of a result.
    #[error("the scenario names a file `{name}`, and a result has this name in the output folder")]
    NameOfResult {
        /// Name of the file.
        name: String,
    },
    /// Another process writes to the folder.
    #[error("cannot write to the output folder `{}`: {lock}", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
        /// The process, in words.
        lock: LockError,
    },
    /// The files of the folder are of two runs, since the process that wrote them was ended, or is still at it.
    #[error("`{}` is being written, or its writer was killed: its files may be of two runs", .0.display())]
    Torn(PathBuf),
    /// The working folder is in the folder, or it is the root of all.
    #[error("`{}` is no folder for results: the working folder is in it", .0.display())]
    Above(PathBuf),
    /// Something else than a folder is in the place of the folder, or of a folder above it.
    #[error("results go to a folder, and `{}` is no folder", .0.display())]
    NoFolder(PathBuf),
    /// The folder has no manifest.
    #[error("`{}` is not the folder of a run: there is no `{MANIFEST}`", folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder has a manifest that cannot be read.
    #[error("`{}` cannot be read as the manifest of a run: {fault}", folder.join(MANIFEST).display())]
    Manifest {
        /// The folder.
        folder: PathBuf,
        /// The fault.
        fault: String,
    },
}

/// Name of the file that a process holds locked while it may write to the folder.
const LOCK: &str = ".backwater.lock";
/// Names of the files of a tuning.
pub const TUNING_FILES: [&str; 5] = ["trials.csv", "tuning.json", "winner.set", "winner.ron", "searched.set"];
/// Names of temporary files that hold no result; the last two are from earlier versions.
const OWN_NAMES: [&str; 3] = [MANIFEST, "probe", "writing"];

/// A result folder that a run may fill.
#[derive(Debug)]
pub struct ResultFolder {
    path: PathBuf,
    /// Files of a former run, and those that are overwritten by force, by name.
    former: BTreeSet<String>,
    /// Names of files that the run may write.
    asked: BTreeSet<String>,
    /// True if files that no manifest names may be overwritten.
    force: bool,
    lock: Lock,
}

impl ResultFolder {
    /// Opens a folder for a run before it starts. `manifest` names the plans of the run, and the files that it may
    /// write. Leaves no trace but a lock, which goes with the value.
    ///
    /// Unless `force` is true, the folder must be free: empty, foreign to the run, or with results of the same plans.
    ///
    /// # Errors
    /// If two files would have the same name, if the folder is not free, or if another process writes to it. Also if no
    /// file can be written there.
    pub fn open(path: &Path, manifest: &Manifest, force: bool) -> Result<Self, OutputError> {
        check_names(manifest)?;
        check_place(path)?;
        // The lock is a file in the folder: other files can be written there, too.
        let lock = locked(path)?;
        let former = match former(path) {
            Ok(former) => former,
            Err(_) if force => None,
            Err(error) => return Err(error),
        };
        let names = |manifest: &Manifest| -> BTreeSet<_> {
            manifest.files.iter().map(|file| file.name.clone()).filter(|name| stays_below(name)).collect()
        };
        if let Some(theirs) = former.as_ref().filter(|theirs| !force && !theirs.is_of_same_run(manifest)) {
            return Err(OutputError::OtherRun { folder: path.to_owned(), theirs: theirs.in_words() });
        }
        let known = former.as_ref().map(names).unwrap_or_default();
        let asked = names(manifest);
        let mut folder = Self { path: path.to_owned(), former: known, asked: asked.clone(), force, lock };
        for name in asked {
            if folder.is_foreign(&name) {
                if !force {
                    return Err(OutputError::Foreign { folder: path.to_owned(), name });
                }
                folder.former.insert(name);
            }
        }
        Ok(folder)
    }

    /// Returns true if the folder has a file of this name that no manifest names.
    fn is_foreign(&self, name: &str) -> bool {
        !self.former.contains(name) && fs::symlink_metadata(self.path.join(name)).is_ok()
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the files and the manifest, with its list of files filled in. Removes the files of a former run, and
    /// creates the folder if it does not exist.
    ///
    /// # Errors
    /// If a file cannot be written: then nothing has changed. If a file cannot change places, the manifest says that
    /// the folder was being written.
    pub fn write(&self, manifest: &Manifest, files: &[OutputFile]) -> Result<(), OutputError> {
        self.write_all(manifest, files)
    }

    /// Writes files of text or of bytes, as [`Self::write`] does.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn write_all<C: AsRef<[u8]>>(
        &self,
        manifest: &Manifest,
        files: &[OutputFile<C>],
    ) -> Result<(), OutputError> {
        let entry = |file: &OutputFile<C>| {
            let bytes = file.contents.as_ref().len() as u64;
            FileEntry { name: file.name.clone(), bytes }
        };
        let manifest = Manifest { files: files.iter().map(entry).collect(), ..manifest.clone() };
        // A file of a name that was free before the run may have come meanwhile.
        let foreign = files.iter().find(|file| !self.force && self.is_foreign(&file.name));
        if let Some(OutputFile { name, .. }) = foreign {
            return Err(OutputError::Foreign { folder: self.path.clone(), name: name.clone() });
        }
        let made = made(&self.path)?;
        let parts = self.stage(&manifest, files).map_err(|cause| self.unwritable(cause))?;
        // Where a file system has no locks, another process may have come meanwhile.
        self.lock.check().map_err(|lock| busy(&self.path, lock))?;
        self.exchange(&manifest, parts).map_err(|cause| self.unwritable(cause))?;
        made.keep();
        let of_manifest = manifest.files.iter().map(|file| file.name.as_str());
        if let Some(owned) = owned(&self.path) {
            owned
                .remove_abandoned(self.former.iter().map(String::as_str).chain(of_manifest).chain(OWN_NAMES));
        }
        Ok(())
    }

    /// Writes all files beside their places, the manifest last. They go if they are not put there.
    fn stage<C: AsRef<[u8]>>(&self, manifest: &Manifest, files: &[OutputFile<C>]) -> io::Result<Vec<Part>> {
        let parts = files.iter().map(|file| Part::write(&self.path, &file.name, &file.contents));
        parts.chain([Part::write(&self.path, MANIFEST, manifest.json())]).collect()
    }

    /// Puts all files in their places, and removes the former run's files, while the manifest says so.
    fn exchange(&self, manifest: &Manifest, parts: Vec<Part>) -> io::Result<()> {
        let sizeless = self.former.iter().map(|name| FileEntry { name: name.clone(), bytes: 0 });
        let both = sizeless.chain(manifest.files.iter().cloned()).collect();
        let writing = Manifest { ended: RunEnd::Writing, files: both, ..manifest.clone() };
        Part::write(&self.path, MANIFEST, writing.json())?.place()?;
        let of_manifest = |name: &String| manifest.files.iter().any(|file| file.name == *name);
        if let Some(owned) = owned(&self.path) {
            // A manifest may come from others: names in it that no command writes are no reason to remove a file.
            let is_own = |name: &String| self.asked.contains(name) || is_result(name);
            let mut gone = self.former.iter().filter(|name| !of_manifest(name) && is_own(name));
            gone.try_for_each(|name| owned.remove(name))?;
        }
        parts.into_iter().try_for_each(Part::place)
    }

    fn unwritable(&self, cause: io::Error) -> OutputError {
        OutputError::Unwritable { folder: self.path.clone(), cause }
    }
}

/// Returns true for the name of a file that some command writes for any scenario, in CSV or in Parquet.
#[must_use]
pub fn is_result(name: &str) -> bool {
    let is_table = |file: &FileSchema| parquet_name(&file.name).as_deref() == Some(name);
    let is_file = |file: &FileSchema| file.name == name || is_table(file);
    name != MANIFEST && (TUNING_FILES.contains(&name) || schema::files().iter().any(is_file))
}

/// Checks that the files of a folder belong to the same run, if it has a manifest.
///
/// # Errors
/// If the manifest says that files were changing places.
pub fn check_whole(folder: &Path) -> Result<(), OutputError> {
    match former(folder) {
        Ok(Some(manifest)) if manifest.ended == RunEnd::Writing => Err(OutputError::Torn(folder.to_owned())),
        _ => Ok(()),
    }
}

/// Writes a further file of a run into its folder, and names it in the manifest.
///
/// # Errors
/// If the folder has no manifest, or has a file of that name which the manifest does not name, or cannot be written to.
pub fn add_file(folder: &Path, file: &OutputFile) -> Result<(), OutputError> {
    if !folder.join(MANIFEST).is_file() {
        return Err(OutputError::NoRun { folder: folder.to_owned() });
    }
    let _lock = wait_for_lock(folder)?;
    let Some(mut manifest) = former(folder)? else {
        return Err(OutputError::NoRun { folder: folder.to_owned() });
    };
    let entry = FileEntry { name: file.name.clone(), bytes: file.contents.len() as u64 };
    match manifest.files.iter_mut().find(|known| known.name == file.name) {
        Some(known) => *known = entry,
        None if folder.join(&file.name).exists() => {
            return Err(OutputError::Foreign { folder: folder.to_owned(), name: file.name.clone() });
        }
        None => manifest.files.push(entry),
    }
    // The manifest first: it names every file of the folder at every instant.
    let parts = [(MANIFEST, &manifest.json()), (&file.name, &file.contents)]
        .map(|(name, contents)| Part::write(folder, name, contents));
    let placed = parts.into_iter().collect::<io::Result<Vec<_>>>();
    let placed = placed.and_then(|parts| parts.into_iter().try_for_each(Part::place));
    placed.map_err(|cause| OutputError::Unwritable { folder: folder.to_owned(), cause })
}

/// Returns the manifest of the folder's former run, if any.
fn former(folder: &Path) -> Result<Option<Manifest>, OutputError> {
    let fault = |fault: String| OutputError::Manifest { folder: folder.to_owned(), fault };
    match text_of_file(&folder.join(MANIFEST)) {
        Ok(text) => Manifest::read(&text).map(Some).map_err(|error| fault(error.to_string())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(fault(error.to_string())),
    }
}

/// Checks that no two files have the same name, and no file's folder the name of another file. The scenario may name
/// any file.
fn check_names(manifest: &Manifest) -> Result<(), OutputError> {
    let mut known = BTreeSet::from([MANIFEST]);
    for name in manifest.files.iter().map(|file| file.name.as_str()) {
        let first = name.split('/').next().unwrap_or(name);
        if known.contains(first) && first != name || !known.insert(name) {
            return Err(OutputError::NameOfResult { name: name.to_owned() });
        }
    }
    Ok(())
}

/// Returns the folder if it carries a manifest, so that its files may be removed.
fn owned(folder: &Path) -> Option<OwnedFolder<'_>> {
    OwnedFolder::proven(folder, MANIFEST, |text| Manifest::read(text).is_ok())
}

/// Checks that a folder does not contain the working folder: results would be strewn among the files there.
fn check_place(path: &Path) -> Result<(), OutputError> {
    check_folder(path)?;
    let (Ok(place), Ok(working)) = (path.canonicalize(), std::env::current_dir()) else { return Ok(()) };
    let working = working.canonicalize().unwrap_or(working);
    if place.parent().is_none() || place != working && working.starts_with(&place) {
        return Err(OutputError::Above(path.to_owned()));
    }
    Ok(())
}

/// Checks that no file, device or pipe is in the place of a folder, or above it. The system would say `File exists`.
///
/// # Errors
/// If there is: it is named.
pub fn check_folder(path: &Path) -> Result<(), OutputError> {
    // Of the parts that are missing nothing is known. A link without a target is left to the system.
    let there = path.ancestors().find(|part| part.exists());
    match there.filter(|part| !part.is_dir()) {
        Some(other) => Err(OutputError::NoFolder(other.to_owned())),
        None => Ok(()),
    }
}

/// Takes the lock of a folder, and waits some seconds if another process holds it for a moment. The folder is created;
/// it is removed with the lock if nothing is written there.
///
/// # Errors
/// If another process holds it for longer, or the system refuses.
pub fn wait_for_lock(folder: &Path) -> Result<Lock, OutputError> {
    check_folder(folder)?;
    Lock::wait(&folder.join(LOCK)).map_err(|lock| busy(folder, lock))
}

/// Takes the lock of a folder.
fn locked(folder: &Path) -> Result<Lock, OutputError> {
    Lock::take(&folder.join(LOCK)).map_err(|lock| busy(folder, lock))
}

fn busy(folder: &Path, lock: LockError) -> OutputError {
    let folder = folder.to_owned();
    match lock {
        LockError::Refused(cause) => OutputError::Unwritable { folder, cause },
        lock => OutputError::Busy { folder, lock },
    }
}

fn made(folder: &Path) -> Result<MadeFolders, OutputError> {
    let unwritable = |cause| OutputError::Unwritable { folder: folder.to_owned(), cause };
    MadeFolders::down_to(folder).map_err(unwritable)
}

#[cfg(test)]
mod tests;
