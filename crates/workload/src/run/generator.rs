//! The messages of a flow, as its schedule brings them during the run.
//!
//! Invariant: [`MessageGenerator::deadline`] is the time of the next message that time alone brings. It moves only when
//! [`MessageGenerator::on_deadline`] returns that message. Messages that completions bring have no deadline.
//!
//! | posting | deadline brings | completion brings |
//! |---|---|---|
//! | saturate | the first `outstanding` messages, all at the start | the next message, before the stop |
//! | paced | each message | nothing |
//! | listed | each message | nothing |
//!
//! Messages that are drawn during the run come from [`HostTraffic`](crate::HostTraffic) instead.

use std::sync::Arc;

use units::{Bytes, Rate, Time};

use crate::flow::{ListedMessage, MessageSchedule, paced};

/// Posts the messages of a flow. It allocates nothing after [`MessageGenerator::new`].
///
/// ```
/// # use units::{Bytes, Rate, Time};
/// # use workload::{MessageGenerator, MessageSchedule};
/// let (message, rate, start, stop) = (Bytes::kib(1), Rate::gbps(8), Time::ZERO, Time::NEVER);
/// let mut generator = MessageGenerator::new(&MessageSchedule::Paced { message, rate, start, stop });
/// let now = generator.deadline();
/// assert_eq!(generator.on_deadline(now), Some(Bytes::kib(1)));
/// assert_eq!(generator.deadline(), Time::from_ps(1_024_000));
/// ```
#[derive(Clone, Debug)]
pub struct MessageGenerator {
    deadline: Time,
    state: GeneratorState,
}

state_codec::state!(MessageGenerator { deadline, state: part });

#[derive(Clone, Debug)]
enum GeneratorState {
    Saturate { message: Bytes, stop: Time, at_start: u32 },
    Paced { message: Bytes, rate: Rate, start: Time, stop: Time, posted: u64 },
    Listed { messages: Arc<[ListedMessage]>, next: usize },
}

state_codec::state!(enum GeneratorState {
    0 = Saturate { message: plan, stop: plan, at_start },
    1 = Paced { message: plan, rate: plan, start: plan, stop: plan, posted },
    2 = Listed { messages: plan, next },
});

const _: () = assert!(size_of::<MessageGenerator>() <= 64, "a generator is at most one cache line");

impl MessageGenerator {
    /// Creates the generator of a flow that has posted nothing yet.
    #[must_use]
    pub fn new(schedule: &MessageSchedule) -> Self {
        let state = match schedule {
            MessageSchedule::Saturate { outstanding, message, stop, .. } => {
                GeneratorState::Saturate { message: *message, stop: *stop, at_start: *outstanding }
            }
            MessageSchedule::Paced { message, rate, start, stop } => GeneratorState::Paced {
                message: *message,
                rate: *rate,
                start: *start,
                stop: *stop,
                posted: 0,
            },
            MessageSchedule::Listed(messages) => {
                GeneratorState::Listed { messages: Arc::clone(messages), next: 0 }
            }
        };
        // A flow that would start at its stop or later posts nothing at all.
        let start = schedule.start();
        Self { deadline: if start < schedule.stop() { start } else { Time::NEVER }, state }
    }

    /// Time at which [`on_deadline`](Self::on_deadline) has to be called; [`Time::NEVER`] if no message is scheduled.
    #[must_use]
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// Returns the payload of a message to post, if any is due. The caller repeats the call while the deadline is not
    /// later than `now`; a call before the deadline does nothing.
    pub fn on_deadline(&mut self, now: Time) -> Option<Bytes> {
        if now < self.deadline || self.deadline == Time::NEVER {
            return None;
        }
        match &mut self.state {
            GeneratorState::Saturate { message, at_start, .. } => {
                *at_start -= 1;
                if *at_start == 0 {
                    self.deadline = Time::NEVER;
                }
                Some(*message)
            }
            GeneratorState::Paced { message, rate, start, stop, posted } => {
                *posted += 1;
                let next = paced(*start, *posted, *message, *rate);
                self.deadline = if next < *stop { next } else { Time::NEVER };
                Some(*message)
            }
            GeneratorState::Listed { messages, next } => {
                let bytes = messages[*next].bytes;
                *next += 1;
                self.deadline = messages.get(*next).map_or(Time::NEVER, |message| message.at);
                Some(bytes)
            }
        }
    }

    /// Returns true if further messages are to come: by time, or, before the stop, by completions.
    #[must_use]
    pub fn posts_more(&self, now: Time) -> bool {
        let saturates = matches!(self.state, GeneratorState::Saturate { stop, .. } if now < stop);
        saturates || self.deadline != Time::NEVER
    }

