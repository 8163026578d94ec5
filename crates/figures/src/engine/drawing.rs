//! A chart as SVG.
//!
//! Invariant: layers are clipped to their plot; all text stands outside the plots.

use super::chart::{Band, Chart, Ink, Layer, Line, Panel};
use super::frame::{
    Frame, LABEL, LEGEND, MARGIN, NOTE, PANEL_TITLE, PHASE, PanelFrame, SAMPLE, TICK, TITLE, WIDTH,
};
use super::points::{MOST, Reduction};
use super::style::{BLACK, FAINT, GREY, HEAT, SHADE, hairline, letters, level, stroke, width};
use super::svg::{Anchor, Area, Letters, Stroke, SvgFile};

/// Most names of phases in a note.
const NAMED_PHASES: usize = 24;
/// Density of bands.
const BAND: f64 = 0.22;
/// Half the length of the caps of an interval, in pixels.
const CAP: f64 = 5.0;
/// Width of a thick pen over the width of another.
const THICK: f64 = 1.9;

/// An entry of the legend.
#[derive(Clone, Debug, PartialEq)]
enum Sample {
    Line(Stroke),
    /// A line within a band of its colour.
    Banded(Stroke),
    Area(&'static str, f64),
}

impl Chart {
    /// Returns the chart as SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        let legend = self.legend();
        let names: Vec<_> = legend.iter().map(|(name, _)| name.clone()).collect();
        let phases = numbered_phases(self);
        let notes: Vec<_> = phases.iter().cloned().chain(self.notes.iter().cloned()).collect();
        let frame = Frame::new(self, &names, &notes);
        let mut file = SvgFile::new(WIDTH, frame.height, &self.title, &self.full_description(&names));
        for (baseline, line) in &frame.title {
            file.text((MARGIN, *baseline), Anchor::Start, Letters { bold: true, ..letters(TITLE) }, line);
        }
        for ((_, sample), (left, baseline, lines)) in legend.iter().zip(&frame.legend) {
            draw_sample(&mut file, sample, (*left, baseline - LEGEND * 0.33));
            for (place, line) in lines.iter().enumerate() {
                let at = (left + SAMPLE - 4.0, baseline + LEGEND * 1.35 * place as f64);
                file.text(at, Anchor::Start, letters(LEGEND), line);
            }
        }
        let levels = self.level_names();
        for (panel, place) in self.panels.iter().zip(&frame.panels) {
            PanelDrawing { panel, frame: place, levels: &levels, numbers: phases.is_some() }.draw(&mut file);
        }
        for (baseline, line) in &frame.notes {
            file.text((MARGIN, *baseline), Anchor::Start, Letters { colour: GREY, ..letters(NOTE) }, line);
        }
        file.finish()
    }

    fn layers(&self) -> impl Iterator<Item = &Layer> {
        self.panels.iter().flat_map(|panel| &panel.layers)
    }

    fn lines(&self) -> impl Iterator<Item = &Line> {
        self.layers().filter_map(|layer| if let Layer::Line(line) = layer { Some(line) } else { None })
    }

    fn level_names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for layer in self.layers() {
            if let Layer::Level { name, .. } = layer
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
        names
    }

    /// Returns each name once, with its sample.
    fn legend(&self) -> Vec<(String, Sample)> {
        let levels = self.level_names();
        let mut legend: Vec<(String, Sample)> = Vec::new();
        let mut add = |name: &str, sample: Sample| {
            let known = legend.iter_mut().find(|(known, _)| known == name);
            match (known.map(|(_, known)| known), sample) {
                (Some(known), Sample::Area(..)) => {
                    if let Sample::Line(stroke) = *known {
                        *known = Sample::Banded(stroke);
                    }
                }
                // A run whose lines are thick in some panels only has a thin sample.
                (Some(Sample::Line(known)), Sample::Line(stroke)) if stroke.width < known.width => {
                    *known = stroke;
                }
                (None, sample) if !name.is_empty() => legend.push((name.to_owned(), sample)),
                _ => {}
            }
        };
        for line in self.lines() {
            add(&line.name, Sample::Line(line.stroke()));
        }
        for layer in self.layers() {
            match layer {
                Layer::Band(band) => add(&band.name, Sample::Area(pen(band.ink).colour, BAND)),
                Layer::Bars { name, ink, .. } => add(name, Sample::Area(pen(*ink).colour, 1.0)),
                Layer::Heat { classes, .. } => {
                    classes
                        .iter()
                        .zip(HEAT)
                        .for_each(|(class, colour)| add(class, Sample::Area(colour, 1.0)));
                }
                Layer::Level { name, .. } => {
                    let place = levels.iter().position(|known| known == name).unwrap_or_default();
                    add(name, Sample::Line(level(place)));
                }
                Layer::Line(_) | Layer::Shaded { .. } | Layer::Phase { .. } | Layer::Beyond { .. } => {}
            }
        }
        legend
    }

