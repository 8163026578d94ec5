//! The messages that one host posts to several others, drawn while the run goes on.
//!
//! Invariant: what is posted, and in which order, follows from the host's own streams alone; memory does not grow
//! with the number of messages, but for those posted at once at the start.
//!
//! | kind | at the start | then |
//! |---|---|---|
//! | timed | nothing | each message at the time that is drawn for it |
//! | closed loop | as many as may be outstanding | the next message when one is complete |
//! | at once | all | nothing |
//!
//! Host traffic spans several queue pairs of one adapter. So that two designs meet the same traffic, when a message is
//! posted may depend on the run, but never which message is next.

use std::sync::Arc;

use units::{Bytes, Time};

use crate::draws::{Draws, Message, Order};

/// Posts the messages of several flows of one host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostTraffic {
    /// The hosts that its flows lead to, ascending: flow by flow in the order of the workload.
    to: Arc<[u32]>,
    start: Time,
    stop: Time,
    /// Posted at the start, in the order of the flows.
    first: Arc<[Post]>,
    /// How many of them have been.
    begun: u32,
    then: Then,
}

/// A message, and which of the host's flows it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// Its place among the host's flows, in the order of the workload.
    pub flow: u32,
    /// Its payload.
    pub bytes: Bytes,
}

/// What follows the start.
#[derive(Clone, Debug, PartialEq)]
enum Then {
    Nothing,
    Timed {
        draws: Draws,
        next: Option<(Time, Post)>,
    },
    Closed {
        order: Order,
        /// How many messages are still to be drawn.
        left: u64,
    },
}

impl HostTraffic {
    /// Posts at the times that are drawn, to these hosts in ascending order.
    pub(crate) fn timed(to: Arc<[u32]>, draws: Draws) -> Self {
        let then = Then::Timed { draws, next: None };
        let (start, stop) = (Time::ZERO, Time::NEVER);
        let mut traffic = Self { to, start, stop, first: Arc::new([]), begun: 0, then };
        traffic.draw();
        traffic
    }

    /// Posts these at the start, and no more.
    pub(crate) fn at_once(to: Arc<[u32]>, messages: impl Iterator<Item = (u32, Bytes)>, start: Time) -> Self {
        let mut first: Vec<Post> = messages.map(|message| post(&to, message)).collect();
        first.sort_by_key(|post| post.flow);
        Self { to, start, stop: Time::NEVER, first: first.into(), begun: 0, then: Then::Nothing }
    }

    /// Posts the first `outstanding` of `messages` at the start, and each further one when one is complete.
    pub(crate) fn closed(
        to: Arc<[u32]>,
        mut order: Order,
        messages: u64,
        outstanding: u32,
        (start, stop): (Time, Time),
    ) -> Self {
        let first = u64::from(outstanding).min(messages);
        let mut first: Vec<Post> =
            order.by_ref().take(first as usize).map(|message| post(&to, message)).collect();
        first.sort_by_key(|post| post.flow);
        let then = Then::Closed { order, left: messages - first.len() as u64 };
        Self { to, start, stop, first: first.into(), begun: 0, then }
    }

    /// How many flows it posts to.
    #[must_use]
    pub fn flows(&self) -> usize {
        self.to.len()
    }

    /// When [`on_deadline`](Self::on_deadline) is to be called, and the place of the flow that it will post to; nothing
    /// if no message is to come by time alone.
    #[must_use]
    pub fn deadline(&self) -> Option<(Time, u32)> {
        if let Some(post) = self.first.get(self.begun as usize) {
            return (self.start < self.stop).then_some((self.start, post.flow));
        }
        match &self.then {
            Then::Timed { next, .. } => next.map(|(at, post)| (at, post.flow)),
            Then::Nothing | Then::Closed { .. } => None,
        }
    }

    /// A message to post, if one is due. To be called again while the deadline is not later than `now`; a call
    /// before it does nothing.
    pub fn on_deadline(&mut self, now: Time) -> Option<Post> {
        self.deadline().filter(|(due, _)| *due <= now)?;
        if let Some(post) = self.first.get(self.begun as usize) {
            self.begun += 1;
            return Some(*post);
        }
        match self.then {
            Then::Timed { next, .. } => {
                self.draw();
                next.map(|(_, post)| post)
            }
            Then::Nothing | Then::Closed { .. } => None,
        }
    }

    /// Told that a message of one of its flows is complete: the message to post in its place, if any.
    pub fn on_completed(&mut self, now: Time) -> Option<Post> {
        match &mut self.then {
            Then::Closed { order, left } if now < self.stop && *left > 0 => {
                *left -= 1;
                order.next().map(|message| post(&self.to, message))
            }
            _ => None,
        }
    }

    fn draw(&mut self) {
        if let Then::Timed { draws, next } = &mut self.then {
            let drawn = |Message { at, to, bytes }| (at, post(&self.to, (to, bytes)));
            *next = draws.next().map(drawn);
        }
    }
}

/// Returns the post of a message for one of the hosts that the traffic leads to.
fn post(to: &[u32], (host, bytes): (u32, Bytes)) -> Post {
    Post { flow: to.binary_search(&host).expect("all hosts that are drawn have been foreseen") as u32, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posted(flow: u32, n: u64) -> Post {
        Post { flow, bytes: Bytes::new(n) }
    }

    #[test]
    fn what_is_posted_at_once_comes_in_the_order_of_the_flows() {
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
