//! `--checkpoint-every` and `--resume`: a run's state in a file, from which a later process goes on.
//!
//! Invariant: the file is replaced as a whole: whenever the process is killed, it holds the last state that was
//! written. A file is overwritten only by the run that it belongs to, or with `--force`; a file that is no checkpoint
//! is never overwritten.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use backwater::provenance::{build, command_line};
use backwater::{Checkpoint, Plan, StateError};
use clap::Args;
use event_kernel::Digest;
use fabric::CheckpointError;
use files::{Lock, LockError, MadeFolders, remove_own, replace_own};
use names::shell::line;
use settings::files::bytes_of_file;
use units::{Span, Time};

use crate::arguments;
use crate::failure::Failure;
use crate::terminal::warn;

#[derive(Args, Debug)]
pub(crate) struct CheckpointOptions {
    /// Write the state of the run to a file each time that so much simulated time has passed, such as `10 ms`, and when Ctrl-C or
    /// SIGTERM ends the run. A run that is killed goes on from there with `--resume`, to the same results. The file is removed
    /// once the results are written.
    #[arg(long, value_name = "TIME", value_parser = arguments::interval)]
    checkpoint_every: Option<Span>,
    /// File for the state [default: the name of the folder for the results, and `.checkpoint`].
    #[arg(long, value_name = "FILE", requires = "checkpoint_every")]
    checkpoint: Option<PathBuf>,
    /// Go on from the state in this file, which `--checkpoint-every` wrote: with the same scenario, overrides and seed. The file
    /// stays, unless `--checkpoint-every` writes the next states to it.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

pub(crate) struct Checkpoints {
    plan: String,
    plan_digest: Digest,
    /// Simulated time from a state to the next.
    pub(crate) every: Option<Span>,
    file: PathBuf,
    /// Held while states may be written to the file.
    lock: Option<Lock>,
    /// The state that the run goes on from, and its file.
    from: Option<(PathBuf, Vec<u8>)>,
    /// Wall time that earlier processes have taken for the run.
    earlier: Duration,
    began: Instant,
    /// True once a state has been written.
    is_written: bool,
    /// True if the last state could not be written, and the user has been told.
    is_failing: bool,
}

impl CheckpointOptions {
    /// Returns true if states are saved or loaded.
    pub(crate) const fn needs_all_parts(&self) -> bool {
        self.checkpoint_every.is_some() || self.resume.is_some()
    }

    /// Reads the state to go on from, and checks that the file for states is free. `folder` holds the results.
    pub(crate) fn opened(&self, plan: &Plan, folder: &Path, force: bool) -> Result<Checkpoints, Failure> {
        let file = self.checkpoint.clone().unwrap_or_else(|| beside(folder));
        let lock = self.checkpoint_every.map(|_| locked(&file)).transpose()?;
        // Read after the lock is taken: another process could replace the state meanwhile.
        let from = self.resume.as_deref().map(|file| read(file, plan)).transpose()?;
        let is_own = self.resume.as_deref().is_some_and(|resumed| is_same(resumed, &file));
        if self.checkpoint_every.is_some() {
            check_place(&file, force || is_own)?;
        }
        Ok(Checkpoints {
            plan: plan.name().to_owned(),
            plan_digest: plan.digest(),
            every: self.checkpoint_every,
            file,
            lock,
            earlier: from.as_ref().map_or(Duration::ZERO, |from| from.wall),
            from: self.resume.clone().zip(from.map(|from| from.state)),
            began: Instant::now(),
            is_written: false,
            is_failing: false,
        })
    }
}

impl Checkpoints {
    /// Returns the wall time that earlier processes have taken for the run.
    pub(crate) fn earlier(&self) -> Duration {
        self.earlier
    }

    /// Returns the state that the run goes on from, and drops it here.
    pub(crate) fn take_state(&mut self) -> Option<Vec<u8>> {
        self.from.as_mut().map(|(_, state)| core::mem::take(state))
    }

