//! `compare.svg`: runs overlaid, a panel for each subject.
//!
//! Invariant: a run has the same colour and dash in all panels, and panels of goodput have the same axis or say that
//! theirs is finer.

use results::distinct::distinct;
use results::reader::{ReadError, RunFacts, RunFiles};
use results::rows::MessageRow;
use results::table::TableRow;

use super::completions::CompletionCurve;
use super::engine::{Axis, Chart, Ink, Layer, Line, Panel};
use super::goodput::{GoodputSeries, LABEL, SMALL, phases};
use super::scales;
use super::victims::{self, Victims};

/// The curves of a run among others.
#[derive(Clone, Debug)]
pub struct RunCurves {
    /// Label and scheme.
    name: String,
    /// Label and the words of the run, if the label does not say them.
    note: Option<String>,
    facts: RunFacts,
    series: GoodputSeries,
    victims: Victims,
    completions: Option<CompletionCurve>,
}

/// Returns the figure of these runs.
#[must_use]
pub fn compared(runs: &[RunCurves]) -> Chart {
    let end = runs.iter().map(|run| run.facts.end_s()).fold(0.0, f64::max);
    let (time, per_second) = Axis::time(end);
    let subjects = subjects(runs);
    let drawn = &subjects[..subjects.len().min(SMALL)];
    let columns = match drawn.len() {
        0..=3 => 1,
        4..=8 => 2,
        _ => 3,
    };
    let height = if columns == 1 { 150.0 } else { 110.0 };
    let panel = |subject: &Subject<'_>| {
        let layers = phases_of(runs, per_second).into_iter().chain(lines(runs, *subject, per_second));
        let layers: Vec<_> = layers.collect();
        let y = Axis::from_zero(LABEL, layers.iter().flat_map(drawn_values));
        Panel { title: subject.title(runs), x: time.clone(), y, height, layers }
    };
    let mut panels: Vec<_> = drawn.iter().map(panel).collect();
    scales::share(&mut panels);
    panels.extend(completion_panel(runs, height));
    let mut notes: Vec<_> = runs.iter().filter_map(|run| run.note.clone()).collect();
    if subjects.len() > drawn.len() {
        notes.push(format!("{} further flows and groups are not drawn.", subjects.len() - drawn.len()));
    }
    let scenarios = distinct(runs.iter().map(|run| run.facts.scenario.as_str()));
    let seeds = distinct(runs.iter().map(|run| run.facts.seed));
    let numbers: Vec<_> = seeds.iter().map(ToString::to_string).collect();
    let seeds = format!("{} {}", if seeds.len() == 1 { "seed" } else { "seeds" }, numbers.join(", "));
    let title = format!("{}: goodput over time of {} runs, {seeds}", scenarios.join(", "), runs.len());
    let description =
        "Goodput over simulated time, a line for each run and a panel for each flow or group; a line is thick where the flow is \
         a victim of a congestion tree."
            .to_owned();
    Chart { title, description, panels, columns, notes, ..Chart::default() }
}

impl RunCurves {
    /// Reads the curves of a run from its files. `label` names the run in the comparison, which asked for it as `asked`.
    ///
    /// # Errors
    /// If the run lacks a file.
    pub fn read((label, asked): (&str, &str), files: RunFiles<'_>) -> Result<Self, ReadError> {
        let facts = files.summary()?;
        let completions = if files.has(MessageRow::FILE) { CompletionCurve::read(files)? } else { None };
        let name = format!("{label}: {}", facts.scheme());
        let note = (label != asked).then(|| format!("{label}: {asked}"));
        let series = GoodputSeries::read(files)?;
        let victims = Victims::read(files, series.of_kind("flow").map(|flow| flow.name.as_str()))?;
        Ok(Self { name, note, facts, series, victims, completions })
    }
}

/// A flow, a group, or all other flows, by kind and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Subject<'a> {
    kind: &'a str,
    name: &'a str,
}

impl Subject<'_> {
    fn title(&self, runs: &[RunCurves]) -> String {
        match self.kind {
            "group" => format!("{} (group)", self.name),
            "others" => "Flows without a name or a group, together".to_owned(),
            _ if self.is_victim(runs) && !victims::is_named_so(self.name) => {
                format!("{} (victim)", self.name)
            }
            _ => self.name.to_owned(),
        }
    }

    fn is_victim(&self, runs: &[RunCurves]) -> bool {
        runs.iter().any(|run| run.victims.has(self.name))
    }
}

