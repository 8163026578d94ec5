//! The check that every number of a scenario is in its field's range, and that every text may stand there.
//!
//! Invariant: a number is compared with the range that the schema has for its field, a text with the rule for names: also
//! texts of fields that are added later. [`RANGES`] is those ranges as a
//! table, since the schema takes milliseconds to make; a test holds the table to the schema.
//!
//! The check is a `Serializer` that writes nothing: serde calls it with the names of types, variants and fields.

use core::fmt;

use names::rule::{self, NameFault};
use serde::Serialize;
use serde::ser::{self, Serializer};
use serde_json::Value;
use settings::FieldPath;

use super::range_table::{RANGES, TableEntry};
use super::ranges::{Number, NumberRange, RangeEnd};

/// A number out of its field's range.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RangeViolation {
    pub(crate) path: FieldPath,
    pub(crate) value: Number,
    pub(crate) range: NumberRange,
}

/// A text that may not stand where it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextViolation {
    pub(crate) path: FieldPath,
    /// True if the text is the name at the end of the path.
    pub(crate) of_key: bool,
    pub(crate) fault: NameFault,
}

/// Numbers and texts that may not stand where they do.
#[derive(Default)]
pub(crate) struct Violations {
    pub(crate) numbers: Vec<RangeViolation>,
    pub(crate) texts: Vec<TextViolation>,
}

/// Returns every number that is out of its field's range, and every text that the rule for names refuses. Infinite and undefined
/// numbers are in no range.
///
/// # Panics
/// If the value cannot be serialised, as a map whose keys are no names.
pub(crate) fn violations(value: &impl Serialize) -> Violations {
    let mut check = RangeCheck::default();
    value.serialize(Look { check: &mut check, entries: &[], place: 0 }).expect("a scenario is plain data");
    check.found
}

/// The check of a value, and its progress.
#[derive(Default)]
struct RangeCheck {
    /// Path of the value that is looked at.
    path: Vec<Step>,
    found: Violations,
}

impl RangeCheck {
    /// Returns the path of the value that is looked at.
    fn path(&self) -> FieldPath {
        self.path.iter().fold(FieldPath::default(), |path, step| match step {
            Step::Field(name) => path.name(name),
            Step::Key(name) => path.name(name),
            Step::Index(index) => path.index(*index),
        })
    }

    /// Looks at a text, or at the name at the end of the path.
    fn text(&mut self, text: &str, of_key: bool) {
        let checked = match self.path.first() {
            Some(Step::Field("about")) => rule::check_prose(text),
            // Tables of ports are as long as the fabric is large.
            Some(Step::Field("routing")) => rule::check_letters(text),
            _ => rule::check(text),
        };
        if let Err(fault) = checked {
            let path = self.path();
            self.found.texts.push(TextViolation { path, of_key, fault });
        }
    }
}

/// A step of a path. Most numbers are in range, so no name is copied before one is not.
enum Step {
    Field(&'static str),
    Key(String),
    Index(usize),
}

/// The look at one value.
struct Look<'c> {
    check: &'c mut RangeCheck,
    /// Entries of the field in which the value stands.
    entries: &'static [TableEntry],
    /// Place of the value in a tuple.
    place: usize,
}

/// The look at the parts of a value.
struct Parts<'c> {
    check: &'c mut RangeCheck,
    /// Entries of the type, or of the field around a list.
    entries: &'static [TableEntry],
    /// Number of parts seen.
    seen: usize,
}

impl<'c> Look<'c> {
    fn number(self, value: Number) -> fmt::Result {
        let entry = self.entries.iter().find(|entry| entry.place == self.place);
        let any = NumberRange::Real { least: RangeEnd::None, most: RangeEnd::None };
        let range = entry.map_or(any, |entry| entry.range);
        if !range.holds(value) {
            let path = self.check.path();
            self.check.found.numbers.push(RangeViolation { path, value, range });
        }
        Ok(())
    }

    /// The look at the parts of a struct or of an enum's variant.
    fn parts_of(self, owner: &str, variant: &str) -> Parts<'c> {
        Parts { check: self.check, entries: entries_of(owner, variant), seen: 0 }
    }

    /// The look at parts that have the same range as the whole: elements of a list, values of a map.
    const fn alike(self) -> Parts<'c> {
        Parts { check: self.check, entries: self.entries, seen: 0 }
    }
}

/// Returns the entries of a struct, or of an enum's variant.
fn entries_of(owner: &str, variant: &str) -> &'static [TableEntry] {
    let key = (owner, variant);
    let from = RANGES.partition_point(|entry| (entry.owner, entry.variant) < key);
    let len = RANGES[from..].iter().take_while(|entry| (entry.owner, entry.variant) == key).count();
    &RANGES[from..from + len]
}

impl Parts<'_> {
    /// Looks at a part of the value: the one at this place, if it is a tuple.
    fn part<T: Serialize + ?Sized>(
        &mut self,
        step: Step,
        entries: &'static [TableEntry],
        place: usize,
        value: &T,
    ) -> fmt::Result {
        self.check.path.push(step);
        value.serialize(Look { check: self.check, entries, place })?;
        self.check.path.pop();
        self.seen += 1;
        Ok(())
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> fmt::Result {
        let of_field = |entry: &TableEntry| entry.field == name;
        let from = self.entries.iter().position(of_field).unwrap_or(self.entries.len());
        let len = self.entries[from..].iter().take_while(|entry| of_field(entry)).count();
        self.part(Step::Field(name), &self.entries[from..from + len], 0, value)
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        self.part(Step::Index(self.seen), self.entries, 0, value)
    }

    fn member<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        self.part(Step::Index(self.seen), self.entries, self.seen, value)
    }
}

