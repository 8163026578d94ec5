//! Files besides the printed claims, a module for each kind.
//!
//! Invariant: an exhibit is data of the claims file, and drawing an exhibit changes no verdict.
//!
//! | module | shows |
//! |---|---|
//! | [`table`] | all combinations of organisation, marking and response |
//! | [`sweep`] | a number over the range of a setting |
//! | [`figure`] | goodput over time, a panel for each run |
//! | [`bars`] | numbers of runs, a bar for each run |
//! | [`shares`] | shares of flows in their total, a bar for each run |
//! | [`fluid`] | DCQCN's fluid model, as a line of a figure |
//! | [`grid`] | many hot spots, and a search of parameters where the guideline's fail |
//! | [`numbers`] | the numbers of all claims |

pub mod bars;
pub mod figure;
pub mod fluid;
pub mod grid;
pub mod numbers;
pub mod shares;
pub mod sweep;
pub mod table;

use std::collections::BTreeMap;

use experiment::RunSpec;
use figures::engine::Chart;
use results::OutputFile;

pub use bars::BarFigure;
pub use figure::GoodputFigure;
pub use grid::HotSpotGrid;
pub use numbers::ClaimNumber;
pub use shares::ShareFigure;
pub use sweep::ParameterSweep;
pub use table::CombinationTable;

/// Runs of a paper, by name.
pub(crate) type Runs = BTreeMap<String, RunSpec>;

/// Returns a chart as a figure, and its points as a table beside it.
fn figure_files(name: &str, chart: &Chart) -> Vec<OutputFile> {
    vec![
        OutputFile { name: format!("{name}.svg"), contents: chart.svg() },
        OutputFile { name: format!("{name}.csv"), contents: chart.csv() },
    ]
}

/// Asserts that a file has these columns, and that every cell has the type of its column.
#[cfg(test)]
pub(crate) fn assert_as_schema(file: &OutputFile, columns: &[results::table::ColumnSchema]) {
    use results::table::ColumnType;
    let mut rows = csv::Reader::from_reader(file.contents.as_bytes());
    let header: Vec<_> = columns.iter().map(|column| column.name.as_ref()).collect();
    assert_eq!(rows.headers().expect("a header"), header, "{}", file.name);
    let rows: Vec<_> = rows.records().map(|row| row.expect("a row as long as the header")).collect();
    for row in &rows {
        for (cell, column) in row.iter().zip(columns) {
            let fits = match column.kind {
                _ if cell.is_empty() => !column.constraints.required,
                ColumnType::String => true,
                ColumnType::Boolean => cell.parse::<bool>().is_ok(),
                ColumnType::Integer => cell.parse::<u64>().is_ok(),
                ColumnType::Number => cell.contains('.') && cell.parse::<f64>().is_ok(),
            };
            assert!(fits, "{}: `{cell}` as {column:?}", file.name);
        }
    }
    assert!(!rows.is_empty(), "{} has no row", file.name);
}
