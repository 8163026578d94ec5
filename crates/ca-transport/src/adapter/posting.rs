//! Messages are posted to queue pairs, by generators and host traffic.
//!
//! Invariant: a message is posted in the instant in which it is due, or in which the message before it completes.

use link_layer::NodeContext;
use packet::QpNumber;
use units::{Bytes, Time};

use super::Adapter;
use super::queue_pair::{MessageSource, SharedTraffic};
use super::setup::AdapterTimer;
use crate::endpoint::{CompletedMessages, Endpoint};
use crate::message::Message;

impl Adapter {
    /// Posts the messages that are due for a queue pair, and sets the timer of the next message of the same origin.
    pub(super) fn post_due(&mut self, number: QpNumber, context: &mut impl NodeContext<AdapterTimer>) {
        let now = context.now();
        if self.silent {
            return;
        }
        let next = match self.queue_pairs[number.index()].origin {
            MessageSource::Peer => return,
            MessageSource::Generator(generator) => {
                while self.generators[generator as usize].deadline() <= now {
                    if let Some(bytes) = self.generators[generator as usize].on_deadline(now) {
                        self.post(number, bytes, now);
                    }
                }
                let due = self.generators[generator as usize].deadline();
                (due != Time::NEVER).then_some((due, number))
            }
            MessageSource::HostTraffic(shared) => loop {
                let SharedTraffic { traffic, queue_pairs } = &mut self.shared_traffic[shared as usize];
                let next = traffic.deadline().map(|(due, flow)| (due, queue_pairs[flow as usize]));
                // Timers belong to queue pairs, and messages due at the same instant are posted in the order of
                // timers. A message for another queue pair waits for that queue pair's timer.
                if next.is_none_or(|(due, to)| due > now || to != number) {
                    break next;
                }
                let post = traffic.on_deadline(now).expect("its deadline has come");
                self.post(number, post.bytes, now);
            },
        };
        if let Some((due, next)) = next {
            context.set_timer(due, AdapterTimer::Post(next));
        }
        self.offer(self.queue_pairs[number.index()].endpoint, now);
    }

    fn post(&mut self, number: QpNumber, bytes: Bytes, now: Time) {
        if let Some(log) = &mut self.log {
            log.posted.push((number, now, bytes));
        }
        let queue_pair = &self.queue_pairs[number.index()];
        self.finite.posted += u64::from(queue_pair.end.finite);
        let message = Message::new(number, queue_pair.end.operation, bytes, self.config.rule.mtu);
        let key = self.messages.insert(message);
        if let Some(ages) = &mut self.ages {
            ages.posted(key);
        }
        self.endpoints[queue_pair.endpoint as usize].endpoint.post(key, &mut self.messages);
    }

    /// Counts completed messages of a queue pair, and posts the messages that waited for them.
    pub(super) fn completed(&mut self, completed: CompletedMessages, now: Time) {
        if completed.messages == 0 {
            return;
        }
        let queue_pair = &mut self.queue_pairs[completed.queue_pair.index()];
        queue_pair.messages += u64::from(completed.messages);
        // A sender of an unreliable service learns nothing of the delivery: its completions say only that packets
        // left.
        if let Some(log) = self.log.as_mut().filter(|_| queue_pair.end.transport.is_reliable()) {
            log.acknowledged.extend((0..completed.messages).map(|_| (completed.queue_pair, now)));
        }
        if self.silent {
            return;
        }
        match queue_pair.origin {
            MessageSource::Peer => {}
            MessageSource::Generator(generator) => {
                for _ in 0..completed.messages {
                    if let Some(bytes) = self.generators[generator as usize].on_completed(now) {
                        self.post(completed.queue_pair, bytes, now);
                    }
                }
            }
            MessageSource::HostTraffic(shared) => {
                for _ in 0..completed.messages {
                    self.post_next(shared, now);
                }
            }
        }
    }

    /// Posts the next message of a closed loop, on the queue pair that the traffic names.
    fn post_next(&mut self, shared: u32, now: Time) {
        let SharedTraffic { traffic, queue_pairs } = &mut self.shared_traffic[shared as usize];
        let Some(post) = traffic.on_completed(now) else { return };
        let next = queue_pairs[post.flow as usize];
        self.post(next, post.bytes, now);
        self.offer(self.queue_pairs[next.index()].endpoint, now);
    }
}
