//! Schemas of the files of a result folder, made from the definitions that also write the files.
//!
//! Invariant: every file that `sim`, `compare` or `sweep` writes is here. `docs/outputs.md` has the list of files, the
//! columns of tables and the fields of JSON as they are here. `cargo xtask bless` writes the schemas of JSON files from
//! the types, into the folder `schema`.
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
use crate::figure_files::FIGURE_FILES;
use crate::manifest::RESULT;
use crate::parquet::parquet_name;
use crate::rows::{
    CompareRow, ContributorRow, FlowRow, IterationRow, JobRow, MarginRow, MessageRow, OperationRow,
    OutputMomentRow, PathRow, PathStepRow, PauseRow, PhaseRow, PortRow, PortSeriesRow, RankRow, RootRow,
    SeriesRow, SourceSeriesRow, SweepRow, TreeMomentRow, TreeRow, VictimRow, WatchRow, WorstTreeRow,
};
use crate::sweep::ANSWER;
use crate::table::{ColumnSchema, TableRow};

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

/// Returns all files of `sim`, `compare` and `sweep`, in the order of the list.
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
        table::<CompareRow<'_>>(),
        other("compare.txt", "the printed tables of `compare`", PLAIN),
        other("compare.svg", "goodput and completion times of each run of `compare`, as a figure", SVG),
    ]);
    files.extend([
        table::<SweepRow<'_>>(),
        other(
            "results.schema.json",
            "Table Schema of all columns of `results.csv` beside it",
            "application/json",
        ),
        json_file(
            ANSWER,
            "the answer of `sweep`: four texts, and the mean of each measure by setting, with its interval",
            include_str!("schema/sweep.json"),
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
fn run_tables() -> [FileSchema; 23] {
    [
        table::<FlowRow<'_>>(),
        table::<PathRow<'_>>(),
        table::<PhaseRow<'_>>(),
        table::<SeriesRow<'_>>(),
        table::<PortRow<'_>>(),
        table::<TreeRow<'_>>(),
        table::<RootRow<'_>>(),
        table::<ContributorRow<'_>>(),
        table::<VictimRow<'_>>(),
        table::<WorstTreeRow<'_>>(),
        table::<WatchRow<'_>>(),
        table::<PortSeriesRow<'_>>(),
        table::<SourceSeriesRow<'_>>(),
        table::<PauseRow<'_>>(),
        table::<OutputMomentRow<'_>>(),
        table::<TreeMomentRow<'_>>(),
        table::<JobRow<'_>>(),
        table::<IterationRow<'_>>(),
        table::<RankRow<'_>>(),
        table::<OperationRow<'_>>(),
        table::<PathStepRow<'_>>(),
        table::<MarginRow<'_>>(),
        table::<MessageRow<'_>>(),
    ]
}

/// Returns the columns of a table of a run; none if there is no such table.
#[must_use]
pub fn columns(file: &str) -> Vec<ColumnSchema> {
    let found = run_tables().into_iter().find(|table| table.name == file).map(|table| table.format);
    if let Some(FileFormat::Table(columns)) = found { columns } else { Vec::new() }
}

const SVG: &str = "image/svg+xml";
const PLAIN: &str = "text/plain";

/// Returns the schema of all files, and of `more`: a descriptor of the Data Package standard. A JSON resource has its
/// schema in the property `jsonSchema`. A run's CSV resource has the table's name in Parquet in the property `parquet`.
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

    /// Returns the schema of the same table in Parquet: the schema of the CSV, with each column's type in Parquet. It
    /// has no words for missing values, which are null. `None` for other formats.
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

fn table<R: TableRow>() -> FileSchema {
    FileSchema {
        name: R::FILE.to_owned(),
        contents: Cow::Borrowed(R::CONTENTS),
        format: FileFormat::Table(R::columns()),
    }
}

fn json_file(name: &str, contents: &'static str, schema: &str) -> FileSchema {
    let schema = serde_json::from_str(schema).expect("a test reads it");
    FileSchema { name: name.to_owned(), contents: contents.into(), format: FileFormat::Json(schema) }
}

#[cfg(test)]
mod tests;
