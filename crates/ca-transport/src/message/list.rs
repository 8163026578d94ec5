//! Messages in the order in which they were posted, threaded through the table of messages.
//!
//! Invariant: a message is in one list at most. Its `next` is `None` when it joins.

use super::{Message, MessageKey, Messages};

/// Messages of an endpoint, or of a queue pair, the oldest first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MessageList {
    head: Option<MessageKey>,
    tail: Option<MessageKey>,
}

state_codec::value!(MessageList { head, tail });

impl MessageList {
    /// Returns the first message.
    #[inline]
    pub(crate) const fn first(&self) -> Option<MessageKey> {
        self.head
    }

    /// Adds a message at the end.
    #[inline]
    pub(crate) fn push(&mut self, key: MessageKey, messages: &mut Messages) {
        match self.tail.replace(key) {
            Some(tail) => messages[tail].next = Some(key),
            None => self.head = Some(key),
        }
    }

    /// Adds a message at the end with its first packet at this number. Returns the number after its last.
    #[inline]
    pub(crate) fn push_at(&mut self, first: u64, key: MessageKey, messages: &mut Messages) -> u64 {
        let message = &mut messages[key];
        *message = message.starting_at(first);
        let end = message.end;
        self.push(key, messages);
        end
    }

    /// Takes the first message out of the list, but not out of the table.
    #[inline]
    pub(crate) fn pop(&mut self, messages: &mut Messages) -> Option<MessageKey> {
        let key = self.head?;
        self.begin_with(messages[key].next.take());
        Some(key)
    }

    /// Removes the first message, from the table as well, if all of its packets come before this number.
    #[inline]
    pub(crate) fn remove_before(&mut self, number: u64, messages: &mut Messages) -> Option<Message> {
        let key = self.head?;
        if messages[key].end > number {
            return None;
        }
        let message = messages[key];
        self.begin_with(message.next);
        messages.remove(key);
        Some(message)
    }

    #[inline]
    const fn begin_with(&mut self, head: Option<MessageKey>) {
        self.head = head;
        if head.is_none() {
            self.tail = None;
        }
    }
}
