//! The table of all combinations: organisation by marking by response.
//!
//! Invariant: the axes are data of the claims file, so a further organisation is a further line there. A row does not
//! depend on the other rows.

use experiment::{Estimate, Outcome, RunSpec, SeedCount};
use results::OutputFile;
use results::format::{aligned, fitted, plain_table};
use results::table::{ColumnSchema, ColumnType, INTERVAL};
use serde::Deserialize;

use crate::language::{Measure, References, Unit};
use crate::layout::WIDTH;
use crate::measurement::{NotInRun, measured};

/// A table of many runs of a scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CombinationTable {
    /// Name of its file, without `.csv`.
    pub name: String,
    /// Title, as printed above it.
    pub title: String,
    /// Scenario of every run.
    scenario: String,
    /// Number of seeds of each run.
    pub seeds: SeedCount,
    /// Buffer organisations of the switches.
    organisations: Vec<AxisValue>,
    /// Settings without congestion control: a row for each organisation.
    off: AxisValue,
    /// Overrides that precede the overrides of marking and response.
    on: Vec<String>,
    /// Rules by which packets are marked.
    markings: Vec<AxisValue>,
    /// Responses of the sources.
    responses: Vec<AxisValue>,
    /// Numbers of each run.
    columns: Vec<TableColumn>,
}

/// A value of an axis: its name, and its overrides, each as `PATH=VALUE`.
#[derive(Clone, Debug, Deserialize)]
struct AxisValue(String, Vec<String>);

/// A single number of each run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableColumn {
    /// Name, with the unit at its end, if any.
    name: String,
    /// The number.
    measure: Measure,
    /// Its unit.
    unit: Unit,
}

/// A combination: its names on the three axes, and its run.
#[derive(Clone, Debug)]
pub struct Combination {
    names: [String; 3],
    /// The run.
    pub run: RunSpec,
}

/// A combination with its numbers; `None` where the run lacks the subject of the measure.
type FilledRow = (Combination, Vec<Option<Estimate>>);

impl CombinationTable {
    /// Returns the names of the references of which its numbers are shares.
    pub(crate) fn references(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().filter_map(|column| column.unit.reference())
    }

    /// Returns the rows, organisation by organisation.
    #[must_use]
    pub fn rows(&self) -> Vec<Combination> {
        let mut rows = Vec::new();
        let row = |names: [&str; 3], set: &[&Vec<String>]| Combination {
            names: names.map(str::to_owned),
            run: RunSpec {
                scenario: self.scenario.clone(),
                set: set.iter().copied().flatten().cloned().collect(),
                tune: vec![],
            },
        };
        for AxisValue(organisation, own) in &self.organisations {
            rows.push(row([organisation, "-", &self.off.0], &[own, &self.off.1]));
            for AxisValue(marking, marked) in &self.markings {
                for AxisValue(response, responding) in &self.responses {
                    rows.push(row([organisation, marking, response], &[own, &self.on, marked, responding]));
                }
            }
        }
        rows
    }

    /// Returns the fault of the table, if any.
    pub(crate) fn fault(&self, references: &References) -> Option<String> {
        if self.seeds.lacks_one() || self.columns.is_empty() {
            return Some(format!("the table {} needs a seed and a column", self.name));
        }
        self.columns
            .iter()
            .find_map(|column| references.fault_of_unit(&column.name, &column.measure, &column.unit))
    }

