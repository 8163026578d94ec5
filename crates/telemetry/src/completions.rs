//! Completion of messages: of every message that a run posted, delivered or not.
//!
//! Invariant: a message that was not delivered takes longer than its age at the end of the record. Statistics over the
//! delivered messages alone are statistics of survivors.

use units::{Bytes, Span, Time};

/// Completion of messages.
#[derive(Clone, Debug, Default)]
pub struct Completions {
    /// Messages posted by flows with messages that can be distinguished. Delivered messages come first, in order of
    /// delivery, then all others in order of posting. Messages of the same instant are ordered by flow and number.
    pub messages: Vec<MessageRecord>,
    /// End of the record, up to which messages age.
    pub end: Time,
    /// Time at which the run begins, by the clock of the list of flows that its traffic comes from; else 0.
    pub origin: Time,
    /// Number of flows with messages that cannot be distinguished. Such flows use a service without retransmission,
    /// in a run with losses.
    pub excluded_flows: usize,
    /// Number of messages that those flows posted.
    pub excluded_messages: u64,
}

/// A posted message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRecord {
    /// Index of its flow in the record.
    pub flow: u32,
    /// Number of the message within its flow, from 1.
    pub number: u32,
    /// Payload of the message.
    pub size: Bytes,
    /// Time of posting.
    pub posted: Time,
    /// Time at which the destination's host took the last byte of its payload; `None` if it did not by the end of the
    /// record.
    pub completed: Option<Time>,
    /// Completion time in an otherwise empty fabric.
    pub ideal: Span,
    /// Completion for the host that posted the message. `None` for services without acknowledgement, and for messages
    /// that were not acknowledged by the end of the record.
    pub acknowledged: Option<Acknowledged>,
}

/// Completion of a message for the host that posted it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// Time at which the last acknowledgement of the message, or the last response to an RDMA READ, arrived.
    pub at: Time,
    /// Time from the posting to that arrival in an otherwise empty fabric.
    pub ideal: Span,
}

const _: () = assert!(size_of::<MessageRecord>() <= 72, "a run may keep millions of messages");

impl Completions {
    /// Returns the delivered messages, in order of delivery.
    #[must_use]
    pub fn delivered(&self) -> &[MessageRecord] {
        &self.messages[..self.messages.partition_point(|one| one.completed.is_some())]
    }

    /// Sorts the messages into the order of the record.
    pub fn sort(&mut self) {
        self.messages.sort_unstable_by_key(|one| {
            // Messages that were not delivered come last, by the time of posting.
            let order = one.completed.map_or((Time::NEVER, one.posted), |at| (at, Time::ZERO));
            (order, one.flow, one.number)
        });
    }
}

impl MessageRecord {
    /// Returns the completion time; `None` if the message was not delivered.
    #[must_use]
    pub fn time(&self) -> Option<Span> {
        Some(self.completed?.since(self.posted))
    }

    /// Returns the time from the posting to `end`: a lower bound of the completion time of a message that was not
    /// delivered by `end`.
    #[must_use]
    pub fn age(&self, end: Time) -> Span {
        end.since(self.posted)
    }

    /// Returns a time as a multiple of the completion time in an otherwise empty fabric: the slowdown, if `time` is the
    /// completion time.
    #[must_use]
    pub fn slowdown(&self, time: Span) -> f64 {
        time.ps() as f64 / self.ideal.ps() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delivered_messages_come_first_and_undelivered_ones_age() {
        let us = |n| Span::from_us(n).after_start();
        let message = |number, posted, completed: Option<u64>| MessageRecord {
            flow: 0,
            number,
            size: Bytes::new(1),
            posted: us(posted),
            completed: completed.map(us),
            ideal: Span::from_us(2),
            acknowledged: None,
        };
        let messages = vec![
            message(1, 5, None),
            message(2, 4, Some(8)),
            message(3, 3, None),
            message(4, 3, None),
            message(5, 2, Some(8)),
            message(6, 2, Some(7)),
        ];
        let mut all = Completions { messages, end: us(10), ..Completions::default() };
        all.sort();
        assert_eq!(all.messages.iter().map(|one| one.number).collect::<Vec<_>>(), [6, 2, 5, 3, 4, 1]);
        assert_eq!(all.delivered().len(), 3);
        let (first, last) = (all.messages[0], all.messages[5]);
        assert_eq!((first.time(), last.time()), (Some(Span::from_us(5)), None));
        assert_eq!((first.slowdown(Span::from_us(5)), last.age(all.end)), (2.5, Span::from_us(5)));
    }
}
