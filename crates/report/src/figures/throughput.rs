//! `throughput.svg`: goodput over time, one line for each named flow, and one for all others together.
//!
//! Invariant: the same record draws the same bytes, without clock, chance or fonts.
//!
//! Lines that coincide are drawn over each other, the first widest, so that each can be seen.
//!
//! ```text
//!   title
//!   legend ------
//!   +-----------+-----------+   phases, divided by thin dashed lines
//!   | F1 starts | F2 starts |
//! ```

use plotters::coord::types::RangedCoordf64;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use telemetry::{Phase, RunRecord, SeriesColumn};
use units::Time;

use super::coincidence::{self, LinePoints, LineStretch};
use super::style::{COLOURS, DrawingError, FAINT, GREY, SvgArea, number, sans, unit_of_time, width};
use crate::summary::Summary;

/// Width and height in pixels.
const SIZE: (u32, u32) = (960, 480);
const HEADER: u32 = 58;
const LEFT: i32 = 64;
const RIGHT: i32 = 20;
/// Approximate width of a character of a phase's name, in pixels; names of flows are larger (see `width`).
const PHASE_CHARACTER: i32 = 7;

/// Distance up to which lines coincide, as a share of the figure's height: about two pixels.
const NEAR: f64 = 0.006;
/// Additional width of a line for each line that covers it, in pixels.
const WIDER: u32 = 4;

type SvgPlot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Returns the figure of a run.
#[must_use]
pub fn throughput(summary: &Summary, record: &RunRecord) -> String {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        draw(&area, summary, record).expect("a string takes every drawing");
    }
    text
}

fn draw(area: &SvgArea<'_>, summary: &Summary, record: &RunRecord) -> Result<(), DrawingError> {
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
struct GoodputLine {
    name: String,
    style: ShapeStyle,
    /// Goodput in Gb/s, by sample.
    goodput: Vec<f64>,
    /// First sample of the line, at the start of its flow.
    first: usize,
}

impl GoodputLine {
    fn points(&self) -> LinePoints {
        let point = |(row, goodput): (usize, &f64)| (row >= self.first).then_some(*goodput);
        self.goodput.iter().enumerate().map(point).collect()
    }
}

fn lines(record: &RunRecord) -> Vec<GoodputLine> {
    let interval = record.series.interval;
    let line = |column: SeriesColumn, name: String, style: ShapeStyle, start: Time| {
        let goodput = record.series.values(column).map(|bytes| bytes.bps_over(interval) / 1e9).collect();
        GoodputLine { name, style, goodput, first: (start.ps() / interval.ps().max(1)) as usize }
    };
    let named = record.flows.iter().take(record.named()).enumerate();
    let mut lines: Vec<_> = named
        .map(|(place, flow)| {
            line(SeriesColumn::Flow(place as u32), flow.name.clone(), style_of(place), flow.start)
        })
        .collect();
    let start = record.others().map(|flow| record.flows[flow].start).min();
    if let Some(start) = start.filter(|_| record.series.place(SeriesColumn::Others).is_some()) {
        let name = format!("{} other flows together", record.others().count());
        lines.push(line(SeriesColumn::Others, name, GREY.stroke_width(2), start));
    }
    lines
}

/// Returns the style of a line. Beyond the palette, colours repeat with thinner lines.
fn style_of(column: usize) -> ShapeStyle {
    COLOURS[column % COLOURS.len()].stroke_width(if column < COLOURS.len() { 2 } else { 1 })
}

/// Draws the names in a row, each after a piece of its line, as far as there is room.
fn legend(header: &SvgArea<'_>, lines: &[GoodputLine]) -> Result<(), DrawingError> {
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

fn plot(body: &SvgArea<'_>, record: &RunRecord, lines: &[GoodputLine]) -> Result<(), DrawingError> {
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
    let points: Vec<LinePoints> = lines.iter().map(GoodputLine::points).collect();
    for (place, line) in lines.iter().enumerate() {
        // A sample is the mean over the interval before it, so its point is in the middle of that interval.
        let point = |row: usize| ((row as f64 + 0.5) * interval, line.goodput[row]);
        for LineStretch { rows, covered } in coincidence::stretches(&points[place..], NEAR * top) {
            let width = line.style.stroke_width + WIDER * covered;
            plot.draw_series(LineSeries::new(rows.map(point), line.style.stroke_width(width)))?;
        }
    }
    Ok(())
}

/// Draws the beginnings of phases, and their names where there is room.
fn phases(
    plot: &SvgPlot<'_, '_>,
    phases: &[Phase],
    scale: f64,
    end: f64,
    top: f64,
) -> Result<(), DrawingError> {
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
        for text in [title, "F1", "F2", "1 other flows together", "F2 starts"] {
            assert!(drawn.contains(&format!("\n{text}\n")), "no `{text}` in {drawn}");
        }
        assert_eq!(drawn, figure(&record));
    }

    #[test]
    fn a_run_without_samples_or_flows_still_has_axes() {
        let figure = figure(&RunRecord::default());
        assert!(figure.contains("goodput (Gb/s)") && figure.contains("no flow of this run has a name"));
    }
}
