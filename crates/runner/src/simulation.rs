//! A scenario with overrides, and its finished run.
//!
//! Invariant: only a checked plan runs, and a folder of results belongs to a single run.

use std::path::Path;
use std::time::Duration;

use cc_policies::own::OwnPolicies;
use experiment::{Outcome, SimulationError, simulate, simulate_saving};
use fabric::{ResumeError, RunError, RunOptions, Saving};
use figures::RunOutput;
use measures::run::Posting;
use measures::{Measure, Measured};
use results::comparison::{ComparedRun, Comparison, Shown};
use results::manifest::{Manifest, RunEnd, UndrawnEntry};
use results::tables::{brief, completions, congestion, margins, printed};
use results::{FileChoice, MadeFiles, OutputError, OutputFile, ResultFolder, Summary};
use scenario::{Diagnostic, Plan, Scenario, ScenarioText};
use telemetry::{Progress, RunRecord, Timeline};
use units::Span;

use crate::{provenance, wording};

/// A scenario with overrides.
///
/// # Examples
///
/// ```
/// use backwater::Simulation;
///
/// let simulation = Simulation::find("one-flow")?.set("duration=2 ms")?.seed(7)?;
/// assert_eq!(simulation.check()?.seed(), 7);
///
/// let fault = simulation.set("durration=1 ms").and_then(|wrong| wrong.check()).unwrap_err();
/// assert!(fault.to_string().contains("durration"));
/// # Ok::<(), backwater::Diagnostic>(())
/// ```
#[derive(Clone, Debug)]
pub struct Simulation {
    source: ScenarioText,
}

impl Simulation {
    /// Finds a scenario: the file of this name, or else the shipped scenario of this name.
    ///
    /// # Errors
    /// If there is no such scenario, or the file cannot be read.
    pub fn find(name: &str) -> Result<Self, Diagnostic> {
        ScenarioText::find(name).map(|source| Self { source })
    }

    /// Takes the text of a scenario. `file` stands for it in messages and, without its ending, names the run.
    ///
    /// # Examples
    ///
    /// ```
    /// let text = backwater::shipped()[0].text.replace("10 ms", "1 ms");
    /// let plan = backwater::Simulation::from_text("mine.ron", &text).check()?;
    /// assert_eq!(plan.name(), "mine");
    /// # Ok::<(), backwater::Diagnostic>(())
    /// ```
    #[must_use]
    pub fn from_text(file: &str, text: &str) -> Self {
        Self { source: ScenarioText::new(file, text) }
    }

    /// Overrides a field: `PATH=VALUE`, as `--set` does.
    ///
    /// # Errors
    /// If the assignment cannot be read. A value that does not fit its field is found by [`Simulation::check`].
    pub fn set(mut self, assignment: &str) -> Result<Self, Diagnostic> {
        self.source.set(assignment)?;
        Ok(self)
    }

    /// Gives the simulation policies of its program, which its congestion control may name (`Own`).
    ///
    /// `docs/guide/own-response.md` has a whole program.
    #[must_use]
    pub fn own(self, policies: OwnPolicies) -> Self {
        Self { source: self.source.with_own(policies) }
    }

    /// Overrides the seed of the random streams.
    ///
    /// # Errors
    /// If the scenario's text has no place for a seed, because its brackets are wrong.
    pub fn seed(self, seed: u64) -> Result<Self, Diagnostic> {
        self.set(&format!("seed={seed}"))
    }

    /// Lets the run end when all its finite traffic is delivered, as `--until-done` does: after `at_most` at the
    /// latest. If that is left out, after ten times the duration.
    ///
    /// # Errors
    /// If the text is not a scenario. Traffic without an end is found by [`Simulation::check`].
    ///
    /// # Examples
    ///
    /// ```
    /// let load = "flows=[(name: \"F\", from: \"H1\", to: \"H2\", start: \"0 s\", message: \"1 MiB\", load: Messages(1))]";
    /// let run = backwater::Simulation::find("one-flow")?.set(load)?.until_done(None)?.run()?;
    /// assert_eq!(run.summary.done_s, Some(run.summary.simulated_s));
    /// # Ok::<(), backwater::SimulationError>(())
    /// ```
    pub fn until_done(mut self, at_most: Option<Span>) -> Result<Self, Diagnostic> {
        self.source.set_until_done(at_most)?;
        Ok(self)
    }

