//! Files that verbs write outside of result folders.
//!
//! Invariant: an existing file is replaced only if that is asked for, and only by a whole file (see [`files`]).

use std::path::Path;

use files::{NewFile, NewFileError, Replacing};

use crate::failure::Failure;

/// Opens a file to be written beside its place, and makes its folder. With `force` a file that is there is replaced at
/// the end.
pub(crate) fn open(path: &Path, force: bool) -> Result<NewFile, Failure> {
    NewFile::open(path, Replacing::by_force(force)).map_err(|error| failure(path, error))
}

/// Puts a file in its place.
pub(crate) fn finish(path: &Path, file: NewFile) -> Result<(), Failure> {
    file.finish().map_err(|error| failure(path, error))
}

/// Writes a whole file, and makes its folder.
pub(crate) fn write(path: &Path, contents: impl AsRef<[u8]>, force: bool) -> Result<(), Failure> {
    files::write(path, contents, Replacing::by_force(force)).map_err(|error| failure(path, error))
}

/// Returns the failure of a file that is not written.
pub(crate) fn failure(path: &Path, error: impl Into<NewFileError>) -> Failure {
    let file = path.display().to_string();
    match error.into() {
        NewFileError::There => Failure::FileThere(file),
        NewFileError::Refused(cause) => Failure::UnwritableFile { file, cause },
    }
}
