//! `cargo xtask VERB [ARGS]`: simulations and chores, by one door.
//!
//! Invariant: this file only routes. A simulation verb goes to a release build of `backwater`
//! untouched, and its exit status comes back untouched; a chore has a module of its own. Nothing
//! here knows a type of the simulator.
//!
//! | status | means |
//! |---|---|
//! | 0 | done |
//! | 1 | a check failed, or a command could not be run |
//! | 2 | the command line was not understood |
//! | any other | the status of what was run |

mod bless;
mod book;
mod cargo;
mod ci;
mod counts;
mod dist;
mod figures;
mod help;
mod simulate;
mod test;
mod tidy;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

/// Something to do by name.
struct Verb {
    name: &'static str,
    about: &'static str,
    task: Task,
}

enum Task {
    /// Run `backwater` with the verb and its arguments.
    Simulate,
    /// Run a chore with its arguments.
    Chore(fn(&[OsString]) -> ExitCode),
}

const VERBS: &[Verb] = &[
    Verb { name: "sim", about: "run a scenario", task: Task::Simulate },
    Verb { name: "compare", about: "run scenarios side by side", task: Task::Simulate },
    Verb { name: "list", about: "list the scenarios that ship", task: Task::Simulate },
    Verb { name: "check", about: "check a scenario without running it", task: Task::Simulate },
    Verb { name: "repro", about: "hold results against what a paper reports", task: Task::Simulate },
    Verb {
        name: "guideline",
        about: "print proposed parameters of congestion control",
        task: Task::Simulate,
    },
    Verb { name: "import", about: "make a scenario of another simulator's files", task: Task::Simulate },
    Verb { name: "headroom", about: "print what PFC needs beyond its threshold", task: Task::Simulate },
    Verb { name: "thresholds", about: "print what thresholds of PFC and ECN can be", task: Task::Simulate },
    Verb { name: "bench", about: "measure packet-hops a second of whole runs", task: Task::Simulate },
    Verb { name: "test", about: "run all tests; arguments go to cargo test", task: Task::Chore(test::run) },
    Verb { name: "tidy", about: "check layers, links and house rules", task: Task::Chore(tidy::run) },
    Verb { name: "ci", about: "run every check that a change must pass", task: Task::Chore(ci::run) },
    Verb {
        name: "counts",
        about: "count instructions of small cases (valgrind), against docs/instructions.json; --record writes it",
        task: Task::Chore(counts::run),
    },
    Verb {
        name: "figures",
        about: "draw the figures of README.md and the book anew; --check compares",
        task: Task::Chore(figures::run),
    },
    Verb { name: "book", about: "build docs/ as a book (mdBook)", task: Task::Chore(book::run) },
    Verb { name: "dist", about: "pack the program for a release", task: Task::Chore(dist::run) },
    Verb { name: "bless", about: "accept the snapshots as they now are", task: Task::Chore(bless::run) },
    Verb { name: "help", about: "print this list", task: Task::Chore(help::run) },
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
        None => help::unknown(&name.to_string_lossy()),
    }
}
