//! Tests one by one: which mutants each reaches, and whether it catches one of them.
//!
//! Invariant: a limit counts the processor's time of the test, not the time on the wall, so that a busy machine ends no
//! test. A test runs once at a time, since it may write to a folder of its name. A golden digest or a snapshot catches nothing: insta passes every snapshot, and the tests that are such a
//! comparison are left out.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use crate::compile::TestProgram;
use crate::workers;

/// Variables of the tests: snapshots pass, and a property draws the same cases each time, which are neither shrunk
/// nor written down.
const VARIABLES: [(&str, &str); 6] = [
    ("INSTA_FORCE_PASS", "1"),
    ("INSTA_UPDATE", "no"),
    ("PROPTEST_CASES", "64"),
    ("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1"),
    ("PROPTEST_MAX_SHRINK_ITERS", "0"),
    ("PROPTEST_RNG_SEED", "1"),
];

/// The printed messages of bad input are snapshots.
const SNAPSHOT_TARGET: &str = "bad";
/// Whole runs compared with their digests.
const GOLDEN_TEST: &str = "golden";

/// Multiple of the test's time that a mutant may take.
const LIMIT: f64 = 5.0;
/// Limits of time (seconds), memory (KiB) and core files, before the test takes the place of the shell.
const LIMITED: &str = "ulimit -c 0; ulimit -t \"$0\"; ulimit -v 6291456 2>/dev/null; exec \"$@\"";
/// Runs the test, and prints the processor's time of the shell and, in a second line, of the test.
const TIMED: &str = "\"$@\" >/dev/null 2>&1 && times";

/// A test and the mutants that it reaches.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    program: TestProgram,
    name: String,
    /// The processor's time without a mutant.
    pub(crate) seconds: f64,
    reached: Vec<u32>,
    /// Held while the test runs.
    turn: Arc<Mutex<()>>,
}

/// Result of a test on a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Passed,
    Failed,
    /// Ended by the limit of time or memory, or by the end of the stack.
    Endless,
}

impl Test {
    /// Returns the target and the name of the test.
    pub(crate) fn title(&self) -> String {
        format!("{}::{}", self.program.target, self.name)
    }

    /// Runs the test with a mutant, or with none chosen if the mutant is in the code for good. The limit is
    /// `least_limit` seconds of the processor or more.
    pub(crate) fn on(&self, mutant: Option<u32>, least_limit: u64) -> Result<Verdict, String> {
        let limit = least_limit.max((LIMIT * self.seconds).ceil() as u64);
        let mut shell = self.shell(LIMITED, &limit.to_string());
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let status = shell.env("MUTANT", mutant.unwrap_or(0).to_string()).status();
        let status =
            status.map_err(|cause| format!("cannot start {}: {cause}", self.program.path.display()))?;
        Ok(match status.signal() {
            Some(_) => Verdict::Endless,
            None if status.success() => Verdict::Passed,
            None => Verdict::Failed,
        })
    }

    /// Runs the test without a mutant, and notes its time and the mutants that it reaches.
    fn trace(mut self, file: &Path) -> Result<Self, String> {
        let output = self.shell(TIMED, "sh").stdout(Stdio::piped()).env("MUTANT_TRACE", file).output();
        let output =
            output.map_err(|cause| format!("cannot start {}: {cause}", self.program.path.display()))?;
        if !output.status.success() {
            return Err(format!("{} fails without a mutant", self.title()));
        }
        let times = String::from_utf8_lossy(&output.stdout);
        self.seconds = times.lines().nth(1).unwrap_or_default().split_whitespace().filter_map(seconds).sum();
        let reached = fs::read_to_string(file).unwrap_or_default();
        self.reached = reached.lines().filter_map(|line| line.parse().ok()).collect();
        self.reached.sort_unstable();
        Ok(self)
    }

    fn shell(&self, script: &str, zeroth: &str) -> Command {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", script, zeroth])
            .arg(&self.program.path)
            .args([&self.name, "--exact", "--test-threads=1"])
            .current_dir(&self.program.folder)
            .env("CARGO_MANIFEST_DIR", &self.program.folder)
            .env("INSTA_WORKSPACE_ROOT", &self.program.folder)
            .envs(VARIABLES)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        shell
    }
}

/// Reads a time as `times` prints it, such as `0m1.25s`.
fn seconds(time: &str) -> Option<f64> {
    let (minutes, seconds) = time.strip_suffix('s')?.split_once('m')?;
    Some(60.0 * minutes.parse::<f64>().ok()? + seconds.replace(',', ".").parse::<f64>().ok()?)
}

/// Tests, fastest first.
#[derive(Debug, Default)]
pub(crate) struct Suite {
    tests: Vec<Test>,
}

impl Suite {
    /// Runs every test of the programs once, alone and without a mutant, and notes which mutants it reaches.
    pub(crate) fn trace(programs: &[TestProgram], folder: &Path, jobs: usize) -> Result<Self, String> {
        fs::create_dir_all(folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
        let mut tests = Vec::new();
        for program in programs.iter().filter(|program| program.target != SNAPSHOT_TARGET) {
            let names = names(program)?;
            let names = names.into_iter().filter(|name| !name.contains(GOLDEN_TEST));
            tests.extend(names.map(|name| (program, name)));
        }
        let mut tests = workers::each(jobs, &tests, |at, (program, name)| {
            let file = folder.join(format!("{at}.trace"));
            let _ = fs::remove_file(&file);
            let (program, name) = ((*program).clone(), name.clone());
            Test { program, name, seconds: 0.0, reached: Vec::new(), turn: Arc::default() }.trace(&file)
        })?;
        tests.sort_by(|a, b| a.seconds.total_cmp(&b.seconds).then_with(|| a.title().cmp(&b.title())));
        Ok(Self { tests })
    }

    /// Returns the tests that reach a mutant, fastest first, up to a sum of times, and the number of the others.
    pub(crate) fn reaching(&self, mutant: u32, most_seconds: f64) -> (Vec<&Test>, usize) {
        let reaching = self.tests.iter().filter(|test| test.reached.binary_search(&mutant).is_ok());
        let reaching: Vec<_> = reaching.collect();
        let mut seconds = 0.0;
        let within = reaching.iter().take_while(|test| {
            seconds += test.seconds;
            seconds <= most_seconds
        });
        let within: Vec<_> = within.copied().collect();
        let left_out = reaching.len() - within.len();
        (within, left_out)
    }

    /// Returns all tests, fastest first, with the time each took.
    pub(crate) fn all(&self) -> &[Test] {
        &self.tests
    }

    /// Returns the same tests in programs that were built anew.
    pub(crate) fn rebuilt(&self, programs: &[TestProgram]) -> Self {
        let tests = self.tests.iter().filter_map(|test| {
            let same = |program: &&TestProgram| {
                (&program.target, &program.folder) == (&test.program.target, &test.program.folder)
            };
            Some(Test { program: programs.iter().find(same)?.clone(), ..test.clone() })
        });
        Self { tests: tests.collect() }
    }
}

fn names(program: &TestProgram) -> Result<Vec<String>, String> {
    let output = Command::new(&program.path)
        .args(["--list", "--format", "terse"])
        .current_dir(&program.folder)
        .output()
        .map_err(|cause| format!("cannot start {}: {cause}", program.path.display()))?;
    let list = String::from_utf8_lossy(&output.stdout);
    Ok(list.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_the_shell_are_read() {
        assert_eq!(["0m0.00s", "2m1.25s", "1m0,5s"].map(seconds), [Some(0.0), Some(121.25), Some(60.5)]);
        assert_eq!(seconds("1.25"), None);
    }
}
