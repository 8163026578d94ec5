//! What can go wrong, and the exit status for it.

use std::process::ExitCode;

use fabric::{Deadlock, RunError, Violation};
use link_layer::HeadroomExceedsMemory;
use report::OutputError;
use units::Rate;

use crate::repro::Missing;

/// Why a verb did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The scenario is wrong; the message says where, and what would be right.
    #[error("{0}")]
    Scenario(#[from] scenario::Diagnostic),
    /// The output folder cannot be written to.
    #[error("error: {0}\nhelp: choose another folder with `--out DIR`")]
    Output(#[from] OutputError),
    /// There is no such paper.
    #[error("error: there are no claims of a paper `{given}`\nhelp: {help}")]
    UnknownPaper { given: String, help: String },
    /// A hot spot of more hosts than there are.
    #[error(
        "error: a hot spot cannot have {degree} sources in a network of {ports} ports\nhelp: write a `--hotspot-degree` of 1 to {ports}"
    )]
    HotspotDegree { degree: u32, ports: u32 },
    /// How long a sender may take to react is not known at this rate.
    #[error(
        "error: at {0} it is not known how long a sender may go on after a PAUSE\nhelp: say so with `--reaction TIME` or `--reaction-quanta N`"
    )]
    UnknownReaction(Rate),
    /// Headroom takes all memory.
    #[error("error: {0}\nhelp: write a larger `--memory`, or fewer `--ports` or `--priorities`")]
    HeadroomExceedsMemory(#[from] HeadroomExceedsMemory),
    /// Completion times are asked for, and not kept.
    #[error(
        "error: there are no completion times for `--fct-txt`\nhelp: leave out `completions: NotKept`, or `--set completions=Kept`"
    )]
    NoCompletions,
    /// A file that is to be imported cannot be read.
    #[error("error: `{file}` cannot be read: {cause}")]
    Unreadable { file: String, cause: std::io::Error },
    /// What an earlier bench is said to have printed cannot be read.
    #[error("error: {path}: {what}\nhelp: name a file that holds what `bench --json` printed")]
    Record { path: String, what: String },
    /// A claims file asks for what a run does not have.
    #[error("error: {0}")]
    Claims(#[from] Missing),
    /// A case of the bench could not be run in a process of its own.
    #[error("error: case {case} could not be run: {what}")]
    Case { case: &'static str, what: String, status: Option<i32> },
    /// Claims of a paper failed; the table has said which.
    #[error("error: {0} of the claims failed")]
    ClaimsFailed(usize),
    /// The simulator broke one of its own promises: a bug.
    #[error(
        "error: broken invariant: {0}\nThis is a bug of the simulator: please report it, with the scenario."
    )]
    Broken(Violation),
    /// The scenario's routes let packets wait for each other, and they do.
    #[error(
        "error: deadlock: {0}\nhelp: choose a `routing` whose channels have no cycle, or more lanes for one; without \
         `dependency_cycles: Allowed` such routes are refused before a run"
    )]
    Deadlock(Deadlock),
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Violation(violation) => Self::Broken(violation),
            RunError::Deadlock(deadlock) => Self::Deadlock(deadlock),
        }
    }
}

impl Failure {
    /// What is said of it, in colours if they can be seen.
    pub(crate) fn message(&self, colours: bool) -> String {
        match self {
            Self::Scenario(diagnostic) => diagnostic.render(colours),
            other => other.to_string(),
        }
    }

    /// The status to exit with.
    pub(crate) fn status(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::ClaimsFailed(_) => 1,
            Self::Broken(_) | Self::Case { status: Some(3), .. } => 3,
            Self::Deadlock(_) | Self::Case { status: Some(4), .. } => 4,
            _ => 2,
        })
    }
}
