//! The wire format of protocol buffers: fields of a message, and messages that follow each other with their lengths.
//!
//! Invariant: every byte belongs to a field or is a fault with its offset in the file. Nothing is copied, and a length
//! beyond the end claims no memory.
//!
//! Source: the public description of the encoding, protobuf.dev. A library for three messages would cost more to build
//! than these lines: nothing is generated, and unknown fields are skipped.

/// A message, and the offset of its first byte in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    /// Its number, from 1.
    pub(super) number: u64,
    pub(super) value: Value<'a>,
    /// Offset of its first byte in the file.
    pub(super) at: usize,
}

/// A value, by its type on the wire.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    /// A whole number of 7 bits a byte.
    Varint(u64),
    /// Eight bytes, as a number.
    Eight(u64),
    /// Four bytes, as a number.
    Four(u32),
    /// A text, a list or a message inside.
    Bytes(Message<'a>),
}

/// Bytes that are no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at}: {fault}")]
pub(super) struct WireError {
    pub(super) at: usize,
    pub(super) fault: WireFault,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum WireFault {
    #[error("the file ends in the middle of a message: its length says {said} bytes, and {left} follow")]
    Truncated { said: u64, left: usize },
    #[error("the file ends in the middle of a length")]
    NoLength,
    #[error("a field says {said} bytes, and its message has {left} more")]
    Short { said: u64, left: usize },
    #[error("a message ends in the middle of a field")]
    Ends,
    #[error("a number has more than 64 bits")]
    Long,
    #[error("a field has the type {wire} on the wire, which this format does not have")]
    Type { wire: u8 },
    #[error("a field has the number 0")]
    Zero,
}

impl<'a> Message<'a> {
    /// Takes the message at the start of these bytes, behind its length; `None` at the end.
    pub(super) fn framed(self) -> Result<Option<(Self, Self)>, WireError> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let error = |fault| WireError { at: self.at, fault };
        let (said, used) = varint(self.bytes).map_err(|fault| match fault {
            WireFault::Ends => error(WireFault::NoLength),
            other => error(other),
        })?;
        let rest = &self.bytes[used..];
        let length = usize::try_from(said).ok().filter(|length| *length <= rest.len());
        let length = length.ok_or_else(|| error(WireFault::Truncated { said, left: rest.len() }))?;
        let (message, behind) = rest.split_at(length);
        let at = self.at + used;
        Ok(Some((Self { bytes: message, at }, Self { bytes: behind, at: at + length })))
    }

    /// Takes the first field; `None` at the end.
    pub(super) fn field(&mut self) -> Result<Option<Field<'a>>, WireError> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let at = self.at;
        let error = |fault| WireError { at, fault };
        let key = self.varint()?;
        if key >> 3 == 0 {
            return Err(error(WireFault::Zero));
        }
        let value = match key & 7 {
            0 => Value::Varint(self.varint()?),
            1 => Value::Eight(u64::from_le_bytes(self.fixed()?)),
            2 => {
                let said = self.varint()?;
                let left = self.bytes.len();
                let length = usize::try_from(said).ok().filter(|length| *length <= left);
                let length = length.ok_or_else(|| error(WireFault::Short { said, left }))?;
                let (bytes, at) = (&self.bytes[..length], self.at);
                self.skip(length);
                Value::Bytes(Self { bytes, at })
            }
            5 => Value::Four(u32::from_le_bytes(self.fixed()?)),
            wire => return Err(error(WireFault::Type { wire: wire as u8 })),
        };
        Ok(Some(Field { number: key >> 3, value, at }))
    }

    /// Takes a number.
    pub(super) fn varint(&mut self) -> Result<u64, WireError> {
        let (number, used) = varint(self.bytes).map_err(|fault| WireError { at: self.at, fault })?;
        self.skip(used);
        Ok(number)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let bytes = self.bytes.first_chunk().copied();
        let bytes = bytes.ok_or(WireError { at: self.at, fault: WireFault::Ends })?;
        self.skip(N);
        Ok(bytes)
    }

    fn skip(&mut self, bytes: usize) {
        (self.bytes, self.at) = (&self.bytes[bytes..], self.at + bytes);
    }
}

/// Returns the number at the start of these bytes, and its length in bytes.
fn varint(bytes: &[u8]) -> Result<(u64, usize), WireFault> {
    let mut number = 0_u64;
    for (place, byte) in bytes.iter().enumerate() {
        let bits = u64::from(byte & 0x7F);
        // The tenth byte has a single bit of 64.
        if place == 10 || (place == 9 && bits > 1) {
            return Err(WireFault::Long);
        }
        number |= bits << (7 * place);
        if byte & 0x80 == 0 {
            return Ok((number, place + 1));
        }
    }
    Err(WireFault::Ends)
}
