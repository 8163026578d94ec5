//! `goodput.svg`: goodput over time of named flows, of groups, and of all other flows.
//!
//! Invariant: flows without a name are never summed on the axis of a single flow.
//!
//! | flows | drawn as |
//! |---|---|
//! | groups, all others | their sums first; the middle half of their flows as a band with the median, if flows live long |
//! | up to 6 named flows | lines in a single panel, on top of the bands; thick if they are victims of a congestion tree |
//! | up to 24 named flows | a small panel each |
//! | more named flows | with their groups, or as a band of their own, and the worst victims as lines |
//! | more than 6 named flows of a group | with their group |

mod series;

use measures::rounded;
use results::format::grouped;
use results::reader::{RunFacts, RunFiles};
use telemetry::FlowSpread;

use super::engine::axis::number;
use super::engine::{Axis, Chart, Ink, Layer, Line, Panel};
use super::fault::FigureFault;
use super::quartiles::{self, Quartiles};
use super::scales;
use super::victims::Victims;

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
    let victims = Victims::read(files, series.of_kind("flow").map(|flow| flow.name.as_str()))?;
    let (time, per_second) = Axis::time(facts.end_s());
    let figure = GoodputFigure { facts: &facts, series: &series, victims: &victims, time, per_second };
    let flows = series.single_flows(&victims);
    let is_small = flows.len() > OVERLAID && flows.len() <= SMALL;
    let lines = if is_small {
        Vec::new()
    } else if flows.len() <= OVERLAID {
        flows.clone()
    } else {
        // Of very many flows with a band, the victims have lines.
        series::worst(flows.clone(), &victims, OVERLAID)
    };
    let mut sums = figure.sums(lines.len());
    let mut singles = figure.lines_and_bands(&lines, &figure.bands(&flows));
    singles.extend(figure.others_spread());
    let small = if is_small { figure.small_panels(&flows) } else { Vec::new() };
    if sums.is_empty() && singles.is_empty() && small.is_empty() {
        return Err(FigureFault::Empty("the run has no samples"));
    }
    let mut notes = figure.notes();
    if is_small && !sums.is_empty() {
        notes.push("The small panels have a scale of their own, the same for all.".to_owned());
    }
    // A sum is no measure for a flow, so that each has a scale of its own.
    scales::share(&mut sums);
    scales::share(&mut singles);
    scales::name_finer(&mut singles, &sums);
    let (above, wide) = (sums.len(), singles.len());
    let panels = sums.into_iter().chain(small).chain(singles).collect();
    let columns = if is_small { ACROSS } else { 1 };
    let title = format!("{}, {}: goodput over time", facts.scenario, facts.scheme());
    let description = "Goodput over simulated time. Each point stands in the middle of its interval; the dashed lines of the plot \
                       separate phases. The line of a group of flows is their sum, or their median within the middle half: \
                       from the lower to the upper quartile of their goodput. Victims of congestion trees are thick."
        .to_owned();
    Ok(Chart { title, description, panels, columns, above, wide, notes })
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
    victims: &'a Victims,
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

    /// Returns a thick line for a victim, and a thin line for another flow.
    fn flow_line(&self, name: String, ink: Ink, flow: &GoodputCurve) -> Layer {
        Layer::Line(Line { thick: self.victims.has(&flow.name), ..self.line(name, ink, flow) })
    }

    /// Returns the name of a group with the number of its flows, the same in all panels.
    fn group_name(&self, group: &str) -> String {
        let flows = self.series.members(group).flows;
        format!("{group} ({} {})", grouped(flows as u64), plural(flows))
    }

    /// Returns the panels of sums: groups, and all flows with neither a name nor a group. Groups have the pens after
    /// those of so many lines.
    fn sums(&self, lines: usize) -> Vec<Panel> {
        let groups: Vec<_> = self.series.of_kind("group").collect();
        let places: Vec<_> = (lines..).zip(groups).collect();
        let most = places.iter().map(|(_, group)| highest(&[group])).fold(0.0, f64::max);
        // A small group would lie on the axis below a large one.
        let (large, small): (Vec<_>, Vec<_>) =
            places.into_iter().partition(|(_, group)| highest(&[group]) * scales::FACTOR >= most);
        let title = "Groups, all flows of each together";
        let part = |(number, part): (usize, &[(usize, &GoodputCurve)])| {
            let line = |(place, curve): &(usize, &GoodputCurve)| {
                Layer::Line(self.line(self.group_name(&curve.name), Ink::Palette(*place), curve))
            };
            let curves: Vec<_> = part.iter().map(|(_, curve)| *curve).collect();
            let title = if number == 0 { title } else { "Further groups" };
            self.panel(title.to_owned(), highest(&curves), LOW, part.iter().map(line).collect())
        };
        let others = self.series.of_kind("others").map(|curve| {
            let line = Layer::Line(self.line(String::new(), Ink::Grey, curve));
            self.panel(format!("{}, together", self.others_name()), highest(&[curve]), LOW, vec![line])
        });
        let parts = large.chunks(OVERLAID).chain(small.chunks(OVERLAID));
        parts.enumerate().map(part).chain(others).collect()
    }

    /// Returns a single panel with the bands and the lines on top, or a panel of lines and further panels of bands
    /// where they are too many.
    fn lines_and_bands(&self, lines: &[&GoodputCurve], bands: &[FlowBand]) -> Vec<Panel> {
        let overlay = |flows: &[&GoodputCurve]| -> Vec<Layer> {
            let inks = (0..).map(Ink::Palette);
            let line = |(flow, ink): (&&GoodputCurve, Ink)| {
                self.flow_line(self.victims.named(&flow.name), ink, flow)
            };
            flows.iter().zip(inks).map(line).collect()
        };
        let of_bands = |title: &str, bands: &[FlowBand], on_top: &[&GoodputCurve]| {
            // A group has the same pen in all panels.
            let of_band = |band: &FlowBand| {
                let ink = Ink::Palette(lines.len() + band.place);
                quartiles::layers(&band.name, ink, &self.spread(&band.quartiles))
            };
            let mut layers: Vec<Layer> = bands.iter().flat_map(of_band).collect();
            let highest = highest_of(&layers).max(highest(on_top));
            layers.extend(overlay(on_top));
            self.panel(title.to_owned(), highest, HEIGHT, layers)
        };
        let of_lines = || {
            // A title stands where there is something to tell the lines from.
            let is_alone = self.series.of_kind("group").next().is_none();
            let title = if is_alone { "" } else { "Named flows" };
            self.panel(title.to_owned(), highest(lines), HEIGHT, overlay(lines))
        };
        match (lines, bands) {
            ([], []) => Vec::new(),
            (_, []) => vec![of_lines()],
            (lines, bands) if !lines.is_empty() && lines.len() + bands.len() <= OVERLAID => {
                vec![of_bands("Named flows; of each group the median flow and the middle half", bands, lines)]
            }
            (lines, bands) => {
                let first = (!lines.is_empty()).then(of_lines);
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
            let members = self.series.members(&group.name).flows;
            let drawn = flows.iter().filter(|flow| flow.group.as_ref() == Some(&group.name)).count();
            if group.has_spread() && group.lives_long(members) && (!have_lines || drawn < members) {
                let name = self.group_name(&group.name);
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
            let line = self.flow_line(String::new(), Ink::Palette(0), flow);
            self.panel(self.victims.named(&flow.name), highest, SMALL_HEIGHT, vec![line])
        };
        flows.iter().map(panel).collect()
    }

    fn others_name(&self) -> String {
        let count = self.facts.others.flows;
        format!("{} {} without a name or a group", grouped(count as u64), plural(count))
    }

    /// Returns the panel of a flow among all with neither a name nor a group, if they live long.
    fn others_spread(&self) -> Option<Panel> {
        let count = self.facts.others.flows;
        let curve = self.series.of_kind("others").next().filter(|curve| count > 1 && curve.has_spread())?;
        let layers = quartiles::layers("", Ink::Grey, &self.spread(&curve.quartiles));
        let title = format!("{}: goodput of a flow", self.others_name());
        curve.lives_long(count).then(|| self.panel(title, highest_of(&layers), LOW, layers))
    }

    /// Returns the notes: which quartiles are over some of the flows only, or not drawn.
    fn notes(&self) -> Vec<String> {
        let groups =
            self.series.of_kind("group").map(|group| (group, self.series.members(&group.name).flows));
        let others = self.series.of_kind("others").map(|others| (others, self.facts.others.flows));
        let note = |(curve, flows): (&GoodputCurve, usize)| {
            let (name, most) = (&curve.name, FlowSpread::MOST);
            if flows < 2 || !curve.has_spread() {
                None
            } else if !curve.lives_long(flows) {
                let life = number(rounded(curve.life(flows), 1));
                Some(format!(
                    "No goodput of a single flow of {name}: a flow has data to send in {life} samples, in the mean."
                ))
            } else if flows > most {
                let flows = grouped(flows as u64);
                Some(format!(
                    "Quartiles of {name}: at most {} of the {flows} flows, evenly spaced in their order.",
                    grouped(most as u64)
                ))
            } else {
                None
            }
        };
        groups.chain(others).filter_map(note).collect()
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

/// Returns the highest point of these layers.
fn highest_of(layers: &[Layer]) -> f64 {
    layers.iter().flat_map(Layer::tops).map(|(_, top)| top).fold(0.0, f64::max)
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
        let victim = "F2 (victim, waited 7.25 ms)";
        for text in [title, "F1", victim, "Groups, all flows of each together", "F2 starts"] {
            assert!(svg.contains(&format!(">{text}</text>")), "no `{text}` in {svg}");
        }
        let written = files.iter().find(|file| file.name == "goodput.svg").expect("the run has the figure");
        assert_eq!(svg, written.contents);
    }

    #[test]
    fn a_flow_has_no_points_before_its_start() {
        let chart = chart(RunFiles::Written(&files())).unwrap();
        let line = |name: &str| {
            let layers = chart.panels[2].layers.iter();
            let mut lines =
                layers.filter_map(|layer| if let Layer::Line(line) = layer { Some(line) } else { None });
            lines
                .find(|line| line.name.starts_with(name))
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
        let flows = "Named flows; of each group the median flow and the middle half";
        assert_eq!(titles(&files), [groups, together, flows]);
        let last = chart(RunFiles::Written(&files)).unwrap().panels.remove(2);
        let names: Vec<(String, bool)> = last
            .layers
            .iter()
            .filter_map(|layer| match layer {
                Layer::Line(line) => Some((line.name.clone(), line.thick)),
                Layer::Band(band) => Some((band.name.clone(), false)),
                _ => None,
            })
            .collect();
        let group = "contributors (2 flows)";
        let expected = [(group, false), (group, false), ("F1", false), ("F2 (victim, waited 7.25 ms)", true)];
        assert_eq!(names, expected.map(|(name, thick)| (name.to_owned(), thick)));
        edit(
            &mut files,
            "summary.json",
            "\"others\": {\n    \"flows\": 1",
            "\"others\": {\n    \"flows\": 20000",
        );
        // Of 20,000 flows, one has data to send: the others live too short.
        let many = "20,000 flows without a name or a group";
        assert_eq!(titles(&files), [groups, &format!("{many}, together"), flows]);
        let notes = chart(RunFiles::Written(&files)).unwrap().notes;
        let short =
            "No goodput of a single flow of others: a flow has data to send in 0 samples, in the mean.";
        assert_eq!(notes, [short]);
        edit(&mut files, "flows.csv", "H4,H3,false", "H4,H3,true");
        let series = files.iter_mut().find(|file| file.name == "series.csv").expect("there is a series");
        series.contents += "0.02,flow,incast[0],1000000000.0,,,,\n";
        assert_eq!(titles(&files)[2], "Named flows", "a group whose flows all have lines has no band");
    }

    /// Flows of a group that live for three of the four samples in the mean, and others for a sample.
    #[test]
    fn quartiles_are_of_flows_that_live_long() {
        let mut files = files();
        let series = files.iter_mut().find(|file| file.name == "series.csv").expect("there is a series");
        let row = |ms: u32, name: &str, flows: usize| {
            let kind = if name == "others" { "others" } else { "group" };
            format!("0.0{ms:02},{kind},{name},1e9,{flows},1e6,2e6,3e6\n")
        };
        let rows = [5, 10, 15, 20]
            .map(|ms| row(ms, "contributors", 2 - usize::from(ms > 10)) + &row(ms, "others", 1));
        series.contents = format!(
            "time_s,kind,name,goodput_bps,flows,lower_quartile_bps,median_bps,upper_quartile_bps\n{}",
            rows.concat()
        );
        let summary = files.iter_mut().find(|file| file.name == "summary.json").expect("there is a summary");
        summary.contents = summary.contents.replacen("\"flows\": 1", "\"flows\": 4", 1);
        let chart = chart(RunFiles::Written(&files)).expect("there are samples");
        let bands = chart
            .panels
            .iter()
            .flat_map(|panel| &panel.layers)
            .filter(|layer| matches!(layer, Layer::Band(_)));
        assert_eq!((bands.count(), chart.notes.len()), (1, 1), "{:?}", chart.notes);
    }

    #[test]
    fn many_flows_of_a_group_are_the_group_and_its_worst_victims() {
        let curve = |name: String, group: Option<&str>| GoodputCurve {
            kind: "flow".to_owned(),
            name,
            group: group.map(str::to_owned),
            ..GoodputCurve::default()
        };
        let members = (1..=9).map(|number| curve(format!("write{number}"), Some("write")));
        let curves: Vec<_> = members.chain([curve("F1".to_owned(), None)]).collect();
        let groups = [("write".to_owned(), series::Members { flows: 9, named: 9 })].into();
        let series = GoodputSeries { times: Vec::new(), curves, groups };
        let names = |victims: &Victims| {
            series.single_flows(victims).iter().map(|flow| flow.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&Victims::default()), ["F1"]);
        let victims = Victims::of([("write2", 1.0), ("write7", 2.0)]);
        assert_eq!(names(&victims), ["F1", "write7", "write2"]);
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