    /// Returns the failure of a state that does not belong to the run.
    pub(crate) fn unusable(&self, error: StateError) -> Failure {
        let file = self.from.as_ref().map_or_else(PathBuf::new, |(file, _)| file.clone());
        Failure::Checkpoint { file, error: error.into() }
    }

    /// Writes a state. A run goes on without, if that fails: the file then has the state before. Warns of the first
    /// failure, and of the first after a success.
    pub(crate) fn keep(&mut self, at: Time, state: Vec<u8>) {
        let checkpoint = Checkpoint {
            build: build(),
            plan: self.plan.clone(),
            plan_digest: self.plan_digest,
            at,
            wall: self.earlier + self.began.elapsed(),
            state,
        };
        // Where a file system has no locks, another process may have come meanwhile.
        let held = self.lock.as_ref().map_or(Ok(()), Lock::check).map_err(io::Error::other);
        let replaced = held
            .and_then(|()| temporary(&self.file))
            .and_then(|temporary| replace_own(&self.file, &temporary, &checkpoint.bytes(), is_own));
        match replaced {
            Ok(()) => (self.is_written, self.is_failing) = (true, false),
            Err(cause) => {
                // A full disk would fail at every interval: the first failure is told, and the first after a success.
                if !self.is_failing {
                    warn(&format!(
                        "no checkpoint at {}: `{}` cannot be written: {cause}; the run goes on, and tries again at each interval",
                        at.since_start(),
                        self.file.display()
                    ));
                }
                self.is_failing = true;
            }
        }
    }

    /// Returns the command that goes on from the last state; `None` if none was written.
    pub(crate) fn command(&self) -> Option<String> {
        self.is_written.then(|| resuming(command_line(), &self.file))
    }

    /// Removes the file for states, once the results are written. Remains of killed processes go too, beside it and
    /// beside the file that the run was resumed from. The latter file stays, unless it is the file for states: its
    /// owner may resume from it again.
    pub(crate) fn remove(&self) {
        let states = self.every.map(|_| &self.file);
        let resumed = self.from.as_ref().map(|(file, _)| file);
        for unfinished in states.into_iter().chain(resumed).filter_map(|file| temporary(file).ok()) {
            remove(&unfinished);
        }
        states.into_iter().for_each(|file| remove(file));
        // A lock that a killed process has left goes once it is taken and let go; another process that holds it keeps
        // it.
        let others = resumed.filter(|_| self.lock.is_none()).filter(|file| lock_of(file).exists());
        drop(others.map(|file| locked(file)));
    }
}

/// Returns the file that a process holds locked while it writes states to a file. It is beside the file, which is
/// replaced.
fn lock_of(file: &Path) -> PathBuf {
    let mut name = file.file_name().map_or_else(OsString::new, OsString::from);
    name.push(".lock");
    file.with_file_name(name)
}

/// Takes the lock of a file for states.
fn locked(file: &Path) -> Result<Lock, Failure> {
    Lock::take(&lock_of(file)).map_err(|lock| match lock {
        LockError::Refused(cause) => Failure::UnwritableCheckpoint { file: file.to_owned(), cause },
        lock => Failure::CheckpointBusy { file: file.to_owned(), lock },
    })
}

/// Removes a checkpoint, if it is there, and warns if that fails.
fn remove(file: &Path) {
    // A failure is only a warning: the results are written, and the run has succeeded.
    if let Err(cause) = remove_own(file, is_own) {
        warn(&format!("`{}` is of no more use, and cannot be removed: {cause}", file.display()));
    }
}

/// Returns true for a checkpoint, or the beginning of a checkpoint.
fn is_own(file: &Path) -> bool {
    matches!(is_foreign(file), Ok(false))
}

/// Checks that no data are lost by writing states to a file. The caller holds the file's lock. States of another run
/// are lost only if the run `may_replace` them, and data that are no checkpoint never.
fn check_place(file: &Path, may_replace: bool) -> Result<(), Failure> {
    let unwritable = |cause| Failure::UnwritableCheckpoint { file: file.to_owned(), cause };
    if is_foreign(file)? {
        return Err(Failure::NotACheckpoint(file.to_owned()));
    }
    if !may_replace && file.exists() {
        return Err(Failure::CheckpointThere(file.to_owned()));
    }
    let temporary = temporary(file).map_err(unwritable)?;
    if is_foreign(&temporary)? {
        return Err(Failure::NotACheckpoint(temporary));
    }
    MadeFolders::of_file(file).map(MadeFolders::keep).map_err(unwritable)
}

/// Returns true if a path leads to something that is not a checkpoint, nor the beginning of a checkpoint.
fn is_foreign(path: &Path) -> Result<bool, Failure> {
    let Ok(metadata) = fs::metadata(path) else { return Ok(false) };
    if !metadata.is_file() {
        return Ok(true);
    }
    let mut beginning = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning));
    read.map_err(|cause| Failure::Unreadable { file: path.display().to_string(), cause })?;
    Ok(Checkpoint::read(&beginning) == Err(CheckpointError::Foreign))
}

