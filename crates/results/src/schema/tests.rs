//! Tests of the schemas: each file as its schema says, and the manual as the schemas say.

mod manual;

use std::{env, fs};

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use super::*;
use crate::manifest::{self, MANIFEST, Manifest};
use crate::sweep::SweepAnswer;
use crate::table::ColumnType;
use crate::{FILE_NAMES, OutputFile, Summary, sample};

/// Files of `compare` alone.
const COMPARED: [&str; 3] = ["compare.csv", "compare.txt", "compare.svg"];
/// Files of `sweep` alone.
const SWEPT: [&str; 5] = ["results.csv", "results.schema.json", ANSWER, "sweep.jsonl", RESULT];

fn schema_of(name: &str) -> FileSchema {
    files().into_iter().find(|file| file.name == name).unwrap_or_else(|| panic!("{name} has no schema"))
}

/// Returns the schema of a type as indented JSON. An absent value is `null` there, and `None` in comments of the code.
fn generated<T: JsonSchema>() -> String {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    pretty(&generator.into_root_schema_for::<T>().to_value()).replace("`None`", "`null`")
}

/// Returns the schema of a JSON file as the type that writes the file has it.
fn schema_of_type(name: &str) -> Value {
    let schema = match name {
        MANIFEST => generated::<Manifest>(),
        "summary.json" => generated::<Summary>(),
        ANSWER => generated::<SweepAnswer>(),
        _ => panic!("no type writes {name}"),
    };
    serde_json::from_str(&schema).expect("a schema is JSON")
}

/// Compares the schema of a JSON file with the type that writes the file. `INSTA_UPDATE=always` writes the schema
/// instead.
fn assert_schema<T: JsonSchema>(name: &str) {
    let wanted = generated::<T>();
    if env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        let file = format!("{}/src/schema/{name}", env!("CARGO_MANIFEST_DIR"));
        fs::write(file, wanted).expect("the file can be written");
        return;
    }
    let present = schema_of(name).schema().expect("a JSON file has a schema");
    assert_eq!(pretty(&present), wanted, "`cargo xtask bless` writes src/schema/{name} anew");
}

#[test]
fn schemas_of_json_files_are_what_the_types_say() {
    assert_schema::<Manifest>("run.json");
    assert_schema::<Summary>("summary.json");
    assert_schema::<SweepAnswer>(ANSWER);
}

#[test]
fn every_file_that_is_written_is_listed() {
    let mut listed: Vec<_> = files().into_iter().map(|file| file.name).collect();
    let written = FILE_NAMES.into_iter().chain([MANIFEST]).chain(COMPARED).chain(SWEPT);
    let mut written: Vec<_> = written.map(str::to_owned).collect();
    listed.sort_unstable();
    written.sort_unstable();
    assert_eq!(listed, written);
}

fn is_of(cell: &str, column: &ColumnSchema) -> bool {
    match column.kind {
        _ if cell.is_empty() => !column.constraints.required,
        ColumnType::String => true,
        ColumnType::Boolean => cell.parse::<bool>().is_ok(),
        ColumnType::Integer => cell.parse::<u64>().is_ok(),
        ColumnType::Number => cell.parse::<f64>().is_ok_and(f64::is_finite) && cell.contains('.'),
    }
}

#[test]
fn every_cell_has_the_type_of_its_column() {
    for OutputFile { name, contents } in sample::files(&sample::record(), "") {
        let FileFormat::Table(columns) = schema_of(&name).format else { continue };
        let mut lines = contents.lines();
        let header: Vec<_> = columns.iter().map(|column| column.name.as_ref()).collect();
        assert_eq!(lines.next(), Some(header.join(",").as_str()), "{name}");
        assert!(lines.clone().count() > 0, "{name} has no row");
        for line in lines {
            for (cell, column) in line.split(',').zip(&columns) {
                assert!(is_of(cell, column), "{name}: `{cell}` as {column:?}");
            }
        }
    }
}

