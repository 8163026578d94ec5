//! `goodput.svg`: goodput over time of named flows, of groups, and of all other flows together.
//!
//! Invariant: flows without a name are never drawn on the axis of a single flow.
//!
//! | named flows | drawn as |
//! |---|---|
//! | up to 6 | lines in one panel |
//! | up to 24 | a small panel each |
//! | more | the middle half of them as a band with the median, of each group where they have groups |

use std::collections::BTreeMap;

use super::engine::{Axis, Band, Chart, Ink, Layer, Line, LinePoints, Panel};
use super::fault::FigureFault;
use super::gathered::by_object;
use crate::reader::{FlowRow, ReadError, RunFacts, RunFiles, SeriesRow};

/// Most lines in one panel.
pub(super) const OVERLAID: usize = 6;
/// Most small panels.
pub(super) const SMALL: usize = 24;
/// Number of small panels in a row.
const ACROSS: usize = 4;
pub(super) const LABEL: &str = "goodput (Gb/s)";

/// Goodput of every subject of `series.csv`.
#[derive(Clone, Debug)]
pub(super) struct GoodputSeries {
    /// Middle of each interval, in s.
    pub times: Vec<f64>,
    pub curves: Vec<GoodputCurve>,
}

/// Goodput of a flow, of a group, or of all other flows.
#[derive(Clone, Debug)]
pub(super) struct GoodputCurve {
    /// `flow`, `group` or `others`.
    pub kind: String,
    pub name: String,
    /// Group of the flow.
    pub group: Option<String>,
    /// Time before which nothing is drawn, in s.
    pub start: f64,
    /// Goodput in Gb/s, by interval.
    pub gbps: Vec<f64>,
}

impl GoodputSeries {
    pub(super) fn read(files: RunFiles<'_>) -> Result<Self, ReadError> {
        let flows: Vec<FlowRow> = files.rows("flows.csv")?;
        let named: BTreeMap<&str, &FlowRow> =
            flows.iter().filter(|flow| flow.named).map(|flow| (flow.flow.as_str(), flow)).collect();
        let mut first_other = f64::INFINITY;
        flows.iter().filter(|flow| !flow.named).for_each(|flow| first_other = first_other.min(flow.start_s));
        let (mut times, mut curves): (Vec<f64>, Vec<GoodputCurve>) = (Vec::new(), Vec::new());
        let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
        for SeriesRow { time_s, kind, name, goodput_bps } in files.rows("series.csv")? {
            if times.last().is_none_or(|last| *last < time_s) {
                times.push(time_s);
            }
            let place = *places.entry((kind.clone(), name.clone())).or_insert_with(|| {
                let flow = named.get(name.as_str()).filter(|_| kind == "flow");
                let start = match kind.as_str() {
                    "flow" => flow.map_or(0.0, |flow| flow.start_s),
                    "others" if first_other.is_finite() => first_other,
                    _ => 0.0,
                };
                let group = flow.and_then(|flow| flow.group.clone());
                curves.push(GoodputCurve { kind, name, group, start, gbps: Vec::new() });
                curves.len() - 1
            });
            curves[place].gbps.push(goodput_bps / 1e9);
        }
        let half = times.first().map_or(0.0, |first| first / 2.0);
        times.iter_mut().for_each(|time| *time -= half);
        Ok(Self { times, curves })
    }

    pub(super) fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a GoodputCurve> {
        self.curves.iter().filter(move |curve| curve.kind == kind)
    }

    /// Returns the points of a curve from its start on.
    pub(super) fn points(&self, curve: &GoodputCurve, per_second: f64) -> LinePoints {
        let half = self.times.first().copied().unwrap_or_default();
        let point =
            |(time, gbps): (&f64, &f64)| (time * per_second, (time + half > curve.start).then_some(*gbps));
        self.times.iter().zip(&curve.gbps).map(point).collect()
    }
}

