//! Shares of flows in their total, a bar for each run, a part of the bar for each flow.
//!
//! Invariant: a figure needs no run that the claims do not need, and the parts of a bar are 1 together.

use experiment::Outcome;
use figures::engine::{Axis, Chart, Ink, Layer, Panel};
use results::OutputFile;
use serde::Deserialize;

use super::{Runs, figure_files};
use crate::language::Measure;
use crate::measurement::{NotInRun, measured};

/// A bar for each run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShareFigure {
    /// Name of its files, without `.svg` and `.csv`.
    pub name: String,
    /// Title of the figure.
    title: String,
    /// Name and run of each bar, from left to right.
    bars: Vec<(String, String)>,
    /// Flows, from the bottom of a bar to its top.
    flows: Vec<String>,
    /// Phase, counted from 1. Shares cover its second half.
    phase: usize,
    /// Notes below the figure.
    #[serde(default)]
    notes: Vec<String>,
}

impl ShareFigure {
    /// Returns the title.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// Returns the names of its runs.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &str> {
        self.bars.iter().map(|(_, run)| run.as_str())
    }

    /// Returns the fault of the figure, if any.
    pub(crate) fn fault(&self, runs: &Runs) -> Option<String> {
        if self.flows.is_empty() || self.phase == 0 {
            return Some(format!("the figure {} needs a flow and a phase counted from 1", self.name));
        }
        let missing = self.bars.iter().find(|(_, run)| !runs.contains_key(run));
        missing.map(|(_, run)| format!("the figure {} shows `{run}`, which is not among the runs", self.name))
    }

    /// Returns the figure and its numbers. `outcomes` returns a run's outcomes by its name, in the order of seeds.
    ///
    /// # Errors
    /// If a run lacks a flow or the phase.
    pub(crate) fn files<'a>(
        &self,
        outcomes: impl Fn(&str) -> Vec<&'a Outcome>,
    ) -> Result<Vec<OutputFile>, NotInRun> {
        let bars = self.bars.iter().map(|(_, run)| self.shares(&outcomes(run)));
        let bars = bars.collect::<Result<Vec<_>, NotInRun>>()?;
        // A part stands upon the parts of the flows before it, so the bar of all of them is drawn first.
        let layers = self.flows.iter().enumerate().rev().map(|(place, flow)| Layer::Bars {
            name: flow.clone(),
            ink: Ink::Palette(place),
            values: bars.iter().map(|shares| shares[..=place].iter().sum()).collect(),
        });
        let panel = Panel {
            title: String::new(),
            x: Axis::of_names("", self.bars.iter().map(|(name, _)| name.clone())),
            y: Axis::from_zero("share of the total, with the flows below", core::iter::once(1.0)),
            height: 240.0,
            layers: layers.collect(),
        };
        let chart = Chart {
            title: self.title.clone(),
            description: "The part of each flow in the total goodput, a bar for each run.".to_owned(),
            panels: vec![panel],
            columns: 1,
            notes: self.notes.clone(),
            ..Chart::default()
        };
        Ok(figure_files(&self.name, &chart))
    }

    /// Returns the share of each flow in the total of all of them, as the mean over the seeds.
    fn shares(&self, outcomes: &[&Outcome]) -> Result<Vec<f64>, NotInRun> {
        let measure = Measure::Goodput { flows: self.flows.clone(), phase: self.phase };
        let mut shares = vec![0.0; self.flows.len()];
        for outcome in outcomes {
            let goodput = measured(&measure, outcome)?;
            let total: f64 = goodput.iter().sum();
            for (share, goodput) in shares.iter_mut().zip(&goodput) {
                *share += goodput / total / outcomes.len() as f64;
            }
        }
        Ok(shares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::tests::outcome;

    fn figure() -> ShareFigure {
        ShareFigure {
            name: "shares".to_owned(),
            title: "shares".to_owned(),
            bars: vec![("one".to_owned(), "a".to_owned()), ("two".to_owned(), "b".to_owned())],
            flows: ["F1", "F2", "F3"].map(str::to_owned).to_vec(),
            phase: 1,
            notes: Vec::new(),
        }
    }

    /// In the second half of the first phase the flows have 4, 4 and 8 Gb/s.
    #[test]
    fn parts_stand_upon_each_other_and_are_one() {
        let outcome = outcome();
        let files = figure().files(|_| vec![&outcome, &outcome]).unwrap();
        assert_eq!(files[0].name, "shares.svg");
        let rows: Vec<_> = files[1].contents.lines().filter(|line| line.contains(",bar,")).collect();
        let values: Vec<_> = rows.iter().map(|row| row.rsplit(',').nth(2).unwrap()).collect();
        assert_eq!(values, ["1.0", "1.0", "0.5", "0.5", "0.25", "0.25"], "{rows:?}");
    }

    #[test]
    fn a_run_or_flow_that_is_missing_is_named() {
        let runs = Runs::new();
        assert!(figure().fault(&runs).unwrap().ends_with("shows `a`, which is not among the runs"));
        let (outcome, figure) = (outcome(), ShareFigure { flows: vec!["F9".to_owned()], ..figure() });
        assert_eq!(figure.files(|_| vec![&outcome]).err(), Some(NotInRun::Flow("F9".to_owned())));
        let none = ShareFigure { flows: Vec::new(), ..figure };
        assert!(none.fault(&runs).unwrap().contains("needs a flow"));
    }
}
