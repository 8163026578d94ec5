//! Rows of tables: a struct is the single definition of a CSV file. It makes the cells, the schema and the page of the
//! file, and reads the file.
//!
//! Invariant: a column has the name of its field, and the field's doc comment as its meaning. The type of the field gives
//! the column's type, which cannot depend on a run. Only an `Option` has empty cells. A number always has a point, an
//! integer never.
//!
//! | field | cells | type in a schema |
//! |---|---|---|
//! | `Cow<str>` | names and words | `string` |
//! | `bool` | `true`, `false` | `boolean` |
//! | `u32`, `u64` | counts, sizes, numbers of ports | `integer` |
//! | `f64` | times, rates, shares, means | `number` |

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use serde::Serialize;

use crate::csv_text::CsvText;

/// A row of a table. [`table_row!`](crate::table_row) implements it.
pub trait TableRow {
    /// Name of the file.
    const FILE: &'static str;
    /// Contents of the file, in a phrase.
    const CONTENTS: &'static str;

    /// Returns the columns, in order.
    fn columns() -> Vec<ColumnSchema>;

    /// Appends the cells, in order.
    fn put_cells(&self, csv: &mut CsvText);

    /// Returns the table in CSV (RFC 4180): the header's line, then a line for each row.
    fn csv(rows: impl IntoIterator<Item = Self>) -> String
    where
        Self: Sized,
    {
        let mut csv = CsvText::default();
        csv.line(Self::columns().iter().map(|column| &column.name));
        for row in rows {
            row.put_cells(&mut csv);
            csv.end_line();
        }
        csv.into_text()
    }
}

/// A value of a cell.
pub trait CellValue {
    /// Type of the column.
    const KIND: ColumnType;
    /// True if no cell of the column is empty.
    const REQUIRED: bool = true;

    /// Appends the value as text.
    fn put(&self, csv: &mut CsvText);

    /// Appends a cell with the value.
    fn put_cell(&self, csv: &mut CsvText) {
        csv.begin_cell();
        self.put(csv);
    }
}

/// Implements [`CellValue`] for types with a method of [`CsvText`].
macro_rules! cell_values {
    ($($value:ty, $kind:ident, $put:expr;)*) => {
        $(impl CellValue for $value {
            const KIND: ColumnType = ColumnType::$kind;

            fn put(&self, csv: &mut CsvText) {
                let put: fn(&Self, &mut CsvText) = $put;
                put(self, csv);
            }
        })*
    };
}

cell_values! {
    Cow<'_, str>, String, |text, csv| csv.text(text);
    bool, Boolean, |flag, csv| csv.flag(*flag);
    u32, Integer, |count, csv| csv.count((*count).into());
    u64, Integer, |count, csv| csv.count(*count);
    f64, Number, |number, csv| csv.number(*number);
}

impl<V: CellValue> CellValue for Option<V> {
    const KIND: ColumnType = V::KIND;
    const REQUIRED: bool = false;

    fn put(&self, csv: &mut CsvText) {
        if let Some(value) = self {
            value.put(csv);
        }
    }
}

