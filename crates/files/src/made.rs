//! Folders that are made for files to come.
//!
//! Invariant: unless they are kept, the folders that were made go again, as far as they are empty: one into which something was
//! written meanwhile stays.

use std::fs;
use std::io;
use std::path::Path;

use crate::temporary::Temporary;

/// Folders that were made, deepest first. They are removed when this is dropped, unless they are kept.
#[derive(Debug, Default)]
pub struct MadeFolders(Vec<Temporary>);

impl MadeFolders {
    /// Makes a folder, and those above it that are missing.
    ///
    /// # Errors
    /// If one of them cannot be made: then none is left.
    pub fn down_to(folder: &Path) -> io::Result<Self> {
        let missing = folder.ancestors().take_while(|part| !part.as_os_str().is_empty() && !part.exists());
        let missing: Vec<_> = missing.map(Path::to_owned).collect();
        // The outermost is the oldest: it can go only after those in it.
        let outermost_first = missing.into_iter().rev();
        let made = Temporary::folders(outermost_first, || fs::create_dir_all(folder));
        made.map(|((), made)| Self(made))
    }

    /// Makes the folder of a file.
    ///
    /// # Errors
    /// As [`down_to`](Self::down_to).
    pub fn of_file(file: &Path) -> io::Result<Self> {
        match file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            Some(folder) => Self::down_to(folder),
            None => Ok(Self::default()),
        }
    }

    /// Adds folders that were made later.
    pub(crate) fn add(&mut self, mut later: Self) {
        self.0.append(&mut later.0);
    }

    /// Keeps the folders.
    pub fn keep(self) {
        self.0.into_iter().for_each(Temporary::keep);
    }
}
