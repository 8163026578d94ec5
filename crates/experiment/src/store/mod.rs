//! The store: a folder with the results of units, one folder each.
//!
//! Invariant: a result is there whole or not at all, whenever a process is killed and however many processes write to the
//! store. Nothing that is there whole is computed again.
//!
//! ```text
//! DIR/runs/NAME-seedN-DIGEST/result.json   the result, histograms of completion times, and digests of all other files
//!                            run.json      the manifest, where files of the run are asked for
//!                            ...           these files
//! DIR/runs/.writing-PID-N/                 results that a process is writing; removed once it has died
//! ```
//!
//! | module | contents |
//! |---|---|
//! | here | opening, looking up, placing |
//! | `result` | the result of a unit, and its budget |
//! | `entry` | the folder of a result: written, checked |
//! | `kept` | the files that are kept of a run, besides its result |
//! | `batch` | many units, as many at a time as there are processors |

mod batch;
mod entry;
mod kept;
mod result;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use report::OutputFile;
use report::page::PageError;
use scenario::Diagnostic;

pub use batch::{BatchEvent, BatchOptions, Trial, trial};
pub use entry::{Stored, checked};
pub use kept::Origin;
pub use result::{RunBudget, UnitCost, UnitEnd, UnitResult};

use crate::scenarios::Scenarios;
use crate::statistics::pooled::GroupCompletions;
use crate::unit::IdentifiedUnit;

/// Name of the folder of all results.
const RUNS: &str = "runs";
/// Beginning of the names of folders that are being written.
const WRITING: &str = ".writing-";
/// Name of the file that a process holds locked in the folder that it writes to.
const LOCK: &str = "lock";
/// Interval at which results are written to the disk. A result that was lost with the power before is run again.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);
/// Largest number of files that are open until then.
const MOST_UNSYNCED: usize = 128;

/// A folder with results of units.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
    scenarios: Arc<Scenarios>,
}

/// Reason for which units could not be run.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A scenario or an override is wrong.
    #[error(transparent)]
    Scenario(#[from] Diagnostic),
    /// A scenario has changed since its unit was named.
    #[error("the scenario of `{name}` ({scenario}) has changed since the unit was named")]
    Changed {
        /// Name of the unit.
        name: String,
        /// The scenario.
        scenario: String,
    },
    /// The store cannot be written to.
    #[error("cannot write to the folder `{}`: {cause}", folder.display())]
    Unwritable {
        /// The folder.
        folder: PathBuf,
        /// Reason given by the system.
        cause: io::Error,
    },
    /// The page of a run cannot be made.
    #[error(transparent)]
    Page(#[from] PageError),
    /// The user has ended the runs; all finished ones are in the store.
    #[error("interrupted with {done} of {asked} runs done")]
    Interrupted {
        /// Number of distinct runs that are done.
        done: usize,
        /// Number of distinct runs asked for.
        asked: usize,
    },
}

impl Store {
    /// Opens the store in a folder, which need not exist. Leaves no trace.
    #[must_use]
    pub fn open(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), scenarios: Arc::default() }
    }

    /// Returns the scenarios that were read for units of this store.
    #[must_use]
    pub fn scenarios(&self) -> &Scenarios {
        &self.scenarios
    }

    /// Returns the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder of a unit, which need not exist.
    #[must_use]
    pub fn folder_of(&self, unit: &IdentifiedUnit) -> PathBuf {
        self.runs().join(unit.name())
    }

    /// Returns the result of a unit, if it is there whole.
    #[must_use]
    pub fn result(&self, unit: &IdentifiedUnit) -> Option<UnitResult> {
        match self.stored(unit) {
            Stored::Found(result) => Some(*result),
            Stored::Missing | Stored::Unusable(_) => None,
        }
    }

    /// Returns the completion times of the unit of this name, by group, if they are there whole.
    #[must_use]
    pub fn completions(&self, name: &str) -> Option<Vec<GroupCompletions>> {
        entry::completions(&self.runs().join(name))
    }

    /// Returns the state of a unit's folder.
    #[must_use]
    pub fn stored(&self, unit: &IdentifiedUnit) -> Stored {
        entry::read(&self.folder_of(unit), unit)
    }

    fn runs(&self) -> PathBuf {
        self.folder.join(RUNS)
    }

    fn unwritable(&self, cause: io::Error) -> StoreError {
        StoreError::Unwritable { folder: self.folder.clone(), cause }
    }
}

