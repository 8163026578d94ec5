//! Header and rows of a CSV text.
//!
//! Invariant: texts are those that were written.

use std::borrow::Cow;

use super::as_text;

/// A table that was read: its header, and its rows, each with as many cells.
#[derive(Debug)]
pub struct CsvTable {
    /// Names of the columns.
    pub header: Vec<String>,
    /// Cells of each row.
    pub rows: Vec<csv::StringRecord>,
}

/// Reads a table.
///
/// # Errors
/// If a row has another number of cells than the header.
pub fn table(text: &str) -> Result<CsvTable, csv::Error> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = texts_of(reader.headers()?.clone()).iter().map(str::to_owned).collect();
    let rows = reader.records().map(|row| row.map(texts_of)).collect::<Result<_, _>>()?;
    Ok(CsvTable { header, rows })
}

/// Returns a row with the texts that were written.
pub(crate) fn texts_of(row: csv::StringRecord) -> csv::StringRecord {
    let texts: Vec<Cow<'_, str>> = row
        .iter()
        .map(|cell| {
            let mut text = Cow::Borrowed(cell);
            as_text(&mut text);
            text
        })
        .collect();
    let is_changed = texts.iter().zip(&row).any(|(text, cell)| text != cell);
    let changed = is_changed.then(|| texts.iter().map(|text| &**text).collect());
    drop(texts);
    changed.unwrap_or(row)
}