    /// Returns the description with the names of the legend, and the reduction of long lines.
    fn full_description(&self, names: &[String]) -> String {
        let mut text = self.description.clone();
        if !names.is_empty() {
            let first: Vec<_> = names.iter().take(12).map(String::as_str).collect();
            text += &format!(" Shown: {}.", first.join(", "));
        }
        let long = |line: &&Line| line.samples_to_a_point() > 1;
        if let Some(longest) = self.lines().filter(long).map(Line::samples_to_a_point).max() {
            text += &format!(
                " A line of more than {MOST} samples is drawn as the means of up to {longest} consecutive samples."
            );
            if self.lines().filter(long).any(|line| line.reduction == Reduction::Extremes) {
                text += " The band around it reaches from the lowest to the highest of them.";
            }
        }
        text.trim().to_owned()
    }
}

impl Line {
    fn stroke(&self) -> Stroke {
        let stroke = pen(self.ink);
        Stroke { width: if self.thick { stroke.width * THICK } else { stroke.width }, ..stroke }
    }
}

fn pen(ink: Ink) -> Stroke {
    match ink {
        Ink::Palette(place) => stroke(place),
        Ink::Grey => Stroke { colour: GREY, width: 1.8, dash: "" },
    }
}

fn draw_sample(file: &mut SvgFile, sample: &Sample, (left, middle): (f64, f64)) {
    let right = left + SAMPLE - 10.0;
    if let Sample::Banded(stroke) = sample {
        draw_sample(file, &Sample::Area(stroke.colour, BAND), (left, middle));
    }
    match sample {
        Sample::Line(stroke) | Sample::Banded(stroke) => {
            let stroke = Stroke { width: stroke.width + 0.4, ..*stroke };
            file.line((left, middle), (right, middle), stroke);
        }
        Sample::Area(colour, opacity) => {
            let (top, bottom) = (middle - 5.0, middle + 5.0);
            let corners = [(left + 10.0, top), (right, top), (right, bottom), (left + 10.0, bottom)];
            file.polygon(&corners, colour, *opacity);
        }
    }
}

/// Returns a note that explains the numbers of phases; `None` if all names fit above their phases.
fn numbered_phases(chart: &Chart) -> Option<String> {
    let columns = chart.columns.clamp(1, chart.panels.len().max(1)) as f64;
    // A little less than the narrowest plot.
    let room = (WIDTH - 2.0 * MARGIN) / columns - 120.0;
    let fits =
        |panel: &Panel| phases(panel).iter().all(|(name, _, span)| width(name, PHASE) + 8.0 <= span * room);
    let panel = chart.panels.iter().find(|panel| !fits(panel))?;
    let phases = phases(panel);
    let names = (1..).zip(&phases).take(NAMED_PHASES).map(|(number, (name, ..))| format!("{number} {name}"));
    let mut note = format!("Phases: {}", names.collect::<Vec<_>>().join("; "));
    if phases.len() > NAMED_PHASES {
        note += &format!("; and {} more", phases.len() - NAMED_PHASES);
    }
    Some(note + ".")
}

/// Returns the name, the middle and the length of each phase, as shares of the horizontal axis.
fn phases(panel: &Panel) -> Vec<(&str, f64, f64)> {
    let begins = panel.layers.iter().filter_map(|layer| match layer {
        Layer::Phase { from, name } => Some((name.as_str(), panel.x.place(*from).clamp(0.0, 1.0))),
        _ => None,
    });
    let begins: Vec<_> = begins.collect();
    let ends = begins.iter().skip(1).map(|(_, from)| *from).chain([1.0]);
    begins.iter().zip(ends).map(|((name, from), to)| (*name, f64::midpoint(*from, to), to - from)).collect()
}

struct PanelDrawing<'a> {
    panel: &'a Panel,
    frame: &'a PanelFrame,
    levels: &'a [&'a str],
    /// Whether phases have numbers instead of names.
    numbers: bool,
}

