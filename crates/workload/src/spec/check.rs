//! Checks that several specs share.

use std::hint::black_box;
use std::sync::{Mutex, MutexGuard, PoisonError};

use packet::ServiceLevel;
use units::{Bytes, Span, Time};

use super::shared::Carriage;
use crate::error::{FlowError, InField, PatternError, WorkloadError};
use crate::flow::ListedMessage;
use crate::limits::{LONGEST_MESSAGE, MAX_LISTED};

pub(crate) fn message_size(given: Bytes) -> Result<(), FlowError> {
    if given == Bytes::ZERO || given > LONGEST_MESSAGE {
        Err(FlowError::MessageSize { given })
    } else {
        Ok(())
    }
}

pub(crate) fn period(start: Time, stop: Time) -> Result<(), FlowError> {
    if stop <= start { Err(FlowError::StopBeforeStart { start, stop }) } else { Ok(()) }
}

pub(crate) fn service_level(given: ServiceLevel) -> Result<(), FlowError> {
    if given > ServiceLevel(15) { Err(FlowError::ServiceLevel { given: given.0 }) } else { Ok(()) }
}

/// Checks that a transport service has an operation, and the service level.
pub(crate) fn carriage(given: Carriage) -> Result<(), WorkloadError> {
    let Carriage { service_level: level, transport, operation } = given;
    service_level(level).in_field("service_level")?;
    if operation.is_carried_by(transport) {
        Ok(())
    } else {
        Err(FlowError::NotCarried { transport, operation }).in_field("operation")
    }
}

/// Checks the number of messages that are listed or drawn before a run.
pub(crate) fn amount(expected: f64, most: u64) -> Result<(), FlowError> {
    let expected = expected as u64;
    if expected > most { Err(FlowError::TooManyMessages { expected, most }) } else { Ok(()) }
}

/// Number of messages from which on a list is made only after a look for memory.
const LARGE: u64 = 1 << 20;
/// Held while a large list is made: of several threads each finds what the others have left.
static LISTING: Mutex<()> = Mutex::new(());

/// Room for a list of messages, which no other thread takes while this is there.
#[must_use]
pub(crate) struct Room {
    _listing: Option<MutexGuard<'static, ()>>,
}

/// Checks the number of messages of a list. Checks that there is memory for this number of copies of it, also within
/// `ulimit -v`.
pub(crate) fn listed(expected: f64, copies: u64) -> Result<Room, FlowError> {
    amount(expected, MAX_LISTED)?;
    let expected = expected as u64;
    if expected < LARGE {
        return Ok(Room { _listing: None });
    }
    let listing = LISTING.lock().unwrap_or_else(PoisonError::into_inner);
    // An eighth more is left to everything else.
    let bytes = expected * copies * size_of::<ListedMessage>() as u64 / 8 * 9;
    let mut room = Vec::<u8>::new();
    let is_there = usize::try_from(bytes).is_ok_and(|bytes| room.try_reserve_exact(bytes).is_ok());
    // The compiler would leave out an allocation that nothing uses.
    black_box(&room);
    if is_there { Ok(Room { _listing: Some(listing) }) } else { Err(FlowError::NoRoom { expected, bytes }) }
}

pub(crate) fn load(given: f64) -> Result<(), PatternError> {
    if given > 0.0 && given <= 1.0 { Ok(()) } else { Err(PatternError::LoadRange { given }) }
}

pub(crate) fn interval(given: Span) -> Result<(), PatternError> {
    if given == Span::ZERO { Err(PatternError::NoInterval { given }) } else { Ok(()) }
}

pub(crate) fn mean_time(given: Span) -> Result<(), PatternError> {
    if given == Span::ZERO { Err(PatternError::NoMean { given }) } else { Ok(()) }
}
