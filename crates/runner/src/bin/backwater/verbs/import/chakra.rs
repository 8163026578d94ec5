//! `import chakra`: a job from the execution traces of its ranks.
//!
//! Invariant: there is a trace of each rank from 0 on, without a gap and with the same name. Other files of the folder
//! are not read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use interop::import::SourceText;
use scenario::{Diagnostic, LocatedFault, ScenarioText};
use simulators::chakra::algorithms::{Algorithms, Choice};
use simulators::chakra::{self, ChakraFile, ChakraOptions};

use super::{GivenFiles, ImportResult, last_part, stem};
use crate::failure::Failure;
use crate::given_file;

#[derive(Args, Debug)]
pub(crate) struct ImportChakraOptions {
    /// Folder of the traces `NAME.RANK.et`, or, of several names, `FOLDER/NAME`.
    traces: PathBuf,
    /// Scenario of the fabric. Its hosts run the ranks in their order: a file or the name of a shipped one.
    #[arg(long, value_name = "SCENARIO")]
    into: String,
    /// Ranks of process groups, as JSON `{"1": [0, 4]}`, in place of the traces' own.
    #[arg(long, value_name = "FILE")]
    groups: Option<PathBuf>,
    /// Algorithm of a collective, such as `all-reduce=rabenseifner`; may be given for each kind. If left out, NCCL's:
    /// rings, chains, and all messages of an all-to-all at once.
    #[arg(long, value_name = "KIND=NAME")]
    algorithm: Vec<Choice>,
    /// Messages that each block of a collective is cut into.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=65536))]
    chunks: u32,
    /// Ranks that all run the only trace.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    ranks: Option<u32>,
    #[command(flatten)]
    result: ImportResult,
}

/// Reads the traces of a job, and puts it into a scenario.
pub(super) fn import(options: &ImportChakraOptions) -> Result<(), Failure> {
    let ImportChakraOptions { traces, into, groups, algorithm, chunks, ranks, result } = options;
    let given = GivenFiles::default();
    let base = ScenarioText::find(into)?;
    let (name, files) = found(traces)?;
    let groups =
        groups.as_ref().map(|file| Ok::<_, Failure>((given.text(file)?, last_part(file)))).transpose()?;
    let read = |file: &PathBuf| Ok::<_, Failure>((last_part(file), given_file::bytes(file)?));
    let files: Vec<(String, Vec<u8>)> = files.iter().map(read).collect::<Result<_, _>>()?;
    let files: Vec<ChakraFile<'_>> = files.iter().map(|(name, bytes)| ChakraFile { name, bytes }).collect();
    let own = ChakraOptions {
        groups: groups.as_ref().map(|(text, name)| SourceText { name, text }),
        algorithms: Algorithms::new(algorithm, *chunks),
        copies: *ranks,
    };
    let file = PathBuf::from(format!("{name}.et"));
    let imported = chakra::read(&files, &own)?.into_scenario(&stem(&file), base)?;
    result.write(&file, imported, given)
}

/// Returns the name of the traces, and their files by rank.
fn found(traces: &Path) -> Result<(String, Vec<PathBuf>), Failure> {
    let wrong = |message: String, help: &str| {
        let (file, path) = (traces.display().to_string(), String::new());
        let help = Some(help.to_owned());
        Failure::from(Diagnostic::from(LocatedFault { file, place: None, path, message, help }))
    };
    let wanted = (!traces.is_dir()).then(|| last_part(traces));
    let folder = match wanted {
        None => traces,
        Some(_) => traces.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")),
    };
    let entries = fs::read_dir(folder)
        .map_err(|cause| Failure::Unreadable { file: folder.display().to_string(), cause })?;
    let mut by_name: BTreeMap<String, BTreeMap<u64, PathBuf>> = BTreeMap::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        let Some((name, rank)) = name_and_rank(&last_part(&path)) else { continue };
        if wanted.as_ref().is_some_and(|wanted| *wanted != name) {
            continue;
        }
        if let Some(other) = by_name.entry(name).or_default().insert(rank, path.clone()) {
            let message = format!("{} and {} are both rank {rank}", last_part(&other), last_part(&path));
            return Err(wrong(message, "keep one of them"));
        }
    }
    let names: Vec<&str> = by_name.keys().map(String::as_str).take(8).collect();
    if names.len() > 1 {
        let message = format!("the folder has traces of several names: {}", names.join(", "));
        return Err(wrong(message, "name one of them: FOLDER/NAME"));
    }
    let Some((name, files)) = by_name.into_iter().next() else {
        return Err(wrong("there are no traces `NAME.RANK.et`".to_owned(), "name a folder of traces"));
    };
    let missing = (0..).zip(files.keys()).find(|(rank, known)| rank != *known);
    if let Some((rank, _)) = missing {
        let message = format!("there is no `{name}.{rank}.et`, and there are traces of later ranks");
        return Err(wrong(message, "put the traces of all ranks, from 0 on, into the folder"));
    }
    Ok((name, files.into_values().collect()))
}

/// Returns the parts of `NAME.RANK.et`, which `gzip` may have named `.gz`.
fn name_and_rank(file: &str) -> Option<(String, u64)> {
    let (name, rank) = file.strip_suffix(".gz").unwrap_or(file).strip_suffix(".et")?.rsplit_once('.')?;
    let is_number = rank.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty();
    Some((name.to_owned(), rank.parse().ok().filter(|_| is_number)?))
}

#[cfg(test)]
mod tests {
    use super::name_and_rank;

    #[test]
    fn ranks_are_the_last_number_of_a_name() {
        let parts = |file: &str| name_and_rank(file).map(|(name, rank)| format!("{name} {rank}"));
        assert_eq!(parts("gpt.v2.15.et").as_deref(), Some("gpt.v2 15"));
        assert_eq!(parts("gpt.0.et.gz").as_deref(), Some("gpt 0"));
        for other in ["gpt.et", ".0.et", "gpt.+1.et", "gpt.1.json", "gpt..et", "gpt.99999999999999999999.et"]
        {
            assert_eq!(parts(other), None, "{other}");
        }
    }
}
