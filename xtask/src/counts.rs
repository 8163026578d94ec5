//! `cargo xtask counts`: instruction counts of small runs, against the recorded ones.
//!
//! Invariant: a count does not depend on the load or the speed of the machine. It depends on the processor's
//! family, the system's library and the compiler, so a record names its target, and another target is not
//! judged by it.
//!
//! The same program counts the same to some millionths: folder, variables and the processor's extensions are fixed
//! here, and runs have one thread. Another version of the C library counts differently: its functions are part of the run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs, io};

use crate::cargo::root;
use crate::simulate;

/// Runs by name, shortened: counting is some fifty times slower than running.
const CASES: [(&str, &[&str]); 9] = [
    ("a32", &["bench", "--case", "a32", "--set", INCAST, "--set", UNTIL, "--set", "duration=\"200 us\""]),
    (
        "a32-fifo",
        &["bench", "--case", "a32-fifo", "--set", INCAST, "--set", UNTIL, "--set", "duration=\"200 us\""],
    ),
    ("b128", &["bench", "--case", "b128", "--set", "duration=\"100 us\""]),
    ("roce-b128", &["bench", "--case", "roce-b128", "--set", "duration=\"100 us\""]),
    ("job", &["eval", "ring-all-reduce", "--set", "jobs[0].iterations=1"]),
    ("gran2011-scenario1", &GRAN2011),
    ("victim", &VICTIM),
    ("roce-victim", &["bench", "--case", "roce-victim"]),
    ("sweep", &SWEEP),
];

/// The incast of a32 in the middle of 0.2 ms, instead of after 1 ms.
const INCAST: &str = "traffic[1].at=\"100 us\"";
const UNTIL: &str = "traffic[0].until=\"150 us\"";

/// A hundredth of the time: 5 ms, in which a flow starts every millisecond.
#[rustfmt::skip]
const GRAN2011: [&str; 15] = [
    "bench", "--case", "gran2011-scenario1",
    "--set", "flows.F2.start=\"1 ms\"", "--set", "flows.F3.start=\"2 ms\"", "--set", "flows.F4.start=\"3 ms\"",
    "--set", "flows.F5.start=\"4 ms\"", "--set", "duration=\"5 ms\"", "--set", "sample=\"10 us\"",
];

/// A tenth of the time: 6 ms, of which the last 4 have congestion.
#[rustfmt::skip]
const VICTIM: [&str; 9] = [
    "bench", "--case", "victim",
    "--set", "flows.far.start=\"1 ms\"", "--set", "flows.near.start=\"2 ms\"", "--set", "duration=\"6 ms\"",
];

/// Ten runs with all their files. They are so short that reading, set-up and files are nearly all of the work.
#[rustfmt::skip]
const SWEEP: [&str; 11] = [
    "sweep", "one-flow", "--set", "duration=\"1 ms\"", "--seeds", "1..=10",
    "--threads", "1", "--quiet", "--out", "sweep",
];

/// Largest accepted ratio of counted to recorded instructions, with the library of the record.
const TOO_MANY: f64 = 1.01;
/// The same with another library: those of one system differ by less.
const TOO_MANY_ELSEWHERE: f64 = 1.03;

/// Extensions of processors that the C library would choose its functions by. Without them it takes the same functions
/// on all processors of a family. Names that a version of the library does not know are ignored.
const PLAIN_FUNCTIONS: (&str, &str) = (
    "GLIBC_TUNABLES",
    "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-AVX512F,-AVX512F_Usable,-AVX512VL,-AVX512BW,-AVX_Fast_Unaligned_Load,\
     -ERMS,-FSRM,-SSSE3,-SSE4_1,-SSE4_2,-BMI2:glibc.cpu.x86_non_temporal_threshold=0x300000",
);

/// Instruction counts by case.
type Counts = BTreeMap<String, u64>;
/// Counts by target and C library, such as `x86_64-linux, glibc 2.36`.
type Recorded = BTreeMap<String, Counts>;

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
        if cfg!(target_os = "linux") {
            eprintln!(
                "error: valgrind is not installed here: install Debian's package valgrind, or leave the counts out by \
                 `cargo xtask ci --without-counts`"
            );
            return ExitCode::FAILURE;
        }
        eprintln!("counts: NOT COMPARED, since the record is of Linux");
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
fn count(program: &Path) -> Result<Counts, String> {
    let folder = root().join("target").join("counts");
    let wrong = |cause: io::Error| format!("{}: {cause}", folder.display());
    let count = |(case, arguments): (&str, &[&str])| {
        // Results of an earlier run would be taken for this one's.
        match fs::remove_dir_all(&folder) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(wrong(cause)),
            _ => fs::create_dir_all(&folder).map_err(wrong)?,
        }
        Ok((case.to_owned(), count_one(program, &folder, case, arguments)?))
    };
    CASES.into_iter().map(count).collect()
}

fn count_one(program: &Path, folder: &Path, case: &str, arguments: &[&str]) -> Result<u64, String> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    command.arg(program).args(arguments).stdin(Stdio::null()).current_dir(folder);
    // Variables lie on the stack of the program, and settings of valgrind may be among them.
    command.env_clear().env(PLAIN_FUNCTIONS.0, PLAIN_FUNCTIONS.1);
    for kept in ["PATH", "VALGRIND_LIB"] {
        command.envs(env::var_os(kept).map(|value| (kept, value)));
    }
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
    format!("{}-{}", env::consts::ARCH, env::consts::OS)
}

