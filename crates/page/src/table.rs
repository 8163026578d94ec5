//! A table of runs or settings by columns, as data of the script.
//!
//! Invariant: columns are known by their places in the table, as `sweep` and `tune` write them.
//!
//! | table | settings | measures |
//! |---|---|---|
//! | `results.csv`, a row a run | between `run` and `seed` | between `lost_packets` and `digest` |
//! | `trials.csv`, a row a setting | between `winner` and `violation`, without brackets | the others there, such as `p99(all)_s` |

use measures::{Direction, Measure, QuantityInfo, Unit};
use results::csv_text;
use results::reader::{ReadError, RunFiles};
use serde::Serialize;
use serde_json::Value;

use super::data::read_parsed;

/// Folder of the runs of a sweep and of a tuning.
pub(super) const RUNS: &str = "runs/";

/// A setting that a sweep varies.
#[derive(Debug, Serialize)]
pub(super) struct Setting {
    pub(super) name: String,
    pub(super) unit: &'static str,
    /// `number` or `text`. A number may be null: the baseline of a tuning need not have a number.
    pub(super) kind: &'static str,
    pub(super) values: Vec<Value>,
}

#[derive(Debug, Serialize)]
pub(super) struct MeasureColumn {
    pub(super) name: String,
    pub(super) unit: &'static str,
    /// `larger` or `smaller`, as `measures` says.
    pub(super) better: &'static str,
    pub(super) values: Vec<Option<f64>>,
    /// True where the value is a lower bound; `None` if no value can be.
    pub(super) censored: Option<Vec<bool>>,
}

/// The collected table, by columns.
pub(super) struct ColumnTable {
    pub(super) file: &'static str,
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<csv::StringRecord>,
}

impl ColumnTable {
    pub(super) fn read(files: RunFiles<'_>, file: &'static str) -> Result<Self, ReadError> {
        let csv_text::CsvTable { header, rows } = read_parsed(files, file, csv_text::table)?;
        Ok(Self { file, header, rows })
    }

    pub(super) fn place(&self, column: &str) -> Result<usize, ReadError> {
        let missing = || self.malformed(format!("there is no column `{column}`"));
        self.header.iter().position(|name| name == column).ok_or_else(missing)
    }

    pub(super) fn malformed(&self, fault: String) -> ReadError {
        ReadError::Malformed { file: self.file.to_owned(), fault }
    }

    pub(super) fn texts(&self, column: &str) -> Result<Vec<String>, ReadError> {
        Ok(self.cells(self.place(column)?).map(str::to_owned).collect())
    }

    pub(super) fn flags(&self, column: &str) -> Result<Vec<bool>, ReadError> {
        Ok(self.cells(self.place(column)?).map(|cell| cell == "true").collect())
    }

    pub(super) fn cells(&self, place: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().map(move |row| &row[place])
    }

    /// Returns a column of numbers; empty cells have none.
    pub(super) fn numbers(&self, place: usize) -> Result<Vec<Option<f64>>, ReadError> {
        let number = |(line, cell): (usize, &str)| match cell {
            "" => Ok(None),
            cell => cell.parse().map(Some).map_err(|_| {
                self.malformed(format!("line {}: `{}` cannot be `{cell}`", line + 2, self.header[place]))
            }),
        };
        self.cells(place).enumerate().map(number).collect()
    }

    pub(super) fn setting(&self, place: usize) -> Setting {
        let (name, unit) = named_unit(&self.header[place]);
        let numbers = self.numbers(place).ok().filter(|numbers| numbers.iter().any(Option::is_some));
        let (kind, unit, values) = match numbers {
            Some(values) => ("number", unit, values.into_iter().map(Value::from).collect()),
            None => ("text", "", self.cells(place).map(Value::from).collect()),
        };
        Setting { name: name.to_owned(), unit, kind, values }
    }

    pub(super) fn measure(&self, place: usize) -> Result<MeasureColumn, ReadError> {
        let (name, unit, better) = named_measure(&self.header[place]);
        let flags = format!("{name}_censored");
        let flags = self.header.iter().position(|column| *column == flags);
        let censored = flags.map(|flags| self.cells(flags).map(|cell| cell == "true").collect());
        Ok(MeasureColumn { name: name.to_owned(), unit, better, values: self.numbers(place)?, censored })
    }
}

/// Returns a measure's column without its unit, the unit, and the better direction. A column that is no measure, such
/// as the violation of constraints, is better if it is smaller.
pub(super) fn named_measure(column: &str) -> (&str, &'static str, &'static str) {
    let read = Measure::read_first(column).ok();
    let Some((QuantityInfo { unit, better, .. }, rest)) =
        read.map(|(measure, rest)| (measure.quantity.info(), rest))
    else {
        let (name, unit) = named_unit(column);
        return (name, unit, Direction::Smaller.word());
    };
    let name = &column[..column.len() - rest.len()];
    (name, if unit == Unit::One { "" } else { unit.symbol() }, better.word())
}

/// Returns a setting's column without its unit, and the unit.
fn named_unit(column: &str) -> (&str, &'static str) {
    let units = [("_bps", "bit/s"), ("_bytes", "B"), ("_us", "us"), ("_s", "s"), ("_m", "m")];
    let found = units.iter().find_map(|(end, unit)| Some((column.strip_suffix(end)?, *unit)));
    found.unwrap_or((column, ""))
}

impl Setting {
    /// Returns the value of a run in words, with the unit of the column, or with `unit` if that has none.
    pub(super) fn in_words(&self, run: usize, unit: &str) -> String {
        let value = &self.values[run];
        // A whole number needs no decimals.
        let number = value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 1e15);
        let text = number.map(|number| format!("{number:.0}"));
        let text = text.or_else(|| value.as_str().map(str::to_owned)).unwrap_or_else(|| value.to_string());
        match (value, if self.unit.is_empty() { unit } else { self.unit }) {
            (Value::Null, _) => String::new(),
            (_, "") => text,
            (_, unit) => format!("{text} {unit}"),
        }
    }

    pub(super) fn is_varied(&self) -> bool {
        self.values.iter().any(|value| *value != self.values[0])
    }
}

/// Returns the names of the settings that differ.
pub(super) fn in_words(settings: &[Setting]) -> String {
    let names: Vec<_> =
        settings.iter().filter(|one| one.is_varied()).map(|setting| setting.name.as_str()).collect();
    if names.is_empty() { "nothing is varied but the seed".to_owned() } else { names.join(", ") }
}
