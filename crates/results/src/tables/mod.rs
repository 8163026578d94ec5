//! Tables of a run, in files and on the terminal.
//!
//! Modules form floors, lowest first.
//!
//! | module | makes |
//! |---|---|
//! | `marks` | counts of marked packets by reason |
//! | `loads` | loads of links in intervals, as shares of their capacity |
//! | [`flows`](mod@flows) | `flows.csv`, `phases.csv` |
//! | [`jobs`](mod@jobs) | `jobs.csv`, `iterations.csv`, `ranks.csv`, `operations.csv`, `critical_path.csv` |
//! | [`series`](mod@series) | `series.csv`, `watch.csv` |
//! | [`observed`] | `port_series.csv`, `source_series.csv`, `pauses.csv` |
//! | [`timeline`] | `timeline.csv`, `timeline_trees.csv` |
//! | [`ports`](mod@ports) | `ports.csv` |
//! | [`completions`] | `fct.csv`, HPCC's `fct.txt`, and completion times by size on the terminal |
//! | [`congestion`] | files of trees, roots, contributors, victims; worst trees and hottest outputs on the terminal |
//! | [`margins`] | `margins.csv`, and the nearest limits on the terminal |
//! | [`printed`] | the tables of a summary on the terminal |
//! | [`brief`] | the verdict, and a screen of numbers |

pub mod brief;
pub mod completions;
pub mod congestion;
pub mod flows;
pub mod jobs;
mod loads;
pub mod margins;
mod marks;
pub mod observed;
pub mod ports;
pub mod printed;
pub mod series;
pub mod timeline;
