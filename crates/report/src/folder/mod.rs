//! The result folder: it belongs to one run, and is written whole or not at all.
//!
//! Invariant: the manifest ([`Manifest`]) names every file of the folder that the program wrote. Files that no manifest
//! names are foreign: they stay as they are. While files change places, the manifest says so, and names the files of the
//! former run and of the new one; a folder whose writer was killed is therefore known as torn, and the next run into it
//! leaves nothing of either.

use settings::files::text_of_file;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use settings::file_name::stays_below;

use crate::OutputFile;
use crate::manifest::{FileEntry, MANIFEST, Manifest, RunEnd};

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

/// Name of the file by which a folder is probed.
const PROBE: &str = "probe";
/// Name of the manifest that says that a folder is being written.
const WRITING: &str = "writing";
/// Names of temporary files that are those of no result.
const OWN_NAMES: [&str; 3] = [MANIFEST, PROBE, WRITING];

/// A result folder that a run may fill.
#[derive(Debug)]
pub struct ResultFolder {
    path: PathBuf,
    /// Files of a former run, by name.
    former: BTreeSet<String>,
}

impl ResultFolder {
    /// Opens a folder for a run before it starts. `manifest` names the plans of the run, and in its files the names that
    /// the run may write. Leaves no trace.
    ///
    /// Unless `force` is true, the folder must be free: empty, foreign to the run, or with the results of the same plans.
    ///
    /// # Errors
    /// If two files would have one name, if the folder is not free, or if no file can be written there.
    pub fn open(path: &Path, manifest: &Manifest, force: bool) -> Result<Self, OutputError> {
        check_names(manifest)?;
        probe(path)?;
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
        let mut listed = former.as_ref().map(names).unwrap_or_default();
        for name in names(manifest) {
            if !listed.contains(&name) && path.join(&name).exists() {
                if !force {
                    return Err(OutputError::Foreign { folder: path.to_owned(), name });
                }
                listed.insert(name);
            }
        }
        Ok(Self { path: path.to_owned(), former: listed })
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the files and the manifest, whose list of files is filled in, and removes those of a former run. The folder is
    /// created if it does not exist.
    ///
    /// # Errors
    /// If a file cannot be written: then nothing has changed. If a file cannot change places, the manifest says that the
    /// folder was being written.
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
        let made = CreatedFolders::folder(&self.path)?;
        let entry = |file: &OutputFile<C>| {
            let bytes = file.contents.as_ref().len() as u64;
            FileEntry { name: file.name.clone(), bytes }
        };
        let manifest = Manifest { files: files.iter().map(entry).collect(), ..manifest.clone() };
        let staged = self.stage(&manifest, files).inspect_err(|_| {
            for name in files.iter().map(|file| file.name.as_str()).chain([MANIFEST]) {
                // The file may not exist: the failure may have come before it.
                let _ = fs::remove_file(self.temporary(name));
                remove_empty_folders(&self.path, name);
            }
            made.undo();
        });
        staged.and_then(|()| self.exchange(&manifest)).map_err(|cause| self.unwritable(cause))?;
        self.remove_abandoned(&manifest);
        Ok(())
    }

    /// Removes temporary files of this run's names, and of the former run's, that a killed process has left.
    fn remove_abandoned(&self, manifest: &Manifest) {
        let of_manifest = manifest.files.iter().map(|file| file.name.as_str());
        let names = self.former.iter().map(String::as_str).chain(of_manifest).chain(OWN_NAMES);
        let names: BTreeSet<String> = names.map(flat).collect();
        for file in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let is_abandoned =
                file.file_name().to_str().and_then(parts_of_temporary).is_some_and(|(name, process)| {
                    names.contains(name) && !Path::new("/proc").join(process).exists()
                });
            if is_abandoned {
                // It is of no use to anyone, but does no harm either.
                let _ = fs::remove_file(file.path());
            }
        }
    }

    /// Writes all files under temporary names.
    fn stage<C: AsRef<[u8]>>(&self, manifest: &Manifest, files: &[OutputFile<C>]) -> io::Result<()> {
        for file in files {
            if let Some((below, _)) = file.name.rsplit_once('/') {
                fs::create_dir_all(self.path.join(below))?;
            }
            if self.path.join(&file.name).is_dir() {
                return Err(io::Error::new(
                    io::ErrorKind::IsADirectory,
                    format!("`{}` is a folder", file.name),
                ));
            }
            fs::write(self.temporary(&file.name), &file.contents)?;
        }
        fs::write(self.temporary(MANIFEST), manifest.json())
    }

    /// Puts all files in their places, and removes those of the former run, while the manifest says so.
    fn exchange(&self, manifest: &Manifest) -> io::Result<()> {
        let sizeless = self.former.iter().map(|name| FileEntry { name: name.clone(), bytes: 0 });
        let both = sizeless.chain(manifest.files.iter().cloned()).collect();
        let writing = Manifest { ended: RunEnd::Writing, files: both, ..manifest.clone() };
        let first = self.temporary(WRITING);
        fs::write(&first, writing.json())?;
        fs::rename(first, self.path.join(MANIFEST))?;
        for name in &self.former {
            if !manifest.files.iter().any(|file| file.name == *name) {
                remove(&self.path.join(name))?;
                remove_empty_folders(&self.path, name);
            }
        }
        for name in manifest.files.iter().map(|file| file.name.as_str()).chain([MANIFEST]) {
            fs::rename(self.temporary(name), self.path.join(name))?;
        }
        Ok(())
    }

    fn temporary(&self, name: &str) -> PathBuf {
        temporary(&self.path, name)
    }

    fn unwritable(&self, cause: io::Error) -> OutputError {
        OutputError::Unwritable { folder: self.path.clone(), cause }
    }
}

