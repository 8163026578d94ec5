//! Ranks of jobs over time: computing, sending, waiting.
//!
//! Invariant: a rank is in one state at a time: it computes, or else has a send that is not complete, or else a posted
//! receive without a message, or does nothing. A value is a mean over an interval and over the
//! ranks with all their operations in `operations.csv`.

use std::collections::BTreeMap;

use results::format::listed;
use results::reader::{ReadError, RunFacts, RunFiles};
use results::rows::{OperationRow, RankRow};
use results::table::TableRow;

use crate::data::{Line, Panel};
use crate::words;

/// Name of the panel.
pub(super) const ID: &str = "ranks";
/// Intervals of a line.
const INTERVALS: usize = 1000;
/// Most jobs with lines.
const MOST_JOBS: usize = 4;
/// States with a line, in the order of their rank.
const STATES: [&str; 3] = ["computing", "sending", "waiting"];

/// A change of a rank: its time, and one more or one less operation of a state.
pub(super) type Change = (f64, usize, i32);

/// Operations of a job's ranks.
#[derive(Debug)]
pub(super) struct JobRanks {
    pub(super) name: String,
    /// Ranks with operations in the file.
    pub(super) ranks: BTreeMap<u32, RankOperations>,
    /// Number of operations of each rank, in order; none without `ranks.csv`.
    pub(super) all: Vec<u64>,
}

impl JobRanks {
    /// Returns the operations of each rank that has all of them in the file.
    fn whole(&self) -> impl Iterator<Item = &[Change]> {
        (0..).zip(&self.all).filter_map(|(rank, all)| match self.ranks.get(&rank) {
            Some(rank) => (rank.operations == *all).then_some(&*rank.changes),
            // A rank without operations does nothing.
            None => (*all == 0).then_some(&[][..]),
        })
    }
}

/// Operations of a rank.
#[derive(Debug, Default)]
pub(super) struct RankOperations {
    /// Number of operations in the file.
    pub(super) operations: u64,
    pub(super) changes: Vec<Change>,
}

/// Reads the operations of the first jobs; none without the file.
pub(super) fn read(files: RunFiles<'_>, facts: &RunFacts) -> Result<Vec<JobRanks>, ReadError> {
    if !files.has(OperationRow::FILE) {
        return Ok(Vec::new());
    }
    let rows: Vec<OperationRow<'_>> = files.rows()?;
    let mut jobs: Vec<JobRanks> = Vec::new();
    for row in &rows {
        if jobs.last().is_none_or(|job| job.name != row.job) {
            if jobs.len() == MOST_JOBS {
                break;
            }
            jobs.push(JobRanks { name: row.job.to_string(), ranks: BTreeMap::new(), all: Vec::new() });
        }
        let Some(job) = jobs.last_mut() else { continue };
        let RankOperations { operations, changes } = job.ranks.entry(row.rank).or_default();
        *operations += 1;
        let Some(start) = row.start_s else { continue };
        let state = match &*row.kind {
            "compute" => 0,
            "send" => 1,
            _ => 2,
        };
        changes.extend([(start, state, 1), (row.end_s.unwrap_or(facts.simulated_s), state, -1)]);
    }
    if files.has(RankRow::FILE) {
        let ranks: Vec<RankRow<'_>> = files.rows()?;
        for job in &mut jobs {
            job.all = ranks.iter().filter(|rank| rank.job == job.name).map(|rank| rank.operations).collect();
        }
    }
    Ok(jobs)
}

/// Returns the panel of jobs; `None` without whole ranks with operations that take time.
pub(super) fn panel(jobs: &[JobRanks]) -> Option<Panel> {
    let all = || jobs.iter().flat_map(|job| job.ranks.values().flat_map(|rank| &rank.changes));
    let (from, to) =
        all().fold((f64::INFINITY, 0.0_f64), |(from, to), change| (from.min(change.0), to.max(change.0)));
    if from >= to {
        return None;
    }
    let step = (to - from) / INTERVALS as f64;
    let x = (0..INTERVALS).map(|place| from + step * (place as f64 + 0.5)).collect();
    let lines: Vec<_> = jobs.iter().flat_map(|job| lines(job, (from, step))).collect();
    if lines.is_empty() {
        return None;
    }
    let of_job = |job: &JobRanks| match (job.whole().count(), job.all.len()) {
        (whole, all) if whole == all => format!("the {} of {}", words::count(all, "rank"), job.name),
        (whole, all) => format!("{whole} of the {} of {}", words::count(all, "rank"), job.name),
    };
    let about = format!(
        "Of {}, the share that computes; that does not, and has a send that is not complete; and that only waits for a \
         message. The rest does nothing. Mean over each of {}. The states have the colours of the rows.",
        listed(&jobs.iter().map(of_job).collect::<Vec<_>>()),
        words::count(INTERVALS, "interval")
    );
    let heading = "Ranks over time".to_owned();
    Some(Panel { id: ID, heading, about, unit: "", x, lines, samples_a_pair: 1 })
}

