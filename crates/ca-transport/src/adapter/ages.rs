//! How old messages are, for adapters that serve the oldest first.
//!
//! Invariant: of two messages of an adapter, the one that was posted before the other has the lower age.

use slotmap::SecondaryMap;

use crate::message::MessageKey;

/// The ages of messages, which count them.
#[derive(Clone, Debug, Default)]
pub(super) struct Ages {
    /// A message that is complete leaves its age behind, until its place is taken by another.
    posted: SecondaryMap<MessageKey, u64>,
    count: u64,
}

impl Ages {
    /// A message is posted.
    pub(super) fn posted(&mut self, key: MessageKey) {
        self.count += 1;
        self.posted.insert(key, self.count);
    }

    /// The age of a message, or that of what was not posted here and is new: a READ that is asked for.
    pub(super) fn of(&mut self, key: Option<MessageKey>) -> u64 {
        match key {
            Some(key) => self.posted[key],
            None => {
                self.count += 1;
                self.count
            }
        }
    }
}
