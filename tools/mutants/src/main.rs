//! The program that `cargo xtask mutants` runs: the rounds of each crate, the table, and the survivors against docs/mutants.md.
//!
//! Invariant: nothing is installed. If cargo-mutants is missing, the program names it, with the command to get it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;

use mutants::listing;
use mutants::outcomes::{self, Table, Tested};
use mutants::rounds::{self, Settings, Subject};
use mutants::survivors::Survivors;

const SUBJECTS: [Subject; 4] = [
    Subject {
        name: "cc-policies",
        folder: "crates/cc-policies",
        laws: &["switch-arch", "ca-transport", "scenario", "fabric"],
    },
    Subject {
        name: "link-layer",
        folder: "crates/link-layer",
        laws: &["switch-arch", "ca-transport", "scenario", "fabric"],
    },
    Subject { name: "switch-arch", folder: "crates/switch-arch", laws: &["scenario", "fabric"] },
    Subject { name: "ca-transport", folder: "crates/ca-transport", laws: &["scenario", "fabric"] },
];

/// Least accepted share of caught mutants.
const LEAST_SHARE: f64 = 0.95;

/// Least limit of a test on a mutant, in seconds of the processor.
const LEAST_LIMIT: u64 = 10;

const USAGE: &str = "cargo xtask mutants [-p CRATE]... [--shard K/N] [--jobs N] [--own] [--again]";

struct Options {
    subjects: Vec<&'static Subject>,
    shard: Option<(usize, usize)>,
    jobs: usize,
    laws: bool,
    again: bool,
}

fn main() -> ExitCode {
    let options = match read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(fault) => {
            eprintln!("error: {fault}: {USAGE}");
            return ExitCode::from(2);
        }
    };
    if !cargo(&["mutants", "--version"]).output().is_ok_and(|output| output.status.success()) {
        eprintln!(
            "error: cargo-mutants is not installed: run `cargo install --locked cargo-mutants`, then `cargo xtask mutants` again"
        );
        return ExitCode::FAILURE;
    }
    match test_all(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn read(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    let mut options = Options { subjects: Vec::new(), shard: None, jobs, laws: true, again: false };
    while let Some(option) = arguments.next() {
        match option.as_str() {
            "--own" => {
                options.laws = false;
                continue;
            }
            "--again" => {
                options.again = true;
                continue;
            }
            _ => {}
        }
        let value = arguments.next().ok_or_else(|| format!("`{option}` stands alone"))?;
        let number =
            |text: &str| text.parse::<usize>().map_err(|_| format!("`{value}` is no value of `{option}`"));
        match option.as_str() {
            "-p" | "--package" => {
                let subject = SUBJECTS.iter().find(|subject| subject.name == value);
                options.subjects.push(subject.ok_or_else(|| format!("`{value}` is none of the crates"))?);
            }
            "--shard" => {
                let (k, n) = value.split_once('/').unwrap_or((&value, ""));
                let (k, n) = (number(k)?, number(n)?);
                if k >= n {
                    return Err(format!("`{value}`: K counts from 0 to N - 1"));
                }
                options.shard = Some((k, n));
            }
            "--jobs" => options.jobs = number(&value)?.max(1),
            _ => return Err(format!("`{option}` is no option")),
        }
    }
    if options.subjects.is_empty() {
        options.subjects = SUBJECTS.iter().collect();
    }
    Ok(options)
}

/// Tests the crates. Returns true if enough mutants are caught and the survivors are those of docs/mutants.md.
fn test_all(options: &Options) -> Result<bool, String> {
    let root = root();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let settings = Settings {
        work: target.join("mutants"),
        root: root.clone(),
        jobs: options.jobs,
        shard: options.shard,
        least_limit: LEAST_LIMIT,
        laws: options.laws,
    };
    let page = fs::read_to_string(root.join("docs").join("mutants.md")).unwrap_or_default();
    let listed = Survivors::read(&page);
    let (mut table, mut faults) = (Table::default(), Vec::new());
    for subject in &options.subjects {
        let mutants = list(subject, &root)?;
        let names: Vec<_> = mutants.iter().map(|mutant| listing::name(&mutant.place)).collect();
        let file = settings.work.join(format!("{}.json", subject.name));
        let standing = if options.again { outcomes::standing(&kept(&file)?, &mutants) } else { Vec::new() };
        let tested = rounds::test(subject, &mutants, standing, &settings)?;
        keep(&file, &tested)?;
        table.add(subject.name, &tested);
        faults.extend(listed.faults(subject.folder, &names, &tested));
    }
    print!("{table}");
    faults.iter().for_each(|fault| eprintln!("error: {fault}"));
    let poor = table.poor(LEAST_SHARE);
    for name in &poor {
        eprintln!("error: {name}: less than {:.0} % of the mutants are caught", LEAST_SHARE * 100.0);
    }
    Ok(faults.is_empty() && poor.is_empty())
}

/// Returns the mutants of a crate.
fn list(subject: &Subject, root: &Path) -> Result<Vec<listing::Mutant>, String> {
    let output = cargo(&["mutants", "--list", "--json", "--package", subject.name, "--dir"])
        .arg(root)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|cause| format!("cannot start cargo: {cause}"))?;
    if !output.status.success() {
        return Err(format!("cargo-mutants lists no mutants of {}", subject.name));
    }
    listing::read(&String::from_utf8_lossy(&output.stdout), |file| {
        fs::read_to_string(root.join(file)).map_err(|cause| format!("{}: {cause}", file.display()))
    })
}

/// Reads the results of the last run of a crate.
fn kept(file: &Path) -> Result<Vec<Tested>, String> {
    let text = fs::read_to_string(file);
    let text =
        text.map_err(|cause| format!("{}: {cause}: `--again` needs the results of a run", file.display()))?;
    serde_json::from_str(&text).map_err(|cause| format!("{}: {cause}", file.display()))
}

/// Writes the results of a crate to a file, for a look at a single mutant and for `--again`.
fn keep(file: &Path, tested: &[Tested]) -> Result<(), String> {
    let text = serde_json::to_string_pretty(tested).map_err(|cause| cause.to_string())?;
    fs::write(file, text).map_err(|cause| format!("{}: {cause}", file.display()))
}

/// Returns the workspace's folder.
fn root() -> PathBuf {
    let here =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or(env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    here.ancestors().nth(2).map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).stdin(Stdio::null());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let given = |words: &[&str]| read(words.iter().map(|&word| word.to_owned()));
        assert_eq!(given(&[]).unwrap().subjects.len(), SUBJECTS.len());
        let options = given(&["-p", "link-layer", "--shard", "1/7", "--jobs", "2", "--own"]).unwrap();
        assert_eq!(options.subjects.iter().map(|subject| subject.name).collect::<Vec<_>>(), ["link-layer"]);
        assert_eq!((options.shard, options.jobs, options.laws), (Some((1, 7)), 2, false));
        assert_eq!((options.again, given(&["--again"]).unwrap().again), (false, true));
        let wrong =
            [&["-p", "units"][..], &["--shard"], &["--frob", "1"], &["--shard", "7/7"], &["--shard", "x"]];
        for wrong in wrong {
            assert!(given(wrong).is_err(), "{wrong:?}");
        }
    }
}
