//! `queues.svg`: queues over time at the roots of congestion trees and at watched outputs. Below them are the times for
//! which outputs were paused, or stalled.
//!
//! Invariant: a line joins only queues that are known. Those of a root are known at its samples with a tree, and at
//! the moments of `timeline.csv`, or at every sample where `port_series.csv` has the output.

mod pauses;
mod roots;

use results::reader::{RunFacts, RunFiles};
use results::rows::{PauseRow, PortSeriesRow, WatchRow};
use results::table::TableRow;

use self::roots::{RootCurve, Roots};
use super::engine::{Axis, Chart, Ink, Layer, Line, LinePoints, Panel, Reduction};
use super::fault::FigureFault;
use super::gathered::{by_sum, interval};
use super::goodput::phases;
use super::heat::{TimeGrid, share_class, share_classes};
use super::peaks::below_peaks;
use super::quantities;

/// Most rows of a map of pauses, or of time stalled.
const STRIPS: usize = 12;

pub(super) fn chart(files: RunFiles<'_>) -> Result<Chart, FigureFault> {
    let facts = files.summary()?;
    let mut panels = Vec::new();
    let roots = Roots::read(files)?;
    if !roots.curves.is_empty() {
        panels.push(roots_panel(&roots, &facts));
    }
    if files.has(WatchRow::FILE) {
        let rows = files.rows()?;
        panels.extend(quantities::panels(&rows, &facts, "Watched queues", |quantity| {
            quantity == "queue_bytes"
        }));
    }
    let mut notes = Vec::new();
    notes.extend(roots.notes());
    if files.has(PauseRow::FILE) {
        panels.extend(pauses::panel(&files.rows()?, &facts, &mut notes));
    }
    if files.has(PortSeriesRow::FILE) {
        panels.extend(stalled(&files.rows()?, &facts, &mut notes));
    }
    if panels.is_empty() {
        return Err(FigureFault::Empty(
            "no congestion tree grew, no queue is watched, and no pause is recorded",
        ));
    }
    Ok(Chart {
        title: format!("{}, {}: queues over time", facts.scenario, facts.scheme()),
        description:
            "Packets waiting for outputs over time; the line of a root is thick while it has a tree. Below, a row for each output that \
             was paused or stalled (packets waited with the wire free, for credit or the end of a pause): darker is a \
             larger share of the time."
                .to_owned(),
        panels,
        columns: 1,
        notes,
        ..Chart::default()
    })
}

fn roots_panel(roots: &Roots, facts: &RunFacts) -> Panel {
    let (time, per_second) = Axis::time(facts.end_s());
    let (unit, scale) = roots.unit();
    let line = |(place, root): (usize, &RootCurve)| {
        let line = |points: &LinePoints, thick| {
            let points = points.iter().map(|(x, y)| (x * per_second, y.map(|bytes| bytes / scale))).collect();
            let line = Line::new(root.name.clone(), Ink::Palette(place), points);
            Layer::Line(Line { thick, reduction: Reduction::Extremes, ..line })
        };
        [line(&root.with_tree, true), line(&root.whole, false)]
    };
    let lines = roots.curves.iter().enumerate().flat_map(line);
    let layers = phases(facts, per_second).into_iter().chain(lines).collect();
    let title = "Queue at the roots of congestion trees, thick while they have a tree".to_owned();
    below_peaks(title, time, &format!("queue ({unit})"), 180.0, layers)
}

/// Returns a map of the time for which ports were stalled, of the ports that were so longest.
fn stalled(samples: &[PortSeriesRow<'_>], facts: &RunFacts, notes: &mut Vec<String>) -> Option<Panel> {
    let interval = interval(samples);
    let ports = by_sum(samples, |sample| sample.output(), |sample| sample.stalled_s).into_iter();
    let stalled: Vec<_> = ports.filter(|(_, stalled_s, _)| *stalled_s > 0.0).collect();
    if stalled.len() > STRIPS {
        notes.push(format!("{} further outputs were stalled for a shorter time.", stalled.len() - STRIPS));
    }
    let grid = TimeGrid::of_samples(interval, facts);
    let row = |(name, _, samples): (String, f64, Vec<&PortSeriesRow<'_>>)| {
        let share =
            |sample: &PortSeriesRow<'_>| (sample.time_s - interval / 2.0, sample.stalled_s / interval);
        let shares = grid.means(samples.into_iter().map(share));
        (name, shares.into_iter().map(|share| share.map(share_class)).collect())
    };
    let rows: Vec<_> = stalled.into_iter().take(STRIPS).map(row).collect();
    let title = "Share of time stalled";
    (!rows.is_empty()).then(|| grid.panel(title, share_classes(), rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn roots_and_watched_queues_have_panels() {
        let files = fixture::files();
        let svg = chart(RunFiles::Written(&files)).expect("there is a tree").svg();
        let title = ">Queue at the roots of congestion trees, thick while they have a tree</text>";
        assert!(svg.contains(title) && svg.contains(">Watched queues</text>"), "{svg}");
    }
}
