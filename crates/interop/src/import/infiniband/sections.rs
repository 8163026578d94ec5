//! The sections of `ibdiagnet2.db_csv`: tables between `START_NAME` and `END_NAME`.
//!
//! Invariant: a section is whole, and there once; a row has a cell for each column, and a cell that is read is in
//! range.

use core::ops::Range;
use std::collections::BTreeMap;

use crate::import::source::{Part, SourceText, decimal, hex};
use scenario::Diagnostic;

/// The sections of a file.
pub(super) struct Database<'a> {
    pub(super) source: SourceText<'a>,
    sections: Vec<Section<'a>>,
}

/// A section: a table with names of columns.
pub(super) struct Section<'a> {
    pub(super) name: &'a str,
    at: Range<usize>,
    /// The line with the names of columns, then the rows.
    lines: Vec<Part<'a>>,
}

/// A row of a section.
pub(super) struct Row<'s, 'a> {
    source: SourceText<'a>,
    pub(super) columns: &'s BTreeMap<String, usize>,
    pub(super) cells: Vec<Part<'a>>,
    pub(super) line: Part<'a>,
}

/// Returns true for the first line of such a file.
pub(super) fn is_start(line: &str) -> bool {
    line.starts_with("START_")
}

impl<'a> Database<'a> {
    /// Reads the sections of a file.
    pub(super) fn read(source: SourceText<'a>) -> Result<Self, Diagnostic> {
        let mut sections: Vec<Section<'a>> = Vec::new();
        let mut open = false;
        for line in source.lines() {
            let wrong = |message: String, help: &str| Err(source.wrong(&line.range(), message, help));
            if let Some(name) = line.text.strip_prefix("START_") {
                if open {
                    let last = sections.last().map_or("", |section| section.name);
                    return wrong(
                        format!("section `{last}` has no end before this line"),
                        "copy the whole file: each section ends with `END_` and its name",
                    );
                }
                if sections.iter().any(|known| known.name == name) {
                    return wrong(
                        format!("section `{name}` is there a second time"),
                        "give the file of a single run of ibdiagnet",
                    );
                }
                sections.push(Section { name, at: line.range(), lines: Vec::new() });
                open = true;
            } else if let Some(name) = line.text.strip_prefix("END_") {
                if !open || sections.last().is_none_or(|section| section.name != name) {
                    return wrong(
                        format!("this is not the end of the section before, but of `{name}`"),
                        "copy the whole file: each section ends with `END_` and its name",
                    );
                }
                open = false;
            } else if let Some(section) = sections.last_mut().filter(|_| open) {
                section.lines.push(line);
            } else if !line.text.starts_with(['#', '-']) {
                return wrong(
                    "this line stands between sections".to_owned(),
                    "take it out, or write `#` before it",
                );
            }
        }
        if let Some(section) = sections.last().filter(|_| open) {
            let message = format!("section `{}` has no end", section.name);
            return Err(source.wrong(&section.at, message, "copy the whole file"));
        }
        Ok(Self { source, sections })
    }

    pub(super) fn sections(&self) -> impl Iterator<Item = &Section<'a>> {
        self.sections.iter()
    }

    /// Calls a function for each row of a section, which has these columns. Returns false if there is no such section.
    pub(super) fn each(
        &self,
        name: &str,
        needed: &[&str],
        mut row: impl FnMut(&Row<'_, 'a>) -> Result<(), Diagnostic>,
    ) -> Result<bool, Diagnostic> {
        let Some(section) = self.sections.iter().find(|section| section.name == name) else {
            return Ok(false);
        };
        let Some((header, rows)) = section.lines.split_first() else { return Ok(true) };
        let header_cells = cells(*header);
        let mut columns = BTreeMap::new();
        for (place, cell) in header_cells.iter().enumerate().filter(|(_, cell)| !cell.text.is_empty()) {
            if columns.insert(cell.text.to_ascii_lowercase(), place).is_some() {
                let message = format!("section `{name}` has two columns `{}`", cell.text);
                return Err(self.source.wrong(&cell.range(), message, "keep the one that is meant"));
            }
        }
        if let Some(missing) = needed.iter().find(|name| !columns.contains_key(&name.to_ascii_lowercase())) {
            let message = format!("section `{name}` has no column `{missing}`");
            return Err(self.source.wrong(
                &header.range(),
                message,
                "copy the file as ibdiagnet has written it",
            ));
        }
        for line in rows {
            let own = Row { source: self.source, columns: &columns, cells: cells(*line), line: *line };
            if own.cells.len() < header_cells.len() {
                let message = format!("this row has {} of {} cells", own.cells.len(), header_cells.len());
                return Err(self.source.wrong(&line.range(), message, "copy the whole row"));
            }
            row(&own)?;
        }
        Ok(true)
    }
}

