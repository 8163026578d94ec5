//! Single files that this program has made for itself, such as states of runs.
//!
//! Invariant: a file is replaced or removed only if a look at it says that it is the program's own.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::made::MadeFolders;
use crate::temporary::Temporary;

/// Replaces a file as a whole, once its bytes are on the disk, by way of another file beside it.
///
/// # Errors
/// If `is_own` is false for one of the two that is there, or the system refuses. The file is then as it was.
pub fn replace_own(
    file: &Path,
    by_way_of: &Path,
    bytes: &[u8],
    is_own: impl Fn(&Path) -> bool,
) -> io::Result<()> {
    for path in [file, by_way_of] {
        if fs::symlink_metadata(path).is_ok() && !is_own(path) {
            let why = format!("`{}` is another file by now", path.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
    }
    MadeFolders::of_file(file)?.keep();
    // A part of a state is of no use, and may be what fills the disk.
    let (mut writing, temporary) = Temporary::file(by_way_of, || File::create(by_way_of))?;
    writing.write_all(bytes)?;
    writing.sync_all()?;
    fs::rename(by_way_of, file)?;
    temporary.keep();
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Not every system can open a folder to write it to the disk.
    File::open(folder).map_or(Ok(()), |folder| folder.sync_all())
}

/// Removes a file, if it is there and `is_own` is true for it.
///
/// # Errors
/// If the system refuses.
pub fn remove_own(file: &Path, is_own: impl Fn(&Path) -> bool) -> io::Result<()> {
    match fs::symlink_metadata(file) {
        Ok(_) if is_own(file) => match fs::remove_file(file) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}
