//! A setting of the congestion control over its range: a number against the setting, as a figure and a file.
//!
//! Invariant: a point does not depend on the other points.

use experiment::{Estimate, Outcome, RelativeSetting, RunSpec, SeedCount};
use figures::engine::{Axis, Chart, Ink, Layer, Line, Panel, Reduction};
use results::OutputFile;
use serde::Deserialize;

use super::{Runs, figure_files};
use crate::language::{Measure, References, Unit};
use crate::measurement::{NotInRun, measured};

/// A run with a setting at many values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterSweep {
    /// Name of its files, without `.svg` and `.csv`.
    pub name: String,
    /// Title of the figure.
    title: String,
    /// Label of the horizontal axis: the setting, with its unit.
    setting: String,
    /// Value of the setting at 100 percent.
    at_100_percent: f64,
    /// Name of the run.
    run: String,
    /// Values of the setting, in rising order.
    values: Vec<RelativeSetting>,
    /// Number of seeds of each value.
    pub seeds: SeedCount,
    /// Single numbers of each run, by name.
    lines: Vec<(String, Measure)>,
    /// Unit of the numbers.
    unit: Unit,
    /// Horizontal lines to compare with, by name, in the unit.
    #[serde(default)]
    levels: Vec<(String, f64)>,
    /// Label of the vertical axis; the unit if left out.
    #[serde(default)]
    label: Option<String>,
    /// Notes below the figure.
    #[serde(default)]
    notes: Vec<String>,
}

impl ParameterSweep {
    /// Returns the title.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// Returns the name of its run.
    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    /// Returns the name of the reference of which its numbers are shares.
    pub(crate) fn reference(&self) -> Option<&str> {
        self.unit.reference()
    }

    /// Returns the fault of the sweep, if any.
    pub(crate) fn fault(&self, runs: &Runs, references: &References) -> Option<String> {
        if !runs.contains_key(&self.run) {
            return Some(format!("{} sweeps `{}`, which is not among the runs", self.name, self.run));
        }
        if self.seeds.lacks_one() || self.values.is_empty() {
            return Some(format!("the sweep {} needs a seed and a value", self.name));
        }
        if self.values.iter().any(|value| value.percent().is_none()) {
            return Some(format!("the sweep {} has a value that is no number", self.name));
        }
        self.lines.iter().find_map(|(name, measure)| references.fault_of_unit(name, measure, &self.unit))
    }

    /// Returns the runs, in the order of values; `runs` are the paper's.
    pub(crate) fn runs(&self, runs: &Runs) -> Vec<RunSpec> {
        let base = &runs[&self.run];
        let tuned = |tuning: &RelativeSetting| RunSpec {
            tune: base.tune.iter().copied().chain([*tuning]).collect(),
            ..base.clone()
        };
        self.values.iter().map(tuned).collect()
    }

    /// Returns the figure and its numbers. `outcome` returns the outcome of a run and seed, `reference` the number of a
    /// reference with a seed.
    ///
    /// # Errors
    /// If a run lacks the subject of a measure.
    pub(crate) fn files<'a>(
        &self,
        runs: &Runs,
        full: bool,
        outcome: impl Fn(&RunSpec, u64) -> &'a Outcome,
        reference: impl Fn(&str, u64) -> Result<f64, NotInRun>,
    ) -> Result<Vec<OutputFile>, NotInRun> {
        let runs = self.runs(runs);
        let estimate = |run: &RunSpec, measure: &Measure| -> Result<Estimate, NotInRun> {
            let one = |seed| {
                let number = measured(measure, outcome(run, seed))?[0];
                Ok(number / self.unit.scale(|name| reference(name, seed))?)
            };
            Ok(Estimate::of(&self.seeds.seeds(full).map(one).collect::<Result<Vec<_>, NotInRun>>()?))
        };
        let mut lines = Vec::new();
        for (place, (name, measure)) in self.lines.iter().enumerate() {
            let (mut points, mut intervals) = (Vec::new(), Vec::new());
            for (percent, run) in self.values.iter().filter_map(|value| value.percent()).zip(&runs) {
                let Estimate { mean, ci95, .. } = estimate(run, measure)?;
                let x = self.at_100_percent * percent / 100.0;
                points.push((x, Some(mean)));
                intervals.extend(ci95.map(|half| (x, mean - half, mean + half)));
            }
            let line = Line::new(name.clone(), Ink::Palette(place), points);
            lines.push(Line { intervals, dots: true, reduction: Reduction::None, ..line });
        }
        Ok(figure_files(&self.name, &self.chart(&lines)))
    }

    fn chart(&self, lines: &[Line]) -> Chart {
        let points = || lines.iter().flat_map(|line| &line.points);
        let x = Axis::log(self.setting.clone(), points().map(|(x, _)| *x));
        let values = points().filter_map(|(_, y)| *y).chain(self.levels.iter().map(|level| level.1));
        let ends = lines.iter().flat_map(|line| line.intervals.iter().map(|(_, _, high)| *high));
        let label = self.label.clone().unwrap_or_else(|| self.unit.word());
        let y = Axis::from_zero(label, values.chain(ends));
        let levels =
            self.levels.iter().map(|(name, value)| Layer::Level { name: name.clone(), value: *value });
        let layers = levels.chain(lines.iter().cloned().map(Layer::Line)).collect();
        let panel = Panel { title: String::new(), x, y, height: 320.0, layers };
        Chart {
            title: self.title.clone(),
            description:
                "A number of each run against a setting; upright lines are 95 % intervals over seeds."
                    .to_owned(),
            panels: vec![panel],
            columns: 1,
            notes: self.notes.clone(),
            ..Chart::default()
        }
    }
}
