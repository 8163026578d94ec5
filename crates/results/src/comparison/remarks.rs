//! Remarks on the runs of a comparison: facts that the tables hide, each with the runs that it holds for.
//!
//! Invariant: a remark that several runs share stands once.

use serde::Serialize;

use super::row::ComparedRun;
use crate::remarks::Remark;

/// A remark, and the runs that it holds for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparedRemark {
    /// Labels of the runs.
    pub runs: Vec<String>,
    /// The remark.
    #[serde(flatten)]
    pub remark: Remark,
}

/// Returns the remarks on all runs, in the order of the runs.
#[must_use]
pub fn remarks(runs: &[ComparedRun<'_>]) -> Vec<ComparedRemark> {
    let mut all: Vec<ComparedRemark> = Vec::new();
    for run in runs {
        for remark in &run.summary.remarks {
            match all.iter_mut().find(|known| known.remark == *remark) {
                Some(known) => known.runs.push(run.label.to_owned()),
                None => all.push(ComparedRemark { runs: vec![run.label.to_owned()], remark: remark.clone() }),
            }
        }
    }
    all
}
