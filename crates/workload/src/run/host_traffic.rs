//! The messages that a host posts to several others, drawn during the run.
//!
//! Invariant: messages and their order follow from the host's own streams alone. Memory does not grow with the number
//! of messages, except for messages posted at once at the start.
//!
//! | kind | at the start | then |
//! |---|---|---|
//! | timed | nothing | each message at the time that is drawn for it |
//! | closed loop | the messages that may be outstanding | the next message when another is complete |
//! | at once | all messages | nothing |
//!
//! Host traffic spans several queue pairs of an adapter. The time at which a closed loop posts a message depends on
//! the run. The choice of the next message never does, so two designs meet the same traffic.

use std::sync::Arc;

use units::{Bytes, Time};

use crate::draw::{DrawnMessage, MessageSequence, PostingPeriod, TimedMessages};
use crate::volume::{FiniteAmount, PostedVolume};

/// Posts the messages of several flows of a host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostTraffic {
    /// Hosts that the flows lead to, ascending: flow by flow in the order of the workload.
    to: Arc<[u32]>,
    period: PostingPeriod,
    /// Messages posted at the start, in the order of the flows.
    first: Arc<[Post]>,
    /// Number of messages in `first` that have been posted.
    begun: u32,
    after_start: AfterStart,
    volume: PostedVolume,
    finite: Option<FiniteAmount>,
}

state_codec::state!(HostTraffic {
    to: plan,
    period: plan,
    first: plan,
    begun,
    after_start: part,
    volume: plan,
    finite: plan,
});

/// A message to post, and the flow that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// Index of the flow among the flows of the host traffic, in the order of the workload.
    pub flow: u32,
    /// Payload.
    pub bytes: Bytes,
}

state_codec::value!(Post { flow, bytes });

/// Messages that follow the messages of the start.
#[derive(Clone, Debug, PartialEq)]
enum AfterStart {
    Nothing,
    Timed {
        messages: TimedMessages,
        next: Option<(Time, Post)>,
    },
    Closed {
        sequence: MessageSequence,
        /// Number of messages that remain to be drawn.
        remaining: u64,
    },
}

state_codec::state!(enum AfterStart {
    0 = Nothing,
    1 = Timed { messages: part, next },
    2 = Closed { sequence: part, remaining },
});

impl HostTraffic {
    /// Creates traffic that posts messages at their times, to these hosts in ascending order. `volume` is the amount
    /// of messages before the end of the run.
    pub(crate) fn timed(to: Arc<[u32]>, messages: TimedMessages, volume: PostedVolume) -> Self {
        let after_start = AfterStart::Timed { messages, next: None };
        let period = PostingPeriod { start: Time::ZERO, stop: Time::NEVER };
        let mut traffic =
            Self { to, period, first: Arc::new([]), begun: 0, after_start, volume, finite: None };
        traffic.draw();
        traffic
    }

    /// Creates traffic that posts these messages at the start, and no more.
    pub(crate) fn at_once(to: Arc<[u32]>, messages: impl Iterator<Item = (u32, Bytes)>, start: Time) -> Self {
        let first = in_order_of_flows(&to, messages);
        let period = PostingPeriod { start, stop: Time::NEVER };
        let volume = volume_of(&first);
        Self { to, period, first, begun: 0, after_start: AfterStart::Nothing, volume, finite: None }
    }

    /// Creates traffic that posts the first `outstanding` of `messages` messages at the start, and the next message
    /// whenever another is complete.
    pub(crate) fn closed(
        to: Arc<[u32]>,
        mut sequence: MessageSequence,
        messages: u64,
        outstanding: u32,
        period: PostingPeriod,
    ) -> Self {
        let count = u32::try_from(messages).map_or(outstanding, |messages| messages.min(outstanding));
        let first = in_order_of_flows(&to, sequence.by_ref().take(count as usize));
        let remaining = messages - first.len() as u64;
        let after_start = AfterStart::Closed { sequence, remaining };
        let volume =
            PostedVolume { replaced: true, to_come: remaining, until: period.stop, ..volume_of(&first) };
        Self { to, period, first, begun: 0, after_start, volume, finite: None }
    }

    /// Sets the amount of messages, of traffic that ends by itself.
    pub(crate) fn ending(self, finite: Option<FiniteAmount>) -> Self {
        Self { finite, ..self }
    }

    pub(crate) const fn finite(&self) -> Option<FiniteAmount> {
        self.finite
    }