/// Number of bytes that tell a checkpoint from other files: more than its magic has.
const BEGINNING: u64 = 64;

/// Returns the name of the folder for the results, with the ending of checkpoints.
fn beside(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().map_or_else(|| OsString::from("run"), OsString::from);
    name.push(".checkpoint");
    folder.with_file_name(name)
}

/// Returns true if two paths lead to the same file, which exists.
fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn read(file: &Path, plan: &Plan) -> Result<Checkpoint, Failure> {
    let unreadable = |cause| Failure::Unreadable { file: file.display().to_string(), cause };
    let bytes = bytes_of_file(file).map_err(unreadable)?;
    // Checked before the run starts: a state of another build or plan has another layout.
    let checked = Checkpoint::read(&bytes).and_then(|read| read.check(&build(), plan).map(|()| read));
    checked.map_err(|error| Failure::Checkpoint { file: file.to_owned(), error })
}

/// Returns the file that has a state until all of it is written.
fn temporary(file: &Path) -> io::Result<PathBuf> {
    let mut name = file.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_owned();
    name.push(".writing");
    Ok(file.with_file_name(name))
}

/// Returns a command line with the option to go on from this file.
fn resuming(arguments: impl Iterator<Item = String>, file: &Path) -> String {
    let mut words = Vec::new();
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        if argument == "--resume" {
            arguments.next();
        // The command of a resumed run names the former state, which the new state replaces.
        } else if !argument.starts_with("--resume=") {
            words.push(argument);
        }
    }
    words.extend(["--resume".to_owned(), file.display().to_string()]);
    line(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_to_go_on_names_the_file_once() {
        let command = |words: &[&str]| {
            resuming(words.iter().map(|word| (*word).to_owned()), Path::new("out/a b.checkpoint"))
        };
        let asked = ["backwater", "sim", "victim", "--set", "duration=\"1 s\"", "--checkpoint-every", "10ms"];
        let expected = "backwater sim victim --set 'duration=\"1 s\"' --checkpoint-every 10ms --resume 'out/a b.checkpoint'";
        assert_eq!(command(&asked), expected);
        assert_eq!(command(&[&asked[..], &["--resume", "old"]].concat()), expected);
        assert_eq!(command(&[&asked[..], &["--resume=old"]].concat()), expected);
    }

    #[test]
    fn a_checkpoint_lies_beside_the_folder_of_the_results() {
        assert_eq!(
            beside(Path::new("out/victim,duration=1_ms")),
            Path::new("out/victim,duration=1_ms.checkpoint")
        );
        assert_eq!(beside(Path::new("results")), Path::new("results.checkpoint"));
        // A folder that is named by no name of its own has it inside.
        assert_eq!(beside(Path::new("..")), Path::new("../run.checkpoint"));
    }
}
