//! `tune`: a search for the settings that are best for a goal.
//!
//! Invariant: the answer depends on the question alone, not on interruptions or on the number of threads. A budget of
//! minutes is the exception, and the answer says so. Without better settings the exit status is 1.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};
use experiment::SeedList;
use experiment::tuning::{GoalError, Halved, Method, Objective, Space, TuningJob};
use measures::{Direction, Measure};
use results::tables::printed;

use crate::arguments;
use crate::failure::Failure;
use crate::folder_name;
use crate::terminal::{print, print_exactly};
use crate::threads;
use crate::tuning::{self, TuningRun};
use crate::until_done::{DrainOptions, EndOptions};

#[derive(Args, Debug)]
pub(crate) struct TuneOptions {
    /// File, or name of a shipped scenario (see `list`). As it is, it is the baseline, which takes part in the search; so does the
    /// guideline of Pfister and others (2005), if the congestion control is `Iba` and the space has fields of it.
    scenario: String,
    /// Space of settings: a file, or `iba`, `dcqcn`, `pfc` or `hp`.
    #[arg(long, value_name = "SPACE")]
    space: String,
    #[command(flatten)]
    objectives: ObjectiveOptions,
    /// Constraint that every run of a setting has to keep: `--subject-to 'last(incast) < 3 ms'`.
    #[arg(long, value_name = "CONSTRAINT")]
    subject_to: Vec<String>,
    /// Override of a field in all runs, the baseline's included.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    end: EndOptions,
    #[command(flatten)]
    drain: DrainOptions,
    /// Most runs, those on held-out seeds and for the sensitivity included. At least half are for the search; the division is printed
    /// before the first run.
    #[arg(long, value_name = "N", default_value_t = 300)]
    runs: usize,
    /// Minutes after which no further setting is tried.
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,
    /// Seeds of the search: `1..=4`, or `1,2,5`.
    #[arg(long, value_name = "SEEDS", default_value = "1..=4", value_parser = arguments::seeds)]
    seeds: SeedList,
    /// Seeds on which winner and baseline are compared.
    #[arg(long, value_name = "SEEDS", default_value = "1001..=1010", value_parser = arguments::seeds)]
    held_out: SeedList,
    /// Override of the held-out runs: other traffic.
    #[arg(long, value_name = "PATH=VALUE")]
    held_out_set: Vec<String>,
    /// Method of the search.
    #[arg(long, value_enum, default_value_t = MethodName::Tpe)]
    method: MethodName,
    /// Budget that `halving` doubles from round to round. Slow settings look bad in short runs: `duration` is for scenarios in
    /// which they do not, and not for `--until-done`, which ends runs by their traffic.
    #[arg(long, value_enum, value_name = "BUDGET", default_value_t = HalvedName::Seeds)]
    halve: HalvedName,
    /// Seed of the search itself.
    #[arg(long, value_name = "N", default_value_t = 1)]
    search_seed: u64,
    /// Settings that TPE proposes at a time, from the same knowledge: more keep more processors busy.
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::new(4).expect("four is not zero"))]
    batch: NonZeroUsize,
    /// Do not move each parameter of the best point by itself: these runs go to the search. Where half of the runs have no room for it,
    /// the sensitivity has fewer seeds, or is left out.
    #[arg(long)]
    no_sensitivity: bool,
    /// Runs at a time, at most as many as the machine has cores [default: as many]. The answer is the same for any number.
    #[arg(long, value_name = "N", value_parser = threads::number)]
    threads: Option<NonZeroUsize>,
    /// Folder for all runs, tables and the winner [default: out/tune,SCENARIO,SPACE].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrite the results of another command.
    #[arg(long)]
    force: bool,
    /// Print `tuning.json` instead of tables.
    #[arg(long)]
    json: bool,
    /// Print no progress and no tables, only errors and the output of `--json`.
    #[arg(long)]
    quiet: bool,
}

/// Objectives in the order of the command line.
#[derive(Clone, Debug, Default)]
struct ObjectiveOptions(Vec<(Direction, String)>);

/// The options of objectives, as clap describes them.
#[derive(Args, Debug)]
struct WrittenObjectives {
    /// Measure that is to be small: `--minimise 'p99(victims)'`. With several objectives, the Pareto front is searched.
    #[arg(long, alias = "minimize", value_name = "MEASURE", required_unless_present = "maximise")]
    minimise: Vec<String>,
    /// Measure that is to be large: `--maximise 'goodput(all)'`.
    #[arg(long, alias = "maximize", value_name = "MEASURE")]
    maximise: Vec<String>,
}

