//! Goodput over time of several runs, in one panel each, below each other on one axis of time.
//!
//! Invariant: all panels have the same scales, so that heights can be compared by eye. A line is drawn only where it has
//! values.

use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::coincidence::{self, LinePoints, LineStretch};
use super::style::{COLOURS, DrawingError, FAINT, GREY, SvgArea, number, sans, unit_of_time, width};

const WIDTH: u32 = 960;
const HEADER: u32 = 58;
const HEIGHT: u32 = 130;
/// Height of the axis of time below the last panel, in pixels.
const FOOTER: u32 = 44;
const LEFT: i32 = 64;
const RIGHT: i32 = 20;
/// Most points of a line; of longer lines each point is the mean of several samples.
const POINTS: usize = 425;
/// Distance up to which lines coincide, as a share of a panel's height: about two pixels.
const NEAR: f64 = 0.02;
/// Additional width of a line for each line that covers it, in pixels.
const WIDER: u32 = 3;
/// Colour of shaded times.
const SHADE: RGBColor = RGBColor(238, 238, 238);

/// The panel of one run.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Name.
    pub title: String,
    /// Sampling interval, in s.
    pub interval: f64,
    /// Lines. Those of all panels have the same names in the same order.
    pub lines: Vec<GoodputCurve>,
    /// Shaded times, from and to, in s.
    pub shaded: Vec<(f64, f64)>,
    /// Levels to compare the lines with: dashed, each with its name.
    pub levels: Vec<ReferenceLevel>,
}

/// A goodput to compare lines with.
#[derive(Clone, Debug)]
pub struct ReferenceLevel {
    /// Name.
    pub name: String,
    /// Goodput, in Gb/s.
    pub goodput: f64,
}

/// A line: the goodput of one flow.
#[derive(Clone, Debug)]
pub struct GoodputCurve {
    /// Name.
    pub name: String,
    /// Goodput in Gb/s by sample; `None` where the flow does not exist.
    pub goodput: Vec<Option<f64>>,
}

/// Returns the figure of these runs.
#[must_use]
pub fn drawn(title: &str, panels: &[Panel]) -> String {
    let mut text = String::new();
    {
        let size = (WIDTH, HEADER + HEIGHT * panels.len() as u32 + FOOTER);
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        draw(&area, title, panels).expect("a string takes every drawing");
    }
    text
}

fn draw(area: &SvgArea<'_>, title: &str, panels: &[Panel]) -> Result<(), DrawingError> {
    area.fill(&WHITE)?;
    let (header, mut rest) = area.split_vertically(HEADER);
    header.draw(&Text::new(title.to_owned(), (LEFT, 10), sans(17, &BLACK)))?;
    legend(&header, panels)?;
    let lengths = panels.iter().map(|panel| {
        panel.interval * panel.lines.iter().map(|line| line.goodput.len()).max().unwrap_or_default() as f64
    });
    let seconds = lengths.fold(f64::MIN_POSITIVE, f64::max);
    let all = panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| binned(line).1);
    let levels = panels.iter().flat_map(|panel| &panel.levels).map(|level| level.goodput);
    let highest = all.flatten().chain(levels).fold(0.0, f64::max);
    let scale = PanelScale { seconds, top: if highest > 0.0 { highest * 1.1 } else { 1.0 } };
    for (place, panel) in panels.iter().enumerate() {
        let last = place + 1 == panels.len();
        let (own, below) = rest.split_vertically(HEIGHT + if last { FOOTER } else { 0 });
        plot(&own, panel, scale, last)?;
        rest = below;
    }
    area.present()
}

/// Upper ends of the axes of all panels.
#[derive(Clone, Copy)]
struct PanelScale {
    seconds: f64,
    top: f64,
}

fn legend(header: &SvgArea<'_>, panels: &[Panel]) -> Result<(), DrawingError> {
    let mut left = LEFT;
    for (place, line) in panels.first().map_or(&[][..], |panel| &panel.lines).iter().enumerate() {
        header.draw(&PathElement::new([(left, 46), (left + 22, 46)], style(place).stroke_width(3)))?;
        header.draw(&Text::new(line.name.clone(), (left + 28, 38), sans(13, &BLACK)))?;
        left += 46 + width(&line.name);
    }
    Ok(())
}

