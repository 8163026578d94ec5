//! Files that verbs write outside of result folders.
//!
//! Invariant: a file that is there is overwritten only if that is asked for.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::failure::Failure;

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
