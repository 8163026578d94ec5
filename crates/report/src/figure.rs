//! `throughput.svg`: goodput over time, one line a named flow, one more for all others together.
//!
//! Invariant: the same record draws the same bytes; no clock, no chance, no font is consulted.
//!
//! Lines that coincide are drawn one upon the other, the first widest, so that each can be seen.
//!
//! ```text
//!   title
//!   legend ------
//!   +-----------+-----------+   phases, divided by thin dashed lines
//!   | F1 starts | F2 starts |
//! ```

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use telemetry::{Phase, RunRecord};
use units::Time;

use crate::coincidence::{self, Points, Stretch};
use crate::{Summary, tables};

/// Width and height in pixels.
const SIZE: (u32, u32) = (960, 480);
const HEADER: u32 = 58;
const LEFT: i32 = 64;
const RIGHT: i32 = 20;
/// About how many pixels a character of a phase's name takes, which is smaller than a flow's (see `width`).
const PHASE_CHARACTER: i32 = 7;

/// Colours that are told apart under every common form of colour blindness (Okabe and Ito 2008),
/// without black and the yellow that is too light for a line on white.
pub(crate) const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];
pub(crate) const GREY: RGBColor = RGBColor(110, 110, 110);
pub(crate) const FAINT: RGBColor = RGBColor(225, 225, 225);

/// Lines coincide that are no farther apart than this share of the figure's height, about two pixels.
const NEAR: f64 = 0.006;
/// How much wider a line is, in pixels, for each line that covers it.
const WIDER: u32 = 4;

pub(crate) type Failure = DrawingAreaErrorKind<std::io::Error>;
pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Plot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// The figure of a run.
#[must_use]
pub fn throughput(summary: &Summary, record: &RunRecord) -> String {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        draw(&area, summary, record).expect("a string takes every drawing");
    }
    text
}

fn draw(area: &Area<'_>, summary: &Summary, record: &RunRecord) -> Result<(), Failure> {
    area.fill(&WHITE)?;
    let lines = lines(record);
    let (header, body) = area.split_vertically(HEADER);
    let Summary { scenario, congestion_control, .. } = summary;
    let title = format!("{scenario}, congestion control {congestion_control}: goodput of each flow");
    header.draw(&Text::new(title, (LEFT, 10), sans(17, &BLACK)))?;
    legend(&header, &lines)?;
    plot(&body, record, &lines)?;
    area.present()
}

/// A line of the figure.
struct Line {
    name: String,
    style: ShapeStyle,
    /// Goodput in Gb/s, by sample.
    goodput: Vec<f64>,
    /// The first sample that may hold something: a line begins with its flow.
    first: usize,
}

impl Line {
    fn points(&self) -> Points {
        let point = |(row, goodput): (usize, &f64)| (row >= self.first).then_some(*goodput);
        self.goodput.iter().enumerate().map(point).collect()
    }
}

fn lines(record: &RunRecord) -> Vec<Line> {
    let interval = record.series.interval;
    let line = |column: usize, name: String, style: ShapeStyle, start: Time| {
        let goodput = record.series.rows.iter().map(|row| row[column].bps_over(interval) / 1e9).collect();
        Line { name, style, goodput, first: (start.ps() / interval.ps().max(1)) as usize }
    };
    let (named, others) = record.flows.split_at(record.named());
    let mut lines: Vec<_> = named
        .iter()
        .enumerate()
        .map(|(column, flow)| line(column, flow.name.clone(), style_of(column), flow.start))
        .collect();
    let start = others.iter().map(|flow| flow.start).min();
    if let Some(start) = start.filter(|_| tables::others_are_sampled(record)) {
        let name = format!("{} other flows together", others.len());
        lines.push(line(named.len(), name, GREY.stroke_width(2), start));
    }
    lines
}

/// Beyond the palette, colours come again with thinner lines.
fn style_of(column: usize) -> ShapeStyle {
    COLOURS[column % COLOURS.len()].stroke_width(if column < COLOURS.len() { 2 } else { 1 })
}

/// The names in a row, each behind a piece of its line, as far as they have room.
fn legend(header: &Area<'_>, lines: &[Line]) -> Result<(), Failure> {
    if lines.is_empty() {
        return header.draw(&Text::new("no flow of this run has a name", (LEFT, 38), sans(13, &GREY)));
    }
    let mut left = LEFT;
    for (place, line) in lines.iter().enumerate() {
        let end = left + 30 + width(&line.name);
        if end > SIZE.0 as i32 - RIGHT - 60 && place + 1 < lines.len() {
            let rest = format!("and {} more", lines.len() - place);
            return header.draw(&Text::new(rest, (left, 38), sans(13, &GREY)));
        }
        header.draw(&PathElement::new([(left, 46), (left + 22, 46)], line.style.stroke_width(3)))?;
        header.draw(&Text::new(line.name.clone(), (left + 28, 38), sans(13, &BLACK)))?;
        left = end + 16;
    }
    Ok(())
}

