//! The faults in the settings of a link.
//!
//! Invariant: `Display` is the cause alone, [`SettingError::help`] the remedy alone.

use packet::{Lane, Mtu};
use settings::{FieldPath, SettingError};
use units::{Bytes, Rate, Span};

/// A lane that is not one of the link's data lanes.
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
    /// If it is not one of the data lanes.
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

/// A fault in the settings of a link.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// A number is out of the range of its field.
    #[error("{value} is out of range")]
    OutOfRange {
        /// The field.
        field: &'static str,
        /// Its value.
        value: u64,
        /// Its largest value; the smallest is 1.
        most: u64,
    },
    /// The MTU exists on Ethernet only.
    #[error("IBA knows no MTU of {}", Bytes::from(*.0))]
    MtuOfEthernet(Mtu),
    /// A service level beyond the sixteen.
    #[error("there is no service level {0}")]
    NoServiceLevel(u8),
    /// A lane is not one of the data lanes.
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
    /// No buffer can free as many blocks as an update waits for.
    #[error("{blocks} blocks never come free at once in the smallest buffer, `{buffer}`: it holds {holds}")]
    UpdateBlocks {
        /// Blocks that an update waits for.
        blocks: u16,
        /// Blocks of the smallest buffer.
        holds: u64,
        /// The smallest buffer, by its path.
        buffer: String,
    },
    /// Updates would follow each other without time between them.
    #[error("an interval of 0 would return credits without end")]
    NoUpdateInterval,
    /// There are more lanes than priorities of Ethernet.
    #[error("Ethernet has {0} priorities")]
    TooManyPriorities(u8),
    /// The list of lanes with PFC is empty.
    #[error("no lane has PFC")]
    NoLaneWithPfc,
    /// No standard is known that limits the reaction of a sender at this rate.
    #[error(
        "the reaction of a sender to a PAUSE has to be given for {0}: the standard's limit at this rate is not known here"
    )]
    UnknownReaction(Rate),
    /// PAUSE frames would follow each other without time between them.
    #[error("PAUSE would be sent without end")]
    NoRefresh,
    /// A pause runs out before the next PAUSE frame can come.
    #[error(
        "a PAUSE lasts {lasts} at {rate}, and may come again only after {}: {again}, and {waits} for the frames on the \
         wire before it",
        *.again + *.waits
    )]
    RefreshTooLate {
        /// Rate of the cable.
        rate: Rate,
        /// Duration of a pause.
        lasts: Span,
        /// Interval between PAUSE frames.
        again: Span,
        /// The longest wait of a PAUSE frame for the wire.
        waits: Span,
        /// True if the interval is given, false if it follows from the quanta.
        given: bool,
    },
}

impl SettingError for LinkError {
    fn path(&self) -> FieldPath {
        let at = |list: &str, index| FieldPath::from("vl_arbitration").name(list).index(index);
        match self {
            Self::OutOfRange { field, .. } => (*field).into(),
            Self::MtuOfEthernet(_) => "mtu".into(),
            Self::NoServiceLevel(level) => FieldPath::from("sl_to_vl").name(&level.to_string()),
            Self::Lane { field, .. } => field.clone(),
            Self::StrictTwice { index, .. } | Self::StrictInTable { index, .. } => at("strict", *index),
            Self::TableTooLong { table, .. } => FieldPath::from("vl_arbitration").name(table),
            Self::LaneUnserved(_) => "vl_arbitration".into(),
            Self::UpdateBlocks { .. } => "flow_control.update_blocks".into(),
            Self::NoUpdateInterval => "flow_control.update_interval".into(),
            Self::TooManyPriorities(_) => "data_lanes".into(),
            Self::NoLaneWithPfc => "flow_control.pfc_enable".into(),
            Self::UnknownReaction(_) => "flow_control.reaction".into(),
            Self::NoRefresh => "flow_control.refresh".into(),
            Self::RefreshTooLate { .. } => match self.longest_refresh() {
                Some(_) => "flow_control.refresh".into(),
                None => "flow_control.quanta".into(),
            },
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::OutOfRange { most, .. } => format!("write a whole number from 1 to {most}"),
            Self::MtuOfEthernet(_) => {
                "write \"1 KiB\", \"2 KiB\" or another of IBA's, or `link.framing: RoCEv2`".to_owned()
            }
            Self::NoServiceLevel(_) => "write a service level from 0 to 15".to_owned(),
            Self::Lane { lane, .. } => return lane.help(),
            Self::StrictTwice { .. } => "write it once".to_owned(),
            Self::StrictInTable { .. } => "write it in one of the two".to_owned(),
            Self::TableTooLong { .. } => {
                format!("write at most {} entries (IBA 7.6.9)", Self::MOST_ENTRIES)
            }
            Self::LaneUnserved(Lane(lane)) => format!(
                "give lane {lane} an entry such as `(lane: {lane}, weight: 64)`, or let no service level lead to it"
            ),
            Self::UpdateBlocks { holds, .. } => format!("write 1 to {holds}"),
            Self::NoUpdateInterval => "write at least \"1 ps\"; \"4.096 us\" is usual".to_owned(),
            Self::TooManyPriorities(most) => format!("write 1 to {most}"),
            Self::NoLaneWithPfc => {
                "name a lane, leave it out for all lanes, or write `Lossy` as `link.flow_control`".to_owned()
            }
            Self::UnknownReaction(_) => {
                "write the time for which senders still start packets after a PAUSE, such as `reaction: \"1 us\"`".to_owned()
            }
            Self::NoRefresh => "write at least \"1 ps\"".to_owned(),
            Self::RefreshTooLate { .. } => match self.longest_refresh() {
                Some(most) => format!("write at most \"{most}\", or leave it out"),
                None => "ask for more quanta".to_owned(),
            },
        })
    }
}

impl LinkError {
    /// The most entries of a lane arbitration table (IBA 14.2.5.9).
    pub(crate) const MOST_ENTRIES: usize = 64;

    /// Returns the longest interval that would do in place of the one given; `None` where the quanta are at fault.
    fn longest_refresh(&self) -> Option<Span> {
        match self {
            Self::RefreshTooLate { lasts, waits, given: true, .. } if lasts > waits => Some(*lasts - *waits),
            _ => None,
        }
    }
}
