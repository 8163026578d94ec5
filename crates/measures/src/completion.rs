//! Completion of a message: its time, and its slowdown against the empty fabric.
//!
//! Invariant: a message that was not delivered by the end of the run counts with its age, as a lower bound.

use telemetry::MessageRecord;
use units::{Span, Time};

use crate::censoring::CensoredValue;

/// Completion of a message.
#[derive(Clone, Copy, Debug)]
pub struct Completion {
    /// Completion time; of a message that was not delivered, its age.
    pub time: Span,
    /// The same time over the completion time in the empty fabric.
    slowdown: f64,
    is_delivered: bool,
}

impl Completion {
    /// Returns the completion of a message in a run that ended at `end`.
    #[must_use]
    pub fn of(message: &MessageRecord, end: Time) -> Self {
        let time = message.time().unwrap_or_else(|| message.age(end));
        Self { time, slowdown: message.slowdown(time), is_delivered: message.completed.is_some() }
    }

    /// Returns the completion time in s, or its lower bound.
    #[must_use]
    pub fn seconds(self) -> CensoredValue {
        self.known_or_bound(self.time.seconds())
    }

    /// Returns the completion time in us, or its lower bound.
    #[must_use]
    pub fn microseconds(self) -> CensoredValue {
        self.known_or_bound(self.time.ps() as f64 / 1e6)
    }

    /// Returns the slowdown, or its lower bound.
    #[must_use]
    pub const fn slowdown(self) -> CensoredValue {
        self.known_or_bound(self.slowdown)
    }

    const fn known_or_bound(self, value: f64) -> CensoredValue {
        if self.is_delivered {
            CensoredValue::Exact(value)
        } else {
            CensoredValue::AtLeast { at_least: value }
        }
    }
}

#[cfg(test)]
mod tests {
    use units::Bytes;

    use super::*;

    #[test]
    fn a_message_that_was_not_delivered_has_its_age_as_a_bound() {
        let at = |us| Span::from_us(us).after_start();
        let message = |completed| MessageRecord {
            flow: 0,
            number: 1,
            size: Bytes::new(1000),
            posted: at(10),
            completed,
            ideal: Span::from_us(4),
            acknowledged: None,
        };
        let delivered = Completion::of(&message(Some(at(18))), at(30));
        assert_eq!((delivered.microseconds(), delivered.slowdown()), (8.0.into(), 2.0.into()));
        let waiting = Completion::of(&message(None), at(30));
        assert_eq!(waiting.seconds(), CensoredValue::AtLeast { at_least: 20e-6 });
        assert_eq!(waiting.slowdown(), CensoredValue::AtLeast { at_least: 5.0 });
    }
}
