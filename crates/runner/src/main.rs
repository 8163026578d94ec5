//! The command line: simulate, check, list, reproduce, bench.
//!
//! Invariant: this crate only routes. What is simulated, computed or drawn is another crate's; here
//! stand the words on the command line, the exit status, and what a run cost.
//!
//! | module | holds |
//! |---|---|
//! | `cli` | the verbs and their options |
//! | `failure` | what can go wrong, and the exit status for it |
//! | `engine` | from a scenario's name to the outcome of its run |
//! | `sim`, `compare`, `list`, `check`, `repro`, `guideline`, `headroom`, `thresholds`, `import`, `bench` | a verb each |
//! | `progress` | the bar on a terminal |
//! | `resources` | processor time and memory, as the system counts them |

mod bench;
mod check;
mod cli;
mod compare;
mod engine;
mod failure;
mod guideline;
mod headroom;
mod import;
mod list;
mod progress;
mod repro;
mod resources;
mod sim;
mod thresholds;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, ImportFrom, Verb};

fn main() -> ExitCode {
    let outcome = match Cli::parse().verb {
        Verb::Sim(options) => sim::run(&options),
        Verb::Compare(options) => compare::run(&options),
        Verb::List => {
            list::run();
            Ok(())
        }
        Verb::Check { scenario, set } => check::run(&scenario, &set),
        Verb::Repro(options) => repro::run(&options),
        Verb::Guideline(options) => guideline::run(options),
        Verb::Headroom(options) => headroom::run(options),
        Verb::Thresholds(options) => thresholds::run(options),
        Verb::Import { from: ImportFrom::Hpcc(options) } => import::hpcc(&options),
        Verb::Bench(options) => bench::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{}", failure.message(io::stderr().is_terminal()).trim_end());
            failure.status()
        }
    }
}

/// Prints to standard output. That its reader has gone away (`backwater list | head -1`) is no fault.
fn print(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
}
