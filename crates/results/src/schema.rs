//! Schemas of the files of a result folder, made from the definitions that also write the files.
//!
//! Invariant: every file that `sim`, `compare` or `sweep` writes is here. `docs/outputs.md` has the list of files and the columns of
//! tables as they are here. Schemas of JSON files stand in the folder `schema`, as the types have them: `cargo xtask bless` writes them.
//!
//! | format | schema |
//! |---|---|
//! | CSV | Table Schema of the Data Package standard (datapackage.org), with `unit` as a further property |
//! | Parquet | the same, with the types in Parquet as `parquet` |
//! | JSON | JSON Schema, draft 2020-12 |
//! | other | none |

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::choice::PAGE;
use crate::comparison;
use crate::figure_files::FIGURE_FILES;
use crate::manifest::RESULT;
use crate::parquet::parquet_name;
use crate::table::{Column, ColumnSchema, Table};
use crate::tables::{completions, congestion, flows, margins, observed, ports, series, timeline};

/// A file of a result folder.
#[derive(Clone, Debug, PartialEq)]
pub struct FileSchema {
    /// Name of the file.
    pub name: String,
    /// Contents of the file, in Markdown.
    pub contents: Cow<'static, str>,
    /// Format of the file.
    pub format: FileFormat,
}

/// Format of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum FileFormat {
    /// CSV with these columns.
    Table(Vec<ColumnSchema>),
    /// JSON with this schema.
    Json(Value),
    /// Another format, by its media type.
    Other(&'static str),
}

/// Returns all files of `sim`, `compare` and `sweep`, in the order in which they are listed.
#[must_use]
pub fn files() -> Vec<FileSchema> {
    let other = |name: &str, contents, media_type| FileSchema {
        name: name.to_owned(),
        contents: Cow::Borrowed(contents),
        format: FileFormat::Other(media_type),
    };
    let mut files = vec![
        json_file(
            "run.json",
            "the manifest: which run this is, how it ended, and its files",
            include_str!("schema/run.json"),
        ),
        json_file(
            "summary.json",
            "the results of the run, as one JSON object",
            include_str!("schema/summary.json"),
        ),
    ];
    files.extend(run_tables());
    files.extend([
        other(
            "fct.txt",
            "one line per acknowledged message, in the format of HPCC's simulator, with `--fct-txt`",
            PLAIN,
        ),
        other(
            "plan.ron",
            "the scenario with every override and default filled in; running it gives the same digest, with or without \
             `--drain`",
            PLAIN,
        ),
    ]);
    files.push(other(
        PAGE,
        "the whole folder as one page, with `sim --open` or by `backwater report DIR`",
        "text/html",
    ));
    files.extend(FIGURE_FILES.iter().map(|figure| other(figure.name, figure.contents, SVG)));
    files.extend([
        table(&comparison::file_table()),
        other("compare.txt", "the printed tables of `compare`", PLAIN),
        other("compare.svg", "goodput and completion times of each run of `compare`, as a figure", SVG),
    ]);
    files.extend([
        table(&sweep_table()),
        other(
            "results.schema.json",
            "Table Schema of all columns of `results.csv` beside it",
            "application/json",
        ),
        other("sweep.jsonl", "the plan of `sweep`: a line of JSON for each run", "application/jsonl"),
        other(
            RESULT,
            "the result of a run of `sweep`: its measures, histograms of completion times, and digests of its files",
            "application/json",
        ),
    ]);
    files
}

/// Returns the tables of a run.
fn run_tables() -> [FileSchema; 17] {
    [
        table(&flows::flow_table()),
        table(&flows::phase_table()),
        table(&series::series_table()),
        table(&ports::port_table()),
        table(&congestion::files::tree_table()),
        table(&congestion::files::root_table()),
        table(&congestion::files::contributor_table()),
        table(&congestion::files::victim_table()),
        table(&congestion::worst::table()),
        table(&series::watch_table()),
        table(&observed::port_table()),
        table(&observed::source_table()),
        table(&observed::pause_table()),
        table(&timeline::output_table()),
        table(&timeline::tree_table()),
        table(&margins::table()),
        table(&completions::table()),
    ]
}

