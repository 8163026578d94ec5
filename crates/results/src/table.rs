//! Tables with typed columns: the single definition of a CSV file, which makes its rows, its schema and its page.
//!
//! Invariant: the function that makes a column's cells gives its type, which cannot depend on a run. Only a
//! column made by an `optional_` constructor has empty cells. A number always has a point, an integer never.
//!
//! | column of | cells | type in a schema |
//! |---|---|---|
//! | [`Column::text`] | names and words | `string` |
//! | [`Column::flag`] | `true`, `false` | `boolean` |
//! | [`Column::count`] | counts, sizes, numbers of ports | `integer` |
//! | [`Column::number`] | times, rates, shares, means | `number` |

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use serde::Serialize;

use crate::csv_text::CsvText;

/// A table with rows of type `R`.
#[derive(Debug)]
pub struct Table<R> {
    /// Name of the file.
    pub file: &'static str,
    /// Contents of the file, in a phrase.
    pub contents: &'static str,
    /// Columns, in order.
    pub columns: Vec<Column<R>>,
}

/// A column: its name with its unit, its meaning, and the function that makes its cells.
#[derive(Debug)]
pub struct Column<R> {
    name: &'static str,
    meaning: &'static str,
    cells: Cells<R>,
}

/// The function that makes the cells of a column.
#[derive(Debug)]
enum Cells<R> {
    Text(fn(&R) -> &str),
    OptionalText(fn(&R) -> Option<&str>),
    Flag(fn(&R) -> bool),
    Count(fn(&R) -> u64),
    OptionalCount(fn(&R) -> Option<u64>),
    Number(fn(&R) -> f64),
    OptionalNumber(fn(&R) -> Option<f64>),
}

/// The type of a column, by its name in a Frictionless Table Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Text.
    String,
    /// `true` or `false`.
    Boolean,
    /// A whole number, without a point.
    Integer,
    /// A number with a point.
    Number,
}

impl ColumnType {
    /// Returns the type in Parquet.
    #[must_use]
    pub const fn in_parquet(self) -> &'static str {
        match self {
            Self::String => "BYTE_ARRAY (STRING)",
            Self::Boolean => "BOOLEAN",
            Self::Integer => "INT64",
            Self::Number => "DOUBLE",
        }
    }
}

impl Display for ColumnType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::String => "string",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
        })
    }
}

/// A column without its function: name, type, unit and meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ColumnSchema {
    /// Name, with the unit at its end.
    pub name: Cow<'static, str>,
    /// Type of all cells.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// Unit; `None` for texts, flags, counts, shares and indices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'static str>,
    /// Meaning of a cell, in Markdown.
    #[serde(rename = "description")]
    pub meaning: Cow<'static, str>,
    /// Limits of the cells.
    pub constraints: Constraints,
}

impl ColumnSchema {
    /// Creates the schema of a column; the name ends with the unit. `required` is true if no cell is empty.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        kind: ColumnType,
        required: bool,
        meaning: impl Into<Cow<'static, str>>,
    ) -> Self {
        let (name, meaning) = (name.into(), meaning.into());
        let unit = unit(&name);
        Self { name, kind, unit, meaning, constraints: Constraints { required } }
    }
}

/// Limits of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Constraints {
    /// True if no cell is empty.
    pub required: bool,
}

impl<R> Column<R> {
    /// Creates a column of texts.
    pub const fn text(name: &'static str, meaning: &'static str, cell: fn(&R) -> &str) -> Self {
        Self { name, meaning, cells: Cells::Text(cell) }
    }

    /// Creates a column of texts that may be missing.
    pub const fn optional_text(
        name: &'static str,
        meaning: &'static str,
        cell: fn(&R) -> Option<&str>,
    ) -> Self {
        Self { name, meaning, cells: Cells::OptionalText(cell) }
    }

    /// Creates a column of truth values.
    pub const fn flag(name: &'static str, meaning: &'static str, cell: fn(&R) -> bool) -> Self {
        Self { name, meaning, cells: Cells::Flag(cell) }
    }

    /// Creates a column of integers.
    pub const fn count(name: &'static str, meaning: &'static str, cell: fn(&R) -> u64) -> Self {
        Self { name, meaning, cells: Cells::Count(cell) }
    }

    /// Creates a column of integers that may be missing.
    pub const fn optional_count(
        name: &'static str,
        meaning: &'static str,
        cell: fn(&R) -> Option<u64>,
    ) -> Self {
        Self { name, meaning, cells: Cells::OptionalCount(cell) }
    }

    /// Creates a column of numbers.
    pub const fn number(name: &'static str, meaning: &'static str, cell: fn(&R) -> f64) -> Self {
        Self { name, meaning, cells: Cells::Number(cell) }
    }

    /// Creates a column of numbers that may be missing.
    pub const fn optional_number(
        name: &'static str,
        meaning: &'static str,
        cell: fn(&R) -> Option<f64>,
    ) -> Self {
        Self { name, meaning, cells: Cells::OptionalNumber(cell) }
    }

