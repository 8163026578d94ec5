//! Goodput of every flow, group, and all others, as `series.csv` has it.
//!
//! Invariant: each curve has a value for each sample.

use std::collections::BTreeMap;

use results::reader::{ReadError, RunFiles};
use results::rows::{FlowRow, SeriesRow};
use telemetry::FlowSpread;

use super::super::engine::LinePoints;
use super::super::quartiles;
use super::super::victims::Victims;
use super::OVERLAID;

/// Least number of intervals, in the mean, in which a flow has data to send if quartiles of rates are to be drawn.
const LONG: f64 = 10.0;

/// Goodput of every subject of `series.csv`.
#[derive(Clone, Debug)]
pub(in super::super) struct GoodputSeries {
    /// Middle of each interval, in s.
    pub times: Vec<f64>,
    pub curves: Vec<GoodputCurve>,
    /// Groups by name.
    pub(super) groups: BTreeMap<String, Members>,
}

/// Number of flows of a group.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Members {
    pub flows: usize,
    /// Those with a name.
    pub named: usize,
}

/// Goodput of a flow, of a group, or of all other flows.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct GoodputCurve {
    /// `flow`, `group` or `others`.
    pub kind: String,
    pub name: String,
    /// Group of the flow.
    pub group: Option<String>,
    /// Time before which nothing is drawn, in s.
    pub start: f64,
    /// Goodput in Gb/s, by interval.
    pub gbps: Vec<f64>,
    /// Quartiles of the goodput of a flow among several, in Gb/s, by interval.
    pub quartiles: Vec<Option<[f64; 3]>>,
    /// Number of flows that the quartiles are of, all intervals added up.
    pub(super) observed: u64,
}

impl GoodputCurve {
    pub(super) fn has_spread(&self) -> bool {
        self.quartiles.iter().any(Option::is_some)
    }

    /// Returns the number of intervals in which one of so many flows has data to send, in the mean.
    pub(super) fn life(&self, flows: usize) -> f64 {
        self.observed as f64 / flows.clamp(1, FlowSpread::MOST) as f64
    }

    /// Returns true if flows live long enough for quartiles of their rates. A flow that sends its data within an
    /// interval or two has the rate that the length of an interval gives it.
    pub(super) fn lives_long(&self, flows: usize) -> bool {
        self.life(flows) >= LONG.min(self.gbps.len() as f64 / 2.0)
    }
}

/// Returns the quartiles of a row in Gb/s, if it has them.
fn quartiles_in(row: &SeriesRow<'_>) -> Option<[f64; 3]> {
    let quartiles = [row.lower_quartile_bps?, row.median_bps?, row.upper_quartile_bps?];
    Some(quartiles.map(|bps| bps / 1e9))
}

/// Returns the victims that waited longest, the longest wait first, and `most` at most.
pub(super) fn worst<'a>(
    mut flows: Vec<&'a GoodputCurve>,
    victims: &Victims,
    most: usize,
) -> Vec<&'a GoodputCurve> {
    let wait = |flow: &GoodputCurve| victims.wait(&flow.name).unwrap_or_default();
    flows.retain(|flow| victims.has(&flow.name));
    flows.sort_by(|one, other| wait(other).total_cmp(&wait(one)));
    flows.truncate(most);
    flows
}

impl GoodputSeries {
    pub(in super::super) fn read(files: RunFiles<'_>) -> Result<Self, ReadError> {
        let flows = files.flows()?;
        let named: BTreeMap<&str, &FlowRow<'_>> =
            flows.iter().filter(|flow| flow.named).map(|flow| (&*flow.flow, flow)).collect();
        let mut first_other = f64::INFINITY;
        flows.iter().filter(|flow| !flow.named).for_each(|flow| first_other = first_other.min(flow.start_s));
        let (mut times, mut curves): (Vec<f64>, Vec<GoodputCurve>) = (Vec::new(), Vec::new());
        let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let rows = files.series()?;
        for row in &*rows {
            let quartiles = quartiles_in(row);
            let SeriesRow { time_s, kind, name, goodput_bps, .. } = row;
            if times.last().is_none_or(|last| last < time_s) {
                times.push(*time_s);
            }
            let place = *places.entry((kind, name)).or_insert_with(|| {
                let flow = named.get(&**name).filter(|_| kind == "flow");
                let start = match &**kind {
                    "flow" => flow.map_or(0.0, |flow| flow.start_s),
                    "others" if first_other.is_finite() => first_other,
                    _ => 0.0,
                };
                let group = flow.and_then(|flow| flow.group.as_deref().map(str::to_owned));
                let (gbps, quartiles) = (Vec::new(), Vec::new());
                let (kind, name) = (kind.to_string(), name.to_string());
                curves.push(GoodputCurve { kind, name, group, start, gbps, quartiles, observed: 0 });
                curves.len() - 1
            });
            curves[place].gbps.push(goodput_bps / 1e9);
            curves[place].quartiles.push(quartiles);
            curves[place].observed += u64::from(row.flows.unwrap_or(0));
        }
        let half = times.first().map_or(0.0, |first| first / 2.0);
        times.iter_mut().for_each(|time| *time -= half);
        let mut groups: BTreeMap<String, Members> = BTreeMap::new();
        for flow in &*flows {
            if let Some(group) = &flow.group {
                let members = groups.entry(group.to_string()).or_default();
                members.flows += 1;
                members.named += usize::from(flow.named);
            }
        }
        Ok(Self { times, curves, groups })
    }

    /// Returns the number of flows of a group.
    pub(super) fn members(&self, group: &str) -> Members {
        self.groups.get(group).copied().unwrap_or_default()
    }

    /// Returns the quartiles of these curves, of each from its start on.
    pub(super) fn quartiles_of(&self, curves: &[&GoodputCurve]) -> Vec<Option<[f64; 3]>> {
        let half = self.times.first().copied().unwrap_or_default();
        let at = |(row, time): (usize, &f64)| {
            let begun = curves.iter().filter(|curve| time + half > curve.start);
            quartiles::quartiles(begun.filter_map(|curve| curve.gbps.get(row).copied()).collect())
        };
        self.times.iter().enumerate().map(at).collect()
    }

    /// Returns the named flows with lines of their own. Those of a group with more named flows than a panel holds have
    /// the line and the band of their group; victims have a line all the same, the longest waits first, as far as a
    /// panel holds them.
    pub(in super::super) fn single_flows(&self, victims: &Victims) -> Vec<&GoodputCurve> {
        let is_single = |flow: &&GoodputCurve| {
            flow.group.as_ref().is_none_or(|group| self.members(group).named <= OVERLAID)
        };
        let (mut single, folded): (Vec<_>, Vec<_>) = self.of_kind("flow").partition(is_single);
        let room = OVERLAID.saturating_sub(single.len());
        single.extend(worst(folded, victims, room));
        single
    }

    pub(in super::super) fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a GoodputCurve> {
        self.curves.iter().filter(move |curve| curve.kind == kind)
    }

    /// Returns the points of a curve from its start on.
    pub(in super::super) fn points(&self, curve: &GoodputCurve, per_second: f64) -> LinePoints {
        let half = self.times.first().copied().unwrap_or_default();
        let point =
            |(time, gbps): (&f64, &f64)| (time * per_second, (time + half > curve.start).then_some(*gbps));
        self.times.iter().zip(&curve.gbps).map(point).collect()
    }
}