/// Returns the columns of a table of a run; none if there is no such table.
#[must_use]
pub fn columns(file: &str) -> Vec<ColumnSchema> {
    let found = run_tables().into_iter().find(|table| table.name == file).map(|table| table.format);
    if let Some(FileFormat::Table(columns)) = found { columns } else { Vec::new() }
}

/// Returns the columns that the table of every sweep has.
fn sweep_table() -> Table<()> {
    let columns = vec![
        Column::count(
            "run",
            "number of the run, from 1; columns of the varied paths and lists of variants follow",
            |()| 0,
        ),
        Column::optional_count(
            "seed",
            "seed of the run; columns of `seeds.traffic`, `seeds.ecmp` and `seeds.marking` follow if they are varied",
            |()| None,
        ),
        Column::text(
            "ended",
            "end of the run: `complete`, `done`, `not_done`, `gave_up`, or a fault of its fabric, `not_lossless`, `stands_still`; without results `over_time`, `over_memory`, `deadlock`, `violation`, \
             `not_run`",
            |()| "",
        ),
        Column::optional_count("lost_packets", "packets lost; columns of measures follow", |()| None),
        Column::optional_text("digest", "digest of the run", |()| None),
        Column::text("name", "name of the run's folder in `runs`", |()| ""),
    ];
    Table { file: "results.csv", contents: "the table of `sweep`: one row per run", columns }
}

const SVG: &str = "image/svg+xml";
const PLAIN: &str = "text/plain";

/// Returns the schema of all files, and of `more`: a descriptor of the Data Package standard. A resource of JSON has its schema in the
/// property `jsonSchema`, and one of
/// CSV of a run the name of the same table in Parquet in the property `parquet`.
///
/// # Panics
/// Never: schemas are plain data.
#[must_use]
pub fn package(more: &[FileSchema]) -> String {
    let resource = |file: &FileSchema| {
        let FileSchema { name, contents, .. } = file;
        let (stem, media_type) = (name.replace(['.', '/'], "-"), file.media_type());
        let mut resource =
            json!({ "name": stem, "path": name, "description": contents, "mediatype": media_type });
        match &file.format {
            FileFormat::Table(_) => {
                resource["schema"] = file.schema().expect("a table has a schema");
            }
            FileFormat::Json(schema) => resource["jsonSchema"] = schema.clone(),
            FileFormat::Other(_) => {}
        }
        resource
    };
    let of_run = |file: &FileSchema| {
        let mut resource = resource(file);
        if matches!(file.format, FileFormat::Table(_)) {
            resource["parquet"] = parquet_name(&file.name).into();
        }
        resource
    };
    let resources: Vec<_> = files().iter().map(of_run).chain(more.iter().map(resource)).collect();
    pretty(&json!({ "$schema": PACKAGE_SCHEMA, "name": "backwater-results", "resources": resources }))
}

const PACKAGE_SCHEMA: &str = "https://datapackage.org/profiles/2.0/datapackage.json";
const TABLE_SCHEMA: &str = "https://datapackage.org/profiles/2.0/tableschema.json";

impl FileSchema {
    /// Returns the schema: a Table Schema for CSV, a JSON Schema for JSON, `None` for other formats.
    #[must_use]
    pub fn schema(&self) -> Option<Value> {
        match &self.format {
            FileFormat::Table(columns) => {
                Some(json!({ "$schema": TABLE_SCHEMA, "fields": columns, "missingValues": [""] }))
            }
            FileFormat::Json(schema) => Some(schema.clone()),
            FileFormat::Other(_) => None,
        }
    }

    /// Returns the schema of the same table in Parquet: that of the CSV, with the type in Parquet of each column, and without words
    /// for missing values, which are null. `None` for other formats.
    #[must_use]
    pub fn parquet_schema(&self) -> Option<Value> {
        let FileFormat::Table(columns) = &self.format else { return None };
        let field = |column: &ColumnSchema| {
            let mut field = json!(column);
            field["parquet"] = column.kind.in_parquet().into();
            field
        };
        let fields: Vec<_> = columns.iter().map(field).collect();
        Some(json!({ "$schema": TABLE_SCHEMA, "fields": fields }))
    }

    /// Returns the media type.
    #[must_use]
    pub const fn media_type(&self) -> &'static str {
        match self.format {
            FileFormat::Table(_) => "text/csv",
            FileFormat::Json(_) => "application/json",
            FileFormat::Other(media_type) => media_type,
        }
    }
}

