//! Messages are posted to queue pairs, by generators and host traffic.
//!
//! Invariant: a message is posted in the instant in which it is due, or in which the message before it completes.

use link_layer::NodeContext;
use packet::{Packet, QpNumber};
use units::{Bytes, Time};
use workload::job::HostJobs;

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
            MessageSource::Peer | MessageSource::JobLink(_) | MessageSource::JobSink(_) => return,
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
        let operation = self.queue_pairs[number.index()].end.operation;
        self.post_message(Message::new(number, operation, bytes, self.config.rule.mtu), bytes, now);
    }

    fn post_message(&mut self, message: Message, bytes: Bytes, now: Time) {
        let number = message.queue_pair;
        if let Some(log) = &mut self.log {
            log.posted.push((number, now, bytes));
        }
        let queue_pair = &self.queue_pairs[number.index()];
        self.finite.posted += u64::from(queue_pair.end.finite);
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
            MessageSource::Peer | MessageSource::JobSink(_) => {}
            MessageSource::JobLink(link) => {
                for _ in 0..completed.messages {
                    self.with_jobs(now, |jobs| jobs.on_completed(link, now));
                }
            }
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

    /// Handles starts and computations of ranks that are due.
    pub(super) fn computed(&mut self, now: Time) {
        if let Some(of_jobs) = &mut self.jobs {
            of_jobs.timer.clear_if_due(now);
            self.with_jobs(now, |jobs| jobs.on_deadline(now));
        }
    }

    /// Handles the arrival of a message of a job with the immediate data of its last packet.
    #[cold]
    pub(super) fn arrived(&mut self, last: &Packet, now: Time) {
        let number = last.bth.destination_qp;
        let MessageSource::JobSink(sink) = self.queue_pairs[number.index()].origin else {
            unreachable!("only messages of jobs have immediate data, not those of queue pair {number:?}")
        };
        let message = (last.dma_length, last.injected);
        self.with_jobs(now, |jobs| jobs.on_arrived(sink, message, now));
    }

    /// Lets ranks of jobs go on, and posts the messages that they are to send then.
    pub(super) fn with_jobs(&mut self, now: Time, go_on: impl FnOnce(&mut HostJobs)) {
        if self.silent {
            return;
        }
        let Some(mut of_jobs) = self.jobs.take() else { return };
        go_on(&mut of_jobs.jobs);
        let posts = of_jobs.jobs.take_posts();
        for post in &posts {
            let number = of_jobs.queue_pairs[post.link as usize];
            let operation = self.queue_pairs[number.index()].end.operation;
            let message = Message::new(number, operation, post.bytes, self.config.rule.mtu);
            self.post_message(message.with_immediate(post.immediate), post.bytes, now);
            self.offer(self.queue_pairs[number.index()].endpoint, now);
        }
        of_jobs.jobs.return_posts(posts);
        self.jobs = Some(of_jobs);
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
