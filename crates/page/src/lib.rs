//! `report.html`: a folder of results as a single page that needs no other file and no network.
//!
//! Invariant: a page is a pure function of the folder's files. Every name in it is data: it is escaped in HTML and
//! JSON, and the script writes it as text. Its policy admits its own script and style sheet, by their hashes, and no
//! request.
//!
//! | module | contents |
//! |---|---|
//! | `base64` | the encoding of arrays |
//! | `html` | HTML that is escaped by its type |
//! | `words` | quantities as text |
//! | `modules` | the files of `script/`, joined into a single script |
//! | `policy` | the policy of a page, with the hashes of its script and its style sheet |
//! | `document` | the HTML around a page's sections and data |
//! | [`numbers`] | arrays of numbers in the JSON, or beside it for a reader with typed arrays |
//! | `data` | curves and tables as data of the script |
//! | `run` | the page of a run |
//! | `table` | a table of runs or settings, by columns |
//! | `tuning_answer` | the answer of a tuning |
//! | `sweep_data` | all data of the page of a sweep or a tuning |
//! | `sweep` | the page of a sweep |
//! | `tuning` | the page of a tuning |
//!
//! `script/` has the page's JavaScript in modules of its own. `types.d.ts` names their types, and the compiler of
//! TypeScript checks them (`npm run types` in `web/`). The playground in `web/` is made of the same modules. `vendor/`
//! has uPlot with its licence.

mod base64;
mod data;
mod document;
mod html;
mod modules;
pub mod numbers;
mod policy;
mod run;
mod sweep;
mod sweep_data;
mod table;
mod tuning;
mod tuning_answer;
mod words;

use results::OutputFile;
use results::manifest::{FolderKind, MANIFEST, Manifest, RESULT, RunEnd};
use results::reader::{ReadError, RunFiles};

use self::numbers::Numbers;

pub use results::choice::PAGE;

/// Mark of a page of this program.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"Backwater\">";

/// Reason why a folder has no page.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// A file that the page needs is missing or wrong.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The folder has no manifest.
    #[error("there is no `{MANIFEST}`, so that this is no folder of a run, a sweep or a tuning")]
    NoManifest,
    /// The folder belongs to a run of a sweep that was to write no files.
    #[error("the sweep kept the result of the run, and no files of it")]
    ResultAlone,
    /// The folder holds several runs.
    #[error("the folder holds {0} runs, each with a folder of its own in it")]
    SeveralRuns(usize),
    /// The folder's command simulates several plans, or none.
    #[error("the folder is that of `{0}`, and not of one run")]
    NotOneRun(String),
    /// The run failed, and wrote no results.
    #[error("the run wrote no results: {0}")]
    NoResults(String),
    /// The folder is not complete.
    #[error("the files of the folder were being written when the program ended")]
    Torn,
}

/// Returns the page of a folder of results: of a run, a sweep or a tuning, as its manifest says. Points of the figures
/// of the latter two lead to the folders of their runs. `folder` is the address of the folder from the place of the
/// page: empty for a page in it, else with `/` at its end.
///
/// # Errors
/// If the folder is none of these or has no results, or a file is missing or wrong.
pub fn of_folder(files: RunFiles<'_>, folder: &str) -> Result<OutputFile, PageError> {
    let manifest = manifest(files)?;
    let contents = match manifest.kind {
        FolderKind::Sweep => sweep::page(files, &manifest, folder)?,
        FolderKind::Tuning => tuning::page(files, &manifest, folder)?,
        FolderKind::Comparison => return Err(PageError::SeveralRuns(manifest.plans.len())),
        FolderKind::Reproduction | FolderKind::Import => {
            return Err(PageError::NotOneRun(manifest.in_words()));
        }
        FolderKind::Run => return of_files(files, &manifest),
    };
    Ok(OutputFile { name: PAGE.to_owned(), contents })
}

/// Returns the page of the files of a run with their manifest.
///
/// # Errors
/// If the run has no results, or a file is missing or wrong.
pub fn of_files(files: RunFiles<'_>, manifest: &Manifest) -> Result<OutputFile, PageError> {
    check(manifest)?;
    Ok(OutputFile { name: PAGE.to_owned(), contents: run::page(files, manifest)? })
}

/// Returns the data of the page of a run, as its script reads them (`script/types.d.ts`): JSON with curves, the fabric
/// at moments, tables, and sentences, and the numbers. The JSON names ranges of the numbers. Another page with the same
/// components needs no more.
///
/// # Errors
/// If the run has no results, or a file is missing or wrong.
pub fn data_of_files(files: RunFiles<'_>, manifest: &Manifest) -> Result<(String, Numbers), PageError> {
    check(manifest)?;
    run::json_and_numbers(files, manifest)
}

/// Returns the manifest of a folder.
///
/// # Errors
/// If there is none, or it cannot be read.
pub fn manifest(files: RunFiles<'_>) -> Result<Manifest, PageError> {
    if !files.has(MANIFEST) {
        return Err(if files.has(RESULT) { PageError::ResultAlone } else { PageError::NoManifest });
    }
    let malformed = |error: serde_json::Error| ReadError::Malformed {
        file: MANIFEST.to_owned(),
        fault: error.to_string(),
    };
    Ok(Manifest::read(&files.text(MANIFEST)?).map_err(malformed)?)
}

/// Refuses a manifest that does not belong to a single run with results.
fn check(manifest: &Manifest) -> Result<(), PageError> {
    match (&manifest.ended, manifest.plans.len()) {
        (RunEnd::Deadlock { message } | RunEnd::Violation { message }, _) => {
            Err(PageError::NoResults(message.clone()))
        }
        (RunEnd::Writing, _) => Err(PageError::Torn),
        (_, 1) => Ok(()),
        (_, 0) => Err(PageError::NotOneRun(manifest.in_words())),
        (_, several) => Err(PageError::SeveralRuns(several)),
    }
}

#[cfg(test)]
mod hostile_names;
#[cfg(test)]
mod tests;