fn plot(area: &SvgArea<'_>, panel: &Panel, scale: PanelScale, with_time: bool) -> Result<(), DrawingError> {
    let (unit, per_second) = unit_of_time(scale.seconds);
    let mut plot = ChartBuilder::on(area)
        .margin_left(8)
        .margin_right(RIGHT)
        .margin_top(20)
        .margin_bottom(4)
        .x_label_area_size(if with_time { FOOTER } else { 0 })
        .y_label_area_size(LEFT - 8)
        .build_cartesian_2d(0.0..scale.seconds * per_second, 0.0..scale.top)?;
    for (from, to) in &panel.shaded {
        let corners = [(from * per_second, 0.0), (to * per_second, scale.top)];
        plot.draw_series([Rectangle::new(corners, SHADE.filled())])?;
    }
    let mut mesh = plot.configure_mesh();
    mesh.disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(FAINT)
        .axis_style(GREY)
        .y_labels(4)
        .y_desc("Gb/s")
        .axis_desc_style(sans(13, &BLACK))
        .label_style(sans(12, &BLACK))
        .x_label_formatter(&|x| number(*x))
        .y_label_formatter(&|y| number(*y));
    if with_time {
        mesh.x_desc(format!("simulated time ({unit})"));
    }
    mesh.draw()?;
    area.draw(&Text::new(panel.title.clone(), (LEFT + 4, 3), sans(14, &BLACK)))?;
    let binned: Vec<_> = panel.lines.iter().map(binned).collect();
    let points: Vec<LinePoints> = binned.iter().map(|(_, points)| points.clone()).collect();
    for (place, (samples, line)) in binned.iter().enumerate() {
        let step = panel.interval * *samples as f64 * per_second;
        // A sample is the mean over the interval before it, so its point is in the middle of that interval.
        let at = |row: usize| ((row as f64 + 0.5) * step, line[row].expect("a stretch has no gap"));
        for LineStretch { rows, covered } in coincidence::stretches(&points[place..], NEAR * scale.top) {
            let style = style(place);
            let width = style.stroke_width + WIDER * covered;
            plot.draw_series(LineSeries::new(rows.map(at), style.stroke_width(width)))?;
        }
    }
    let right = scale.seconds * per_second;
    for ReferenceLevel { name, goodput } in &panel.levels {
        let ends = [(0.0, *goodput), (right, *goodput)];
        plot.draw_series([DashedPathElement::new(ends, 4, 4, GREY.stroke_width(1))])?;
        let beside = sans(11, &GREY).pos(Pos::new(HPos::Right, VPos::Bottom));
        // Lines may pass behind the text, which has a translucent background.
        let ground = [(-(name.chars().count() as i32 * 6), -13), (0, -1)];
        let ground = Rectangle::new(ground, WHITE.mix(0.8).filled());
        let text = Text::new(name.clone(), (0, 0), beside);
        plot.draw_series([EmptyElement::at((right, *goodput)) + ground + text])?;
    }
    Ok(())
}

fn style(place: usize) -> ShapeStyle {
    COLOURS[place % COLOURS.len()].stroke_width(2)
}

/// Returns the number of samples to a point, and the points: each is the mean of its samples that have a value.
fn binned(line: &GoodputCurve) -> (usize, Vec<Option<f64>>) {
    let samples = line.goodput.len().div_ceil(POINTS).max(1);
    let mean = |samples: &[Option<f64>]| {
        let there: Vec<f64> = samples.iter().flatten().copied().collect();
        (!there.is_empty()).then(|| there.iter().sum::<f64>() / there.len() as f64)
    };
    (samples, line.goodput.chunks(samples).map(mean).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, goodput: Vec<Option<f64>>) -> GoodputCurve {
        GoodputCurve { name: name.to_owned(), goodput }
    }

    #[test]
    fn every_panel_and_line_is_named() {
        let panel = |title: &str| Panel {
            title: title.to_owned(),
            interval: 1e-3,
            lines: vec![curve("victim", vec![Some(1.0), None, Some(2.0)]), curve("local", vec![None; 3])],
            shaded: vec![(1e-3, 2e-3)],
            levels: vec![ReferenceLevel { name: "bound".to_owned(), goodput: 3.0 }],
        };
        let drawn = drawn("goodput", &[panel("no control"), panel("LIPD")]);
        for text in ["goodput", "no control", "LIPD", "victim", "local", "bound", "simulated time (ms)"] {
            assert!(drawn.contains(&format!("\n{text}\n")), "no `{text}` in {drawn}");
        }
        // The white background, and the shaded times of each panel.
        assert_eq!(drawn.matches(r##"fill="#EEEEEE""##).count(), 2);
        assert!(super::drawn("nothing", &[]).contains("nothing"));
    }

    #[test]
    fn points_are_means_of_samples() {
        let some = |values: &[f64]| values.iter().copied().map(Some).collect::<Vec<_>>();
        assert_eq!(binned(&curve("", some(&[1.0, 2.0]))), (1, some(&[1.0, 2.0])));
        let long = curve("", (0..2 * POINTS).map(|i| (i % 2 == 0).then_some(i as f64)).collect());
        let (samples, points) = binned(&long);
        assert_eq!((samples, points[3]), (2, Some(6.0)));
    }
}
