//! `goodput.svg`: goodput over time of named flows, of groups, and of all other flows.
//!
//! Invariant: flows without a name are never summed on the axis of a single flow.
//!
//! | flows | drawn as |
//! |---|---|
//! | up to 6 named flows | lines in a single panel, on top of the groups |
//! | up to 24 named flows | a small panel each |
//! | more named flows | with their groups, or as a band of their own |
//! | groups | the middle half of their flows as a band with the median; their sums in a panel of their own |
//! | all others | the same, in panels of their own |

mod series;

use results::reader::{RunFacts, RunFiles};
use telemetry::FlowSpread;

use super::engine::{Axis, Chart, Ink, Layer, Line, Panel};
use super::fault::FigureFault;
use super::quartiles::{self, Quartiles};

use self::series::GoodputCurve;
pub(super) use self::series::GoodputSeries;

/// Most lines in a panel.
pub(super) const OVERLAID: usize = 6;
/// Most small panels.
pub(super) const SMALL: usize = 24;
/// Number of small panels in a row.
const ACROSS: usize = 4;
pub(super) const LABEL: &str = "goodput (Gb/s)";

/// Quartiles of the goodput of several flows, by interval.
struct FlowBand {
    name: String,
    /// Place of its pen among the pens of groups.
    place: usize,
    quartiles: Vec<Option<[f64; 3]>>,
}

pub(super) fn chart(files: RunFiles<'_>) -> Result<Chart, FigureFault> {
    let (facts, series) = (files.summary()?, GoodputSeries::read(files)?);
    let (time, per_second) = Axis::time(facts.end_s());
    let figure = GoodputFigure { facts: &facts, series: &series, time, per_second };
    let flows: Vec<_> = series.of_kind("flow").collect();
    let is_small = flows.len() > OVERLAID && flows.len() <= SMALL;
    let mut panels = if is_small { figure.small_panels(&flows) } else { Vec::new() };
    let grid = panels.len();
    let lines = if flows.len() <= OVERLAID { &flows[..] } else { &[] };
    panels.extend(figure.lines_and_bands(lines, &figure.bands(&flows)));
    let groups: Vec<_> = series.of_kind("group").collect();
    for (number, part) in groups.chunks(OVERLAID).enumerate() {
        let title = if number == 0 { "Groups, all flows of each together" } else { "Further groups" };
        panels.push(figure.overlay(title, part, (LOW, lines.len() + OVERLAID * number)));
    }
    for others in series.of_kind("others") {
        panels.extend(figure.others(others));
    }
    if panels.is_empty() {
        return Err(FigureFault::Empty("the run has no samples"));
    }
    let title = format!("{}, {}: goodput over time", facts.scenario, facts.scheme());
    let description = "Goodput over simulated time. Each point stands in the middle of its interval; the dashed lines of the plot \
                       separate phases. The middle half of several flows reaches from the lower to the upper quartile of \
                       their goodput."
        .to_owned();
    let columns = if is_small { ACROSS } else { 1 };
    let wide = panels.len() - grid;
    Ok(Chart { title, description, panels, columns, wide, notes: figure.notes() })
}

