//! The description of a place: its fields and choices.

use serde_json::Value;

use super::kind::{Shape, alternatives, default, form, kind, range};
use super::wording::{self, about};
use crate::format::ranges::{list, variant_content};
use crate::format::schema::resolved;

/// A place of the manual: a field by its path, with its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The place itself. Its name is the whole path, empty for the scenario.
    pub place: Field,
    /// Fields of the value, those that must be given first.
    pub fields: Vec<Field>,
    /// Choices for the value.
    pub choices: Vec<Choice>,
    /// Meaning of the values of this type, wherever they stand; empty if the place's own meaning says it.
    pub about_type: String,
}

/// A field in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name of the field.
    pub name: String,
    /// Type: a quantity, a kind of number, a list, ...
    pub kind: String,
    /// Range of the number or numbers; `None` if there is none, or if the meaning states it.
    pub range: Option<String>,
    /// True if a value has to be given.
    pub required: bool,
    /// Value that holds if the field is left out; `None` if there is none, or if the meaning states it.
    pub default: Option<String>,
    /// Meaning, with the unit of a bare number and the source.
    pub about: String,
    /// Path of the entry that describes the field's own fields or choices.
    pub more: Option<String>,
}

/// A choice in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The choice as a scenario writes it: `Off`, `Paced(rate)`, `Poisson(...)`.
    pub form: String,
    /// Name alone.
    pub name: String,
    /// Meaning.
    pub about: String,
    /// Range of the number in parentheses.
    pub range: Option<String>,
    /// Fields of the choice, those that must be given first.
    pub fields: Vec<Field>,
    /// Path of the entry that describes the value in parentheses, if that is not one of this choice alone.
    pub more: Option<String>,
}

/// Finds the entry that describes the values of a schema.
pub(super) type Links<'l> = dyn Fn(&Value) -> Option<String> + 'l;

impl Entry {
    /// Describes the value at a path; `required` if it has to be given.
    pub(super) fn new(path: &str, schema: &Value, required: bool, links: &Links<'_>) -> Self {
        let place = Field::new(path, schema, required, links);
        let about_type = wording::about_type(schema);
        let entry = Self { place, fields: Vec::new(), choices: Vec::new(), about_type };
        match Shape::of(schema) {
            Shape::Fields(parts) => Self { fields: fields(parts, links), ..entry },
            Shape::Choice(parts) => Self { choices: choices(parts, links), ..entry },
            Shape::List(_) | Shape::Tuple(_) | Shape::Map(_) | Shape::Single(_) => entry,
        }
    }
}

impl Field {
    fn new(name: &str, schema: &Value, required: bool, links: &Links<'_>) -> Self {
        Self {
            name: name.to_owned(),
            kind: kind(schema),
            range: range(schema),
            required,
            default: default(schema).filter(|_| !required),
            about: about(schema) + &also_called(schema),
            more: links(schema),
        }
    }
}

/// Returns the sentence that names a field's other name.
fn also_called(schema: &Value) -> String {
    let alias = schema.get("x-alias").and_then(Value::as_str);
    alias.map_or_else(String::new, |alias| format!(" Also called `{alias}`."))
}

/// Returns the fields of a struct: those that must be given in the order of the type, then the others by name.
pub(super) fn parts(schema: &Value) -> Vec<(&str, &Value, bool)> {
    let Some(all) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let required: Vec<&str> = list(schema, "required").filter_map(Value::as_str).collect();
    let first = required.iter().filter_map(|name| Some((*name, all.get(*name)?, true)));
    let others = all.iter().filter(|(name, _)| !required.contains(&name.as_str()));
    let mut others: Vec<_> = others.map(|(name, schema)| (name.as_str(), schema, false)).collect();
    others.sort_by_key(|(name, _, _)| *name);
    first.chain(others).collect()
}

/// Returns the choices of an enum with their contents, and their descriptions as schemas. Of a value with several forms these are
/// the choices of each form, or the form itself.
pub(super) fn variants(schema: &Value) -> Vec<(&str, Option<&Value>, &Value)> {
    let named = list(schema, "oneOf").filter_map(|variant| match variant_content(variant) {
        Some((name, content)) => Some((name, Some(content), variant)),
        None => Some((variant.get("const")?.as_str()?, None, variant)),
    });
    let of_form = |alternative| {
        let inner = variants(resolved(alternative));
        if inner.is_empty() { vec![(form(alternative), None, alternative)] } else { inner }
    };
    named.chain(alternatives(schema).into_iter().flat_map(of_form)).collect()
}

fn fields(schema: &Value, links: &Links<'_>) -> Vec<Field> {
    let field = |(name, schema, required): (&str, &Value, bool)| Field::new(name, schema, required, links);
    parts(schema).into_iter().map(field).collect()
}

fn choices(schema: &Value, links: &Links<'_>) -> Vec<Choice> {
    variants(schema)
        .into_iter()
        .map(|(name, content, variant)| choice(name, content, variant, links))
        .collect()
}

fn choice(name: &str, content: Option<&Value>, variant: &Value, links: &Links<'_>) -> Choice {
    let bare = Choice {
        form: name.to_owned(),
        name: name.to_owned(),
        about: about(variant),
        range: None,
        fields: Vec::new(),
        more: None,
    };
    let Some(content) = content else { return bare };
    let choice = Choice { range: range(content), more: links(content), ..bare };
    match Shape::of(content) {
        Shape::Fields(parts) => {
            Choice { form: format!("{name}(...)"), fields: fields(parts, links), ..choice }
        }
        Shape::Tuple(_) => Choice { form: format!("{name}{}", kind(content)), ..choice },
        Shape::Choice(_) | Shape::List(_) | Shape::Map(_) | Shape::Single(_) => {
            Choice { form: format!("{name}({})", kind(content)), ..choice }
        }
    }
}

/// Returns the path of a part.
pub(super) fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
