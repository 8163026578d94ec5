//! The table of all combinations: organisation by marking by response.
//!
//! Invariant: what stands on its axes is data of the claims file, in one place; one more organisation is one
//! more line there. A row is the same whatever the other rows are.

use report::File;
use report::printed::{aligned, fitted, plain_table};
use serde::Deserialize;

use super::claims::{Measure, Paper, Run, Seeds, Unit};
use super::judge::in_unit;
use super::measure::measured;
use super::statistics::Estimate;
use crate::engine::Outcome;

/// A table of many runs of one scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    /// What its file is called, without `.csv`.
    pub(crate) name: String,
    /// What it shows.
    pub(crate) title: String,
    /// The scenario of every run.
    scenario: String,
    /// With how many seeds each run is made.
    pub(crate) seeds: Seeds,
    /// How packets wait at switches.
    organisations: Vec<Choice>,
    /// No congestion control: a row for each organisation, without marking or response.
    off: Choice,
    /// What is set before marking and response are.
    on: Vec<String>,
    /// Who is marked.
    markings: Vec<Choice>,
    /// Who is slowed down, and how.
    responses: Vec<Choice>,
    /// What is read off each run.
    columns: Vec<Column>,
}

/// What stands on an axis: its name, and what is set for it, each as `PATH=VALUE`.
#[derive(Clone, Debug, Deserialize)]
struct Choice(String, Vec<String>);

/// A column: a single number of each run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Column {
    /// Its name, with the unit at its end where it has one.
    name: String,
    /// What is measured.
    measure: Measure,
    /// In what.
    unit: Unit,
}

/// A row, before it is run: what it is about, and the run.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    names: [String; 3],
    pub(crate) run: Run,
}

/// A row with its numbers; none where the run does not have what is measured.
type Filled = (Row, Vec<Option<Estimate>>);

impl Table {
    /// Its rows, organisation by organisation.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let row = |names: [&str; 3], set: &[&Vec<String>]| Row {
            names: names.map(str::to_owned),
            run: Run {
                scenario: self.scenario.clone(),
                set: set.iter().copied().flatten().cloned().collect(),
                tune: vec![],
            },
        };
        for Choice(organisation, own) in &self.organisations {
            rows.push(row([organisation, "-", &self.off.0], &[own, &self.off.1]));
            for Choice(marking, marked) in &self.markings {
                for Choice(response, responding) in &self.responses {
                    rows.push(row([organisation, marking, response], &[own, &self.on, marked, responding]));
                }
            }
        }
        rows
    }

    /// What is wrong with it.
    pub(crate) fn fault(&self, paper: &Paper) -> Option<String> {
        if self.seeds.quick == 0 || self.seeds.full == 0 || self.columns.is_empty() {
            return Some(format!("the table {} needs a seed and a column", self.name));
        }
        self.columns
            .iter()
            .find_map(|column| paper.fault_of_unit(&column.name, &column.measure, &column.unit))
    }

    /// Fills the rows; `outcomes` finds a run's by seed, and `reference` a quantity's numbers by name and seed.
    pub(crate) fn filled<'a>(
        &self,
        full: bool,
        outcome: impl Fn(&Run, u64) -> &'a Outcome,
        reference: impl Fn(&str, u64) -> f64,
    ) -> Vec<Filled> {
        let cell = |run: &Run, column: &Column| {
            let one = |seed| {
                let numbers = measured(&column.measure, outcome(run, seed)).ok()?;
                Some(in_unit(numbers[0], &column.unit, |name| reference(name, seed)))
            };
            let values: Option<Vec<f64>> = self.seeds.all(full).map(one).collect();
            values.map(|values| Estimate::of(&values))
        };
        let fill = |row: Row| {
            let cells = self.columns.iter().map(|column| cell(&row.run, column)).collect();
            (row, cells)
        };
        self.rows().into_iter().map(fill).collect()
    }

    /// As it is printed.
    pub(crate) fn printed(&self, rows: &[Filled], width: u16) -> String {
        let mut table = plain_table();
        let axes = ["organisation", "marking", "response"];
        table.set_header(axes.into_iter().map(str::to_owned).chain(self.columns.iter().map(Column::heading)));
        for (row, cells) in rows {
            let cells =
                cells.iter().map(|cell| cell.as_ref().map_or_else(|| "-".to_owned(), Estimate::words));
            table.add_row(row.names.iter().cloned().chain(cells));
        }
        let columns = axes.len() + self.columns.len();
        aligned(fitted(table, width, 0), columns)
    }

    /// As a file: a row a run, each number with half the width of its 95 % interval.
    pub(crate) fn file(&self, rows: &[Filled]) -> File {
        let columns =
            self.columns.iter().flat_map(|Column { name, .. }| [name.clone(), format!("{name}_ci95")]);
        let axes = ["organisation", "marking", "response", "seeds"].map(str::to_owned);
        let row = |(row, cells): &Filled| {
            let seeds = cells.iter().flatten().map(|cell| cell.seeds).next().unwrap_or_default();
            let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6}"));
            let numbers = cells.iter().flat_map(|cell| {
                let (mean, ci95) =
                    (cell.as_ref().map(|cell| cell.mean), cell.as_ref().and_then(|cell| cell.ci95));
                [number(mean), number(ci95)]
            });
            row.names.iter().cloned().chain([seeds.to_string()]).chain(numbers).collect()
        };
        let contents = report::tables::csv(axes.into_iter().chain(columns).collect(), rows.iter().map(row));
        File { name: format!("{}.csv", self.name), contents }
    }
}

impl Column {
    fn heading(&self) -> String {
        self.name.replace('_', " ")
    }
}