/// Height of a small panel, in pixels.
const SMALL_HEIGHT: f64 = 90.0;
/// Height of a panel of single flows, in pixels.
const HEIGHT: f64 = 260.0;
/// Height of a panel of sums, in pixels.
const LOW: f64 = 150.0;

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
    let phase = |phase: &results::reader::PhaseFacts| Layer::Phase {
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

    /// Returns a panel of a height with a line for each curve, the first with the pen of this place in the palette.
    fn overlay(&self, title: &str, curves: &[&GoodputCurve], (height, first): (f64, usize)) -> Panel {
        let lines = curves.iter().enumerate().map(|(place, curve)| {
            Layer::Line(self.line(curve.name.clone(), Ink::Palette(first + place), curve))
        });
        self.panel(title.to_owned(), highest(curves), height, lines.collect())
    }

    /// Returns a single panel with the bands and the lines on top, or a panel of lines and further panels of bands
    /// where they are too many.
    fn lines_and_bands(&self, lines: &[&GoodputCurve], bands: &[FlowBand]) -> Vec<Panel> {
        let of_bands = |title: &str, bands: &[FlowBand], on_top: &[&GoodputCurve]| {
            // A group has the same pen in all panels.
            let of_band = |band: &FlowBand| {
                let ink = Ink::Palette(lines.len() + band.place);
                quartiles::layers(&band.name, ink, &self.spread(&band.quartiles))
            };
            let mut layers: Vec<Layer> = bands.iter().flat_map(of_band).collect();
            let tops = layers.iter().flat_map(Layer::tops).map(|(_, top)| top);
            let highest = tops.chain([highest(on_top)]).fold(0.0, f64::max);
            layers.extend(on_top.iter().enumerate().map(|(place, curve)| {
                Layer::Line(self.line(curve.name.clone(), Ink::Palette(place), curve))
            }));
            self.panel(title.to_owned(), highest, HEIGHT, layers)
        };
        match (lines, bands) {
            ([], []) => Vec::new(),
            (lines, []) => vec![self.overlay("", lines, (HEIGHT, 0))],
            (lines, bands) if !lines.is_empty() && lines.len() + bands.len() <= OVERLAID => {
                vec![of_bands("Named flows, and the flows of each group", bands, lines)]
            }
            (lines, bands) => {
                let first = (!lines.is_empty()).then(|| self.overlay("Named flows", lines, (HEIGHT, 0)));
                let title = "Goodput of a flow: median, and the middle half of the flows";
                let panels = bands.chunks(OVERLAID).map(|part| of_bands(title, part, &[]));
                first.into_iter().chain(panels).collect()
            }
        }
    }

    /// Returns the bands of groups that have flows without a line of their own. Named flows without a group have a band
    /// too, if they are too many for lines.
    fn bands(&self, flows: &[&GoodputCurve]) -> Vec<FlowBand> {
        let have_lines = flows.len() <= SMALL;
        let mut bands = Vec::new();
        let groups: Vec<_> = self.series.of_kind("group").collect();
        for (place, group) in groups.iter().enumerate() {
            let members = self.series.members(&group.name);
            if group.has_spread() && (!have_lines || members.named < members.flows) {
                let name = format!("{} ({} {})", group.name, members.flows, plural(members.flows));
                bands.push(FlowBand { name, place, quartiles: group.quartiles.clone() });
            }
        }
        let alone: Vec<_> = flows.iter().copied().filter(|flow| flow.group.is_none()).collect();
        if !have_lines && !alone.is_empty() {
            let rest = if bands.is_empty() { "" } else { " without a group" };
            let name = format!("{} named {}{rest}", alone.len(), plural(alone.len()));
            // After the places of all groups, so that its pen is no group's.
            let (place, quartiles) = (groups.len(), self.series.quartiles_of(&alone));
            bands.push(FlowBand { name, place, quartiles });
        }
        bands
    }

    fn spread(&self, quartiles: &[Option<[f64; 3]>]) -> Vec<Quartiles> {
        self.series.times.iter().zip(quartiles).map(|(time, at)| (time * self.per_second, *at)).collect()
    }

    /// Returns a small panel for each flow, all with the same scale.
    fn small_panels(&self, flows: &[&GoodputCurve]) -> Vec<Panel> {
        // The same scale in all panels, so that they can be compared.
        let highest = highest(flows);
        let panel = |flow: &&GoodputCurve| {
            let line = Layer::Line(self.line(String::new(), Ink::Palette(0), flow));
            self.panel(flow.name.clone(), highest, SMALL_HEIGHT, vec![line])
        };
        flows.iter().map(panel).collect()
    }

    /// Returns the panels of all flows with neither a name nor a group: a flow among them, and all together.
    fn others(&self, curve: &GoodputCurve) -> Vec<Panel> {
        let count = self.facts.others.flows;
        let who = format!("{count} {} without a name or a group", plural(count));
        let mut panels = Vec::new();
        if count > 1 && curve.has_spread() {
            let layers = quartiles::layers("", Ink::Grey, &self.spread(&curve.quartiles));
            let highest = layers.iter().flat_map(Layer::tops).map(|(_, top)| top).fold(0.0, f64::max);
            panels.push(self.panel(format!("{who}: goodput of a flow"), highest, LOW, layers));
        }
        let line = Layer::Line(self.line(String::new(), Ink::Grey, curve));
        panels.push(self.panel(format!("{who}, together"), highest(&[curve]), LOW, vec![line]));
        panels
    }

    /// Returns the notes: which quartiles are over some of the flows only.
    fn notes(&self) -> Vec<String> {
        let most = FlowSpread::MOST;
        let groups = self
            .series
            .of_kind("group")
            .map(|group| (group.name.as_str(), self.series.members(&group.name).flows));
        let all = groups.chain([("others", self.facts.others.flows)]);
        let many = all.filter(|(_, flows)| *flows > most);
        many.map(|(name, flows)| {
            format!("Quartiles of {name}: at most {most} of the {flows} flows, evenly spaced in their order.")
        })
        .collect()
    }
}

