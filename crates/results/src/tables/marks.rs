//! Counts of marked packets by reason, whatever the marking rule of the run.
//!
//! Invariant: a reason that the run's marking rule does not have counts 0.

use telemetry::{Marks, RunRecord};

/// Returns the number of packets marked for a reason of this name.
pub(super) fn marked(record: &RunRecord, marks: &Marks, reason: &str) -> u64 {
    let code = record.mark_reasons.iter().find(|(_, name)| *name == reason);
    code.map_or(0, |(code, _)| marks.of(*code))
}
