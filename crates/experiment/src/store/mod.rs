//! The store: a folder with a folder of results for each unit.
//!
//! Invariant: a result is there whole or not at all, whenever a process is killed and however many processes write to
//! the store. Nothing that is there whole is computed again. Nothing is replaced but folders that carry a manifest or a
//! result.
//!
//! ```text
//! DIR/runs/NAME-seedN-DIGEST/result.json   the result, histograms of completion times, and digests of all other files
//!                            run.json      the manifest, where files of the run are asked for
//!                            ...           these files
//! DIR/runs/.writing-PID-TOKEN/             results that a process is writing; removed once it has died
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

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use files::Workshop;
use names::file::is_part;
use page::PageError;
use results::OutputFile;
use results::format::counted;
use scenario::Diagnostic;

pub use batch::{BatchEvent, BatchOptions, Trial, trial};
pub use entry::{Stored, checked};
pub use kept::Origin;
pub use result::{RunBudget, RunFault, UnitCost, UnitEnd, UnitResult};

use crate::scenarios::Scenarios;
use crate::statistics::pooled::GroupCompletions;
use crate::unit::IdentifiedUnit;

/// Name of the folder of all results.
const RUNS: &str = "runs";

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
    /// Something in the place of a result carries no manifest and no result, so that it may not be replaced.
    #[error("`{}` is in the place of a result, and carries no manifest: it may be yours", .0.display())]
    Foreign(PathBuf),
    /// The page of a run cannot be made.
    #[error(transparent)]
    Page(#[from] PageError),
    /// The user has ended the runs; all finished runs are in the store.
    #[error("interrupted with {done} of {} done", counted(*asked, "run"))]
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
        self.folder_named(unit.name())
    }

    fn folder_named(&self, name: &str) -> PathBuf {
        assert!(is_part(name), "the name of a unit is that of a folder: {name}");
        self.runs().join(name)
    }

    /// Returns the result of a unit, if it is there whole.
    #[must_use]
    pub fn result(&self, unit: &IdentifiedUnit) -> Option<UnitResult> {
        match self.stored(unit) {
            Stored::Found(result) => Some(*result),
            Stored::Missing | Stored::Unusable(_) | Stored::Foreign => None,
        }
    }

    /// Returns the completion times of the unit of this name, by group, if they are there whole.
    #[must_use]
    pub fn completions(&self, name: &str) -> Option<Vec<GroupCompletions>> {
        entry::completions(&self.folder_named(name))
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

    fn unplaced(&self, error: PlaceError) -> StoreError {
        match error {
            PlaceError::Foreign(path) => StoreError::Foreign(path),
            PlaceError::Refused(cause) => self.unwritable(cause),
        }
    }
}

/// Puts a result in its place. A whole result that another process has put there meanwhile stays. Otherwise, only a
/// folder that carries a manifest is replaced. The user's own files in it go to the new folder.
fn place(
    workshop: &Workshop,
    (place, unit): (&Path, &IdentifiedUnit),
    files: &[OutputFile],
    replace: bool,
) -> Result<(), PlaceError> {
    let made = workshop.make(files.iter().map(|file| (file.name.as_str(), file.contents.as_bytes())))?;
    let (mut replace, mut gone) = (replace, Vec::new());
    // Each round fails only if another process has put something there since the last look.
    for round in 0.. {
        match workshop.place(&made, place) {
            Ok(()) => break,
            Err(error) if round == 8 || fs::symlink_metadata(place).is_err() => return Err(error.into()),
            Err(_) => {}
        }
        if !replace && matches!(entry::read(place, unit), Stored::Found(_)) {
            return Ok(()); // The one that was made here goes with the workshop.
        }
        let owned = entry::owned(place).ok_or_else(|| PlaceError::Foreign(place.to_owned()))?;
        gone.extend(workshop.take_away(owned)?);
        // The former result is gone. A whole result in the next round is another process's, and as good.
        replace = false;
    }
    for former in gone {
        Workshop::give_back(&former, place, |name| entry::names(&former).contains(name))?;
    }
    Ok(workshop.sync_soon(made)?)
}

/// The reason for which a result does not get to its place.
enum PlaceError {
    /// Something is there that carries no manifest.
    Foreign(PathBuf),
    /// The system refuses.
    Refused(io::Error),
}

impl From<io::Error> for PlaceError {
    fn from(cause: io::Error) -> Self {
        Self::Refused(cause)
    }
}
