//! `check`: a scenario without its run.

use backwater::wording;
use clap::Args;

use crate::failure::Failure;
use crate::overrides::SetOptions;
use crate::terminal::print;
use crate::threads::ThreadOptions;

#[derive(Args, Debug)]
pub(crate) struct CheckOptions {
    /// File, or name of a shipped scenario.
    scenario: String,
    #[command(flatten)]
    overrides: SetOptions,
    #[command(flatten)]
    threads: ThreadOptions,
}

/// Checks the scenario and describes it.
pub(crate) fn run(options: &CheckOptions) -> Result<(), Failure> {
    let plan = experiment::plan(&options.scenario, &options.overrides.set, None)?;
    print(&(wording::description(&plan) + &options.threads.description(&plan).unwrap_or_default()));
    Ok(())
}
