//! The table of all results of a sweep: a row a run, columns typed with units.
//!
//! Invariant: the table follows from the plan and the results alone. The order in which runs ended does not matter, nor
//! the number of threads, shards or machines. A cell that a run does not have is empty.

use std::collections::BTreeSet;

use results::column;
use results::parquet::{self, ParquetColumn, ParquetFault};
use results::rows::SweepRow;
use results::table::{ColumnType, decimal};
use serde_json::{Value, json};

use super::rows::SweepPlan;
use super::seeds::SeedKind;
use super::values::{self, Kind};
use crate::simulation::VERSION;
use crate::store::UnitResult;
use measures::{Measure, Measured, Quantity, Unit as MeasureUnit};

/// A column of the collected table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultColumn {
    /// Name, with the unit at its end.
    pub name: String,
    /// Type of its cells.
    pub kind: ColumnType,
    /// Unit; `None` for words, counts and shares.
    pub unit: Option<&'static str>,
    /// True if no cell is empty.
    pub required: bool,
    /// Meaning of a cell.
    pub meaning: String,
}

/// The collected table.
#[derive(Clone, Debug, PartialEq)]
pub struct Collected {
    /// Columns, in order.
    pub columns: Vec<ResultColumn>,
    /// Cells of each run, in order of runs; an empty text is a missing cell.
    pub rows: Vec<Vec<String>>,
}

/// Ends of a row without a result.
const NOT_RUN: &str = "not_run";

impl Collected {
    /// Collects the results of the runs of a plan, in their order; `None` for a run without a result. Without
    /// `measures`, each stored measure of the whole run is a column if any run has a value of it.
    #[must_use]
    pub fn of(plan: &SweepPlan, results: &[Option<UnitResult>], measures: Option<&[Measure]>) -> Self {
        let mut table = Self { columns: Vec::new(), rows: vec![Vec::new(); plan.runs.len()] };
        let count = |name: &str, meaning: &str| ResultColumn {
            name: name.to_owned(),
            kind: ColumnType::Integer,
            unit: None,
            required: true,
            meaning: meaning.to_owned(),
        };
        table.add(count(column!(SweepRow: run), "number of the run, from 1"), |run| {
            Some((run + 1).to_string())
        });
        for (place, path) in plan.columns().into_iter().enumerate() {
            let labels: Vec<_> = plan.runs.iter().map(|run| run.settings[place].1.as_str()).collect();
            let (column, cells) = setting(path, &labels);
            table.add(column, |run| Some(cells[run].clone()));
        }
        let optional = |column: ResultColumn| ResultColumn { required: false, ..column };
        let result = |run: usize| results[run].as_ref();
        table.add(optional(count(column!(SweepRow: seed), "seed of the run")), |run| {
            result(run)
                .map(|result| result.seed)
                .or(plan.runs[run].unit.seeds.run)
                .map(|seed| seed.to_string())
        });
        for kind in SeedKind::ALL.into_iter().skip(1) {
            if plan.runs.iter().any(|run| kind.of(run.unit.seeds).is_some()) {
                let name = format!("seeds.{}", kind.name());
                let column = optional(count(&name, &format!("seed of {}", kind.name())));
                table.add(column, |run| kind.of(plan.runs[run].unit.seeds).map(|seed| seed.to_string()));
            }
        }
        let word =
            |name: &str, meaning: &str| ResultColumn { kind: ColumnType::String, ..count(name, meaning) };
        table.add(word(column!(SweepRow: ended), "end of the run; `not_run` if it has no result"), |run| {
            Some(result(run).map_or(NOT_RUN, |result| result.word()).to_owned())
        });
        table.add(optional(count(column!(SweepRow: lost_packets), "packets lost")), |run| {
            result(run)?.lost_packets.map(|lost| lost.to_string())
        });
        let own = measures.map_or_else(|| having_values(results), <[Measure]>::to_vec);
        own.iter().for_each(|measure| table.add_measure(measure, results));
        table.add(optional(word(column!(SweepRow: digest), "digest of the run")), |run| {
            result(run)?.digest.clone()
        });
        table.add(word(column!(SweepRow: name), "name of the run's folder"), |run| {
            Some(plan.runs[run].name.clone())
        });
        table
    }