/// Defines a row: the name of its file, the contents of the file, and a struct with a lifetime. The fields are the
/// columns, with their meanings as doc comments.
///
/// ```
/// results::table_row! {
///     "made.csv": "one row per name";
///     /// A name.
///     pub struct NameRow<'a> {
///         /// The name.
///         pub name: std::borrow::Cow<'a, str>,
///         /// Length of the name.
///         pub length_bytes: u64,
///     }
/// }
/// use results::table::TableRow;
/// let row = NameRow { name: "F1".into(), length_bytes: 2 };
/// assert_eq!(NameRow::csv([row]), "name,length_bytes\nF1,2\n");
/// ```
#[macro_export]
macro_rules! table_row {
    (
        $file:literal: $contents:literal;
        $(#[$attribute:meta])*
        $visibility:vis struct $row:ident<$lifetime:lifetime> {
            $($(#[doc = $meaning:literal])+ pub $column:ident: $value:ty,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        $visibility struct $row<$lifetime> {
            $($(#[doc = $meaning])+ pub $column: $value,)+
        }

        impl<$lifetime> $crate::table::TableRow for $row<$lifetime> {
            const FILE: &'static str = $file;
            const CONTENTS: &'static str = $contents;

            fn columns() -> Vec<$crate::table::ColumnSchema> {
                vec![$($crate::table::ColumnSchema::of::<$value>(
                    stringify!($column),
                    concat!($($meaning),+),
                )),+]
            }

            fn put_cells(&self, csv: &mut $crate::csv_text::CsvText) {
                $($crate::table::CellValue::put_cell(&self.$column, csv);)+
            }
        }
    };
}

/// Names columns of a row. A name that no field has does not compile.
///
/// ```
/// use results::rows::PortRow;
/// assert_eq!(results::columns!(PortRow: node, port), &["node", "port"]);
/// ```
#[macro_export]
macro_rules! columns {
    ($row:ident: $($column:ident),+ $(,)?) => {{
        let _ = |row: &$row<'_>| {
            $(let _ = &row.$column;)+
        };
        &[$(stringify!($column)),+]
    }};
}

/// Names a column of a row, as [`columns!`](crate::columns) does.
#[macro_export]
macro_rules! column {
    ($row:ident: $column:ident) => {
        $crate::columns!($row: $column)[0]
    };
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

/// A column: name, type, unit and meaning.
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

    /// Creates the schema of a column of these values. `meaning` is a doc comment, with a space before each line.
    #[must_use]
    pub fn of<V: CellValue>(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, V::KIND, V::REQUIRED, meaning.trim_start())
    }
}

/// Limits of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Constraints {
    /// True if no cell is empty.
    pub required: bool,
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
const UNITS: [(&str, &str); 11] = [
    // Before the ending `_s`.
    ("_gbyte_per_s", "GB/s"),
    ("_bytes_per_s", "B/s"),
    ("_messages_per_s", "messages/s"),
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
    use crate::csv_text;

    table_row! {
        "made.csv": "rows";
        /// A row.
        struct Row<'a> {
            /// Its name.
            pub name: Cow<'a, str>,
            /// True above 9,
            /// and false else.
            pub big: bool,
            /// Bytes.
            pub sent_bytes: u64,
            /// Packets.
            pub more_packets: Option<u32>,
            /// Time.
            pub time_s: f64,
            /// Rate.
            pub rate_bps: Option<f64>,
            /// A word.
            pub word: Option<Cow<'a, str>>,
        }
    }

    fn rows() -> [Row<'static>; 2] {
        let row = |name: &'static str, count: u64, rate_bps| Row {
            name: name.into(),
            big: count > 9,
            sent_bytes: count,
            more_packets: count.checked_sub(10).map(|more| more as u32),
            time_s: count as f64 / 4.0,
            rate_bps,
            word: (count > 9).then_some("yes".into()),
        };
        [row("a,b", 4, None), row("c", 11, Some(1e-7))]
    }

    #[test]
    fn numbers_have_a_point_and_missing_cells_are_empty() {
        let wanted = "name,big,sent_bytes,more_packets,time_s,rate_bps,word\n\"a,b\",false,4,,1.0,,\n\
                      c,true,11,1,2.75,0.0000001,yes\n";
        assert_eq!(Row::csv(rows()), wanted);
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        assert_eq!(csv_text::rows::<Row<'_>>(&Row::csv(rows())), Ok(rows().to_vec()));
    }

    #[test]
    fn a_schema_has_types_units_and_the_columns_that_may_be_empty() {
        let schema = Row::columns();
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
        assert_eq!(schema[1].meaning, "True above 9, and false else.");
        assert_eq!([unit("victim_gbps_ci95"), unit("jain_ci95")], [Some("Gb/s"), None]);
        assert_eq!([unit("busbw_gbyte_per_s"), unit("iteration_s")], [Some("GB/s"), Some("s")]);
    }
}