    /// Fills the rows. `outcome` returns the outcome of a run and seed, `reference` the number of a reference with a
    /// seed.
    pub(crate) fn filled<'a>(
        &self,
        full: bool,
        outcome: impl Fn(&RunSpec, u64) -> &'a Outcome,
        reference: impl Fn(&str, u64) -> Result<f64, NotInRun>,
    ) -> Vec<FilledRow> {
        let cell = |run: &RunSpec, column: &TableColumn| {
            let one = |seed| {
                let number = measured(&column.measure, outcome(run, seed)).ok()?[0];
                Some(number / column.unit.scale(|name| reference(name, seed)).ok()?)
            };
            let values: Option<Vec<f64>> = self.seeds.seeds(full).map(one).collect();
            values.map(|values| Estimate::of(&values))
        };
        let fill = |row: Combination| {
            let cells = self.columns.iter().map(|column| cell(&row.run, column)).collect();
            (row, cells)
        };
        self.rows().into_iter().map(fill).collect()
    }

    pub(crate) fn printed(&self, rows: &[FilledRow]) -> String {
        let mut table = plain_table();
        let axes = ["organisation", "marking", "response"];
        table.set_header(
            axes.into_iter().map(str::to_owned).chain(self.columns.iter().map(TableColumn::heading)),
        );
        for (row, cells) in rows {
            let cells =
                cells.iter().map(|cell| cell.as_ref().map_or_else(|| "-".to_owned(), Estimate::to_string));
            table.add_row(row.names.iter().cloned().chain(cells));
        }
        let columns = axes.len() + self.columns.len();
        aligned(fitted(table, WIDTH, &[0]), columns)
    }

    /// Returns the table as a file: a row per run, each number with half the width of its 95 % interval.
    pub(crate) fn file(&self, rows: &[FilledRow]) -> OutputFile {
        let row = |(row, cells): &FilledRow| {
            let seeds = cells.iter().flatten().map(|cell| cell.seeds).next().unwrap_or_default();
            let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6}"));
            let numbers = cells.iter().flat_map(|cell| {
                let (mean, ci95) =
                    (cell.as_ref().map(|cell| cell.mean), cell.as_ref().and_then(|cell| cell.ci95));
                [number(mean), number(ci95)]
            });
            row.names.iter().cloned().chain([seeds.to_string()]).chain(numbers).collect()
        };
        let header = self.schema().into_iter().map(|column| column.name.into_owned()).collect();
        let contents = results::format::csv(header, rows.iter().map(row));
        OutputFile { name: format!("{}.csv", self.name), contents }
    }

    pub(crate) fn schema(&self) -> Vec<ColumnSchema> {
        let axis = |name, meaning| ColumnSchema::new(name, ColumnType::String, true, meaning);
        let mut columns = vec![
            axis("organisation", "buffer organisation of the switches"),
            axis("marking", "rule by which packets are marked; `-` without congestion control"),
            axis("response", "response of the sources"),
            ColumnSchema::new("seeds", ColumnType::Integer, true, "number of seeds"),
        ];
        columns.extend(self.columns.iter().flat_map(TableColumn::schema));
        columns
    }
}

impl TableColumn {
    /// Returns the columns of the number and of its interval.
    fn schema(&self) -> [ColumnSchema; 2] {
        let Self { name, measure, unit } = self;
        let subject = match measure.flows() {
            [] => String::new(),
            flows => format!(" of `{}`", flows.join("`, `")),
        };
        let phase = measure.phase().map_or_else(String::new, |phase| format!(", phase {phase}"));
        let unit = match unit {
            Unit::One => String::new(),
            Unit::Of(reference) => format!(", as a share of `{reference}`"),
            unit => format!(", in {}", unit.word()),
        };
        let meaning = format!("{}{subject}{phase}{unit}: mean over the seeds", measure.word());
        let number =
            |name: String, meaning: String| ColumnSchema::new(name, ColumnType::Number, false, meaning);
        let half = format!("half the width of the 95 % interval of `{name}`; empty for one seed");
        [number(name.clone(), meaning), number(format!("{name}{INTERVAL}"), half)]
    }

    fn heading(&self) -> String {
        self.name.replace('_', " ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exhibits::assert_as_schema;
    use crate::paper::{PAPERS, Paper};

    /// A number of several seeds, a number of a single seed, and none.
    #[test]
    fn files_are_as_their_schemas_say() {
        let mut tables = 0;
        for (name, text) in PAPERS {
            for table in Paper::read(name, text).tables {
                let numbers = [Some(Estimate::of(&[1.0, 2.0])), Some(Estimate::of(&[3.0])), None];
                let filled = table.rows().into_iter().map(|row| {
                    let cells = numbers.iter().cycle().take(table.columns.len()).copied().collect();
                    (row, cells)
                });
                assert_as_schema(&table.file(&filled.collect::<Vec<_>>()), &table.schema());
                tables += 1;
            }
        }
        assert_eq!(tables, 3);
    }
}
