//! Curves and tables as data of the script.
//!
//! Invariant: values come from the files. Long series are given by the lowest and highest value of each interval. Long
//! tables are given by their first rows by a stated order. Both say so.

use core::fmt::Display;
use core::str::FromStr;
use std::collections::BTreeMap;

use results::csv_text;
use results::reader::{ReadError, RunFiles};
use results::schema;
use results::table::{ColumnSchema, ColumnType};
use serde::Serialize;
use serde_json::{Value, json};

use super::numbers::{Form, InJson, Numbers, TakenOut};
use super::words;

/// Most samples of a curve that is drawn sample by sample.
const MOST_SAMPLES: usize = 2000;

/// Reads a file of the folder by `parse`. A fault names the file.
pub(super) fn read_parsed<T, E: Display>(
    files: RunFiles<'_>,
    file: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, ReadError> {
    let malformed = |fault: E| ReadError::Malformed { file: file.to_owned(), fault: fault.to_string() };
    parse(&files.text(file)?).map_err(malformed)
}

/// Curves over an axis of time or another quantity.
#[derive(Debug, Serialize)]
#[serde(bound = "")]
pub(super) struct Panel<F: Form = InJson> {
    /// Name of the figure in the page.
    pub id: &'static str,
    /// Heading.
    pub heading: String,
    /// A sentence for those who do not see the figure.
    pub about: String,
    /// Unit of the values: `bit/s`, `B`, or none.
    pub unit: &'static str,
    /// Values of the axis, ascending.
    pub x: F::Values,
    /// Lines.
    pub lines: Vec<Line<F>>,
    /// Samples behind each pair of values; 1 if the lines have every sample.
    pub samples_a_pair: usize,
}

#[derive(Debug, Serialize)]
#[serde(bound = "")]
pub(super) struct Line<F: Form = InJson> {
    /// Name of its subject.
    pub name: String,
    /// Kind of its subject: `flow`, `group`, `others`, `total`, `output`, `source`.
    pub kind: &'static str,
    /// Values, in the order of the axis; `None` where there is no value.
    pub y: F::Gaps,
    /// True if the line is on at first.
    pub shown: bool,
}

impl Panel {
    /// Returns the panel with at most 2,000 values in a line. A longer line keeps the lowest and highest of equally
    /// many consecutive samples each, in order of their time.
    pub(super) fn decimated(mut self) -> Self {
        let samples = self.x.len().div_ceil(MOST_SAMPLES / 2);
        if self.x.len() <= MOST_SAMPLES {
            return self;
        }
        self.samples_a_pair = samples;
        for line in &mut self.lines {
            line.y = line.y.chunks(samples).flat_map(extremes).collect();
        }
        self.x = self.x.chunks(samples).flat_map(|bin| [bin[0], bin[bin.len() - 1]]).collect();
        self
    }

    pub(super) fn take_out(self, numbers: &mut Numbers) -> Panel<TakenOut> {
        let Self { id, heading, about, unit, x, lines, samples_a_pair } = self;
        let x = numbers.add(x);
        let line = |Line { name, kind, y, shown }: Line| Line { name, kind, y: numbers.add_gaps(y), shown };
        let lines = lines.into_iter().map(line).collect();
        Panel { id, heading, about, unit, x, lines, samples_a_pair }
    }

    /// Returns the largest value of all lines but totals, with its line and its place on the axis.
    pub(super) fn highest(&self) -> Option<(&Line, f64, f64)> {
        // A total is above each of its parts, and would always be the highest.
        let is_single = self.lines.len() == 1;
        let lines = self.lines.iter().filter(|line| is_single || line.kind != "total");
        let values = lines
            .flat_map(|line| line.y.iter().zip(&self.x).filter_map(move |(y, x)| Some((line, (*y)?, *x))));
        values.reduce(|best, one| if one.1 > best.1 { one } else { best })
    }

    /// Returns the sentence that states how lines are decimated, if they are.
    pub(super) fn note(&self) -> Option<String> {
        (self.samples_a_pair > 1).then(|| {
            format!(
                "Each line shows the lowest and the highest of every {} samples, in order of their time.",
                self.samples_a_pair
            )
        })
    }
}

/// Returns the lowest and the highest of several values, in the order in which they occur.
fn extremes(bin: &[Option<f64>]) -> [Option<f64>; 2] {
    let mut seen: Option<((usize, f64), (usize, f64))> = None;
    for (place, value) in bin.iter().enumerate().filter_map(|(place, value)| Some((place, (*value)?))) {
        let (low, high) = seen.unwrap_or(((place, value), (place, value)));
        seen = Some((
            if value < low.1 { (place, value) } else { low },
            if value > high.1 { (place, value) } else { high },
        ));
    }
    match seen {
        None => [None, None],
        // In order of time: otherwise a slope would show as a saw.
        Some((low, high)) if low.0 <= high.0 => [Some(low.1), Some(high.1)],
        Some((low, high)) => [Some(high.1), Some(low.1)],
    }
}

/// A choice of a file's rows and columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableChoice {
    /// Name of the file.
    pub file: &'static str,
    /// Heading.
    pub heading: &'static str,
    /// Columns; all if empty.
    pub columns: &'static [&'static str],
    /// Columns of `columns` that stand there only if a row has a number other than 0.
    pub if_any: &'static [&'static str],
    /// Column of numbers by which rows are ordered, the largest first; the order of the file if `None`.
    pub by: Option<&'static str>,
    /// Most rows.
    pub most: usize,
}

