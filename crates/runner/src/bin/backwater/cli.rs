//! All verbs, as clap reads them.

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::verbs::bench::BenchOptions;
use crate::verbs::capture::CaptureOptions;
use crate::verbs::check::CheckOptions;
use crate::verbs::cite::CiteOptions;
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
use crate::verbs::sweep::place::PlaceOptions;
use crate::verbs::thresholds::ThresholdsOptions;
use crate::verbs::trace::TraceOptions;
use crate::verbs::tune::TuneOptions;

/// Packet-level simulator of congestion in lossless fabrics: InfiniBand and RoCEv2.
///
/// Exit status: 0 done; 1 a claim of `repro` failed, `rerun` found a difference, or `tune` no better settings; 2 bad
/// input; 3 a violated invariant of the simulator; 4 a deadlock; 5 interrupted by Ctrl-C, SIGTERM or SIGHUP; 6 not
/// done by `--at-most`, or not drained; 7 packets dropped on lanes with PFC; 8 the fabric stands still, perhaps in a
/// deadlock; 9 all that `--until-done` waits for has failed; 10 a job is stuck, or a receive has taken a message of
/// another size. If several apply: the first of 3, 4, 8, 7, 9, 10, 6.
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
    /// Try placements of a job's ranks on hosts, and say what each costs.
    Place(Box<PlaceOptions>),
    /// Repeat a run from its result folder, and compare digests and files.
    Rerun(RerunOptions),
    /// Search a space of settings for the best ones, and compare them with the scenario's on held-out seeds. Exit
    /// status 1: keep the scenario's.
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
    /// Print BibTeX of this program, with version and digests, and of the papers behind the models that the runs of a
    /// folder used.
    Cite(CiteOptions),
    /// Make one page of a result folder, `report.html`, to be read in a browser without a network.
    Report(ReportOptions),
    /// Draw figures from the files of a result folder.
    Figure(FigureOptions),
    /// List the figures that can be drawn from a result folder, and why others cannot.
    Figures(FiguresOptions),
    /// Print the congestion-control parameters that Pfister and others (2005) propose for a network.
    Guideline(GuidelineOptions),
    /// Print the headroom that a port and priority need under PFC, term by term.
    #[command(
        override_usage = "backwater headroom --rate <RATE> --cable <LENGTH> [OPTIONS]\n       backwater headroom --scenario <SCENARIO> [--set <PATH=VALUE>]"
    )]
    Headroom(HeadroomOptions),
    /// Print the thresholds of PFC and ECN that a switch's memory allows.
    #[command(
        override_usage = "backwater thresholds <SCENARIO> [--set <PATH=VALUE>]\n       backwater thresholds --memory <BYTES> --ports <N> --headroom <BYTES> [OPTIONS]"
    )]
    Thresholds(ThresholdsOptions),
    /// Print the columns, fields and types of a run's files, as JSON.
    Schema(SchemaOptions),
    /// Convert files of a cluster, or another simulator's input files, to a scenario.
    Import {
        /// Format of the files.
        #[command(subcommand)]
        from: ImportFormat,
    },
    /// Write files for a cluster's own tools: the routing, the fabric and the parameters of a scenario, or of a
    /// tuning's winner.
    Export {
        /// Tool that the file is for.
        #[command(subcommand)]
        target: ExportTarget,
    },
    /// Measure the simulator's own speed and memory.
    Bench(BenchOptions),
}

/// Verbs by their purpose, in the order of the help.
const GROUPS: [(&str, &[&str]); 5] = [
    ("One run", &["sim", "check", "report", "figure", "figures", "trace", "capture", "rerun"]),
    ("Many runs", &["compare", "sweep", "place", "tune", "eval"]),
    (
        "Scenarios, and files of clusters",
        &["list", "show", "new", "fields", "import", "export", "headroom", "thresholds", "guideline"],
    ),
    ("Papers", &["repro", "cite"]),
    ("Upkeep", &["schema", "bench", "help"]),
];
/// Width of the help.
const WIDTH: usize = 100;
/// Characters before the description of a verb.
const BEFORE: usize = 14;

/// Reads the command line.
pub(crate) fn parsed() -> Result<Cli, clap::Error> {
    // The groups take longer to make than the rest of a start, so they are made only once a help may be due.
    Cli::try_parse().or_else(|_| {
        let mut command = command();
        let matches = command.try_get_matches_from_mut(std::env::args_os())?;
        Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    })
}

/// Returns the command line, with its verbs in groups.
fn command() -> clap::Command {
    let command = Cli::command();
    let groups: String = GROUPS.iter().map(|(heading, verbs)| group(&command, heading, verbs)).collect();
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}"
    ))
}

