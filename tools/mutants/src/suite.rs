//! Tests one by one: which mutants each reaches, and whether it catches one of them.
//!
//! Invariant: a limit counts the processor's time of the test, not the time on the wall, so that a busy machine ends no
//! test. A golden digest or a snapshot catches nothing: insta passes every snapshot, and the tests that are such a
//! comparison are left out.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

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
/// Limit of a test without a mutant, in seconds of the processor.
const LONGEST_TEST: u64 = 3600;

/// Limits of time (seconds), memory (KiB) and core files, before the test takes the place of the shell.
const LIMITED: &str = "ulimit -c 0; ulimit -t \"$0\"; ulimit -v 6291456 2>/dev/null; exec \"$@\"";

/// A test and the mutants that it reaches.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    program: TestProgram,
    name: String,
    /// Time on the wall without a mutant.
    pub(crate) seconds: f64,
    reached: Vec<u32>,
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
        let number = mutant.unwrap_or(0).to_string();
        self.run(limit, ("MUTANT", number.as_ref()))
    }

    fn run(&self, limit: u64, (variable, value): (&str, &std::ffi::OsStr)) -> Result<Verdict, String> {
        let status = Command::new("sh")
            .args(["-c", LIMITED, &limit.to_string()])
            .arg(&self.program.path)
            .args([&self.name, "--exact", "--test-threads=1"])
            .current_dir(&self.program.folder)
            .env("CARGO_MANIFEST_DIR", &self.program.folder)
            .env("INSTA_WORKSPACE_ROOT", &self.program.folder)
            .envs(VARIABLES)
            .env(variable, value)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map_err(|cause| format!("cannot start {}: {cause}", self.program.path.display()))?;
        Ok(match status.signal() {
            Some(_) => Verdict::Endless,
            None if status.success() => Verdict::Passed,
            None => Verdict::Failed,
        })
    }
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
            let mut test =
                Test { program: (*program).clone(), name: name.clone(), seconds: 0.0, reached: Vec::new() };
            let trace = folder.join(format!("{at}.trace"));
            let _ = fs::remove_file(&trace);
            let start = Instant::now();
            let verdict = test.run(LONGEST_TEST, ("MUTANT_TRACE", trace.as_ref()))?;
            test.seconds = start.elapsed().as_secs_f64();
            if verdict != Verdict::Passed {
                return Err(format!("{} fails without a mutant", test.title()));
            }
            let reached = fs::read_to_string(&trace).unwrap_or_default();
            test.reached = reached.lines().filter_map(|line| line.parse().ok()).collect();
            test.reached.sort_unstable();
            Ok(test)
        })?;
        tests.sort_by(|a, b| a.seconds.total_cmp(&b.seconds).then_with(|| a.title().cmp(&b.title())));
        Ok(Self { tests })
    }

    /// Returns the tests that reach a mutant, fastest first.
    pub(crate) fn reaching(&self, mutant: u32) -> impl Iterator<Item = &Test> {
        self.tests.iter().filter(move |test| test.reached.binary_search(&mutant).is_ok())
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