impl PanelDrawing<'_> {
    fn draw(&self, file: &mut SvgFile) {
        let PanelFrame { plot, title, y_label, y_ticks, .. } = self.frame;
        for (baseline, line) in title {
            let bold = Letters { bold: true, ..letters(PANEL_TITLE) };
            file.text((plot.left, *baseline), Anchor::Start, bold, line);
        }
        // Half a line's width lies outside at the ends of the axes.
        file.clip(Area {
            left: plot.left - 1.0,
            top: plot.top - 1.0,
            right: plot.right + 1.0,
            bottom: plot.bottom + 1.0,
        });
        self.panel.layers.iter().for_each(|layer| self.draw_ground(file, layer));
        for (value, _) in y_ticks.iter().filter(|_| self.panel.y.names.is_empty()) {
            let y = self.y(*value);
            file.line((plot.left, y), (plot.right, y), hairline(FAINT));
        }
        self.panel.layers.iter().for_each(|layer| self.draw_layer(file, layer));
        file.unclip();
        file.curve(
            &[(plot.left, plot.top), (plot.left, plot.bottom), (plot.right, plot.bottom)],
            hairline(GREY),
        );
        for (x, line) in y_label {
            file.upward_text((*x, f64::midpoint(plot.top, plot.bottom)), letters(LABEL), line);
        }
        for (value, label) in y_ticks {
            let y = self.y(*value);
            file.line((plot.left - 4.0, y), (plot.left, y), hairline(GREY));
            file.text((plot.left - 7.0, y + TICK * 0.36), Anchor::End, letters(TICK), label);
        }
        self.draw_x_axis(file);
        self.draw_phases(file);
    }

    fn x(&self, value: f64) -> f64 {
        let plot = self.frame.plot;
        plot.left + self.panel.x.place(value) * plot.width()
    }

    fn y(&self, value: f64) -> f64 {
        let plot = self.frame.plot;
        plot.bottom - self.panel.y.place(value) * plot.height()
    }

    fn draw_x_axis(&self, file: &mut SvgFile) {
        let PanelFrame { plot, x_label, x_ticks, .. } = self.frame;
        for (value, label) in x_ticks {
            let x = self.x(*value);
            file.line((x, plot.bottom), (x, plot.bottom + 4.0), hairline(GREY));
            if x_label.is_some() {
                let half = width(label, TICK) / 2.0;
                let middle = x.clamp(half + 2.0, WIDTH - half - 2.0);
                file.text((middle, plot.bottom + TICK + 5.0), Anchor::Middle, letters(TICK), label);
            }
        }
        if let Some(baseline) = x_label {
            let middle = f64::midpoint(plot.left, plot.right);
            file.text((middle, *baseline), Anchor::Middle, letters(LABEL), &self.panel.x.label);
        }
    }

    /// Draws the names of phases, or their numbers, each above its phase where there is room.
    fn draw_phases(&self, file: &mut SvgFile) {
        let (Some(baseline), plot) = (self.frame.phases, self.frame.plot) else { return };
        for (number, (name, middle, span)) in (1..).zip(phases(self.panel)) {
            let label = if self.numbers { number.to_string() } else { name.to_owned() };
            if width(&label, PHASE) <= span * plot.width() {
                let at = (plot.left + middle * plot.width(), baseline);
                file.text(at, Anchor::Middle, Letters { colour: GREY, ..letters(PHASE) }, &label);
            }
        }
    }

    /// Draws what lies below the grid.
    fn draw_ground(&self, file: &mut SvgFile, layer: &Layer) {
        let plot = self.frame.plot;
        match layer {
            Layer::Shaded { from, to } => {
                let area = Area { left: self.x(*from), right: self.x(*to), ..plot };
                file.rectangle(area, SHADE);
            }
            Layer::Heat { columns, rows, classes } => self.draw_heat(file, columns, rows, classes.len()),
            _ => {}
        }
    }

    fn draw_layer(&self, file: &mut SvgFile, layer: &Layer) {
        let plot = self.frame.plot;
        match layer {
            Layer::Phase { from, .. } if self.panel.x.place(*from) > 0.0 => {
                let x = self.x(*from);
                file.line((x, plot.top), (x, plot.bottom), Stroke { dash: "4 4", ..hairline(GREY) });
            }
            Layer::Level { name, value } => {
                let place = self.levels.iter().position(|known| known == name).unwrap_or_default();
                let y = self.y(*value);
                file.line((plot.left, y), (plot.right, y), level(place));
            }
            Layer::Band(Band { ink, points, .. }) => self.draw_band(file, *ink, points),
            Layer::Line(line) => self.draw_line(file, line),
            Layer::Bars { ink, values, .. } => {
                let bar = |(place, value): (usize, &f64)| Area {
                    left: self.x(place as f64 + 0.12),
                    right: self.x(place as f64 + 0.88),
                    top: self.y(*value),
                    bottom: self.y(0.0),
                };
                let bars: Vec<_> = values.iter().enumerate().map(bar).collect();
                file.rectangles(&bars, pen(*ink).colour);
            }
            Layer::Beyond { x } => {
                let (x, top) = (self.x(*x), plot.top + 1.0);
                let corners = [(x, top), (x - 5.0, top + 9.0), (x + 5.0, top + 9.0)];
                file.polygon(&corners, BLACK, 1.0);
            }
            Layer::Phase { .. } | Layer::Shaded { .. } | Layer::Heat { .. } => {}
        }
    }

    fn draw_band(&self, file: &mut SvgFile, ink: Ink, points: &[(f64, f64, f64)]) {
        let upper = points.iter().map(|(x, _, high)| (self.x(*x), self.y(*high)));
        let lower = points.iter().rev().map(|(x, low, _)| (self.x(*x), self.y(*low)));
        let corners: Vec<_> = upper.chain(lower).collect();
        if !corners.is_empty() {
            file.polygon(&corners, pen(ink).colour, BAND);
        }
    }

    fn draw_line(&self, file: &mut SvgFile, line: &Line) {
        let (stroke, drawn) = (line.stroke(), line.reduced());
        drawn.ranges.iter().for_each(|range| self.draw_band(file, line.ink, range));
        for piece in &drawn.pieces {
            let points: Vec<_> = piece.iter().map(|(x, y)| (self.x(*x), self.y(*y))).collect();
            if let [lone] = points[..] {
                file.dot(lone, 2.2, stroke.colour);
            } else {
                file.curve(&points, stroke);
            }
            if line.dots {
                points.iter().for_each(|point| file.dot(*point, 2.6, stroke.colour));
            }
        }
        for (x, low, high) in &line.intervals {
            self.draw_interval(file, (self.x(*x), *low, *high), stroke.colour);
        }
    }

    fn draw_interval(&self, file: &mut SvgFile, (x, low, high): (f64, f64, f64), colour: &'static str) {
        let stroke = Stroke { width: 1.2, ..hairline(colour) };
        let is_open = !high.is_finite();
        let (low, high) = (self.y(low), if is_open { self.frame.plot.top } else { self.y(high) });
        file.line((x, low), (x, high), stroke);
        // Caps show an interval that is shorter than a pixel.
        file.line((x - CAP, low), (x + CAP, low), stroke);
        if is_open {
            file.polygon(&[(x, high), (x - CAP, high + 2.0 * CAP), (x + CAP, high + 2.0 * CAP)], colour, 1.0);
        } else {
            file.line((x - CAP, high), (x + CAP, high), stroke);
        }
    }

    /// Draws the cells of a class together, neighbours in a row as a single rectangle.
    fn draw_heat(
        &self,
        file: &mut SvgFile,
        columns: &[(f64, f64)],
        rows: &[Vec<Option<usize>>],
        classes: usize,
    ) {
        for (class, colour) in HEAT.iter().enumerate().take(classes) {
            let mut areas: Vec<Area> = Vec::new();
            for (place, row) in rows.iter().enumerate() {
                let (top, bottom) = (self.heat_row(place, rows.len()), self.heat_row(place + 1, rows.len()));
                for ((from, to), cell) in columns.iter().zip(row) {
                    if *cell != Some(class) {
                        continue;
                    }
                    let (left, right) = (self.x(*from), self.x(*to));
                    match areas.last_mut() {
                        Some(last)
                            if last.top.total_cmp(&top).is_eq() && (last.right - left).abs() < 0.01 =>
                        {
                            last.right = right;
                        }
                        _ => areas.push(Area { left, top, right, bottom }),
                    }
                }
            }
            if !areas.is_empty() {
                file.rectangles(&areas, colour);
            }
        }
    }

    fn heat_row(&self, place: usize, rows: usize) -> f64 {
        let plot = self.frame.plot;
        plot.top + plot.height() * place as f64 / rows.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::super::axis::Axis;
    use super::*;

    fn chart(values: &[f64]) -> Chart {
        let points = values.iter().enumerate().map(|(x, y)| (x as f64, Some(*y))).collect();
        let panel = Panel {
            title: "one panel".to_owned(),
            x: Axis::linear("time (ms)", 0.0, values.len() as f64),
            y: Axis::linear("goodput (Gb/s)", 0.0, 10.0),
            height: 100.0,
            layers: vec![
                Layer::Phase { from: 0.0, name: "F1 starts".to_owned() },
                Layer::Shaded { from: 0.0, to: 1.0 },
                Layer::Level { name: "limit".to_owned(), value: 9.0 },
                Layer::Line(Line::new("F1", Ink::Palette(1), points)),
            ],
        };
        let description = "Goodput over time.".to_owned();
        Chart { title: "a title".to_owned(), description, panels: vec![panel], ..Chart::default() }
    }

    #[test]
    fn every_part_is_named_and_contents_are_clipped() {
        let drawn = chart(&[1.0, 200.0, 3.0]).svg();
        for text in ["a title", "one panel", "F1", "limit", "F1 starts", "time (ms)", "goodput (Gb/s)"] {
            assert!(drawn.contains(&format!(">{text}</text>")), "no `{text}` in {drawn}");
        }
        assert!(drawn.contains("<title>a title</title>"));
        assert!(drawn.contains("<desc>Goodput over time. Shown: F1, limit.</desc>"));
        let (inside, _) = drawn.split_once("</g>").unwrap();
        let (_, clipped) = inside.split_once("<g clip-path").unwrap();
        assert!(clipped.contains("stroke-dasharray=\"8 4\""), "the line is within the clipped group");
    }

    #[test]
    fn a_band_and_lines_of_a_name_are_one_entry_with_the_thin_pen() {
        let mut chart = chart(&[1.0, 2.0]);
        let line = |thick| Line { thick, ..Line::new("a", Ink::Palette(0), vec![(0.0, Some(1.0))]) };
        let band = Band { name: "a".to_owned(), ink: Ink::Palette(0), points: vec![(0.0, 0.5, 1.5)] };
        chart.panels[0].layers = vec![Layer::Band(band), Layer::Line(line(true)), Layer::Line(line(false))];
        assert_eq!(chart.legend(), [("a".to_owned(), Sample::Banded(stroke(0)))]);
    }

    #[test]
    fn an_interval_without_an_upper_end_is_an_arrow_and_has_no_number() {
        let mut chart = chart(&[1.0, 2.0]);
        let mut line = Line::new("a", Ink::Palette(0), vec![(1.0, None)]);
        let heads = |chart: &Chart| chart.svg().matches("fill-opacity").count();
        line.intervals = vec![(1.0, 2.0, 3.0)];
        chart.panels[0].layers = vec![Layer::Line(line.clone())];
        assert_eq!(heads(&chart), 0);
        line.intervals = vec![(1.0, 2.0, f64::INFINITY)];
        chart.panels[0].layers = vec![Layer::Line(line)];
        assert_eq!((heads(&chart), chart.csv().ends_with(",,2.0,\n")), (1, true), "{}", chart.csv());
    }

    #[test]
    fn long_lines_have_few_points_and_the_description_says_so() {
        let drawn = chart(&vec![5.0; 5000]).svg();
        let longest = drawn.lines().map(|line| line.matches('L').count()).max().unwrap();
        assert!(longest < MOST, "{longest}");
        assert!(drawn.contains("means of up to 13 consecutive samples"));
    }

    #[test]
    fn names_of_phases_become_numbers_where_they_do_not_fit() {
        let mut many = chart(&[1.0, 2.0]);
        let phase = |number: u32| Layer::Phase {
            from: f64::from(number) * 0.05,
            name: format!("the flow {number} starts"),
        };
        many.panels[0].layers = (0..20).map(phase).collect();
        let drawn = many.svg();
        assert!(drawn.contains("Phases: 1 the flow 0 starts; 2 the flow 1 starts;"), "{drawn}");
        assert!(drawn.contains(">20</text>") && !drawn.contains(">the flow 3 starts</text>"));
    }

    #[test]
    fn a_chart_without_panels_or_points_has_its_title() {
        let empty = Chart { title: "nothing".to_owned(), ..Chart::default() };
        assert!(empty.svg().contains(">nothing</text>"));
        assert!(chart(&[]).svg().contains("goodput (Gb/s)"));
    }
}
