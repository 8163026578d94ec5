//! Figures of numbers against a setting, such as the period of a timer.
//!
//! Invariant: the axis of the numbers begins at 0.

use core::ops::Range;

use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::style::{COLOURS, DrawingError, FAINT, GREY, SvgArea, number, sans};

const SIZE: (u32, u32) = (960, 420);

/// Labels and scale of the axes.
#[derive(Clone, Debug)]
pub struct SweepAxes {
    /// Name of the setting, with its unit.
    pub x: String,
    /// Unit of the numbers.
    pub y: String,
    /// Scale of the settings.
    pub scale: AxisScale,
}

/// Scale of the axis of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisScale {
    /// Linear.
    Linear,
    /// Logarithmic; all settings are above 0.
    Log,
}

impl AxisScale {
    fn place(self, x: f64) -> f64 {
        if self == Self::Log { x.log10() } else { x }
    }

    /// Returns the setting at a place on the axis, to two digits.
    fn at(self, place: f64) -> String {
        match self {
            Self::Linear => number(place),
            Self::Log => {
                let x = 10f64.powf(place);
                let unit = 10f64.powf(x.log10().floor() - 1.0);
                number((x / unit).round() * unit)
            }
        }
    }
}

/// A line: numbers for each setting.
#[derive(Clone, Debug)]
pub struct SweepLine {
    /// Name.
    pub name: String,
    /// Points in ascending order of the setting; every line has the same settings.
    pub points: Vec<SweepPoint>,
}

/// A mean at one setting.
#[derive(Clone, Copy, Debug)]
pub struct SweepPoint {
    /// The setting.
    pub x: f64,
    /// The mean.
    pub y: f64,
    /// Half the width of the 95 % confidence interval, if there is one.
    pub ci95: Option<f64>,
}

/// Returns the figure of these lines, with levels to compare them with: the name and value of each.
#[must_use]
pub fn drawn(title: &str, axis: &SweepAxes, lines: &[SweepLine], levels: &[(String, f64)]) -> String {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        draw(&area, title, axis, lines, levels).expect("a string takes every drawing");
    }
    text
}

fn draw(
    area: &SvgArea<'_>,
    title: &str,
    axis: &SweepAxes,
    lines: &[SweepLine],
    levels: &[(String, f64)],
) -> Result<(), DrawingError> {
    area.fill(&WHITE)?;
    let points = || lines.iter().flat_map(|line| &line.points);
    let left = points().map(|point| axis.scale.place(point.x)).fold(f64::INFINITY, f64::min);
    let right = points().map(|point| axis.scale.place(point.x)).fold(f64::NEG_INFINITY, f64::max);
    let highest = points().map(|point| point.y).chain(levels.iter().map(|level| level.1)).fold(0.0, f64::max);
    let top = if highest > 0.0 { highest * 1.15 } else { 1.0 };
    if left >= right {
        return area.draw(&Text::new(title.to_owned(), (64, 10), sans(17, &BLACK)));
    }
    let mut plot = ChartBuilder::on(area)
        .caption(title, sans(15, &BLACK))
        .margin(10)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d(left..right, 0.0..top)?;
    plot.configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(FAINT)
        .axis_style(GREY)
        .axis_desc_style(sans(13, &BLACK))
        .label_style(sans(12, &BLACK))
        .x_desc(&axis.x)
        .y_desc(&axis.y)
        .x_label_formatter(&|place| axis.scale.at(*place))
        .y_label_formatter(&|y| number(*y))
        .draw()?;
    for (name, value) in levels {
        let ends = [(left, *value), (right, *value)];
        plot.draw_series([DashedPathElement::new(ends, 4, 4, GREY.stroke_width(1))])?;
        let beside = sans(11, &GREY).pos(Pos::new(HPos::Right, VPos::Bottom));
        plot.draw_series([Text::new(name.clone(), (right, *value), beside)])?;
    }
    for (place, line) in lines.iter().enumerate() {
        let colour = COLOURS[place % COLOURS.len()];
        let at = |point: &SweepPoint, y: f64| (axis.scale.place(point.x), y);
        let middle = || line.points.iter().map(|point| at(point, point.y));
        plot.draw_series(LineSeries::new(middle(), colour.stroke_width(2)))?
            .label(&line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(2)));
        plot.draw_series(middle().map(|at| Circle::new(at, 2, colour.filled())))?;
        plot.draw_series(line.points.iter().filter_map(|point| {
            let half = point.ci95?;
            let ends = [at(point, (point.y - half).max(0.0)), at(point, (point.y + half).min(top))];
            Some(PathElement::new(ends, colour.stroke_width(1)))
        }))?;
    }
    plot.configure_series_labels()
        .position(legend_place(lines, axis, left..right, top))
        .label_font(sans(12, &BLACK))
        .background_style(WHITE)
        .draw()
}