/// Returns the figure of a run.
pub(super) fn chart(files: RunFiles<'_>) -> Result<Chart, FigureFault> {
    let (facts, series) = (files.summary()?, GoodputSeries::read(files)?);
    let (time, per_second) = Axis::time(facts.end_s());
    let figure = GoodputFigure { facts: &facts, series: &series, time, per_second };
    let flows: Vec<_> = series.of_kind("flow").collect();
    let small = flows.len() > OVERLAID && flows.len() <= SMALL;
    let mut panels = Vec::new();
    if small {
        panels.extend(figure.small_panels(&flows));
    } else if flows.len() > SMALL {
        panels.extend(figure.bands(&flows));
    } else if !flows.is_empty() {
        panels.push(figure.overlay("", &flows, 0));
    }
    let wide = |panels: &mut Vec<Panel>, panel: Panel| {
        // In a grid of small panels, a panel is as small as the others.
        panels.push(if small { Panel { height: SMALL_HEIGHT, ..panel } } else { panel });
    };
    let groups: Vec<_> = series.of_kind("group").collect();
    for (number, part) in groups.chunks(OVERLAID).enumerate() {
        let title = if number == 0 { "Groups, all flows of each together" } else { "Further groups" };
        wide(&mut panels, figure.overlay(title, part, 0));
    }
    for others in series.of_kind("others") {
        wide(&mut panels, figure.others(others));
    }
    if panels.is_empty() {
        return Err(FigureFault::Empty("the run has no samples"));
    }
    let columns = if small { ACROSS } else { 1 };
    let title = format!("{}, {}: goodput over time", facts.scenario, facts.scheme());
    let description = "Goodput over simulated time. Each point stands in the middle of its interval; the dashed lines of the plot \
                       separate phases."
        .to_owned();
    Ok(Chart { title, description, panels, columns, notes: Vec::new() })
}

/// Height of a small panel, in pixels.
const SMALL_HEIGHT: f64 = 90.0;
/// Height of a panel of lines, in pixels.
const HEIGHT: f64 = 260.0;

/// The parts that all panels share.
struct GoodputFigure<'a> {
    facts: &'a RunFacts,
    series: &'a GoodputSeries,
    time: Axis,
    per_second: f64,
}

/// Returns the beginnings of a run's phases as layers.
pub(super) fn phases(facts: &RunFacts, per_second: f64) -> Vec<Layer> {
    if facts.phases.len() < 2 {
        return Vec::new();
    }
    let phase = |phase: &crate::reader::PhaseFacts| Layer::Phase {
        from: phase.from_s * per_second,
        name: phase.name.clone(),
    };
    facts.phases.iter().map(phase).collect()
}

impl GoodputFigure<'_> {
    fn panel(&self, title: String, highest: f64, height: f64, layers: Vec<Layer>) -> Panel {
        let layers = phases(self.facts, self.per_second).into_iter().chain(layers).collect();
        let y = Axis::from_zero(LABEL, [highest].into_iter());
        Panel { title, x: self.time.clone(), y, height, layers }
    }

    fn line(&self, name: String, ink: Ink, curve: &GoodputCurve) -> Line {
        Line::new(name, ink, self.series.points(curve, self.per_second))
    }

    /// Returns a panel with a line for each curve.
    fn overlay(&self, title: &str, curves: &[&GoodputCurve], first: usize) -> Panel {
        let lines = curves.iter().enumerate().map(|(place, curve)| {
            Layer::Line(self.line(curve.name.clone(), Ink::Palette(first + place), curve))
        });
        self.panel(title.to_owned(), highest(curves), HEIGHT, lines.collect())
    }

    /// Returns a small panel for each flow, all with one scale.
    fn small_panels(&self, flows: &[&GoodputCurve]) -> Vec<Panel> {
        let highest = highest(flows);
        let panel = |flow: &&GoodputCurve| {
            let line = Layer::Line(self.line(String::new(), Ink::Palette(0), flow));
            self.panel(flow.name.clone(), highest, SMALL_HEIGHT, vec![line])
        };
        flows.iter().map(panel).collect()
    }

    /// Returns a panel with the quartiles of the flows of each group, or of all flows if they have no groups.
    fn bands<'a>(&self, flows: &[&'a GoodputCurve]) -> Vec<Panel> {
        let group = |flow: &&'a GoodputCurve| flow.group.as_deref().unwrap_or("flows without a group");
        let groups = by_object(flows.iter().copied(), group);
        let alone = groups.len() == 1;
        let of_group = |(place, (name, members)): (usize, &(&str, Vec<&GoodputCurve>))| {
            let name = if alone {
                format!("{} named flows", members.len())
            } else {
                format!("{name} ({} flows)", members.len())
            };
            self.quartiles(&name, Ink::Palette(place), members)
        };
        let layers: Vec<Layer> = groups.iter().enumerate().flat_map(of_group).collect();
        let title = "Goodput of a flow: median, and the middle half of the flows".to_owned();
        vec![self.panel(title, highest(flows), HEIGHT, layers)]
    }

    fn quartiles(&self, name: &str, ink: Ink, flows: &[&GoodputCurve]) -> Vec<Layer> {
        let (mut median, mut band) = (Vec::new(), Vec::new());
        for (row, time) in self.series.times.iter().enumerate() {
            let mut values: Vec<f64> = flows.iter().filter_map(|flow| flow.gbps.get(row).copied()).collect();
            values.sort_by(f64::total_cmp);
            let at = |share| crate::censoring::quantile(&values, share).unwrap_or_default();
            median.push((time * self.per_second, Some(at(0.5))));
            band.push((time * self.per_second, at(0.25), at(0.75)));
        }
        let band = band.chunks(band.len().div_ceil(400).max(1)).map(mean_range).collect();
        vec![
            Layer::Band(Band { name: format!("{name}, middle half"), ink, points: band }),
            Layer::Line(Line::new(format!("{name}, median"), ink, median)),
        ]
    }

    /// Returns the panel of all flows without a name.
    fn others(&self, curve: &GoodputCurve) -> Panel {
        let count = self.facts.others.flows;
        let title = format!(
            "{count} {} without a name or a group, together",
            if count == 1 { "flow" } else { "flows" }
        );
        let line = Layer::Line(self.line(String::new(), Ink::Grey, curve));
        self.panel(title, highest(&[curve]), 150.0, vec![line])
    }
}

