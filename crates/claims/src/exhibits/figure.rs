//! Goodput over time of the runs that claims look at, a panel for each run.
//!
//! Invariant: a figure needs no run that the claims do not need.

use experiment::Outcome;
use report::OutputFile;
use report::figures::panels::{GoodputCurve, Panel, ReferenceLevel};
use scenario::Plan;
use serde::Deserialize;
use telemetry::SeriesColumn;
use units::{Bytes, Span};

use super::Runs;
use super::fluid::FluidLine;
use crate::measurement::{NotInRun, named_flows};

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
    /// Lines of each panel: a name, and the flows whose mean goodput is drawn, over those that are active. Without a
    /// flow, the goodput of all flows together.
    lines: Vec<(String, Vec<String>)>,
    /// Shaded phases, counted from 1.
    #[serde(default)]
    shaded: Vec<usize>,
    /// Horizontal lines to compare with: name, and goodput in Gb/s.
    #[serde(default)]
    levels: Vec<(String, f64)>,
    /// A line of DCQCN's fluid model in each panel.
    #[serde(default)]
    fluid: Option<FluidLine>,
    /// End of all panels, for runs of different lengths; the end of the longest run if left out.
    #[serde(default)]
    until: Option<Span>,
}

impl GoodputFigure {
    /// Returns the fault of the figure, if there is one.
    pub(crate) fn fault(&self, runs: &Runs) -> Option<String> {
        let missing = self.panels.iter().find(|(_, run)| !runs.contains_key(run));
        missing.map(|(_, run)| format!("the figure {} shows `{run}`, which is not among the runs", self.name))
    }

    /// Returns the figure as a file. `outcome` and `plan` return those of a run by its name.
    ///
    /// # Errors
    /// If a run lacks a flow.
    pub(crate) fn file<'a>(
        &self,
        outcome: impl Fn(&str) -> &'a Outcome,
        plan: impl Fn(&str) -> Plan,
    ) -> Result<OutputFile, NotInRun> {
        let panel = |(title, run): &(String, String)| self.panel(title, outcome(run), || plan(run));
        let panels = self.panels.iter().map(panel).collect::<Result<Vec<_>, NotInRun>>()?;
        Ok(OutputFile {
            name: format!("{}.svg", self.name),
            contents: report::figures::panels::drawn(&self.title, &panels),
        })
    }

    fn panel(&self, title: &str, outcome: &Outcome, plan: impl Fn() -> Plan) -> Result<Panel, NotInRun> {
        let line = |(name, flows): &(String, Vec<String>)| {
            let goodput = if flows.is_empty() {
                total_goodput(outcome)
            } else {
                mean_goodput(outcome, &named_flows(outcome, flows)?)
            };
            Ok(GoodputCurve { name: name.clone(), goodput })
        };
        let fluid = self.fluid.iter().map(|fluid| fluid.curve(&plan()));
        let mut lines = self.lines.iter().map(line).chain(fluid).collect::<Result<Vec<_>, NotInRun>>()?;
        let interval = outcome.record.series.interval.seconds();
        if let Some(until) = self.until {
            let samples = (until.seconds() / interval).ceil() as usize;
            lines.iter_mut().for_each(|line| line.goodput.truncate(samples));
        }
        let phases = (1..).zip(&outcome.summary.phases);
        let shaded = phases
            .filter(|(number, _)| self.shaded.contains(number))
            .map(|(_, phase)| (phase.from_s, phase.to_s))
            .collect();
        let levels = self
            .levels
            .iter()
            .map(|(name, goodput)| ReferenceLevel { name: name.clone(), goodput: *goodput });
        Ok(Panel { title: title.to_owned(), interval, lines, shaded, levels: levels.collect() })
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
            flow.start < to && flow.stop.is_none_or(|stop| stop > from)
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
