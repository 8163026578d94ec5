//! Queues of the outputs that were roots of congestion trees, over the whole run.
//!
//! Invariant: an output without a row at a moment of `timeline.csv` had no queue then, and no output has one at the
//! start. No line rises or falls over samples at which the queue is not known.

use std::collections::BTreeMap;

use results::reader::{ReadError, RunFiles};
use results::rows::{OutputMomentRow, PortSeriesRow, TreeRow};
use results::table::TableRow;

use super::super::engine::LinePoints;
use super::super::gathered::{by_object, by_sum};
use super::super::goodput::OVERLAID;

/// Largest queue in bytes that is drawn in KB.
const LARGEST_IN_KB: f64 = 1e7;

/// Queues of roots.
#[derive(Debug, Default)]
pub(super) struct Roots {
    /// Those with the largest queues.
    pub curves: Vec<RootCurve>,
    /// Number of further roots.
    left_out: usize,
    /// Number of moments at which queues without a tree are known, if it is not every sample.
    moments: Option<usize>,
}

/// Queue of a root.
#[derive(Debug)]
pub(super) struct RootCurve {
    pub name: String,
    /// Bytes by time in s, wherever they are known; empty if they are not known without a tree.
    pub whole: LinePoints,
    /// The same at samples with a tree, with gaps between trees.
    pub with_tree: LinePoints,
}

/// Queues by time, in the order of times: a time above 0 has the order of its bits.
type Queues = BTreeMap<u64, u64>;

impl Roots {
    pub(super) fn read(files: RunFiles<'_>) -> Result<Self, ReadError> {
        let trees: Vec<TreeRow<'_>> = files.rows()?;
        if trees.is_empty() {
            return Ok(Self::default()); // The other files, which may be long, need not be read.
        }
        let mut roots = by_sum(&trees, |tree| tree.root(), |tree| tree.queue_bytes as f64);
        let left_out = roots.len().saturating_sub(OVERLAID);
        roots.truncate(OVERLAID);
        let wanted: Vec<&TreeRow<'_>> = roots.iter().map(|(_, _, trees)| trees[0]).collect();
        let (mut queues, moments) = known(files, &wanted)?;
        let mut samples: Vec<f64> = files.series()?.iter().map(|row| row.time_s).collect();
        samples.dedup();
        let curve = |(name, _, trees): (String, f64, Vec<&TreeRow<'_>>)| {
            let mut queues = queues.remove(&name).unwrap_or_default();
            if !queues.is_empty() {
                queues.extend(trees.iter().map(|tree| (tree.time_s.to_bits(), tree.queue_bytes)));
            }
            let whole = queues.iter().map(|(time, queue)| (f64::from_bits(*time), *queue as f64));
            let whole = with_gaps(whole, apart(&samples));
            let mut trees = trees.into_iter().peekable();
            let at_sample = |time: &f64| {
                let tree = trees.next_if(|tree| tree.time_s.total_cmp(time).is_le());
                (*time, tree.map(|tree| tree.queue_bytes as f64))
            };
            RootCurve { name, whole, with_tree: samples.iter().map(at_sample).collect() }
        };
        Ok(Self { curves: roots.into_iter().map(curve).collect(), left_out, moments })
    }

    /// Returns the unit of the axis, and its bytes.
    pub(super) fn unit(&self) -> (&'static str, f64) {
        let queues = self
            .curves
            .iter()
            .flat_map(|root| root.whole.iter().chain(&root.with_tree))
            .filter_map(|(_, queue)| *queue);
        if queues.fold(0.0, f64::max) > LARGEST_IN_KB { ("MB", 1e6) } else { ("KB", 1e3) }
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let left_out = (self.left_out > 0).then(|| {
            format!(
                "{} further roots are not drawn: the lines are those with the largest queues.",
                self.left_out
            )
        });
        let moments = self.moments.filter(|_| !self.curves.is_empty()).map(|moments| {
            format!("Without a tree, the queue of a root is known at {moments} moments (timeline.csv); `series` gives all samples.")
        });
        left_out.into_iter().chain(moments).collect()
    }
}

/// Returns the longest time between two points that a line may join: samples follow each other, with room for rounding.
fn apart(samples: &[f64]) -> f64 {
    let between = samples.windows(2).map(|pair| pair[1] - pair[0]);
    1.5 * between.fold(samples.first().copied().unwrap_or(f64::INFINITY), f64::min)
}

/// Returns points with a gap between two that differ and are more than `apart` from each other: a slope there would
/// show a queue that grows before its cause.
fn with_gaps(points: impl Iterator<Item = (f64, f64)>, apart: f64) -> LinePoints {
    let (mut all, mut last): (LinePoints, Option<(f64, f64)>) = (Vec::new(), None);
    for (time, queue) in points {
        let gap = last.filter(|(before, known)| time - before > apart && queue != *known);
        all.extend(gap.map(|(before, _)| (f64::midpoint(before, time), None)));
        all.push((time, Some(queue)));
        last = Some((time, queue));
    }
    all
}

