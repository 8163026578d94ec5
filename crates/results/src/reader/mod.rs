//! Files of a result folder, read as rows and facts.
//!
//! Invariant: a figure that is drawn from the files of a run in memory is drawn from the folder with the same bytes.
//!
//! | module | contents |
//! |---|---|
//! | `facts` | fields of `summary.json` that figures need |
//! | `made` | the files of a run in memory |

mod facts;
mod made;

use settings::files::text_of_file;
use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

use serde::de::DeserializeOwned;

use crate::OutputFile;
use crate::csv_text;
use crate::manifest::{MANIFEST, Manifest, RESULT};
use crate::parquet::{self, ParquetFault, parquet_name};
use crate::rows::{FlowRow, MessageRow, MessageTimes, SeriesRow, SourceSeriesRow, WatchRow, renamed};
use crate::table::TableRow;

use made::ReadTables;

pub use facts::*;
pub use made::MadeFiles;

/// The files of a run.
#[derive(Clone, Copy, Debug)]
pub enum RunFiles<'a> {
    /// Files of a run in memory, each made when it is first asked for.
    Made(&'a MadeFiles<'a>),
    /// Files that are about to be written.
    Written(&'a [OutputFile]),
    /// Files in a folder.
    Folder(&'a Path),
}

/// An error about a file of a result folder.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The folder does not have the file.
    #[error("there is no `{0}`")]
    Missing(String),
    /// The run of the folder was to write other files only.
    #[error(
        "there is no `{0}`, which the run was not to write: repeat the run with this file among its `--files`"
    )]
    LeftOut(String),
    /// The file cannot be read.
    #[error("`{file}` cannot be read: {cause}")]
    Unreadable {
        /// Name of the file.
        file: String,
        /// Reason given by the system.
        cause: io::Error,
    },
    /// A table in Parquet cannot be read.
    #[error("`{file}` cannot be read: {fault}")]
    Parquet {
        /// Name of the file.
        file: String,
        /// The fault.
        fault: ParquetFault,
    },
    /// The file does not have the rows or fields that this version writes.
    #[error("`{file}` is not as this version writes it: {fault}")]
    Malformed {
        /// Name of the file.
        file: String,
        /// The fault, with its line.
        fault: String,
    },
}

impl<'a> RunFiles<'a> {
    /// Returns true if there is a file of this name, or in a folder its table in Parquet.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::Made(made) => made.text(name).is_some(),
            Self::Written(files) => files.iter().any(|file| file.name == name),
            Self::Folder(folder) => folder.join(name).is_file() || in_parquet(folder, name).is_some(),
        }
    }

    /// Returns the contents of a file. A table that the folder has in Parquet alone is read from there.
    ///
    /// # Errors
    /// If the file is missing, or cannot be read, or has a column by its name of an earlier version.
    pub fn text(&self, name: &str) -> Result<Cow<'a, str>, ReadError> {
        let text = self.contents(name)?;
        let header = text.lines().next().unwrap_or_default();
        match renamed(name, header) {
            None => Ok(text),
            Some((former, present)) => {
                let fault = format!(
                    "its column `{former}` is `{present}` now: repeat the run, or read the folder with the version that wrote it"
                );
                Err(malformed(name, &fault))
            }
        }
    }

    fn contents(&self, name: &str) -> Result<Cow<'a, str>, ReadError> {
        let missing = || self.missing(name);
        match self {
            Self::Made(made) => made.text(name).map(Cow::Borrowed).ok_or_else(missing),
            Self::Written(files) => {
                let file = files.iter().find(|file| file.name == name).ok_or_else(missing)?;
                Ok(Cow::Borrowed(&file.contents))
            }
            Self::Folder(folder) => match text_of_file(&folder.join(name)) {
                Ok(text) => Ok(Cow::Owned(text)),
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => match in_parquet(folder, name) {
                    Some(other) => of_parquet(folder, other).map(Cow::Owned),
                    None => Err(missing()),
                },
                Err(cause) => Err(ReadError::Unreadable { file: name.to_owned(), cause }),
            },
        }
    }

    /// Returns the error that a file is missing, with the reason if its run was not to write it.
    #[must_use]
    pub fn missing(&self, name: &str) -> ReadError {
        match self {
            Self::Folder(folder) if is_left_out(folder, name) => ReadError::LeftOut(name.to_owned()),
            _ => ReadError::Missing(name.to_owned()),
        }
    }

    /// Returns the rows of a table.
    ///
    /// # Errors
    /// If the file is missing, or lacks a column.
    pub fn rows<R: TableRow + DeserializeOwned>(&self) -> Result<Vec<R>, ReadError> {
        self.parts(R::FILE)
    }

    /// Returns the rows of a file, or parts of them.
    fn parts<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>, ReadError> {
        let text = self.text(name)?;
        csv_text::rows(&text).map_err(|fault| malformed(name, &fault))
    }

    /// Returns the values of `source_series.csv` as rows of `watch.csv`, with the flow as object.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub fn source_series(&self) -> Result<Vec<WatchRow<'static>>, ReadError> {
        let rows: Vec<SourceSeriesRow<'static>> = self.rows()?;
        let mut values = Vec::new();
        for row in &rows {
            let object = if row.flow.is_empty() { &row.host } else { &row.flow };
            for (quantity, value) in row.quantities() {
                let of = |value| WatchRow {
                    time_s: row.time_s,
                    object: object.clone(),
                    quantity: quantity.into(),
                    value,
                };
                values.extend(value.map(of));
            }
        }
        Ok(values)
    }

    /// Returns the rows of `flows.csv`.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub fn flows(&self) -> Result<Cow<'a, [FlowRow<'static>]>, ReadError> {
        self.table(FlowRow::FILE, |tables| &tables.flows)
    }

    /// Returns the rows of `series.csv`.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub fn series(&self) -> Result<Cow<'a, [SeriesRow<'static>]>, ReadError> {
        self.table(SeriesRow::FILE, |tables| &tables.series)
    }

    /// Returns the parts of the rows of `fct.csv` that figures keep.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub fn messages(&self) -> Result<Cow<'a, [MessageTimes]>, ReadError> {
        self.table(MessageRow::FILE, |tables| &tables.messages)
    }

    /// Returns the rows of a table that several figures need. It is read once from files in memory.
    fn table<T: DeserializeOwned + Clone>(
        &self,
        name: &str,
        of: impl Fn(&'a ReadTables) -> &'a OnceLock<Vec<T>>,
    ) -> Result<Cow<'a, [T]>, ReadError> {
        match self {
            Self::Made(made) => {
                made::read_once(of(&made.tables), || self.parts(name)).map(|rows| Cow::Borrowed(&rows[..]))
            }
            Self::Written(_) | Self::Folder(_) => self.parts(name).map(Cow::Owned),
        }
    }

    /// Returns the parts of `summary.json` that figures need.
    ///
    /// # Errors
    /// If the file is missing, or lacks a field.
    pub fn summary(&self) -> Result<RunFacts, ReadError> {
        let name = "summary.json";
        let read = || serde_json::from_str(&self.text(name)?).map_err(|error| malformed(name, &error));
        match self {
            Self::Made(made) => made::read_once(&made.tables.facts, read).cloned(),
            Self::Written(_) | Self::Folder(_) => read(),
        }
    }
}