/// Methods for kinds of values that are no numbers.
macro_rules! no_numbers {
    ($($method:ident($($kind:ty),*);)*) => {
        $(fn $method(self, $(_: $kind),*) -> fmt::Result { Ok(()) })*
    };
}

/// Methods for numbers.
macro_rules! numbers {
    ($($method:ident($kind:ty) $variant:ident;)*) => {
        $(fn $method(self, value: $kind) -> fmt::Result {
            self.number(Number::$variant(value.into()))
        })*
    };
}

impl<'c> Serializer for Look<'c> {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Parts<'c>;
    type SerializeTuple = Parts<'c>;
    type SerializeTupleStruct = Parts<'c>;
    type SerializeTupleVariant = Parts<'c>;
    type SerializeMap = Parts<'c>;
    type SerializeStruct = Parts<'c>;
    type SerializeStructVariant = Parts<'c>;

    no_numbers! {
        serialize_bool(bool);
        serialize_char(char);
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

    fn serialize_str(self, text: &str) -> fmt::Result {
        self.check.text(text, false);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> fmt::Result {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> fmt::Result {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        owner: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> fmt::Result {
        value.serialize(Self { entries: entries_of(owner, variant), ..self })
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, fmt::Error> {
        Ok(self.alike())
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeSeq, fmt::Error> {
        Ok(self.alike())
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Self::SerializeSeq, fmt::Error> {
        Ok(self.parts_of(name, ""))
    }

    fn serialize_tuple_variant(
        self,
        owner: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeSeq, fmt::Error> {
        Ok(self.parts_of(owner, variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeSeq, fmt::Error> {
        Ok(self.alike())
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Self::SerializeSeq, fmt::Error> {
        Ok(self.parts_of(name, ""))
    }

    fn serialize_struct_variant(
        self,
        owner: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeSeq, fmt::Error> {
        Ok(self.parts_of(owner, variant))
    }
}

/// Implementations for kinds of parts.
macro_rules! parts {
    ($($kind:ident: $method:ident($($name:ident)?) => $look:ident;)*) => {
        $(impl ser::$kind for Parts<'_> {
            type Ok = ();
            type Error = fmt::Error;

            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($name: &'static str,)?
                value: &T,
            ) -> fmt::Result {
                self.$look($($name,)? value)
            }

            fn end(self) -> fmt::Result {
                Ok(())
            }
        })*
    };
}

parts! {
    SerializeSeq: serialize_element() => element;
    SerializeTuple: serialize_element() => member;
    SerializeTupleStruct: serialize_field() => member;
    SerializeTupleVariant: serialize_field() => member;
    SerializeStruct: serialize_field(name) => field;
    SerializeStructVariant: serialize_field(name) => field;
}

impl ser::SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> fmt::Result {
        let name = match serde_json::to_value(key).map_err(|_| fmt::Error)? {
            Value::String(name) => name,
            other => other.to_string(),
        };
        self.check.path.push(Step::Key(name.clone()));
        self.check.text(&name, true);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        value.serialize(Look { check: self.check, entries: self.entries, place: 0 })?;
        self.check.path.pop();
        Ok(())
    }

    fn end(self) -> fmt::Result {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use schemars::generate::SchemaSettings;
    use settings::PathStep;

    use super::*;
    use crate::format::Scenario;
    use crate::format::ranges::{RangeEnd, below, has_type, list, variant_content};
    use crate::format::schema::{SCHEMA, resolved};
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

    /// The paths of the numbers that the schema's ranges exclude, in a scenario as JSON.
    fn excluded(schema: &Value, value: &Value, path: &FieldPath, found: &mut Vec<FieldPath>) {
        let schema = resolved(schema);
        for variant in list(schema, "oneOf") {
            let content = variant_content(variant);
            if let Some((content, value)) =
                content.and_then(|(name, content)| Some((content, value.get(name)?)))
            {
                excluded(content, value, path, found);
            }
        }
        for choice in list(schema, "anyOf").filter(|_| !value.is_null()) {
            excluded(choice, value, path, found);
        }
        let mut in_part = |step: PathStep, value| {
            if let Some(schema) = below(schema, &step) {
                excluded(schema, value, &path.step(step), found);
            }
        };
        match value {
            Value::Object(parts) => {
                parts.iter().for_each(|(name, value)| in_part(PathStep::Name(name.clone()), value));
            }
            Value::Array(parts) => {
                parts.iter().enumerate().for_each(|(index, value)| in_part(PathStep::Index(index), value));
            }
            Value::Number(number) if !has_type(schema, "string") => {
                let whole = number.as_u64().map(Number::Whole);
                let number = whole.unwrap_or_else(|| Number::Real(number.as_f64().expect("it is a number")));
                if NumberRange::of(schema).is_some_and(|range| !range.holds(number)) {
                    found.push(path.clone());
                }
            }
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
                        let mut by_schema = Vec::new();
                        let value = serde_json::to_value(&scenario).expect("a scenario is plain data");
                        excluded(&SCHEMA, &value, &FieldPath::default(), &mut by_schema);
                        let mut found: Vec<_> =
                            violations(&scenario).numbers.into_iter().map(|found| found.path).collect();
                        by_schema.sort();
                        found.sort();
                        assert_eq!(found, by_schema, "{}{place}", shipped.name);
                        *if found.is_empty() { &mut accepted } else { &mut refused } += 1;
                    }
                    *value.pointer_mut(place).expect("the place is in the value") = own;
                }
            }
        }
        assert!(refused > 100 && accepted > 100, "{refused} refused, {accepted} accepted");
    }
}
