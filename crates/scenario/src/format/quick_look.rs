//! A quick look at every number of a scenario: is any out of its field's range?
//!
//! Invariant: the answer is that of [`ranges::violations`](super::ranges::violations), which makes the whole schema
//! to name the fields; nearly every scenario needs no names. [`RANGES`] is the schema's ranges as a table, and a test
//! holds the table to the schema.
//!
//! The look is a `Serializer` that writes nothing: serde calls it with the names of types, variants and fields.

use core::fmt::{self, Display, Formatter};

use serde::Serialize;
use serde::ser::{self, Serializer};

use super::range_table::RANGES;
use super::ranges::{Number, NumberRange};

/// The range of a number in a type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TableEntry {
    /// Name of the struct or enum.
    pub(super) owner: &'static str,
    /// Name of the enum's variant; empty for a struct.
    pub(super) variant: &'static str,
    /// Name of the field; empty for the content of a variant without names.
    pub(super) field: &'static str,
    /// Place in a tuple; 0 elsewhere.
    pub(super) place: usize,
    pub(super) range: NumberRange,
}

/// Returns true if every number is in its field's range. Numbers that JSON does not have, infinite or undefined ones,
/// are in no range.
pub(crate) fn all_in_range(value: &impl Serialize) -> bool {
    value.serialize(Look { entries: &[], place: 0 }).is_ok()
}

/// The look at one value.
#[derive(Clone, Copy)]
struct Look {
    /// Entries of the field in which the value stands.
    entries: &'static [TableEntry],
    /// Place of the value in a tuple.
    place: usize,
}

/// The look at the parts of a value.
struct Parts {
    /// Entries of the type, or of the field around a list.
    entries: &'static [TableEntry],
    /// Number of parts seen, in a tuple.
    seen: usize,
}

/// A number is out of range.
#[derive(Debug)]
struct OutOfRange;

impl Look {
    fn number(self, number: Number) -> Result<(), OutOfRange> {
        let entry = self.entries.iter().find(|entry| entry.place == self.place);
        let within = match entry {
            Some(entry) => entry.range.holds(number),
            None => number.is_finite(),
        };
        if within { Ok(()) } else { Err(OutOfRange) }
    }

    /// The look at the parts that have the same range as the whole: elements of a list, values of a map.
    const fn alike(self) -> Parts {
        Parts { entries: self.entries, seen: 0 }
    }
}

/// Returns the entries of a struct, or of an enum's variant.
fn entries_of(owner: &str, variant: &str) -> &'static [TableEntry] {
    let key = (owner, variant);
    let from = RANGES.partition_point(|entry| (entry.owner, entry.variant) < key);
    let len = RANGES[from..].iter().take_while(|entry| (entry.owner, entry.variant) == key).count();
    &RANGES[from..from + len]
}

impl Parts {
    fn field(&self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<(), OutOfRange> {
        let of_field = |entry: &TableEntry| entry.field == name;
        let from = self.entries.iter().position(of_field).unwrap_or(self.entries.len());
        let len = self.entries[from..].iter().take_while(|entry| of_field(entry)).count();
        value.serialize(Look { entries: &self.entries[from..from + len], place: 0 })
    }

    fn alike(&self, value: &(impl Serialize + ?Sized)) -> Result<(), OutOfRange> {
        value.serialize(Look { entries: self.entries, place: 0 })
    }

    fn next_place(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), OutOfRange> {
        let place = self.seen;
        self.seen += 1;
        value.serialize(Look { entries: self.entries, place })
    }
}

/// Methods for kinds of values that are no numbers.
macro_rules! no_numbers {
    ($($method:ident($($kind:ty),*);)*) => {
        $(fn $method(self, $(_: $kind),*) -> Result<(), OutOfRange> { Ok(()) })*
    };
}

/// Methods for numbers.
macro_rules! numbers {
    ($($method:ident($kind:ty) $variant:ident;)*) => {
        $(fn $method(self, value: $kind) -> Result<(), OutOfRange> {
            self.number(Number::$variant(value.into()))
        })*
    };
}

impl Serializer for Look {
    type Ok = ();
    type Error = OutOfRange;
    type SerializeSeq = Parts;
    type SerializeTuple = Parts;
    type SerializeTupleStruct = Parts;
    type SerializeTupleVariant = Parts;
    type SerializeMap = Parts;
    type SerializeStruct = Parts;
    type SerializeStructVariant = Parts;

