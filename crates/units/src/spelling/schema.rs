//! JSON schemas of the spellings, for tests that compare schemas with files.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{BYTES, GREEK_MU, LENGTH, MICRO_SIGN, RATE, Spelling, TIME};
use crate::quantity::{Bytes, Length, Rate, Span, Time};

impl Spelling {
    /// Returns the spelling as a JSON schema.
    fn schema(&self) -> Schema {
        let units: Vec<_> = self.units.iter().chain(self.also).map(|(name, _)| *name).collect();
        let pattern = units.join("|").replace(MICRO_SIGN, &format!("[{MICRO_SIGN}{GREEK_MU}]"));
        json_schema!({
            "type": "string",
            "description": format!("A number and a unit ({}), exact to 1 {}.", units.join(", "), self.smallest),
            "pattern": format!(r"^\s*[0-9][0-9_]*(\.[0-9_]+)?\s*({pattern})\s*$"),
            "examples": [self.example],
        })
    }
}

macro_rules! with_schema {
    ($($quantity:ident by $spelling:ident;)*) => {$(
        impl JsonSchema for $quantity {
            fn schema_name() -> Cow<'static, str> {
                stringify!($quantity).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $spelling.schema()
            }
        }
    )*};
}

with_schema! {
    Time by TIME;
    Span by TIME;
    Bytes by BYTES;
    Rate by RATE;
    Length by LENGTH;
}
