//! The place of each part of a figure: title, legend, panels with their axes, notes.
//!
//! Invariant: no two parts overlap, and none leaves the picture.
//!
//! ```text
//! title
//! legend ------
//! panel title                panel title
//!       phase   phase
//!     +---------------+      +---------------+
//!   y |               |      |               |
//!     +---------------+      +---------------+
//!             x                      x
//! notes
//! ```

use super::axis::Axis;
use super::chart::{Chart, Layer, Panel};
use super::style::{BOLD, width, wrapped};
use super::svg::Area;

/// Width of every figure, in pixels.
pub(crate) const WIDTH: f64 = 960.0;
pub(crate) const MARGIN: f64 = 14.0;
pub(super) const TITLE: f64 = 16.0;
pub(super) const LEGEND: f64 = 13.0;
pub(super) const PANEL_TITLE: f64 = 13.5;
pub(super) const LABEL: f64 = 12.5;
pub(super) const TICK: f64 = 12.0;
pub(super) const PHASE: f64 = 11.5;
pub(super) const NOTE: f64 = 12.0;
/// Length of the piece of line before a name in the legend.
pub(super) const SAMPLE: f64 = 40.0;
/// Room to the right of a plot, for the last label of its axis.
const RIGHT: f64 = 18.0;

/// A figure's parts in their places.
#[derive(Debug)]
pub(super) struct Frame {
    /// Lines of the title, each with its baseline.
    pub title: Vec<(f64, String)>,
    /// Entries of the legend in the order of their names: left end, baseline of the first line, and lines.
    pub legend: Vec<(f64, f64, Vec<String>)>,
    /// Panels in order.
    pub panels: Vec<PanelFrame>,
    /// Lines of the notes, each with its baseline.
    pub notes: Vec<(f64, String)>,
    pub height: f64,
}

/// A panel's parts in their places.
#[derive(Debug)]
pub(super) struct PanelFrame {
    /// Lines of the title, each with its baseline.
    pub title: Vec<(f64, String)>,
    /// Baseline of the names of phases, if they are shown.
    pub phases: Option<f64>,
    pub plot: Area,
    /// Lines of the vertical label, each with its horizontal place.
    pub y_label: Vec<(f64, String)>,
    /// Baseline of the horizontal label, if it and its ticks are shown.
    pub x_label: Option<f64>,
    pub x_ticks: Vec<(f64, String)>,
    pub y_ticks: Vec<(f64, String)>,
}

/// Returns the ticks of an axis, as many as `pixels` hold without overlap of labels.
fn fitting_ticks(axis: &Axis, pixels: f64, room: impl Fn(&str) -> f64, densest: f64) -> Vec<(f64, String)> {
    let mut most = (pixels / densest) as usize;
    loop {
        let ticks = axis.ticks(most);
        let apart = |pair: &[(f64, String)]| (axis.place(pair[1].0) - axis.place(pair[0].0)) * pixels;
        let needed = |pair: &[(f64, String)]| f64::midpoint(room(&pair[0].1), room(&pair[1].1));
        if most <= 1 || ticks.windows(2).all(|pair| apart(pair) >= needed(pair)) {
            return ticks;
        }
        most -= 1;
    }
}

impl Frame {
    /// Returns the places of all parts. `legend` has the names of its entries, `notes` all notes.
    pub(super) fn new(chart: &Chart, legend: &[String], notes: &[String]) -> Self {
        let room = WIDTH - 2.0 * MARGIN;
        let (title, mut top) = lines(&chart.title, TITLE, MARGIN, room / BOLD);
        let legend = entries(legend, &mut top);
        let gutter = Gutter::of(chart);
        let rows = rows(chart);
        let mut panels: Vec<PanelFrame> = Vec::with_capacity(chart.panels.len());
        for (row, (columns, beside)) in rows.iter().enumerate() {
            // A panel lines up only with panels of rows with as many columns.
            let neighbour = |row: Option<usize>, column: usize| {
                let (others, panels) = rows.get(row?)?;
                panels.get(column).filter(|_| others == columns)
            };
            let below = |column: usize| neighbour(Some(row + 1), column);
            let above = |column: usize| neighbour(row.checked_sub(1), column);
            let width = room / *columns as f64;
            let header = beside.iter().map(|panel| header_height(panel, width)).fold(0.0, f64::max);
            let mut bottom: f64 = 0.0;
            for (column, panel) in beside.iter().enumerate() {
                let left = MARGIN + width * column as f64;
                let repeats = |other: Option<&Panel>| other.is_some_and(|other| other.x == panel.x);
                let cell = Cell {
                    left,
                    width,
                    top,
                    header,
                    names_phases: !repeats(above(column)),
                    x_axis: !repeats(below(column)),
                    y_label: column == 0 || beside[column - 1].y.label != panel.y.label,
                };
                let frame = PanelFrame::new(panel, &cell, gutter);
                bottom = bottom.max(frame.plot.bottom + if frame.x_label.is_some() { 46.0 } else { 10.0 });
                panels.push(frame);
            }
            top = bottom;
        }
        let notes = notes.iter().flat_map(|note| {
            let (lines, below) = lines(note, NOTE, top, room);
            top = below - 2.0;
            lines
        });
        let notes = notes.collect();
        Self { title, legend, panels, notes, height: (top + MARGIN).ceil() }
    }
}