/// Returns the lines of a group of verbs.
fn group(command: &clap::Command, heading: &str, verbs: &[&str]) -> String {
    let line = |verb: &&str| {
        let about = command.find_subcommand(verb).and_then(clap::Command::get_about);
        let about =
            about.map_or_else(|| "Print this help, or the help of a verb".to_owned(), ToString::to_string);
        let text = format!("  {verb:<12}{about}");
        results::format::wrapped_below(&text, WIDTH, BEFORE)
    };
    let lines: Vec<_> = verbs.iter().map(line).collect();
    format!("{heading}:\n{}\n\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_is_in_one_group_of_the_help() {
        let mut grouped: Vec<_> = GROUPS.iter().flat_map(|(_, verbs)| verbs.iter().copied()).collect();
        grouped.sort_unstable();
        let all = Cli::command();
        let mut verbs: Vec<_> = all.get_subcommands().map(clap::Command::get_name).chain(["help"]).collect();
        verbs.sort_unstable();
        assert_eq!(grouped, verbs);
        let help = command().render_help().to_string();
        assert!(help.lines().all(|line| line.chars().count() <= WIDTH), "{help}");
        assert!(help.contains("\nMany runs:\n  compare     Run several"), "{help}");
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// The verbs that simulate a scenario for numbers take the same options for the same: overrides, ends and seeds.
    #[test]
    fn verbs_of_one_run_and_of_many_take_the_same_ends_and_changes() {
        let command = Cli::command();
        let described = |verb: &str, option: &str| {
            let verb = command.find_subcommand(verb).expect("there is such a verb");
            let found = verb.get_arguments().find(|one| one.get_long() == Some(option))?;
            let value = found.get_value_names().map(<[_]>::to_vec);
            let help = found.get_long_help().or(found.get_help()).map(ToString::to_string);
            Some((found.get_num_args(), value, found.get_action().takes_values(), help))
        };
        for option in ["until-done", "at-most", "drain"] {
            let of_sim = described("sim", option);
            assert!(of_sim.is_some(), "{option}");
            for verb in ["compare", "sweep", "place", "tune"] {
                assert_eq!(described(verb, option), of_sim, "{verb} --{option}");
            }
        }
        for verb in ["sim", "compare", "sweep", "place", "tune"] {
            let (.., takes_values, _) = described(verb, "set").unwrap_or_else(|| panic!("{verb} --set"));
            let value = described(verb, "set").and_then(|(_, value, ..)| Some(value?[0].to_string()));
            assert!(takes_values && value.as_deref() == Some("PATH=VALUE"), "{verb} --set {value:?}");
            let seeds = described(verb, if verb == "sim" { "seed" } else { "seeds" });
            assert!(seeds.is_some_and(|(.., takes_values, _)| takes_values), "{verb}");
        }
    }

    /// The rows between the header of a table of the manual and the next blank line, in cells.
    fn rows<'m>(manual: &'m str, header: &str) -> Vec<Vec<&'m str>> {
        let (_, table) = manual.split_once(header).expect("the manual has the table");
        let lines = table.lines().skip(1).skip_while(|line| line.starts_with("|--"));
        let rows = lines.take_while(|line| line.starts_with('|'));
        rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
    }

    fn statuses(text: &str) -> Vec<u8> {
        let words = text.split(|letter: char| !letter.is_ascii_digit());
        words.filter_map(|word| word.parse().ok()).collect()
    }

    #[test]
    fn the_manual_has_the_statuses_of_every_verb() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/outputs.md");
        let manual = std::fs::read_to_string(file).expect("the manual is there");
        let known: Vec<u8> =
            rows(&manual, "| status | meaning |").iter().flat_map(|row| statuses(row[0])).collect();
        assert_eq!(known, (0..=10).collect::<Vec<_>>());
        let by_verb = rows(&manual, "| verb | statuses |");
        let mut named: Vec<_> =
            by_verb.iter().flat_map(|row| row[0].split(", ").map(|verb| verb.trim_matches('`'))).collect();
        let command = Cli::command();
        let mut verbs: Vec<_> = command.get_subcommands().map(clap::Command::get_name).collect();
        named.sort_unstable();
        verbs.sort_unstable();
        assert_eq!(named, verbs);
        for row in &by_verb {
            let own = statuses(row[1]);
            assert!(
                own.contains(&0) && own.contains(&2) && own.iter().all(|status| known.contains(status)),
                "{row:?}"
            );
        }
        // The help names each in its order.
        let help = command.get_long_about().expect("there is a help").to_string();
        let told = help
            .split_once("Exit status: ")
            .expect("it has statuses")
            .1
            .split_once(". If")
            .expect("and an order")
            .0;
        assert_eq!(
            told.split("; ").filter_map(|part| statuses(part).first().copied()).collect::<Vec<_>>(),
            known,
            "{told}"
        );
    }
}
