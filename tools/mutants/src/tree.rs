//! The copy of the workspace in which mutants are built.
//!
//! Invariant: the workspace itself is only read. A file of the copy that does not change keeps its time, so that cargo
//! builds again no more than it must.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders that are no part of the sources.
const LEFT_OUT: [&str; 3] = [".git", "target", "out"];

/// Crate of the switch: its manifest and its one file.
const SWITCH: [(&str, &str); 2] = [
    (
        "mutant_switch/Cargo.toml",
        "[package]\nname = \"mutant_switch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n",
    ),
    ("mutant_switch/src/lib.rs", include_str!("switch/lib.rs")),
];

/// A copy of the workspace.
#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
    original: PathBuf,
    /// Rust files of the crate that is tested, as they were when the copy was made.
    sources: BTreeMap<PathBuf, String>,
}

impl Tree {
    /// Copies the workspace at `original` to `root`, and lets the crate in `folder` use the switch.
    pub(crate) fn new(original: &Path, root: &Path, folder: &Path) -> Result<Self, String> {
        let (root_path, original_path) = (root.to_path_buf(), original.to_path_buf());
        let mut tree = Self { root: root_path, original: original_path, sources: BTreeMap::new() };
        let mut kept: BTreeSet<PathBuf> = SWITCH.iter().map(|(path, _)| PathBuf::from(path)).collect();
        walk(original, Path::new(""), &mut |path| {
            kept.insert(path.to_path_buf());
        })
        .and_then(|()| kept.iter().try_for_each(|path| tree.copy(path)))
        .and_then(|()| {
            let mut gone = Vec::new();
            walk(root, Path::new(""), &mut |path| {
                gone.extend((!kept.contains(path)).then(|| root.join(path)));
            })?;
            gone.iter().try_for_each(fs::remove_file)
        })
        .map_err(|cause| format!("cannot copy the workspace to {}: {cause}", root.display()))?;
        for (path, text) in SWITCH {
            tree.write(Path::new(path), text)?;
        }
        let rust = kept.into_iter().filter(|path| path.extension().is_some_and(|rs| rs == "rs"));
        for path in rust.filter(|path| path.starts_with(folder.join("src"))) {
            let text = read(&tree.root.join(&path))?;
            tree.sources.insert(path, text);
        }
        let manifest = folder.join("Cargo.toml");
        let text = read(&original.join(&manifest))?;
        let line = format!("[dependencies]\nmutant_switch = {{ path = {:?} }}\n", root.join("mutant_switch"));
        let text = match text.contains("[dependencies]\n") {
            true => text.replacen("[dependencies]\n", &line, 1),
            false => format!("{text}\n{line}"),
        };
        tree.write(&manifest, &text)?;
        Ok(tree)
    }

    /// Returns the folder of the copy.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the text of a Rust file of the crate, without mutants.
    pub(crate) fn original(&self, file: &Path) -> Result<&str, String> {
        self.sources
            .get(file)
            .map(String::as_str)
            .ok_or_else(|| format!("{}: no file of the crate", file.display()))
    }

    /// Writes a file of the copy.
    pub(crate) fn write(&self, file: &Path, text: &str) -> Result<(), String> {
        write(&self.root.join(file), text.as_bytes()).map_err(|cause| format!("{}: {cause}", file.display()))
    }

    /// Removes the mutants from a file of the copy.
    pub(crate) fn restore(&self, file: &Path) -> Result<(), String> {
        self.write(file, self.original(file)?)
    }

    fn copy(&self, file: &Path) -> io::Result<()> {
        let original = self.original.join(file);
        if original.exists() { write(&self.root.join(file), &fs::read(original)?) } else { Ok(()) }
    }
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|cause| format!("{}: {cause}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, bytes)
}

/// Visits the files below `root`, each by its path relative to `root`.
fn walk(root: &Path, below: &Path, visit: &mut impl FnMut(&Path)) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if !entry.file_type()?.is_dir() {
            visit(&path);
        } else if !LEFT_OUT.iter().any(|name| entry.file_name() == *name) {
            walk(root, &path, visit)?;
        }
    }
    Ok(())
}