    fn add(&mut self, column: ResultColumn, cell: impl Fn(usize) -> Option<String>) {
        self.columns.push(column);
        for (place, row) in self.rows.iter_mut().enumerate() {
            row.push(cell(place).unwrap_or_default());
        }
    }

    /// Adds the column of a measure. If its values can be lower bounds, a second column marks such values.
    fn add_measure(&mut self, measure: &Measure, results: &[Option<UnitResult>]) {
        let unit = measure.quantity.info().unit;
        let name = measure.column_name();
        // A result has thousands of measures, and nearly all results have them in the same places.
        let of_measure = |one: &Measured| one.measure == *measure;
        let place = results.iter().flatten().find_map(|result| result.measures.iter().position(of_measure));
        let measured = |run: usize| {
            let result = results[run].as_ref()?;
            let there = place.and_then(|place| result.measures.get(place)).filter(|one| of_measure(one));
            there.or_else(|| result.measured(measure))
        };
        let column = ResultColumn {
            name,
            kind: ColumnType::Number,
            unit: unit_of(unit),
            required: false,
            meaning: format!("{measure}: {}", measure.quantity.info().about),
        };
        self.add(column, |run| measured(run)?.value.map(decimal));
        if can_be_censored(measure.quantity) {
            let column = ResultColumn {
                name: format!("{measure}_censored"),
                kind: ColumnType::Boolean,
                unit: None,
                required: false,
                meaning: format!("true if {measure} is a lower bound: the run ended before"),
            };
            let of_value = |one: &Measured| one.value.map(|_| one.censored.to_string());
            self.add(column, |run| measured(run).and_then(of_value));
        }
    }

    /// Returns the table in CSV.
    #[must_use]
    pub fn csv(&self) -> String {
        let header = self.columns.iter().map(|column| column.name.clone()).collect();
        results::format::csv(header, self.rows.iter().cloned())
    }

    /// Returns the table in Parquet. `facts` stand in the metadata of the file, by name, with the Table Schema as
    /// `backwater.schema`.
    ///
    /// # Errors
    /// If a seed does not fit into the integers of Parquet, or this build has no Parquet.
    pub fn parquet(&self, mut facts: Vec<(String, String)>) -> Result<Vec<u8>, ParquetFault> {
        let columns: Vec<_> = self
            .columns
            .iter()
            .map(|ResultColumn { name, kind, required, .. }| ParquetColumn {
                name,
                kind: *kind,
                required: *required,
            })
            .collect();
        facts.push(("backwater.schema".to_owned(), self.schema()));
        parquet::of_csv(&self.csv(), &columns, &facts, VERSION)
    }

    /// Returns the Table Schema of the table, as indented JSON.
    #[must_use]
    pub fn schema(&self) -> String {
        let field = |column: &ResultColumn| -> Value {
            let ResultColumn { name, kind, unit, required, meaning } = column;
            let mut field = json!({
                "name": name, "type": kind, "description": meaning, "constraints": { "required": required }
            });
            if let Some(unit) = unit {
                field["unit"] = json!(unit);
            }
            field
        };
        let fields: Vec<_> = self.columns.iter().map(field).collect();
        results::schema::pretty(&json!({ "fields": fields, "missingValues": [""] }))
    }
}

/// Returns the measures of whole runs that have a value in any run, in the order in which they are stored.
fn having_values(results: &[Option<UnitResult>]) -> Vec<Measure> {
    let all = results.iter().flatten().flat_map(|result| &result.measures);
    let mut known = Vec::new();
    let mut seen = BTreeSet::new();
    for one in all.filter(|one| one.value.is_some() && one.measure.phase.is_none()) {
        if seen.insert(&one.measure) {
            known.push(one.measure.clone());
        }
    }
    known
}

/// Returns true if the end of a run can leave no more than a lower bound.
const fn can_be_censored(quantity: Quantity) -> bool {
    matches!(
        quantity,
        Quantity::P50
            | Quantity::P95
            | Quantity::P99
            | Quantity::P999
            | Quantity::MeanCompletion
            | Quantity::Last
            | Quantity::SlowdownP50
            | Quantity::SlowdownP99
            | Quantity::Recovery
    )
}

