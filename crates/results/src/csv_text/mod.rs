//! CSV as text (RFC 4180): a text that is written cell by cell, and rows that are read from a text.
//!
//! Invariant: the text of a cell follows from its value alone. A number has the fewest digits that are read as the same
//! number, as the standard library prints it. No other place writes or reads texts of cells. Texts go through
//! [`names::csv`], so that none is a formula to a spreadsheet, and come back unchanged.
//!
//! | module | contents |
//! |---|---|
//! | here | tables as text |
//! | `records` | cells of each line of a text |
//! | `rows` | typed rows of a text |
//! | `table` | header and rows of a text |

mod records;
mod rows;
mod table;

use std::borrow::Cow;

pub use rows::{RowFault, rows};
#[cfg(feature = "parquet")]
pub(crate) use table::texts_of;
pub use table::{CsvTable, table};

/// A table as it is written, cell by cell.
///
/// This crate is compiled for size, so loops over bytes are written out here and in `records`. Chains of iterators
/// would not be inlined, and the tables of a large run would take as long as the run.
#[derive(Debug, Default)]
pub struct CsvText {
    bytes: Vec<u8>,
    /// Place at which the line begins.
    line: usize,
    /// True if the line has a cell, after which the next needs a comma.
    has_cell: bool,
}

/// Most characters of a decimal number of up to 15 digits: a sign, a zero before the point, the point, and zeros after
/// it.
const LONGEST: usize = 32;

/// Decimals that are tried, with their power of ten, and the bound below which numbers have at most 15 digits.
/// Picoseconds are seconds with 12 decimals.
const DECIMALS: [(usize, f64, f64); 3] = [(0, 1.0, 1e15), (12, 1e12, 1e3), (6, 1e6, 1e9)];

impl CsvText {
    /// Adds a line of texts.
    pub(crate) fn line<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        for cell in cells {
            self.begin_cell();
            self.text(cell.as_ref());
        }
        self.end_line();
    }

    /// Begins the next cell of the line.
    pub(crate) fn begin_cell(&mut self) {
        if self.has_cell {
            self.bytes.push(b',');
        }
        self.has_cell = true;
    }

    /// Ends the line.
    pub(crate) fn end_line(&mut self) {
        // A line without any character would be no row.
        if self.bytes.len() == self.line {
            self.bytes.extend_from_slice(b"\"\"");
        }
        self.bytes.push(b'\n');
        self.line = self.bytes.len();
        self.has_cell = false;
    }

    /// Adds a text, in quotes where a reader needs them.
    pub(crate) fn text(&mut self, text: &str) {
        let cell = if is_bare(text.as_bytes()) { Cow::Borrowed(text) } else { names::csv::cell(text) };
        let text = &*cell;
        if needs_quotes(text.as_bytes()) {
            self.bytes.push(b'"');
            self.bytes.extend_from_slice(text.replace('"', "\"\"").as_bytes());
            self.bytes.push(b'"');
        } else {
            self.bytes.extend_from_slice(text.as_bytes());
        }
    }

    /// Adds an integer.
    pub(crate) fn count(&mut self, count: u64) {
        let mut digits = [0; LONGEST];
        let first = put_digits(count, &mut digits, LONGEST);
        self.bytes.extend_from_slice(&digits[first..]);
    }

    /// Adds a number with a point and without an exponent.
    pub(crate) fn number(&mut self, value: f64) {
        debug_assert!(value.is_finite(), "{value} is no number of a table");
        let size = value.abs();
        for (decimals, power, below) in DECIMALS {
            let scaled = (size * power).round();
            // Up to 15 digits no two decimal numbers are the same `f64`, so this number is the shortest. The quotient
            // of two exact numbers is the `f64` nearest to the decimal number.
            if size < below && scaled / power == size {
                return self.decimal(value.is_sign_negative(), scaled as u64, decimals);
            }
        }
        let text = value.to_string();
        self.bytes.extend_from_slice(text.as_bytes());
        if !text.contains('.') {
            self.bytes.extend_from_slice(b".0");
        }
    }

    /// Adds a number of `scaled` units of 10^-`decimals`. Zeros at its end are left out, but for the first decimal.
    fn decimal(&mut self, is_negative: bool, mut scaled: u64, mut decimals: usize) {
        while decimals > 1 && scaled.is_multiple_of(10) {
            (scaled, decimals) = (scaled / 10, decimals - 1);
        }
        if decimals == 0 {
            (scaled, decimals) = (scaled * 10, 1);
        }
        let mut text = [0; LONGEST];
        let mut first = LONGEST;
        for _ in 0..decimals {
            first -= 1;
            text[first] = b'0' + (scaled % 10) as u8;
            scaled /= 10;
        }
        first -= 1;
        text[first] = b'.';
        first = put_digits(scaled, &mut text, first);
        if is_negative {
            first -= 1;
            text[first] = b'-';
        }
        self.bytes.extend_from_slice(&text[first..]);
    }

    /// Adds `true` or `false`.
    pub(crate) fn flag(&mut self, flag: bool) {
        self.bytes.extend_from_slice(if flag { b"true" } else { b"false" });
    }

    /// Returns the text.
    pub(crate) fn into_text(self) -> String {
        String::from_utf8(self.bytes).expect("texts and digits are UTF-8")
    }
}

