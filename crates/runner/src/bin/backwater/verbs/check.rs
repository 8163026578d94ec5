//! `check`: a scenario without its run.

use backwater::wording;
use clap::Args;

use crate::failure::Failure;
use crate::terminal::print;
use crate::threads::ThreadOptions;

#[derive(Args, Debug)]
pub(crate) struct CheckOptions {
    /// File, or name of a shipped scenario.
    scenario: String,
    /// Override of a field: `--set congestion_control=Off`, `--set 'duration=1 s'`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    threads: ThreadOptions,
}

/// Checks the scenario and describes it.
pub(crate) fn run(options: &CheckOptions) -> Result<(), Failure> {
    let plan = experiment::plan(&options.scenario, &options.set, None)?;
    print(&(wording::description(&plan) + &options.threads.description(&plan).unwrap_or_default()));
    Ok(())
}
