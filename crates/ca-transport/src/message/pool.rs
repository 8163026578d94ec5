//! The messages of an adapter, in a dense table.
//!
//! Invariant: a freed slot is used next, so the table has as many slots as messages were ever posted at once. A slot
//! without a message ends at packet 0, as no message does.

use core::num::NonZeroU32;
use core::ops::{Index, IndexMut};

use packet::{Mtu, QpNumber};
use prefetch::prefetch_all;
use state_codec::{StateError, StateReader, StateWriter, Value};
use units::Bytes;
use workload::Operation;

use super::Message;

/// A message of an adapter: its slot in the adapter's [`Messages`], counted from 1. Without a meaning once the
/// message is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageKey(NonZeroU32);

const _: () = assert!(size_of::<Option<MessageKey>>() == 4, "endpoints and messages hold several");

/// A message is saved as its number in the order in which the adapter's endpoints mention it: keys depend on messages
/// of the past.
impl Value for MessageKey {
    fn put(&self, to: &mut StateWriter) {
        to.message(self.saved());
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        from.message().map(Self::from_saved)
    }
}

/// All messages of an adapter's queue pairs.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    slots: Vec<Message>,
    /// First slot without a message; the others follow it by `next`.
    free: Option<MessageKey>,
    len: usize,
}

impl Messages {
    /// Prefetches a message.
    #[inline]
    pub fn prefetch(&self, key: MessageKey) {
        if let Some(message) = self.slots.get(key.index()) {
            prefetch_all(message);
        }
    }

    /// Stores a message and returns its key.
    ///
    /// # Panics
    /// If there are 2^32 messages already.
    #[inline]
    pub fn insert(&mut self, message: Message) -> MessageKey {
        self.len += 1;
        if let Some(key) = self.free {
            self.free = self.slots[key.index()].next;
            self.slots[key.index()] = message;
            return key;
        }
        self.slots.push(message);
        let slot = u32::try_from(self.slots.len()).ok().and_then(NonZeroU32::new);
        MessageKey(slot.expect("fewer than 2^32 messages of an adapter"))
    }

    /// Removes a complete message.
    #[inline]
    pub fn remove(&mut self, key: MessageKey) {
        let slot = &mut self.slots[key.index()];
        debug_assert!(slot.end > 0, "a message is removed once");
        *slot = Message { next: self.free, ..VACANT };
        self.free = Some(key);
        self.len -= 1;
    }

    /// Removes all messages.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the number of messages.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there is no message.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All messages, in no particular order.
    pub fn values(&self) -> impl Iterator<Item = &Message> {
        self.slots.iter().filter(|slot| slot.end > 0)
    }
}

/// A slot without a message.
const VACANT: Message =
    Message { end: 0, ..Message::new(QpNumber(0), Operation::Send, Bytes::ZERO, Mtu::B256) };

impl Index<MessageKey> for Messages {
    type Output = Message;
    #[inline]
    fn index(&self, key: MessageKey) -> &Message {
        &self.slots[key.index()]
    }
}

impl IndexMut<MessageKey> for Messages {
    #[inline]
    fn index_mut(&mut self, key: MessageKey) -> &mut Message {
        &mut self.slots[key.index()]
    }
}

impl MessageKey {
    /// Returns the slot's index.
    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// Returns the key as the writer and the reader of a state know it.
    pub(crate) const fn saved(self) -> u64 {
        self.0.get() as u64
    }

    /// Returns the key that is saved so.
    ///
    /// # Panics
    /// If it is none that [`saved`](Self::saved) returned.
    pub(crate) fn from_saved(saved: u64) -> Self {
        let slot = u32::try_from(saved).ok().and_then(NonZeroU32::new);
        Self(slot.expect("a key of this adapter's messages"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compares the table with a list of the messages that are posted and not removed.
        #[test]
        fn messages_stay_until_they_are_removed(ops in prop::collection::vec((any::<bool>(), 0..64usize), 0..200)) {
            let (mut messages, mut known) = (Messages::default(), Vec::new());
            let mut most = 0;
            for (number, (insert, which)) in (0..).zip(ops) {
                if insert {
                    let message = Message::new(QpNumber(number), Operation::Send, Bytes::new(1), Mtu::K1);
                    known.push((messages.insert(message), number));
                    most = most.max(known.len());
                } else if !known.is_empty() {
                    let (key, _) = known.swap_remove(which % known.len());
                    messages.remove(key);
                }
                prop_assert_eq!(messages.len(), known.len());
                prop_assert_eq!(messages.is_empty(), known.is_empty());
                prop_assert!(known.iter().all(|(key, number)| messages[*key].queue_pair.0 == *number));
                let mut all: Vec<u32> = messages.values().map(|message| message.queue_pair.0).collect();
                let mut expected: Vec<u32> = known.iter().map(|(_, number)| *number).collect();
                all.sort_unstable();
                expected.sort_unstable();
                prop_assert_eq!(all, expected);
                prop_assert_eq!(messages.slots.len(), most, "freed slots are used again");
            }
        }
    }
}