/// Returns the first place where a value violates its schema, has a further field, or lacks a field. Knows the words
/// of JSON Schema that the schemas here use.
fn fault(value: &Value, schema: &Value, root: &Value, at: &str) -> Option<String> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let named = root.pointer(reference.trim_start_matches('#')).expect("a reference leads somewhere");
        return fault(value, named, root, at);
    }
    if let Some(choices) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
        let fits = choices.iter().any(|choice| fault(value, choice, root, at).is_none());
        return (!fits).then(|| format!("{at}: {value} is none of {schema}"));
    }
    let wrong = schema.get("const").is_some_and(|constant| constant != value);
    if wrong || !has_type(value, &schema["type"]) {
        return Some(format!("{at}: {value} is not {schema}"));
    }
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    if let Some(missing) = names.filter_map(Value::as_str).find(|name| value.get(name).is_none()) {
        return Some(format!("{at} lacks {missing}"));
    }
    let items = value.as_array().into_iter().flatten().enumerate();
    let mut items = items.map(|(place, item)| (place.to_string(), item, &schema["items"]));
    let of_field = |name| schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
    let fields = value.as_object().into_iter().flatten();
    let mut fields = fields.map(|(name, field)| (name.clone(), field, of_field(name)));
    let below =
        |(name, value, schema): (String, &Value, &Value)| fault(value, schema, root, &format!("{at}/{name}"));
    items.find_map(below).or_else(|| fields.find_map(below))
}

/// Returns true if a value has any of these types.
fn has_type(value: &Value, types: &Value) -> bool {
    let is = |name: &Value| match name.as_str().unwrap_or_default() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_f64(),
        "integer" => value.is_u64(),
        _ => false,
    };
    types.as_array().map_or_else(|| is(types), |types| types.iter().any(is))
}

#[test]
fn json_is_as_its_schema_says() {
    let mut record = sample::record();
    let assert_summary = |record: &telemetry::RunRecord| {
        let summary = Summary::new(sample::CONTEXT, record, sample::cost());
        let value = serde_json::from_str(&summary.json()).expect("a summary is JSON");
        let schema = schema_of("summary.json").schema().expect("JSON has a schema");
        assert_eq!(fault(&value, &schema, &schema, ""), None);
    };
    assert_summary(&record);
    (record.completions, record.pause_events) = (None, None);
    record.lanes[1].pause = Some(sample::pause());
    assert_summary(&record);
    let schema = schema_of(MANIFEST).schema().expect("JSON has a schema");
    for manifest in manifest::samples() {
        let value = serde_json::from_str(&manifest.json()).expect("a manifest is JSON");
        assert_eq!(fault(&value, &schema, &schema, ""), None);
    }
}

#[test]
fn a_field_of_another_type_or_name_is_found() {
    let schema = schema_of("summary.json").schema().expect("JSON has a schema");
    let summary = Summary::new(sample::CONTEXT, &sample::record(), sample::cost());
    let value: Value = serde_json::from_str(&summary.json()).expect("a summary is JSON");
    let found = |change: &dyn Fn(&mut Value)| {
        let mut value = value.clone();
        change(&mut value);
        fault(&value, &schema, &schema, "").unwrap_or_default()
    };
    assert_eq!(found(&|_| {}), "");
    assert!(found(&|value| value["events"] = 1.5.into()).starts_with("/events: 1.5 is not"));
    assert!(found(&|value| value["audit"]["more"] = 1.into()).starts_with("/audit/more: 1 is not"));
    let without = |value: &mut Value| drop(value.as_object_mut().map(|fields| fields.remove("seed")));
    assert_eq!(found(&without), " lacks seed");
}

#[test]
fn a_table_in_parquet_has_its_types() {
    let schema = schema_of("ports.csv").parquet_schema().expect("a table");
    let of = |name: &str| {
        let mut fields = schema["fields"].as_array().into_iter().flatten();
        let field = fields.find(|field| field["name"] == name).expect("the column is there");
        (field["parquet"].as_str(), field["unit"].as_str())
    };
    assert_eq!(of("link_rate_bps"), (Some("DOUBLE"), Some("bit/s")));
    assert_eq!(of("node"), (Some("BYTE_ARRAY (STRING)"), None));
    assert_eq!(schema.get("missingValues"), None);
    assert_eq!(schema_of("summary.json").parquet_schema(), None);
    assert!(package(&[]).contains("\"parquet\": \"ports.parquet\""));
}
