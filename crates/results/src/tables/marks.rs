//! Columns that count marked packets, for each reason of every marking rule, whatever the rule of the run.
//!
//! Invariant: a reason that the run's marking rule does not have counts 0.

use telemetry::{Marks, RunRecord};

/// A row that counts marked packets.
pub(super) trait Marked {
    /// Returns the number of packets marked for a reason, by its name.
    fn marked(&self, reason: &str) -> u64;
}

/// The number of packets marked for a reason of this name.
pub(super) fn marked(record: &RunRecord, marks: &Marks, reason: &str) -> u64 {
    let code = record.mark_reasons.iter().find(|(_, name)| *name == reason);
    code.map_or(0, |(code, _)| marks.of(*code))
}

/// Makes the columns of the reasons, given the packets that they count: `"packets marked on leaving here"`.
macro_rules! mark_columns {
    ($packets:literal) => {
        $crate::tables::marks::mark_columns!(@each $packets, "root", "victim_mask", "propagation", "generation", "red")
    };
    (@each $packets:literal, $($reason:literal),*) => {
        [$($crate::table::Column::count(
            concat!("marked_", $reason, "_packets"),
            concat!($packets, " for the reason `", $reason, "` (see `marks`)"),
            |row| $crate::tables::marks::Marked::marked(row, $reason),
        )),*]
    };
}

pub(super) use mark_columns;
