//! Cells of a table that spreadsheets open.
//!
//! Invariant: no cell begins a formula, and [`text`] is the inverse of [`cell`] for every name that the rule accepts. Quotes and
//! commas are the work of the writer of the table, as RFC 4180 has it.
//!
//! Spreadsheets take a cell that begins with `=`, `+`, `-` or `@` for a formula, which can start programs; they take one that
//! begins with an apostrophe for text. Numbers and a sign alone stay as they are.

use std::borrow::Cow;

use crate::shown;

/// Returns the cell of a text: with an apostrophe before one that a spreadsheet would take for a formula.
///
/// ```
/// use names::csv::cell;
/// assert_eq!(["h1", "-5", "=1+1", "'=1"].map(|text| cell(text).into_owned()), ["h1", "-5", "'=1+1", "''=1"]);
/// ```
#[must_use]
pub fn cell(text: &str) -> Cow<'_, str> {
    let shown = shown::line(text);
    if begins_formula(&shown) { Cow::Owned(format!("'{shown}")) } else { shown }
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
    bare.len() > 1 && bare.starts_with(['=', '+', '-', '@']) && (bare.len() < text.len() || !is_number(text))
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
        for number in ["-5", "-0.25", "+1", "-1e-9", "7", "-", "="] {
            assert_eq!(cell(number), number);
        }
        for formula in ["-2+3", "--", "-inf", "@x", "-1e", "=1"] {
            assert_eq!(cell(formula), format!("'{formula}"), "{formula}");
        }
        assert_eq!(cell("it's"), "it's");
        assert_eq!(text("'it"), "'it");
    }

    proptest! {
        #[test]
        fn cells_begin_no_formula_and_are_read_as_they_are_shown(name in hostile::texts()) {
            let cell = cell(&name);
            let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) && cell.len() > 1;
            prop_assert!(!is_formula || is_number(&cell), "{}", cell);
            prop_assert_eq!(text(&cell), shown::line(&name));
        }
    }
}
