//! Rows of a result folder's tables: a struct for each file, which writes it, reads it and describes it.
//!
//! Invariant: no other place names a column of these files. A figure or page that reads a column names its field.
//!
//! | file | row |
//! |---|---|
//! | `flows.csv`, `paths.csv`, `phases.csv` | [`FlowRow`], [`PathRow`], [`PhaseRow`] |
//! | `jobs.csv`, `iterations.csv`, `ranks.csv` | [`JobRow`], [`IterationRow`], [`RankRow`] |
//! | `operations.csv`, `critical_path.csv` | [`OperationRow`], [`PathStepRow`] |
//! | `series.csv`, `watch.csv` | [`SeriesRow`], [`WatchRow`] |
//! | `ports.csv`, `margins.csv` | [`PortRow`], [`MarginRow`] |
//! | `port_series.csv`, `source_series.csv`, `pauses.csv` | [`PortSeriesRow`], [`SourceSeriesRow`], [`PauseRow`] |
//! | `timeline.csv`, `timeline_trees.csv` | [`OutputMomentRow`], [`TreeMomentRow`] |
//! | `trees.csv`, `roots.csv`, `worst_tree.csv` | [`TreeRow`], [`RootRow`], [`WorstTreeRow`] |
//! | `contributors.csv`, `victims.csv` | [`ContributorRow`], [`VictimRow`] |
//! | `fct.csv` | [`MessageRow`], of which figures keep [`MessageTimes`] |
//! | `compare.csv`, `results.csv` | [`CompareRow`], [`SweepRow`] |

mod congestion;
mod flows;
mod jobs;
mod many_runs;
mod messages;
mod moments;
mod observed;
mod ports;
mod renamed;
mod series;

pub use congestion::{ContributorRow, RootRow, TreeRow, VictimRow, WorstTreeRow};
pub use flows::{FlowRow, PathRow, PhaseRow};
pub use jobs::{IterationRow, JobRow, OperationRow, PathStepRow, RankRow};
pub use many_runs::{CompareRow, SweepRow};
pub use messages::{MessageRow, MessageTimes};
pub use moments::{OutputMomentRow, TreeMomentRow};
pub use observed::{PauseRow, PortSeriesRow, SourceSeriesRow};
pub use ports::{MarginRow, PortRow};
pub use renamed::renamed;
pub use series::{SeriesRow, WatchRow};

/// Returns the name of an output and lane in figures.
fn output_name(node: &str, port: u32, peer: &str, lane: u32) -> String {
    let lane = if lane == 0 { String::new() } else { format!(", VL{lane}") };
    format!("{node} port {port} to {peer}{lane}")
}
