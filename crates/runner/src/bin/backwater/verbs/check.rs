//! `check`: a scenario without its run.

mod cables;

use std::path::PathBuf;

use backwater::wording;
use clap::Args;

use crate::failure::Failure;
use crate::new_file;
use crate::overrides::SetOptions;
use crate::terminal::print;
use crate::threads::ThreadOptions;

#[derive(Args, Debug)]
pub(crate) struct CheckOptions {
    /// File, or name of a shipped scenario.
    scenario: String,
    #[command(flatten)]
    overrides: SetOptions,
    /// Print the load of cables instead, by paths alone and worst first: for each direction the pairs of hosts and the
    /// flows that take it. `--cables=FILE` writes all of them as CSV as well.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    #[expect(clippy::option_option, reason = "the option may be given without its value")]
    cables: Option<Option<PathBuf>>,
    /// Overwrite the file of `--cables` if it is there.
    #[arg(long, requires = "cables")]
    force: bool,
    #[command(flatten)]
    threads: ThreadOptions,
}

/// Checks the scenario and describes it.
pub(crate) fn run(options: &CheckOptions) -> Result<(), Failure> {
    let plan = experiment::plan(&options.scenario, &options.overrides.set, None)?;
    let Some(file) = &options.cables else {
        print(&(wording::description(&plan) + &options.threads.description(&plan).unwrap_or_default()));
        return Ok(());
    };
    let plan = cables::with_all_flows(&options.scenario, &options.overrides.set, plan);
    let loads = cables::Loads::of(&plan);
    if let Some(file) = file {
        new_file::write(file, loads.csv(), options.force)?;
    }
    print(&loads.printed());
    Ok(())
}
