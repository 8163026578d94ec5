//! The files of tables: those of `repro`, and those of further runs, which are made when a table first asks.
//!
//! Invariant: a file of a further run is of the present version, since the run is repeated each time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use super::csv::Csv;
use super::folders;
use super::template::Files;
use crate::cargo::root;
use crate::simulate;

/// A further run, small enough for each change.
struct Run {
    /// Name of its folder, which begins with `run-`.
    folder: &'static str,
    /// Arguments for `backwater`, without `--out`.
    arguments: &'static [&'static str],
}

const RUNS: &[Run] = &[Run {
    folder: "run-marks",
    arguments: &[
        "sim",
        "hp2001-rate",
        "--quiet",
        "--seed",
        "1",
        "--set",
        "duration=200 ms",
        "--set",
        "congestion_control.response.rate=Lipd(max_ipd: 255)",
    ],
}];

/// The files that have been made.
pub(super) struct Made {
    program: PathBuf,
    results: PathBuf,
    files: BTreeMap<String, Csv>,
}

/// Returns true if a run of this name is made.
#[cfg(test)]
pub(super) fn is_run(folder: &str) -> bool {
    RUNS.iter().any(|run| run.folder == folder)
}

impl Made {
    /// Reproduces the papers of the tables, and makes the further runs.
    pub(super) fn anew() -> Result<Self, ExitCode> {
        let made = Self::in_folder(&root().join("target").join("tables"))?;
        let folders = folders().map_err(|fault| {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        })?;
        for paper in folders.iter().filter_map(|folder| folder.strip_prefix("repro-")) {
            made.run(&["repro", paper, "--teeth"], &made.results)?;
        }
        made.with_runs()
    }

    /// Takes the files of papers from a folder, and makes the further runs there.
    pub(super) fn of_papers_in(folder: &Path) -> Result<Self, ExitCode> {
        Self::in_folder(folder)?.with_runs()
    }

    fn in_folder(results: &Path) -> Result<Self, ExitCode> {
        Ok(Self { program: simulate::build()?, results: results.to_owned(), files: BTreeMap::new() })
    }

    fn with_runs(self) -> Result<Self, ExitCode> {
        for Run { folder, arguments } in RUNS {
            self.run(arguments, &self.results.join(folder))?;
        }
        Ok(self)
    }

    fn run(&self, arguments: &[&str], out: &Path) -> Result<(), ExitCode> {
        let mut command = Command::new(&self.program);
        command.args(arguments).arg("--force").arg("--out").arg(out);
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
        if status.is_ok_and(|status| status.success()) {
            return Ok(());
        }
        eprintln!("error: `backwater {}` fails: its tables are not written", arguments.join(" "));
        Err(ExitCode::FAILURE)
    }
}

impl Files for Made {
    fn file(&mut self, path: &str) -> Result<&Csv, String> {
        if !self.files.contains_key(path) {
            self.files.insert(path.to_owned(), Csv::read(&self.results.join(path))?);
        }
        Ok(&self.files[path])
    }
}
