//! `cargo xtask ci --all [--strict]`: every verb that needs a tool or package besides Rust, as far as they are on the machine.
//!
//! Invariant: all verbs run to their end, whatever fails, within an hour. A verb that takes longer than its share is ended. Nothing is
//! installed: a verb that cannot run is named with the packages that bring what is missing, and with `--strict` that is a failure.
//!
//! | module | contents |
//! |---|---|
//! | here | the order, the time, and the table at the end |
//! | `verbs` | the verbs |
//! | `bounded` | a process that is ended with all that it has started |

mod bounded;
mod verbs;

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use crate::cargo::root;

use bounded::Ended;
use verbs::{VERBS, Verb};

/// Last lines of the output of a verb that failed, which are shown at once.
const SHOWN: usize = 40;

/// Outcome of a verb.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    /// It ended with this status, and its output is in this file.
    Failed(String, PathBuf),
    /// It took longer than it may, and its output is in this file.
    TooLong(PathBuf),
    /// A tool is missing.
    NotRun,
}

/// A line of the table.
struct Row<'a> {
    verb: &'a Verb,
    outcome: Outcome,
    elapsed: Duration,
}

/// Runs all verbs, and prints the table.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let strict = match arguments {
        [] => false,
        [strict] if strict == "--strict" => true,
        _ => {
            eprintln!("error: `cargo xtask ci --all` takes `--strict`, and nothing else");
            return ExitCode::from(2);
        }
    };
    let folder = root().join("target/ci-all");
    if let Err(cause) = fs::create_dir_all(&folder) {
        eprintln!("error: {}: {cause}", folder.display());
        return ExitCode::FAILURE;
    }
    // Taken once: a verb that runs cargo may link the program anew, and its path is unknown to this process from then on.
    let program = match env::current_exe() {
        Ok(program) => program,
        Err(cause) => {
            eprintln!("error: the path of this program is unknown: {cause}");
            return ExitCode::FAILURE;
        }
    };
    let (began, mut due) = (Instant::now(), Duration::ZERO);
    let mut rows = Vec::new();
    for (number, verb) in (1..).zip(VERBS) {
        eprintln!("ci --all {number}/{}: {}", VERBS.len(), verb.name);
        // Verbs may use what those before have left of their shares.
        due += verb.share();
        let (start, left) = (Instant::now(), due.saturating_sub(began.elapsed()));
        let outcome = match (verb.missing)() {
            Some(message) => {
                eprintln!("{message}");
                Outcome::NotRun
            }
            None => outcome(verb, left, &program, &folder),
        };
        rows.push(Row { verb, outcome, elapsed: start.elapsed() });
    }
    println!("{}", table(&rows));
    if rows.iter().any(|row| row.outcome.is_failure(strict)) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs a verb, for as long as it may take.
fn outcome(verb: &Verb, left: Duration, program: &Path, folder: &Path) -> Outcome {
    let log = folder.join(format!("{}.log", verb.name));
    let outcome = match ended(verb, left, program, &log) {
        Ok(Ended::InTime(status)) if status.success() => Outcome::Passed,
        Ok(Ended::InTime(status)) => Outcome::Failed(status.to_string(), log),
        Ok(Ended::TooLong) => Outcome::TooLong(log),
        Err(cause) => Outcome::Failed(cause.to_string(), log),
    };
    if let Outcome::Failed(_, log) | Outcome::TooLong(log) = &outcome {
        eprintln!("{}", last_lines(&fs::read_to_string(log).unwrap_or_default(), SHOWN));
    }
    outcome
}

fn ended(verb: &Verb, left: Duration, program: &Path, log: &Path) -> io::Result<Ended> {
    let output = File::create(log)?;
    let mut command = Command::new(program);
    command.arg(verb.name).args(verb.arguments).stdin(Stdio::null());
    command.stdout(output.try_clone()?).stderr(output);
    bounded::run(&mut command, left)
}

impl Outcome {
    fn is_failure(&self, strict: bool) -> bool {
        match self {
            Self::Passed => false,
            Self::Failed(..) | Self::TooLong(_) => true,
            Self::NotRun => strict,
        }
    }
}

/// Returns the table: a line for each verb, and one for all.
fn table(rows: &[Row<'_>]) -> String {
    let mut lines = vec![format!("{:<16}{:<10}{:>8}", "verb", "result", "time")];
    let count = |is_it: fn(&Outcome) -> bool| rows.iter().filter(|row| is_it(&row.outcome)).count();
    for Row { verb, outcome, elapsed } in rows {
        let time = format!("{:.0} s", elapsed.as_secs_f64());
        let (result, time, remark) = match outcome {
            Outcome::Passed => ("passed", time, String::new()),
            Outcome::Failed(status, log) => ("FAILED", time, format!("{status}: {}", log.display())),
            Outcome::TooLong(log) => ("ENDED", time, format!("it took too long: {}", log.display())),
            Outcome::NotRun => ("not run", "-".to_owned(), verb.packages.to_owned()),
        };
        lines.push(format!("{:<16}{result:<10}{time:>8}  {remark}", verb.name).trim_end().to_owned());
    }
    let all: Duration = rows.iter().map(|row| row.elapsed).sum();
    lines.push(format!(
        "{} passed, {} failed, {} not run, in {:.0} s",
        count(|outcome| *outcome == Outcome::Passed),
        count(|outcome| outcome.is_failure(false)),
        count(|outcome| *outcome == Outcome::NotRun),
        all.as_secs_f64()
    ));
    lines.join("\n")
}

/// Returns the last lines of a text.
fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_tells_each_verb_and_counts() {
        let log = PathBuf::from("x.log");
        let outcomes = [
            Outcome::Passed,
            Outcome::Failed("exit status: 1".into(), log.clone()),
            Outcome::TooLong(log),
            Outcome::NotRun,
        ];
        let rows: Vec<Row<'_>> = VERBS
            .iter()
            .zip(outcomes)
            .map(|(verb, outcome)| Row { verb, outcome, elapsed: Duration::from_secs(7) })
            .collect();
        let table = table(&rows);
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[1].starts_with(VERBS[0].name) && lines[1].ends_with("passed         7 s"), "{table}");
        assert!(lines[2].ends_with("FAILED         7 s  exit status: 1: x.log"), "{table}");
        assert!(lines[3].ends_with("ENDED          7 s  it took too long: x.log"), "{table}");
        assert!(lines[4].contains("not run          -") && lines[4].ends_with(VERBS[3].packages), "{table}");
        assert_eq!(lines[5], "1 passed, 2 failed, 1 not run, in 28 s");
    }

    #[test]
    fn a_missing_tool_fails_only_if_that_is_asked_for() {
        assert!(!Outcome::NotRun.is_failure(false) && Outcome::NotRun.is_failure(true));
        assert!(Outcome::TooLong(PathBuf::new()).is_failure(false));
    }

    #[test]
    fn the_last_lines_are_shown() {
        assert_eq!(last_lines("a\nb\nc\n", 2), "b\nc");
        assert_eq!(last_lines("", 2), "");
    }
}
