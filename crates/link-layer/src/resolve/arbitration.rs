//! The faults in lane arbitration tables, of all links or of single ports.
//!
//! Invariant: paths are relative to the tables. `Display` is the cause alone, [`SettingError::help`] the remedy alone.

use packet::Lane;
use settings::{FieldPath, SettingError};

use super::lane::LaneNotConfigured;
use crate::spec::{VlArbitrationSpec, VlWeight};

/// A fault in lane arbitration tables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArbitrationError {
    /// A lane is not a data lane.
    #[error("{lane}")]
    Lane {
        /// The field that names it.
        field: FieldPath,
        /// The lane.
        lane: LaneNotConfigured,
    },
    /// A lane of strict priority is given twice.
    #[error("lane {lane} is listed twice")]
    StrictTwice {
        /// Position of the second entry.
        index: usize,
        /// The lane.
        lane: u8,
    },
    /// A lane of strict priority has an entry in a table as well.
    #[error("lane {lane} is strict, so its entry in `{table}` has no effect")]
    StrictInTable {
        /// Position in the list of strict lanes.
        index: usize,
        /// The lane.
        lane: u8,
        /// The table.
        table: &'static str,
    },
    /// A lane arbitration table is too long.
    #[error("the table has {entries} entries")]
    TableTooLong {
        /// The table.
        table: &'static str,
        /// Its length.
        entries: usize,
    },
    /// A lane to which a service level leads is never served.
    #[error("{0} has no weight in either table, so its packets would wait for ever")]
    LaneUnserved(Lane),
}

impl SettingError for ArbitrationError {
    fn path(&self) -> FieldPath {
        match self {
            Self::Lane { field, .. } => field.clone(),
            Self::StrictTwice { index, .. } | Self::StrictInTable { index, .. } => {
                FieldPath::from("strict").index(*index)
            }
            Self::TableTooLong { table, .. } => (*table).into(),
            Self::LaneUnserved(_) => FieldPath::default(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Lane { lane, .. } => return lane.help(),
            Self::StrictTwice { .. } => "write it once".to_owned(),
            Self::StrictInTable { .. } => "write it in one of the two".to_owned(),
            Self::TableTooLong { .. } => {
                format!("write at most {} entries (IBA 7.6.9)", Self::MOST_ENTRIES)
            }
            Self::LaneUnserved(Lane(lane)) => format!(
                "give lane {lane} an entry such as `(lane: {lane}, weight: 64)`, or let no service level lead to it"
            ),
        })
    }
}

impl ArbitrationError {
    /// The most entries of a lane arbitration table (IBA 14.2.5.9).
    pub const MOST_ENTRIES: usize = 64;
}

impl VlArbitrationSpec {
    /// Returns true if packets of this lane have a turn. Without tables every lane has.
    #[must_use]
    pub fn serves(&self, lane: Lane) -> bool {
        let mut entries = self.high.iter().chain(&self.low).peekable();
        entries.peek().is_none()
            || self.strict.contains(&lane.0)
            || entries.any(|entry| entry.lane == lane.0 && entry.weight > 0)
    }

    /// Checks the tables of a port with this many data lanes, on which packets of `used` lanes leave.
    #[must_use]
    pub fn errors(&self, data_lanes: u8, used: impl IntoIterator<Item = Lane>) -> Vec<ArbitrationError> {
        let mut errors = Vec::new();
        for index in 0..self.strict.len() {
            errors.extend(self.strict_errors(index, data_lanes));
        }
        for (table, entries) in self.tables() {
            if entries.len() > ArbitrationError::MOST_ENTRIES {
                errors.push(ArbitrationError::TableTooLong { table, entries: entries.len() });
            }
            let lanes = entries.iter().enumerate().filter_map(|(index, entry)| {
                lane_error(FieldPath::from(table).index(index).name("lane"), entry.lane, data_lanes)
            });
            errors.extend(lanes);
        }
        if errors.is_empty() {
            let mut unserved: Vec<_> = used.into_iter().filter(|lane| !self.serves(*lane)).collect();
            unserved.sort_unstable();
            unserved.dedup();
            errors.extend(unserved.into_iter().map(ArbitrationError::LaneUnserved));
        }
        errors
    }

    /// Returns the faults of an entry in the list of strict lanes.
    fn strict_errors(&self, index: usize, data_lanes: u8) -> Vec<ArbitrationError> {
        let lane = self.strict[index];
        let mut errors: Vec<_> =
            lane_error(FieldPath::from("strict").index(index), lane, data_lanes).into_iter().collect();
        if self.strict[..index].contains(&lane) {
            errors.push(ArbitrationError::StrictTwice { index, lane });
            return errors;
        }
        for (table, entries) in self.tables() {
            if entries.iter().any(|entry| entry.lane == lane) {
                errors.push(ArbitrationError::StrictInTable { index, lane, table });
            }
        }
        errors
    }

    fn tables(&self) -> [(&'static str, &[VlWeight]); 2] {
        [("high", &self.high), ("low", &self.low)]
    }
}

fn lane_error(field: FieldPath, lane: u8, data_lanes: u8) -> Option<ArbitrationError> {
    let lane = LaneNotConfigured::check(lane, data_lanes).err()?;
    Some(ArbitrationError::Lane { field, lane })
}
