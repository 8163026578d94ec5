//! `cargo xtask mutants`: small faults put into the code one by one, each of which a test must catch (cargo-mutants).
//!
//! Invariant: a golden digest or a snapshot catches nothing here. insta passes every snapshot, and the profile of
//! nextest leaves golden runs and the messages of `fixtures/bad` out. Nothing is installed: a missing tool is named, with the command to get it.
//!
//! | round | mutants | tests |
//! |---|---|---|
//! | first | all of the crate | of the crate itself |
//! | second | the first round's survivors | of the higher crates whose laws rest on the crate |

mod outcomes;
mod survivors;

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use crate::cargo::{cargo, code, root};

use outcomes::{Mutant, Outcome, Table};
use survivors::Survivors;

/// A crate whose tests are held to the share, and the crates above that state its laws.
struct Subject {
    name: &'static str,
    laws: &'static [&'static str],
}

const SUBJECTS: [Subject; 4] = [
    Subject { name: "cc-policies", laws: &["switch-arch", "ca-transport", "scenario", "fabric"] },
    Subject { name: "link-layer", laws: &["switch-arch", "ca-transport", "scenario", "fabric"] },
    Subject { name: "switch-arch", laws: &["scenario", "fabric"] },
    Subject { name: "ca-transport", laws: &["scenario", "fabric"] },
];

/// Least accepted share of caught mutants.
const LEAST_SHARE: f64 = 0.95;

/// Variables of the tests: snapshots pass, and a failing property is neither shrunk nor written down.
const VARIABLES: [(&str, &str); 6] = [
    ("INSTA_FORCE_PASS", "1"),
    ("INSTA_UPDATE", "no"),
    ("NEXTEST_PROFILE", "mutants"),
    ("PROPTEST_CASES", "64"),
    ("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1"),
    ("PROPTEST_MAX_SHRINK_ITERS", "0"),
];

/// Tools, the arguments by which each tells its version, and the package to install.
const TOOLS: [(&[&str], &str); 2] =
    [(&["mutants", "--version"], "cargo-mutants"), (&["nextest", "--version"], "cargo-nextest")];

const USAGE: &str = "cargo xtask mutants [-p CRATE]... [--shard K/N] [--jobs N]";

struct Options {
    subjects: Vec<&'static Subject>,
    shard: Option<String>,
    jobs: String,
}

/// Runs the mutants of the crates, prints the table, and holds the survivors against docs/mutants.md.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let options = match read(arguments) {
        Ok(options) => options,
        Err(fault) => {
            eprintln!("error: {fault}: {USAGE}");
            return ExitCode::from(2);
        }
    };
    let missing: Vec<_> = TOOLS.into_iter().filter(|(version, _)| !starts(version)).collect();
    for (_, package) in &missing {
        eprintln!(
            "error: {package} is not installed: run `cargo install --locked {package}`, then `cargo xtask mutants` again"
        );
    }
    if !missing.is_empty() {
        return ExitCode::FAILURE;
    }
    test_all(&options).unwrap_or_else(|failed| failed)
}

fn read(arguments: &[OsString]) -> Result<Options, String> {
    let mut options = Options { subjects: Vec::new(), shard: None, jobs: "1".to_owned() };
    let mut rest = arguments.iter().map(|one| one.to_string_lossy().into_owned());
    while let Some(option) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("`{option}` stands alone"))?;
        match option.as_str() {
            "-p" | "--package" => {
                let subject = SUBJECTS.iter().find(|subject| subject.name == value);
                options.subjects.push(subject.ok_or_else(|| format!("`{value}` is none of the crates"))?);
            }
            "--shard" => options.shard = Some(value),
            "--jobs" => options.jobs = value,
            _ => return Err(format!("`{option}` is no option")),
        }
    }
    if options.subjects.is_empty() {
        options.subjects = SUBJECTS.iter().collect();
    }
    Ok(options)
}