    no_numbers! {
        serialize_bool(bool);
        serialize_char(char);
        serialize_str(&str);
        serialize_bytes(&[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
    }

    numbers! {
        serialize_u8(u8) Whole;
        serialize_u16(u16) Whole;
        serialize_u32(u32) Whole;
        serialize_u64(u64) Whole;
        serialize_i8(i8) Signed;
        serialize_i16(i16) Signed;
        serialize_i32(i32) Signed;
        serialize_i64(i64) Signed;
        serialize_f32(f32) Real;
        serialize_f64(f64) Real;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), OutOfRange> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), OutOfRange> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        owner: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), OutOfRange> {
        value.serialize(Self { entries: entries_of(owner, variant), place: 0 })
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts, OutOfRange> {
        Ok(self.alike())
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts, OutOfRange> {
        Ok(self.alike())
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Parts, OutOfRange> {
        Ok(Parts { entries: entries_of(name, ""), seen: 0 })
    }

    fn serialize_tuple_variant(
        self,
        owner: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts, OutOfRange> {
        Ok(Parts { entries: entries_of(owner, variant), seen: 0 })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts, OutOfRange> {
        Ok(self.alike())
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Parts, OutOfRange> {
        Ok(Parts { entries: entries_of(name, ""), seen: 0 })
    }

    fn serialize_struct_variant(
        self,
        owner: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts, OutOfRange> {
        Ok(Parts { entries: entries_of(owner, variant), seen: 0 })
    }
}

/// Implementations for kinds of parts.
macro_rules! parts {
    ($($kind:ident: $method:ident($($name:ident)?) => $look:ident;)*) => {
        $(impl ser::$kind for Parts {
            type Ok = ();
            type Error = OutOfRange;

            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($name: &'static str,)?
                value: &T,
            ) -> Result<(), OutOfRange> {
                self.$look($($name,)? value)
            }

            fn end(self) -> Result<(), OutOfRange> {
                Ok(())
            }
        })*
    };
}

parts! {
    SerializeSeq: serialize_element() => alike;
    SerializeTuple: serialize_element() => next_place;
    SerializeTupleStruct: serialize_field() => next_place;
    SerializeTupleVariant: serialize_field() => next_place;
    SerializeStruct: serialize_field(name) => field;
    SerializeStructVariant: serialize_field(name) => field;
}

impl ser::SerializeMap for Parts {
    type Ok = ();
    type Error = OutOfRange;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), OutOfRange> {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), OutOfRange> {
        self.alike(value)
    }

    fn end(self) -> Result<(), OutOfRange> {
        Ok(())
    }
}

impl Display for OutOfRange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a number is out of range")
    }
}

impl core::error::Error for OutOfRange {}

impl ser::Error for OutOfRange {
    /// No type of a scenario has an error of its own when it is serialised.
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use schemars::generate::SchemaSettings;
    use serde_json::Value;

    use super::*;
    use crate::format::Scenario;
    use crate::format::ranges::{RangeEnd, list, variant_content, violations_by_schema};
    use crate::text::ScenarioText;

    const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/format/range_table.rs");

    /// The definitions of a schema, by the names of types.
    type Types = serde_json::Map<String, Value>;

    /// The ranges that a field's schema states, by place. A field of a type that is a number by another name has the
    /// type's range; other types have entries of their own.
    fn stated(schema: &Value, types: &Types) -> Vec<(usize, NumberRange)> {
        let stated = |schema| stated(schema, types);
        let named =
            schema.get("$ref").and_then(Value::as_str).and_then(|path| types.get(path.rsplit('/').next()?));
        let schema = named.filter(|schema| NumberRange::of(schema).is_some()).unwrap_or(schema);
        if let Some(places) = schema.get("prefixItems").and_then(Value::as_array) {
            let at_place = |(place, schema)| stated(schema).into_iter().map(move |(_, range)| (place, range));
            return places.iter().enumerate().flat_map(at_place).collect();
        }
        let parts = ["items", "additionalProperties"].iter().filter_map(|key| schema.get(key));
        let by_pattern = schema.get("patternProperties").and_then(Value::as_object);
        let parts = parts.chain(by_pattern.into_iter().flat_map(|patterns| patterns.values()));
        let parts = parts.chain(list(schema, "anyOf"));
        let own = NumberRange::of(schema).filter(|range| !is_of_type(*range, schema));
        own.map(|range| (0, range)).into_iter().chain(parts.flat_map(stated)).collect()
    }

    /// Returns true if every value of the number's type is in the range.
    fn is_of_type(range: NumberRange, schema: &Value) -> bool {
        let most = match schema.get("format").and_then(Value::as_str) {
            Some("uint8") => u64::from(u8::MAX),
            Some("uint16") => u64::from(u16::MAX),
            Some("uint32") => u64::from(u32::MAX),
            _ => u64::MAX,
        };
        let free = NumberRange::Real { least: RangeEnd::None, most: RangeEnd::None };
        range == free || range == NumberRange::Whole { least: 0, most }
    }

    /// A line of the table: owner, variant, field, place and range.
    type Line<'s> = (&'s str, &'s str, &'s str, usize, NumberRange);

    /// The lines of a struct's fields, or of a content without names.
    fn lines<'s>((owner, variant): (&'s str, &'s str), schema: &'s Value, types: &Types) -> Vec<Line<'s>> {
        let line = |field, (place, range)| (owner, variant, field, place, range);
        match schema.get("properties").and_then(Value::as_object) {
            Some(fields) => {
                let of_field = |(field, schema): (&'s String, &'s Value)| {
                    stated(schema, types).into_iter().map(move |entry| line(field.as_str(), entry))
                };
                fields.iter().flat_map(of_field).collect()
            }
            None => stated(schema, types).into_iter().map(|entry| line("", entry)).collect(),
        }
    }

    /// The entries of the table, as the schema has them.
    fn entries() -> String {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let schema = settings.into_generator().into_root_schema_for::<Scenario>().to_value();
        let types = schema["$defs"].as_object().expect("the schema has definitions");
        let named = types.iter().map(|(name, schema)| (name.as_str(), schema));
        let mut all = Vec::new();
        for (owner, schema) in named.chain([("Scenario", &schema)]) {
            let variants: Vec<_> = list(schema, "oneOf").filter_map(variant_content).collect();
            for (variant, content) in &variants {
                all.extend(lines((owner, variant), content, types));
            }
            if variants.is_empty() && NumberRange::of(schema).is_none() {
                all.extend(lines((owner, ""), schema, types));
            }
        }
        all.sort_by_key(|(owner, variant, field, place, _)| (*owner, *variant, *field, *place));
        let line = |(owner, variant, field, place, range): Line<'_>| {
            format!("    entry({owner:?}, {variant:?}, {field:?}, {place}, {}),\n", constant(range))
        };
        all.into_iter().map(line).collect()
    }

