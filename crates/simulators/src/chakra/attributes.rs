//! Attributes of a node that a job needs.
//!
//! Invariant: an attribute has a value of the schema's types; tools write the same attribute as signed or unsigned, of
//! 32 or 64 bits, and all mean the same number.

use super::faults::{SchemaFault, TraceError};
use super::wire::{Message, Value};

/// The attributes of a node; `None` for those that the node does not have.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes<'a> {
    pub(super) is_cpu_op: Option<bool>,
    pub(super) comm_type: Option<i128>,
    pub(super) comm_size: Option<i128>,
    pub(super) comm_src: Option<i128>,
    pub(super) comm_dst: Option<i128>,
    pub(super) comm_tag: Option<i128>,
    pub(super) comm_priority: Option<i128>,
    pub(super) pg_name: Option<&'a str>,
    pub(super) num_ops: Option<i128>,
    /// True if the node has a list of dimensions, and a dimension takes no part.
    pub(super) leaves_out_dimensions: bool,
}

/// A value of an attribute.
#[derive(Clone, Copy, Debug)]
enum Given<'a> {
    Number(i128),
    Text(&'a str),
    Bools(Message<'a>),
    Other,
}

const ATTRIBUTE: &str = "an `AttributeProto`";

impl<'a> Attributes<'a> {
    /// Reads an attribute. Returns its name if nothing here reads it.
    pub(super) fn read(&mut self, message: Message<'a>) -> Result<Option<&'a str>, TraceError> {
        let (mut rest, mut name, mut given) = (message, "", Given::Other);
        while let Some(field) = rest.field()? {
            given = match field.number {
                1 => {
                    name = field.text_of(ATTRIBUTE)?;
                    continue;
                }
                2 => {
                    field.text_of(ATTRIBUTE)?;
                    continue;
                }
                number => match (number, field.value) {
                    (3, Value::Eight(_)) | (5, Value::Four(_)) | (31, Value::Bytes(_)) => Given::Other,
                    // Negative numbers of 32 bits have 64 bits on the wire.
                    (7 | 9, Value::Varint(bits)) | (25, Value::Eight(bits)) => {
                        Given::Number(i128::from(bits.cast_signed()))
                    }
                    (11 | 13 | 27, Value::Varint(bits)) | (21, Value::Eight(bits)) => {
                        Given::Number(i128::from(bits))
                    }
                    (15 | 17, Value::Varint(bits)) => {
                        let half = (bits >> 1).cast_signed();
                        Given::Number(i128::from(if bits & 1 == 0 { half } else { !half }))
                    }
                    (19, Value::Four(bits)) => Given::Number(i128::from(bits)),
                    (23, Value::Four(bits)) => Given::Number(i128::from(bits.cast_signed())),
                    (29, Value::Bytes(_)) => Given::Text(field.text_of(ATTRIBUTE)?),
                    (28, Value::Bytes(list)) => Given::Bools(list),
                    // Lists of each type are messages.
                    (4..=32, Value::Bytes(_)) if number % 2 == 0 => Given::Other,
                    (3..=32, _) => return Err(field.wrong_type(ATTRIBUTE)),
                    // Fields of a later schema.
                    _ => continue,
                },
            };
        }
        self.enter(message.at, name, given)
    }

    fn enter(&mut self, at: usize, name: &'a str, given: Given<'a>) -> Result<Option<&'a str>, TraceError> {
        let wrong = |expected| TraceError::Schema {
            at,
            fault: SchemaFault::AttributeType { name: name.to_owned(), expected },
        };
        let number = || match given {
            Given::Number(number) => Ok(Some(number)),
            _ => Err(wrong("whole number")),
        };
        match name {
            "is_cpu_op" => self.is_cpu_op = number()?.map(|number| number != 0),
            "comm_type" => self.comm_type = number()?,
            "comm_size" => self.comm_size = number()?,
            "comm_src" => self.comm_src = number()?,
            "comm_dst" => self.comm_dst = number()?,
            "comm_tag" => self.comm_tag = number()?,
            "comm_priority" => self.comm_priority = number()?,
            "num_ops" => self.num_ops = number()?,
            "pg_name" => match given {
                Given::Text(text) => self.pg_name = Some(text),
                _ => return Err(wrong("text")),
            },
            // ASTRA-sim's code has both names.
            "involved_dim" | "involve_dims" => match given {
                Given::Bools(list) => self.leaves_out_dimensions |= leaves_out(list)?,
                _ => return Err(wrong("list of booleans")),
            },
            unread => return Ok(Some(unread)),
        }
        Ok(None)
    }
}

/// Returns true if a list of booleans has a false.
fn leaves_out(mut list: Message<'_>) -> Result<bool, TraceError> {
    let mut found = false;
    while let Some(field) = list.field()? {
        match field.value {
            Value::Varint(given) if field.number == 1 => found |= given == 0,
            Value::Bytes(mut packed) if field.number == 1 => {
                while !packed.bytes.is_empty() {
                    found |= packed.varint()? == 0;
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Returns a number that a node must have in a range of its own type.
pub(super) fn within<N: TryFrom<i128>>(
    (id, at): (u64, usize),
    name: &'static str,
    given: i128,
    expected: &'static str,
) -> Result<N, TraceError> {
    N::try_from(given).map_err(|_| wrong((id, at), name, given, expected))
}

/// Returns the fault of a number.
pub(super) fn wrong(
    (id, at): (u64, usize),
    name: &'static str,
    given: i128,
    expected: &'static str,
) -> TraceError {
    TraceError::Schema { at, fault: SchemaFault::Attribute { id, name, given: given.to_string(), expected } }
}
