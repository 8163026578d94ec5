//! Goodput over time of the runs that claims look at, a panel for each run.
//!
//! Invariant: a figure needs no run that the claims do not need.

use experiment::Outcome;
use figures::engine::{Axis, Chart, Ink, Layer, Line, Panel};
use figures::peaks::below_peaks;
use results::OutputFile;
use scenario::Plan;
use serde::Deserialize;
use telemetry::SeriesColumn;
use units::{Bytes, Span};

use super::fluid::FluidLine;
use super::{Runs, figure_files};
use crate::measurement::{NotInRun, named_flows, queue_column};

/// Goodput over time, with the panels of several runs below each other.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoodputFigure {
    /// Name of its file, without `.svg`.
    pub name: String,
    /// Title of the figure.
    title: String,
    /// Title and run of each panel, from top to bottom.
    panels: Vec<(String, String)>,
    /// Lines of each panel: a name, and flows. The line is the mean goodput of the flows that are active. Without a
    /// flow, it is the goodput of all flows together.
    #[serde(default)]
    lines: Vec<(String, Vec<String>)>,
    /// An output, such as `A:11`. Its queue is drawn instead of goodput. The runs watch it.
    #[serde(default)]
    queue: Option<String>,
    /// Shaded phases, counted from 1.
    #[serde(default)]
    shaded: Vec<usize>,
    /// Horizontal lines to compare with: name, and goodput in Gb/s.
    #[serde(default)]
    levels: Vec<(String, f64)>,
    /// A line of DCQCN's fluid model in each panel.
    #[serde(default)]
    fluid: Option<FluidLine>,
    /// Notes below the figure.
    #[serde(default)]
    notes: Vec<String>,
    /// End of all panels, for runs of different lengths; the end of the longest run if left out.
    #[serde(default)]
    until: Option<Span>,
}

impl GoodputFigure {
    /// Returns the title.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// Returns the names of its runs.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &str> {
        self.panels.iter().map(|(_, run)| run.as_str())
    }

    /// Returns the fault of the figure, if any.
    pub(crate) fn fault(&self, runs: &Runs) -> Option<String> {
        let missing = self.panels.iter().find(|(_, run)| !runs.contains_key(run));
        missing.map(|(_, run)| format!("the figure {} shows `{run}`, which is not among the runs", self.name))
    }

    /// Returns the figure and its numbers. `outcome` and `plan` return a run's outcome and plan by its name.
    ///
    /// # Errors
    /// If a run lacks a flow.
    pub(crate) fn files<'a>(
        &self,
        outcome: impl Fn(&str) -> &'a Outcome,
        plan: impl Fn(&str) -> Plan,
    ) -> Result<Vec<OutputFile>, NotInRun> {
        let curves = |(_, run): &(String, String)| self.curves(outcome(run), || plan(run));
        let curves = self.panels.iter().map(curves).collect::<Result<Vec<_>, NotInRun>>()?;
        let seconds = |curve: &Curve| curve.interval * curve.goodput.len() as f64;
        let (time, per_second) = Axis::time(curves.iter().flatten().map(seconds).fold(0.0, f64::max));
        let values =
            curves.iter().flatten().flat_map(Curve::drawn).chain(self.levels.iter().map(|level| level.1));
        let y = Axis::from_zero("goodput (Gb/s)", values);
        let panel = |((title, run), curves): (&(String, String), &Vec<Curve>)| {
            let shaded = self.shaded(outcome(run), per_second);
            let levels =
                self.levels.iter().map(|(name, value)| Layer::Level { name: name.clone(), value: *value });
            let lines =
                curves.iter().enumerate().map(|(place, curve)| Layer::Line(curve.line(place, per_second)));
            let layers = shaded.chain(levels).chain(lines).collect();
            let (title, x, height) = (title.clone(), time.clone(), 120.0);
            match self.queue {
                // All flows start at line rate, and the first peak would squeeze the rest.
                Some(_) => below_peaks(title, x, "queue (KB)", height, layers),
                None => Panel { title, x, y: y.clone(), height, layers },
            }
        };
        let panels = self.panels.iter().zip(&curves).map(panel).collect();
        let description = format!(
            "{} over simulated time, a panel for each run.",
            if self.queue.is_some() { "A queue" } else { "Goodput" }
        );
        let chart = Chart {
            title: self.title.clone(),
            description,
            panels,
            columns: 1,
            notes: self.notes.clone(),
            ..Chart::default()
        };
        Ok(figure_files(&self.name, &chart))
    }

    /// Returns the phases of a run that are shaded.
    fn shaded(&self, outcome: &Outcome, per_second: f64) -> impl Iterator<Item = Layer> {
        let phases = (1..).zip(&outcome.summary.phases).filter(|(number, _)| self.shaded.contains(number));
        phases.map(move |(_, phase)| Layer::Shaded {
            from: phase.from_s * per_second,
            to: phase.to_s * per_second,
        })
    }

    fn curves(&self, outcome: &Outcome, plan: impl Fn() -> Plan) -> Result<Vec<Curve>, NotInRun> {
        let mut curves = match &self.queue {
            Some(place) => self.queues(place, outcome, plan)?,
            None => self.goodputs(outcome, plan)?,
        };
        if let Some(until) = self.until {
            let samples = (until.seconds() / outcome.record.series.interval.seconds()).ceil() as usize;
            curves.iter_mut().for_each(|curve| curve.goodput.truncate(samples));
        }
        Ok(curves)
    }

    /// Returns the queue of an output in KB, simulated and by the fluid model.
    fn queues(
        &self,
        place: &str,
        outcome: &Outcome,
        plan: impl Fn() -> Plan,
    ) -> Result<Vec<Curve>, NotInRun> {
        let interval = outcome.record.series.interval.seconds();
        let column = queue_column(outcome, place)?;
        let queue = outcome.record.watched.rows.iter().map(|row| Some(row[column] / 1e3)).collect();
        let fluid = self.fluid.iter().map(|fluid| {
            Ok(Curve { name: fluid.name().to_owned(), interval, goodput: fluid.queue(&plan())? })
        });
        let simulated = Curve { name: "simulated".to_owned(), interval, goodput: queue };
        core::iter::once(Ok(simulated)).chain(fluid).collect()
    }

    fn goodputs(&self, outcome: &Outcome, plan: impl Fn() -> Plan) -> Result<Vec<Curve>, NotInRun> {
        let interval = outcome.record.series.interval.seconds();
        let line = |(name, flows): &(String, Vec<String>)| {
            let goodput = if flows.is_empty() {
                total_goodput(outcome)
            } else {
                mean_goodput(outcome, &named_flows(outcome, flows)?)
            };
            Ok(Curve { name: name.clone(), interval, goodput })
        };
        let fluid = self.fluid.iter().map(|fluid| {
            Ok(Curve { name: fluid.name().to_owned(), interval, goodput: fluid.goodput(&plan())? })
        });
        self.lines.iter().map(line).chain(fluid).collect()
    }
}