impl FromArgMatches for ObjectiveOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let of = |id: &str, direction: Direction| {
            let places = matches.indices_of(id).into_iter().flatten();
            let texts = matches.get_many::<String>(id).into_iter().flatten();
            places.zip(texts).map(|(place, text)| (place, direction, text.clone())).collect::<Vec<_>>()
        };
        let mut all = of("minimise", Direction::Smaller);
        all.extend(of("maximise", Direction::Larger));
        all.sort_by_key(|(place, ..)| *place);
        Ok(Self(all.into_iter().map(|(_, direction, text)| (direction, text)).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for ObjectiveOptions {
    fn augment_args(command: clap::Command) -> clap::Command {
        WrittenObjectives::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        WrittenObjectives::augment_args_for_update(command)
    }
}

/// Methods by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MethodName {
    /// Latin hypercube for a third of the settings, then a tree-structured Parzen estimator.
    Tpe,
    /// Full grid, with as many levels as the budget allows.
    Grid,
    /// Latin hypercube.
    Lhs,
    /// Latin hypercube with one seed, then the better half with twice the seeds, and so on.
    Halving,
}

/// Budgets of halving by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum HalvedName {
    /// Number of seeds.
    Seeds,
    /// Simulated time of each run: a quarter, a half, the whole.
    Duration,
}

impl From<HalvedName> for Halved {
    fn from(name: HalvedName) -> Self {
        match name {
            HalvedName::Seeds => Self::Seeds,
            HalvedName::Duration => Self::Duration,
        }
    }
}

impl From<MethodName> for Method {
    fn from(name: MethodName) -> Self {
        match name {
            MethodName::Tpe => Self::Tpe,
            MethodName::Grid => Self::Grid,
            MethodName::Lhs => Self::LatinHypercube,
            MethodName::Halving => Self::Halving,
        }
    }
}

/// Tunes, writes the answer and prints it.
pub(crate) fn run(options: &TuneOptions) -> Result<(), Failure> {
    let job = job(options)?;
    let default = || folder_name::of_run("tune", &[options.scenario.clone(), options.space.clone()], None);
    let out = options.out.clone().unwrap_or_else(default);
    threads::note_fewer_cores(options.threads.filter(|_| !options.quiet));
    let run = TuningRun {
        out: &out,
        force: options.force,
        threads: options.threads,
        quiet: options.quiet,
        tells_budget: !options.json && !options.quiet,
    };
    let finished = tuning::run(&job, run)?;
    if options.json {
        print_exactly(&finished.json(&job));
    } else if !options.quiet {
        let mut files = finished.files().to_vec();
        files.push("runs");
        print(&format!("{}\n{}", finished.printed(&job), printed::written(&out, &files)));
    }
    if finished.tuned.advice().has_settings() { Ok(()) } else { Err(Failure::Answered(ExitCode::from(1))) }
}

fn job(options: &TuneOptions) -> Result<TuningJob, Failure> {
    let objective = |(direction, text): &(Direction, String)| -> Result<Objective, GoalError> {
        let measure: Measure = text.parse()?;
        Ok(Objective { measure, direction: *direction })
    };
    let minutes = options.minutes.map(|minutes| Duration::try_from_secs_f64(minutes * 60.0));
    [&options.set, &options.held_out_set].into_iter().try_for_each(|set| options.end.check(set))?;
    let time = minutes.transpose().map_err(|_| Failure::Minutes(options.minutes.unwrap_or_default()))?;
    Ok(TuningJob {
        scenario: options.scenario.clone(),
        set: options.set.clone(),
        space: Space::find(&options.space)?,
        objectives: options.objectives.0.iter().map(objective).collect::<Result<_, _>>()?,
        constraints: options.subject_to.iter().map(|text| text.parse()).collect::<Result<_, _>>()?,
        training: options.seeds.0.clone(),
        held_out: options.held_out.0.clone(),
        held_out_set: options.held_out_set.clone(),
        until_done: options.end.of_many_runs(Some(&options.scenario), &options.set)?,
        drain: options.drain.drain,
        method: options.method.into(),
        runs: options.runs,
        time,
        seed: options.search_seed,
        batch: options.batch.get(),
        halved: options.halve.into(),
        sensitivity: !options.no_sensitivity,
    })
}
