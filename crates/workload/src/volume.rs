//! Amounts of messages that a run is expected to post.
//!
//! Invariant: an amount follows from the traffic as written, before any packet is sent.

use units::{Bytes, Time};

use crate::flow::{MessageSchedule, paced};

/// Messages that are posted before the end of a run, whatever becomes of those before them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PostedVolume {
    /// Number of messages.
    pub messages: u64,
    /// Their payload.
    pub payload: Bytes,
    /// Number of these messages that are posted at the time of the first.
    pub at_once: u64,
    /// True if another message is posted for each that completes.
    pub replaced: bool,
    /// Most messages that replace others, however long the run is; [`u64::MAX`] if only the end of the run ends them.
    pub to_come: u64,
    /// Time after which messages that complete are not replaced.
    pub until: Time,
}

impl PostedVolume {
    /// Adds a message that is posted after the first.
    pub(crate) fn add(&mut self, bytes: Bytes) {
        self.messages += 1;
        self.payload += bytes;
    }

    /// Returns the mean payload of a message in bytes; 1 without messages.
    #[must_use]
    pub fn mean(&self) -> f64 {
        (self.payload.get() as f64 / self.messages.max(1) as f64).max(1.0)
    }
}

impl MessageSchedule {
    /// Returns the time of the last message; zero if there is no message. Returns [`Time::NEVER`] if messages never
    /// end, or if only completions bring the last.
    pub(crate) fn last(&self) -> Time {
        match self {
            Self::Paced { message, rate, start, stop } if *stop != Time::NEVER => {
                // A message is posted before the stop, so the last message follows from their number.
                let messages = self.volume(*stop).messages;
                messages.checked_sub(1).map_or(Time::ZERO, |last| paced(*start, last, *message, *rate))
            }
            Self::Saturate { .. } | Self::Paced { .. } => Time::NEVER,
            Self::Listed(messages) => messages.last().map_or(Time::ZERO, |message| message.at),
        }
    }

    /// Returns the messages that the flow posts before `end`, besides those that replace others.
    #[must_use]
    pub fn volume(&self, end: Time) -> PostedVolume {
        if self.start() >= end.min(self.stop()) {
            return PostedVolume::default();
        }
        match self {
            Self::Saturate { outstanding, message, .. } => {
                let messages = u64::from(*outstanding);
                PostedVolume {
                    messages,
                    payload: *message * messages,
                    at_once: messages,
                    replaced: true,
                    to_come: u64::MAX,
                    until: self.stop(),
                }
            }
            Self::Paced { message, rate, start, stop } => {
                let sent = rate.amount_in(end.min(*stop).since(*start));
                let messages = sent.get().div_ceil(message.get());
                PostedVolume { messages, payload: *message * messages, at_once: 1, ..PostedVolume::default() }
            }
            Self::Listed(messages) => {
                let mut volume = PostedVolume::default();
                let posted = messages.iter().take_while(|message| message.at < end);
                posted.for_each(|message| volume.add(message.bytes));
                volume.at_once =
                    messages.iter().take_while(|message| message.at == self.start()).count() as u64;
                volume
            }
        }
    }
}

/// The messages of a source of finite traffic: of a flow, or of a host's traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FiniteAmount {
    /// As [`FiniteTraffic::messages`](crate::FiniteTraffic::messages).
    pub(crate) messages: Option<u64>,
    /// As [`FiniteTraffic::last_posting`](crate::FiniteTraffic::last_posting).
    pub(crate) last_posting: Time,
    /// Stop of a closed loop that its number of messages may end before.
    pub(crate) loop_stop: Option<Time>,
}

impl FiniteAmount {
    /// This number of messages, the last posted at `last_posting`, or by a completion after it.
    pub(crate) const fn counted(messages: u64, last_posting: Time) -> Self {
        Self { messages: Some(messages), last_posting, loop_stop: None }
    }

    /// As many messages as completions allow until a stop.
    pub(crate) const fn until(stop: Time) -> Self {
        Self { messages: None, last_posting: stop, loop_stop: None }
    }

    /// As many messages as completions allow from `start` until a stop, unless their number ends the loop before.
    pub(crate) const fn counted_until(start: Time, stop: Time) -> Self {
        Self { messages: None, last_posting: start, loop_stop: Some(stop) }
    }

    /// The amount of traffic that would go on posting after the end of the run.
    pub(crate) const fn beyond_the_run() -> Self {
        Self::until(Time::NEVER)
    }

    /// Returns the time from which a closed loop posts no further message; [`Time::NEVER`] if only their number ends
    /// it.
    pub(crate) const fn loop_end(self) -> Time {
        match (self.loop_stop, self.messages) {
            (Some(stop), _) => stop,
            (None, Some(_)) => Time::NEVER,
            (None, None) => self.last_posting,
        }
    }

    /// The messages of a flow with a schedule.
    pub(crate) fn of(schedule: &MessageSchedule) -> Self {
        let messages = schedule.volume(Time::NEVER).messages;
        match schedule {
            MessageSchedule::Saturate { stop, .. } => Self::until(*stop),
            MessageSchedule::Paced { .. } | MessageSchedule::Listed(_) => {
                Self::counted(messages, schedule.last())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use units::Rate;

    use super::*;
    use crate::flow::ListedMessage;
    use crate::run::MessageGenerator;

    /// A generator that is asked for all messages before the end posts as many as are expected.
    #[test]
    fn as_many_are_expected_as_a_generator_posts() {
        let at = Time::from_ps;
        let listed = |ps, n| ListedMessage { at: at(ps), bytes: Bytes::new(n) };
        let (message, start) = (Bytes::new(1000), at(7));
        for schedule in [
            MessageSchedule::Saturate { outstanding: 9, message, start, stop: Time::NEVER },
            MessageSchedule::Saturate { outstanding: 9, message, start: at(5_000_000), stop: Time::NEVER },
            MessageSchedule::Paced { message, rate: Rate::gbps(3), start, stop: Time::NEVER },
            MessageSchedule::Paced { message, rate: Rate::gbps(8), start, stop: at(2_000_007) },
            MessageSchedule::Listed(
                [listed(5, 10), listed(5, 20), listed(4_000_000, 30), listed(9_000_000, 1)].into(),
            ),
        ] {
            let end = at(5_000_000);
            let mut generator = MessageGenerator::new(&schedule);
            let mut posted = Vec::new();
            while generator.deadline() < end {
                posted.extend(generator.on_deadline(generator.deadline()));
            }
            let volume = schedule.volume(end);
            assert_eq!(volume.messages, posted.len() as u64, "{schedule:?}");
            assert_eq!(volume.payload, posted.into_iter().sum(), "{schedule:?}");
        }
    }
}