    /// Returns the messages of a closed loop that completions are to bring yet, if the loop ends by itself. Returns 0
    /// for other traffic.
    #[must_use]
    pub fn to_come(&self, now: Time) -> u64 {
        match (&self.after_start, self.finite) {
            (AfterStart::Closed { remaining, .. }, Some(finite)) if now < finite.loop_end() => *remaining,
            _ => 0,
        }
    }

    /// Returns the messages that are posted before the end of the run, besides messages that replace others.
    #[must_use]
    pub const fn volume(&self) -> PostedVolume {
        self.volume
    }

    /// Number of flows.
    #[must_use]
    pub fn flows(&self) -> usize {
        self.to.len()
    }

    /// Time at which [`on_deadline`](Self::on_deadline) has to be called, and the flow that it will post to; `None` if
    /// no message comes by time alone.
    #[must_use]
    pub fn deadline(&self) -> Option<(Time, u32)> {
        if let Some(post) = self.first.get(self.begun as usize) {
            let PostingPeriod { start, stop } = self.period;
            return (start < stop).then_some((start, post.flow));
        }
        match &self.after_start {
            AfterStart::Timed { next, .. } => next.map(|(at, post)| (at, post.flow)),
            AfterStart::Nothing | AfterStart::Closed { .. } => None,
        }
    }

    /// Returns a message to post, if any is due. The caller repeats the call while the deadline is not later than
    /// `now`; a call before the deadline does nothing.
    pub fn on_deadline(&mut self, now: Time) -> Option<Post> {
        self.deadline().filter(|(due, _)| *due <= now)?;
        if let Some(post) = self.first.get(self.begun as usize) {
            self.begun += 1;
            return Some(*post);
        }
        match self.after_start {
            AfterStart::Timed { next, .. } => {
                self.draw();
                next.map(|(_, post)| post)
            }
            AfterStart::Nothing | AfterStart::Closed { .. } => None,
        }
    }

    /// Handles the completion of a message of the flows. Returns the message to post in its place, if any.
    pub fn on_completed(&mut self, now: Time) -> Option<Post> {
        match &mut self.after_start {
            AfterStart::Closed { sequence, remaining } if now < self.period.stop && *remaining > 0 => {
                *remaining -= 1;
                sequence.next().map(|message| post(&self.to, message))
            }
            AfterStart::Nothing | AfterStart::Timed { .. } | AfterStart::Closed { .. } => None,
        }
    }

    fn draw(&mut self) {
        if let AfterStart::Timed { messages, next } = &mut self.after_start {
            let drawn = |DrawnMessage { at, to, bytes }| (at, post(&self.to, (to, bytes)));
            *next = messages.next().map(drawn);
        }
    }
}

/// Returns the amount of messages posted at the start.
fn volume_of(first: &[Post]) -> PostedVolume {
    let messages = first.len() as u64;
    let payload = first.iter().map(|post| post.bytes).sum();
    PostedVolume { messages, payload, at_once: messages, ..PostedVolume::default() }
}

/// Returns the posts of these messages, flow by flow.
fn in_order_of_flows(to: &[u32], messages: impl Iterator<Item = (u32, Bytes)>) -> Arc<[Post]> {
    let mut posts: Vec<Post> = messages.map(|message| post(to, message)).collect();
    // The sort is stable: messages of a flow keep the order in which they were drawn.
    posts.sort_by_key(|post| post.flow);
    posts.into()
}

/// Returns the post of a message to a host that the traffic leads to.
fn post(to: &[u32], (host, bytes): (u32, Bytes)) -> Post {
    let flow = to.binary_search(&host).expect("a forecast names every host that messages are drawn for");
    Post { flow: flow as u32, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posted(flow: u32, n: u64) -> Post {
        Post { flow, bytes: Bytes::new(n) }
    }

    #[test]
    fn messages_posted_at_once_are_in_the_order_of_the_flows() {
        let at = Time::from_ps;
        let messages = [(8, 10), (3, 20), (8, 30)].map(|(to, n)| (to, Bytes::new(n)));
        let mut traffic = HostTraffic::at_once([3, 8].into(), messages.into_iter(), at(5));
        assert_eq!(traffic.deadline(), Some((at(5), 0)));
        assert_eq!(traffic.on_deadline(at(4)), None);
        let all: Vec<_> = core::iter::from_fn(|| traffic.on_deadline(at(5))).collect();
        assert_eq!(all, [posted(0, 20), posted(1, 10), posted(1, 30)]);
        assert_eq!((traffic.deadline(), traffic.on_completed(at(6))), (None, None));
    }
}
