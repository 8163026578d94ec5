//! JSON without names that stand twice.
//!
//! Invariant: no value is lost. Of two values with one name the parser alone would keep the last.

use core::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::import::source::SourceText;
use scenario::Diagnostic;

/// Reads the text as JSON.
pub(super) fn read(source: SourceText<'_>) -> Result<Value, Diagnostic> {
    let read = serde_json::from_str(source.text).map(|Unique(value)| value);
    read.map_err(|error| {
        let lines: usize =
            source.text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let line = source.text[lines..].lines().next().unwrap_or_default();
        let at = line.char_indices().nth(error.column().saturating_sub(1)).map_or(line.len(), |(at, _)| at);
        let said = error.to_string();
        let said = said.rsplit_once(" at line ").map_or(&said[..], |(said, _)| said);
        let help = if said.ends_with(TWICE) {
            "leave the value that holds"
        } else {
            "write JSON, as `sonic-cfggen -d --print-data` does"
        };
        source.wrong(&(lines + at..lines + at), said, help)
    })
}

/// End of the message about a name.
const TWICE: &str = "stands here twice";

/// Value of JSON.
struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Self)
    }
}

/// Visitor of a value of any type.
struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a value of JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Unique(value)) = from.next_element()? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(name) = from.next_key::<String>()? {
            // Here, and not behind the value, the parser's position is that of the second name.
            if values.contains_key(&name) {
                return Err(A::Error::custom(format_args!("`{name}` {TWICE}")));
            }
            let Unique(value) = from.next_value()?;
            values.insert(name, value);
        }
        Ok(values.into())
    }
}