/// Returns true if the run of a folder was told to leave this file out. A run of a sweep without files has no manifest.
fn is_left_out(folder: &Path, name: &str) -> bool {
    match text_of_file(&folder.join(MANIFEST)).map(|text| Manifest::read(&text)) {
        Ok(Ok(Manifest { chosen: Some(chosen), .. })) => !chosen.iter().any(|one| one == name),
        Ok(_) => false,
        Err(_) => name != MANIFEST && folder.join(RESULT).is_file(),
    }
}

/// Returns the name of the Parquet file that the folder has in place of a CSV file, if any.
fn in_parquet(folder: &Path, name: &str) -> Option<String> {
    parquet_name(name).filter(|other| folder.join(other).is_file())
}

/// Returns the CSV text of a Parquet file.
fn of_parquet(folder: &Path, file: String) -> Result<String, ReadError> {
    match fs::File::open(folder.join(&file)) {
        Ok(opened) => parquet::to_csv(opened).map_err(|fault| ReadError::Parquet { file, fault }),
        Err(cause) => Err(ReadError::Unreadable { file, cause }),
    }
}

fn malformed(file: &str, fault: &impl ToString) -> ReadError {
    // The fault may quote a cell.
    let fault = names::shown::line(&fault.to_string()).into_owned();
    ReadError::Malformed { file: file.to_owned(), fault }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::PortRow;

    #[test]
    fn rows_are_typed_and_faults_name_file_and_line() {
        let file = |contents: &str| {
            vec![OutputFile { name: "series.csv".to_owned(), contents: contents.to_owned() }]
        };
        let rows = |contents: &str| RunFiles::Written(&file(contents)).rows::<SeriesRow<'_>>();
        let read = rows("time_s,kind,name,goodput_bps\n0.5,flow,F1,1000000.0\n").unwrap();
        assert_eq!((read.len(), read[0].goodput_bps), (1, 1e6));
        let fault = rows("time_s,kind,name,goodput_bps\n0.5,flow,F1,much\n").unwrap_err().to_string();
        assert!(
            fault.contains("`series.csv`") && fault.contains("line 2: `goodput_bps` has `much`"),
            "{fault}"
        );
        let missing = RunFiles::Written(&[]).rows::<FlowRow<'_>>().unwrap_err();
        assert_eq!(missing.to_string(), "there is no `flows.csv`");
    }

    #[test]
    fn a_former_name_of_a_column_is_refused_with_the_present_name() {
        let contents = "node,port,peer,lane,without_credit_s\nS1,1,H1,0,0.5\n".to_owned();
        let files = [OutputFile { name: "ports.csv".to_owned(), contents }];
        let fault = RunFiles::Written(&files).rows::<PortRow<'_>>().unwrap_err().to_string();
        let wanted = "`ports.csv` is not as this version writes it: its column `without_credit_s` is `stalled_s` now: ";
        assert!(fault.starts_with(wanted), "{fault}");
    }
}