const fn plural(flows: usize) -> &'static str {
    if flows == 1 { "flow" } else { "flows" }
}

/// Returns the highest point of these curves as they are drawn, so that the peaks of single samples do not flatten all
/// lines.
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
    use crate::fixture::files;

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

    /// The group has a named flow and a flow without a name, so its flows are a band, below the lines of the named
    /// flows.
    #[test]
    fn groups_are_bands_below_named_flows_and_others_have_panels_of_their_own() {
        let mut files = files();
        let edit = |files: &mut Vec<results::OutputFile>, name: &str, from: &str, to: &str| {
            let file = files.iter_mut().find(|file| file.name == name).expect("the run has it");
            assert!(file.contents.contains(from), "{name}: {}", file.contents);
            file.contents = file.contents.replacen(from, to, 1);
        };
        let titles = |files: &[results::OutputFile]| -> Vec<String> {
            let chart = chart(RunFiles::Written(files)).expect("there are samples");
            chart.panels.into_iter().map(|panel| panel.title).collect()
        };
        let groups = "Groups, all flows of each together";
        let together = "1 flow without a name or a group, together";
        assert_eq!(titles(&files), ["Named flows, and the flows of each group", groups, together]);
        let first = chart(RunFiles::Written(&files)).unwrap().panels.remove(0);
        let names: Vec<String> = first
            .layers
            .iter()
            .filter_map(|layer| match layer {
                Layer::Line(line) => Some(line.name.clone()),
                Layer::Band(band) => Some(band.name.clone()),
                _ => None,
            })
            .collect();
        assert_eq!(
            names,
            ["contributors (2 flows): middle half", "contributors (2 flows): median", "F1", "F2"]
        );
        edit(
            &mut files,
            "summary.json",
            "\"others\": {\n    \"flows\": 1",
            "\"others\": {\n    \"flows\": 20000",
        );
        let many = "20000 flows without a name or a group";
        assert_eq!(titles(&files)[2..], [format!("{many}: goodput of a flow"), format!("{many}, together")]);
        let notes = chart(RunFiles::Written(&files)).unwrap().notes;
        assert_eq!(
            notes,
            ["Quartiles of others: at most 16384 of the 20000 flows, evenly spaced in their order."]
        );
        edit(&mut files, "flows.csv", "H4,H3,false", "H4,H3,true");
        assert_eq!(titles(&files)[0], "", "a group whose flows all have lines has no band");
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
