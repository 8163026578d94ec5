//! Numbers of runs as bars, a bar for each run, a panel for each group of runs.
//!
//! Invariant: a figure needs no run that the claims do not need, and a bar is the mean over the seeds.

use experiment::Outcome;
use figures::engine::{Axis, Chart, Ink, Layer, Panel};
use measures::statistics::mean;
use results::OutputFile;
use serde::Deserialize;

use super::{Runs, figure_files};
use crate::language::{Measure, Unit};
use crate::measurement::{NotInRun, measured};

/// Panels of bars.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BarFigure {
    /// Name of its files, without `.svg` and `.csv`.
    pub name: String,
    /// Title of the figure.
    title: String,
    /// Label of the vertical axis.
    label: String,
    /// Title of each panel, and the name and the run of each of its bars.
    panels: Vec<(String, Vec<(String, String)>)>,
    /// Numbers of each run, by name. Each stands before those that follow it, so the largest comes last.
    numbers: Vec<(String, Measure)>,
    /// Unit of the numbers; no share of a reference.
    unit: Unit,
    /// A name, and a number for each run, in the order of the panels: a bar behind all others.
    #[serde(default)]
    bounds: Option<(String, Vec<f64>)>,
    /// Notes below the figure.
    #[serde(default)]
    notes: Vec<String>,
}

impl BarFigure {
    /// Returns the title.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// Returns the names of its runs.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &str> {
        self.panels.iter().flat_map(|(_, bars)| bars).map(|(_, run)| run.as_str())
    }

    /// Returns the fault of the figure, if any.
    pub(crate) fn fault(&self, runs: &Runs) -> Option<String> {
        let name = &self.name;
        if self.numbers.is_empty() || self.panels.iter().any(|(_, bars)| bars.is_empty()) {
            return Some(format!("the figure {name} needs a number, and a bar in each panel"));
        }
        if let Some((number, _)) = self.numbers.iter().find(|(_, measure)| !self.fits(measure)) {
            return Some(format!("the unit of the figure {name} does not fit `{number}`"));
        }
        if self.bounds.as_ref().is_some_and(|(_, bounds)| bounds.len() != self.runs().count()) {
            return Some(format!("the figure {name} needs a bound for each run"));
        }
        let missing = self.runs().find(|run| !runs.contains_key(*run));
        missing.map(|run| format!("the figure {name} shows `{run}`, which is not among the runs"))
    }

    fn fits(&self, measure: &Measure) -> bool {
        self.unit.reference().is_none() && measure.unit() == self.unit.plain()
    }

    /// Returns the figure and its numbers. `outcomes` returns a run's outcomes by its name, in the order of seeds.
    ///
    /// # Errors
    /// If a run lacks the subject of a number.
    pub(crate) fn files<'a>(
        &self,
        outcomes: impl Fn(&str) -> Vec<&'a Outcome>,
    ) -> Result<Vec<OutputFile>, NotInRun> {
        let of_run = |measure: &Measure, run: &str| self.number(measure, &outcomes(run));
        let (mut before, mut panels) = (0, Vec::new());
        for (title, bars) in &self.panels {
            let mut layers = Vec::new();
            if let Some((name, bounds)) = &self.bounds {
                let values = bounds[before..before + bars.len()].to_vec();
                layers.push(Layer::Bars {
                    name: name.clone(),
                    ink: Ink::Palette(self.numbers.len()),
                    values,
                });
            }
            for (place, (name, measure)) in self.numbers.iter().enumerate().rev() {
                let values = bars.iter().map(|(_, run)| of_run(measure, run)).collect::<Result<_, _>>()?;
                layers.push(Layer::Bars { name: name.clone(), ink: Ink::Palette(place), values });
            }
            before += bars.len();
            panels.push((title, bars, layers));
        }
        let values = panels.iter().flat_map(|(_, _, layers)| layers).flat_map(|layer| match layer {
            Layer::Bars { values, .. } => values.as_slice(),
            _ => &[],
        });
        let y = Axis::from_zero(self.label.clone(), values.copied());
        let panel = |(title, bars, layers): (&String, &Vec<(String, String)>, Vec<Layer>)| Panel {
            title: title.clone(),
            x: Axis::of_names("", bars.iter().map(|(name, _)| name.clone())),
            y: y.clone(),
            height: 200.0,
            layers,
        };
        let chart = Chart {
            title: self.title.clone(),
            description: "A bar for each run, in front of each other where a run has several numbers."
                .to_owned(),
            panels: panels.into_iter().map(panel).collect(),
            columns: 1,
            notes: self.notes.clone(),
            ..Chart::default()
        };
        Ok(figure_files(&self.name, &chart))
    }

    /// Returns a number of a run as the mean over its seeds.
    fn number(&self, measure: &Measure, outcomes: &[&Outcome]) -> Result<f64, NotInRun> {
        // A unit that is no share of a reference has a scale of its own.
        let scale = self.unit.scale(|_| Ok(1.0))?;
        let numbers = outcomes.iter().map(|outcome| Ok(measured(measure, outcome)?[0] / scale));
        let numbers = numbers.collect::<Result<Vec<_>, NotInRun>>()?;
        Ok(mean(&numbers).expect("a run has a seed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::tests::outcome;

    /// In the second half of the first phase the flows have 4, 4 and 8 Gb/s.
    const FIGURE: &str = r#"(
        name: "bars", title: "bars", label: "Gb/s", unit: Gbps,
        panels: [("left", [("one", "a")]), ("right", [("two", "a"), ("three", "b")])],
        numbers: [("F1", Goodput(flows: ["F1"], phase: 1)), ("all", Total(phase: 1))],
        bounds: Some(("bound", [17.0, 18.0, 19.0])),
    )"#;

    fn figure(from: &str, to: &str) -> BarFigure {
        let options = ron::Options::default();
        options.from_str(&FIGURE.replacen(from, to, 1)).expect("a figure")
    }

    #[test]
    fn bars_stand_in_front_of_larger_ones() {
        let outcome = outcome();
        let files = figure("", "").files(|_| vec![&outcome, &outcome]).unwrap();
        assert_eq!(files[0].name, "bars.svg");
        let rows: Vec<_> = files[1].contents.lines().filter(|line| line.contains(",bar,")).collect();
        let values: Vec<_> = rows.iter().map(|row| row.rsplit(',').nth(2).unwrap()).collect();
        assert_eq!(values, ["17.0", "16.0", "4.0", "18.0", "19.0", "16.0", "16.0", "4.0", "4.0"], "{rows:?}");
    }

    #[test]
    fn faults_are_named() {
        let runs: Runs = ["a", "b"]
            .map(|name| (name.to_owned(), ron::from_str(r#"(scenario: "victim")"#).unwrap()))
            .into();
        assert_eq!(figure("", "").fault(&runs), None);
        for (from, to, fault) in [
            (r#"("three", "b")"#, r#"("three", "c")"#, "shows `c`"),
            (r#"("one", "a")"#, "", "a bar in each panel"),
            ("unit: Gbps", "unit: Ms", "does not fit `F1`"),
            ("17.0, ", "", "a bound for each run"),
        ] {
            let found = figure(from, to).fault(&runs).expect("a fault");
            assert!(found.contains(fault), "{found}");
        }
        let outcome = outcome();
        let missing = figure(r#"["F1"]"#, r#"["F9"]"#).files(|_| vec![&outcome]);
        assert_eq!(missing.err(), Some(NotInRun::Flow("F9".to_owned())));
    }
}
