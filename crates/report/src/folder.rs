//! The result folder: it belongs to one run, and is written whole or not at all.
//!
//! Invariant: the manifest ([`Manifest`]) names every file of the folder that the program wrote. Files that no manifest
//! names are foreign: they stay as they are. While files change places, the manifest says so, and names the files of the
//! former run and of the new one; a folder whose writer was killed is therefore known as torn, and the next run into it
//! leaves nothing of either.

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
        staged.and_then(|()| self.exchange(&manifest)).map_err(|cause| self.unwritable(cause))
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
        let first = self.temporary("writing");
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
    match fs::read_to_string(folder.join(MANIFEST)) {
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
    let name = temporary(folder, "probe");
    let outcome = fs::write(&name, b"").and_then(|()| fs::remove_file(&name));
    made.undo();
    outcome.map_err(|cause| OutputError::Unwritable { folder: folder.to_owned(), cause })
}

fn temporary(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!(".{}.{}.part", name.replace('/', "%"), std::process::id()))
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
mod tests {
    use super::*;
    use crate::manifest::sample;

    /// A temporary folder, removed at the end of the test.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(test: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("backwater-{test}-{}", std::process::id()));
            fs::create_dir(&folder).unwrap();
            Self(folder)
        }

        fn names(&self) -> Vec<String> {
            names(&self.0)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(name).collect();
        names.sort();
        names
    }

    fn file(name: &str, contents: &str) -> OutputFile {
        OutputFile { name: name.to_owned(), contents: contents.to_owned() }
    }

    /// Returns the manifest of a plan before its run, which may write `a`, `b` and `c`.
    fn asked(plan: &str) -> Manifest {
        let entry = |name: &str| FileEntry { name: name.to_owned(), bytes: 0 };
        Manifest { files: ["a", "b", "c"].map(entry).to_vec(), ..sample(plan) }
    }

    /// Writes the files as the results of a plan.
    fn write(folder: &Path, plan: &str, force: bool, files: &[OutputFile]) -> Result<(), OutputError> {
        ResultFolder::open(folder, &asked(plan), force)?.write(&sample(plan), files)
    }

    fn manifest(folder: &Path) -> Manifest {
        former(folder).unwrap().expect("the folder has a manifest")
    }

    #[test]
    fn a_further_file_is_named_and_foreign_ones_stay() {
        let scratch = Scratch::new("further");
        let folder = scratch.0.join("out");
        write(&folder, "p", false, &[file("a", "one")]).unwrap();
        add_file(&folder, &file("b", "three")).unwrap();
        add_file(&folder, &file("a", "four")).unwrap();
        let sizes: Vec<_> =
            manifest(&folder).files.iter().map(|file| (file.name.clone(), file.bytes)).collect();
        assert_eq!(sizes, [("a".to_owned(), 4), ("b".to_owned(), 5)]);
        fs::write(folder.join("c"), "mine").unwrap();
        assert!(matches!(add_file(&folder, &file("c", "new")), Err(OutputError::Foreign { .. })));
        assert!(matches!(add_file(&scratch.0, &file("c", "new")), Err(OutputError::NoRun { .. })));
        assert_eq!(names(&folder), ["a", "b", "c", MANIFEST]);
    }

    /// Files that a scenario names may lie in folders, which go with their last file.
    #[test]
    fn files_keep_their_folders() {
        let scratch = Scratch::new("folders");
        let folder = scratch.0.join("out");
        let files = [file("a", "one"), file("in/deep/b", "two"), file("in/c", "three")];
        let entry = |name: &str| FileEntry { name: name.to_owned(), bytes: 0 };
        let asked = Manifest { files: ["a", "in/deep/b", "in/c"].map(entry).to_vec(), ..sample("p") };
        ResultFolder::open(&folder, &asked, false).unwrap().write(&sample("p"), &files).unwrap();
        assert_eq!(fs::read_to_string(folder.join("in/deep/b")).unwrap(), "two");
        assert_eq!(
            (names(&folder), names(&folder.join("in"))),
            (
                vec!["a".to_owned(), "in".to_owned(), MANIFEST.to_owned()],
                vec!["c".to_owned(), "deep".to_owned()]
            )
        );
        fs::write(folder.join("in/mine"), "mine").unwrap();
        ResultFolder::open(&folder, &asked, false).unwrap().write(&sample("p"), &files[..1]).unwrap();
        assert_eq!(names(&folder.join("in")), ["mine"]);
        fs::remove_file(folder.join("in/mine")).unwrap();
        ResultFolder::open(&folder, &asked, false).unwrap().write(&sample("p"), &files).unwrap();
        ResultFolder::open(&folder, &asked, false).unwrap().write(&sample("p"), &[]).unwrap();
        assert_eq!(names(&folder), [MANIFEST]);
    }

    #[test]
    fn no_two_files_have_one_name() {
        let scratch = Scratch::new("twice");
        for double in [["a", "a"], ["a", "a/b"], ["b", MANIFEST], ["b", "run.json/c"]] {
            let files = double.map(|name| FileEntry { name: name.to_owned(), bytes: 0 }).to_vec();
            let refused = ResultFolder::open(&scratch.0, &Manifest { files, ..sample("p") }, true);
            assert!(
                matches!(&refused, Err(OutputError::NameOfResult { name }) if name == double[1]),
                "{refused:?}"
            );
        }
    }

    #[test]
    fn opening_leaves_no_trace() {
        let scratch = Scratch::new("open");
        ResultFolder::open(&scratch.0.join("a/b/c"), &asked("p"), false).unwrap();
        assert_eq!(scratch.names(), [""; 0]);
    }

    #[test]
    fn files_of_a_former_run_go_and_foreign_files_stay() {
        let scratch = Scratch::new("former");
        let folder = scratch.0.join("out");
        write(&folder, "p", false, &[file("a", "one"), file("b", "two")]).unwrap();
        fs::write(folder.join("mine.txt"), "mine").unwrap();
        write(&folder, "p", false, &[file("a", "three"), file("c", "four")]).unwrap();
        assert_eq!(names(&folder), ["a", "c", "mine.txt", MANIFEST]);
        assert_eq!(fs::read_to_string(folder.join("a")).unwrap(), "three");
        let sizes: Vec<_> = manifest(&folder).files.into_iter().map(|file| (file.name, file.bytes)).collect();
        assert_eq!(sizes, [("a".to_owned(), 5), ("c".to_owned(), 4)]);
    }

    #[test]
    fn results_of_another_plan_are_overwritten_by_force_alone() {
        let scratch = Scratch::new("other");
        write(&scratch.0, "p", false, &[file("a", "one"), file("b", "two")]).unwrap();
        let message = write(&scratch.0, "q", false, &[file("a", "three")]).unwrap_err().to_string();
        assert!(message.ends_with("another run: victim with congestion_control=Off, seed 7"), "{message}");
        assert_eq!(names(&scratch.0), ["a", "b", MANIFEST]);
        write(&scratch.0, "q", true, &[file("a", "three")]).unwrap();
        assert_eq!(names(&scratch.0), ["a", MANIFEST]);
    }

    #[test]
    fn a_file_that_no_manifest_names_is_overwritten_by_force_alone() {
        let scratch = Scratch::new("foreign");
        fs::write(scratch.0.join("b"), "mine").unwrap();
        let refused = write(&scratch.0, "p", false, &[file("a", "one")]).unwrap_err();
        assert!(matches!(refused, OutputError::Foreign { name, .. } if name == "b"));
        assert_eq!(scratch.names(), ["b"]);
        write(&scratch.0, "p", true, &[file("a", "one")]).unwrap();
        assert_eq!(scratch.names(), ["a", MANIFEST]);
    }

    #[test]
    fn an_unreadable_manifest_is_overwritten_by_force_alone() {
        let scratch = Scratch::new("unreadable");
        fs::write(scratch.0.join(MANIFEST), "{").unwrap();
        assert!(matches!(write(&scratch.0, "p", false, &[]), Err(OutputError::Manifest { .. })));
        write(&scratch.0, "p", true, &[file("a", "one")]).unwrap();
        assert_eq!(manifest(&scratch.0).ended, RunEnd::Complete);
    }

    #[test]
    fn a_run_that_fails_leaves_its_manifest_alone() {
        let scratch = Scratch::new("fails");
        write(&scratch.0, "p", false, &[file("a", "one"), file("b", "two")]).unwrap();
        let ended = RunEnd::Deadlock { message: "S1".to_owned() };
        let folder = ResultFolder::open(&scratch.0, &asked("p"), false).unwrap();
        folder.write(&Manifest { ended: ended.clone(), ..sample("p") }, &[]).unwrap();
        assert_eq!(scratch.names(), [MANIFEST]);
        assert_eq!(manifest(&scratch.0).ended, ended);
    }

    #[test]
    fn a_folder_whose_writer_was_killed_is_cleared_by_the_next_run() {
        let scratch = Scratch::new("torn");
        write(&scratch.0, "p", false, &[file("a", "one")]).unwrap();
        let folder = ResultFolder::open(&scratch.0, &asked("p"), false).unwrap();
        let files = [file("b", "two"), file("c", "three")];
        let entry = |file: &OutputFile| FileEntry { name: file.name.clone(), bytes: 3 };
        let half = Manifest { files: files.iter().map(entry).collect(), ..sample("p") };
        // The writer is killed at its second file: that one has no temporary file to take its place.
        folder.stage(&half, &files[..1]).unwrap();
        assert!(folder.exchange(&half).is_err());
        let torn = manifest(&scratch.0);
        assert_eq!(torn.ended, RunEnd::Writing);
        assert_eq!(torn.files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        write(&scratch.0, "p", false, &[file("c", "four")]).unwrap();
        assert_eq!(names(&scratch.0).iter().filter(|name| !name.starts_with('.')).count(), 2);
    }

    #[test]
    fn a_name_in_a_manifest_leads_to_no_other_folder() {
        let scratch = Scratch::new("names");
        let folder = scratch.0.join("out");
        fs::create_dir(&folder).unwrap();
        fs::write(scratch.0.join("mine"), "mine").unwrap();
        let entry = |name: &str| FileEntry { name: name.to_owned(), bytes: 0 };
        let theirs = Manifest { files: ["../mine", "..", "", "/mine"].map(entry).to_vec(), ..sample("p") };
        fs::write(folder.join(MANIFEST), theirs.json()).unwrap();
        write(&folder, "p", false, &[file("a", "one")]).unwrap();
        assert_eq!(scratch.names(), ["mine", "out"]);
    }

    #[test]
    fn a_folder_below_a_file_is_refused_and_nothing_changes() {
        let scratch = Scratch::new("refused");
        fs::write(scratch.0.join("file"), "mine").unwrap();
        let message = write(&scratch.0.join("file/out"), "p", false, &[]).unwrap_err().to_string();
        assert!(message.starts_with("cannot write to the output folder `"), "{message}");
        assert_eq!(scratch.names(), ["file"]);
    }

    #[test]
    fn a_failure_before_the_exchange_leaves_nothing_behind() {
        let scratch = Scratch::new("half-way");
        let folder = ResultFolder::open(&scratch.0, &asked("p"), false).unwrap();
        fs::create_dir(scratch.0.join("b")).unwrap();
        assert!(folder.write(&sample("p"), &[file("a", "one"), file("b", "two")]).is_err());
        assert_eq!(scratch.names(), ["b"]);
    }
}
