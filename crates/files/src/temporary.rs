//! What goes if the process ends before its work.
//!
//! Invariant: a file that is not whole, a lock, and the folders made for them are known here for as long as they are there, so
//! that a process which is told to end at once leaves none of them. None is made while the process ends.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Attempts to remove a folder into which other threads are writing.
const ATTEMPTS: usize = 64;

/// What is there, the oldest first.
static THERE: Mutex<Vec<Thing>> = Mutex::new(Vec::new());

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Thing {
    File(PathBuf),
    /// A folder that others may have use for.
    Folder(PathBuf),
    /// A folder of this process, with all that is in it.
    Tree(PathBuf),
}

impl Thing {
    /// Removes the file, the folder if it is empty, or the folder with its contents.
    fn remove(&self) {
        // It may be gone, or be of use to another process by now: a folder into which something was written meanwhile stays.
        let _ = match self {
            Self::File(path) => fs::remove_file(path),
            Self::Folder(path) => fs::remove_dir(path),
            Self::Tree(path) => remove_tree(path),
        };
    }
}

/// Removes a folder into which other threads may be writing.
fn remove_tree(path: &Path) -> io::Result<()> {
    for _ in 1..ATTEMPTS {
        match fs::remove_dir_all(path) {
            // A file has come into the folder after it was emptied.
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
            other => return other,
        }
    }
    fs::remove_dir_all(path)
}

fn there() -> MutexGuard<'static, Vec<Thing>> {
    // A list is whole after each of its changes.
    THERE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all that is temporary, and ends the process with this status, without the destructors of its values. Folders stay if they
/// are not empty.
pub fn end_process(status: i32) -> ! {
    // Held to the end: a thread that is about to make something temporary waits for it.
    let mut all = there();
    all.drain(..).rev().for_each(|thing| thing.remove());
    process::exit(status)
}

/// A temporary file or folder. It is removed when this is dropped, unless it is kept.
#[derive(Debug)]
pub(crate) struct Temporary(Option<Thing>);

impl Temporary {
    /// Makes a file, which is temporary if that succeeds.
    pub(crate) fn file<T, E>(path: &Path, make: impl FnOnce() -> Result<T, E>) -> Result<(T, Self), E> {
        Self::made(Thing::File(path.to_owned()), make)
    }

    /// Makes a folder, which is temporary with all that is in it if that succeeds.
    pub(crate) fn tree<T, E>(path: &Path, make: impl FnOnce() -> Result<T, E>) -> Result<(T, Self), E> {
        Self::made(Thing::Tree(path.to_owned()), make)
    }

    /// Makes folders, the outermost first. As far as they are there, they go also if not all can be made.
    pub(crate) fn folders<T, E>(
        outermost_first: impl IntoIterator<Item = PathBuf>,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<(T, Vec<Self>), E> {
        let mut all = there();
        let known = |path: PathBuf| {
            all.push(Thing::Folder(path.clone()));
            Self(Some(Thing::Folder(path)))
        };
        let mut temporary: Vec<_> = outermost_first.into_iter().map(known).collect();
        temporary.reverse();
        let made = make();
        // Those that go when this is dropped are to be forgotten.
        drop(all);
        made.map(|made| (made, temporary))
    }

    fn made<T, E>(thing: Thing, make: impl FnOnce() -> Result<T, E>) -> Result<(T, Self), E> {
        let mut all = there();
        let made = make()?;
        all.push(thing.clone());
        Ok((made, Self(Some(thing))))
    }

    /// Leaves what is there to others.
    pub(crate) fn keep(mut self) {
        drop(self.forgotten());
    }

    /// Returns what is there, which is not known from now on.
    fn forgotten(&mut self) -> Option<Thing> {
        let own = self.0.take()?;
        let mut all = there();
        if let Some(at) = all.iter().rposition(|thing| *thing == own) {
            all.remove(at);
        }
        Some(own)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(thing) = self.forgotten() {
            thing.remove();
        }
    }
}
