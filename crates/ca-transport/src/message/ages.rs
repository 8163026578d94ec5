//! Ages of messages, for adapters that serve the oldest message first.
//!
//! Invariant: a message of an adapter has a lower age than all messages posted after it.

use super::MessageKey;

/// Ages of messages: their numbers in the order of posting.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageAges {
    /// By slot. A completed message leaves its age behind until another message takes its slot.
    posted: Vec<u64>,
    count: u64,
}

impl MessageAges {
    /// Notes that a message is posted.
    pub(crate) fn posted(&mut self, key: MessageKey) {
        self.count += 1;
        self.set(key, self.count);
    }

    /// Returns the age of a message that is posted.
    pub(crate) fn of_posted(&self, key: MessageKey) -> u64 {
        self.posted[key.index()]
    }

    /// Returns the age given last.
    pub(crate) const fn last(&self) -> u64 {
        self.count
    }

    /// Replaces all ages by `ages`. `last` is the age that was given last.
    pub(crate) fn restore(&mut self, ages: impl Iterator<Item = (MessageKey, u64)>, last: u64) {
        *self = Self { posted: Vec::new(), count: last };
        ages.for_each(|(key, age)| self.set(key, age));
    }

    /// Returns the age of a message. A packet of no message posted here, such as the response to a READ, gets a new
    /// age.
    pub(crate) fn of(&mut self, key: Option<MessageKey>) -> u64 {
        match key {
            Some(key) => self.posted[key.index()],
            None => {
                self.count += 1;
                self.count
            }
        }
    }

    fn set(&mut self, key: MessageKey, age: u64) {
        if self.posted.len() <= key.index() {
            self.posted.resize(key.index() + 1, 0);
        }
        self.posted[key.index()] = age;
    }
}

#[cfg(test)]
mod tests {
    use packet::{Mtu, QpNumber};
    use units::Bytes;
    use workload::Operation;

    use super::*;
    use crate::message::{Message, Messages};

    #[test]
    fn what_was_posted_first_is_older() {
        let (mut messages, mut ages) = (Messages::default(), MessageAges::default());
        let message = Message::new(QpNumber(0), Operation::Send, Bytes::new(1), Mtu::K1);
        let keys = [0; 3].map(|_| messages.insert(message));
        ages.posted(keys[2]);
        ages.posted(keys[0]);
        let response = ages.of(None);
        ages.posted(keys[1]);
        let order =
            [ages.of(Some(keys[2])), ages.of(Some(keys[0])), response, ages.of(Some(keys[1])), ages.of(None)];
        assert!(order.is_sorted_by(|older, newer| older < newer), "{order:?}");
        assert_eq!(ages.of(Some(keys[0])), order[1], "a message keeps its age");
    }
}
