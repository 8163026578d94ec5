//! `report`: a folder of results as one page.
//!
//! Invariant: the page is made of the folder's files alone, and needs none of them to be read.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use report::RunFiles;
use report::folder::add_file;
use report::page;

use crate::browser;
use crate::failure::Failure;
use crate::terminal::print;

#[derive(Args, Debug)]
pub(crate) struct ReportOptions {
    /// Result folder of `sim`, or of a run of `compare`.
    folder: PathBuf,
    /// File for the page, instead of `report.html` in the folder.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
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
    let page = page::of_run(RunFiles::Folder(folder))
        .map_err(|fault| Failure::Page { folder: folder.clone(), fault })?;
    let path = match &options.out {
        Some(file) => {
            fs::write(file, &page.contents)
                .map_err(|cause| Failure::Unwritable { file: file.display().to_string(), cause })?;
            file.clone()
        }
        None => {
            add_file(folder, &page)?;
            folder.join(&page.name)
        }
    };
    print(&format!("wrote {}\n", path.display()));
    if options.open {
        browser::open(&path);
    }
    Ok(())
}