/// Returns the queues of these outputs without regard to trees, by name, and the number of moments if some are known
/// at these alone.
fn known(
    files: RunFiles<'_>,
    wanted: &[&TreeRow<'_>],
) -> Result<(BTreeMap<String, Queues>, Option<usize>), ReadError> {
    let is_wanted = |node: &str, port: u32, lane: u32| {
        wanted.iter().any(|root| root.root_port == port && root.lane == lane && root.root_node == node)
    };
    let mut queues: BTreeMap<String, Queues> = BTreeMap::new();
    if files.has(PortSeriesRow::FILE) {
        let mut rows: Vec<PortSeriesRow<'_>> = files.rows()?;
        rows.retain(|row| is_wanted(&row.node, row.port, row.lane));
        for (name, rows) in by_object(&rows, |row| row.output()) {
            let queue = |row: &&PortSeriesRow<'_>| Some((row.time_s.to_bits(), row.queue_bytes?));
            queues.insert(name, rows.iter().filter_map(queue).collect());
        }
    }
    let mut moments = None;
    let rest = wanted.iter().map(|root| root.root()).filter(|name| !queues.contains_key(name));
    let rest: Vec<String> = rest.collect();
    if !rest.is_empty() && files.has(OutputMomentRow::FILE) {
        let mut rows: Vec<OutputMomentRow<'_>> = files.rows()?;
        let times: BTreeMap<u64, u64> = rows.iter().map(|row| (row.time_s.to_bits(), 0)).collect();
        moments = Some(times.len());
        rows.retain(|row| is_wanted(&row.node, row.port, row.lane));
        for name in rest {
            let mut of_root = times.clone();
            let rows = rows.iter().filter(|row| row.output() == name);
            of_root.extend(rows.filter_map(|row| Some((row.time_s.to_bits(), row.queue_bytes?))));
            queues.insert(name, of_root);
        }
    }
    for queues in queues.values_mut() {
        queues.insert(0.0_f64.to_bits(), 0);
    }
    Ok((queues, moments))
}

#[cfg(test)]
mod tests {
    use results::OutputFile;

    use super::*;
    use crate::fixture;

    fn points(curve: &LinePoints) -> Vec<(f64, Option<f64>)> {
        curve.iter().map(|(time, queue)| (time * 1e3, queue.map(|bytes| bytes / 1e3))).collect()
    }

    fn only_root(files: &[OutputFile]) -> (RootCurve, Vec<String>) {
        let mut roots = Roots::read(RunFiles::Written(files)).expect("there are trees");
        assert_eq!((roots.curves.len(), roots.left_out), (1, 0));
        let notes = roots.notes();
        (roots.curves.remove(0), notes)
    }

    #[test]
    fn a_root_has_its_whole_curve_and_a_part_with_a_tree() {
        let mut files = fixture::files();
        files.retain(|file| file.name != PortSeriesRow::FILE);
        let header = "time_s,node,port,peer,lane,utilisation,stalled_share,queue_bytes\n";
        let timeline = files.iter_mut().find(|file| file.name == OutputMomentRow::FILE).expect("it is made");
        timeline.contents =
            [header, "0.008,H1,1,S1,0,0.5,0.0,\n0.008,S1,2,H3,0,0.5,0.0,7000\n0.018,H1,1,S1,0,0.5,0.0,\n"]
                .concat();
        let (root, notes) = only_root(&files);
        assert_eq!(root.name, "S1 port 2 to H3");
        let (none, tree) = (Some(0.0), Some(31.11));
        assert_eq!(points(&root.with_tree), [(5.0, None), (10.0, None), (15.0, tree), (20.0, tree)]);
        assert_eq!(
            points(&root.whole),
            [(0.0, none), (4.0, None), (8.0, Some(7.0)), (15.0, tree), (18.0, none), (20.0, tree)]
        );
        assert_eq!(notes.len(), 1, "{notes:?}");
        files.retain(|file| file.name != OutputMomentRow::FILE);
        let (root, notes) = only_root(&files);
        assert_eq!((points(&root.whole), notes.len()), (Vec::new(), 0));
    }

    #[test]
    fn every_sample_of_the_output_is_taken_where_the_run_has_it() {
        let mut files = fixture::files();
        let header = "time_s,node,port,peer,lane,queue_bytes,buffer_bytes,sent_bytes,utilisation,stalled_s,marked_packets\n";
        let row = |ms: u32| format!("{:?},S1,2,H3,0,{},0,0,0.5,0.0,0\n", f64::from(ms) / 1e3, ms * 100);
        let rows: String = [5, 10, 15, 20].map(row).concat();
        files.retain(|file| file.name != PortSeriesRow::FILE);
        files.push(OutputFile { name: PortSeriesRow::FILE.to_owned(), contents: header.to_owned() + &rows });
        let (root, notes) = only_root(&files);
        let whole = points(&root.whole);
        assert_eq!(whole[..3], [(0.0, Some(0.0)), (5.0, Some(0.5)), (10.0, Some(1.0))]);
        assert_eq!((whole.len(), notes.len()), (5, 0));
    }
}