    /// Checks the scenario.
    ///
    /// # Errors
    /// If the scenario or an override is wrong. The [`Diagnostic`] holds all faults, each with its place, path, cause
    /// and remedy.
    pub fn check(&self) -> Result<Plan, Diagnostic> {
        Scenario::read(&self.source)?.check(&self.source)
    }

    /// Checks the scenario and runs it to its end.
    ///
    /// # Errors
    /// If the scenario or an override is wrong, or the run stops early.
    pub fn run(&self) -> Result<FinishedRun, SimulationError> {
        Ok(FinishedRun::of(self.check()?, RunOptions::default(), &mut |_| {})?)
    }
}

/// Returns runs side by side, by label, as `backwater compare` prints them: by these measures, or by all numbers if
/// there are none. Tables fit into `width` characters where possible.
///
/// ```
/// use backwater::{FinishedRun, Simulation};
///
/// let run = Simulation::find("one-flow")?.set("duration=1 ms")?.run()?;
/// let measures = ["goodput(F1)".parse().expect("it is a measure")];
/// let printed = backwater::compared(&[("one", &run), ("same", &run)], &measures, 80);
/// assert!(printed.contains("goodput(F1)"));
/// # Ok::<(), backwater::SimulationError>(())
/// ```
#[must_use]
pub fn compared(runs: &[(&str, &FinishedRun)], measures: &[Measure], width: usize) -> String {
    let runs: Vec<_> = runs
        .iter()
        .map(|(label, run)| ComparedRun {
            label,
            asked: run.plan.name(),
            summary: &run.summary,
            record: &run.record,
            ends: &run.posting,
        })
        .collect();
    Comparison::of(&runs, (!measures.is_empty()).then_some(measures)).printed(width, Shown::All)
}

/// A finished run.
///
/// # Examples
///
/// ```
/// let run = backwater::Simulation::find("one-flow")?.set("duration=1 ms")?.run()?;
/// assert!(run.printed().starts_with("Lost      Nothing"));
/// assert!(run.files().iter().any(|file| file.name == "flows.csv"));
/// # Ok::<(), backwater::SimulationError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FinishedRun {
    /// The checked scenario.
    pub plan: Plan,
    /// Digest, goodput by phase, and totals.
    pub summary: Summary,
    /// Counts, spans and snapshots of the whole run.
    pub record: RunRecord,
    /// For each flow, the end of its posting.
    pub posting: Vec<Posting>,
}

