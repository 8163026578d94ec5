//! The verbs and their options.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// What `sim` runs when it is not told what to.
pub(crate) const DEFAULT_SCENARIO: &str = "gran2011-scenario1";

/// Backwater simulates congestion in lossless fabrics, packet by packet.
///
/// Exit status: 0 done; 1 a claim of `repro` failed; 2 bad input; 3 a broken invariant of the simulator.
#[derive(Debug, Parser)]
#[command(name = "backwater", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run a scenario, print who got what, and write the results to a folder.
    // Clap would leave out the brackets in some errors, as if the scenario had to be given.
    #[command(override_usage = "backwater sim [OPTIONS] [SCENARIO]")]
    Sim(SimOptions),
    /// List the scenarios that ship.
    List,
    /// Check a scenario without running it, and say what it is.
    Check {
        /// A file, or the name of a shipped scenario.
        scenario: String,
        /// Set a field: `--set congestion_control=Off`, `--set 'duration=1 s'`.
        #[arg(long, value_name = "PATH=VALUE")]
        set: Vec<String>,
    },
    /// Run what a paper reports, and compare.
    Repro(ReproOptions),
    /// Print the parameters of congestion control that Pfister and others (2005) propose for a network.
    Guideline(GuidelineOptions),
    /// Measure the simulator's own speed and memory.
    Bench(BenchOptions),
}

#[derive(Args, Debug)]
pub(crate) struct SimOptions {
    /// A file, or the name of a shipped scenario (see `list`).
    #[arg(default_value = DEFAULT_SCENARIO)]
    pub(crate) scenario: String,
    /// Set a field: `--set congestion_control=Off`, `--set 'duration=1 s'`.
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
    /// Seed of the random streams, instead of the scenario's own.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Folder for the results [default: out/NAME].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// At the end silence the sources, run to quiet, and demand every packet delivered and every credit home.
    #[arg(long)]
    pub(crate) drain: bool,
    /// Print `summary.json` instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print no progress and no tables: nothing but errors, and what `--json` asks for.
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ReproOptions {
    /// The paper; every paper if left out.
    pub(crate) paper: Option<String>,
    /// Print a JSON list of claims instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
    /// Run as long as the paper did instead of a tenth of it, and with more seeds.
    #[arg(long)]
    pub(crate) full: bool,
    /// Folder for tables and figures, which go to `repro-PAPER` in it.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub(crate) out: PathBuf,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct GuidelineOptions {
    /// N: ports of the network.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) ports: u32,
    /// H: how many hosts send to a hot spot at most, 1 to N [default: N, the worst case].
    #[arg(long, value_name = "H", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) hotspot_degree: Option<u32>,
}

#[derive(Args, Debug)]
pub(crate) struct BenchOptions {
    /// The cases to run; all of them if none is named.
    #[arg(value_name = "CASE")]
    pub(crate) cases: Vec<String>,
    /// Print JSON instead of a table, to keep and compare with later: version, processor, and the cases.
    #[arg(long)]
    pub(crate) json: bool,
    /// Compare with what --json printed before: how many times as fast each case is now.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) against: Option<PathBuf>,
    /// How often each case is run; the fastest run is reported.
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,
    /// Run one case once in this process, and print what it cost: what `bench` starts for each run.
    #[arg(long, hide = true)]
    pub(crate) case: Option<String>,
    /// With --case: set a field besides what the case sets.
    #[arg(long, hide = true, requires = "case", value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
