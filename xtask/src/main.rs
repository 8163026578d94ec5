//! `cargo xtask VERB [ARGS]`: simulations and chores, by one door.
//!
//! Invariant: this file only routes. A simulation verb goes to a release build of `backwater`
//! untouched, and its exit status comes back untouched; a chore has a module of its own. Nothing
//! here knows a type of the simulator. A test holds the simulation verbs to those that the program has.
//!
//! `.cargo/config.toml` builds it without the feature `chores`: a first `cargo xtask sim` then compiles none of the chores, nor the crates
//! that they need. A chore has it built again with the feature, which is on by default.
//!
//! | status | means |
//! |---|---|
//! | 0 | done |
//! | 1 | a check failed, or a command could not be run |
//! | 2 | the command line was not understood |
//! | any other | the status of the command that was run |

mod cargo;
mod help;
mod simulate;

#[cfg(feature = "chores")]
mod bless;
#[cfg(feature = "chores")]
mod book;
#[cfg(feature = "chores")]
mod captures;
#[cfg(feature = "chores")]
mod changed;
#[cfg(feature = "chores")]
mod ci;
#[cfg(feature = "chores")]
mod ci_all;
#[cfg(feature = "chores")]
mod counts;
#[cfg(feature = "chores")]
mod data;
#[cfg(feature = "chores")]
mod deny;
#[cfg(feature = "chores")]
mod dist;
#[cfg(feature = "chores")]
mod docs_figures;
#[cfg(feature = "chores")]
mod lints;
#[cfg(feature = "chores")]
mod mpi;
#[cfg(feature = "chores")]
mod mutants;
#[cfg(feature = "chores")]
mod narrow;
#[cfg(feature = "chores")]
mod nightly;
#[cfg(feature = "chores")]
mod numbers;
#[cfg(feature = "chores")]
mod opensm;
#[cfg(feature = "chores")]
mod pages;
#[cfg(feature = "chores")]
mod parallel;
#[cfg(feature = "chores")]
mod profile_guided;
#[cfg(feature = "chores")]
mod races;
#[cfg(feature = "chores")]
mod readers;
#[cfg(feature = "chores")]
mod slurm;
#[cfg(feature = "chores")]
mod tables;
#[cfg(feature = "chores")]
mod test;
#[cfg(feature = "chores")]
mod tidy;
#[cfg(feature = "chores")]
mod timelines;
#[cfg(feature = "chores")]
mod web;
#[cfg(feature = "chores")]
mod workflows;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

/// A verb of the command line.
struct Verb {
    name: &'static str,
    about: &'static str,
    task: Task,
}

enum Task {
    /// `backwater` with the verb and its arguments.
    Simulate,
    /// A chore of the repository with its arguments.
    Chore(fn(&[OsString]) -> ExitCode),
}

/// A chore that this build has.
#[cfg(feature = "chores")]
macro_rules! chore {
    ($run:path) => {
        Task::Chore($run)
    };
}

/// A chore that this build leaves to another with the feature `chores`.
#[cfg(not(feature = "chores"))]
macro_rules! chore {
    ($run:path) => {
        Task::Chore(by_build_with_chores)
    };
}

