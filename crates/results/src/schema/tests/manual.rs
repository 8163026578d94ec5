//! Tables of `docs/outputs.md` that are made from the schemas: files, columns of tables, fields of JSON.
//!
//! Invariant: the manual has every file, column and field, with the schema's type and meaning. `cargo xtask bless`
//! writes the tables.

use std::collections::BTreeMap;
use std::{env, fs};

use serde_json::Value;

use super::{COMPARED, FileFormat, SWEPT, files, schema_of_type};
use crate::table::{ColumnSchema, ColumnType};
use crate::{manifest, summary, sweep};

const MANUAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/outputs.md");

/// Returns the manual with this table in place of the first table after `place` that begins with `head`.
fn with_table(manual: &str, place: &str, head: &str, table: &str) -> String {
    let section = manual.find(place).unwrap_or_else(|| panic!("the manual lacks `{place}`"));
    let start = section + manual[section..].find(head).expect("a section has a table") + 1;
    let rows = manual[start..].lines().take_while(|line| line.starts_with('|'));
    let length: usize = rows.map(|line| line.len() + 1).sum();
    format!("{}{table}{}", &manual[..start], &manual[start + length..])
}

/// Returns the table of the columns of a file.
fn columns_table(columns: &[ColumnSchema]) -> String {
    let mut text = "| column | type | meaning |\n|---|---|---|\n".to_owned();
    for ColumnSchema { name, kind, meaning, constraints, .. } in columns {
        let word = match kind {
            ColumnType::String => "text",
            ColumnType::Boolean => "boolean",
            ColumnType::Integer => "integer",
            ColumnType::Number => "number",
        };
        let empty = if constraints.required { "" } else { ", or empty" };
        text += &format!("| `{name}` | {word}{empty} | {meaning} |\n");
    }
    text
}

/// Table of the fields of a JSON file: a row for each field, and for each field of the objects in it.
struct FieldsTable<'a> {
    root: &'a Value,
    text: String,
    /// Number of rows.
    rows: usize,
    /// Path where the fields of a type have rows, by the reference to the type.
    described: BTreeMap<&'a str, String>,
}

/// A schema without its references and without `null`.
struct Resolved<'a> {
    schema: &'a Value,
    reference: Option<&'a str>,
    is_optional: bool,
}

impl<'a> FieldsTable<'a> {
    fn of(root: &'a Value) -> Self {
        let text = "| field | type | meaning |\n|---|---|---|\n".to_owned();
        let mut table = Self { root, text, rows: 0, described: BTreeMap::new() };
        table.add_fields(root, "");
        table
    }

    fn resolved(&self, schema: &'a Value) -> Resolved<'a> {
        if let Some(reference) = schema["$ref"].as_str() {
            let target = self.root.pointer(reference.trim_start_matches('#'));
            let target = self.resolved(target.expect("a reference leads somewhere"));
            return Resolved { reference: Some(reference), ..target };
        }
        let has_null = |types: &Value| types.as_array().is_some_and(|types| types.contains(&"null".into()));
        match schema["anyOf"].as_array().map(Vec::as_slice) {
            Some([value, other]) if other["type"] == "null" => {
                Resolved { is_optional: true, ..self.resolved(value) }
            }
            _ => Resolved { schema, reference: None, is_optional: has_null(&schema["type"]) },
        }
    }

    /// Adds the fields of an object: those that are always there in the order of its type, then the others by name.
    fn add_fields(&mut self, object: &'a Value, path: &str) {
        // Properties are sorted by name; required ones have the type's order.
        let required: Vec<_> =
            object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let properties = object["properties"].as_object();
        let others = properties.into_iter().flatten().map(|(name, _)| name.as_str());
        let others = others.filter(|name| !required.contains(name));
        for (name, is_always) in
            required.iter().map(|name| (*name, true)).chain(others.map(|name| (name, false)))
        {
            self.add_field(&object["properties"][name], &format!("{path}{name}"), is_always);
        }
    }

    fn add_field(&mut self, property: &'a Value, path: &str, is_always: bool) {
        let Resolved { schema, reference, is_optional } = self.resolved(property);
        let mut kind = kind_of(schema).to_owned();
        let (mut object, mut path_below, mut reference) = (schema, format!("{path}."), reference);
        if kind == "list" {
            let items = self.resolved(&schema["items"]);
            kind = format!("list of {}s", kind_of(items.schema));
            (object, path_below, reference) = (items.schema, format!("{path}[]."), items.reference);
        }
        if !is_always {
            kind += ", or absent";
        } else if is_optional {
            kind += ", or `null`";
        }
        let meaning = property["description"].as_str().or(schema["description"].as_str());
        let mut meaning = meaning.unwrap_or_else(|| panic!("{path} has no meaning")).replace('\n', " ");
        meaning += &choices(object);
        let is_object = object["properties"].is_object();
        let before = reference.and_then(|reference| self.described.get(reference)).filter(|_| is_object);
        if let Some(before) = before {
            meaning += &format!(" Its fields are those of `{before}`.");
        }
        let has_rows = is_object && before.is_none();
        self.text += &format!("| `{path}` | {kind} | {meaning} |\n");
        self.rows += 1;
        if has_rows {
            if let Some(reference) = reference {
                self.described.insert(reference, path.to_owned());
            }
            self.add_fields(object, &path_below);
        }
    }
}

/// Returns the word for the type of a value.
fn kind_of(schema: &Value) -> &'static str {
    let first = schema["type"].as_array().map_or(&schema["type"], |types| &types[0]);
    match first.as_str() {
        Some("boolean") => "boolean",
        Some("integer") => "integer",
        Some("number") => "number",
        Some("array") => "list",
        Some("object") => "object",
        Some("string") => "text",
        // A union: of words, of objects that a word tells apart, or a number that may be known by bounds alone.
        _ if schema["anyOf"].is_array() => "number, or object with bounds",
        _ if schema["oneOf"][0]["properties"].is_object() => "object",
        _ => "text",
    }
}