fn plot(body: &Area<'_>, record: &RunRecord, lines: &[Line]) -> Result<(), Failure> {
    let (unit, scale) = unit_of_time(record.simulated.seconds());
    let end = (record.simulated.seconds() * scale).max(f64::MIN_POSITIVE);
    let highest = lines.iter().flat_map(|line| &line.goodput).fold(0.0, |high: f64, one| high.max(*one));
    let top = if highest > 0.0 { highest * 1.12 } else { 1.0 };
    let mut plot = ChartBuilder::on(body)
        .margin_left(8)
        .margin_right(RIGHT)
        .margin_bottom(6)
        .margin_top(6)
        .x_label_area_size(42)
        .y_label_area_size(LEFT - 8)
        .build_cartesian_2d(0.0..end, 0.0..top)?;
    plot.configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(FAINT)
        .axis_style(GREY)
        .x_desc(format!("simulated time ({unit})"))
        .y_desc("goodput (Gb/s)")
        .axis_desc_style(sans(14, &BLACK))
        .label_style(sans(13, &BLACK))
        .x_label_formatter(&|x| number(*x))
        .y_label_formatter(&|y| number(*y))
        .draw()?;
    phases(&plot, &record.phases, scale, end, top)?;
    let interval = record.series.interval.seconds() * scale;
    let points: Vec<Points> = lines.iter().map(Line::points).collect();
    for (place, line) in lines.iter().enumerate() {
        // A sample is the mean over the interval before it: it stands in that interval's middle.
        let point = |row: usize| ((row as f64 + 0.5) * interval, line.goodput[row]);
        for Stretch { rows, covered } in coincidence::stretches(&points[place..], NEAR * top) {
            let width = line.style.stroke_width + WIDER * covered;
            plot.draw_series(LineSeries::new(rows.map(point), line.style.stroke_width(width)))?;
        }
    }
    Ok(())
}

/// Where phases begin, and their names where those have room.
fn phases(plot: &Plot<'_, '_>, phases: &[Phase], scale: f64, end: f64, top: f64) -> Result<(), Failure> {
    let area = plot.plotting_area();
    let pixels = |span: f64| (span / end * f64::from(SIZE.0 as i32 - LEFT - RIGHT)) as i32;
    for phase in phases {
        let (from, to) = (phase.from.seconds() * scale, phase.to.seconds() * scale);
        if from > 0.0 {
            let ends = [(from, 0.0), (from, top)];
            area.draw(&DashedPathElement::new(ends, 4, 4, GREY.stroke_width(1)))?;
        }
        if phase.name.chars().count() as i32 * PHASE_CHARACTER + 8 <= pixels(to - from) {
            let style = sans(12, &GREY).pos(Pos::new(HPos::Center, VPos::Top));
            area.draw(&Text::new(phase.name.clone(), (f64::midpoint(from, to), top * 0.99), style))?;
        }
    }
    Ok(())
}

pub(crate) fn sans(size: u32, colour: &'static RGBColor) -> TextStyle<'static> {
    TextStyle::from(("sans-serif", size).into_font()).color(colour)
}

/// About how many pixels a name takes: no font is at hand to ask.
pub(crate) fn width(name: &str) -> i32 {
    name.chars().count() as i32 * 8
}

/// The unit in which the whole run has at least one before the point.
pub(crate) fn unit_of_time(seconds: f64) -> (&'static str, f64) {
    if seconds >= 1.0 {
        ("s", 1.0)
    } else if seconds >= 1e-3 {
        ("ms", 1e3)
    } else {
        ("us", 1e6)
    }
}

/// A tick's label, without digits that only rounding made.
pub(crate) fn number(value: f64) -> String {
    crate::rounded(value, 6).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn figure(record: &RunRecord) -> String {
        throughput(&Summary::new(sample::CONTEXT, record, sample::cost()), record)
    }

    #[test]
    fn the_figure_names_every_line_and_phase_and_is_the_same_each_time() {
        let record = sample::record();
        let drawn = figure(&record);
        let title = "hand-made, congestion control Iba: goodput of each flow";
        for text in [title, "F1", "F2", "2 other flows together", "F2 starts"] {
            assert!(drawn.contains(&format!("\n{text}\n")), "no `{text}` in {drawn}");
        }
        assert_eq!(drawn, figure(&record));
    }

    #[test]
    fn a_run_without_samples_or_flows_still_has_axes() {
        let figure = figure(&RunRecord::default());
        assert!(figure.contains("goodput (Gb/s)") && figure.contains("no flow of this run has a name"));
    }

    #[test]
    fn the_axis_of_time_has_a_unit_that_fits() {
        assert_eq!([2.0, 0.5, 0.000_2].map(|seconds| unit_of_time(seconds).0), ["s", "ms", "us"]);
    }
}
