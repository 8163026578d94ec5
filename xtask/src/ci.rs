//! `cargo xtask ci`: every check that a change must pass, cheapest first, tests last.
//!
//! Invariant: the steps are data. Continuous integration runs this verb, so that a check that fails there
//! fails here too.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use crate::cargo::{cargo, finish};
use crate::{casts, ci_all, counts, figures, help, tidy};

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
    Step {
        name: "lints",
        work: Work::Cargo(
            &["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"],
            &[],
        ),
        on_failure: "the compiler or clippy objects: correct the code, or write `#[expect(LINT, reason = \"...\")]` where the lint is wrong",
    },
    Step {
        name: "casts",
        work: Work::Chore(casts::run, &[]),
        on_failure: "a cast would cut numbers where pointers have 32 bits, as in the browser: cast to a type of that width first, \
                     or use `try_from`",
    },
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
            &["run", "--release", "--quiet", "--locked", "--package", "backwater", "--", "repro", "--teeth"],
            &[],
        ),
        on_failure: "a paper's figure is no longer reproduced: a line of the table says FAIL. If the change is right, mark \
                     the claim `status: Failing(\"reason\")` with the range `measured` in fixtures/claims, and record that in \
                     CHANGELOG.md. Or a claim holds under a run of `fails_under`: it says nothing, so ask something else",
    },
    Step {
        name: "counts",
        work: Work::Chore(counts::run, &[]),
        on_failure: "the simulator takes more instructions for the same work: find the place (docs/lab/profile.md), or, if \
                     the cost is justified, run `cargo xtask counts --record`, and give the reason in the commit message",
    },
    Step {
        name: "figures",
        work: Work::Chore(figures::run, &["--check"]),
        on_failure: "a page shows a result that this version does not give: run `cargo xtask figures`, look at each \
                     figure that changed, and say in CHANGELOG.md why it did",
    },
    // The tests come last: their closing lines end the standard output.
    Step {
        name: "tests",
        work: Work::Cargo(&["test", "--workspace", "--locked"], &[]),
        on_failure: "a test fails: if a snapshot changed on purpose, run `cargo xtask bless` and read the diff",
    },
];

/// Runs the steps in order, up to the first failure.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    if let Some((_, rest)) = arguments.split_first().filter(|(first, _)| *first == "--all") {
        return ci_all::run(rest);
    }
    if let Some(refused) = help::refused("ci", arguments) {
        return refused;
    }
    for (number, Step { name, work, on_failure }) in STEPS.iter().enumerate() {
        eprintln!("ci {}/{}: {name}", number + 1, STEPS.len());
        let start = Instant::now();
        let status = match work {
            Work::Chore(chore, arguments) => chore(&arguments.iter().map(OsString::from).collect::<Vec<_>>()),
            Work::Cargo(arguments, variables) => {
                let mut command = cargo(arguments);
                command.envs(variables.iter().copied());
                finish(command)
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        if status != ExitCode::SUCCESS {
            eprintln!("ci {}/{}: {name} FAILED after {seconds:.1} s\n{on_failure}", number + 1, STEPS.len());
            return status;
        }
        eprintln!("ci {}/{}: {name} passed in {seconds:.1} s", number + 1, STEPS.len());
    }
    ExitCode::SUCCESS
}
