//! Tables in Apache Parquet, made from the CSV text of the same table, and turned back into it.
//!
//! Invariant: a Parquet file has the rows, columns and values of its CSV text, so turning it back gives the same bytes.
//! The types come from the columns of the table, never from its cells.
//!
//! | column of | type in Parquet | empty cell |
//! |---|---|---|
//! | text | `BYTE_ARRAY`, logical type `STRING` | null, if the column may be empty |
//! | truth values | `BOOLEAN` | |
//! | integers | `INT64` | null |
//! | numbers | `DOUBLE` | null |
//!
//! Readers and writers are compiled with the feature `parquet` only. Without it the functions exist, and answer with
//! [`ParquetFault::NotBuilt`].

#[cfg(feature = "parquet")]
mod reader;
#[cfg(feature = "parquet")]
mod writer;

use std::fs::File;

use crate::table::{ColumnSchema, ColumnType};

/// True if this build reads and writes Parquet.
pub const IS_BUILT: bool = cfg!(feature = "parquet");

/// An error about a table in Parquet.
#[derive(Debug, thiserror::Error)]
pub enum ParquetFault {
    /// This build has no Parquet.
    #[error("this build of backwater has no Parquet: it needs the feature `parquet`")]
    NotBuilt,
    /// The header of the CSV text does not have the columns of the table.
    #[error("`{found}` stands in the header where the table has the column `{wanted}`")]
    Header {
        /// Column of the table; nothing if the header has more columns.
        wanted: String,
        /// Column of the header; nothing if it has fewer.
        found: String,
    },
    /// A cell does not have the type of its column.
    #[error("line {line}: `{cell}` in the column `{column}` is no {kind} of a Parquet file{}", range_of(*.kind))]
    Cell {
        /// Line of the CSV text, from 1.
        line: u64,
        /// Name of the column.
        column: String,
        /// The cell.
        cell: String,
        /// Type of the column.
        kind: ColumnType,
    },
    /// A column of a Parquet file has a type that no table has.
    #[error("the column `{column}` has a type that no table of backwater has")]
    ForeignType {
        /// Name of the column.
        column: String,
    },
    /// The CSV text or the Parquet file is not well formed.
    #[error("{0}")]
    Malformed(String),
}

fn range_of(kind: ColumnType) -> &'static str {
    if kind == ColumnType::Integer { ", which has 64 bits and a sign" } else { "" }
}

/// A column of a Parquet file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParquetColumn<'a> {
    /// Name, with the unit at its end.
    pub name: &'a str,
    /// Type of all cells.
    pub kind: ColumnType,
    /// True if no cell is empty.
    pub required: bool,
}

impl<'a> From<&'a ColumnSchema> for ParquetColumn<'a> {
    fn from(column: &'a ColumnSchema) -> Self {
        Self { name: &column.name, kind: column.kind, required: column.constraints.required }
    }
}

/// Returns the name of a table in Parquet: `flows.parquet` for `flows.csv`. `None` if the name is no CSV file's.
#[must_use]
pub fn parquet_name(csv: &str) -> Option<String> {
    csv.strip_suffix(".csv").map(|stem| format!("{stem}.parquet"))
}

/// Returns a Parquet file with the rows of a CSV text. `facts` go into the file's metadata, by name. The program's
/// `version` is the file's author.
///
/// # Errors
/// If the text does not have these columns, or a cell does not have its column's type. In a build without Parquet,
/// always.
#[cfg_attr(
    not(feature = "parquet"),
    expect(unused_variables, reason = "without the feature nothing is written")
)]
pub fn of_csv(
    csv: &str,
    columns: &[ParquetColumn<'_>],
    facts: &[(String, String)],
    version: &str,
) -> Result<Vec<u8>, ParquetFault> {
    #[cfg(feature = "parquet")]
    return writer::of_csv(csv, columns, facts, version);
    #[cfg(not(feature = "parquet"))]
    Err(ParquetFault::NotBuilt)
}

/// Returns the CSV text of a Parquet file that [`of_csv`] made.
///
/// # Errors
/// If the file is damaged or of another program; in a build without Parquet always.
#[cfg_attr(
    not(feature = "parquet"),
    expect(unused_variables, clippy::needless_pass_by_value, reason = "without the feature nothing is read")
)]
pub fn to_csv(file: File) -> Result<String, ParquetFault> {
    #[cfg(feature = "parquet")]
    return reader::to_csv(file);
    #[cfg(not(feature = "parquet"))]
    Err(ParquetFault::NotBuilt)
}

#[cfg(all(test, feature = "parquet"))]
mod tests;