#[derive(Debug, Serialize)]
#[serde(bound = "")]
pub(super) struct PageTable<F: Form = InJson> {
    id: String,
    heading: &'static str,
    about: String,
    columns: Vec<Value>,
    rows: usize,
    /// Values, column by column.
    values: Vec<Cells<F>>,
}

/// The values of a column.
#[derive(Debug, Serialize)]
#[serde(untagged, bound = "")]
enum Cells<F: Form = InJson> {
    Counts(F::Counts),
    Numbers(F::Gaps),
    Texts(Vec<String>),
    /// Texts that repeat.
    Words {
        words: Vec<String>,
        /// Their places.
        at: F::Places,
    },
}

impl PageTable {
    pub(super) fn take_out(self, numbers: &mut Numbers) -> PageTable<TakenOut> {
        let Self { id, heading, about, columns, rows, values } = self;
        let values = values.into_iter().map(|cells| cells.take_out(numbers)).collect();
        PageTable { id, heading, about, columns, rows, values }
    }
}

impl Cells {
    fn take_out(self, numbers: &mut Numbers) -> Cells<TakenOut> {
        match self {
            Self::Counts(counts) => {
                let counts = counts.into_iter().map(|count| count.map(|count| count as f64));
                Cells::Counts(numbers.add_gaps(counts))
            }
            Self::Numbers(values) => Cells::Numbers(numbers.add_gaps(values)),
            Self::Texts(texts) => Cells::Texts(texts),
            Self::Words { words, at } => {
                Cells::Words { words, at: numbers.add(at.into_iter().map(|place| place as f64)) }
            }
        }
    }
}

impl TableChoice {
    /// Reads the table; `None` if the folder has no such file.
    pub(super) fn read(self, files: RunFiles<'_>) -> Result<Option<PageTable>, ReadError> {
        if !files.has(self.file) {
            return Ok(None);
        }
        let malformed = |fault: String| ReadError::Malformed { file: self.file.to_owned(), fault };
        let csv_text::CsvTable { header, mut rows } = read_parsed(files, self.file, csv_text::table)?;
        let place = |name: &str| {
            let found = header.iter().position(|one| one == name);
            found.ok_or_else(|| malformed(format!("there is no column `{name}`")))
        };
        let all = rows.len();
        let mut chosen: Vec<ColumnSchema> = Vec::new();
        for column in schema::columns(self.file).into_iter().filter(|one| self.takes(&one.name)) {
            let place = place(&column.name)?;
            // Of the whole file: a cut table must not hide that a run has such numbers.
            if !self.if_any.contains(&&*column.name) || rows.iter().any(|row| is_some(&row[place])) {
                chosen.push(column);
            }
        }
        if let Some(by) = self.by {
            let column = place(by)?;
            let value = |row: &csv::StringRecord| row[column].parse().unwrap_or(f64::NEG_INFINITY);
            rows.sort_by(|one, other| value(other).total_cmp(&value(one)));
        }
        rows.truncate(self.most);
        let mut values = Vec::new();
        for column in &chosen {
            let place = place(&column.name)?;
            let cells: Vec<&str> = rows.iter().map(|row| &row[place]).collect();
            values.push(encoded(column, &cells).map_err(malformed)?);
        }
        let columns = chosen.iter().map(|column| json!([column.name, column.kind, column.meaning])).collect();
        let id = self.file.replace('.', "-");
        Ok(Some(PageTable {
            id,
            heading: self.heading,
            about: self.about(all),
            columns,
            rows: rows.len(),
            values,
        }))
    }