/// Returns a cell as the text that was written.
fn as_text(cell: &mut Cow<'_, str>) {
    if !is_bare(cell.as_bytes()) {
        let text = names::csv::text(cell);
        if text != *cell {
            *cell = Cow::Owned(text.into_owned());
        }
    }
}

/// Returns true for most texts, which are their own cells: ASCII that can be seen, without the beginning of a formula.
fn is_bare(text: &[u8]) -> bool {
    if let Some(b'=' | b'+' | b'-' | b'@' | b'|' | b'\'' | b' ') = text.first() {
        return false;
    }
    let mut at = 0;
    while at < text.len() {
        if !matches!(text[at], b' '..=b'~') {
            return false;
        }
        at += 1;
    }
    true
}

/// Returns true if a reader would take the text for several cells, or for another cell.
fn needs_quotes(text: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() {
        if text[at] <= b',' && matches!(text[at], b',' | b'"' | b'\n' | b'\r') {
            return true;
        }
        at += 1;
    }
    false
}

/// Puts the digits of a number before this place, and returns the place of the first of them.
fn put_digits(mut count: u64, text: &mut [u8; LONGEST], end: usize) -> usize {
    let mut first = end;
    loop {
        first -= 1;
        text[first] = b'0' + (count % 10) as u8;
        count /= 10;
        if count == 0 {
            return first;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(serde::Deserialize)]
    struct Named {
        name: Option<String>,
    }

    fn number(value: f64) -> String {
        let mut text = CsvText::default();
        text.number(value);
        text.into_text()
    }

    /// Returns the number as the standard library prints it, with a point.
    fn printed(value: f64) -> String {
        let text = value.to_string();
        if text.contains('.') { text } else { text + ".0" }
    }

    #[test]
    fn numbers_have_a_point_and_no_digit_too_many() {
        assert_eq!(
            [0.0, -0.0, 2e9, 0.00125, 1e-12].map(number),
            ["0.0", "-0.0", "2000000000.0", "0.00125", "0.000000000001"]
        );
        assert_eq!(
            [0.1 + 0.2, -1e300, 1e15, 999.5, 1e9 + 0.5].map(number),
            [0.1 + 0.2, -1e300, 1e15, 999.5, 1e9 + 0.5].map(printed)
        );
    }

    proptest! {
        #[test]
        fn numbers_are_printed_as_the_standard_library_does(
            bits in any::<u64>(),
            whole in -1_000_000_000_000_000_i64..1_000_000_000_000_000,
            decimals in 0..16,
        ) {
            let value = f64::from_bits(bits);
            if value.is_finite() {
                prop_assert_eq!(number(value), printed(value));
            }
            let value = whole as f64 / 10f64.powi(decimals);
            prop_assert_eq!(number(value), printed(value));
            // The neighbours of a short number have many digits.
            prop_assert_eq!(number(value.next_up()), printed(value.next_up()));
        }

        #[test]
        fn counts_are_printed_as_the_standard_library_does(count in any::<u64>()) {
            let mut text = CsvText::default();
            text.count(count);
            prop_assert_eq!(text.into_text(), count.to_string());
        }

        #[test]
        fn lines_are_those_of_the_csv_crate(cells in proptest::collection::vec("[a,\"\n\r =|＝']{0,4}", 1..4)) {
            let mut text = CsvText::default();
            text.line(&cells);
            let mut writer = csv::Writer::from_writer(Vec::new());
            let cells = cells.iter().map(|cell| names::csv::cell(cell).into_owned());
            writer.write_record(cells.collect::<Vec<_>>()).unwrap();
            prop_assert_eq!(text.into_text().into_bytes(), writer.into_inner().unwrap());
        }

        #[test]
        fn texts_are_read_as_they_are_shown(
            parts in proptest::collection::vec(proptest::collection::vec(proptest::sample::select(names::hostile::PARTS.as_slice()), 0..4), 1..6)
        ) {
            let names: Vec<String> = parts.iter().map(|parts| parts.concat()).collect();
            let mut text = CsvText::default();
            text.line(["number", "name"]);
            names.iter().for_each(|name| text.line(["-0.5", name]));
            let text = text.into_text();
            prop_assert_eq!(text.lines().count(), names.len() + 1);
            let shown: Vec<_> = names.iter().map(|name| names::shown::line(name).into_owned()).collect();
            let read = table(&text).unwrap();
            prop_assert!(read.rows.iter().all(|row| &row[0] == "-0.5"));
            prop_assert_eq!(read.rows.iter().map(|row| row[1].to_owned()).collect::<Vec<_>>(), shown.clone());
            let rows: Vec<Named> = rows(&text).unwrap();
            let typed: Vec<_> = rows.into_iter().map(|row| row.name.unwrap_or_default()).collect();
            prop_assert_eq!(typed, shown);
        }
    }
}