const fn unit_of(unit: MeasureUnit) -> Option<&'static str> {
    match unit {
        MeasureUnit::BitsPerSecond => Some("bit/s"),
        MeasureUnit::Seconds => Some("s"),
        MeasureUnit::Bytes => Some("B"),
        MeasureUnit::BytesPerSecond => Some("B/s"),
        MeasureUnit::Packets => Some("packets"),
        MeasureUnit::MessagesPerSecond => Some("messages/s"),
        MeasureUnit::One => None,
    }
}

/// Returns the column of a varied path. Quantities of the same kind are numbers in its unit, which ends the name;
/// numbers are numbers; everything else is text as it was written.
fn setting(path: &str, labels: &[&str]) -> (ResultColumn, Vec<String>) {
    let column = |ending: &str, kind, unit, meaning: &str| ResultColumn {
        name: format!("{path}{ending}"),
        kind,
        unit,
        required: true,
        meaning: meaning.to_owned(),
    };
    let bare: Vec<_> = labels.iter().map(|label| label.trim().trim_matches('"').replace('_', "")).collect();
    // Before quantities: whole numbers of 64 bits would lose digits as floating-point numbers.
    if bare.iter().all(|label| label.parse::<i64>().is_ok()) {
        return (column("", ColumnType::Integer, None, "value of the field"), bare);
    }
    let quantities: Option<Vec<_>> = labels.iter().map(|label| values::quantity(label)).collect();
    let quantities = quantities.unwrap_or_default();
    let numbers = |size: f64| quantities.iter().map(|(_, value)| decimal(value / size)).collect();
    let all =
        |kinds: &[Kind]| !quantities.is_empty() && quantities.iter().all(|(kind, _)| kinds.contains(kind));
    if all(&[Kind::Whole, Kind::Real]) {
        (column("", ColumnType::Number, None, "value of the field"), numbers(1.0))
    } else if all(&[Kind::Time]) {
        (column("_s", ColumnType::Number, Some("s"), "value of the field"), numbers(1e12))
    } else if all(&[Kind::Data]) {
        // Whole bytes: the column holds integers.
        let bytes = quantities.iter().map(|(_, value)| format!("{value:.0}")).collect();
        (column("_bytes", ColumnType::Integer, Some("B"), "value of the field"), bytes)
    } else if all(&[Kind::Rate]) {
        (column("_bps", ColumnType::Number, Some("bit/s"), "value of the field"), numbers(1.0))
    } else if all(&[Kind::Length]) {
        (column("_m", ColumnType::Number, Some("m"), "value of the field"), numbers(1e3))
    } else {
        let texts = labels.iter().map(|&label| label.to_owned()).collect();
        (column("", ColumnType::String, None, "value of the field, or name of the variant"), texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_settings_have_types_and_units() {
        let of = |labels: &[&str]| {
            let (column, cells) = setting("x", labels);
            (column.name, column.kind, cells.join(" "))
        };
        let text = str::to_owned;
        assert_eq!(of(&["1", "1_000"]), (text("x"), ColumnType::Integer, text("1 1000")));
        assert_eq!(of(&["1", "0.5"]), (text("x"), ColumnType::Number, text("1.0 0.5")));
        assert_eq!(of(&["1 us", "\"2 ms\""]), (text("x_s"), ColumnType::Number, text("0.000001 0.002")));
        assert_eq!(of(&["1 KiB", "1 KB"]), (text("x_bytes"), ColumnType::Integer, text("1024 1000")));
        assert_eq!(of(&["1 Gb/s", "2 b/s"]), (text("x_bps"), ColumnType::Number, text("1000000000.0 2.0")));
        assert_eq!(of(&["2 m", "5 mm"]), (text("x_m"), ColumnType::Number, text("2.0 0.005")));
        assert_eq!(of(&["1 us", "1 KiB"]), (text("x"), ColumnType::String, text("1 us 1 KiB")));
        assert_eq!(of(&["Off", "1"]), (text("x"), ColumnType::String, text("Off 1")));
    }
}
