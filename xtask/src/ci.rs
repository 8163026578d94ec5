//! `cargo xtask ci`: every check that a change must pass, cheapest first, tests last.
//!
//! `--fast` is for daily work: format, house rules, and lints and tests of the crates that the change concerns.
//!
//! Invariant: the steps are data. Continuous integration runs this verb, so that a check that fails there
//! fails here too.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use crate::cargo::{cargo, finish};
use crate::{changed, ci_all, counts, docs_figures, lints, tables, tidy};

struct Step {
    name: &'static str,
    work: Work,
    /// Remedy for a failure.
    on_failure: &'static str,
}

enum Work {
    /// Arguments for cargo, and variables of its environment.
    Cargo(&'static [&'static str], &'static [(&'static str, &'static str)]),
    /// A verb of this program, and its arguments.
    Chore(fn(&[OsString]) -> ExitCode, &'static [&'static str]),
}

impl Work {
    /// Does the work, and returns its status.
    fn status(&self) -> ExitCode {
        match self {
            Self::Chore(chore, arguments) => chore(&arguments.iter().map(OsString::from).collect::<Vec<_>>()),
            Self::Cargo(arguments, variables) => {
                let mut command = cargo(arguments);
                command.envs(variables.iter().copied());
                finish(command)
            }
        }
    }
}

const STEPS: &[Step] = &[
    Step {
        name: "format",
        work: Work::Cargo(&["fmt", "--all", "--check"], &[]),
        on_failure: "the code is not formatted: run `cargo fmt --all`",
    },
    Step {
        name: "tidy",
        work: Work::Chore(tidy::run, &[]),
        on_failure: "a house rule is violated: each line above ends with the remedy",
    },
    Step { name: "lints", work: Work::Chore(lints::run, &[]), on_failure: LINTS_FAILED },
    Step {
        name: "documentation",
        work: Work::Cargo(
            &["doc", "--workspace", "--no-deps", "--locked"],
            &[("RUSTDOCFLAGS", "--deny warnings")],
        ),
        on_failure: "the documentation does not build: a link or an example is broken",
    },
    Step {
        name: "claims",
        work: Work::Cargo(
            &[
                "run",
                "--release",
                "--quiet",
                "--locked",
                "--package",
                "backwater",
                "--",
                "repro",
                "--teeth",
                "--force",
                "--out",
                RESULTS,
            ],
            &[],
        ),
        on_failure: "a paper's figure is no longer reproduced: a line of the table says FAIL. If the change is right, mark \
                     the claim `status: Failing(\"reason\")` with the range `measured` in fixtures/claims, and record that in \
                     CHANGELOG.md. Or a claim holds under a run of `fails_under`: it says nothing, so ask something else",
    },
    Step {
        name: "tables",
        work: Work::Chore(tables::run, &["--check", "--results", RESULTS]),
        on_failure: "a page has a table that this version does not give: run `cargo xtask tables`, read the diff, and say in \
                     CHANGELOG.md why it changed",
    },
    Step {
        name: "counts",
        work: Work::Chore(counts::run, &[]),
        on_failure: "the simulator takes more instructions for the same work: find the place (docs/lab/profile.md), or, if \
                     the cost is justified, run `cargo xtask counts --record`, and give the reason in the commit message",
    },
    Step {
        name: "docs-figures",
        work: Work::Chore(docs_figures::run, &["--check"]),
        on_failure: "a page shows a result that this version does not give: run `cargo xtask docs-figures`, look at \
                     each figure that changed, and say in CHANGELOG.md why it did",
    },
    // The tests come last: their closing lines end the standard output.
    Step {
        name: "tests",
        work: Work::Cargo(&["test", "--workspace", "--locked"], &[]),
        on_failure: TESTS_FAILED,
    },
];

/// Folder in which the claims leave the tables of their papers.
const RESULTS: &str = "target/claims";

