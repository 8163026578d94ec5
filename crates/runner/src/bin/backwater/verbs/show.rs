//! `show`: the text of a scenario.

use clap::Args;
use scenario::ScenarioText;

use crate::failure::Failure;
use crate::terminal::print_exactly;

#[derive(Args, Debug)]
pub(crate) struct ShowOptions {
    /// Name of a shipped scenario, or a file.
    scenario: String,
}

/// Prints the text with its comments, as it is.
pub(crate) fn run(options: &ShowOptions) -> Result<(), Failure> {
    print_exactly(ScenarioText::find(&options.scenario)?.text());
    Ok(())
}