const VERBS: &[Verb] = &[
    Verb { name: "sim", about: "run a scenario", task: Task::Simulate },
    Verb { name: "compare", about: "run scenarios side by side", task: Task::Simulate },
    Verb {
        name: "capture",
        about: "run a scenario, and write packets at chosen ports for Wireshark",
        task: Task::Simulate,
    },
    Verb {
        name: "trace",
        about: "run a scenario, and write ports and flows over time for Perfetto",
        task: Task::Simulate,
    },
    Verb {
        name: "eval",
        about: "print measures of a run with parameters from a file or a pipe",
        task: Task::Simulate,
    },
    Verb {
        name: "sweep",
        about: "run a scenario with many settings and seeds, into one table",
        task: Task::Simulate,
    },
    Verb { name: "place", about: "try placements of a job, and say what each costs", task: Task::Simulate },
    Verb { name: "tune", about: "search a space of settings for the best ones", task: Task::Simulate },
    Verb { name: "rerun", about: "repeat a run from its folder, and compare", task: Task::Simulate },
    Verb { name: "list", about: "list the scenarios that ship", task: Task::Simulate },
    Verb { name: "check", about: "check a scenario without running it", task: Task::Simulate },
    Verb { name: "new", about: "write a commented scenario file to begin with", task: Task::Simulate },
    Verb { name: "show", about: "print the text of a shipped scenario", task: Task::Simulate },
    Verb {
        name: "fields",
        about: "print a field of the scenario file, with every choice",
        task: Task::Simulate,
    },
    Verb { name: "repro", about: "check the claims of papers, one by one", task: Task::Simulate },
    Verb {
        name: "cite",
        about: "print BibTeX of the program, papers and models of runs",
        task: Task::Simulate,
    },
    Verb { name: "report", about: "make one page of a result folder", task: Task::Simulate },
    Verb { name: "figure", about: "draw figures from a result folder", task: Task::Simulate },
    Verb {
        name: "figures",
        about: "list the figures that can be drawn from a result folder",
        task: Task::Simulate,
    },
    Verb {
        name: "guideline",
        about: "print proposed parameters of congestion control",
        task: Task::Simulate,
    },
    Verb {
        name: "schema",
        about: "print the columns, fields and types of a run's files",
        task: Task::Simulate,
    },
    Verb {
        name: "import",
        about: "make a scenario from files of a cluster or another simulator",
        task: Task::Simulate,
    },
    Verb { name: "export", about: "write files for a cluster's own tools", task: Task::Simulate },
    Verb { name: "headroom", about: "print the headroom that PFC needs", task: Task::Simulate },
    Verb {
        name: "thresholds",
        about: "print the thresholds of PFC and ECN that a memory allows",
        task: Task::Simulate,
    },
    Verb { name: "bench", about: "measure packet-hops a second of whole runs", task: Task::Simulate },
    Verb { name: "test", about: "run all tests; arguments go to cargo test", task: chore!(test::run) },
    Verb {
        name: "tidy",
        about: "check layers, circles, links, prose and house rules",
        task: chore!(tidy::run),
    },
    Verb {
        name: "lints",
        about: "ask the compiler and clippy, also for casts that 32 bits would cut; `-p CRATE` chooses",
        task: chore!(lints::run),
    },
    Verb {
        name: "ci",
        about: "run every check of a change; with --all every verb that tries a real tool, in an hour (`apt-get update` first)",
        task: chore!(ci::run),
    },
    Verb {
        name: "counts",
        about: "count instructions of small cases (valgrind), against docs/instructions.json; --record writes it",
        task: chore!(counts::run),
    },
    Verb {
        name: "deny",
        about: "check licences, bans and sources of all dependencies (cargo-deny); --advisories fetches known faults",
        task: chore!(deny::run),
    },
    Verb {
        name: "test-workflows",
        about: "let zizmor judge the workflows of .github",
        task: chore!(workflows::run),
    },
    Verb {
        name: "mutants",
        about: "put faults into the code one by one, each of which a test must catch (cargo-mutants)",
        task: chore!(mutants::run),
    },
    Verb {
        name: "docs-figures",
        about: "draw the figures of README.md and the book anew; --check compares",
        task: chore!(docs_figures::run),
    },
    Verb {
        name: "tables",
        about: "write the tables of results of the book; --check compares, --results DIR reads what repro has written",
        task: chore!(tables::run),
    },
    Verb {
        name: "numbers",
        about: "write the speeds of README.md and the book from docs/bench.json; --check compares",
        task: chore!(numbers::run),
    },
    Verb {
        name: "test-readers",
        about: "read results with polars, pandas and DuckDB (python3 with these)",
        task: chore!(readers::run),
    },
    Verb {
        name: "test-data",
        about: "compare Parquet with CSV, run the questions of docs/data.md and Optuna (python3 with polars, DuckDB, optuna)",
        task: chore!(data::run),
    },
    Verb {
        name: "test-captures",
        about: "dissect captures of packets with tshark, and compare counts",
        task: chore!(captures::run),
    },
    Verb {
        name: "test-timelines",
        about: "read traces with Perfetto's description of its format (python3 with perfetto and protobuf)",
        task: chore!(timelines::run),
    },
    Verb {
        name: "test-parallel",
        about: "try every order in which the threads of a run may meet (loom); arguments go to cargo test",
        task: chore!(parallel::run),
    },
    Verb {
        name: "test-races",
        about: "look for data races where the threads of a run meet (Miri and ThreadSanitizer of a nightly toolchain)",
        task: chore!(races::run),
    },
    Verb {
        name: "test-32-bit",
        about: "run tests of counts and layouts with pointers of 32 bits (Miri of a nightly toolchain)",
        task: chore!(narrow::run),
    },
    Verb {
        name: "test-mpi",
        about: "run 1 to 4 processes under a real MPI (openmpi-bin, libopenmpi-dev, libclang-dev), and compare with one",
        task: chore!(mpi::run),
    },
    Verb {
        name: "test-slurm",
        about: "run a sweep as a job array of a real Slurm (slurm-wlm and munge), and compare",
        task: chore!(slurm::run),
    },
    Verb {
        name: "test-opensm",
        about: "let ibsim, OpenSM, ibnetdiscover and ibdmchk judge imports and exports (Debian's packages); --only FABRIC",
        task: chore!(opensm::run),
    },
    Verb {
        name: "test-report",
        about: "try the pages of results in headless Chromium (Node.js with playwright-core)",
        task: chore!(pages::run),
    },
    Verb {
        name: "web",
        about: "build the playground: the simulator in a page (a compiler for wasm32-unknown-unknown, Node.js)",
        task: chore!(web::run),
    },
    Verb {
        name: "test-web",
        about: "try the playground in headless Chromium, against the native program",
        task: chore!(web::run_test),
    },
    Verb { name: "book", about: "build docs/ as a book (mdBook)", task: chore!(book::run) },
    Verb {
        name: "dist",
        about: "pack the program for a release, optimised by a profile of runs (rustup component llvm-tools)",
        task: chore!(dist::run),
    },
    Verb {
        name: "bless",
        about: "accept the present output of the tests as snapshots",
        task: chore!(bless::run),
    },
    Verb { name: "help", about: "print this list", task: chore!(help::run) },
];

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    let Some(name) = arguments.next() else {
        return help::run(&[]);
    };
    let rest: Vec<OsString> = arguments.collect();
    match VERBS.iter().find(|verb| name == verb.name) {
        Some(Verb { name, task: Task::Simulate, .. }) => simulate::run(name, &rest),
        Some(Verb { task: Task::Chore(run), .. }) => run(&rest),
        None if name == "--help" || name == "-h" => help::run(&rest),
        #[cfg(feature = "chores")]
        None => help::unknown(&name.to_string_lossy()),
        #[cfg(not(feature = "chores"))]
        None => by_build_with_chores(&rest),
    }
}

