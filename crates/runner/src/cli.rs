//! The verbs and their options.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use link_layer::Alpha;
use units::{Bytes, Length, Rate, Span, UnitError};

use crate::bench::CASES;

/// What `sim` runs when it is not told what to.
pub(crate) const DEFAULT_SCENARIO: &str = "gran2011-scenario1";

/// Backwater simulates congestion in lossless fabrics, packet by packet.
///
/// Exit status: 0 done; 1 a claim of `repro` failed; 2 bad input; 3 a broken invariant of the simulator; 4 a deadlock.
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
    /// Run several scenarios with the same random streams, and print them side by side.
    Compare(CompareOptions),
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
    /// Print the headroom that a port and priority need under PFC, term by term.
    Headroom(HeadroomOptions),
    /// Print the thresholds of PFC and ECN that a switch's memory allows.
    Thresholds(ThresholdsOptions),
    /// Make a scenario of what another simulator reads.
    Import {
        /// Whose files they are.
        #[command(subcommand)]
        from: ImportFrom,
    },
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
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// Folder for the results [default: out/NAME].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// At the end silence the sources, run to quiet, and demand every packet delivered and every credit home.
    #[arg(long)]
    pub(crate) drain: bool,
    /// Also write completion times as HPCC's simulator does: `fct.txt`.
    #[arg(long)]
    pub(crate) fct_txt: bool,
    /// Print `summary.json` instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print no progress and no tables: nothing but errors, and what `--json` asks for.
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CompareOptions {
    /// Scenarios, two or more, each a file or a shipped one. `SCENARIO:PATH=VALUE;PATH=VALUE` sets fields of that run
    /// alone: `compare victim 'victim:congestion_control=Off'`.
    #[arg(value_name = "SCENARIO", num_args = 2.., required = true)]
    pub(crate) runs: Vec<String>,
    /// Set a field of all runs.
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
    /// Seed of all runs [default: that of the first].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// Folder for the table and the figure.
    #[arg(long, value_name = "DIR", default_value = "out/compare")]
    pub(crate) out: PathBuf,
    /// Print nothing but errors.
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

#[derive(Debug, Subcommand)]
pub(crate) enum ImportFrom {
    /// A `config.txt` of HPCC's simulator, with the topology and flows that it names.
    Hpcc(ImportHpccOptions),
}

#[derive(Args, Debug)]
pub(crate) struct ImportHpccOptions {
    /// The configuration.
    pub(crate) config: PathBuf,
    /// Folder for the scenario and its files [default: `out/import-NAME`].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct HeadroomOptions {
    /// Rate of the link, such as "40 Gb/s".
    #[arg(long, value_name = "RATE", value_parser = |text: &str| within(text, &(Rate::bps(1)..=Rate::gbps(100_000))))]
    pub(crate) rate: Rate,
    /// Length of the cable, such as "100 m", at 5 ns a metre.
    #[arg(long, value_name = "LENGTH", required_unless_present = "propagation", conflicts_with = "propagation",
          value_parser = |text: &str| within(text, &(Length::from_mm(0)..=Length::from_mm(1_000_000_000))))]
    pub(crate) cable: Option<Length>,
    /// Time of flight one way, such as "1.539 us", instead of a length.
    #[arg(long, value_name = "TIME", value_parser = |text: &str| within(text, &(Span::ZERO..=Span::from_us(1_000_000))))]
    pub(crate) propagation: Option<Span>,
    /// The longest IP packet.
    #[arg(long, value_name = "BYTES", default_value = "1500 B",
          value_parser = |text: &str| within(text, &(Bytes::new(1)..=Bytes::kib(64))))]
    pub(crate) mtu: Bytes,
    /// How long the sender goes on after it has a PAUSE, in quanta of 512 bits [default: the most that IEEE 802.3
    /// allows at 10, 25, 40, 100 or 400 Gb/s].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=1_000_000), conflicts_with = "reaction")]
    pub(crate) reaction_quanta: Option<u64>,
    /// The same as a time, such as "1 us".
    #[arg(long, value_name = "TIME", value_parser = |text: &str| within(text, &(Span::ZERO..=Span::from_us(1_000_000))))]
    pub(crate) reaction: Option<Span>,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ThresholdsOptions {
    /// B: packet memory of the switch, such as "12 MB".
    #[arg(long, value_name = "BYTES", value_parser = |text: &str| within(text, &(Bytes::ZERO..=MOST_MEMORY)))]
    pub(crate) memory: Bytes,
    /// n: its ports.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) ports: u16,
    /// p: priorities with headroom.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub(crate) priorities: u8,
    /// `t_flight`: headroom of each port and priority, such as "22.4 KB" (see `headroom`).
    #[arg(long, value_name = "BYTES", value_parser = |text: &str| within(text, &(Bytes::ZERO..=MOST_MEMORY)))]
    pub(crate) headroom: Bytes,
    /// The factor of dynamic thresholds.
    #[arg(long, value_name = "FACTOR", default_value_t = 8.0, value_parser = factor)]
    pub(crate) beta: f64,
    /// `t_ECN`: the threshold at which marking begins (Kmin), to be held against its bounds.
    #[arg(long, value_name = "BYTES", value_parser = |text: &str| within(text, &(Bytes::ZERO..=MOST_MEMORY)))]
    pub(crate) ecn: Option<Bytes>,
}

/// No switch has more memory.
const MOST_MEMORY: Bytes = Bytes::kib(1 << 30);

/// Reads a quantity in a range.
fn within<Q>(text: &str, range: &RangeInclusive<Q>) -> Result<Q, String>
where
    Q: FromStr<Err = UnitError> + PartialOrd + Display,
{
    let quantity = text.parse().map_err(|fault: UnitError| fault.to_string())?;
    if range.contains(&quantity) {
        Ok(quantity)
    } else {
        Err(format!("write a quantity from {} to {}", range.start(), range.end()))
    }
}

/// Reads a factor that a dynamic threshold can have.
fn factor(text: &str) -> Result<f64, String> {
    let range = Alpha::LEAST..=Alpha::MOST;
    text.parse()
        .ok()
        .filter(|factor| range.contains(factor))
        .ok_or_else(|| format!("write a number from 1/128 ({}) to {}", Alpha::LEAST, Alpha::MOST))
}

#[derive(Args, Debug)]
pub(crate) struct BenchOptions {
    /// The cases to run; all of them if none is named.
    #[arg(value_name = "CASE", value_parser = PossibleValuesParser::new(CASES.map(|(case, ..)| case)))]
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
    #[arg(long, hide = true, value_parser = PossibleValuesParser::new(CASES.map(|(case, ..)| case)))]
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
