//! Ranks of jobs over time, a row for each rank, and the critical path through them.
//!
//! Invariant: a row has all operations of its rank: a rank without some of them in `operations.csv` has no row. Times
//! of rows are rounded to 1/65,535 of the job's time; those of the path are as the files have them.

use std::collections::BTreeMap;

use results::reader::{ReadError, RunFiles};
use results::rows::{IterationRow, PathStepRow, RankRow};
use results::table::TableRow;
use serde::Serialize;

use super::ranks::{JobRanks, RankOperations, states};
use crate::numbers::{Form, InJson, Numbers, Shares, TakenOut};
use crate::words;

/// Most rows of a job.
const MOST_ROWS: usize = 1024;
/// Most changes of state of a job.
const MOST_CHANGES: usize = 100_000;
/// Most steps of a path that are drawn.
const MOST_STEPS: usize = 4000;
/// Most iterations with a mark.
const MOST_ITERATIONS: usize = 200;
/// State of a rank that does nothing; the others are places in `STATES`.
const NOTHING: u16 = 3;
/// Parts of a job's time.
const PARTS: f64 = 65_535.0;

/// Ranks of a job over time.
#[derive(Debug, Serialize)]
#[serde(bound = "")]
pub(super) struct Timeline<F: Form = InJson> {
    job: String,
    /// Sentences on the rows.
    pub(super) about: String,
    from_s: f64,
    to_s: f64,
    /// Number of each row's rank, ascending, and its host.
    ranks: Vec<u32>,
    hosts: Vec<String>,
    /// Number of changes of each row.
    lengths: Vec<usize>,
    /// Changes, row after row: time in parts of the job's time, and state, in turn.
    changes: F::Shares,
    /// Steps of the critical path: start and end in s, rank, and the rank that a message goes to, else the same, in
    /// turn.
    path: F::Values,
    /// Kind of each step, and the output that most of its congestion is blamed on.
    steps: Vec<String>,
    /// Ends of iterations in s.
    iterations: Vec<f64>,
}

impl Timeline {
    pub(super) fn take_out(self, numbers: &mut Numbers) -> Timeline<TakenOut> {
        Timeline {
            job: self.job,
            about: self.about,
            from_s: self.from_s,
            to_s: self.to_s,
            ranks: self.ranks,
            hosts: self.hosts,
            lengths: self.lengths,
            changes: numbers.add_parts(self.changes.0),
            path: numbers.add(self.path),
            steps: self.steps,
            iterations: self.iterations,
        }
    }
}

/// Returns the timelines of jobs.
pub(super) fn of(files: RunFiles<'_>, jobs: &[JobRanks]) -> Result<Vec<Timeline>, ReadError> {
    if jobs.is_empty() || !files.has(RankRow::FILE) {
        return Ok(Vec::new());
    }
    let all: Vec<RankRow<'_>> = files.rows()?;
    let steps: Vec<PathStepRow<'_>> = if files.has(PathStepRow::FILE) { files.rows()? } else { Vec::new() };
    let ends: Vec<IterationRow<'_>> = if files.has(IterationRow::FILE) { files.rows()? } else { Vec::new() };
    let timeline = |job: &JobRanks| {
        let rows: Vec<_> = all.iter().filter(|row| row.job == job.name).collect();
        let steps: Vec<_> = steps.iter().filter(|step| step.job == job.name).collect();
        let ends = ends.iter().filter(|row| row.job == job.name).map(|row| row.end_s);
        of_job(job, &rows, &steps, ends.take(MOST_ITERATIONS).collect())
    };
    Ok(jobs.iter().filter_map(timeline).collect())
}

