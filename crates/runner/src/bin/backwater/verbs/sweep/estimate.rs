//! `--dry-run`: the number of runs, their time and their disk space.
//!
//! Invariant: nothing is written. Numbers come from results that are there, or else from the beginning of a run.

use std::fs;
use std::time::Duration;

use experiment::store::{Stored, trial};
use experiment::sweep::{PlannedRun, SweepPlan};
use experiment::{Store, UnitResult};
use measures::spelling::{Dimension, Zeros, elapsed, spelled};

use super::asked::WorkOptions;
use crate::failure::Failure;
use crate::memory;

/// Real time of the beginning of a run, from which times are extrapolated.
const TRIAL: Duration = Duration::from_secs(2);

/// Returns the estimate in words.
pub(super) fn estimate(plan: &SweepPlan, store: &Store, work: &WorkOptions) -> Result<String, Failure> {
    let mut names = std::collections::BTreeSet::new();
    let distinct: Vec<_> =
        plan.runs.iter().filter(|run| names.insert(&run.name)).map(PlannedRun::unit).collect();
    let stored: Vec<_> = distinct.iter().map(|unit| store.stored(unit)).collect();
    let there: Vec<&UnitResult> = stored
        .iter()
        .filter_map(|one| match one {
            Stored::Found(result) => Some(&**result),
            Stored::Missing | Stored::Unusable(_) | Stored::Foreign => None,
        })
        .collect();
    let missing: Vec<_> =
        distinct.iter().zip(&stored).filter(|(_, stored)| !matches!(stored, Stored::Found(_))).collect();
    let noun = if plan.runs.len() == 1 { "run" } else { "runs" };
    let mut text = format!("{} {noun}", plan.runs.len());
    if distinct.len() < plan.runs.len() {
        text += &format!(", {} of them distinct", distinct.len());
    }
    text += &format!(": {} there, {} to be run\n", there.len(), missing.len());
    let Some((first, _)) = missing.first() else { return Ok(text) };
    let with_results: Vec<_> = there.iter().filter(|result| result.ended.has_results()).collect();
    let (each_s, bytes, source) = if with_results.is_empty() {
        let Some(trial) = trial(first, TRIAL, work.files())? else {
            return Ok(text + "time: not known, since the first run fails\n");
        };
        (trial.wall_s, trial.bytes, "extrapolated from the beginning of the first".to_owned())
    } else {
        let count = with_results.len() as f64;
        let wall = with_results.iter().map(|result| result.cost.wall_s).sum::<f64>() / count;
        let size = |result: &&&UnitResult| {
            let entries = fs::read_dir(store.folder().join("runs").join(&result.name));
            let files = entries.into_iter().flatten().flatten();
            files.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum::<u64>()
        };
        let bytes = with_results.iter().map(size).sum::<u64>() / with_results.len() as u64;
        (wall, bytes, format!("the mean of the {} that are there", with_results.len()))
    };
    let threads = work.at_a_time().min(missing.len());
    let size = |bytes: f64| spelled(bytes, Dimension::Size, Zeros::Dropped);
    let total = each_s * missing.len() as f64 / threads as f64;
    text += &format!(
        "time: about {}, {threads} at a time; {} each ({source})\n",
        elapsed(total),
        elapsed(each_s)
    );
    text += &format!("disk: about {}\n", size((bytes * missing.len() as u64) as f64));
    let memory = largest(plan, threads);
    text += &format!("memory of their traffic: about {}\n", size(memory as f64));
    Ok(text)
}

/// Returns the memory that `threads` runs at a time are expected to need at most, in bytes.
pub(super) fn largest(plan: &SweepPlan, threads: usize) -> u64 {
    let mut each: Vec<_> = plan.runs.iter().map(|run| run.memory_bytes).collect();
    memory::largest(&mut each, threads)
}
