//! `report`: a folder of results as a single page.
//!
//! Invariant: the page is made of the folder's files alone, and needs none of them to be read.

use settings::files::text_of_file;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use results::RunFiles;
use results::folder::add_file;
use results::manifest::FolderKind;

use crate::browser;
use crate::failure::Failure;
use crate::new_file;
use crate::terminal::print;

#[derive(Args, Debug)]
pub(crate) struct ReportOptions {
    /// Result folder of `sim`, of a run of `compare`, or of a sweep or a tuning.
    folder: PathBuf,
    /// File for the page, instead of `report.html` in the folder. Links of the page of a sweep or a tuning then lead to the present place of
    /// the folder.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite the file of `--out` if it is there, and no page of this program.
    #[arg(long, requires = "out")]
    force: bool,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
}

/// Makes the page of a folder.
pub(crate) fn run(options: &ReportOptions) -> Result<(), Failure> {
    let folder = &options.folder;
    if !folder.is_dir() {
        return Err(Failure::NoFolder(folder.clone()));
    }
    let files = RunFiles::Folder(folder);
    let fault = |fault| Failure::Page { folder: folder.clone(), fault };
    let is_of_many =
        matches!(page::manifest(files).map_err(fault)?.kind, FolderKind::Sweep | FolderKind::Tuning);
    let page = page::of_folder(files, &address(options)).map_err(fault)?;
    let path = options.out.clone().unwrap_or_else(|| folder.join(&page.name));
    match &options.out {
        None if !is_of_many => add_file(folder, &page)?,
        None if is_foreign(&path) => return Err(Failure::ForeignPage(path)),
        _ => new_file::write(&path, &page.contents, options.force || !is_foreign(&path))?,
    }
    print(&format!("wrote {}\n", path.display()));
    if options.open {
        browser::open(&path);
    }
    Ok(())
}

/// Returns the address of the folder from the place of the page: none if the page is in it, else the folder's own
/// address.
fn address(options: &ReportOptions) -> String {
    if options.out.is_none() {
        return String::new();
    }
    let folder = options.folder.canonicalize().unwrap_or_else(|_| options.folder.clone());
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let bytes = folder.as_os_str().as_encoded_bytes().iter();
    let escaped: String = bytes
        .map(|byte| if plain(*byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    format!("file://{escaped}/")
}

/// Returns true if there is something that is no page of this program.
fn is_foreign(path: &Path) -> bool {
    let is_page = || text_of_file(path).is_ok_and(|text| text.contains(page::GENERATOR));
    fs::symlink_metadata(path).is_ok() && !is_page()
}
