//! What goes if the process ends before its work.
//!
//! Invariant: a file that is not whole, a lock, and the folders made for them are known here for as long as they are there, so
//! that a process which is told to end at once leaves none of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is there, the oldest first.
static THERE: Mutex<Vec<Thing>> = Mutex::new(Vec::new());

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Thing {
    File(PathBuf),
    Folder(PathBuf),
}

impl Thing {
    /// Removes the file, or the folder if it is empty.
    fn remove(&self) {
        // It may be gone, or be of use to another process by now: a folder into which something was written meanwhile stays.
        let _ = match self {
            Self::File(path) => fs::remove_file(path),
            Self::Folder(path) => fs::remove_dir(path),
        };
    }
}

fn there() -> MutexGuard<'static, Vec<Thing>> {
    // A list is whole after each of its changes.
    THERE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all that is temporary, for a process that ends without the destructors of its values. Folders stay if they are not
/// empty. Nothing is temporary afterwards: what another thread makes then stays.
pub fn remove_temporary() {
    there().drain(..).rev().for_each(|thing| thing.remove());
}

/// A temporary file or folder. It is removed when this is dropped, unless it is kept.
#[derive(Debug)]
pub(crate) struct Temporary(Option<Thing>);

impl Temporary {
    pub(crate) fn file(path: &Path) -> Self {
        Self::known(Thing::File(path.to_owned()))
    }

    pub(crate) fn folder(path: &Path) -> Self {
        Self::known(Thing::Folder(path.to_owned()))
    }

    fn known(thing: Thing) -> Self {
        there().push(thing.clone());
        Self(Some(thing))
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
