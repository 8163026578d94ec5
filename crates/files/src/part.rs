//! A file that is written beside its place.
//!
//! Invariant: the name of a part tells the file and the process: `.NAME.PROCESS.TOKEN.part`. A part that does not get to its
//! place is removed. No link in the path between a folder and its file is followed.

use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use names::file::stays_below;

use crate::made::MadeFolders;
use crate::temporary::Temporary;

/// Bytes of a file's name in the name of its part; systems allow 255 for the whole.
const MOST_BYTES: usize = 200;

/// A file of a folder, whole and beside its place. It is removed when this is dropped.
#[derive(Debug)]
pub struct Part {
    path: PathBuf,
    temporary: Temporary,
    place: PathBuf,
    /// Folders between the folder and the place.
    made: MadeFolders,
}

impl Part {
    /// Writes a file to go to `name` in a folder, which may be in a folder below that is made.
    ///
    /// # Errors
    /// If the name leads out of the folder, also by a link, a folder has this name, or the file cannot be written.
    pub fn write(folder: &Path, name: &str, contents: impl AsRef<[u8]>) -> io::Result<Self> {
        let place = place_below(folder, name)?;
        let made = MadeFolders::of_file(&place)?;
        if place.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, format!("`{name}` is a folder")));
        }
        let (mut file, path, temporary) = Self::open(folder, name)?;
        let part = Self { path, temporary, place, made };
        file.write_all(contents.as_ref())?;
        Ok(part)
    }

    /// Puts the file in its place, where it replaces what is there.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn place(self) -> io::Result<()> {
        fs::rename(&self.path, &self.place)?;
        self.temporary.keep();
        self.made.keep();
        Ok(())
    }

    /// Opens a new file in a folder, to be written for the file `name`.
    pub(crate) fn open(folder: &Path, name: &str) -> io::Result<(File, PathBuf, Temporary)> {
        let path = folder.join(format!(".{}.{}.{}.part", flat(name), std::process::id(), token()));
        let (file, temporary) = Temporary::file(&path, || File::create_new(&path))?;
        Ok((file, path, temporary))
    }
}

/// Returns the place of a file in a folder or below it.
pub(crate) fn place_below(folder: &Path, name: &str) -> io::Result<PathBuf> {
    let refused = |why: &str| io::Error::new(io::ErrorKind::InvalidFilename, format!("`{name}` {why}"));
    if !stays_below(name) {
        return Err(refused("leads out of the folder"));
    }
    for (at, _) in name.match_indices('/') {
        let between = folder.join(&name[..at]);
        if fs::symlink_metadata(&between).is_ok_and(|there| there.is_symlink()) {
            return Err(refused("leads out of the folder by a link"));
        }
    }
    Ok(folder.join(name))
}

/// Returns the name of a file without folders, as the names of its parts have it.
pub(crate) fn flat(name: &str) -> String {
    let mut flat = name.replace('/', "%");
    let end = (0..=MOST_BYTES.min(flat.len())).rev().find(|end| flat.is_char_boundary(*end));
    flat.truncate(end.unwrap_or(0));
    flat
}

/// Returns the name without folders, and the process, of a part; `None` if a file is none. Those of earlier versions have no
/// token.
pub(crate) fn parts_of(file: &str) -> Option<(&str, &str)> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (name, last) = file.strip_prefix('.')?.strip_suffix(".part")?.rsplit_once('.')?;
    let is_token = last.len() == 16 && last.bytes().all(|byte| byte.is_ascii_hexdigit());
    let with_token = name.rsplit_once('.').filter(|(_, process)| is_token && digits(process));
    with_token.or_else(|| digits(last).then_some((name, last)))
}

/// Number of attempts to make something in a folder that other processes make and remove.
const ATTEMPTS: usize = 64;

/// Makes something in a folder, again if another process has removed the folder meanwhile.
pub(crate) fn retried<T>(mut make: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 1..ATTEMPTS {
        match make() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => return other,
        }
    }
    make()
}

/// Returns a text that no other process has, and no other call.
pub(crate) fn token() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_names_its_file_and_its_process() {
        assert_eq!(parts_of(".run.json.12.part"), Some(("run.json", "12")));
        assert_eq!(parts_of(&format!(".x%y.12.{}.part", token())), Some(("x%y", "12")));
        for other in
            [".a.12.part.old", ".foreign.part", ".a..part", ".a.12x.part", "a.7.part", ".x.0123.part.12"]
        {
            assert_eq!(parts_of(other), None, "{other}");
        }
        assert_ne!(token(), token());
        assert_eq!(flat("a/b"), "a%b");
        assert_eq!(flat(&"é".repeat(150)).len(), 200);
    }
}
