//! A file that the command line names, anywhere.
//!
//! Invariant: the file at the place is the former one, or the whole new one. A stream, such as a terminal or a pipe, is written
//! to as it is; it is never removed or replaced.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::made::MadeFolders;
use crate::part::Part;
use crate::temporary::Temporary;

/// The treatment of a file that is at the place already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacing {
    /// It stays, and the new file is refused.
    Nothing,
    /// The new file replaces it.
    Anything,
}

impl Replacing {
    /// Returns the treatment that `--force` asks for, or its absence.
    #[must_use]
    pub const fn by_force(force: bool) -> Self {
        if force { Self::Anything } else { Self::Nothing }
    }
}

/// The reason for which a file is not written.
#[derive(Debug, thiserror::Error)]
pub enum NewFileError {
    /// A file is there, which is not to be replaced.
    #[error("it is there")]
    There,
    /// The system refuses.
    #[error("{0}")]
    Refused(#[from] io::Error),
}

/// A file that is being written. Unless it is finished, it goes when this is dropped, and the former one stays.
#[derive(Debug)]
pub struct NewFile(Target);

#[derive(Debug)]
enum Target {
    /// A stream that others read.
    Stream(File),
    /// A file beside its place.
    Beside {
        file: File,
        path: PathBuf,
        _temporary: Temporary,
        place: PathBuf,
        replacing: Replacing,
        made: MadeFolders,
    },
}

impl NewFile {
    /// Opens a file to be written, and makes its folder.
    ///
    /// # Errors
    /// If a file is there that is not to be replaced, or the system refuses.
    pub fn open(place: &Path, replacing: Replacing) -> Result<Self, NewFileError> {
        let there = fs::metadata(place).ok();
        if is_stream(place, there.as_ref()) {
            return Ok(Self(Target::Stream(OpenOptions::new().append(true).open(place)?)));
        }
        if let Some(there) = there.as_ref().filter(|there| !there.is_file()) {
            let what = if there.is_dir() { "it is a folder" } else { "it is a device" };
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what).into());
        }
        if replacing == Replacing::Nothing && fs::symlink_metadata(place).is_ok() {
            return Err(NewFileError::There);
        }
        // A file that a link leads to is replaced where it is.
        let place = if there.is_some() { fs::canonicalize(place)? } else { place.to_owned() };
        let name = place.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))?;
        let made = MadeFolders::of_file(&place)?;
        let folder = place.parent().unwrap_or_else(|| Path::new(""));
        let (file, path, _temporary) = Part::open(folder, &name.to_string_lossy())?;
        Ok(Self(Target::Beside { file, path, _temporary, place, replacing, made }))
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// If a file is there by now that is not to be replaced, or the system refuses.
    pub fn finish(self) -> Result<(), NewFileError> {
        // The second name of a file goes, and the only one is gone by then.
        let Target::Beside { path, _temporary, place, replacing, made, .. } = self.0 else { return Ok(()) };
        match replacing {
            Replacing::Anything => {
                if let Ok(former) = fs::metadata(&place) {
                    // Not every file system has permissions, and the contents matter more.
                    let _ = fs::set_permissions(&path, former.permissions());
                }
                fs::rename(&path, &place)?;
            }
            // A second name is given to a file only if nothing has that name.
            Replacing::Nothing => match fs::hard_link(&path, &place) {
                Ok(()) => {}
                Err(_) if fs::symlink_metadata(&place).is_ok() => return Err(NewFileError::There),
                // A file system without second names.
                Err(_) => fs::rename(&path, &place)?,
            },
        }
        made.keep();
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (Target::Stream(file) | Target::Beside { file, .. }) = &mut self.0;
        file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        let (Target::Stream(file) | Target::Beside { file, .. }) = &mut self.0;
        file.flush()
    }
}

/// Writes a whole file, and makes its folder.
///
/// # Errors
/// As [`NewFile::open`] and [`NewFile::finish`].
pub fn write(place: &Path, contents: impl AsRef<[u8]>, replacing: Replacing) -> Result<(), NewFileError> {
    let mut file = NewFile::open(place, replacing)?;
    file.write_all(contents.as_ref())?;
    file.finish()
}

/// Returns true for terminals, pipes, and the files that this process has open, such as `/dev/stdout`.
fn is_stream(place: &Path, there: Option<&Metadata>) -> bool {
    let is_open_file = || {
        let streams = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd"];
        streams.iter().any(|stream| place.starts_with(stream))
    };
    there.is_some_and(|there| is_character_stream(there) || is_open_file() && !there.is_dir())
}

#[cfg(unix)]
fn is_character_stream(there: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = there.file_type();
    kind.is_char_device() || kind.is_fifo()
}

#[cfg(not(unix))]
fn is_character_stream(_: &Metadata) -> bool {
    false
}