impl<'a> Section<'a> {
    /// Returns the number of rows.
    pub(super) fn rows(&self) -> usize {
        self.lines.len().saturating_sub(1)
    }

    /// Returns the names of columns.
    pub(super) fn columns(&self) -> Vec<Part<'a>> {
        self.lines.first().map(|line| cells(*line)).unwrap_or_default()
    }
}

impl<'a> Row<'_, 'a> {
    /// Returns a cell; `None` for an empty cell, one that is not available, and a column that the section lacks.
    pub(super) fn get(&self, column: &str) -> Option<Part<'a>> {
        let cell = self.cells[*self.columns.get(&column.to_ascii_lowercase())?];
        Some(cell).filter(|cell| !cell.text.is_empty() && !cell.text.eq_ignore_ascii_case("n/a"))
    }

    pub(super) fn wrong(&self, column: &str, what: &str, help: &str) -> Diagnostic {
        let cell = self.get(column).unwrap_or(self.line);
        self.source.wrong(&cell.range(), format!("`{}` of column `{column}` {what}", cell.text), help)
    }

    pub(super) fn number(&self, column: &str) -> Result<Option<u64>, Diagnostic> {
        let Some(cell) = self.get(column) else { return Ok(None) };
        let number = number_of(cell.text);
        let wrong =
            || self.wrong(column, "is not a number", "write digits, `0x` and hexadecimal digits, or `N/A`");
        number.map(Some).ok_or_else(wrong)
    }

    /// Returns a number that must be there, and be at most `most`.
    pub(super) fn small(&self, column: &str, most: u8) -> Result<u8, Diagnostic> {
        let number = self.number(column)?.filter(|number| *number <= most.into());
        let help = format!("write a number from 0 to {most}");
        number.map(|number| number as u8).ok_or_else(|| self.wrong(column, "is not such a number", &help))
    }

    pub(super) fn port_number(&self, column: &str) -> Result<u16, Diagnostic> {
        self.small(column, 254).map(u16::from)
    }

    pub(super) fn guid(&self, column: &str) -> Result<u64, Diagnostic> {
        let cell = self.get(column).filter(|cell| cell.text.starts_with("0x") || cell.text.starts_with("0X"));
        let wrong = || self.wrong(column, "is not a GUID", "write `0x0002c90300000100`");
        cell.and_then(|cell| hex(cell.text)).ok_or_else(wrong)
    }

    /// Returns the index of the node with the GUID in this column.
    pub(super) fn node_of(&self, known: &BTreeMap<u64, usize>, column: &str) -> Result<usize, Diagnostic> {
        let guid = self.guid(column)?;
        let wrong = || self.wrong(column, "is no node of section `NODES`", "copy the whole file");
        known.get(&guid).copied().ok_or_else(wrong)
    }
}

/// Returns the number of a cell: hexadecimal behind `0x`, else decimal.
pub(super) fn number_of(text: &str) -> Option<u64> {
    if text.starts_with("0x") { hex(text) } else { decimal(text) }
}

/// Splits a line at its commas outside of quotes.
fn cells(line: Part<'_>) -> Vec<Part<'_>> {
    let mut quoted = false;
    let is_border = |letter: char| {
        quoted ^= letter == '"';
        letter == ',' && !quoted
    };
    let place = |text: &str| line.start + (text.as_ptr() as usize - line.text.as_ptr() as usize);
    let bare = |text| {
        let cell = Part { text, start: place(text) }.trimmed();
        let inside = cell.behind("\"").and_then(|rest| Some(rest.at(rest.text.strip_suffix('"')?.len()).0));
        inside.unwrap_or(cell)
    };
    line.text.split(is_border).map(bare).collect()
}