/// Returns a line for each state of a job's ranks.
fn lines(job: &JobRanks, (from, step): (f64, f64)) -> Vec<Line> {
    let ranks = job.whole().count();
    if ranks == 0 {
        return Vec::new();
    }
    let mut moves: Vec<Change> = job.whole().flat_map(moves).collect();
    moves.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut sums = [const { [0.0; INTERVALS] }; STATES.len()];
    let (mut counts, mut at) = ([0_i32; STATES.len()], from);
    for (time, state, by) in moves {
        spread(&mut sums, counts, (at - from) / step, (time - from) / step);
        (counts[state], at) = (counts[state] + by, time);
    }
    let share = |sum: &f64| Some((sum / ranks as f64).clamp(0.0, 1.0));
    let line = |(state, sums): (&&str, &[f64; INTERVALS])| Line {
        name: format!("{}: {state}", job.name),
        kind: "group",
        y: sums.iter().map(share).collect(),
        shown: true,
    };
    STATES.iter().zip(&sums).map(line).collect()
}

/// Returns the moves of a rank between states, from the operations that begin and end.
fn moves(changes: &[Change]) -> Vec<Change> {
    let (mut state, mut moves) = (None, Vec::new());
    for (at, next) in states(changes) {
        moves.extend(state.map(|state| (at, state, -1)));
        moves.extend(next.map(|next| (at, next, 1)));
        state = next;
    }
    moves
}

/// Returns the states of a rank, each with the time from which on it lasts, from the operations that begin and end.
pub(super) fn states(changes: &[Change]) -> Vec<(f64, Option<usize>)> {
    let mut changes = changes.to_vec();
    changes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut open, mut state, mut states) = ([0_i32; STATES.len()], None, Vec::new());
    for group in changes.chunk_by(|one, other| one.0 == other.0) {
        group.iter().for_each(|(_, state, by)| open[*state] += by);
        let next = open.iter().position(|count| *count > 0);
        if next != state {
            states.push((group[0].0, next));
            state = next;
        }
    }
    states
}

/// Adds counts to the intervals between two places, in parts of an interval.
fn spread(sums: &mut [[f64; INTERVALS]; STATES.len()], counts: [i32; STATES.len()], mut from: f64, to: f64) {
    while from < to {
        let place = (from as usize).min(INTERVALS - 1);
        let next = if place == INTERVALS - 1 { to } else { to.min(place as f64 + 1.0) };
        for (sums, count) in sums.iter_mut().zip(counts) {
            sums[place] += f64::from(count) * (next - from);
        }
        from = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rank computes for a quarter while it sends for half, then waits for a quarter; another does nothing. Of a
    /// third the file has a part alone.
    #[test]
    fn a_rank_is_in_one_state_at_a_time() {
        let changes = vec![(0.0, 0, 1), (0.25, 0, -1), (0.0, 1, 1), (0.5, 1, -1), (0.1, 2, 1), (0.75, 2, -1)];
        let found = moves(&changes);
        assert_eq!(
            found,
            [(0.0, 0, 1), (0.25, 0, -1), (0.25, 1, 1), (0.5, 1, -1), (0.5, 2, 1), (0.75, 2, -1)]
        );
        let part = RankOperations { operations: 1, changes: vec![(0.0, 0, 1), (1.0, 0, -1)] };
        let ranks = BTreeMap::from([(0, RankOperations { operations: 3, changes }), (2, part)]);
        let job = JobRanks { name: "A".to_owned(), ranks, all: vec![3, 0, 2] };
        let lines = lines(&job, (0.0, 1.0 / INTERVALS as f64));
        let names: Vec<_> = lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["A: computing", "A: sending", "A: waiting"]);
        let at = |line: usize, place: usize| lines[line].y[place].expect("a value");
        for (place, expected) in [(100, [0.5, 0.0, 0.0]), (400, [0.0, 0.5, 0.0]), (700, [0.0, 0.0, 0.5])] {
            (0..3).for_each(|line| {
                assert!((at(line, place) - expected[line]).abs() < 1e-9, "{line} at {place}");
            });
        }
        assert!((0..3).all(|line| at(line, 900).abs() < 1e-9), "nothing is left");
        let about = panel(&[job]).expect("ranks that do something").about;
        assert!(about.starts_with("Of 2 of the 3 ranks of A, the share that computes; "), "{about}");
    }
}