/// Goodput or queue of a panel's line.
struct Curve {
    name: String,
    /// Sampling interval, in s.
    interval: f64,
    /// Goodput in Gb/s, or queue in KB, by sample; `None` where the flow does not exist.
    goodput: Vec<Option<f64>>,
}

impl Curve {
    /// Returns the line; each point stands in the middle of its interval.
    fn line(&self, place: usize, per_second: f64) -> Line {
        let point = |(row, y): (usize, &Option<f64>)| ((row as f64 + 0.5) * self.interval * per_second, *y);
        Line::new(
            self.name.clone(),
            Ink::Palette(place),
            self.goodput.iter().enumerate().map(point).collect(),
        )
    }

    /// Returns the values as they are drawn.
    fn drawn(&self) -> Vec<f64> {
        self.line(0, 1.0).drawn_values()
    }
}

/// Returns the mean goodput of those flows that are active in a sample, in Gb/s; `None` if no flow is.
fn mean_goodput(outcome: &Outcome, places: &[usize]) -> Vec<Option<f64>> {
    let (series, flows) = (&outcome.record.series, &outcome.record.flows);
    let of = |(number, row): (u64, &Vec<Bytes>)| {
        let (from, to) =
            ((series.interval * number).after_start(), (series.interval * (number + 1)).after_start());
        let active = |place: &&usize| {
            let flow = &flows[**place];
            flow.start < to && flow.stop.get().is_none_or(|stop| stop > from)
        };
        let rates: Vec<_> =
            places.iter().filter(active).map(|place| row[*place].bps_over(series.interval)).collect();
        (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64 / 1e9)
    };
    (0..).zip(&series.rows).map(of).collect()
}

/// Returns the goodput of all flows together in Gb/s, by sample.
fn total_goodput(outcome: &Outcome) -> Vec<Option<f64>> {
    let series = &outcome.record.series;
    series.values(SeriesColumn::Total).map(|bytes| Some(bytes.bps_over(series.interval) / 1e9)).collect()
}
