//! The faults in the settings of a link.
//!
//! Invariant: `Display` is the cause alone, [`SettingError::help`] the remedy alone.

use packet::Mtu;
use settings::{FieldPath, SettingError};
use units::{Bytes, Rate, Span};

use super::arbitration::ArbitrationError;
use super::lane::LaneNotConfigured;

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
    /// A lane is not a data lane.
    #[error("{lane}")]
    Lane {
        /// The field that names it.
        field: FieldPath,
        /// The lane.
        lane: LaneNotConfigured,
    },
    /// The lane arbitration tables are wrong.
    #[error("{0}")]
    Arbitration(ArbitrationError),
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
        match self {
            Self::OutOfRange { field, .. } => (*field).into(),
            Self::MtuOfEthernet(_) => "mtu".into(),
            Self::NoServiceLevel(level) => FieldPath::from("sl_to_vl").name(&level.to_string()),
            Self::Lane { field, .. } => field.clone(),
            Self::Arbitration(error) => FieldPath::from("vl_arbitration").join(&error.path()),
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
            Self::Arbitration(error) => return error.help(),
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
    /// Returns the longest interval that would do in place of the given interval; `None` where the quanta are at fault.
    fn longest_refresh(&self) -> Option<Span> {
        match self {
            Self::RefreshTooLate { lasts, waits, given: true, .. } if lasts > waits => Some(*lasts - *waits),
            _ => None,
        }
    }
}