/// Returns the corner at the bottom in which fewer points lie behind the names of the lines; the right one if both have
/// as many.
fn legend_place(lines: &[SweepLine], axis: &SweepAxes, across: Range<f64>, top: f64) -> SeriesLabelPosition {
    // Approximate area of the names: a quarter of the width, and a twentieth of the height for each, with a margin.
    let (width, height) = ((across.end - across.start) / 4.0, (0.06 + 0.05 * lines.len() as f64) * top);
    let low = || lines.iter().flat_map(|line| &line.points).filter(|point| point.y < height);
    let on_the_right = low().filter(|point| axis.scale.place(point.x) > across.end - width).count();
    let on_the_left = low().filter(|point| axis.scale.place(point.x) < across.start + width).count();
    if on_the_left < on_the_right { SeriesLabelPosition::LowerLeft } else { SeriesLabelPosition::LowerRight }
}

/// Returns the points as CSV: one row for each setting.
#[must_use]
pub fn csv(lines: &[SweepLine]) -> String {
    let of_lines = lines.iter().flat_map(|line| [line.name.clone(), format!("{} ci95", line.name)]);
    let header = ["setting".to_owned()].into_iter().chain(of_lines).map(|name| name.replace([' ', ','], "_"));
    let settings = lines.first().map_or(0, |line| line.points.len());
    let decimal = |value: f64| format!("{value:.6}");
    let row = |place: usize| {
        let setting = lines.first().map(|line| decimal(line.points[place].x));
        let numbers = lines.iter().flat_map(move |line| {
            let point = line.points[place];
            [decimal(point.y), point.ci95.map_or_else(String::new, decimal)]
        });
        setting.into_iter().chain(numbers).collect()
    };
    crate::format::csv(header.collect(), (0..settings).map(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_levels_and_axes_are_named() {
        let points = [(1.0, 0.3, None), (10.0, 0.8, Some(0.1)), (100.0, 0.5, Some(0.01))];
        let points = points.map(|(x, y, ci95)| SweepPoint { x, y, ci95 }).to_vec();
        let lines = [SweepLine { name: "while it lasts".to_owned(), points }];
        let axis =
            SweepAxes { x: "timer (us)".to_owned(), y: "of each link".to_owned(), scale: AxisScale::Log };
        let drawn = drawn("tables", &axis, &lines, &[("bound".to_owned(), 0.26)]);
        for text in ["tables", "while it lasts", "timer (us)", "of each link", "bound"] {
            assert!(drawn.contains(&format!("\n{text}\n")), "no `{text}` in {drawn}");
        }
        assert_eq!(
            csv(&lines),
            "setting,while_it_lasts,while_it_lasts_ci95\n1.000000,0.300000,\n10.000000,0.800000,0.100000\n\
             100.000000,0.500000,0.010000\n"
        );
        assert_eq!((AxisScale::Log.at(1.5), AxisScale::Linear.at(1.5)), ("32".to_owned(), "1.5".to_owned()));
        assert!(super::drawn("nothing", &axis, &[], &[]).contains("nothing"));
    }

    #[test]
    fn names_of_lines_hide_no_points_where_there_is_a_choice() {
        let axis = SweepAxes { x: String::new(), y: String::new(), scale: AxisScale::Linear };
        let place = |ys: [f64; 3]| {
            let points =
                (0..3).map(|x| SweepPoint { x: f64::from(x), y: ys[x as usize], ci95: None }).collect();
            let lines = [SweepLine { name: String::new(), points }];
            matches!(legend_place(&lines, &axis, 0.0..2.0, 1.0), SeriesLabelPosition::LowerRight)
        };
        assert_eq!(
            [[0.9, 0.9, 0.05], [0.05, 0.9, 0.9], [0.9; 3], [0.05; 3]].map(place),
            [false, true, true, true]
        );
    }
}
