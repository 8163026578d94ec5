//! All verbs, as clap reads them.

use clap::{Parser, Subcommand};

use crate::verbs::bench::BenchOptions;
use crate::verbs::capture::CaptureOptions;
use crate::verbs::check::CheckOptions;
use crate::verbs::compare::CompareOptions;
use crate::verbs::eval::EvalOptions;
use crate::verbs::export::ExportTarget;
use crate::verbs::fields::FieldsOptions;
use crate::verbs::figure::{FigureOptions, FiguresOptions};
use crate::verbs::guideline::GuidelineOptions;
use crate::verbs::headroom::HeadroomOptions;
use crate::verbs::import::ImportFormat;
use crate::verbs::new::NewFabric;
use crate::verbs::report::ReportOptions;
use crate::verbs::repro::ReproOptions;
use crate::verbs::rerun::RerunOptions;
use crate::verbs::schema::SchemaOptions;
use crate::verbs::show::ShowOptions;
use crate::verbs::sim::SimOptions;
use crate::verbs::sweep::SweepOptions;
use crate::verbs::thresholds::ThresholdsOptions;
use crate::verbs::trace::TraceOptions;
use crate::verbs::tune::TuneOptions;

/// Packet-level simulator of congestion in lossless fabrics: InfiniBand and RoCEv2.
///
/// Exit status: 0 done; 1 a claim of `repro` failed, `rerun` found a difference, or `tune` no better settings; 2 bad input; 3 a violated invariant of the simulator; 4 a deadlock;
/// 5 interrupted by Ctrl-C; 6 not done by `--at-most`; 7 packets dropped on lanes with PFC; 8 the fabric stands still, perhaps in a deadlock; 9 all that
/// `--until-done` waits for has failed. If several apply: the first of 3, 4, 8, 7, 9, 6.
#[derive(Debug, Parser)]
#[command(name = "backwater", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run a scenario, print goodput and congestion, and write the results to a folder.
    // Clap would leave out the brackets in some errors, as if the scenario were required.
    #[command(override_usage = "backwater sim [OPTIONS] [SCENARIO]")]
    Sim(SimOptions),
    /// Run a scenario, and write the packets that pass chosen ports to a file for Wireshark (pcapng).
    Capture(Box<CaptureOptions>),
    /// Run a scenario, and write chosen ports and flows over time to a file for Perfetto.
    Trace(Box<TraceOptions>),
    /// Run several scenarios with the same random streams, and print them side by side.
    Compare(CompareOptions),
    /// Run a scenario with parameters from a file or the standard input, and print measures: for outside optimisers.
    Eval(EvalOptions),
    /// Run a scenario with many settings and seeds, and write one table of all results.
    #[command(override_usage = "backwater sweep [OPTIONS] [SCENARIO]\n       backwater sweep <COMMAND>")]
    Sweep(Box<SweepOptions>),
    /// Repeat a run from its result folder, and compare digests and files.
    Rerun(RerunOptions),
    /// Search a space of settings for the best ones, and compare them with the scenario's on held-out seeds. Exit status 1: keep the
    /// scenario's.
    Tune(TuneOptions),
    /// List the shipped scenarios.
    List,
    /// Print the text of a shipped scenario, with its comments.
    Show(ShowOptions),
    /// Write a commented scenario file to begin with.
    New {
        /// Kind of fabric.
        #[command(subcommand)]
        fabric: NewFabric,
    },
    /// Check a scenario without running it, and describe it.
    Check(CheckOptions),
    /// Print a field of the scenario file: its type, default and meaning, and every choice.
    Fields(FieldsOptions),
    /// Reproduce published results: run the experiments of papers, and compare with the reported numbers.
    Repro(ReproOptions),
    /// Make one page of a result folder, `report.html`, to be read in a browser without a network.
    Report(ReportOptions),
    /// Draw figures from the files of a result folder.
    Figure(FigureOptions),
    /// List the figures that can be drawn from a result folder, and why others cannot.
    Figures(FiguresOptions),
    /// Print the congestion-control parameters that Pfister and others (2005) propose for a network.
    Guideline(GuidelineOptions),
    /// Print the headroom that a port and priority need under PFC, term by term.
    Headroom(HeadroomOptions),
    /// Print the thresholds of PFC and ECN that a switch's memory allows.
    Thresholds(ThresholdsOptions),
    /// Print the columns, fields and types of a run's files, as JSON.
    Schema(SchemaOptions),
    /// Convert files of a cluster, or another simulator's input files, to a scenario.
    Import {
        /// Format of the files.
        #[command(subcommand)]
        from: ImportFormat,
    },
    /// Write files for a cluster's own tools: the routing, the fabric and the parameters of a scenario, or of a tuning's winner.
    Export {
        /// Tool that the file is for.
        #[command(subcommand)]
        target: ExportTarget,
    },
    /// Measure the simulator's own speed and memory.
    Bench(BenchOptions),
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
