//! Files that verbs write outside of result folders.
//!
//! Invariant: a file that is there is overwritten only if that is asked for. A file that cannot be written to its end is removed.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::failure::Failure;

/// Removes a file that could not be written to its end, and returns the failure.
pub(crate) fn unfinished(path: &Path, cause: io::Error) -> Failure {
    // The cause is told; that the rest of the file cannot be removed either adds nothing to it.
    let _ = fs::remove_file(path);
    Failure::UnwritableFile { file: path.display().to_string(), cause }
}

/// Opens a file to be written, and makes its folder. With `force` a file that is there is emptied.
pub(crate) fn open(path: &Path, force: bool) -> Result<File, Failure> {
    let unwritable = |cause: io::Error| match cause.kind() {
        io::ErrorKind::AlreadyExists => Failure::FileThere(path.display().to_string()),
        _ => Failure::UnwritableFile { file: path.display().to_string(), cause },
    };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(unwritable)?;
    }
    let file = if force { File::create(path) } else { File::create_new(path) };
    file.map_err(unwritable)
}
