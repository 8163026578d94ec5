//! Lanes that settings name.
//!
//! Invariant: a lane is a data lane of the link, or its fault says which are.

use settings::{FieldPath, SettingError};

/// A lane that is not a data lane of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("lane {lane} is not configured")]
pub struct LaneNotConfigured {
    /// The lane.
    pub lane: u8,
    /// The number of data lanes.
    pub data_lanes: u8,
}

impl LaneNotConfigured {
    /// Checks a lane.
    ///
    /// # Errors
    /// If it is not a data lane.
    pub const fn check(lane: u8, data_lanes: u8) -> Result<(), Self> {
        if lane < data_lanes { Ok(()) } else { Err(Self { lane, data_lanes }) }
    }
}

impl SettingError for LaneNotConfigured {
    fn path(&self) -> FieldPath {
        FieldPath::default()
    }

    fn help(&self) -> Option<String> {
        Some(match self.data_lanes {
            0 | 1 => "with 1 data lane, write 0; or raise `link.data_lanes`".to_owned(),
            lanes => format!("with {lanes} data lanes, write 0 to {}; or raise `link.data_lanes`", lanes - 1),
        })
    }
}
