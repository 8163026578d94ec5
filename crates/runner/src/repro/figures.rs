//! Figures of the runs that claims look at: goodput over time, a panel a run.
//!
//! Invariant: a figure is drawn of runs that are made anyway; drawing it changes no verdict.

use report::File;
use report::panels::{Curve, Level, Panel};
use scenario::Plan;
use serde::Deserialize;
use units::Span;

use super::claims::Paper;
use super::fluid::FluidLine;
use super::measure::named;
use crate::engine::Outcome;

/// Goodput over time, of several runs below each other.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figure {
    /// What its file is called, without `.svg`.
    pub(crate) name: String,
    /// What it shows.
    title: String,
    /// The panels from top to bottom: what each is called, and the run, by name.
    panels: Vec<(String, String)>,
    /// The lines of each: what it is called, and the flows whose mean goodput it is, of those that are active; with
    /// no flow named, the goodput of all flows together.
    lines: Vec<(String, Vec<String>)>,
    /// Phases that are shaded, counted from 1.
    #[serde(default)]
    shaded: Vec<usize>,
    /// What the lines are to be held against: what it is called, and its goodput in Gb/s.
    #[serde(default)]
    levels: Vec<(String, f64)>,
    /// A line of DCQCN's fluid model in each panel.
    #[serde(default)]
    fluid: Option<FluidLine>,
    /// Where panels end, if runs of different lengths stand below each other; with the longest of them if left out.
    #[serde(default)]
    until: Option<Span>,
}

impl Figure {
    /// What is wrong with it.
    pub(crate) fn fault(&self, paper: &Paper) -> Option<String> {
        let missing = self.panels.iter().find(|(_, run)| !paper.runs.contains_key(run));
        missing.map(|(_, run)| format!("the figure {} shows `{run}`, which is not among the runs", self.name))
    }

    /// The figure; `outcome` and `plan` find a run's by name.
    ///
    /// # Errors
    /// The flow that a run does not have.
    pub(crate) fn file<'a>(
        &self,
        outcome: impl Fn(&str) -> &'a Outcome,
        plan: impl Fn(&str) -> Plan,
    ) -> Result<File, String> {
        let panel = |(title, run): &(String, String)| {
            let outcome = outcome(run);
            let line = |(name, flows): &(String, Vec<String>)| {
                if flows.is_empty() {
                    return Ok(Curve { name: name.clone(), goodput: total_goodput(outcome) });
                }
                Ok(Curve { name: name.clone(), goodput: mean_goodput(outcome, &named(outcome, flows)?) })
            };
            let fluid = self.fluid.iter().map(|fluid| fluid.curve(&plan(run)));
            let mut lines = self.lines.iter().map(line).chain(fluid).collect::<Result<Vec<_>, String>>()?;
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
            let levels =
                self.levels.iter().map(|(name, goodput)| Level { name: name.clone(), goodput: *goodput });
            Ok(Panel { title: title.clone(), interval, lines, shaded, levels: levels.collect() })
        };
        let panels = self.panels.iter().map(panel).collect::<Result<Vec<_>, String>>()?;
        Ok(File { name: format!("{}.svg", self.name), contents: report::panels::drawn(&self.title, &panels) })
    }
}

/// The mean goodput in Gb/s, by sample, of those flows that are active in it; none where no flow is.
fn mean_goodput(outcome: &Outcome, places: &[usize]) -> Vec<Option<f64>> {
    let (series, flows) = (&outcome.record.series, &outcome.record.flows);
    let of = |(number, row): (u64, &Vec<units::Bytes>)| {
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

/// The goodput of all flows together in Gb/s, by sample.
fn total_goodput(outcome: &Outcome) -> Vec<Option<f64>> {
    let series = &outcome.record.series;
    let of = |row: &Vec<units::Bytes>| {
        Some(row.iter().copied().sum::<units::Bytes>().bps_over(series.interval) / 1e9)
    };
    series.rows.iter().map(of).collect()
}