/// Returns the rows of panels, each with the number of its columns.
fn rows(chart: &Chart) -> Vec<(usize, &[Panel])> {
    let (above, rest) = chart.panels.split_at(chart.above.min(chart.panels.len()));
    let (grid, wide) = rest.split_at(rest.len() - chart.wide.min(rest.len()));
    let columns = chart.columns.clamp(1, grid.len().max(1));
    let in_grid = grid.chunks(columns).map(|row| (columns, row));
    above.chunks(1).map(|row| (1, row)).chain(in_grid).chain(wide.chunks(1).map(|row| (1, row))).collect()
}

/// Returns the lines of a text with their baselines, and the top of what follows.
fn lines(text: &str, size: f64, top: f64, room: f64) -> (Vec<(f64, String)>, f64) {
    let lines: Vec<_> = wrapped(text, size, room)
        .into_iter()
        .enumerate()
        .map(|(place, line)| (top + size * (1.0 + 1.3 * place as f64), line))
        .collect();
    let height = if lines.is_empty() { 0.0 } else { size * 1.3 * lines.len() as f64 + 4.0 };
    (lines, top + height)
}

/// Returns the entries of a legend in rows from `top` on, and moves `top` below them.
fn entries(names: &[String], top: &mut f64) -> Vec<(f64, f64, Vec<String>)> {
    let step = LEGEND * 1.35;
    let (mut left, mut baseline, mut rows) = (MARGIN, *top + LEGEND + 2.0, 0);
    let mut entries = Vec::new();
    for name in names {
        let lines = wrapped(name, LEGEND, WIDTH - 2.0 * MARGIN - SAMPLE);
        let room = SAMPLE + lines.iter().map(|line| width(line, LEGEND)).fold(0.0, f64::max);
        if left > MARGIN && left + room > WIDTH - MARGIN {
            (left, baseline, rows) = (MARGIN, baseline + step * f64::from(rows), 0);
        }
        rows = rows.max(lines.len() as u32);
        entries.push((left, baseline, lines));
        left += room + 14.0;
    }
    if !entries.is_empty() {
        *top = baseline + step * f64::from(rows.max(1)) - LEGEND + 6.0;
    }
    entries
}

/// Room to the left of a plot, the same for all panels.
#[derive(Clone, Copy)]
struct Gutter {
    label: f64,
    ticks: f64,
}

impl Gutter {
    fn of(chart: &Chart) -> Self {
        let ticks = chart.panels.iter().flat_map(y_ticks).map(|(_, label)| width(&label, TICK));
        let lines = chart.panels.iter().map(|panel| wrapped(&panel.y.label, LABEL, panel.height).len());
        Self {
            label: lines.max().unwrap_or(0) as f64 * LABEL * 1.25,
            ticks: ticks.fold(0.0, f64::max) + 10.0,
        }
    }
}

fn y_ticks(panel: &Panel) -> Vec<(f64, String)> {
    // Every name of a row is shown that has the room of a line; of numbers a few are enough.
    let line = TICK * 1.15;
    let densest = if panel.y.names.is_empty() { 30.0_f64.min(panel.height / 3.0).max(line) } else { line };
    fitting_ticks(&panel.y, panel.height, |_| line, densest)
}

/// A panel's share of the figure.
struct Cell {
    left: f64,
    width: f64,
    top: f64,
    /// Height of titles and names of phases in the row.
    header: f64,
    names_phases: bool,
    x_axis: bool,
    y_label: bool,
}

fn has_phases(panel: &Panel) -> bool {
    panel.layers.iter().any(|layer| matches!(layer, Layer::Phase { .. }))
}

/// Returns the room for the title of a panel, in pixels of text that is not bold.
fn title_room(width: f64) -> f64 {
    (width - RIGHT - 40.0) / BOLD
}

fn header_height(panel: &Panel, width: f64) -> f64 {
    let (_, title) = lines(&panel.title, PANEL_TITLE, 0.0, title_room(width));
    title + if has_phases(panel) { PHASE + 5.0 } else { 2.0 }
}

