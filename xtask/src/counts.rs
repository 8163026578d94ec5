//! `cargo xtask counts`: instruction counts of small cases of the bench, against the recorded ones.
//!
//! Invariant: a count does not depend on the load or the speed of the machine. It depends on the processor's
//! family, the system's library and the compiler, so a record names its target, and another target is not
//! judged by it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::cargo::root;
use crate::simulate;

/// Cases of `bench`, with the overrides that shorten them: counting is some fifty times slower than running.
const CASES: [(&str, &[&str]); 4] =
    [("a32", &A32), ("a32-fifo", &A32), ("b128", &SHORT), ("roce-b128", &SHORT)];
/// Overrides for 0.1 ms.
const SHORT: [&str; 1] = ["duration=\"100 us\""];
/// Overrides for 0.2 ms, with the incast in the middle.
const A32: [&str; 3] = ["traffic[1].at=\"100 us\"", "traffic[0].until=\"150 us\"", "duration=\"200 us\""];

/// Largest accepted ratio of counted to recorded instructions: libraries of one system differ by less.
const TOO_MANY: f64 = 1.03;

/// Instruction counts by target and case.
type Recorded = BTreeMap<String, BTreeMap<String, u64>>;

/// Counts and compares; with `--record`, records the counts instead.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let record = match arguments {
        [] => false,
        [one] if one == "--record" => true,
        _ => {
            eprintln!("error: `cargo xtask counts` takes `--record` and nothing else");
            return ExitCode::from(2);
        }
    };
    if !has_valgrind() {
        eprintln!("counts: not compared, since valgrind is not installed here");
        return ExitCode::SUCCESS;
    }
    match simulate::build().map(|program| count(&program)) {
        Err(failed) => failed,
        Ok(Err(what)) => {
            eprintln!("error: {what}");
            ExitCode::FAILURE
        }
        Ok(Ok(counted)) if record => write(counted),
        Ok(Ok(counted)) => compare(&counted),
    }
}

fn has_valgrind() -> bool {
    let version =
        Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// Returns the instruction counts by case.
fn count(program: &Path) -> Result<BTreeMap<String, u64>, String> {
    CASES.into_iter().map(|(case, sets)| Ok((case.to_owned(), count_one(program, case, sets)?))).collect()
}

fn count_one(program: &Path, case: &str, sets: &[&str]) -> Result<u64, String> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    command.arg(program).args(["bench", "--case", case]).stdin(Stdio::null());
    sets.iter().for_each(|set| {
        command.args(["--set", set]);
    });
    let output = command.output().map_err(|cause| format!("cannot start valgrind: {cause}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    instructions(&said)
        .filter(|_| output.status.success())
        .ok_or_else(|| format!("{case} under valgrind failed:\n{said}"))
}

/// Returns the number in valgrind's line `==1== I refs: 1,234`.
fn instructions(said: &str) -> Option<u64> {
    let line =
        said.lines().find_map(|line| line.split_once("I refs:").or_else(|| line.split_once("I   refs:")))?.1;
    line.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()
}

fn target() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

fn file() -> PathBuf {
    root().join("docs").join("instructions.json")
}

fn recorded() -> Recorded {
    fs::read_to_string(file()).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn write(counted: BTreeMap<String, u64>) -> ExitCode {
    let mut recorded = recorded();
    print(&counted, recorded.get(&target()));
    recorded.insert(target(), counted);
    let text = serde_json::to_string_pretty(&recorded).expect("numbers by name") + "\n";
    match fs::write(file(), text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("error: cannot write {}: {cause}", file().display());
            ExitCode::FAILURE
        }
    }
}

fn compare(counted: &BTreeMap<String, u64>) -> ExitCode {
    let all = recorded();
    let before = all.get(&target());
    print(counted, before);
    let Some(before) = before else {
        eprintln!("counts: nothing is recorded for {}", target());
        return ExitCode::SUCCESS;
    };
    let over: Vec<&str> = counted
        .iter()
        .filter(|(case, now)| is_over(**now, before.get(*case)))
        .map(|(case, _)| case.as_str())
        .collect();
    if over.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: more instructions than recorded: {}", over.join(", "));
    ExitCode::FAILURE
}

/// Returns whether a case takes too many instructions; a case that was never recorded does.
fn is_over(now: u64, before: Option<&u64>) -> bool {
    before.is_none_or(|before| now as f64 > *before as f64 * TOO_MANY)
}

fn print(counted: &BTreeMap<String, u64>, before: Option<&BTreeMap<String, u64>>) {
    for (case, now) in counted {
        let against = before.and_then(|before| before.get(case)).map_or_else(
            || "not recorded".to_owned(),
            |before| format!("{:+.2} % of {before} recorded", (*now as f64 / *before as f64 - 1.0) * 100.0),
        );
        eprintln!("counts: {case}: {now} instructions, {against}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valgrind_s_output_is_read() {
        assert_eq!(instructions("==7== \n==7== I refs:        1,234,567\n"), Some(1_234_567));
        assert_eq!(instructions("==7== I   refs:      42"), Some(42));
        assert_eq!(instructions("valgrind: cannot"), None);
    }

    #[test]
    fn a_few_more_are_not_too_many() {
        assert!(!is_over(102, Some(&100)));
        assert!(is_over(104, Some(&100)));
        assert!(is_over(1, None));
    }
}
