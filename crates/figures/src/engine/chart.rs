//! A chart as a value, and its points as CSV.
//!
//! Invariant: a line has a name, which the legend shows unless it is empty.

use measures::rounded;
use results::format::csv;
use results::table::{ColumnSchema, ColumnType};

use super::axis::Axis;
use super::points::{ReducedLine, Reduction, reduced};

/// Points of a line, in units of the axes; a line has a gap where a point has no height.
pub type LinePoints = Vec<(f64, Option<f64>)>;

/// Panels in a grid below a title and a legend.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// Title, broken into lines where it is long.
    pub title: String,
    /// Sentences on what the figure shows, for readers who cannot see it; the engine adds how points were reduced.
    pub description: String,
    /// Panels, row by row.
    pub panels: Vec<Panel>,
    /// Number of panels in a row; 0 counts as 1.
    pub columns: usize,
    /// Number of panels at the beginning that are as wide as the figure.
    pub above: usize,
    /// Number of panels at the end that are as wide as the figure.
    pub wide: usize,
    /// Notes below the panels.
    pub notes: Vec<String>,
}

/// A plot with its axes.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Title; empty for none.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Height of the plot, in pixels.
    pub height: f64,
    /// Contents, the lowest layer first.
    pub layers: Vec<Layer>,
}

/// A part of a panel's contents.
#[derive(Clone, Debug)]
pub enum Layer {
    /// Shaded span of the horizontal axis.
    Shaded {
        /// Beginning.
        from: f64,
        /// End.
        to: f64,
    },
    /// Beginning of a phase: a vertical line, except at the axis, and a name above the plot.
    Phase {
        /// Beginning.
        from: f64,
        /// Name.
        name: String,
    },
    /// Value to compare lines with: a thin line across the plot.
    Level {
        /// Name.
        name: String,
        /// Value.
        value: f64,
    },
    /// Area between two values at each place.
    Band(Band),
    /// Line.
    Line(Line),
    /// Bars from 0, the first from 0 to 1 on the horizontal axis.
    Bars {
        /// Name.
        name: String,
        /// Pen.
        ink: Ink,
        /// Values.
        values: Vec<f64>,
    },
    /// Place on the horizontal axis at which a line leaves the plot at the top: a mark below the edge.
    Beyond {
        /// Place.
        x: f64,
    },
    /// Rows of cells, the first at the top, each in a class of brightness.
    Heat {
        /// Names of the classes, the lowest first, at most six.
        classes: Vec<String>,
        /// Beginning and end of each column.
        columns: Vec<(f64, f64)>,
        /// Class of each cell; `None` where there is no value.
        rows: Vec<Vec<Option<usize>>>,
    },
}

/// A line through points in ascending order of x.
#[derive(Clone, Debug)]
pub struct Line {
    /// Name.
    pub name: String,
    /// Pen.
    pub ink: Ink,
    /// Points; without y, the line has a gap.
    pub points: LinePoints,
    /// Low and high end of an interval around some points: x, low, high. An infinite high end is an arrow upwards.
    pub intervals: Vec<(f64, f64, f64)>,
    /// Whether points are marked by dots.
    pub dots: bool,
    /// Whether the pen is thick, as for victims.
    pub thick: bool,
    /// Reduction of long lines.
    pub reduction: Reduction,
}

/// An area between two lines.
#[derive(Clone, Debug)]
pub struct Band {
    /// Name.
    pub name: String,
    /// Colour.
    pub ink: Ink,
    /// Points: x, low, high.
    pub points: Vec<(f64, f64, f64)>,
}

/// Colour and dash of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Those of a place in the palette.
    Palette(usize),
    /// Solid grey, for what has no name of its own.
    Grey,
}

impl Line {
    pub(super) fn reduced(&self) -> ReducedLine {
        reduced(&self.points, self.reduction)
    }

    pub(super) fn samples_to_a_point(&self) -> usize {
        self.reduction.samples_to_a_point(self.points.len())
    }

    /// Returns the heights of the points as they are drawn: where samples are reduced to means, those.
    #[must_use]
    pub fn drawn_values(&self) -> Vec<f64> {
        let drawn = self.reduced();
        let highs = drawn.ranges.iter().flatten().map(|(_, _, high)| *high);
        drawn.pieces.iter().flatten().map(|(_, y)| *y).chain(highs).collect()
    }

    /// Returns a line of samples. A long line has means of consecutive samples as points.
    #[must_use]
    pub fn new(name: impl Into<String>, ink: Ink, points: LinePoints) -> Self {
        let name = name.into();
        let reduction = Reduction::Means;
        Self { name, ink, points, intervals: Vec::new(), dots: false, thick: false, reduction }
    }
}