/// A folder in the store in which one process writes results before they go to their places.
struct Workshop {
    runs: PathBuf,
    path: PathBuf,
    /// Locked while the process lives.
    _lock: File,
    next: AtomicU64,
    unsynced: Mutex<Unsynced>,
}

/// Files in their places that the system may not have written to the disk yet.
#[derive(Debug)]
struct Unsynced {
    files: Vec<File>,
    synced: Instant,
}

impl Workshop {
    /// Creates the folder, and removes those of processes that have died.
    fn open(runs: &Path) -> io::Result<Self> {
        static OPENED: AtomicU64 = AtomicU64::new(0);
        fs::create_dir_all(runs)?;
        remove_abandoned(runs);
        loop {
            let number = OPENED.fetch_add(1, Ordering::Relaxed);
            // A process of the same number on another machine may write to the same store.
            let path = runs.join(format!("{WRITING}{}-{number}-{}", std::process::id(), nanoseconds()));
            fs::create_dir_all(&path)?;
            let lock = File::create(path.join(LOCK))?;
            // A file system without locks keeps the folders of processes that were killed.
            let _ = lock.lock();
            // Another process may have found the folder before it was locked, and removed it.
            if path.join(LOCK).exists() {
                let unsynced = Mutex::new(Unsynced { files: Vec::new(), synced: Instant::now() });
                let (runs, next) = (runs.to_owned(), AtomicU64::new(0));
                return Ok(Self { runs, path, _lock: lock, next, unsynced });
            }
        }
    }

    /// Puts a result in its place. If another process has put a whole one there meanwhile, that one stays.
    fn place(&self, unit: &IdentifiedUnit, files: &[OutputFile], replace: bool) -> io::Result<()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let made = self.path.join(number.to_string());
        let open = entry::write(&made, files)?;
        let place = self.runs.join(unit.name());
        let mut replace = replace;
        // Each round fails only if another process has put something there since the last look.
        for round in 0.. {
            match fs::rename(&made, &place) {
                Ok(()) => break,
                Err(error) if round == 8 || !place.exists() => return Err(error),
                Err(_) => {}
            }
            if !replace && matches!(entry::read(&place, unit), Stored::Found(_)) {
                return fs::remove_dir_all(&made);
            }
            let gone = self.path.join(format!("{number}-{round}"));
            match fs::rename(&place, &gone) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            // What was moved away goes with the workshop if it cannot go now.
            let _ = if gone.is_dir() { fs::remove_dir_all(&gone) } else { fs::remove_file(&gone) };
            replace = false;
        }
        self.sync(open, SYNC_INTERVAL)
    }

    /// Takes files that were placed, and writes all of them to the disk if the last time was so long ago. The bytes of a short run
    /// are then written with those of many others: each time takes milliseconds, in which a run could be made.
    fn sync(&self, placed: Vec<File>, interval: Duration) -> io::Result<()> {
        let due = {
            let mut unsynced = self.unsynced.lock().unwrap_or_else(PoisonError::into_inner);
            unsynced.files.extend(placed);
            if unsynced.synced.elapsed() < interval && unsynced.files.len() < MOST_UNSYNCED {
                return Ok(());
            }
            unsynced.synced = Instant::now();
            std::mem::take(&mut unsynced.files)
        };
        due.iter().try_for_each(File::sync_all)?;
        entry::sync_folder(&self.runs)
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next process.
        let _ = fs::remove_dir_all(&self.path);
        // A store without results stays empty only if nothing was put into it.
        let _ = fs::remove_dir(&self.runs);
    }
}

/// Removes the folders of processes that have died: nobody holds their locks.
fn remove_abandoned(runs: &Path) {
    let Ok(entries) = fs::read_dir(runs) else { return };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if !name.to_string_lossy().starts_with(WRITING) {
            continue;
        }
        let Ok(lock) = File::open(path.join(LOCK)) else { continue };
        if lock.try_lock().is_ok() {
            // Another process may be removing it, too.
            let _ = fs::remove_dir_all(&path);
        }
    }
}

fn nanoseconds() -> u128 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_nanos())
}
