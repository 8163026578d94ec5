//! Rows of a comparison as tables, a table for each topic.
//!
//! Invariant: the cells are texts already, so that a run has a column, and a difference of runs may have one too.

use measures::Quantity;
use measures::censoring::BOUND_NOTE;

use super::row::ComparisonRow;
use super::{completions, groups, jobs, measured, victims, whole_run};
use crate::format::{counted, in_blocks};

/// Largest number of lines of a brief table.
const MOST_LINES: usize = 24;

/// Rows that are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// All rows, flows of large groups included.
    All,
    /// As many as a screen holds: goodput, waits, p99 of completion times, losses and pauses.
    Brief,
}

/// A line of a table: the row that it is about, and its cells.
#[derive(Clone, Debug)]
pub struct TableLine<'a> {
    /// The row.
    pub row: &'a ComparisonRow,
    /// Texts of the columns.
    pub cells: Vec<String>,
    /// True if a cell is a bound.
    pub has_bounds: bool,
}

impl<'a> TableLine<'a> {
    /// Returns the line of a row with the values of its runs.
    #[must_use]
    pub fn of(row: &'a ComparisonRow) -> Self {
        let printed = row.cells.iter().map(|cell| cell.map_or_else(dash, |cell| row.kind.printed(cell)));
        let has_bounds = row.cells.iter().flatten().any(|cell| cell.exact().is_none());
        Self { row, cells: printed.collect(), has_bounds }
    }
}

impl Shown {
    /// Returns true if the row is printed.
    #[must_use]
    pub fn has(self, row: &ComparisonRow) -> bool {
        let quantity = row.measure.as_ref().map(|measure| measure.quantity);
        self == Self::All
            || row.has_value()
                && match row.topic {
                    measured::TOPIC | victims::TOPIC => true,
                    jobs::TOPIC => matches!(
                        quantity,
                        Some(Quantity::JobCompletion | Quantity::JobSlowdown | Quantity::PathLate)
                    ),
                    // The end of finite traffic, which is no measure.
                    whole_run::TOPIC if quantity.is_none() => true,
                    completions::POSTED => row.what == Quantity::P99.name(),
                    groups::TOPIC | whole_run::TOPIC => matches!(
                        quantity,
                        Some(
                            Quantity::Goodput
                                | Quantity::Waited
                                | Quantity::P99
                                | Quantity::PauseFrames
                                | Quantity::Dropped
                        )
                    ),
                    topic => topic == Quantity::Goodput.name() && !row.is_member,
                }
    }
}

/// Returns the sign of a value that there is not.
fn dash() -> String {
    "-".to_owned()
}

const TOPICS: [(&str, &str); 10] = [
    (jobs::TOPIC, "Jobs, in us, and their slowdown against messages at their ideal times"),
    ("goodput", "Goodput over the second half of each phase, in Gb/s"),
    ("fairness", "Jain's index of the named flows that were active, over the second half of each phase"),
    (victims::TOPIC, "Time that flows waited behind a root that they do not use, added up, in us"),
    (groups::TOPIC, "Groups of flows over the whole run"),
    ("completion", "Completion of flows with an end that have begun: their number, and their times in us"),
    (
        completions::POSTED,
        "Completion of messages by size: their number, their times in us, and their slowdown against the empty fabric",
    ),
    (
        completions::COMMON,
        "Completion of the messages that every run delivered, by size: their number, times in us, and slowdown",
    ),
    (whole_run::TOPIC, "Over the whole run"),
    (measured::TOPIC, "Measures"),
];

/// Returns lines as tables by topic, each with a title and a blank line before it. `columns` are the heads of the
/// cells.
#[must_use]
pub fn tables(lines: &[TableLine<'_>], columns: &[String], (width, shown): (usize, Shown)) -> String {
    let mut text = String::new();
    for (topic, title) in TOPICS {
        let own = |line: &&TableLine<'_>| line.row.topic == topic && shown.has(line.row);
        let mut of_topic: Vec<_> = lines.iter().filter(own).collect();
        if of_topic.is_empty() {
            continue;
        }
        let more = if shown == Shown::Brief { of_topic.len().saturating_sub(MOST_LINES) } else { 0 };
        of_topic.truncate(of_topic.len() - more);
        text += &format!("\n{title}\n{}\n", table(&of_topic, columns, width));
        if of_topic.iter().any(|line| line.has_bounds) {
            text += &format!("{BOUND_NOTE}\n");
        }
        if more > 0 {
            text += &format!("and {}\n", counted(more, "more line"));
        }
    }
    text
}

fn table(lines: &[&TableLine<'_>], columns: &[String], width: usize) -> String {
    let with_phase = lines.iter().any(|line| !line.row.phase.is_empty());
    let key = match lines[0].row.topic {
        completions::POSTED | completions::COMMON => "size",
        groups::TOPIC => "group",
        _ => "phase",
    };
    let key = with_phase.then(|| key.to_owned());
    let header: Vec<_> = key.into_iter().chain([String::new()]).chain(columns.iter().cloned()).collect();
    // A phase is named in its first row only.
    let starts = |place: usize| place == 0 || lines[place - 1].row.phase != lines[place].row.phase;
    let cells = |(place, line): (usize, &&TableLine<'_>)| {
        let phase = if starts(place) { line.row.phase.clone() } else { String::new() };
        let phase = with_phase.then_some(phase);
        phase.into_iter().chain([line.row.what.clone()]).chain(line.cells.iter().cloned()).collect()
    };
    let rows: Vec<Vec<String>> = lines.iter().enumerate().map(cells).collect();
    let keys = if with_phase { 2 } else { 1 };
    in_blocks(&header, &rows, keys, keys, width)
}