    /// The range as a constant.
    fn constant(range: NumberRange) -> String {
        let end = |end| match end {
            RangeEnd::None => "None".to_owned(),
            RangeEnd::Included(end) => format!("Included({end:?})"),
            RangeEnd::Excluded(end) => format!("Excluded({end:?})"),
        };
        match range {
            NumberRange::Whole { least, most: u64::MAX } => format!("whole({least}, u64::MAX)"),
            NumberRange::Whole { least, most } => format!("whole({least}, {most})"),
            NumberRange::Real { least, most } => format!("real({}, {})", end(least), end(most)),
        }
    }

    #[test]
    fn the_table_is_that_of_the_schema() {
        let present = fs::read_to_string(TABLE).expect("the table is there");
        let (head, _) = present.split_once("= &[\n").expect("the table has a head");
        let wanted = format!("{head}= &[\n{}];\n", entries());
        if env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
            fs::write(TABLE, wanted).expect("the table can be written");
        } else {
            assert_eq!(present, wanted, "`cargo xtask bless` writes the table anew");
        }
    }

    /// The places of all numbers in a value, as JSON pointers.
    fn numbers(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(entries) => {
                for (name, value) in entries {
                    numbers(value, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found);
                }
            }
            Value::Array(values) => {
                for (index, value) in values.iter().enumerate() {
                    numbers(value, &format!("{at}/{index}"), found);
                }
            }
            _ if value.is_number() => found.push(at.to_owned()),
            _ => {}
        }
    }

    #[test]
    fn it_agrees_with_the_schema_on_every_number_of_the_shipped_scenarios() {
        let (mut refused, mut accepted) = (0, 0);
        for shipped in crate::shipped() {
            let text = ScenarioText::find(shipped.name).expect("it ships");
            let scenario = Scenario::read(&text).expect("it can be read");
            let mut value = serde_json::to_value(&scenario).expect("a scenario is plain data");
            let mut places = Vec::new();
            numbers(&value, "", &mut places);
            for place in places.iter().take(60) {
                for other in [0.into(), 255.into(), 1_000_000.into(), Value::from(0.0), Value::from(300.0)] {
                    let number = value.pointer_mut(place).expect("the place is in the value");
                    let own = core::mem::replace(number, other);
                    if let Ok(scenario) = serde_json::from_value::<Scenario>(value.clone()) {
                        let found = violations_by_schema(&scenario);
                        assert_eq!(all_in_range(&scenario), found.is_empty(), "{}{place}", shipped.name);
                        *if found.is_empty() { &mut accepted } else { &mut refused } += 1;
                    }
                    *value.pointer_mut(place).expect("the place is in the value") = own;
                }
            }
        }
        assert!(refused > 100 && accepted > 100, "{refused} refused, {accepted} accepted");
    }
}