/// Returns the words that a value may be, or that tell its forms apart, each with its meaning and its other fields.
fn choices(schema: &Value) -> String {
    let mut text = String::new();
    for choice in schema["oneOf"].as_array().into_iter().flatten() {
        let meaning = choice["description"].as_str().expect("a choice has a meaning").replace('\n', " ");
        if let Some(word) = choice["const"].as_str() {
            text += &format!(" `{word}`: {meaning}");
            continue;
        }
        let fields = choice["properties"].as_object().into_iter().flatten();
        let (tags, others): (Vec<_>, Vec<_>) = fields.partition(|(_, field)| field["const"].is_string());
        for (name, tag) in tags {
            text += &format!(" `{name}: {}`", tag["const"]);
        }
        for (name, _) in others {
            text += &format!(" with `{name}`");
        }
        text += &format!(": {meaning}");
    }
    text
}

#[test]
fn the_manual_has_every_file_column_and_field() {
    let present = fs::read_to_string(MANUAL).expect("the manual is there");
    let of_sim =
        files().into_iter().filter(|file| ![&COMPARED[..], &SWEPT].concat().contains(&file.name.as_str()));
    let list: String = of_sim.map(|file| format!("| `{}` | {} |\n", file.name, file.contents)).collect();
    let list = format!("| file | contents |\n|---|---|\n{list}");
    let mut wanted = with_table(&present, "", "\n| file | contents |", &list);
    let mut fields = 0;
    for file in files() {
        let heading = format!("\n## `{}`\n", file.name);
        match &file.format {
            FileFormat::Table(columns) => {
                wanted = with_table(&wanted, &heading, "\n| column |", &columns_table(columns));
            }
            FileFormat::Json(_) => {
                // The type itself, not the stored schema: `bless` writes both in the same run of the tests.
                let schema = schema_of_type(&file.name);
                let table = FieldsTable::of(&schema);
                fields += table.rows;
                wanted = with_table(&wanted, &heading, "\n| field |", &table.text);
            }
            FileFormat::Other(_) => {}
        }
    }
    assert!(fields > 80, "{fields}");
    for schema in [manifest::SCHEMA, summary::SCHEMA, sweep::SCHEMA] {
        assert!(present.contains(&format!("`{schema}`")), "the manual does not name {schema}");
    }
    if env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        fs::write(MANUAL, wanted).expect("the manual can be written");
    } else {
        let differs = present.lines().zip(wanted.lines()).find(|(is, should)| is != should);
        assert!(present == wanted, "`cargo xtask bless` writes the manual's tables anew: {differs:#?}");
    }
}

#[test]
fn fields_of_objects_lists_and_choices_have_rows() {
    let schema = serde_json::json!({
        "$defs": {
            "End": { "oneOf": [
                { "description": "All.", "properties": { "how": { "const": "whole" } } },
                { "description": "Some.", "properties": { "how": { "const": "cut" }, "at_s": { "type": "number" } } },
            ] },
            "Item": { "type": "object", "properties": { "size": { "description": "Size.", "type": ["integer", "null"] } }, "required": ["size"] },
        },
        "properties": {
            "end": { "$ref": "#/$defs/End", "description": "End." },
            "items": { "description": "Items.", "type": "array", "items": { "$ref": "#/$defs/Item" } },
            "first": { "description": "First.", "anyOf": [{ "$ref": "#/$defs/Item" }, { "type": "null" }] },
            "about": { "description": "About.", "type": ["string", "null"] },
        },
        "required": ["items", "first", "end"],
    });
    let table = FieldsTable::of(&schema);
    let rows: Vec<_> = table.text.lines().skip(2).collect();
    assert_eq!(table.rows, 5);
    assert_eq!(
        rows,
        [
            "| `items` | list of objects | Items. |",
            "| `items[].size` | integer, or `null` | Size. |",
            "| `first` | object, or `null` | First. Its fields are those of `items`. |",
            "| `end` | object | End. `how: \"whole\"`: All. `how: \"cut\"` with `at_s`: Some. |",
            "| `about` | text, or absent | About. |",
        ]
    );
}
