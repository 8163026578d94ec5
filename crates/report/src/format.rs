//! Numbers and tables as text.
//!
//! Invariant: the same values give the same characters; nothing here knows of runs.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};

/// Creates a table without frames, in the style of all printed tables.
#[must_use]
pub fn plain_table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
}

/// Fits the table into `width` characters where possible, by breaking the lines of these columns only. Columns that need
/// less than an equal share of the room keep their width.
#[must_use]
pub fn fitted(mut table: Table, width: u16, breaking: &[usize]) -> Table {
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    for (place, column) in table.column_iter_mut().enumerate() {
        if !breaking.contains(&place) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table
}

/// Returns the table as text, with its first `left` columns aligned to the left and all others to the right.
#[must_use]
pub fn aligned(mut table: Table, left: usize) -> String {
    for (place, column) in table.column_iter_mut().enumerate() {
        if place >= left {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// Groups digits by thousands: `1234567` becomes `1,234,567`.
#[must_use]
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a table in CSV (RFC 4180), with a line for the header and one for each row.
///
/// # Panics
/// If a row is not as long as the header.
#[must_use]
pub fn csv(header: Vec<String>, rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in std::iter::once(header).chain(rows) {
        writer.write_record(row).expect("rows are as long as the header, and memory takes them");
    }
    let bytes = writer.into_inner().expect("memory takes what is left");
    String::from_utf8(bytes).expect("names and numbers are UTF-8")
}

/// Rounds `value` to so many decimals, so that files show no digits without meaning.
pub(crate) fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_by_thousands() {
        assert_eq!(["0", "999", "1,000", "12,345,678"], [0, 999, 1000, 12_345_678].map(grouped));
    }
}
