//! One setting of the congestion control over its range: a number against it, as a figure and a file.
//!
//! Invariant: a point is the same whatever the other points are.

use report::File;
use report::curves::{Axis, Line, Point, Scale};
use serde::Deserialize;

use super::claims::{Measure, Paper, Run, Seeds, Unit};
use super::judge::in_unit;
use super::measure::measured;
use super::statistics::Estimate;
use super::tuning::Tuning;
use crate::engine::Outcome;

/// A run with one of its settings at many values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sweep {
    /// What its files are called, without `.svg` and `.csv`.
    pub(crate) name: String,
    /// What it shows.
    title: String,
    /// What stands below the figure: the setting, with its unit.
    setting: String,
    /// What the setting is at 100 percent.
    at_100_percent: f64,
    /// The run, by name.
    run: String,
    /// The settings, in rising order.
    values: Vec<Tuning>,
    /// With how many seeds each is run.
    pub(crate) seeds: Seeds,
    /// What is read off each run: single numbers, by name.
    lines: Vec<(String, Measure)>,
    /// In what.
    unit: Unit,
    /// What the lines are to be held against: what it is called, and its value in the unit.
    #[serde(default)]
    levels: Vec<(String, f64)>,
}

impl Sweep {
    /// What is wrong with it.
    pub(crate) fn fault(&self, paper: &Paper) -> Option<String> {
        if !paper.runs.contains_key(&self.run) {
            return Some(format!("{} sweeps `{}`, which is not among the runs", self.name, self.run));
        }
        if self.seeds.quick == 0 || self.seeds.full == 0 || self.values.is_empty() {
            return Some(format!("the sweep {} needs a seed and a value", self.name));
        }
        self.lines.iter().find_map(|(name, measure)| paper.fault_of_unit(name, measure, &self.unit))
    }

    /// Its runs, a value each.
    pub(crate) fn runs(&self, paper: &Paper) -> Vec<Run> {
        let base = &paper.runs[&self.run];
        let tuned = |tuning: &Tuning| Run {
            tune: base.tune.iter().copied().chain([*tuning]).collect(),
            ..base.clone()
        };
        self.values.iter().map(tuned).collect()
    }

    /// The figure and its numbers; `outcome` finds a run's by seed, and `reference` a quantity's number.
    ///
    /// # Errors
    /// What a run does not have.
    pub(crate) fn files<'a>(
        &self,
        paper: &Paper,
        full: bool,
        outcome: impl Fn(&Run, u64) -> &'a Outcome,
        reference: impl Fn(&str, u64) -> f64,
    ) -> Result<Vec<File>, String> {
        let runs = self.runs(paper);
        let estimate = |run: &Run, measure: &Measure| -> Result<Estimate, String> {
            let one = |seed| {
                let number = measured(measure, outcome(run, seed))?[0];
                Ok(in_unit(number, &self.unit, |name| reference(name, seed)))
            };
            Ok(Estimate::of(&self.seeds.all(full).map(one).collect::<Result<Vec<_>, String>>()?))
        };
        let mut lines = Vec::new();
        for (name, measure) in &self.lines {
            let mut points = Vec::new();
            for (value, run) in self.values.iter().zip(&runs) {
                let Estimate { mean, ci95, .. } = estimate(run, measure)?;
                points.push(Point { x: self.at_100_percent * value.percent() / 100.0, y: mean, ci95 });
            }
            lines.push(Line { name: name.clone(), points });
        }
        let axes = Axis { x: self.setting.clone(), y: self.unit.word(), scale: Scale::Log };
        let drawn = report::curves::drawn(&self.title, &axes, &lines, &self.levels);
        Ok(vec![
            File { name: format!("{}.svg", self.name), contents: drawn },
            File { name: format!("{}.csv", self.name), contents: report::curves::csv(&lines) },
        ])
    }
}
