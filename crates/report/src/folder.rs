//! The output folder: written whole or not at all.
//!
//! Invariant: a failure leaves no new file behind, and no existing file partly overwritten: every file is written under
//! a temporary name first, and renamed at the end.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::OutputFile;

/// An error while writing to the output folder.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to the output folder `{}`: {cause}", folder.display())]
pub struct OutputError {
    folder: PathBuf,
    cause: io::Error,
}

/// Checks before a run that files can be written to `folder`. Leaves no trace.
///
/// # Errors
/// If the folder, or a file in it, cannot be created.
pub fn probe(folder: &Path) -> Result<(), OutputError> {
    let made = CreatedFolders::folder(folder)?;
    let name = temporary(folder, "probe");
    let outcome = fs::write(&name, b"").and_then(|()| fs::remove_file(&name));
    made.undo();
    outcome.map_err(|cause| OutputError { folder: folder.to_owned(), cause })
}

/// Writes the files to `folder`, which is created if it does not exist.
///
/// # Errors
/// If any file cannot be written; then none is.
pub fn write(folder: &Path, files: &[OutputFile]) -> Result<(), OutputError> {
    let made = CreatedFolders::folder(folder)?;
    let outcome = files
        .iter()
        .try_for_each(|file| fs::write(temporary(folder, &file.name), &file.contents))
        .and_then(|()| files.iter().try_for_each(|file| in_place(folder, file)));
    outcome.map_err(|cause| {
        for file in files {
            // The file may not exist: the failure may have come before it.
            let _ = fs::remove_file(temporary(folder, &file.name));
        }
        made.undo();
        OutputError { folder: folder.to_owned(), cause }
    })
}

fn in_place(folder: &Path, file: &OutputFile) -> io::Result<()> {
    fs::rename(temporary(folder, &file.name), folder.join(&file.name))
}

fn temporary(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!(".{name}.{}.part", std::process::id()))
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
                Err(OutputError { folder: folder.to_owned(), cause })
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

    /// A temporary folder, removed at the end of the test.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(test: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("backwater-{test}-{}", std::process::id()));
            fs::create_dir(&folder).unwrap();
            Self(folder)
        }

        fn names(&self) -> Vec<String> {
            let mut names: Vec<_> = fs::read_dir(&self.0)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn file(name: &str, contents: &str) -> OutputFile {
        OutputFile { name: name.to_owned(), contents: contents.to_owned() }
    }

    #[test]
    fn a_probe_leaves_no_trace() {
        let scratch = Scratch::new("probe");
        probe(&scratch.0.join("a/b/c")).unwrap();
        assert_eq!(scratch.names(), [""; 0]);
    }

    #[test]
    fn files_are_made_and_replaced() {
        let scratch = Scratch::new("replace");
        let folder = scratch.0.join("out");
        write(&folder, &[file("a", "one"), file("b", "two")]).unwrap();
        write(&folder, &[file("a", "three")]).unwrap();
        assert_eq!(fs::read_to_string(folder.join("a")).unwrap(), "three");
        assert_eq!(fs::read_to_string(folder.join("b")).unwrap(), "two");
        assert_eq!(fs::read_dir(folder).unwrap().count(), 2);
    }

    #[test]
    fn a_folder_below_a_file_is_refused_and_nothing_changes() {
        let scratch = Scratch::new("refused");
        fs::write(scratch.0.join("file"), "mine").unwrap();
        let folder = scratch.0.join("file/out");
        let message = probe(&folder).unwrap_err().to_string();
        assert!(message.starts_with("cannot write to the output folder `"), "{message}");
        assert!(write(&folder, &[file("a", "one")]).is_err());
        assert_eq!(scratch.names(), ["file"]);
    }

    #[test]
    fn a_failure_half_way_leaves_nothing_behind() {
        let scratch = Scratch::new("half-way");
        // The second file cannot be renamed onto a folder that is not empty.
        let folder = scratch.0.join("out");
        fs::create_dir_all(folder.join("b/full")).unwrap();
        assert!(write(&folder, &[file("b", "two"), file("a", "one")]).is_err());
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
    }
}
