//! Bytes of a state that is being loaded.
//!
//! Invariant: no bytes, whatever they are, make a reader panic, or allocate more than a small multiple of their number.

use crate::error::StateError;
use crate::writer::PoolSlot;

/// Successor of a packet in no queue, and of the last one of a queue.
const NO_SUCCESSOR: u32 = u32::MAX;

/// Reads a state.
#[derive(Debug)]
pub struct StateReader<'a> {
    bytes: &'a [u8],
    at: usize,
    pools: Vec<Vec<u32>>,
    pool: usize,
    mentioned: Vec<PoolSlot>,
    messages: Vec<u64>,
}

impl<'a> StateReader<'a> {
    /// Creates a reader of these bytes, with no pools.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, pools: Vec::new(), pool: 0, mentioned: Vec::new(), messages: Vec::new() }
    }

    /// Returns the error that the value before the present position is impossible.
    #[must_use]
    pub const fn malformed(&self, what: &'static str) -> StateError {
        StateError::Malformed { at: self.at, what }
    }

    /// Returns the number of bytes that have not been read.
    #[must_use]
    pub const fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Checks that all bytes have been read.
    ///
    /// # Errors
    /// If some have not.
    pub const fn finish(&self) -> Result<(), StateError> {
        if self.remaining() == 0 {
            Ok(())
        } else {
            Err(self.malformed("more bytes follow than were written"))
        }
    }

    /// Reads so many bytes.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn raw(&mut self, count: usize) -> Result<&'a [u8], StateError> {
        let bytes = self.bytes[self.at..].get(..count);
        let bytes = bytes.ok_or(StateError::Truncated { at: self.bytes.len() })?;
        self.at += count;
        Ok(bytes)
    }

    /// Reads the tag of a variant.
    ///
    /// # Errors
    /// If the bytes are at their end.
    pub fn tag(&mut self) -> Result<u8, StateError> {
        Ok(self.raw(1)?[0])
    }

    /// Reads an integer.
    ///
    /// # Errors
    /// If the bytes end within it, or it has more than 64 bits.
    pub fn integer(&mut self) -> Result<u64, StateError> {
        let mut value = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.tag()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.malformed("an integer has more than 64 bits"))
    }

    /// Reads the number of elements of a sequence, each of which takes a byte at least.
    ///
    /// # Errors
    /// If there are fewer bytes than elements.
    pub fn length(&mut self) -> Result<usize, StateError> {
        let length = self.integer()?;
        let length = usize::try_from(length).ok().filter(|length| *length <= self.remaining());
        length.ok_or_else(|| self.malformed("a sequence is longer than the bytes that follow"))
    }

    /// Adds a pool without packets. Pools are numbered from 0.
    pub fn add_pool(&mut self) {
        self.pools.push(Vec::new());
    }

    /// Makes a pool the one into which packets are loaded from now on.
    pub fn enter_pool(&mut self, pool: usize) {
        self.pool = pool;
    }

    /// Reads a mention of a packet, and returns its slot in the present pool. The slots of a pool are numbered from 0 in the order
    /// of first mention.
    ///
    /// # Errors
    /// If the number is not the next one, and no packet of this pool has it.
    ///
    /// # Panics
    /// If no pool has been added.
    pub fn packet(&mut self) -> Result<u32, StateError> {
        let number = self.integer()?;
        if number == self.mentioned.len() as u64 {
            let successors = &mut self.pools[self.pool];
            let slot = successors.len() as u32;
            successors.push(NO_SUCCESSOR);
            self.mentioned.push(PoolSlot { pool: self.pool, slot });
            return Ok(slot);
        }
        let known = usize::try_from(number).ok().and_then(|number| self.mentioned.get(number));
        let known = known.filter(|known| known.pool == self.pool);
        known.map(|known| known.slot).ok_or_else(|| self.malformed("a packet is not where it is said to be"))
    }

    /// Notes that the packet in `slot` of the present pool has `next` behind it in its queue.
    ///
    /// # Panics
    /// If no packet with this slot was read.
    pub fn link(&mut self, slot: u32, next: u32) {
        self.pools[self.pool][slot as usize] = next;
    }

    /// Returns all packets mentioned, in order of their numbers.
    #[must_use]
    pub fn packets(&self) -> &[PoolSlot] {
        &self.mentioned
    }

    /// Returns the successors of a pool's packets, by slot; `u32::MAX` for a packet without one.
    ///
    /// # Panics
    /// If there is no such pool.
    #[must_use]
    pub fn successors(&self, pool: usize) -> &[u32] {
        &self.pools[pool]
    }

    /// Starts over with the messages of another adapter: their keys, in order of their numbers.
    pub fn begin_messages(&mut self, keys: Vec<u64>) {
        self.messages = keys;
    }

    /// Reads a mention of a message, and returns its key.
    ///
    /// # Errors
    /// If no message has the number.
    pub fn message(&mut self) -> Result<u64, StateError> {
        let number = self.integer()?;
        let key = usize::try_from(number).ok().and_then(|number| self.messages.get(number)).copied();
        key.ok_or_else(|| self.malformed("there is no message with this number"))
    }
}