/// Returns the target of a record's name.
fn target_of(place: &str) -> &str {
    place.split_once(',').map_or(place, |(target, _)| target)
}

/// Returns the target with the name and version of the C library, where the system tells it.
fn target_and_library() -> String {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").stderr(Stdio::null()).output();
    let library = output.ok().filter(|output| output.status.success());
    let library = library.and_then(|output| String::from_utf8(output.stdout).ok());
    library.map_or_else(target, |library| format!("{}, {}", target(), library.trim()))
}

fn file() -> PathBuf {
    root().join("docs").join("instructions.json")
}

fn recorded() -> Recorded {
    fs::read_to_string(file()).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn write(counted: Counts) -> ExitCode {
    let (mut recorded, here) = (recorded(), target_and_library());
    print(&counted, Judge::of(&recorded, &here).as_ref());
    // Those of another library would be of an earlier version of the program.
    recorded.retain(|place, _| target_of(place) != target_of(&here));
    recorded.insert(here, counted);
    let text = serde_json::to_string_pretty(&recorded).expect("numbers by name") + "\n";
    match fs::write(file(), text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("error: cannot write {}: {cause}", file().display());
            ExitCode::FAILURE
        }
    }
}

fn compare(counted: &Counts) -> ExitCode {
    let (recorded, here) = (recorded(), target_and_library());
    let judge = Judge::of(&recorded, &here);
    print(counted, judge.as_ref());
    let Some(judge) = judge else {
        eprintln!("counts: nothing is recorded for {here}");
        return ExitCode::SUCCESS;
    };
    let bound = judge.bound;
    if judge.place != here {
        eprintln!(
            "counts: up to {bound} times are accepted, since the record is of {}, not of {here}",
            judge.place
        );
    }
    let fewer = judge.cases(counted, |ratio| ratio < 1.0 / bound);
    if !fewer.is_empty() {
        eprintln!("counts: fewer than recorded: {}; record them, so that the gain is kept", fewer.join(", "));
    }
    let over = judge.cases(counted, |ratio| ratio > bound);
    if over.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: more than {bound} times the recorded instructions: {}", over.join(", "));
    ExitCode::FAILURE
}

/// The counts that others are compared with.
#[derive(Debug)]
struct Judge<'a> {
    /// The target and library of these counts.
    place: &'a str,
    counts: &'a Counts,
    /// Largest accepted ratio.
    bound: f64,
}

impl<'a> Judge<'a> {
    /// Returns the counts of this target and library, or else those of the target with another library.
    fn of(recorded: &'a Recorded, here: &str) -> Option<Self> {
        let same = recorded.get_key_value(here).map(|(place, counts)| (place, counts, TOO_MANY));
        let other = recorded.iter().find(|(place, _)| target_of(place) == target_of(here));
        let other = other.map(|(place, counts)| (place, counts, TOO_MANY_ELSEWHERE));
        same.or(other).map(|(place, counts, bound)| Self { place, counts, bound })
    }

    /// Returns the cases with such a ratio of counted to recorded instructions. A case that was never recorded has an
    /// infinite one.
    fn cases<'b>(&self, counted: &'b Counts, is_meant: impl Fn(f64) -> bool) -> Vec<&'b str> {
        let ratio =
            |case: &str, now: u64| now as f64 / self.counts.get(case).map_or(0.0, |then| *then as f64);
        let meant = counted.iter().filter(|(case, now)| is_meant(ratio(case, **now)));
        meant.map(|(case, _)| case.as_str()).collect()
    }
}

fn print(counted: &Counts, judge: Option<&Judge<'_>>) {
    for (case, now) in counted {
        let against = judge.and_then(|judge| judge.counts.get(case)).map_or_else(
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
    fn more_than_a_hundredth_is_too_many() {
        let cases =
            |counts: &[(&str, u64)]| counts.iter().map(|(case, n)| ((*case).to_owned(), *n)).collect();
        let place = "x86_64-linux, glibc 2.36";
        let recorded = Recorded::from([
            ("aarch64-linux, glibc 2.36".to_owned(), Counts::new()),
            (place.to_owned(), cases(&[("few", 1000), ("many", 1000), ("fewer", 1000)])),
        ]);
        let counted = cases(&[("few", 1010), ("many", 1011), ("fewer", 900), ("new", 1)]);
        let over = |here: &str| {
            let judge = Judge::of(&recorded, here)?;
            Some((judge.place.to_owned(), judge.cases(&counted, |ratio| ratio > judge.bound)))
        };
        assert_eq!(over(place), Some((place.to_owned(), vec!["many", "new"])));
        assert_eq!(over("x86_64-linux, glibc 2.39"), Some((place.to_owned(), vec!["new"])));
        assert_eq!(over("x86_64-linux"), Some((place.to_owned(), vec!["new"])));
        assert_eq!(over("x86_64-macos"), None);
        let judge = Judge::of(&recorded, place).unwrap();
        assert_eq!(judge.cases(&counted, |ratio| ratio < 0.99), ["fewer"]);
    }
}
