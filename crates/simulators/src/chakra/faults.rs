//! Faults of traces, and fields with the types of the schema.
//!
//! Invariant: a fault has the offset of its field or message in the file.

use super::wire::{Field, Message, Value, WireError};

/// A file that is no trace of this schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TraceError {
    #[error(transparent)]
    Wire(#[from] WireError),
    #[error("byte {at}: {fault}")]
    Schema { at: usize, fault: SchemaFault },
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SchemaFault {
    #[error("the file is empty")]
    Empty,
    #[error("the first message is no `GlobalMetadata`")]
    NoMetadata,
    #[error("field {number} of {message} is not of the type that Chakra's schema says")]
    FieldType { message: &'static str, number: u64 },
    #[error("field {number} of {message} is no text in UTF-8")]
    Text { message: &'static str, number: u64 },
    #[error("node {id} has no type")]
    NoType { id: u64 },
    #[error("node {id} was at byte {before} already")]
    Twice { id: u64, before: usize },
    #[error("attribute `{name}` is no {expected}")]
    AttributeType { name: String, expected: &'static str },
    #[error("node {id}: attribute `{name}` is {given}, and {expected}")]
    Attribute { id: u64, name: &'static str, given: String, expected: &'static str },
}

impl<'a> Field<'a> {
    /// Returns the fault of a field with another type.
    pub(super) fn wrong_type(&self, message: &'static str) -> TraceError {
        let fault = SchemaFault::FieldType { message, number: self.number };
        TraceError::Schema { at: self.at, fault }
    }

    /// Returns a number. `message` names the message in faults.
    pub(super) fn number_of(&self, message: &'static str) -> Result<u64, TraceError> {
        match self.value {
            Value::Varint(number) => Ok(number),
            _ => Err(self.wrong_type(message)),
        }
    }

    /// Returns a message inside.
    pub(super) fn message_of(&self, message: &'static str) -> Result<Message<'a>, TraceError> {
        match self.value {
            Value::Bytes(inner) => Ok(inner),
            _ => Err(self.wrong_type(message)),
        }
    }

    /// Returns a text.
    pub(super) fn text_of(&self, message: &'static str) -> Result<&'a str, TraceError> {
        let inner = self.message_of(message)?;
        let fault = SchemaFault::Text { message, number: self.number };
        core::str::from_utf8(inner.bytes).map_err(|_| TraceError::Schema { at: inner.at, fault })
    }

    /// Adds the numbers of a list, which may be packed into a single field.
    pub(super) fn numbers_of(&self, message: &'static str, list: &mut Vec<u64>) -> Result<(), TraceError> {
        match self.value {
            Value::Varint(number) => list.push(number),
            Value::Bytes(mut packed) => {
                while !packed.bytes.is_empty() {
                    list.push(packed.varint()?);
                }
            }
            _ => return Err(self.wrong_type(message)),
        }
        Ok(())
    }
}
