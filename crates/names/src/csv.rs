//! Cells of a table that spreadsheets open.
//!
//! Invariant: no cell begins a formula, and [`text`] is the inverse of [`cell`] for every name that the rule accepts. [`quoted`] is a
//! cell with the quotes of RFC 4180; other writers have quotes of their own.
//!
//! Spreadsheets take a cell that begins with `=`, `+`, `-` or `@` for a formula, which can start programs, some also after blanks,
//! in full width (`＝`), or with `|`; they take a cell that begins with an apostrophe for text. Numbers and a sign alone stay as
//! they are. A tabulator or the end of a line begins no cell: [`shown`] has a picture in its place.

use std::borrow::Cow;

use crate::rule::is_blank;
use crate::shown;

/// Characters with which a formula begins.
const SIGNS: [char; 9] = ['=', '+', '-', '@', '|', '＝', '＋', '－', '＠'];

/// Returns the cell of a text: with an apostrophe before one that a spreadsheet would take for a formula.
///
/// ```
/// use names::csv::cell;
/// assert_eq!(["h1", "-5", "=1+1", " ＝1", "'=1"].map(cell), ["h1", "-5", "'=1+1", "' ＝1", "''=1"]);
/// ```
#[must_use]
pub fn cell(text: &str) -> Cow<'_, str> {
    let shown = shown::line(text);
    if begins_formula(&shown) { Cow::Owned(format!("'{shown}")) } else { shown }
}

/// Returns the cell of a text as it stands in a line: in quotes if it has a comma or a quote (RFC 4180).
///
/// ```
/// assert_eq!(["h1", "x, y", "a\"b", "=1"].map(names::csv::quoted), ["h1", "\"x, y\"", "\"a\"\"b\"", "'=1"]);
/// ```
#[must_use]
pub fn quoted(text: &str) -> Cow<'_, str> {
    let cell = cell(text);
    if cell.contains([',', '"']) { Cow::Owned(format!("\"{}\"", cell.replace('"', "\"\""))) } else { cell }
}

/// Returns the text of a cell that [`cell`] has made.
#[must_use]
pub fn text(cell: &str) -> Cow<'_, str> {
    let bare = cell.strip_prefix('\'').filter(|bare| begins_formula(bare));
    shown::line(bare.unwrap_or(cell))
}

/// Returns true if a cell of this text would be a formula, or if [`text`] would take it for an escaped one. A sign alone is none.
fn begins_formula(text: &str) -> bool {
    let bare = text.trim_start_matches('\'');
    let signed = bare.trim_start_matches(is_blank).strip_prefix(SIGNS);
    signed.is_some_and(|rest| !rest.is_empty()) && (bare.len() < text.len() || !is_number(text))
}

/// Returns true for a number as tables have it: digits with a sign, a point and an exponent.
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hostile;

    #[test]
    fn numbers_are_no_formulas() {
        for number in ["-5", "-0.25", "+1", "-1e-9", "7", "-", "=", " ", " 7", "－", " -"] {
            assert_eq!(cell(number), number);
        }
        let plain = ["-2+3", "--", "-inf", "@x", "-1e", "=1", "|x"];
        let after_blanks = [" =1", " -5", "  @x", "\u{a0}+1", "\u{3000}|x", "\u{200d}=1"];
        let full_width = ["＝1+1", "＋1", "－5", "＠x", " ＝1"];
        for formula in plain.into_iter().chain(after_blanks).chain(full_width) {
            assert_eq!(cell(formula), format!("'{formula}"), "{formula}");
        }
        assert_eq!(cell("it's"), "it's");
        assert_eq!(text("'it"), "'it");
        // A blank between apostrophe and formula belongs to the text.
        assert_eq!(cell("' =1"), "'' =1");
        assert_eq!(cell(" '=1"), " '=1");
        assert_eq!(["\t=1", "\r=1", "\n=1"].map(cell), ["␉=1", "␍=1", "␊=1"]);
    }

    /// Returns true if some spreadsheet may take a cell for a formula.
    fn is_formula(cell: &str) -> bool {
        let cell = cell.trim_start_matches([' ', '\u{a0}', '\u{3000}', '\u{200c}', '\u{200d}']);
        cell.starts_with(['\t', '\r', '\n']) || cell.chars().count() > 1 && cell.starts_with(SIGNS)
    }

    proptest! {
        #[test]
        fn cells_begin_no_formula_and_are_read_as_they_are_shown(name in hostile::texts()) {
            let cell = cell(&name);
            prop_assert!(!is_formula(&cell) || is_number(&cell), "{}", cell);
            prop_assert_eq!(text(&cell), shown::line(&name));
        }

        /// Every order of apostrophes, blanks and signs at the beginning.
        #[test]
        fn beginnings_are_read_as_they_were(name in "['  \u{3000}\u{200c}=+|＝－\t\r1-]{0,6}") {
            let cell = cell(&name);
            prop_assert!(!is_formula(&cell) || is_number(&cell), "{}", cell);
            prop_assert_eq!(text(&cell), shown::line(&name));
        }
    }
}
