//! A folder for results that are not whole yet, in the folder that they go to.
//!
//! Invariant: a result gets to its place by one rename, and its bytes are on the disk soon after, together with those of others. A
//! workshop is recognised by its name and by the words in its lock, and is removed by the next process once its own has
//! died. Of what is at a place, only a folder that carries a manifest is replaced.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::owned::OwnedFolder;
use crate::part::{retried, token};
use crate::temporary::Temporary;

/// Beginning of the names of workshops.
const WRITING: &str = ".writing-";
/// Name of the file that a process holds locked in its workshop.
const LOCK: &str = "lock";
/// The words in the lock.
const WORDS: &str = "backwater: results that are being written\n";
/// Interval at which results are written to the disk. A result that was lost with the power before is made again.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);
/// Largest number of files that are open until then.
const MOST_UNSYNCED: usize = 128;

/// A folder in which one process writes results before they go to their places.
#[derive(Debug)]
pub struct Workshop {
    home: PathBuf,
    path: PathBuf,
    /// Locked while the process lives.
    _lock: File,
    next: AtomicU64,
    unsynced: Mutex<Unsynced>,
    /// The workshop, which goes before its home.
    _tree: Temporary,
    /// A home without results stays empty only if nothing was put into it.
    _home: Vec<Temporary>,
}

/// A folder of files that was made in a workshop. The files are open, since the system may not have written them to the disk yet.
#[derive(Debug)]
pub struct Made {
    path: PathBuf,
    files: Vec<File>,
}

/// Files in their places that the system may not have written to the disk yet.
#[derive(Debug)]
struct Unsynced {
    files: Vec<File>,
    synced: Instant,
}

impl Workshop {
    /// Makes a workshop in a folder, which is made, too, and removes those of processes that have died.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn open(home: &Path) -> io::Result<Self> {
        Self::remove_abandoned(home);
        loop {
            // A process of the same number on another machine may write to the same folder.
            let path = home.join(format!("{WRITING}{}-{}", std::process::id(), token()));
            // Another process that has made nothing may remove the empty folder above it.
            let (tree, above) = retried(|| {
                let ((), above) = Temporary::folders([home.to_owned()], || fs::create_dir_all(home))?;
                let ((), tree) = Temporary::tree(&path, || fs::create_dir(&path))?;
                Ok((tree, above))
            })?;
            let mut lock = File::create_new(path.join(LOCK))?;
            // A file system without locks keeps the folders of processes that were killed.
            let _ = lock.lock();
            lock.write_all(WORDS.as_bytes())?;
            // Another process may have found the folder before it was locked, and removed it.
            if path.join(LOCK).exists() {
                let unsynced = Mutex::new(Unsynced { files: Vec::new(), synced: Instant::now() });
                let (home, next) = (home.to_owned(), AtomicU64::new(0));
                return Ok(Self { home, path, _lock: lock, next, unsynced, _tree: tree, _home: above });
            }
        }
    }

    /// Removes the workshops of processes that have died: nobody holds their locks.
    pub fn remove_abandoned(home: &Path) {
        for entry in fs::read_dir(home).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if !is_folder || !name.to_string_lossy().starts_with(WRITING) {
                continue;
            }
            // A pipe of this name would not open before another process writes to it.
            let lock = Some(path.join(LOCK)).filter(|lock| lock.is_file());
            let Some(Ok(lock)) = lock.map(File::open) else { continue };
            if lock.try_lock().is_ok() && is_workshop(&lock) {
                // Another process may be removing it, too.
                let _ = fs::remove_dir_all(&path);
            }
        }
    }

    /// Writes a folder of files, by their names, into the workshop.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn make<'f>(&self, files: impl IntoIterator<Item = (&'f str, &'f [u8])>) -> io::Result<Made> {
        let path = self.path.join(self.next.fetch_add(1, Ordering::Relaxed).to_string());
        fs::create_dir(&path)?;
        let mut made = Made { path, files: Vec::new() };
        for (name, contents) in files {
            if let Some((below, _)) = name.rsplit_once('/') {
                fs::create_dir_all(made.path.join(below))?;
            }
            let mut file = File::create_new(made.path.join(name))?;
            file.write_all(contents)?;
            made.files.push(file);
        }
        Ok(made)
    }

    /// Puts a folder that was made here in a place where nothing is.
    ///
    /// # Errors
    /// If something is there, or the system refuses.
    pub fn place(&self, made: &Made, place: &Path) -> io::Result<()> {
        // Some systems rename a folder onto a link or an empty folder.
        if fs::symlink_metadata(place).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        fs::rename(&made.path, place)
    }

    /// Takes the files of a folder that was placed, and writes all of them to the disk if the last time was long ago. The bytes of a
    /// short run are then written with those of many others: each time takes milliseconds, in which a run could be made.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn sync_soon(&self, placed: Made) -> io::Result<()> {
        self.sync_after(placed.files, SYNC_INTERVAL)
    }

    /// Writes all files that were placed to the disk.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn sync(&self) -> io::Result<()> {
        self.sync_after(Vec::new(), Duration::ZERO)
    }

    fn sync_after(&self, placed: Vec<File>, interval: Duration) -> io::Result<()> {
        let due = {
            let mut unsynced = self.unsynced.lock().unwrap_or_else(PoisonError::into_inner);
            unsynced.files.extend(placed);
            if unsynced.synced.elapsed() < interval && unsynced.files.len() < MOST_UNSYNCED {
                return Ok(());
            }
            unsynced.synced = Instant::now();
            core::mem::take(&mut unsynced.files)
        };
        due.iter().try_for_each(File::sync_all)?;
        sync_folder(&self.home)
    }

    /// Takes a folder out of its place, and returns where it is now. It goes with the workshop. `None` if it is gone already.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn take_away(&self, folder: OwnedFolder<'_>) -> io::Result<Option<PathBuf>> {
        let gone = self.path.join(self.next.fetch_add(1, Ordering::Relaxed).to_string());
        match fs::rename(folder.path(), &gone) {
            Ok(()) => Ok(Some(gone)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Moves the files that are yours from a folder that was taken away to the one in its place: all but those for which `is_own`
    /// is true, by their names in the folder.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn give_back(gone: &Path, place: &Path, is_own: impl Fn(&str) -> bool) -> io::Result<()> {
        // A link that was taken away leads to the former folder, in which everything stays.
        if fs::symlink_metadata(gone)?.is_symlink() {
            return Ok(());
        }
        for entry in fs::read_dir(gone)? {
            let name = entry?.file_name();
            let is_yours = !name.to_str().is_some_and(&is_own);
            let to = place.join(&name);
            if is_yours && fs::symlink_metadata(&to).is_err() {
                fs::rename(gone.join(&name), to)?;
            }
        }
        Ok(())
    }
}

/// Writes the entries of a folder to the disk, on systems where a folder can be opened.
///
/// # Errors
/// If the system refuses.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Returns true for the lock of a workshop.
fn is_workshop(lock: &File) -> bool {
    let mut words = Vec::new();
    lock.take(WORDS.len() as u64 + 1).read_to_end(&mut words).is_ok() && words == WORDS.as_bytes()
}
