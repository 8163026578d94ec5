//! `--files`: the files of a run that are written.
//!
//! Invariant: a name that belongs to no file is refused before a run, with the names that there are.

use clap::Args;
use figures::UndrawnFigure;
use results::OutputFile;
use results::choice::{FILE_NAMES, FileChoice, UnknownFile};
use results::manifest::{FileEntry, Manifest};

use crate::terminal::warn;

#[derive(Args, Clone, Debug)]
pub(crate) struct FileOptions {
    /// Files that are written besides `run.json`: names such as `summary.json,flows.csv`, patterns such as `*.svg`, `all` or `none`.
    /// Tables are named as in CSV, whatever their format. What is left out takes neither time nor room [default: all that the run
    /// has, but `fct.txt` and `report.html`].
    #[arg(long, value_name = "LIST", value_parser = list)]
    files: Option<FileList>,
}

/// A list of files as given, and the files that it chooses.
#[derive(Clone, Debug)]
struct FileList {
    given: String,
    choice: FileChoice,
}

fn list(text: &str) -> Result<FileList, UnknownFile> {
    Ok(FileList { given: text.to_owned(), choice: FileChoice::read(text)? })
}

impl FileOptions {
    /// Returns the chosen files.
    pub(crate) fn choice(&self) -> FileChoice {
        self.files.as_ref().map_or(FileChoice::All, |list| list.choice.clone())
    }

    /// Returns the manifest of a run to come with the choice, and only those names of files that the run may write.
    pub(crate) fn announced(&self, manifest: Manifest, choice: &FileChoice) -> Manifest {
        if self.files.is_none() {
            return manifest;
        }
        let is_written = |file: &FileEntry| match FILE_NAMES.contains(&file.name.as_str()) {
            true => choice.has(&file.name),
            // A file that the scenario names.
            false => choice.has("plan.ron"),
        };
        let chosen = choice.names().into_iter().map(str::to_owned).collect();
        let files = manifest.files.into_iter().filter(is_written).collect();
        Manifest { files, chosen: Some(chosen), ..manifest }
    }

    /// Warns of files that are asked for by name, and that the run does not have.
    pub(crate) fn warn_of_missing(&self, files: &[OutputFile], undrawn: &[UndrawnFigure]) {
        let given = self.files.as_ref().map_or("", |list| list.given.as_str());
        let named = given.split(',').map(str::trim).filter(|name| FILE_NAMES.contains(name));
        for name in named.filter(|name| !files.iter().any(|file| file.name == *name)) {
            // A figure that cannot be drawn has a warning of its own.
            match undrawn.iter().find(|figure| figure.file == name).map(|figure| &figure.fault) {
                Some(fault) if fault.is_failure() => {}
                Some(fault) => warn(&format!("`{name}` is not written: {fault}")),
                None => warn(&format!("`{name}` is not written: the run has nothing for it")),
            }
        }
    }
}
