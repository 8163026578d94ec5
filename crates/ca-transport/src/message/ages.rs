//! Ages of messages, for adapters that serve the oldest message first.
//!
//! Invariant: of two messages of an adapter, the one that was posted first has the lower age.

use slotmap::SecondaryMap;

use super::MessageKey;

/// Ages of messages: their numbers in the order of posting.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageAges {
    /// A completed message leaves its age behind until another message takes its slot.
    posted: SecondaryMap<MessageKey, u64>,
    count: u64,
}

impl MessageAges {
    /// Notes that a message is posted.
    pub(crate) fn posted(&mut self, key: MessageKey) {
        self.count += 1;
        self.posted.insert(key, self.count);
    }

    /// Returns the age of a message. A packet of no message posted here, such as the response to a READ, gets a new
    /// age.
    pub(crate) fn of(&mut self, key: Option<MessageKey>) -> u64 {
        match key {
            Some(key) => self.posted[key],
            None => {
                self.count += 1;
                self.count
            }
        }
    }
}
