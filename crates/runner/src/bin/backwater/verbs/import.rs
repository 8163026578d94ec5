//! `import`: a scenario from another simulator's input files.
//!
//! Invariant: the fate of every key is printed. A configuration that the scenario would change into another experiment is
//! refused, unless the user accepts that. The scenario is checked after it has been written: one that is refused stays in
//! its folder, to be corrected.

use std::fs;
use std::path::{Path, PathBuf};

use backwater::provenance::manifest;
use clap::{Args, Subcommand};
use report::format::{aligned, fitted, plain_table};
use report::manifest::FolderKind;
use report::tables::printed;
use report::{OutputFile, ResultFolder};
use scenario::import::{self, KeyAccount, KeyFate, hpcc};

use crate::failure::Failure;
use crate::terminal::{print, width_up_to};

/// Largest width of the printed table, in characters.
const WIDTH: u16 = 120;
/// Characters of a value in the printed table.
const VALUE: usize = 20;

#[derive(Debug, Subcommand)]
pub(crate) enum ImportFormat {
    /// `config.txt` of HPCC's simulator, with the topology and flows that it names.
    Hpcc(ImportHpccOptions),
}

#[derive(Args, Debug)]
pub(crate) struct ImportHpccOptions {
    /// The file `config.txt`.
    config: PathBuf,
    /// Folder for the scenario and its files [default: `out/import-NAME`].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Carry on where the scenario is another experiment than the configuration, with a warning for each such key.
    #[arg(long)]
    approximate: bool,
    /// Overwrite files of another command, and files that no manifest names.
    #[arg(long)]
    force: bool,
}

/// Converts the files.
pub(crate) fn run(format: &ImportFormat) -> Result<(), Failure> {
    match format {
        ImportFormat::Hpcc(options) => import_hpcc(options),
    }
}

/// Reads a configuration of HPCC's simulator, writes a scenario and its files, and prints the fate of every key.
fn import_hpcc(options: &ImportHpccOptions) -> Result<(), Failure> {
    let config = &options.config;
    let text = fs::read_to_string(config)
        .map_err(|cause| Failure::Unreadable { file: config.display().to_string(), cause })?;
    let name = config.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let imported = hpcc::read(&name, &text, &|wanted| found(config, wanted))?;
    if let Some(changes) = import::changes(&imported.account, &name).filter(|_| !options.approximate) {
        return Err(changes.into());
    }
    for KeyAccount { key, what, .. } in imported.account.iter().filter(|key| key.fate == KeyFate::Changed) {
        eprintln!("warning: {name}: {key}: {what}");
    }
    let stem = config.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let out = options.out.clone().unwrap_or_else(|| PathBuf::from("out").join(format!("import-{stem}")));
    let scenario = format!("{stem}.ron");
    let mut files = vec![OutputFile { name: scenario.clone(), contents: imported.scenario }];
    files.extend(imported.files.into_iter().map(|(name, contents)| OutputFile { name, contents }));
    let manifest = manifest(FolderKind::Import, Vec::new(), files.iter().map(|file| file.name.clone()));
    ResultFolder::open(&out, &manifest, options.force)?.write(&manifest, &files)?;
    let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
    print(&format!("{}\n\n{}", account(&imported.account), printed::written(&out, &names)));
    let path = out.join(scenario).to_string_lossy().into_owned();
    experiment::plan(&path, &[], None)?;
    Ok(())
}

/// Returns the text of a file that a configuration names, at its path or beside the configuration.
fn found(config: &Path, wanted: &str) -> Option<String> {
    let folder = config.parent().unwrap_or(Path::new(""));
    let last = Path::new(wanted).file_name()?;
    [PathBuf::from(wanted), folder.join(wanted), folder.join(last)]
        .iter()
        .find_map(|path| fs::read_to_string(path).ok())
}

fn account(entries: &[KeyAccount]) -> String {
    let mut table = plain_table();
    table.set_header(["key", "value", "fate", "used for, or reason"]);
    for KeyAccount { key, given, fate, what, .. } in entries {
        // Maps are long, and can be read in the configuration.
        let short = match given.char_indices().nth(VALUE) {
            Some((end, _)) => format!("{} ...", &given[..end]),
            None => given.clone(),
        };
        table.add_row([key.as_str(), &short, fate.word(), what]);
    }
    aligned(fitted(table, width_up_to(WIDTH), &[3]), 4)
}
