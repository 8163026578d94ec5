//! `import`: a scenario from what another simulator reads.
//!
//! Invariant: what became of every key is printed. The scenario that comes of it is checked where it has been written: one
//! that is refused stays there, to be corrected.

use std::fs;
use std::path::{Path, PathBuf};

use report::printed::{aligned, fitted, plain_table};
use report::{File, folder, printed};
use scenario::import::hpcc::{self, Entry};

use crate::cli::ImportHpccOptions;
use crate::engine;
use crate::failure::Failure;

/// Characters that a line of the printed table has, and a value in it.
const WIDTH: u16 = 120;
const VALUE: usize = 20;

/// Reads a configuration of HPCC's simulator, writes a scenario and its files, and gives an account.
pub(crate) fn hpcc(options: &ImportHpccOptions) -> Result<(), Failure> {
    let config = &options.config;
    let text = fs::read_to_string(config)
        .map_err(|cause| Failure::Unreadable { file: config.display().to_string(), cause })?;
    let name = config.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let imported = hpcc::read(&name, &text, &|wanted| found(config, wanted))?;
    let stem = config.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let out = options.out.clone().unwrap_or_else(|| PathBuf::from("out").join(format!("import-{stem}")));
    let scenario = format!("{stem}.ron");
    let mut files = vec![File { name: scenario.clone(), contents: imported.scenario }];
    files.extend(imported.files.into_iter().map(|(name, contents)| File { name, contents }));
    folder::write(&out, &files)?;
    let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
    crate::print(&format!("{}\n\n{}", account(&imported.account), printed::written(&out, &names)));
    let path = out.join(scenario).to_string_lossy().into_owned();
    engine::plan(&path, &[], None).map(drop)
}

/// The text of a file that a configuration names: as it says, or beside the configuration.
fn found(config: &Path, wanted: &str) -> Option<String> {
    let folder = config.parent().unwrap_or(Path::new(""));
    let last = Path::new(wanted).file_name()?;
    [PathBuf::from(wanted), folder.join(wanted), folder.join(last)]
        .iter()
        .find_map(|path| fs::read_to_string(path).ok())
}

fn account(entries: &[Entry]) -> String {
    let mut table = plain_table();
    table.set_header(["key", "value", "is", "as what, or why not"]);
    for Entry { key, given, fate, what } in entries {
        // Maps are long, and stand in the configuration.
        let short = match given.char_indices().nth(VALUE) {
            Some((end, _)) => format!("{} ...", &given[..end]),
            None => given.clone(),
        };
        table.add_row([key.as_str(), &short, fate.word(), what]);
    }
    aligned(fitted(table, WIDTH, 3), 4)
}