impl Layer {
    /// Returns the points of a line, or of the upper edge of a band, as they are drawn: the highest value at each
    /// place.
    #[must_use]
    pub fn tops(&self) -> Vec<(f64, f64)> {
        match self {
            Self::Line(line) => {
                let drawn = line.reduced();
                if drawn.ranges.is_empty() {
                    drawn.pieces.concat()
                } else {
                    drawn.ranges.concat().into_iter().map(|(x, _, high)| (x, high)).collect()
                }
            }
            Self::Band(band) => band.points.iter().map(|(x, _, high)| (*x, *high)).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the heights that the layer reaches as it is drawn; none of a layer without a vertical place of its own.
    #[must_use]
    pub fn drawn_values(&self) -> Vec<f64> {
        match self {
            Self::Line(line) => line.drawn_values(),
            Self::Band(band) => band.points.iter().map(|(_, _, high)| *high).collect(),
            Self::Bars { values, .. } => values.clone(),
            Self::Level { value, .. } => vec![*value],
            Self::Shaded { .. } | Self::Phase { .. } | Self::Heat { .. } | Self::Beyond { .. } => Vec::new(),
        }
    }
}

impl Chart {
    /// Returns the points of lines, bands, bars and levels as CSV, before any reduction: a row for each.
    #[must_use]
    pub fn csv(&self) -> String {
        let header = columns().into_iter().map(|column| column.name.into_owned()).collect();
        csv(header, self.panels.iter().flat_map(Panel::rows))
    }
}

/// Returns the columns of [`Chart::csv`].
#[must_use]
pub fn columns() -> Vec<ColumnSchema> {
    let text = |name, required, meaning| ColumnSchema::new(name, ColumnType::String, required, meaning);
    let number = |name, meaning| ColumnSchema::new(name, ColumnType::Number, false, meaning);
    vec![
        text("panel", false, "title of the panel; empty if the figure has one without a title"),
        text("kind", true, "`line`, `level`, `band` or `bar`"),
        text("name", false, "name of the line, level, band or bar"),
        text("x_quantity", false, "quantity of the horizontal axis, with its unit"),
        number("x", "value on the horizontal axis; empty for a level"),
        text("y_quantity", false, "quantity of the vertical axis, with its unit"),
        number("y", "value on the vertical axis; empty for a band, and where there is none"),
        number("low", "lower end of the 95 % interval, or of the band"),
        number("high", "upper end of the 95 % interval, or of the band; empty where it has none"),
    ]
}

impl Panel {
    fn rows(&self) -> Vec<Vec<String>> {
        self.layers.iter().flat_map(|layer| self.rows_of(layer)).collect()
    }

    fn rows_of(&self, layer: &Layer) -> Vec<Vec<String>> {
        let row = |kind: &str, name: &str, x: Option<f64>, values: [Option<f64>; 3]| {
            let words = [&self.title, kind, name, &self.x.label].map(str::to_owned);
            let after = [x.map_or_else(String::new, decimal), self.y.label.clone()];
            let values = values.map(|value| value.map_or_else(String::new, decimal));
            words.into_iter().chain(after).chain(values).collect()
        };
        match layer {
            Layer::Line(line) => {
                let interval = |x: f64| line.intervals.iter().find(|one| one.0.total_cmp(&x).is_eq());
                let point = |(x, y): &(f64, Option<f64>)| {
                    let (low, high) =
                        interval(*x).map_or((None, None), |(_, low, high)| (Some(*low), Some(*high)));
                    let high = high.filter(|high| high.is_finite());
                    row("line", &line.name, Some(*x), [*y, low, high])
                };
                line.points.iter().map(point).collect()
            }
            Layer::Band(Band { name, points, .. }) => {
                let point = |(x, low, high): &(f64, f64, f64)| {
                    row("band", name, Some(*x), [None, Some(*low), Some(*high)])
                };
                points.iter().map(point).collect()
            }
            Layer::Bars { name, values, .. } => {
                let bar = |(place, value): (usize, &f64)| {
                    let host = self.x.names.get(place).map_or("", |(_, name)| name.as_str());
                    let name = [name.as_str(), host].join(" ");
                    row("bar", name.trim(), Some(place as f64 + 0.5), [Some(*value), None, None])
                };
                values.iter().enumerate().map(bar).collect()
            }
            Layer::Level { name, value } => vec![row("level", name, None, [Some(*value), None, None])],
            Layer::Shaded { .. } | Layer::Phase { .. } | Layer::Heat { .. } | Layer::Beyond { .. } => {
                Vec::new()
            }
        }
    }
}

/// Returns a number with a point, as every number of a file has it.
fn decimal(value: f64) -> String {
    format!("{:?}", rounded(value, 6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_has_a_row() {
        let mut line = Line::new("F1", Ink::Palette(0), vec![(1.0, Some(2.0)), (2.0, None)]);
        line.intervals = vec![(1.0, 1.5, 2.5)];
        let panel = Panel {
            title: "DCQCN".to_owned(),
            x: Axis::linear("time (ms)", 0.0, 2.0),
            y: Axis::linear("goodput (Gb/s)", 0.0, 3.0),
            height: 100.0,
            layers: vec![
                Layer::Line(line),
                Layer::Level { name: "limit".to_owned(), value: 3.0 },
                Layer::Band(Band {
                    name: "range".to_owned(),
                    ink: Ink::Grey,
                    points: vec![(1.0, 0.25, 0.5)],
                }),
            ],
        };
        let chart = Chart { panels: vec![panel], ..Chart::default() };
        assert_eq!(
            chart.csv(),
            "panel,kind,name,x_quantity,x,y_quantity,y,low,high\n\
             DCQCN,line,F1,time (ms),1.0,goodput (Gb/s),2.0,1.5,2.5\n\
             DCQCN,line,F1,time (ms),2.0,goodput (Gb/s),,,\n\
             DCQCN,level,limit,time (ms),,goodput (Gb/s),3.0,,\n\
             DCQCN,band,range,time (ms),1.0,goodput (Gb/s),,0.25,0.5\n"
        );
    }
}