/// Returns a schema as indented JSON that ends with a newline.
///
/// # Panics
/// Never: a schema is plain data.
#[must_use]
pub fn pretty(schema: &Value) -> String {
    names::json::escaped(serde_json::to_string_pretty(schema).expect("a schema is plain data") + "\n")
}

fn table<R>(table: &Table<R>) -> FileSchema {
    FileSchema {
        name: table.file.to_owned(),
        contents: Cow::Borrowed(table.contents),
        format: FileFormat::Table(table.schema()),
    }
}

fn json_file(name: &str, contents: &'static str, schema: &str) -> FileSchema {
    let schema = serde_json::from_str(schema).expect("a test reads it");
    FileSchema { name: name.to_owned(), contents: contents.into(), format: FileFormat::Json(schema) }
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use schemars::JsonSchema;
    use schemars::generate::SchemaSettings;

    use super::*;
    use crate::manifest::{self, MANIFEST, Manifest};
    use crate::table::ColumnType;
    use crate::{FILE_NAMES, OutputFile, Summary, sample};

    const MANUAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/outputs.md");
    /// Files of `compare` alone.
    const COMPARED: [&str; 3] = ["compare.csv", "compare.txt", "compare.svg"];
    /// Files of `sweep` alone.
    const SWEPT: [&str; 4] = ["results.csv", "results.schema.json", "sweep.jsonl", RESULT];

    fn schema_of(name: &str) -> FileSchema {
        files().into_iter().find(|file| file.name == name).unwrap_or_else(|| panic!("{name} has no schema"))
    }

    /// Compares the schema of a JSON file with the type that writes the file. With `INSTA_UPDATE=always`, the schema is written instead.
    fn assert_schema<T: JsonSchema>(name: &str) {
        let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let wanted = pretty(&generator.into_root_schema_for::<T>().to_value());
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

    /// Returns the first place where a value is not as its schema says, has a field besides, or lacks one. Knows the words
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
        let below = |(name, value, schema): (String, &Value, &Value)| {
            fault(value, schema, root, &format!("{at}/{name}"))
        };
        items.find_map(below).or_else(|| fields.find_map(below))
    }

    /// Returns true if a value has one of these types.
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

    #[test]
    fn the_manual_describes_every_field_of_json() {
        let manual = fs::read_to_string(MANUAL).expect("the manual is there");
        let mut open: Vec<Value> = files()
            .into_iter()
            .filter_map(|file| match file.format {
                FileFormat::Json(schema) => Some(schema),
                _ => None,
            })
            .collect();
        let mut seen = 0;
        while let Some(value) = open.pop() {
            for name in
                value.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.keys())
            {
                seen += 1;
                assert!(manual.contains(&format!("`{name}`")), "docs/outputs.md does not describe `{name}`");
            }
            match value {
                Value::Object(fields) => open.extend(fields.into_values()),
                Value::Array(values) => open.extend(values),
                _ => {}
            }
        }
        assert!(seen > 80, "{seen}");
    }

    /// Returns the manual with this table in place of the first one after `place` that begins with `head`.
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

    #[test]
    fn the_manual_has_every_file_and_column() {
        let present = fs::read_to_string(MANUAL).expect("the manual is there");
        let of_sim = files()
            .into_iter()
            .filter(|file| ![&COMPARED[..], &SWEPT].concat().contains(&file.name.as_str()));
        let list: String = of_sim.map(|file| format!("| `{}` | {} |\n", file.name, file.contents)).collect();
        let list = format!("| file | contents |\n|---|---|\n{list}");
        let mut wanted = with_table(&present, "", "\n| file | contents |", &list);
        for file in files() {
            if let FileFormat::Table(columns) = &file.format {
                let heading = format!("\n## `{}`\n", file.name);
                wanted = with_table(&wanted, &heading, "\n| column |", &columns_table(columns));
            }
        }
        if env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
            fs::write(MANUAL, wanted).expect("the manual can be written");
        } else {
            let differs = present.lines().zip(wanted.lines()).find(|(is, should)| is != should);
            assert!(present == wanted, "`cargo xtask bless` writes the manual's tables anew: {differs:#?}");
        }
    }
}
