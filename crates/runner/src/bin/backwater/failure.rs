//! Reasons why a verb failed, and the exit status of each.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use backwater::Loss;
use backwater::capture::CaptureError;
use backwater::capture::filter::FilterError;
use claims::{ClaimError, ReproductionError};
use experiment::evaluation::{EvaluationError, ParameterError};
use experiment::sweep::SweepFigureFault;
use experiment::tuning::{GoalError, TuningError};
use experiment::{RelativeError, SimulationError, StoreError, VERSION};
use fabric::{CheckpointError, Deadlock, RankFault, RunError, Violation};
use figures::FigureFault;
use files::LockError;
use link_layer::HeadroomExceedsMemory;
use measures::MeasureError;
use measures::spelling::instant;
use names::rule::NameFault;
use names::shown;
use page::PageError;
use results::OutputError;
use results::format::counted;
use results::formats::FormatFault;
use results::reader::ReadError;
use scenario::Diagnostic;
use scenario::manual::UnknownPlace;
use units::{Rate, Span};

use crate::interrupt::INTERRUPTED;
use crate::memory::{MemoryExceeded, RunsExceeded};
use crate::remedy::{checkpoint_help, output_help, page_help, store_help, tuning_help};

/// Reason why a verb failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The scenario is wrong.
    #[error("{0}")]
    Scenario(#[from] Diagnostic),
    /// The output folder cannot be written to, or is not free.
    #[error("error: {error}\nhelp: {help}", error = .0, help = output_help(.0))]
    Output(#[from] OutputError),
    /// Parameters cannot be evaluated.
    #[error("error: {error}\nhelp: {help}", error = .0, help = .0.help())]
    Parameters(#[from] ParameterError),
    /// A measure cannot be read, or the scenario does not have it.
    #[error("error: {error}\nhelp: {help}", error = .0, help = .0.help)]
    Measure(#[from] MeasureError),
    /// The answer of `eval` or `tune`, which is printed, tells the failure.
    #[error("")]
    Answered(ExitCode),
    /// This build writes no Parquet.
    #[error(
        "error: this build of backwater writes no Parquet\nhelp: leave out `--format`, which writes CSV, or build with Parquet: \
         `cargo install --path crates/runner --features parquet`"
    )]
    NoParquet,
    /// A table cannot be written in Parquet.
    #[error("error: {0}\nhelp: write CSV: leave out `--format`")]
    Format(#[from] FormatFault),
    /// A figure cannot be drawn.
    #[error("error: {0}\nhelp: `backwater figures DIR` lists the figures that a folder has the files for")]
    Figure(#[from] FigureFault),
    /// The figure of a sweep cannot be drawn.
    #[error("error: {error}\nhelp: {help}", error = .0, help = .0.help())]
    SweepFigure(#[from] SweepFigureFault),
    /// Axes are named for a figure that has its own.
    #[error(
        "error: the figure `{0}` has axes of its own\nhelp: leave out `--x` and `--y`, which are for the figure `sweep`"
    )]
    NoAxes(String),
    /// There is no figure of this name.
    #[error("error: there is no figure `{name}`\nhelp: {help}")]
    UnknownFigure { name: String, help: String },
    /// A folder has no files that figures are drawn from.
    #[error("error: `{}` has no files that a figure is drawn from\nhelp: name a result folder of `sim`, `compare` or `sweep`", .0.display())]
    NoFigure(PathBuf),
    /// There is no such folder.
    #[error("error: there is no folder `{}`\nhelp: name a result folder of `sim`", .0.display())]
    NoFolder(PathBuf),
    /// A result folder lacks a table.
    #[error(
        "error: there is no `{}`\nhelp: name a result folder of `sim`, or run it again with tables in CSV", folder.join(file).display()
    )]
    NoTable { folder: PathBuf, file: String },
    /// A table of a result folder names a port that the scenario beside it does not have.
    #[error(
        "error: `{}`: the scenario in `plan.ron` has no port {port} of `{node}`\nhelp: the folder is changed: run `sim` again",
        folder.join("ports.csv").display()
    )]
    ForeignPort { folder: PathBuf, node: String, port: u32 },
    /// A file that is no page of this program is in the place of a page.
    #[error("error: `{}` is no page of this program\nhelp: move it away, or write the page elsewhere with `--out FILE`", .0.display())]
    ForeignPage(PathBuf),
    /// A folder has no page.
    #[error("error: `{}` cannot become a page: {fault}\nhelp: {help}", folder.display(), help = page_help(fault))]
    Page { folder: PathBuf, fault: PageError },
    /// A file from which a figure is to be drawn is missing or wrong.
    #[error("error: {0}")]
    Read(#[from] ReadError),
    /// The user has ended the run; its results up to there are written.
    #[error("interrupted at {} of simulated time: the results end there", instant(*simulated_s))]
    Interrupted { simulated_s: f64 },
    /// The run was ended from outside; its results and its state up to there are written.
    #[error(
        "interrupted at {} of simulated time: the results end there\nhelp: go on with `{command}`",
        instant(*simulated_s)
    )]
    InterruptedAndSaved { simulated_s: f64, command: String },
    /// A checkpoint cannot be used.
    #[error("error: `{}` cannot be resumed: {error}\nhelp: {help}", file.display(), help = checkpoint_help(error))]
    Checkpoint { file: PathBuf, error: CheckpointError },
    /// The file for checkpoints has a checkpoint of an earlier run.
    #[error(
        "error: `{file}` is the checkpoint of a run that has not ended\nhelp: go on with it: `--resume {file}`; overwrite it with `--force`, or \
         choose another file with `--checkpoint FILE`",
        file = .0.display()
    )]
    CheckpointThere(PathBuf),
    /// Another process writes states to the file.
    #[error(
        "error: cannot write checkpoints to `{file}`: {lock}\nhelp: wait until it has ended, or choose another file with `--checkpoint FILE`",
        file = file.display()
    )]
    CheckpointBusy { file: PathBuf, lock: LockError },
    /// The file for checkpoints is something else. `--force` does not help: the file is to be removed by its owner.
    #[error(
        "error: `{}` is no checkpoint, and would be overwritten\nhelp: name another file with `--checkpoint FILE`",
        .0.display()
    )]
    NotACheckpoint(PathBuf),
    /// Checkpoints cannot be written.
    #[error(
        "error: the checkpoint `{}` cannot be written: {cause}\nhelp: name another file with `--checkpoint FILE`",
        file.display()
    )]
    UnwritableCheckpoint { file: PathBuf, cause: io::Error },
    /// The processes of a run do not have the same plan.
    #[error(
        "error: {0}\nhelp: start all ranks with one command line, in a folder that every machine has with the same files"
    )]
    Ranks(#[from] RankFault),
    /// A verb runs in a single process, and MPI has started several.
    #[error(
        "error: `{verb}` runs in one process, and MPI has started {count}\nhelp: start it without MPI: of the verbs that simulate, only `sim` \
         shares a run among processes; `sweep plan` and `sweep submit` spread many runs over machines"
    )]
    OneProcess { verb: &'static str, count: usize },
    /// Several processes were started, and this build has no MPI.
    #[error(
        "error: MPI has started {0} processes, and this build of backwater is without MPI: each of them would run all of it\nhelp: build \
         with MPI: `cargo install --path crates/runner --features mpi`, or start one process"
    )]
    NoMpi(usize),
    /// Finite traffic was not delivered by the longest time of the run; the results up to there are written.
    #[error(
        "not done at {} of simulated time: {delivered}; the results end there\nhelp: allow more time with `--at-most TIME`",
        instant(*simulated_s)
    )]
    NotDone { simulated_s: f64, delivered: String },
    /// A drain was not at rest after its longest time; the results up to there are written.
    #[error(
        "not drained {longest} after the end of the run, the longest time of `--drain`: {left}; the results end there\nhelp: hosts \
         still send what they have posted: raise `adapter.injection_limit`, `adapter.drain_limit` or the speed of `cables`, post \
         smaller messages or fewer at a time (`outstanding`), or leave out `--drain`"
    )]
    NotDrained { longest: Span, left: String },
    /// All that is left of finite traffic has failed; the results up to there are written.
    #[error(
        "failed at {} of simulated time: {delivered}; {failed}; the results end there\nhelp: raise `adapter.ack_timeout` or \
         `adapter.retry_count`, or see where packets wait or are lost: `ports.csv`",
        instant(*simulated_s)
    )]
    GaveUp { simulated_s: f64, delivered: String, failed: String },
    /// No rank of a job could go on; the results up to there are written.
    #[error(
        "stuck at {} of simulated time: {waiting}; the results end there\nhelp: {help}",
        instant(*simulated_s)
    )]
    Stuck { simulated_s: f64, waiting: String, help: String },
    /// In each of several runs a job was stuck, or took messages of other sizes; their results are written.
    #[error("every run failed: {0}\nhelp: run one of them by itself, which names the operations")]
    AllWrong(String),
    /// A receive of a job has taken a message of another size; the results are written.
    #[error(
        "sizes differ: {0}\nhelp: receives from any rank, with any tag, or posted in another order than the messages, take what \
         comes: give messages of different sizes different tags"
    )]
    UnequalSizes(String),
    /// Nothing is delivered any more, and packets wait for each other; the results are written.
    #[error(
        "{0}\nhelp: no deadlock is proved while hosts may send again: run it longer, or with `adapter.ack_timeout=0`, for a proof; \
         choose a `routing` whose channels have no cycle"
    )]
    StandsStill(String),
    /// A fabric with PFC has dropped packets; its results are written.
    #[error("{0}\nhelp: {help}", help = .0.help())]
    NotLossless(Loss),
    /// The longest time of a run is given twice.
    #[error(
        "error: `--at-most` is the longest time of the run, and so is the duration that `--set {0}` gives\nhelp: leave out one of \
         them"
    )]
    TwoDurations(String),
    /// Files of htsim that do not go with the option `--into`.
    #[error(
        "error: {}\nhelp: write `import htsim TREE.topo MATRIX.cm`, or `import htsim MATRIX.cm --into SCENARIO`",
        if *into { "`--into` has the fabric, and a second file is named" } else { "the matrix alone has no fabric" }
    )]
    HtsimFiles { into: bool },
    /// A longest time of runs that last for their duration.
    #[error(
        "error: `--at-most` is for runs that end with their finite traffic, and the scenario has no `until_done: true`\nhelp: add \
         `--until-done`, or write `--set duration=TIME`"
    )]
    AtMostAlone,
    /// Units of a sweep cannot be run.
    #[error("error: {0}\nhelp: {help}", help = store_help(.0))]
    Store(StoreError),
    /// The user has ended a sweep; finished runs are in its folder.
    #[error("interrupted with {done} of {} done: the same command goes on", counted(*asked, "run"))]
    SweepInterrupted { done: usize, asked: usize },
    /// A folder for a sweep has the results of a single run.
    #[error("error: `{}` holds the results of a run\nhelp: choose another folder for the sweep with `--out DIR`", .0.display())]
    NoSweepFolder(PathBuf),
    /// A folder has another sweep.
    #[error(
        "error: `{}` holds another sweep, and not all of its runs are among these\nhelp: choose another folder with `--out DIR`, or replace \
         its plan with `--force`: finished runs stay",
        .0.display()
    )]
    OtherSweep(PathBuf),
    /// Another process has replaced or extended the plan of a folder.
    #[error(
        "error: `{folder}` has another plan by now, which another process wrote: no table of this one is written\nhelp: finished runs \
         stay: choose another folder with `--out DIR`, or run the sweep again once the other has ended",
        folder = .0.display()
    )]
    SweepChanged(PathBuf),
    /// A folder has no sweep.
    #[error(
        "error: `{}` is not the folder of a sweep: there is no `sweep.jsonl`\nhelp: name a folder that `sweep` or `sweep plan --out DIR` \
         has written",
        .0.display()
    )]
    NoSweep(PathBuf),
    /// Folders that are to be joined have different sweeps.
    #[error("error: `{}` and `{}` hold different sweeps\nhelp: name folders with parts of one sweep", .0.display(), .1.display())]
    DifferentSweeps(PathBuf, PathBuf),
    /// The plan of a sweep is of another version.
    #[error(
        "error: the sweep was planned by version {0}, and this is {VERSION}\nhelp: plan it again, in another folder"
    )]
    PlanOfOtherVersion(String),
    /// A name or a folder is wrong, in the words of the part of the program that knows it.
    #[error("error: {error}\nhelp: {help}")]
    Worded { error: String, help: String },
    /// A measure is not among the stored measures.
    #[error(
        "error: the results do not have `{0}`\nhelp: give `--measures` to `sweep` too: it runs again what lacks them"
    )]
    MeasureNotStored(String),
    /// Runs at a time need too much memory together.
    #[error("error: {0}")]
    RunsMemory(#[from] RunsExceeded),
    /// A script for a cluster cannot hold the path of the sweep's folder.
    #[error(
        "error: the path of `{}` has characters that a script for Slurm cannot hold\nhelp: move the sweep to a folder without line breaks, quotes and backslashes in its path",
        .0.display()
    )]
    ScriptPath(PathBuf),
    /// The program of a cluster is missing.
    #[error(
        "error: `{engine}` cannot be run: {cause}\nhelp: submit on a node of the cluster, or print the script with `--dry-run`"
    )]
    NoEngine { engine: &'static str, cause: io::Error },
    /// The cluster has refused a job.
    #[error(
        "error: `{engine}` refused the job: {said}\nhelp: the script is in the sweep's folder; `--dry-run` prints it"
    )]
    EngineRefused { engine: &'static str, said: String },
    /// A folder cannot be run again.
    #[error("error: `{}` cannot be run again: {why}\nhelp: {help}", folder.display())]
    NoRerun { folder: PathBuf, why: String, help: &'static str },
    /// The scenario has no switch of this name.
    #[error("error: `--switch {given}`: the scenario has no switch of this name\nhelp: {help}")]
    NoSwitch { given: String, help: String },
    /// A folder has no winner of a tuning.
    #[error("error: `{}` has no winner: {why}\nhelp: {help}", folder.display())]
    NoWinner { folder: PathBuf, why: String, help: &'static str },
    /// A repeated run differs from the original.
    #[error("error: the run differs from the one in `{}`: {differences}", folder.display())]
    RerunDiffers { folder: PathBuf, differences: String },
    /// There is no such field.
    #[error("error: {unknown}\nhelp: {help}", unknown = .0, help = .0.help)]
    UnknownPlace(#[from] UnknownPlace),
    /// A text selects no port.
    #[error("error: `--ports {given}`: {message}\nhelp: {help}")]
    NoPorts { given: String, message: String, help: String },
    /// A capture's filter takes nothing.
    #[error("error: {error}\nhelp: {help}", error = .0, help = .0.help())]
    Filter(#[from] FilterError),
    /// The scenario's links have no format for packets.
    #[error(
        "error: {0}\nhelp: `--set link.framing=RoCEv2` gives packets the headers of RoCEv2, and other lengths"
    )]
    NoFormat(CaptureError),
    /// A trace of nothing is asked for.
    #[error(
        "error: there is nothing to trace\nhelp: name ports with `--ports`, such as `--ports leaf1:h3`, or flows with `--flows`"
    )]
    NothingToTrace,
    /// A run has no counters of this form.
    #[error("error: `{}` has links of {link}, which `{form}` does not show\nhelp: write `--form {help}`", folder.display())]
    ForeignCounters { folder: PathBuf, form: &'static str, link: &'static str, help: &'static str },
    /// No fabric of this size can be drafted.
    #[error("error: {message}\nhelp: {help}")]
    Draft { message: String, help: String },
    /// A topology file lies in another folder than the scenario.
    #[error(
        "error: `{file}` does not lie beside the scenario\nhelp: copy it to `{folder}`, or write the scenario beside it"
    )]
    TopologyElsewhere { file: String, folder: String },
    /// A file would be overwritten.
    #[error("error: `{0}` is there\nhelp: choose another name, or overwrite it with `--force`")]
    FileThere(String),
    /// A file cannot be written.
    #[error("error: `{file}` cannot be written: {cause}")]
    UnwritableFile { file: String, cause: io::Error },
    /// A hot spot has more sources than the network has hosts.
    #[error(
        "error: a hot spot cannot have {degree} sources in a network of {ports} ports\nhelp: write a `--hotspot-degree` of 1 to {ports}"
    )]
    HotspotDegree { degree: u32, ports: u32 },
    /// The headroom of no link is asked for.
    #[error(
        "error: the headroom of a link needs its rate and its cable, and here is {given}\nhelp: write `backwater headroom --rate \"100 Gb/s\" \
         --cable \"5 m\"`, or for the ports of a scenario `backwater headroom --scenario roce400-leaf-spine`"
    )]
    NoLink { given: &'static str },
    /// The thresholds of no switch are asked for.
    #[error(
        "error: the thresholds of a switch need its memory, its ports and the headroom of each, and here is {given}\nhelp: write `backwater \
         thresholds --memory \"12 MB\" --ports 32 --headroom \"22.4 KB\"`, or for the switches of a scenario `backwater thresholds \
         roce400-leaf-spine`"
    )]
    NoSwitchGiven { given: String },
    /// No standard gives the reaction time of a sender at this rate.
    #[error(
        "error: the reaction time of a sender after a PAUSE is not known at {0}\nhelp: give it with `--reaction TIME` or `--reaction-quanta N`"
    )]
    UnknownReaction(Rate),
    /// Headroom is asked for of a scenario without PFC.
    #[error(
        "error: the links of `{0}` have no PFC, and no headroom\nhelp: name a scenario with `link.flow_control: Pause(..)`, such as \
         `roce400-leaf-spine`"
    )]
    NoPfc(String),
    /// Headroom takes all memory.
    #[error("error: {0}\nhelp: write a larger `--memory`, or fewer `--ports` or `--priorities`")]
    HeadroomExceedsMemory(#[from] HeadroomExceedsMemory),
    /// Completion times are asked for, and not recorded.
    #[error(
        "error: `--fct-txt` needs completion times, and the scenario records none\nhelp: leave out `completions: NotKept`, or `--set completions=Kept`"
    )]
    NoCompletions,
    /// A file has no schema.
    #[error("error: no schema describes a file `{name}`\nhelp: name one of {}", known.join(", "))]
    NoSchema { name: String, known: Vec<String> },
    /// A run needs more memory than there is.
    #[error("error: {exceeded}\nhelp: {help}", exceeded = .0, help = .0.help())]
    Memory(#[from] MemoryExceeded),
    /// A label of a comparison cannot be a name.
    #[error("error: the label `{}`: {fault}\nhelp: {}", shown::line(.label), .fault.help())]
    Label { label: String, fault: NameFault },
    /// Two runs of a comparison have the same label.
    #[error("error: two runs are called `{0}`\nhelp: write another label before the `=` of one of them")]
    SameLabel(String),
    /// A run of a comparison over several seeds names a seed.
    #[error(
        "error: `{0}` names a seed beside `--seeds`\nhelp: leave one of them out: `--seeds` gives all runs the same seeds"
    )]
    SeedBesideSeeds(String),
    /// A file to be imported cannot be read.
    #[error("error: `{file}` cannot be read: {cause}")]
    Unreadable { file: String, cause: io::Error },
    /// The file of an earlier bench cannot be read.
    #[error("error: {path}: {fault}\nhelp: name a file that `bench --json` has printed")]
    BenchRecord { path: String, fault: String },
    /// A claims file has a mistake.
    #[error("error: {0}")]
    Claim(#[from] ClaimError),
    /// A run cannot be tuned.
    #[error("error: {0}")]
    Relative(#[from] RelativeError),
    /// A goal of a tuning is wrong.
    #[error("error: {0}\nhelp: {help}", help = .0.help())]
    Goal(#[from] GoalError),
    /// A tuning could not be done.
    #[error("error: {error}\nhelp: {help}", error = .0, help = tuning_help(.0))]
    Tuning(TuningError),
    /// A number of minutes is none.
    #[error("error: {0} minutes are no time\nhelp: write a number above 0")]
    Minutes(f64),
    /// A case of the bench could not be run in a process of its own.
    #[error("error: case {case} could not be run: {fault}")]
    BenchCase { case: &'static str, fault: String, status: Option<i32> },
    /// Claims of a paper failed; the table has named them.
    #[error("error: {0} of the claims failed")]
    ClaimsFailed(usize),
    /// Claims hold under runs in which they must fail; the table has named them.
    #[error("error: claims that hold where they must fail: {0}")]
    ClaimsToothless(usize),
    /// Tunings did not beat their baselines; the tables have named them.
    #[error("error: tunings that do not beat their baseline: {0}")]
    TuningsFailed(usize),
    /// An invariant of the simulator is violated: a bug.
    #[error(
        "error: violated invariant: {0}\nThis is a bug of the simulator: please report it, with the scenario."
    )]
    Violation(Violation),
    /// The scenario's routes allow a deadlock, and it happened.
    #[error(
        "error: deadlock: {0}\nhelp: choose a `routing` whose channels have no cycle, or more lanes for one; without \
         `dependency_cycles: Allowed` such routes are refused before a run"
    )]
    Deadlock(Deadlock),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Scenario(diagnostic) => diagnostic.into(),
            StoreError::Interrupted { done, asked } => Self::SweepInterrupted { done, asked },
            other => Self::Store(other),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Violation(violation) => Self::Violation(violation),
            RunError::Deadlock(deadlock) => Self::Deadlock(deadlock),
        }
    }
}