/// Writes a further file of a run into its folder, and names it in the manifest.
///
/// # Errors
/// If the folder has no manifest, or has a file of that name which the manifest does not name, or cannot be written to.
pub fn add_file(folder: &Path, file: &OutputFile) -> Result<(), OutputError> {
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
    let place = |name: &str, contents: &str| {
        fs::write(temporary(folder, name), contents)?;
        fs::rename(temporary(folder, name), folder.join(name))
    };
    // The manifest first: it names every file of the folder at every instant.
    let placed = place(MANIFEST, &manifest.json()).and_then(|()| place(&file.name, &file.contents));
    placed.map_err(|cause| OutputError::Unwritable { folder: folder.to_owned(), cause })
}

/// Returns the manifest of the folder's former run, if there is one.
fn former(folder: &Path) -> Result<Option<Manifest>, OutputError> {
    let fault = |fault: String| OutputError::Manifest { folder: folder.to_owned(), fault };
    match text_of_file(&folder.join(MANIFEST)) {
        Ok(text) => Manifest::read(&text).map(Some).map_err(|error| fault(error.to_string())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(fault(error.to_string())),
    }
}

/// Checks that no two files have one name, nor a folder of one the name of another: the scenario may name any file.
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

/// Removes the folders of a file below the result folder, as far as they are empty.
fn remove_empty_folders(folder: &Path, name: &str) {
    for (at, _) in name.rmatch_indices('/') {
        // A folder with other files stays.
        let _ = fs::remove_dir(folder.join(&name[..at]));
    }
}

/// Removes a file that may be gone already.
fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Checks that files can be written to `folder`. Leaves no trace.
fn probe(folder: &Path) -> Result<(), OutputError> {
    let made = CreatedFolders::folder(folder)?;
    let name = temporary(folder, PROBE);
    let outcome = fs::write(&name, b"").and_then(|()| fs::remove_file(&name));
    made.undo();
    outcome.map_err(|cause| OutputError::Unwritable { folder: folder.to_owned(), cause })
}

/// Returns the temporary file for a name.
fn temporary(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!(".{}.{}.part", flat(name), std::process::id()))
}

/// Returns a name without folders.
fn flat(name: &str) -> String {
    name.replace('/', "%")
}

/// Returns the name without folders, and the process, that a [`temporary`] file is of; `None` if it is none.
fn parts_of_temporary(file: &str) -> Option<(&str, &str)> {
    let (name, process) = file.strip_prefix('.')?.strip_suffix(".part")?.rsplit_once('.')?;
    (!process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit())).then_some((name, process))
}

/// Folders that were created, deepest first.
struct CreatedFolders(Vec<PathBuf>);

impl CreatedFolders {
    fn folder(folder: &Path) -> Result<Self, OutputError> {
        let missing = folder.ancestors().take_while(|part| !part.as_os_str().is_empty() && !part.exists());
        let made = Self(missing.map(Path::to_owned).collect());
        match fs::create_dir_all(folder) {
            Ok(()) => Ok(made),
            Err(cause) => {
                made.undo();
                Err(OutputError::Unwritable { folder: folder.to_owned(), cause })
            }
        }
    }

    fn undo(self) {
        for folder in self.0 {
            // A folder into which another process has written stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests;
