//! Congestion: trees, their roots, causes, contributors and victims, and the hottest outputs.
//!
//! Invariant: every printed number is in the files too.
//!
//! | module | makes |
//! |---|---|
//! | [`files`](mod@files) | `trees.csv`, `roots.csv`, `contributors.csv`, `victims.csv` |
//! | `outputs` | the hottest outputs on the terminal |
//! | `trees` | the worst trees on the terminal |
//! | [`worst`] | `worst_tree.csv` |

pub mod files;
mod outputs;
mod trees;
pub mod worst;

use telemetry::RunRecord;

/// Returns the worst tree for the terminal; `None` if there is none.
#[must_use]
pub fn worst_printed(record: &RunRecord) -> Option<String> {
    trees::worst_printed(record)
}

/// Returns the worst trees and the hottest outputs for the terminal. Tables have lines of at most `width` characters
/// where possible.
#[must_use]
pub fn printed(record: &RunRecord, width: usize) -> String {
    let outputs = outputs::printed(record, width);
    let gap = if outputs.is_empty() { "" } else { "\n" };
    format!("{}{gap}{outputs}", trees::printed(record))
}
