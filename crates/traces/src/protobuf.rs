//! The wire format of Protocol Buffers, as far as traces need it.
//!
//! Invariant: a message is its fields in the order in which they are added. A field is its number and wire type, then its value.
//!
//! | value | wire type |
//! |---|---|
//! | whole numbers | 0, in groups of 7 bits, lowest first |
//! | fixed numbers and floating-point numbers | 1, 8 bytes |
//! | texts and messages | 2, after their length |

/// A message.
#[derive(Clone, Debug, Default)]
pub struct Message(Vec<u8>);

impl Message {
    /// Returns the bytes of the message.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Adds a whole number.
    #[must_use]
    pub fn uint(mut self, field: u32, value: u64) -> Self {
        self.key(field, 0);
        self.varint(value);
        self
    }

    /// Adds a fixed number of 64 bits.
    #[must_use]
    pub fn fixed(mut self, field: u32, value: u64) -> Self {
        self.key(field, 1);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Adds a floating-point number.
    #[must_use]
    pub fn double(self, field: u32, value: f64) -> Self {
        self.fixed(field, value.to_bits())
    }

    /// Adds a text.
    #[must_use]
    pub fn text(self, field: u32, value: &str) -> Self {
        self.delimited(field, value.as_bytes())
    }

    /// Adds a message.
    #[must_use]
    pub fn message(self, field: u32, value: &Self) -> Self {
        self.delimited(field, &value.0)
    }

    fn delimited(mut self, field: u32, value: &[u8]) -> Self {
        self.key(field, 2);
        self.varint(value.len() as u64);
        self.0.extend(value);
        self
    }

    fn key(&mut self, field: u32, wire_type: u32) {
        self.varint(u64::from(field << 3 | wire_type));
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the format's documentation.
    #[test]
    fn known_messages() {
        assert_eq!(Message::default().uint(1, 150).bytes(), [0x08, 0x96, 0x01]);
        assert_eq!(
            Message::default().text(2, "testing").bytes(),
            [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6E, 0x67]
        );
        let inner = Message::default().uint(1, 150);
        assert_eq!(Message::default().message(3, &inner).bytes(), [0x1A, 0x03, 0x08, 0x96, 0x01]);
        assert_eq!(Message::default().double(1, 1.0).bytes(), [0x09, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F]);
        assert_eq!(Message::default().uint(16, u64::MAX).bytes()[..2], [0x80, 0x01], "a key of two bytes");
        assert_eq!(Message::default().uint(1, u64::MAX).bytes().len(), 11);
    }
}
