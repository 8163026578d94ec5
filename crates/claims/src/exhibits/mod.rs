//! Tables and figures besides the claims, a module for each kind.
//!
//! Invariant: an exhibit is data of the claims file, and drawing one changes no verdict.
//!
//! | module | shows |
//! |---|---|
//! | [`table`] | all combinations of organisation, marking and response |
//! | [`sweep`] | a number over the range of one setting |
//! | [`figure`] | goodput over time, a panel for each run |
//! | [`fluid`] | DCQCN's fluid model, as a line of a figure |
//! | [`grid`] | many hot spots, and a search of parameters where the guideline's fail |

pub mod figure;
pub mod fluid;
pub mod grid;
pub mod sweep;
pub mod table;

use std::collections::BTreeMap;

use experiment::RunSpec;
use report::OutputFile;
use report::figures::engine::Chart;

pub use figure::GoodputFigure;
pub use grid::HotSpotGrid;
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