impl From<EvaluationError> for Failure {
    fn from(error: EvaluationError) -> Self {
        match error {
            EvaluationError::Scenario(diagnostic) => diagnostic.into(),
            EvaluationError::Measure(error) => error.into(),
            EvaluationError::Parameters(error) => error.into(),
        }
    }
}

impl From<SimulationError> for Failure {
    fn from(error: SimulationError) -> Self {
        match error {
            SimulationError::Scenario(diagnostic) => diagnostic.into(),
            SimulationError::Relative(error) => error.into(),
            SimulationError::Run(error) => error.into(),
        }
    }
}

impl From<TuningError> for Failure {
    fn from(error: TuningError) -> Self {
        match error {
            TuningError::Scenario(diagnostic) => diagnostic.into(),
            TuningError::Goal(error) => error.into(),
            TuningError::Store(error) => error.into(),
            other => Self::Tuning(other),
        }
    }
}

impl From<ReproductionError> for Failure {
    fn from(error: ReproductionError) -> Self {
        match error {
            ReproductionError::Simulation(error) => error.into(),
            ReproductionError::Claim(error) => error.into(),
        }
    }
}

impl Failure {
    /// Returns the message for standard error, in colours if they can be seen.
    pub(crate) fn message(&self, colours: bool) -> String {
        match self {
            Self::Scenario(diagnostic) => diagnostic.render(colours),
            other => other.to_string(),
        }
    }