    fn takes(&self, column: &str) -> bool {
        self.columns.is_empty() || self.columns.contains(&column)
    }

    /// Returns the sentence that states which rows of the file there are.
    fn about(&self, all: usize) -> String {
        let Self { file, most, by, .. } = self;
        if all <= *most {
            let rows = words::count(all, "row");
            return if all == 1 {
                format!("The only row of `{file}`.")
            } else {
                format!("All {rows} of `{file}`.")
            };
        }
        let order = by.map_or_else(|| "the first".to_owned(), |by| format!("those with the largest `{by}`"));
        format!("{} of {} of `{file}`: {order}.", words::thousands(*most), words::count(all, "row"))
    }
}

/// Returns true for a number other than 0.
fn is_some(cell: &str) -> bool {
    !cell.is_empty() && cell.parse() != Ok(0.0)
}

fn encoded(column: &ColumnSchema, cells: &[&str]) -> Result<Cells, String> {
    match column.kind {
        ColumnType::Integer => parsed(column, cells).map(Cells::Counts),
        ColumnType::Number => parsed(column, cells).map(Cells::Numbers),
        ColumnType::String | ColumnType::Boolean => Ok(dictionary(cells)),
    }
}

/// Returns the numbers of a column; `None` where a cell is empty.
fn parsed<T: FromStr>(column: &ColumnSchema, cells: &[&str]) -> Result<Vec<Option<T>>, String> {
    let number = |cell: &&str| match *cell {
        "" => Ok(None),
        cell => cell.parse().map(Some).map_err(|_| format!("`{}` cannot be `{cell}`", column.name)),
    };
    cells.iter().map(number).collect()
}

/// Returns texts: as they are, or, if few differ, as words and places.
fn dictionary(cells: &[&str]) -> Cells {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut words = Vec::new();
    let at: Vec<usize> = cells
        .iter()
        .map(|cell| {
            *places.entry(cell).or_insert_with(|| {
                words.push((*cell).to_owned());
                words.len() - 1
            })
        })
        .collect();
    if words.len() * 2 > cells.len() {
        Cells::Texts(cells.iter().map(|cell| (*cell).to_owned()).collect())
    } else {
        Cells::Words { words, at }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn panel(y: Vec<Option<f64>>) -> Panel {
        let x = (0..y.len()).map(|place| place as f64).collect();
        let line = Line { name: "a".to_owned(), kind: "flow", y, shown: true };
        let (heading, about) = (String::new(), String::new());
        Panel { id: "p", heading, about, unit: "", x, lines: vec![line], samples_a_pair: 1 }
    }

    proptest! {
        /// A curve keeps its lowest and highest value at any length, and its axis ascends.
        #[test]
        fn decimation_keeps_extremes(y in prop::collection::vec(prop::option::of(-1e9..1e9), 1..9000)) {
            let drawn = panel(y.clone()).decimated();
            let bounds = |y: &[Option<f64>]| {
                let values: Vec<f64> = y.iter().copied().flatten().collect();
                (values.iter().copied().reduce(f64::min), values.iter().copied().reduce(f64::max))
            };
            prop_assert_eq!(bounds(&drawn.lines[0].y), bounds(&y));
            prop_assert!(drawn.x.is_sorted() && drawn.x.len() <= MOST_SAMPLES && drawn.x.len() == drawn.lines[0].y.len());
            prop_assert_eq!(drawn.samples_a_pair > 1, y.len() > MOST_SAMPLES);
            prop_assert_eq!(drawn.note().is_some(), y.len() > MOST_SAMPLES);
        }
    }

    #[test]
    fn texts_that_repeat_are_words_and_places() {
        assert_eq!(json!(dictionary(&["a", "b"])), json!(["a", "b"]));
        let cells = dictionary(&["a", "b", "a", "a"]);
        assert_eq!(json!(cells), json!({ "words": ["a", "b"], "at": [0, 1, 0, 0] }));
    }
}
