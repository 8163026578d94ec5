//! Runs of a tuning, and its answer as text and files: for `tune` and for `repro tuning`.
//!
//! Invariant: the printed score comes from the held-out runs. Everything printed stands in the files, too.
//!
//! | module | contents |
//! |---|---|
//! | here | the runs, and the folder |
//! | `printed` | the answer as it is printed |
//! | `files` | the answer as files |

mod files;
mod printed;

use std::iter;
use std::num::NonZeroUsize;
use std::path::Path;

use backwater::Threads;
use backwater::provenance::{COMMIT, manifest};
use experiment::Store;
use experiment::store::{BatchOptions, Origin};
use experiment::tuning::{Tuned, TuningJob};
use results::folder::TUNING_FILES;
use results::manifest::{FolderKind, PlanIdentity};
use results::{Manifest, ResultFolder};
use scenario::Plan;

use crate::failure::Failure;
use crate::interrupt;
use crate::memory;
use crate::progress::BatchReport;
use crate::terminal::print;

/// A tuning that is done, with its folder.
pub(crate) struct FinishedTuning {
    pub(crate) tuned: Tuned,
    pub(crate) plan: Plan,
    files: Vec<&'static str>,
}

/// Settings of the command line that do not change the answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TuningRun<'a> {
    pub(crate) out: &'a Path,
    pub(crate) force: bool,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) quiet: bool,
    /// True if the division of the budget is printed before the first run.
    pub(crate) tells_budget: bool,
}

/// Runs a tuning and writes its files. What is in the folder's store is not run again.
pub(crate) fn run(job: &TuningJob, run: TuningRun<'_>) -> Result<FinishedTuning, Failure> {
    let plan = job.check()?;
    let at_a_time = run.threads.map_or(Threads::Auto, Threads::AtMost).most();
    let each = iter::repeat_n(plan.memory().total().get(), job.runs);
    memory::check_at_a_time(each, at_a_time, None)?;
    let identity = PlanIdentity {
        scenario: plan.name().to_owned(),
        overrides: job.overrides(),
        seed: plan.seed(),
        plan_digest: plan.digest().to_string(),
        own_policies: Vec::new(),
    };
    let manifest = manifest(FolderKind::Tuning, vec![identity], TUNING_FILES.map(str::to_owned));
    let folder = ResultFolder::open(run.out, &manifest, run.force)?;
    if run.tells_budget {
        print(&format!("{}\n", job.told_budget(&plan)?));
    }
    let options = BatchOptions {
        threads: run.threads,
        origin: Origin { commit: COMMIT.map(str::to_owned), command: manifest.command.clone() },
        interrupt: Some(interrupt::watched()),
        ..BatchOptions::default()
    };
    let progress = BatchReport::at_most(job.runs, !run.quiet);
    let tuned = job.run(&Store::open(run.out), &options, &|event| progress.update(event))?;
    drop(progress);
    let files = files::of(job, &plan, &tuned);
    folder.write(&Manifest { verdict: Some(job.verdict(&tuned)), ..manifest }, &files)?;
    let files = TUNING_FILES.into_iter().filter(|name| files.iter().any(|file| file.name == *name)).collect();
    Ok(FinishedTuning { tuned, plan, files })
}

impl FinishedTuning {
    pub(crate) fn printed(&self, job: &TuningJob) -> String {
        printed::answer(job, &self.tuned)
    }

    pub(crate) fn json(&self, job: &TuningJob) -> String {
        files::json_text(job, &self.plan, &self.tuned)
    }

    /// Returns the names of the files that were written.
    pub(crate) fn files(&self) -> &[&'static str] {
        &self.files
    }
}