/// Returns the subjects of all runs: groups, all others, then single flows, victims first.
fn subjects(runs: &[RunCurves]) -> Vec<Subject<'_>> {
    let of_kind = |kind: &'static str| {
        let curves = runs.iter().flat_map(move |run| run.series.of_kind(kind));
        curves.map(move |curve| Subject { kind, name: &curve.name })
    };
    let flows = runs.iter().flat_map(|run| run.series.single_flows(&run.victims));
    let flows = flows.map(|flow| Subject { kind: "flow", name: &flow.name });
    let (victims, unhurt): (Vec<_>, Vec<_>) = flows.partition(|flow| flow.is_victim(runs));
    distinct(["group", "others"].into_iter().flat_map(of_kind).chain(victims).chain(unhurt))
}

/// Returns the phases, if all runs have the same.
fn phases_of(runs: &[RunCurves], per_second: f64) -> Vec<Layer> {
    let of = |run: &RunCurves| -> Vec<(String, f64)> {
        run.facts.phases.iter().map(|phase| (phase.name.clone(), phase.from_s)).collect()
    };
    match runs.split_first() {
        Some((first, rest)) if rest.iter().all(|run| of(run) == of(first)) => {
            phases(&first.facts, per_second)
        }
        _ => Vec::new(),
    }
}

fn lines(runs: &[RunCurves], subject: Subject<'_>, per_second: f64) -> Vec<Layer> {
    let line = |(place, run): (usize, &RunCurves)| {
        let curve = run.series.of_kind(subject.kind).find(|curve| curve.name == subject.name)?;
        let points = run.series.points(curve, per_second);
        let thick = subject.kind == "flow" && run.victims.has(subject.name);
        Some(Layer::Line(Line { thick, ..Line::new(run.name.clone(), Ink::Palette(place), points) }))
    };
    runs.iter().enumerate().filter_map(line).collect()
}

fn drawn_values(layer: &Layer) -> Vec<f64> {
    if let Layer::Line(line) = layer { line.drawn_values() } else { Vec::new() }
}

/// Returns the panel of completion times, if a run has them.
fn completion_panel(runs: &[RunCurves], height: f64) -> Option<Panel> {
    let line = |(place, run): (usize, &RunCurves)| {
        run.completions.as_ref().map(|curve| curve.line(run.name.clone(), Ink::Palette(place)))
    };
    let lines: Vec<Line> = runs.iter().enumerate().filter_map(line).collect();
    let times = lines.iter().flat_map(|line| line.points.iter().map(|(time, _)| *time));
    let (x, y) = super::completions::axes(times);
    let layers = lines.iter().cloned().map(Layer::Line).collect();
    (!lines.is_empty()).then(|| Panel {
        title: "Messages delivered within a time".to_owned(),
        x,
        y,
        height,
        layers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn sums_come_first_then_victims_and_all_have_the_same_axis() {
        let files = fixture::files();
        let run = |label, asked| {
            RunCurves::read((label, asked), RunFiles::Written(&files)).expect("the files are right")
        };
        let chart = compared(&[run("victim", "victim"), run("b", "victim:marking.threshold=3")]);
        assert_eq!(chart.notes[0], "b: victim:marking.threshold=3");
        assert!(chart.title.contains(" of 2 runs, seed "), "{}", chart.title);
        let titles: Vec<&str> = chart.panels.iter().map(|panel| panel.title.as_str()).collect();
        let others = "Flows without a name or a group, together";
        let completions = "Messages delivered within a time";
        assert_eq!(titles, ["contributors (group)", others, "F2 (victim)", "F1", completions]);
        let (goodput, _) = chart.panels.split_at(4);
        assert!(goodput.iter().all(|panel| panel.y == goodput[0].y), "{goodput:?}");
        let thick = |panel: &Panel| {
            panel.layers.iter().filter(|layer| matches!(layer, Layer::Line(line) if line.thick)).count()
        };
        assert_eq!(goodput.iter().map(thick).collect::<Vec<_>>(), [0, 0, 2, 0]);
    }
}