/// Builds this program with the feature `chores`, and replaces this process by it.
#[cfg(not(feature = "chores"))]
fn by_build_with_chores(_: &[OsString]) -> ExitCode {
    let mut command = cargo::cargo(&["run", "--quiet", "--package", "xtask", "--"]);
    command.args(env::args_os().skip(1)).stdin(std::process::Stdio::inherit());
    simulate::become_it(&mut command)
}

#[cfg(all(test, feature = "chores"))]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    #[test]
    fn every_verb_of_the_program_is_passed_on() {
        let path = cargo::root().join("crates/runner/src/bin/backwater/cli.rs");
        let text = fs::read_to_string(path).expect("the program's verbs stand in this file");
        let (_, variants) = text.split_once("enum Verb {\n").expect("the program's verbs are an enum");
        let (variants, _) = variants.split_once("\n}").expect("the enum ends");
        let program: BTreeSet<String> = variants.lines().filter_map(verb).collect();
        let passed_on: BTreeSet<String> = VERBS
            .iter()
            .filter(|verb| matches!(verb.task, Task::Simulate))
            .map(|verb| verb.name.to_owned())
            .collect();
        assert_eq!(passed_on, program);
        let names: BTreeSet<&str> = VERBS.iter().map(|verb| verb.name).collect();
        assert_eq!(names.len(), VERBS.len(), "a chore has the name of another verb");
    }

    /// Returns the verb of a line that names a variant, as clap spells it.
    fn verb(line: &str) -> Option<String> {
        let variant = line.strip_prefix("    ").filter(|name| name.starts_with(char::is_uppercase))?;
        let name = variant.split(|letter: char| !letter.is_alphanumeric()).next()?;
        let mut spelled = String::new();
        for letter in name.chars() {
            if letter.is_uppercase() && !spelled.is_empty() {
                spelled.push('-');
            }
            spelled.extend(letter.to_lowercase());
        }
        Some(spelled)
    }
}
