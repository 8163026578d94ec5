//! Bytes of a state that is being saved.
//!
//! Invariant: packets are numbered from 0 in the order of their first mention, over all pools, and messages of an adapter
//! likewise.

use std::collections::BTreeMap;

/// Number of a packet that has not been mentioned.
const NOT_MENTIONED: u32 = u32::MAX;

/// A packet: the number of its pool, and its slot there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolSlot {
    /// Number of the pool, in the order of [`StateWriter::add_pool`].
    pub pool: usize,
    /// Slot in the pool.
    pub slot: u32,
}

/// Writes a state.
///
/// ```
/// use state_codec::{StateReader, StateWriter, Value};
/// let mut to = StateWriter::new();
/// (300_u32, Some(true)).put(&mut to);
/// assert_eq!(to.bytes(), [0xac, 0x02, 1, 1]);
/// assert_eq!(Value::take(&mut StateReader::new(to.bytes())), Ok((300_u32, Some(true))));
/// ```
#[derive(Debug, Default)]
pub struct StateWriter {
    bytes: Vec<u8>,
    pools: Vec<Pool>,
    /// Pool of the packets that are mentioned now.
    pool: usize,
    mentioned: Vec<PoolSlot>,
    keys: BTreeMap<u64, u32>,
    key_order: Vec<u64>,
}

/// A pool of packets.
#[derive(Debug)]
struct Pool {
    /// Successor of each packet in its queue, by slot; meaningful for packets in queues only.
    successors: Vec<u32>,
    /// Number of each packet, by slot.
    numbers: Vec<u32>,
}

impl StateWriter {
    /// Creates a writer without bytes and without pools.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a writer without pools that appends to these bytes, in their memory.
    #[must_use]
    pub fn appending(bytes: Vec<u8>) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// Returns the bytes written so far.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Appends bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends an integer.
    pub fn integer(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// Appends the tag of a variant.
    pub fn tag(&mut self, tag: u8) {
        self.bytes.push(tag);
    }

    /// Adds a pool with the successors of its packets, by slot. Pools are numbered from 0 in this order.
    pub fn add_pool(&mut self, successors: Vec<u32>) {
        let numbers = vec![NOT_MENTIONED; successors.len()];
        self.pools.push(Pool { successors, numbers });
    }

    /// Makes a pool the one whose packets are mentioned from now on.
    pub fn enter_pool(&mut self, pool: usize) {
        self.pool = pool;
    }

    /// Mentions the packet in a slot of the present pool: appends its number.
    ///
    /// # Panics
    /// If there is no such slot.
    pub fn packet(&mut self, slot: u32) {
        let number = &mut self.pools[self.pool].numbers[slot as usize];
        if *number == NOT_MENTIONED {
            *number = self.mentioned.len() as u32;
            self.mentioned.push(PoolSlot { pool: self.pool, slot });
        }
        let number = *number;
        self.integer(number.into());
    }

    /// Returns the slot of the packet behind this one in its queue.
    ///
    /// # Panics
    /// If there is no such slot.
    #[must_use]
    pub fn successor(&self, slot: u32) -> u32 {
        self.pools[self.pool].successors[slot as usize]
    }

    /// Returns all packets mentioned, in order of their numbers.
    #[must_use]
    pub fn packets(&self) -> &[PoolSlot] {
        &self.mentioned
    }

    /// Starts over with the messages of another adapter.
    pub fn begin_messages(&mut self) {
        self.keys.clear();
        self.key_order.clear();
    }

    /// Mentions the message with this key: appends its number.
    pub fn message(&mut self, key: u64) {
        let next = self.key_order.len() as u32;
        let number = *self.keys.entry(key).or_insert(next);
        if number == next {
            self.key_order.push(key);
        }
        self.integer(number.into());
    }

    /// Returns the key of the message with this number; `None` if fewer messages were mentioned.
    #[must_use]
    pub fn message_key(&self, number: usize) -> Option<u64> {
        self.key_order.get(number).copied()
    }
}
