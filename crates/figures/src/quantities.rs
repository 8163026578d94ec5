//! Quantities of objects over time, a panel for each: of `watch.csv` and `source_series.csv`.
//!
//! Invariant: a quantity has a single unit, which its name states at the end. More than six objects are a band and a
//! median.

use results::distinct::distinct;
use results::reader::{RunFacts, RunFiles};
use results::rows::WatchRow;

use super::engine::{Axis, Chart, Ink, Layer, Line, LinePoints, Panel, Reduction};
use super::fault::FigureFault;
use super::gathered::by_object;
use super::goodput::{OVERLAID, phases};
use super::peaks::below_peaks;
use super::quartiles::quartiles;

/// Returns the figure of `watch.csv`.
pub(super) fn watched(files: RunFiles<'_>) -> Result<Chart, FigureFault> {
    let facts = files.summary()?;
    let panels = panels(&files.rows()?, &facts, "", |_| true);
    chart(&facts, "watched quantities", panels)
}

/// Returns the figure of `source_series.csv`.
pub(super) fn sources(files: RunFiles<'_>) -> Result<Chart, FigureFault> {
    let facts = files.summary()?;
    let panels = panels(&files.source_series()?, &facts, "", |_| true);
    chart(&facts, "control of the sources", panels)
}

fn chart(facts: &RunFacts, what: &str, panels: Vec<Panel>) -> Result<Chart, FigureFault> {
    if panels.is_empty() {
        return Err(FigureFault::Empty("the file has no values"));
    }
    Ok(Chart {
        title: format!("{}, {}: {what} over time", facts.scenario, facts.scheme()),
        description:
            "Values at the samples, a panel for each quantity; phases are separated by dashed lines."
                .to_owned(),
        panels,
        columns: 1,
        notes: Vec::new(),
        ..Chart::default()
    })
}

/// Returns a panel of this title for each quantity that is wanted, in the order of first appearance.
pub(super) fn panels(
    rows: &[WatchRow<'_>],
    facts: &RunFacts,
    title: &str,
    wanted: impl Fn(&str) -> bool,
) -> Vec<Panel> {
    let quantities = distinct(rows.iter().map(|row| &*row.quantity));
    let wanted = quantities.into_iter().filter(|quantity| wanted(quantity));
    wanted.map(|quantity| panel(rows, facts, (title, quantity))).collect()
}

fn panel(rows: &[WatchRow<'_>], facts: &RunFacts, (title, quantity): (&str, &str)) -> Panel {
    let (time, per_second) = Axis::time(facts.end_s());
    let (label, scale) = unit(quantity);
    let point = |row: &WatchRow<'_>| (row.time_s * per_second, Some(row.value / scale));
    let objects = by_object(rows.iter().filter(|row| row.quantity == quantity), |row| &*row.object);
    let points = |rows: Vec<&WatchRow<'_>>| rows.into_iter().map(point).collect();
    let objects: Vec<(&str, LinePoints)> =
        objects.into_iter().map(|(object, rows)| (object, points(rows))).collect();
    let layers: Vec<Layer> = if objects.len() > OVERLAID {
        middle_half(&objects)
    } else {
        let line = |(place, (object, points)): (usize, (&str, LinePoints))| {
            let line = Line::new(object, Ink::Palette(place), points);
            Layer::Line(Line { reduction: Reduction::Extremes, ..line })
        };
        objects.into_iter().enumerate().map(line).collect()
    };
    let layers = phases(facts, per_second).into_iter().chain(layers).collect();
    below_peaks(title.to_owned(), time, &label, 150.0, layers)
}

/// Returns the median of many objects, and a band with their middle half.
fn middle_half(objects: &[(&str, LinePoints)]) -> Vec<Layer> {
    let mut samples: Vec<(f64, f64)> =
        objects.iter().flat_map(|(_, points)| points.iter().filter_map(|(x, y)| Some((*x, (*y)?)))).collect();
    samples.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let instants = samples.chunk_by(|one, other| one.0.total_cmp(&other.0).is_eq());
    let at = |instant: &[(f64, f64)]| (instant[0].0, quartiles(instant.iter().map(|(_, y)| *y).collect()));
    let points: Vec<_> = instants.map(at).collect();
    super::quartiles::layers(
        &format!("{} objects: median, middle half", objects.len()),
        Ink::Palette(0),
        &points,
    )
}

/// Returns the label of a quantity with a handy unit, and the size of that unit in the unit of the quantity's name.
fn unit(quantity: &str) -> (String, f64) {
    let units = [
        ("_bps", "Gb/s", 1e9),
        ("_bytes", "KB", 1e3),
        ("_packets", "packets", 1.0),
        ("_packet_times", "packet times", 1.0),
        ("_us", "us", 1.0),
        ("_ns", "ns", 1.0),
        ("_s", "us", 1e-6),
    ];
    for (ending, unit, scale) in units {
        if let Some(name) = quantity.strip_suffix(ending) {
            return (format!("{} ({unit})", name.replace('_', " ")), scale);
        }
    }
    (quantity.replace('_', " "), 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn quantities_have_handy_units() {
        assert_eq!(unit("queue_bytes"), ("queue (KB)".to_owned(), 1e3));
        assert_eq!(unit("rate_bps"), ("rate (Gb/s)".to_owned(), 1e9));
        assert_eq!(unit("delay_packet_times"), ("delay (packet times)".to_owned(), 1.0));
        assert_eq!(unit("alpha"), ("alpha".to_owned(), 1.0));
    }

    #[test]
    fn each_quantity_has_a_panel_and_many_objects_a_band() {
        let facts = RunFiles::Written(&fixture::files()).summary().expect("there is a summary");
        let row = |object: u32, quantity: &'static str| WatchRow {
            time_s: 0.001,
            object: format!("F{object}").into(),
            quantity: quantity.into(),
            value: f64::from(object),
        };
        let few = [row(1, "alpha"), row(2, "alpha"), row(1, "rate_bps")];
        assert_eq!(panels(&few, &facts, "", |_| true).len(), 2);
        assert_eq!(panels(&few, &facts, "", |quantity| quantity == "alpha").len(), 1);
        let many: Vec<_> = (1..=9).map(|object| row(object, "alpha")).collect();
        let panels = panels(&many, &facts, "", |_| true);
        let Some(Layer::Line(median)) = panels[0].layers.last() else {
            panic!("the median is the last layer")
        };
        assert_eq!(median.points, [(1.0, Some(5.0))]);
    }

    #[test]
    fn the_watched_quantities_of_a_run_are_drawn() {
        let svg = watched(RunFiles::Written(&fixture::files())).expect("something is watched").svg();
        assert!(svg.contains(">queue (KB)</text>") && svg.contains(">rate (Gb/s)</text>"), "{svg}");
    }
}