/// Returns the timeline of a job; `None` if no rank has a row, or nothing takes time.
fn of_job(
    job: &JobRanks,
    rows: &[&RankRow<'_>],
    steps: &[&PathStepRow<'_>],
    iterations: Vec<f64>,
) -> Option<Timeline> {
    let times = || job.ranks.values().flat_map(|rank| rank.changes.iter().map(|change| change.0));
    let (from, to) = times().fold((f64::INFINITY, 0.0_f64), |(from, to), at| (from.min(at), to.max(at)));
    let whole = rows.iter().filter_map(|row| {
        // A rank without operations does nothing.
        let none = RankOperations::default();
        let rank = job.ranks.get(&row.rank).unwrap_or(&none);
        (rank.operations == row.operations).then(|| (row, rounded(&states(&rank.changes), (from, to))))
    });
    let whole: Vec<_> = whole.collect();
    let changes: usize = whole.iter().map(|(_, changes)| changes.len()).sum();
    let every = whole.len().div_ceil(MOST_ROWS).max(changes.div_ceil(MOST_CHANGES)).max(1);
    let chosen: Vec<_> = whole.into_iter().step_by(every).collect();
    if chosen.is_empty() || from >= to {
        return None;
    }
    let (path, steps, drawn) = drawn(steps);
    let ranks = words::count(rows.len(), "rank");
    let mut about = match chosen.len() == rows.len() {
        true => format!("Each of the {ranks} of {} has a row.", job.name),
        false => format!("{} of the {ranks} of {} have a row, at equal distances.", chosen.len(), job.name),
    };
    about.push_str(&drawn);
    Some(Timeline {
        job: job.name.clone(),
        about,
        from_s: from,
        to_s: to,
        ranks: chosen.iter().map(|(row, _)| row.rank).collect(),
        hosts: chosen.iter().map(|(row, _)| row.host.to_string()).collect(),
        lengths: chosen.iter().map(|(_, changes)| changes.len()).collect(),
        changes: Shares(
            chosen.into_iter().flat_map(|(_, changes)| changes).flat_map(<[u16; 2]>::from).collect(),
        ),
        path,
        steps,
        iterations,
    })
}

/// Returns changes of state with their times in parts of the job's time. Of several in a part the last one stays.
fn rounded(states: &[(f64, Option<usize>)], (from, to): (f64, f64)) -> Vec<(u16, u16)> {
    let mut last = BTreeMap::new();
    for (at, state) in states {
        let part = ((at - from) / (to - from) * PARTS).round() as u16;
        last.insert(part, state.map_or(NOTHING, |state| state as u16));
    }
    let mut changes: Vec<_> = last.into_iter().collect();
    changes.dedup_by_key(|(_, state)| *state);
    changes
}

/// Returns the longest steps of a path in order of time, their words, and a sentence on them.
fn drawn(steps: &[&PathStepRow<'_>]) -> (Vec<f64>, Vec<String>, String) {
    let mut longest: Vec<_> = steps.to_vec();
    longest.sort_by(|one, other| (other.end_s - other.start_s).total_cmp(&(one.end_s - one.start_s)));
    longest.truncate(MOST_STEPS);
    longest.sort_by(|one, other| one.start_s.total_cmp(&other.start_s));
    let values = |step: &&PathStepRow<'_>| {
        let to = step.to_rank.filter(|_| step.kind == "message").unwrap_or(step.rank);
        [step.start_s, step.end_s, step.rank.into(), to.into()]
    };
    let word = |step: &&PathStepRow<'_>| match (&step.node, step.port) {
        (Some(node), Some(port)) => format!("{}, late at {node} port {port}", step.kind),
        _ => step.kind.to_string(),
    };
    let sentence = match (steps.len(), steps.len() > longest.len()) {
        (0, _) => String::new(),
        (_, false) => " The line is the critical path.".to_owned(),
        (all, true) => format!(
            " The line is the critical path: the longest {} of its {all} steps that `critical_path.csv` has.",
            longest.len()
        ),
    };
    (longest.iter().flat_map(values).collect(), longest.iter().map(word).collect(), sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(rank: u32, operations: u64) -> RankRow<'static> {
        RankRow {
            job: "A".into(),
            rank,
            host: format!("h{rank}").into(),
            operations,
            end_s: Some(1.0),
            compute_s: 0.0,
            exposed_s: 0.0,
            overlap_s: 0.0,
            wait_s: 0.0,
            unexpected_messages: 0,
            unexpected_s: 0.0,
            messages: 0,
            bytes: 0,
            path_s: 0.0,
        }
    }

    /// Rank 0 computes, then sends; of rank 1 an operation is missing.
    #[test]
    fn a_rank_without_all_its_operations_has_no_row() {
        let changes = vec![(0.0, 0, 1), (0.5, 0, -1), (0.25, 1, 1), (1.0, 1, -1)];
        let of = |operations| RankOperations { operations, changes: changes.clone() };
        let ranks = BTreeMap::from([(0, of(2)), (1, of(1))]);
        let job = JobRanks { name: "A".to_owned(), ranks, all: vec![2, 2] };
        let rows = [row(0, 2), row(1, 2)];
        let made = of_job(&job, &rows.iter().collect::<Vec<_>>(), &[], vec![]).expect("a row");
        assert_eq!((made.ranks, made.lengths), (vec![0], vec![3]));
        assert_eq!(made.changes.0, [0, 0, 32_768, 1, 65_535, NOTHING]);
        assert_eq!(made.about, "1 of the 2 ranks of A have a row, at equal distances.");
        let whole = JobRanks { ranks: BTreeMap::from([(0, of(2)), (1, of(2))]), ..job };
        let made = of_job(&whole, &rows.iter().collect::<Vec<_>>(), &[], vec![]).expect("rows");
        assert_eq!((made.ranks.len(), &*made.about), (2, "Each of the 2 ranks of A has a row."));
    }
}