/// Returns the means of consecutive ranges.
pub(super) fn mean_range(ranges: &[(f64, f64, f64)]) -> (f64, f64, f64) {
    let mean = |of: fn(&(f64, f64, f64)) -> f64| ranges.iter().map(of).sum::<f64>() / ranges.len() as f64;
    (mean(|range| range.0), mean(|range| range.1), mean(|range| range.2))
}

/// Returns the highest point of these curves as they are drawn, so that the peaks of single samples do not flatten all lines.
fn highest(curves: &[&GoodputCurve]) -> f64 {
    let samples = curves.iter().map(|curve| curve.gbps.len()).max().unwrap_or(0).div_ceil(400).max(1);
    let means = curves.iter().flat_map(|curve| {
        curve.gbps.chunks(samples).map(|part| part.iter().sum::<f64>() / part.len() as f64)
    });
    means.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture::files;

    fn with_flows(count: usize) -> Chart {
        let mut files = files();
        let row =
            |flow: usize| format!("0.005,flow,G{flow},1000000000.0\n0.01,flow,G{flow},{flow}000000000.0\n");
        let rows: String = (1..=count).map(row).collect();
        let series = files.iter_mut().find(|file| file.name == "series.csv").expect("there is a series");
        series.contents = format!("time_s,kind,name,goodput_bps\n{rows}");
        chart(RunFiles::Written(&files)).expect("there are samples")
    }

    #[test]
    fn the_figure_names_every_line_and_phase_and_is_the_same_from_its_files() {
        let files = files();
        let svg = chart(RunFiles::Written(&files)).unwrap().svg();
        let title = "hand-made, InfiniBand congestion control: goodput over time";
        for text in [title, "F1", "F2", "Groups, all flows of each together", "F2 starts"] {
            assert!(svg.contains(&format!(">{text}</text>")), "no `{text}` in {svg}");
        }
        let written = files.iter().find(|file| file.name == "goodput.svg").expect("the run has the figure");
        assert_eq!(svg, written.contents);
    }

    #[test]
    fn a_flow_has_no_points_before_its_start() {
        let chart = chart(RunFiles::Written(&files())).unwrap();
        let line = |name: &str| {
            let layers = chart.panels[0].layers.iter();
            let mut lines =
                layers.filter_map(|layer| if let Layer::Line(line) = layer { Some(line) } else { None });
            lines
                .find(|line| line.name == name)
                .expect("the line is drawn")
                .points
                .iter()
                .map(|(_, y)| *y)
                .collect::<Vec<_>>()
        };
        assert_eq!(line("F2"), [None, None, Some(6.4), Some(2.0)]);
        assert_eq!(line("F1")[1], Some(12.0));
    }

    #[test]
    fn many_flows_have_small_panels_and_very_many_a_band() {
        let panels = |count| {
            let chart = with_flows(count);
            (chart.panels.len(), chart.columns)
        };
        assert_eq!([6, 7, 24, 25].map(panels), [(1, 1), (7, ACROSS), (24, ACROSS), (1, 1)]);
        let Layer::Line(median) = &with_flows(25).panels[0].layers[3] else {
            panic!("the median is the last layer")
        };
        assert_eq!(median.points[1].1, Some(13.0));
    }
}