    /// Returns true if the message may have colours of its own. In any other, a colour could only come from a name.
    pub(crate) fn has_colours(&self) -> bool {
        matches!(self, Self::Scenario(_))
    }

    pub(crate) fn status(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::ClaimsFailed(_)
            | Self::ClaimsToothless(_)
            | Self::RerunDiffers { .. }
            | Self::TuningsFailed(_) => 1,
            Self::Answered(status) => return *status,
            Self::Violation(_) | Self::BenchCase { status: Some(3), .. } => 3,
            Self::Deadlock(_) | Self::BenchCase { status: Some(4), .. } => 4,
            Self::Interrupted { .. } | Self::InterruptedAndSaved { .. } | Self::SweepInterrupted { .. } => {
                INTERRUPTED
            }
            Self::NotDone { .. } | Self::NotDrained { .. } => 6,
            Self::NotLossless(_) => 7,
            Self::StandsStill(_) => 8,
            Self::GaveUp { .. } => 9,
            Self::Stuck { .. } | Self::AllWrong(_) | Self::UnequalSizes(_) => 10,
            _ => 2,
        })
    }

    /// Returns the place of a failure in the order of a run's faults: the first of several is told.
    pub(crate) const fn rank(&self) -> usize {
        match self {
            Self::Interrupted { .. } | Self::InterruptedAndSaved { .. } => 0,
            Self::Violation(_) => 1,
            Self::Deadlock(_) => 2,
            Self::StandsStill(_) => 3,
            Self::NotLossless(_) => 4,
            Self::GaveUp { .. } => 5,
            Self::Stuck { .. } | Self::AllWrong(_) | Self::UnequalSizes(_) => 6,
            Self::NotDone { .. } | Self::NotDrained { .. } => 7,
            _ => 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use claims::Paper;

    use super::*;

    #[test]
    fn an_unknown_paper_is_answered_with_the_known_ones() {
        let message = |given| Failure::from(Paper::shipped(Some(given)).unwrap_err()).to_string();
        assert_eq!(
            message("gran2012"),
            "error: there are no claims of a paper `gran2012`\nhelp: did you mean `gran2011`? The papers with claims are `hp2001`, `santos2003`, `gran2011`, `pfister2005`, `zhu2015`, `zhu2016`, `paths`, `jobs`, `cross`, `tuning`"
        );
        assert_eq!(
            message("nobody"),
            "error: there are no claims of a paper `nobody`\nhelp: the papers with claims are `hp2001`, `santos2003`, `gran2011`, `pfister2005`, `zhu2015`, `zhu2016`, `paths`, `jobs`, `cross`, `tuning`"
        );
    }
}
