//! The command `backwater`: simulates, checks, lists, reproduces, measures.
//!
//! Invariant: the command only routes. Each verb hands its options to a crate of a lower layer or to the library of
//! this package, and prints the result.
//!
//! Floors, lowest first; a module uses only modules above it in this table:
//!
//! | module | contents |
//! |---|---|
//! | `terminal`, `progress` | standard output; warnings and the progress bar on standard error |
//! | `interrupt` | signals that end the program: Ctrl-C, SIGTERM, SIGHUP |
//! | `browser` | the browser of the desktop, for pages |
//! | `arguments` | parsers of quantities on the command line |
//! | `overrides` | changes of a scenario on the command line |
//! | `memory` | the limit of memory beyond which a run is refused |
//! | `folder_name` | default names of result folders |
//! | `failure` | reasons why a verb failed, and the exit status of each |
//! | `ending` | the exit status of a run with results |
//! | `threads` | threads of a run, and its division among them |
//! | `checkpoint` | a run's state in a file, and runs that go on from it |
//! | `given_file` | texts of files that the command line names |
//! | `gzip` | files that `gzip` has compressed |
//! | `new_file` | files outside of result folders |
//! | `formats` | formats of tables |
//! | `until_done` | runs that end when their finite traffic is delivered |
//! | `message_passing` | messages between processes by MPI, in builds with it |
//! | `tuning` | runs of a tuning, and its answer as text and files |
//! | `verbs` | a module for each verb: its options and its work |
//! | `cli` | all verbs, as clap reads them |
//! | `ranks` | processes that MPI has started together |

mod arguments;
mod browser;
mod checkpoint;
mod cli;
mod ending;
mod failure;
mod files;
mod folder_name;
mod formats;
mod given_file;
mod gzip;
mod interrupt;
mod memory;
#[cfg(feature = "mpi")]
mod message_passing;
mod new_file;
mod overrides;
mod progress;
mod ranks;
mod remedy;
mod terminal;
mod threads;
mod tuning;
mod until_done;
mod verbs;

use std::process::ExitCode;

use fabric::release;
use parallel::Ranks;

use crate::cli::Verb;
use crate::failure::Failure;
use crate::ranks::Processes;
use crate::verbs::{
    bench, capture, check, cite, compare, eval, export, fields, figure, guideline, headroom, import, list,
    new, report, repro, rerun, schema, show, sim, sweep, thresholds, trace, tune,
};

fn main() -> ExitCode {
    let processes = Processes::joined();
    match processes.ranks() {
        None => match cli::parsed() {
            Ok(cli) => answered(cli.verb, None),
            Err(error) => error.exit(),
        },
        Some(ranks) if ranks.rank() == 0 => {
            let status = match cli::parsed() {
                Ok(cli) => answered(cli.verb, Some(ranks)),
                Err(error) => {
                    // Nothing more can be done if the terminal is closed.
                    let _ = error.print();
                    u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
                }
            };
            release(ranks);
            status
        }
        Some(ranks) => {
            ranks::follow_first(ranks);
            ExitCode::SUCCESS
        }
    }
}

/// Runs a verb, on several ranks if there are any, and prints why it failed. Returns the exit status.
fn answered(verb: Verb, ranks: Option<&dyn Ranks>) -> ExitCode {
    interrupt::handle();
    let outcome = ranks::checked(&verb, ranks).and_then(|()| run(verb, ranks));
    let lost = |cause| Failure::UnwritableFile { file: "standard output".to_owned(), cause };
    match outcome.and_then(|()| terminal::lost().map_or(Ok(()), |cause| Err(lost(cause)))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let colours = terminal::shows_errors();
            let message = failure.message(colours);
            if !message.is_empty() {
                terminal::fail(message.trim_end(), colours && failure.has_colours());
            }
            failure.status()
        }
    }
}

fn run(verb: Verb, ranks: Option<&dyn Ranks>) -> Result<(), Failure> {
    match verb {
        Verb::Sim(options) => sim::run(&options, ranks),
        Verb::Capture(options) => capture::run(&options),
        Verb::Compare(options) => compare::run(&options),
        Verb::Eval(options) => eval::run(&options),
        Verb::Sweep(options) => sweep::run(&options),
        Verb::Place(options) => sweep::place::run(&options),
        Verb::Rerun(options) => rerun::run(&options),
        Verb::List => {
            list::run();
            Ok(())
        }
        Verb::Show(options) => show::run(&options),
        Verb::New { fabric } => new::run(&fabric),
        Verb::Check(options) => check::run(&options),
        Verb::Cite(options) => cite::run(&options),
        Verb::Fields(options) => fields::run(&options),
        Verb::Repro(options) => repro::run(&options),
        Verb::Schema(options) => schema::run(&options),
        Verb::Figure(options) => figure::run(&options),
        Verb::Report(options) => report::run(&options),
        Verb::Figures(options) => figure::list(&options),
        Verb::Guideline(options) => guideline::run(options),
        Verb::Headroom(options) => headroom::run(&options),
        Verb::Thresholds(options) => thresholds::run(&options),
        Verb::Trace(options) => trace::run(&options),
        Verb::Tune(options) => tune::run(&options),
        Verb::Import { from } => import::run(&from),
        Verb::Export { target } => export::run(&target),
        Verb::Bench(options) => bench::run(&options),
    }
}
