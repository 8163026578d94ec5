//! The type, the range and the default of a field, in words.
//!
//! Invariant: a value in words is written as a scenario has it.

use serde_json::Value;

use crate::format::ranges::{NumberRange, RangeEnd, has_type, list, variant_content};
use crate::format::schema::{DEFINITION, resolved};

/// The quantities, by their names in the schema.
const QUANTITIES: [(&str, &str); 6] = [
    ("Span", "time"),
    ("Time", "time"),
    ("Bytes", "data"),
    ("Mtu", "data"),
    ("Rate", "rate"),
    ("Length", "length"),
];

/// The form of a value.
pub(super) enum Shape<'s> {
    /// A struct, with its fields.
    Fields(&'s Value),
    /// One of several choices.
    Choice(&'s Value),
    /// A list of values that are alike.
    List(&'s Value),
    /// A fixed number of values.
    Tuple(&'s [Value]),
    /// Values by name or number.
    Map(&'s Value),
    /// A single value: its type, in words.
    Single(String),
}

impl<'s> Shape<'s> {
    /// Returns the form of the values that fit a schema.
    ///
    /// # Panics
    /// If the schema is of a kind that no field has.
    pub(super) fn of(schema: &'s Value) -> Self {
        let schema = present(schema);
        if let Some((_, word)) = QUANTITIES.iter().find(|(name, _)| definition(schema) == Some(name)) {
            return Self::Single((*word).to_owned());
        }
        let schema = resolved(schema);
        if schema.get("const").is_some() {
            return Self::Single("choice without fields".to_owned());
        }
        if schema.get("oneOf").is_some() || alternatives(schema).len() > 1 {
            return Self::Choice(schema);
        }
        if schema.get("properties").is_some() {
            return Self::Fields(schema);
        }
        if let Some(Value::Array(places)) = schema.get("prefixItems") {
            return Self::Tuple(places);
        }
        if let Some(items) = schema.get("items") {
            return Self::List(items);
        }
        let by_pattern = || schema.get("patternProperties")?.as_object()?.values().next();
        if let Some(values) = by_pattern().or_else(|| schema.get("additionalProperties")) {
            return Self::Map(values);
        }
        let words = [
            ("integer", "whole number"),
            ("number", "number"),
            ("boolean", "`true` or `false`"),
            ("string", "text"),
        ];
        if *schema == Value::Bool(true) {
            return Self::Single("value".to_owned()); // Of any kind: a setting that another program knows.
        }
        let word = words.iter().find(|(name, _)| has_type(schema, name));
        Self::Single(word.unwrap_or_else(|| panic!("no field has this schema: {schema}")).1.to_owned())
    }
}

/// Returns the name of the definition to which a schema refers.
pub(super) fn definition(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix(DEFINITION)
}

/// Returns the schema of an optional value that is there.
pub(super) fn present(schema: &Value) -> &Value {
    match alternatives(schema).as_slice() {
        [one] => one,
        _ => schema,
    }
}

/// Returns the schemas of the forms that a value may have, none of them `null`; none if it has one form only.
pub(super) fn alternatives(schema: &Value) -> Vec<&Value> {
    list(schema, "anyOf").filter(|choice| !has_type(choice, "null")).collect()
}

/// Returns the word for values of a form without a name.
pub(super) fn form(schema: &Value) -> &'static str {
    match Shape::of(schema) {
        Shape::Fields(_) | Shape::Choice(_) => "(...)",
        Shape::List(_) | Shape::Tuple(_) => "list",
        Shape::Map(_) => "map",
        Shape::Single(word) if word == "whole number" => "whole number",
        Shape::Single(word) if word == "number" => "number",
        Shape::Single(_) => "text",
    }
}

/// Returns the type of a field, in words.
pub(super) fn kind(schema: &Value) -> String {
    match Shape::of(schema) {
        Shape::Fields(_) => "fields".to_owned(),
        Shape::Choice(_) => "choice".to_owned(),
        Shape::List(items) => format!("list of {}", plural(items)),
        Shape::Tuple(places) => {
            let kinds: Vec<_> = places.iter().map(kind).collect();
            format!("({})", kinds.join(", "))
        }
        Shape::Map(values) => format!("map of {}", plural(values)),
        Shape::Single(word) => word,
    }
}

/// Returns the type of several values, in words.
fn plural(schema: &Value) -> String {
    match Shape::of(schema) {
        Shape::Fields(_) => "`( )`".to_owned(),
        Shape::Tuple(_) => format!("pairs {}", kind(schema)),
        Shape::List(_) => "lists".to_owned(),
        Shape::Map(values) => format!("maps of {}", plural(values)),
        Shape::Choice(_) => "choices".to_owned(),
        Shape::Single(word) => format!("{word}s"),
    }
}

/// Returns the range of the numbers in a field, in words; `None` if the field has none, or takes any number.
pub(super) fn range(schema: &Value) -> Option<String> {
    match Shape::of(schema) {
        Shape::List(inner) | Shape::Map(inner) => range(inner),
        Shape::Tuple(places) => {
            let ranges: Vec<_> = places.iter().filter_map(range).collect();
            (!ranges.is_empty()).then(|| ranges.join("; "))
        }
        Shape::Single(_) => {
            let schema = resolved(present(schema));
            NumberRange::of(schema).and_then(|range| in_words(range, schema))
        }
        Shape::Fields(_) | Shape::Choice(_) => None,
    }
}

fn in_words(range: NumberRange, schema: &Value) -> Option<String> {
    let end = |end: RangeEnd| match end {
        RangeEnd::None => None,
        RangeEnd::Included(end) | RangeEnd::Excluded(end) => Some(end),
    };
    match range {
        NumberRange::Whole { least: 0, .. } if schema.get("maximum").is_none() => None,
        NumberRange::Whole { least, .. } if schema.get("maximum").is_none() => {
            Some(format!("{least} or more"))
        }
        NumberRange::Whole { least, most } => Some(format!("{least} to {most}")),
        NumberRange::Real { least, most } => {
            let lower = match least {
                RangeEnd::Excluded(_) => "above ",
                RangeEnd::None | RangeEnd::Included(_) => "",
            };
            let to = match most {
                RangeEnd::Excluded(_) => " to below ",
                RangeEnd::None | RangeEnd::Included(_) => " to ",
            };
            Some(match (end(least), end(most)) {
                (None, None) => return None,
                (Some(least), None) => format!("{lower}{least} or more"),
                (None, Some(most)) => format!("up to {most}"),
                (Some(least), Some(most)) => format!("{lower}{least}{to}{most}"),
            })
        }
    }
}

/// Returns the default of a field as a scenario would have it; `None` if a value has to be given, or if the field's
/// description says what holds without one.
pub(super) fn default(schema: &Value) -> Option<String> {
    written(schema.get("default")?, schema)
}

fn written(value: &Value, schema: &Value) -> Option<String> {
    match (value, Shape::of(schema)) {
        (Value::Object(fields), Shape::Map(_)) if fields.is_empty() => Some("`{}`".to_owned()),
        (Value::Object(choice), Shape::Choice(schema)) => {
            let (name, fields) = choice.iter().next()?;
            let own = list(schema, "oneOf").filter_map(variant_content).find(|(own, _)| own == name);
            let known = resolved(present(own?.1)).get("properties")?;
            let changed = fields.as_object()?.iter().filter_map(|(field, value)| {
                let own = known.get(field)?;
                let is_usual = own.get("default") == Some(value);
                (!is_usual).then(|| Some(format!("{field}: {}", written(value, own)?.replace('`', ""))))
            });
            let changed = changed.collect::<Option<Vec<_>>>()?;
            Some(if changed.is_empty() {
                format!("`{name}`")
            } else {
                format!("`{name}({})`", changed.join(", "))
            })
        }
        (Value::Object(_), Shape::Fields(_)) => Some("`()`".to_owned()),
        (Value::Array(values), _) if values.is_empty() => Some("`[]`".to_owned()),
        (Value::Null | Value::Object(_) | Value::Array(_), _) => None,
        (Value::String(text), Shape::Choice(_)) => Some(format!("`{text}`")),
        (Value::String(text), _) => Some(format!("`\"{text}\"`")),
        (other, _) => Some(format!("`{other}`")),
    }
}
