//! Schemas of the files of a run, made from the definitions that also write the files.
//!
//! Invariant: every CSV file that a run writes is here, and `docs/outputs.md` has its columns as they are here.

use crate::comparison;
use crate::table::{ColumnSchema, Table};
use crate::tables::{completions, congestion, flows, margins, ports, series};

/// A CSV file: its name, its contents and its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSchema {
    /// Name of the file.
    pub file: &'static str,
    /// Contents of the file, in a phrase.
    pub contents: &'static str,
    /// Columns, in order.
    pub columns: Vec<ColumnSchema>,
}

/// Returns the schemas of all CSV files of `sim` and `compare`, in the order in which they are listed.
#[must_use]
pub fn tables() -> Vec<TableSchema> {
    vec![
        of(&flows::flow_table()),
        of(&flows::phase_table()),
        of(&series::series_table()),
        of(&ports::port_table()),
        of(&congestion::tree_table()),
        of(&congestion::victim_table()),
        of(&margins::table()),
        of(&series::watch_table()),
        of(&completions::table()),
        of(&comparison::file_table()),
    ]
}

fn of<R>(table: &Table<R>) -> TableSchema {
    TableSchema { file: table.file, contents: table.contents, columns: table.schema() }
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use super::*;
    use crate::table::ColumnType;
    use crate::{OutputFile, Summary, files, sample};

    const MANUAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/outputs.md");

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
        let record = sample::record();
        let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        let mut seen = 0;
        for OutputFile { name, contents } in files(&summary, &record, String::new()) {
            let Some(schema) = tables().into_iter().find(|schema| schema.file == name) else {
                assert!(!name.ends_with(".csv"), "{name} has no schema");
                continue;
            };
            seen += 1;
            let mut lines = contents.lines();
            let header: Vec<_> = schema.columns.iter().map(|column| column.name).collect();
            assert_eq!(lines.next(), Some(header.join(",").as_str()), "{name}");
            for line in lines {
                for (cell, column) in line.split(',').zip(&schema.columns) {
                    assert!(is_of(cell, column), "{name}: `{cell}` as {column:?}");
                }
            }
        }
        assert_eq!(seen, tables().len() - 1, "all but compare.csv");
    }

    /// Returns a table of the manual, made from the schema.
    fn page(schema: &TableSchema) -> String {
        let mut text = "| column | type | meaning |\n|---|---|---|\n".to_owned();
        for ColumnSchema { name, kind, meaning, constraints, .. } in &schema.columns {
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

    /// Returns the manual with the table of this file as the schema has it.
    fn with_page(manual: &str, schema: &TableSchema) -> String {
        let heading = format!("\n## `{}`\n", schema.file);
        let section = manual.find(&heading).unwrap_or_else(|| panic!("no section for {}", schema.file));
        let start = section + manual[section..].find("\n| column |").expect("a section has a table") + 1;
        let rows = manual[start..].lines().take_while(|line| line.starts_with('|'));
        let length: usize = rows.map(|line| line.len() + 1).sum();
        format!("{}{}{}", &manual[..start], page(schema), &manual[start + length..])
    }

    #[test]
    fn the_manual_has_the_columns_of_every_file() {
        let present = fs::read_to_string(MANUAL).expect("the manual is there");
        let wanted = tables().iter().fold(present.clone(), |manual, schema| with_page(&manual, schema));
        if env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
            fs::write(MANUAL, wanted).expect("the manual can be written");
        } else {
            let differs = present.lines().zip(wanted.lines()).find(|(is, should)| is != should);
            assert!(present == wanted, "`cargo xtask bless` writes the manual's tables anew: {differs:#?}");
        }
    }
}