impl FinishedRun {
    /// Runs a plan to its end, and records moments for `timeline.csv` whatever the options say. `progress` is called
    /// now and then with the simulated time reached.
    ///
    /// # Errors
    /// If an invariant of the simulator is violated, or packets are in a deadlock.
    pub fn of(
        plan: Plan,
        options: RunOptions<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Self, RunError> {
        let options = RunOptions { moments: Timeline::MOST, ..options };
        let Outcome { summary, record, posting } = simulate(&plan, options, progress)?;
        Ok(Self { plan, summary, record, posting })
    }

    /// Runs a plan as [`FinishedRun::of`] does, from time zero or from a saved state, and saves it on the way. Earlier
    /// processes took the wall time `earlier` up to that state.
    ///
    /// # Errors
    /// As [`FinishedRun::of`], or if the state does not belong to a run of this plan.
    pub fn saving<'a>(
        plan: Plan,
        options: RunOptions<'a>,
        saving: (Saving<'a>, Duration),
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Self, ResumeError> {
        let options = RunOptions { moments: Timeline::MOST, ..options };
        let Outcome { summary, record, posting } = simulate_saving(&plan, options, saving, progress)?;
        Ok(Self { plan, summary, record, posting })
    }

    /// Returns these measures of the run (`docs/statistics.md`), in their order.
    ///
    /// ```
    /// let run = backwater::Simulation::find("one-flow")?.set("duration=1 ms")?.run()?;
    /// let goodput = &run.measured(&["goodput(all)".parse().expect("it is a measure")])[0];
    /// assert!(goodput.value.is_some_and(|value| value > 1e9));
    /// # Ok::<(), backwater::SimulationError>(())
    /// ```
    #[must_use]
    pub fn measured(&self, measures: &[Measure]) -> Vec<Measured> {
        let run = measures::run::MeasuredRun { record: &self.record, ends: &self.posting };
        measures::run::several(run, measures.iter().cloned())
    }

    /// Returns the way in which the run ended.
    #[must_use]
    pub fn end(&self) -> RunEnd {
        RunEnd::of(&self.record)
    }

    /// Returns the output of `backwater sim` for a terminal of unknown width: the verdict and the numbers that matter
    /// most.
    #[must_use]
    pub fn printed(&self) -> String {
        self.printed_within(results::format::WIDTH)
    }

    /// Returns the same for a terminal of this width, in characters. Tables fit into it where possible.
    #[must_use]
    pub fn printed_within(&self, width: usize) -> String {
        brief::printed(&self.summary, &self.record, width)
    }

    /// Returns the verdict and all tables, which `backwater sim --tables` prints, for a terminal of this width.
    #[must_use]
    pub fn tables_within(&self, width: usize) -> String {
        let verdict = brief::verdict(&self.summary.verdict, width);
        let mut parts = vec![verdict, printed::tables(&self.summary, width)];
        parts.extend(self.plan.ecn_first().map(|first| wording::ecn_before_pfc(&first)));
        parts.push(completions::printed(&self.summary, width));
        parts.push(congestion::printed(&self.record, width));
        parts.push(margins::printed(&self.record, width));
        parts.join("\n")
    }

    /// Returns the files that `backwater sim` writes. Files that the scenario names are among them, so that `plan.ron`
    /// can be run again in their folder.
    #[must_use]
    pub fn files(&self) -> Vec<OutputFile> {
        self.output().files
    }

    /// Returns the same files, and the figures that are not among them, with the reasons.
    #[must_use]
    pub fn output(&self) -> RunOutput {
        self.output_of(self.made(), &FileChoice::All)
    }

    /// Returns the files of the run, each made when it is first asked for.
    #[must_use]
    pub fn made(&self) -> MadeFiles<'_> {
        MadeFiles::new(&self.summary, &self.record, self.plan.resolved())
    }

    /// Returns those files that are chosen, and the chosen figures that are not among them. Files that the scenario
    /// names go with `plan.ron`. `made` are the files of this run.
    #[must_use]
    pub fn output_of(&self, made: MadeFiles<'_>, choice: &FileChoice) -> RunOutput {
        let mut output = figures::output_of(made, choice);
        if choice.has("plan.ron") {
            let named = self.plan.files().clone().into_iter();
            output.files.extend(named.map(|(name, contents)| OutputFile { name, contents }));
        }
        output
    }

    /// Writes [`FinishedRun::files`] and their manifest to a folder, which is made if it does not exist. Files of an
    /// earlier run of the same plan go.
    ///
    /// # Errors
    /// If the folder holds the results of another run, or a file cannot be written. Then nothing changes.
    pub fn write(&self, folder: &Path) -> Result<(), OutputError> {
        let (manifest, output) = (provenance::run_manifest(&self.plan, &[]), self.output());
        let undrawn = output.undrawn.iter().map(UndrawnEntry::from).collect();
        ResultFolder::open(folder, &manifest, false)?.write(&Manifest { undrawn, ..manifest }, &output.files)
    }
}