impl PanelFrame {
    fn new(panel: &Panel, cell: &Cell, gutter: Gutter) -> Self {
        let (title, below_title) = lines(&panel.title, PANEL_TITLE, cell.top, title_room(cell.width));
        let phases = (cell.names_phases && has_phases(panel)).then_some(cell.top + cell.header - 4.0);
        let without_names =
            if has_phases(panel) && phases.is_none() { below_title + 4.0 } else { f64::INFINITY };
        let top = (cell.top + cell.header).min(without_names);
        let plot = Area {
            left: cell.left + gutter.label + gutter.ticks,
            right: cell.left + cell.width - RIGHT,
            top,
            bottom: top + panel.height,
        };
        let label = if cell.y_label { wrapped(&panel.y.label, LABEL, panel.height) } else { Vec::new() };
        let line = |(place, line)| (cell.left + LABEL * (1.0 + 1.25 * place as f64), line);
        let room = |label: &str| width(label, TICK) + 26.0;
        Self {
            title,
            phases,
            plot,
            y_label: label.into_iter().enumerate().map(line).collect(),
            x_label: cell.x_axis.then_some(plot.bottom + TICK + LABEL + 10.0),
            x_ticks: fitting_ticks(
                &panel.x,
                plot.width(),
                room,
                if panel.x.names.is_empty() { 62.0 } else { 26.0 },
            ),
            y_ticks: y_ticks(panel),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(label: &str, height: f64) -> Panel {
        Panel {
            title: "a title that is long enough to need more than one line in a narrow panel".to_owned(),
            x: Axis::linear("simulated time (ms)", 0.0, 20.0),
            y: Axis::linear(label, 0.0, 12_345.0),
            height,
            layers: vec![Layer::Phase { from: 0.0, name: "F1 starts".to_owned() }],
        }
    }

    #[test]
    fn parts_do_not_overlap() {
        let panels = vec![panel("goodput (Gb/s)", 100.0); 5];
        let chart = Chart { title: "title ".repeat(40), panels, columns: 3, ..Chart::default() };
        let names: Vec<_> = (0..30).map(|flow| format!("flow {flow}")).chain(["long ".repeat(60)]).collect();
        let frame = Frame::new(&chart, &names, &["note ".repeat(60)]);
        let below_title = frame.title.last().unwrap().0;
        let legend = frame.legend.iter().map(|(_, baseline, _)| *baseline).fold(f64::INFINITY, f64::min);
        assert!(frame.title.len() > 1 && legend - LEGEND > below_title);
        let last = frame.legend.last().unwrap();
        let below_legend = last.1 + (last.2.len() - 1) as f64 * LEGEND;
        assert!(last.2.len() > 1 && frame.panels[0].title[0].0 - PANEL_TITLE >= below_legend);
        for (place, panel) in frame.panels.iter().enumerate() {
            assert!(panel.plot.right < WIDTH && panel.plot.left > MARGIN && panel.plot.width() > 100.0);
            assert!(panel.phases.is_none_or(|phases| phases < panel.plot.top));
            assert!(panel.title.last().unwrap().0 < panel.plot.top - 4.0);
            assert_eq!(panel.x_label.is_some(), place >= 2, "the lowest panel of each column shows its axis");
        }
        assert!(frame.notes.len() > 1 && frame.notes.last().unwrap().0 < frame.height);
        assert!(frame.notes[0].0 - NOTE > frame.panels[4].x_label.unwrap());
    }

    #[test]
    fn wide_panels_stand_below_a_grid() {
        let chart = Chart { panels: vec![panel("", 80.0); 5], columns: 2, wide: 2, ..Chart::default() };
        let plots: Vec<Area> = Frame::new(&chart, &[], &[]).panels.iter().map(|panel| panel.plot).collect();
        let widths: Vec<bool> = plots.iter().map(|plot| plot.width() > WIDTH / 2.0).collect();
        assert_eq!(widths, [false, false, false, true, true]);
        assert!(
            plots[2].top > plots[0].bottom
                && plots[3].top > plots[2].bottom
                && plots[4].top > plots[3].bottom
        );
    }

    #[test]
    fn every_row_of_a_map_has_its_name() {
        let names = || (0..48).map(|port| format!("leaf1 port {port} to h{port}"));
        let map = Panel { y: Axis::of_names("", names()), ..panel("", 48.0 * 15.0) };
        assert_eq!(y_ticks(&map).len(), 48);
    }

    #[test]
    fn labels_of_ticks_do_not_overlap() {
        let axis = Axis::of_names("host", (0..64).map(|host| format!("a-long-name-{host}")));
        let room = |label: &str| width(label, TICK) + 12.0;
        let ticks = fitting_ticks(&axis, 800.0, room, 26.0);
        let apart = (ticks[1].0 - ticks[0].0) / 64.0 * 800.0;
        assert!(ticks.len() > 3 && apart >= room("a-long-name-10"), "{ticks:?}");
    }
}
