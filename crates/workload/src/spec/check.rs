//! Checks that several specs share.

use packet::ServiceLevel;
use units::{Bytes, Span, Time};

use crate::error::{FlowError, PatternError};
use crate::limits::LONGEST_MESSAGE;

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

/// Checks the number of messages that are listed or drawn before a run.
pub(crate) fn amount(expected: f64, most: u64) -> Result<(), FlowError> {
    let expected = expected as u64;
    if expected > most { Err(FlowError::TooManyMessages { expected, most }) } else { Ok(()) }
}

pub(crate) fn load(given: f64) -> Result<(), PatternError> {
    if given > 0.0 && given <= 1.0 { Ok(()) } else { Err(PatternError::LoadRange { given }) }
}

pub(crate) fn mean_time(given: Span) -> Result<(), PatternError> {
    if given == Span::ZERO { Err(PatternError::NoMean { given }) } else { Ok(()) }
}
