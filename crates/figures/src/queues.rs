//! `queues.svg`: queues over time at the roots of congestion trees and at watched outputs. Below them are the times for
//! which outputs were paused, or stalled.
//!
//! Invariant: a root has no point at a sample without its tree.

mod pauses;

use results::reader::{ReadError, RunFacts, RunFiles};
use results::rows::{PauseRow, PortSeriesRow, TreeRow, WatchRow};
use results::table::TableRow;

use super::engine::{Axis, Chart, Ink, Layer, Line, LinePoints, Panel, Reduction};
use super::fault::FigureFault;
use super::gathered::{by_sum, interval};
use super::goodput::{OVERLAID, phases};
use super::heat::{TimeGrid, share_class, share_classes};
use super::peaks::below_peaks;
use super::quantities;

/// Most rows of a map of pauses, or of time stalled.
const STRIPS: usize = 12;

/// Values by sample, of an output.
type Curve = (String, LinePoints);

pub(super) fn chart(files: RunFiles<'_>) -> Result<Chart, FigureFault> {
    let facts = files.summary()?;
    let mut panels = Vec::new();
    let (roots, left_out) = roots(files)?;
    if !roots.is_empty() {
        panels.push(queue_panel("Queue at the roots of congestion trees", roots, &facts));
    }
    if files.has(WatchRow::FILE) {
        let rows = files.rows()?;
        panels.extend(quantities::panels(&rows, &facts, "Watched queues", |quantity| {
            quantity == "queue_bytes"
        }));
    }
    let mut notes = Vec::new();
    if left_out > 0 {
        notes.push(format!(
            "{left_out} further roots are not drawn: the lines are those with the largest queues."
        ));
    }
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
            "Packets waiting for outputs at each sample; a root has a line only while it has a tree. Below, a row for each output that \
             was paused or stalled (packets waited with the wire free, for credit or the end of a pause): darker is a \
             larger share of the time."
                .to_owned(),
        panels,
        columns: 1,
        notes,
        ..Chart::default()
    })
}

fn queue_panel(title: &str, curves: Vec<Curve>, facts: &RunFacts) -> Panel {
    let (time, per_second) = Axis::time(facts.end_s());
    let line = |(place, (name, points)): (usize, Curve)| {
        let points = points.into_iter().map(|(x, y)| (x * per_second, y)).collect();
        let line = Line::new(name, Ink::Palette(place), points);
        Layer::Line(Line { reduction: Reduction::Extremes, ..line })
    };
    let lines = curves.into_iter().enumerate().map(line);
    let layers = phases(facts, per_second).into_iter().chain(lines).collect();
    below_peaks(title.to_owned(), time, "queue (KB)", 180.0, layers)
}

/// Returns the queues in KB of the roots with the largest queues, and the number of further roots.
fn roots(files: RunFiles<'_>) -> Result<(Vec<Curve>, usize), ReadError> {
    let trees: Vec<TreeRow<'_>> = files.rows()?;
    if trees.is_empty() {
        return Ok((Vec::new(), 0)); // The series, which may be long, need not be read.
    }
    let mut times: Vec<f64> = files.series()?.iter().map(|row| row.time_s).collect();
    times.dedup();
    let roots = by_sum(&trees, |tree| tree.root(), |tree| tree.queue_bytes as f64);
    let left_out = roots.len().saturating_sub(OVERLAID);
    let curve = |(name, _, rows): (String, f64, Vec<&TreeRow<'_>>)| {
        let mut rows = rows.into_iter().peekable();
        let point = |time: &f64| {
            let tree = rows.next_if(|row| row.time_s.total_cmp(time).is_le());
            (*time, tree.map(|tree| tree.queue_bytes as f64 / 1e3))
        };
        (name, times.iter().map(point).collect())
    };
    Ok((roots.into_iter().take(OVERLAID).map(curve).collect(), left_out))
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
    fn a_root_has_points_only_while_it_has_a_tree() {
        let files = fixture::files();
        let (roots, left_out) = roots(RunFiles::Written(&files)).expect("there are trees");
        assert_eq!((roots.len(), left_out, roots[0].0.as_str()), (1, 0, "S1 port 2 to H3"));
        let points: Vec<_> = roots[0].1.iter().map(|(_, y)| *y).collect();
        assert_eq!(points, [None, None, Some(31.11), Some(31.11)]);
        let svg = chart(RunFiles::Written(&files)).expect("there is a tree").svg();
        assert!(
            svg.contains(">Queue at the roots of congestion trees</text>")
                && svg.contains(">Watched queues</text>")
        );
    }
}
