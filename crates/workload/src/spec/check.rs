//! Checks that several specs share.

use packet::ServiceLevel;
use units::{Bytes, Span, Time};

use super::shared::Carriage;
use crate::error::{FlowError, InField, PatternError, WorkloadError};
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

pub(crate) fn load(given: f64) -> Result<(), PatternError> {
    if given > 0.0 && given <= 1.0 { Ok(()) } else { Err(PatternError::LoadRange { given }) }
}

pub(crate) fn interval(given: Span) -> Result<(), PatternError> {
    if given == Span::ZERO { Err(PatternError::NoInterval { given }) } else { Ok(()) }
}

pub(crate) fn mean_time(given: Span) -> Result<(), PatternError> {
    if given == Span::ZERO { Err(PatternError::NoMean { given }) } else { Ok(()) }
}
