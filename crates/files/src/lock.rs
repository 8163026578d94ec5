//! A lock on a place that one process writes to for long: a result folder, a file for states of a run.
//!
//! Invariant: of several processes one holds the lock, and each of the others learns which. The lock is a file that the system locks
//! while the process lives, so that one left by a process that was killed is free. Where the file system has no locks, the last
//! process that took it holds it: each asks again before it puts anything in its place.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use names::shell;

use crate::made::MadeFolders;
use crate::part::token;
use crate::temporary::Temporary;

/// Beginning of the text of a lock.
const MAGIC: &str = "backwater lock ";
/// Bytes of a lock that are read: the text of one is shorter, but for the longest command lines.
const MOST_BYTES: u64 = 4096;
/// Length of a command in the text of a lock, in characters.
const LONGEST_COMMAND: usize = 300;
/// Attempts to take a lock that other processes take and leave at the same time.
const ATTEMPTS: usize = 64;
/// Attempts to take a lock that others hold for a moment, and the pause between two.
const PATIENCE: (usize, Duration) = (500, Duration::from_millis(20));

/// The reason for which a lock is not taken, or not held any more.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds it: the process, its machine and its command in words.
    #[error("{0} writes there")]
    Held(String),
    /// The lock was removed, or is held by no process.
    #[error("its lock, `{}`, is gone", .0.display())]
    Lost(PathBuf),
    /// The system refuses.
    #[error("{0}")]
    Refused(#[from] io::Error),
}

/// A lock that is held until this is dropped, when its file goes, and folders that were made for it as far as they are empty.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    text: String,
    file: File,
    /// The file, once it is the lock.
    temporary: Option<Temporary>,
    made: MadeFolders,
}

impl Lock {
    /// Takes a lock.
    ///
    /// # Errors
    /// If another process holds it, or the system refuses.
    pub fn take(path: &Path) -> Result<Self, LockError> {
        let mut made = MadeFolders::default();
        let mut last = io::Error::from(io::ErrorKind::ResourceBusy);
        for _ in 0..ATTEMPTS {
            match MadeFolders::of_file(path) {
                Ok(folders) => made.add(folders),
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                Err(cause) => return Err(cause.into()),
            }
            match Temporary::file(path, || Self::attempt(path)) {
                Ok((mut lock, temporary)) => {
                    (lock.temporary, lock.made) = (Some(temporary), made);
                    return Ok(lock);
                }
                Err(LockError::Lost(_)) => {}
                // Another process that leaves removes the folder that it had made.
                Err(LockError::Refused(cause)) if cause.kind() == io::ErrorKind::NotFound => last = cause,
                Err(other) => return Err(other),
            }
        }
        Err(last.into())
    }

    /// Takes a lock, unless another process takes or removes its file at the same time: it is then lost.
    fn attempt(path: &Path) -> Result<Self, LockError> {
        if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
            return Err(foreign(path).into());
        }
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let there = text_of(&mut file)?;
        // A process may have been killed, or the disk was full, within the text.
        if !there.starts_with(MAGIC) && !MAGIC.starts_with(&there) {
            return Err(foreign(path).into());
        }
        match file.try_lock() {
            // The holder may have come since the text was read.
            Err(fs::TryLockError::WouldBlock) => {
                return Err(LockError::Held(holder(&text_of(&mut file)?)));
            }
            // The text decides where there are no locks.
            Ok(()) | Err(fs::TryLockError::Error(_)) => {}
        }
        let text = format!("{MAGIC}{} {}\n", token(), own_words());
        if let Err(cause) = written(&mut file, &text) {
            let _ = fs::remove_file(path);
            return Err(cause.into());
        }
        let lock = Self { path: path.to_owned(), text, file, temporary: None, made: MadeFolders::default() };
        // The process that held it before may have removed the file after it was opened here.
        let lost = |_| LockError::Lost(path.to_owned());
        lock.check().map_err(lost)?;
        Ok(lock)
    }

    /// Takes a lock that others hold for a moment, and waits some seconds for it.
    ///
    /// # Errors
    /// If another process holds it for longer, or the system refuses.
    pub fn wait(path: &Path) -> Result<Self, LockError> {
        let (attempts, pause) = PATIENCE;
        for _ in 0..attempts {
            match Self::take(path) {
                Err(LockError::Held(_)) => sleep(pause),
                other => return other,
            }
        }
        Self::take(path)
    }

    /// Checks that the lock is still held here.
    ///
    /// # Errors
    /// If its file is gone, or another process has taken it.
    pub fn check(&self) -> Result<(), LockError> {
        match File::open(&self.path).and_then(|mut file| text_of(&mut file)) {
            Ok(there) if there == self.text => Ok(()),
            Ok(there) if there.starts_with(MAGIC) => Err(LockError::Held(holder(&there))),
            _ => Err(LockError::Lost(self.path.clone())),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file is removed while it is locked: a process that has opened it by now finds it gone, and begins anew.
        if let Some(temporary) = self.temporary.take()
            && self.check().is_err()
        {
            temporary.keep();
        }
        let _ = self.file.unlock();
    }
}

/// Replaces the text of a lock.
fn written(file: &mut File, text: &str) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(text.as_bytes())
}

/// Returns the text of a lock, or its beginning.
fn text_of(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the process that holds a lock, in words.
fn holder(text: &str) -> String {
    let words = text.strip_prefix(MAGIC).and_then(|text| text.split_once(' ')).map(|(_, words)| words.trim());
    let words = words.filter(|words| !words.is_empty()).unwrap_or("another process");
    names::shown::line(words).into_owned()
}

/// Returns this process in words.
fn own_words() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let on = if host.trim().is_empty() { String::new() } else { format!(" on {}", host.trim()) };
    let mut words = std::env::args_os();
    let program = words.next().map(PathBuf::from);
    let program =
        program.as_deref().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    let words = words.map(|word| shell::word(&word.to_string_lossy()));
    let command: String = [program].into_iter().chain(words).collect::<Vec<_>>().join(" ");
    let short: String = command.chars().take(LONGEST_COMMAND).collect();
    let more = if short.len() < command.len() { " ..." } else { "" };
    names::shown::line(&format!("process {}{on} (`{short}{more}`)", std::process::id())).into_owned()
}

fn foreign(path: &Path) -> io::Error {
    let why = format!("`{}` is no lock of this program", path.display());
    io::Error::new(io::ErrorKind::AlreadyExists, why)
}
