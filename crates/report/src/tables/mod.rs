//! Tables of a run, in files and on the terminal.
//!
//! | module | makes |
//! |---|---|
//! | `files` | `flows.csv`, `series.csv`, `ports.csv`, `watch.csv` |
//! | [`completions`] | `fct.csv`, HPCC's `fct.txt`, and completion times by size on the terminal |
//! | [`congestion`] | `trees.csv`, `victims.csv`, and the worst trees on the terminal |
//! | [`margins`] | `margins.csv`, and the nearest limits on the terminal |
//! | [`printed`] | the tables of a summary on the terminal |

pub mod completions;
pub mod congestion;
mod files;
pub mod margins;
pub mod printed;

pub use files::{flows, ports, series, watch};