    /// Returns the column without its function.
    #[must_use]
    pub fn schema(&self) -> ColumnSchema {
        let (kind, required) = match self.cells {
            Cells::Text(_) => (ColumnType::String, true),
            Cells::OptionalText(_) => (ColumnType::String, false),
            Cells::Flag(_) => (ColumnType::Boolean, true),
            Cells::Count(_) => (ColumnType::Integer, true),
            Cells::OptionalCount(_) => (ColumnType::Integer, false),
            Cells::Number(_) => (ColumnType::Number, true),
            Cells::OptionalNumber(_) => (ColumnType::Number, false),
        };
        ColumnSchema::new(self.name, kind, required, self.meaning)
    }

    /// Appends the cell of a row.
    fn push_cell(&self, csv: &mut CsvText, row: &R) {
        match self.cells {
            Cells::Text(cell) => csv.text(cell(row)),
            Cells::OptionalText(cell) => csv.text(cell(row).unwrap_or_default()),
            Cells::Flag(cell) => csv.flag(cell(row)),
            Cells::Count(cell) => csv.count(cell(row)),
            Cells::OptionalCount(cell) => cell(row).into_iter().for_each(|count| csv.count(count)),
            Cells::Number(cell) => csv.number(cell(row)),
            Cells::OptionalNumber(cell) => cell(row).into_iter().for_each(|number| csv.number(number)),
        }
    }
}

impl<R> Table<R> {
    /// Returns the table in CSV (RFC 4180): the header's line, then a line for each row.
    pub fn csv(&self, rows: impl IntoIterator<Item = R>) -> String {
        let mut csv = CsvText::default();
        csv.line(self.columns.iter().map(|column| column.name));
        for row in rows {
            for (place, column) in self.columns.iter().enumerate() {
                if place > 0 {
                    csv.comma();
                }
                column.push_cell(&mut csv, &row);
            }
            csv.end_line();
        }
        csv.into_text()
    }

    /// Returns the columns without their functions.
    #[must_use]
    pub fn schema(&self) -> Vec<ColumnSchema> {
        self.columns.iter().map(Column::schema).collect()
    }
}

/// Writes a number with a point and without an exponent, so that a reader never takes its column for integers.
///
/// ```
/// assert_eq!([0.0, 2e9, 0.00125].map(results::table::decimal), ["0.0", "2000000000.0", "0.00125"]);
/// ```
#[must_use]
pub fn decimal(value: f64) -> String {
    let mut text = CsvText::default();
    text.number(value);
    text.into_text()
}

/// Endings of names, and the units that they stand for.
const UNITS: [(&str, &str); 8] = [
    ("_s", "s"),
    ("_us", "us"),
    ("_ms", "ms"),
    ("_bps", "bit/s"),
    ("_gbps", "Gb/s"),
    ("_bytes", "B"),
    ("_packets", "packets"),
    ("_packet_times", "packet times"),
];
/// Ending of the name of an interval, in the unit of its number.
pub const INTERVAL: &str = "_ci95";

/// Returns the unit that a column's name ends with.
fn unit(name: &str) -> Option<&'static str> {
    let name = name.strip_suffix(INTERVAL).unwrap_or(name);
    UNITS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, unit)| *unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Row(&'static str, u64, Option<f64>);

    fn table() -> Table<Row> {
        let columns: [Column<Row>; 7] = [
            Column::text("name", "its name", |row| row.0),
            Column::flag("big", "true above 9", |row| row.1 > 9),
            Column::count("sent_bytes", "bytes", |row| row.1),
            Column::optional_count("more_packets", "packets", |row| row.1.checked_sub(10)),
            Column::number("time_s", "time", |row| row.1 as f64 / 4.0),
            Column::optional_number("rate_bps", "rate", |row| row.2),
            Column::optional_text("word", "a word", |row| (row.1 > 9).then_some("yes")),
        ];
        Table { file: "made.csv", contents: "rows", columns: columns.into() }
    }

    #[test]
    fn numbers_have_a_point_and_missing_cells_are_empty() {
        let text = table().csv([Row("a,b", 4, None), Row("c", 11, Some(1e-7))]);
        let wanted = "name,big,sent_bytes,more_packets,time_s,rate_bps,word\n\"a,b\",false,4,,1.0,,\n\
                      c,true,11,1,2.75,0.0000001,yes\n";
        assert_eq!(text, wanted);
    }

    #[test]
    fn a_schema_has_types_units_and_the_columns_that_may_be_empty() {
        let schema = table().schema();
        let of = |name| {
            let column = schema.iter().find(|column| column.name == name).expect("the column is there");
            (column.kind, column.unit, column.constraints.required)
        };
        assert_eq!(of("name"), (ColumnType::String, None, true));
        assert_eq!(of("big"), (ColumnType::Boolean, None, true));
        assert_eq!(of("sent_bytes"), (ColumnType::Integer, Some("B"), true));
        assert_eq!(of("more_packets"), (ColumnType::Integer, Some("packets"), false));
        assert_eq!(of("time_s"), (ColumnType::Number, Some("s"), true));
        assert_eq!(of("rate_bps"), (ColumnType::Number, Some("bit/s"), false));
        assert_eq!(of("word"), (ColumnType::String, None, false));
        assert_eq!([unit("victim_gbps_ci95"), unit("jain_ci95")], [Some("Gb/s"), None]);
    }
}