    /// Handles the completion of a message. Returns the payload of the message to post in its place, if any.
    pub fn on_completed(&mut self, now: Time) -> Option<Bytes> {
        match &self.state {
            GeneratorState::Saturate { message, stop, .. } => (now < *stop).then_some(*message),
            GeneratorState::Paced { .. } | GeneratorState::Listed { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KIB: Bytes = Bytes::kib(1);

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    /// Returns all messages that are due at `now`.
    fn due(generator: &mut MessageGenerator, now: Time) -> Vec<Bytes> {
        let mut messages = Vec::new();
        while generator.deadline() <= now {
            messages.push(generator.on_deadline(now).expect("a message is due"));
        }
        messages
    }

    #[test]
    fn saturation_keeps_messages_outstanding_until_it_stops() {
        let mut p = MessageGenerator::new(&MessageSchedule::Saturate {
            outstanding: 3,
            message: KIB,
            start: at(10),
            stop: at(50),
        });
        assert_eq!(p.deadline(), at(10));
        assert_eq!(p.on_deadline(at(9)), None);
        assert_eq!(due(&mut p, at(10)), [KIB; 3]);
        assert_eq!(p.deadline(), Time::NEVER);
        assert_eq!(p.on_deadline(at(20)), None);
        assert_eq!(p.on_completed(at(49)), Some(KIB));
        assert_eq!(p.on_completed(at(50)), None);
        assert_eq!([49, 50].map(|now| p.posts_more(at(now))), [true, false]);
        assert_eq!(p.deadline(), Time::NEVER);
    }

    #[test]
    fn a_flow_that_stops_at_its_start_posts_nothing() {
        let p = MessageGenerator::new(&MessageSchedule::Saturate {
            outstanding: 3,
            message: KIB,
            start: at(10),
            stop: at(10),
        });
        assert_eq!(p.deadline(), Time::NEVER);
    }

    #[test]
    fn a_list_is_posted_in_order_and_once() {
        let post = |ps, n| ListedMessage { at: at(ps), bytes: Bytes::new(n) };
        let mut p =
            MessageGenerator::new(&MessageSchedule::Listed([post(5, 1), post(5, 2), post(9, 3)].into()));
        assert_eq!(due(&mut p, at(5)), [Bytes::new(1), Bytes::new(2)]);
        assert_eq!((p.deadline(), p.on_completed(at(6))), (at(9), None));
        assert!(p.posts_more(at(6)));
        assert_eq!(due(&mut p, at(9)), [Bytes::new(3)]);
        assert!(!p.posts_more(at(9)));
        assert_eq!((p.deadline(), p.on_deadline(at(99))), (Time::NEVER, None));
        assert_eq!(MessageGenerator::new(&MessageSchedule::Listed([].into())).deadline(), Time::NEVER);
    }

    #[test]
    fn paced_messages_do_not_drift() {
        // 8,192 bits at 3 Gb/s take 2,730,666.67 ps: a rounded interval would be 333,333 ps off in the end.
        let rate = Rate::gbps(3);
        let mut p = MessageGenerator::new(&MessageSchedule::Paced {
            message: KIB,
            rate,
            start: at(7),
            stop: Time::NEVER,
        });
        for _ in 0..1_000_000 {
            let now = p.deadline();
            assert_eq!(p.on_deadline(now), Some(KIB));
        }
        assert_eq!(p.deadline(), at(7 + 8_192_000_000_000 / 3 + 1));
        assert_eq!(p.on_completed(p.deadline()), None);
    }

    #[test]
    fn pacing_ends_at_the_stop_or_the_end_of_the_clock() {
        let paced = |rate, stop| {
            MessageGenerator::new(&MessageSchedule::Paced { message: KIB, rate, start: at(0), stop })
        };
        let mut p = paced(Rate::gbps(8), at(2 * 1_024_000));
        assert_eq!(due(&mut p, at(u64::MAX - 1)), [KIB; 2]);
        let mut p = paced(Rate::bps(1), Time::NEVER);
        assert_eq!(due(&mut p, at(u64::MAX - 1)).len(), 1 + 18_446_744 / 8_192);
    }

    proptest! {
        /// Message k is posted no earlier than k messages at the exact rate, and less than 1 ps later.
        #[test]
        fn pacing_is_exact(message in 1..1u64 << 31, rate in 1..1u64 << 40, k in 0..1u64 << 20, start: u32) {
            let posted = paced(at(start.into()), k, Bytes::new(message), Rate::bps(rate));
            let exact = u128::from(k) * u128::from(message) * 8_000_000_000_000;
            if posted != Time::NEVER {
                let scaled = u128::from(posted.ps() - u64::from(start)) * u128::from(rate);
                prop_assert!(scaled >= exact && scaled - exact < u128::from(rate));
            }
        }
    }
}