const LINTS_FAILED: &str = "the compiler or clippy objects: correct the code, or write `#[expect(LINT, reason = \"...\")]` where the \
                            lint is wrong. A cast to `usize` would cut numbers where pointers have 32 bits, as in the browser: cast to \
                            a type of that width first, or use `try_from`";
const TESTS_FAILED: &str =
    "a test fails: if a snapshot changed on purpose, run `cargo xtask bless` and read the diff";

/// A step that a run leaves out, and the option that says so.
const WITHOUT_COUNTS: &str = "--without-counts";

/// Runs the steps in order, up to the first failure; with `--all` or `--fast`, others.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    match arguments.split_first() {
        None => run_steps(STEPS, false),
        Some((first, rest)) if first == "--all" => ci_all::run(rest),
        Some((first, rest)) if first == "--fast" => fast(rest),
        Some((first, [])) if first == WITHOUT_COUNTS => run_steps(STEPS, true),
        Some(_) => {
            eprintln!(
                "error: `cargo xtask ci` takes `--all`, `--fast [--base REVISION]` or `{WITHOUT_COUNTS}`, and nothing else"
            );
            ExitCode::from(2)
        }
    }
}

/// Runs the steps, but for the counts of instructions if these are left out.
fn run_steps(steps: &[Step], without_counts: bool) -> ExitCode {
    let mut passed = Vec::new();
    for (number, Step { name, work, on_failure }) in steps.iter().enumerate() {
        let number = format!("ci {}/{}: {name}", number + 1, steps.len());
        if without_counts && *name == "counts" {
            eprintln!("{number} LEFT OUT, as `{WITHOUT_COUNTS}` asks");
            passed.push("counts left out");
            continue;
        }
        if *name == "tests" {
            // The tests' own closing lines end the output.
            eprintln!("ci: {}", passed.join(", "));
        }
        eprintln!("{number}");
        let start = Instant::now();
        let status = work.status();
        let seconds = start.elapsed().as_secs_f64();
        if status != ExitCode::SUCCESS {
            eprintln!("{number} FAILED after {seconds:.1} s\n{on_failure}");
            return status;
        }
        eprintln!("{number} passed in {seconds:.1} s");
        passed.push(name);
    }
    eprintln!(
        "ci: all {} steps passed, {}",
        steps.len(),
        if without_counts { "counts left out" } else { "counts among them" }
    );
    ExitCode::SUCCESS
}

/// Runs format and house rules, and lints and tests of the packages that the change concerns.
fn fast(arguments: &[OsString]) -> ExitCode {
    let base = match arguments {
        [] => None,
        [option, base] if option == "--base" => base.to_str(),
        _ => {
            eprintln!("error: `cargo xtask ci --fast` takes `--base REVISION` and nothing else");
            return ExitCode::from(2);
        }
    };
    let packages = match changed::packages(base) {
        Ok(packages) => packages,
        Err(fault) => {
            eprintln!("error: the changed files are not known: {fault}");
            return ExitCode::FAILURE;
        }
    };
    let cheap = STEPS.iter().filter(|step| ["format", "tidy"].contains(&step.name));
    for Step { name, work, on_failure } in cheap {
        let status = work.status();
        if status != ExitCode::SUCCESS {
            eprintln!("ci --fast: {name} FAILED\n{on_failure}");
            return status;
        }
    }
    if packages.is_empty() {
        eprintln!("ci --fast: format and house rules passed; the change concerns no crate");
        return ExitCode::SUCCESS;
    }
    eprintln!("ci --fast: lints and tests of {}", packages.join(", "));
    let chosen: Vec<OsString> = packages.iter().flat_map(|name| ["--package".into(), name.into()]).collect();
    let status = lints::run(&chosen);
    if status != ExitCode::SUCCESS {
        eprintln!("ci --fast: lints FAILED\n{LINTS_FAILED}");
        return status;
    }
    let mut tests = cargo(&["test", "--locked"]);
    tests.args(&chosen);
    let status = finish(tests);
    if status != ExitCode::SUCCESS {
        eprintln!("ci --fast: tests FAILED\n{TESTS_FAILED}");
    }
    status
}