fn starts(version: &[&str]) -> bool {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let status = command.args(version).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn test_all(options: &Options) -> Result<ExitCode, ExitCode> {
    let listed = fs::read_to_string(root().join("docs").join("mutants.md")).unwrap_or_default();
    let listed = Survivors::read(&listed);
    let (mut table, mut faults) = (Table::default(), Vec::new());
    for subject in &options.subjects {
        let all = list(subject)?;
        let outcomes = test(subject, options)?;
        table.add(subject.name, &outcomes);
        faults.extend(listed.faults(subject.name, &all, &outcomes));
    }
    print!("{table}");
    faults.iter().for_each(|fault| eprintln!("error: {fault}"));
    if table.share() < LEAST_SHARE {
        eprintln!("error: less than {:.0} % of the mutants are caught", LEAST_SHARE * 100.0);
    }
    let passed = faults.is_empty() && table.share() >= LEAST_SHARE;
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the names of all mutants of the crate, tested or not.
fn list(subject: &Subject) -> Result<Vec<String>, ExitCode> {
    let output = cargo(&["mutants", "--list", "-p", subject.name])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|cause| failed(&format!("cannot start cargo: {cause}")))?;
    if !output.status.success() {
        return Err(code(output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(outcomes::without_place).collect())
}

/// Runs both rounds.
fn test(subject: &Subject, options: &Options) -> Result<Vec<Mutant>, ExitCode> {
    let folder = root().join("target").join("mutants").join(subject.name);
    let shard = options.shard.iter().flat_map(|shard| ["--sharding", "round-robin", "--shard", shard]);
    let first = round(subject, options, &folder.join("own"), &shard.collect::<Vec<_>>())?;
    let survivors: Vec<_> =
        first.iter().filter(|one| one.outcome == Outcome::Missed).map(|one| exactly(&one.place)).collect();
    if survivors.is_empty() {
        return Ok(first);
    }
    let mut selection = vec!["--test-package", subject.name];
    selection.extend(subject.laws.iter().flat_map(|law| ["--test-package", law]));
    selection.extend(survivors.iter().flat_map(|one| ["--re", one]));
    let second = round(subject, options, &folder.join("laws"), &selection)?;
    Ok(outcomes::merged(first, second))
}

fn round(
    subject: &Subject,
    options: &Options,
    folder: &Path,
    selection: &[&str],
) -> Result<Vec<Mutant>, ExitCode> {
    fs::create_dir_all(folder)
        .map_err(|cause| failed(&format!("cannot make {}: {cause}", folder.display())))?;
    let mut command = cargo(&["mutants", "-p", subject.name, "--jobs", &options.jobs, "--output"]);
    command.arg(folder).args(selection).envs(VARIABLES);
    let status = command.status().map_err(|cause| failed(&format!("cannot start cargo: {cause}")))?;
    // 2 and 3 say that mutants were missed, or took too long.
    if !matches!(status.code(), Some(0 | 2 | 3)) {
        return Err(code(status));
    }
    let file = folder.join("mutants.out").join("outcomes.json");
    let text = fs::read_to_string(&file).unwrap_or_default();
    outcomes::read(&text).map_err(|cause| failed(&format!("{}: {cause}", file.display())))
}

fn failed(cause: &str) -> ExitCode {
    eprintln!("error: {cause}");
    ExitCode::FAILURE
}

/// Returns the regular expression of a mutant with this name alone.
fn exactly(place: &str) -> String {
    let escaped = place.chars().flat_map(|letter| {
        let plain = letter.is_ascii_alphanumeric() || matches!(letter, ' ' | '_' | '/' | ':' | '<' | '>');
        (!plain).then_some('\\').into_iter().chain([letter])
    });
    format!("^{}$", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let given = |words: &[&str]| read(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(given(&[]).unwrap().subjects.len(), SUBJECTS.len());
        let options = given(&["-p", "link-layer", "--shard", "1/7", "--jobs", "2"]).unwrap();
        assert_eq!(options.subjects.iter().map(|subject| subject.name).collect::<Vec<_>>(), ["link-layer"]);
        assert_eq!((options.shard.as_deref(), options.jobs.as_str()), (Some("1/7"), "2"));
        for wrong in [&["-p", "units"][..], &["--shard"], &["--frob", "1"]] {
            assert!(given(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_name_is_no_pattern() {
        assert_eq!(exactly("a.rs:1:2: replace + with - in f"), r"^a\.rs:1:2: replace \+ with \- in f$");
    }
}
