//! A folder that carries a manifest of this program.
//!
//! Invariant: an [`OwnedFolder`] is proof of the manifest: without one nothing in a folder is removed. Links in it are removed
//! and never followed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use crate::part::{flat, parts_of, place_below};

/// A folder with a manifest of this program, in which files may be removed.
#[derive(Clone, Copy, Debug)]
pub struct OwnedFolder<'a> {
    path: &'a Path,
}

impl<'a> OwnedFolder<'a> {
    /// Returns a folder if it carries a manifest: a file of this name, whose text `is_manifest` accepts.
    pub fn proven(path: &'a Path, manifest: &str, is_manifest: impl FnOnce(&str) -> bool) -> Option<Self> {
        let is_folder = fs::symlink_metadata(path).is_ok_and(|there| there.is_dir() || there.is_symlink());
        let file = path.join(manifest);
        // A pipe of this name would have no end.
        let is_file = fs::metadata(&file).is_ok_and(|there| there.is_file());
        let text = if is_folder && is_file { fs::read_to_string(&file).ok() } else { None };
        text.filter(|text| is_manifest(text)).map(|_| Self { path })
    }

    pub(crate) fn path(self) -> &'a Path {
        self.path
    }

    /// Removes a file, which may be gone already, and the folders between it and this one, as far as they are empty. A name that
    /// leads to another folder is left alone.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn remove(self, name: &str) -> io::Result<()> {
        let Ok(place) = place_below(self.path, name) else { return Ok(()) };
        match fs::remove_file(place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        for (at, _) in name.rmatch_indices('/') {
            // A folder with other files stays.
            let _ = fs::remove_dir(self.path.join(&name[..at]));
        }
        Ok(())
    }

    /// Removes the parts of these files that processes have left which are no more.
    pub fn remove_abandoned<S: AsRef<str>>(self, files: impl IntoIterator<Item = S>) {
        let names: BTreeSet<String> = files.into_iter().map(|file| flat(file.as_ref())).collect();
        for file in fs::read_dir(self.path).into_iter().flatten().flatten() {
            let is_abandoned = file.file_name().to_str().and_then(parts_of).is_some_and(|(name, process)| {
                names.contains(name) && !Path::new("/proc").join(process).exists()
            });
            if is_abandoned {
                // It is of no use to anyone, but does no harm either.
                let _ = fs::remove_file(file.path());
            }
        }
    }

    /// Removes the folder with all that is in it. A link to a folder goes alone.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn discard(self) -> io::Result<()> {
        if fs::symlink_metadata(self.path)?.is_symlink() {
            return fs::remove_file(self.path);
        }
        fs::remove_dir_all(self.path)
    }
}
