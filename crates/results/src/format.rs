//! Numbers and tables as text.
//!
//! Invariant: the same values give the same characters; nothing here knows of runs.

use core::fmt::Debug;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};

pub use units::grouped;

use crate::csv_text::CsvText;

/// Width of tables in files, and on the terminal if its width is not known, in characters.
pub const WIDTH: usize = 110;

/// Characters between two columns.
const GAP: usize = 2;

/// Returns a text with its first letter in upper case, as a sentence begins.
#[must_use]
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns a text with its first letter in lower case, as a sentence goes on.
///
/// ```
/// use results::format::{capital, lowered};
/// assert_eq!((capital("at least"), lowered("At least")), ("At least".to_owned(), "at least".to_owned()));
/// ```
#[must_use]
pub fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// Creates a table without frames, in the style of all printed tables.
#[must_use]
pub fn plain_table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
}

/// Fits the table into `width` characters where possible, by breaking lines of these columns only. Columns that need
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

/// Returns a table as text of at most `width` characters a line where possible. Columns that do not fit continue in
/// another block below, after a blank line, each with its header and the first `keys` columns. The first `left` columns
/// are aligned to the left, all others to the right.
///
/// # Panics
/// If a row is not as long as the header.
#[must_use]
pub fn in_blocks(header: &[String], rows: &[Vec<String>], keys: usize, left: usize, width: usize) -> String {
    let longest = |column: usize| {
        let cells = rows.iter().map(|row| &row[column]).chain([&header[column]]);
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0) + GAP
    };
    let of_keys: usize = (0..keys).map(longest).sum();
    let mut blocks = vec![Vec::new()];
    let mut taken = of_keys;
    for column in keys..header.len() {
        let last = blocks.last_mut().expect("there is always a block");
        // The gap after the last column is not printed.
        if last.is_empty() || taken + longest(column) <= width + 1 {
            taken += longest(column);
            last.push(column);
        } else {
            taken = of_keys + longest(column);
            blocks.push(vec![column]);
        }
    }
    let block = |columns: &Vec<usize>| {
        let cells = |row: &[String]| -> Vec<String> {
            (0..keys).chain(columns.iter().copied()).map(|column| row[column].clone()).collect()
        };
        let mut table = plain_table();
        table.set_header(cells(header));
        table.add_rows(rows.iter().map(|row| cells(row)));
        aligned(table, left)
    };
    blocks.iter().map(block).collect::<Vec<_>>().join("\n\n")
}

/// Breaks lines of more than `width` characters, where possible, but none with a command of the program. Further
/// lines of a table's row are indented to its last column; further lines of indented prose, by two characters more
/// than the first.
#[must_use]
pub fn wrapped(text: &str, width: usize) -> String {
    // A command that is broken cannot be copied.
    let stays = |line: &str| line.chars().count() <= width || line.trim_start().starts_with("backwater ");
    let line = |line: &str| if stays(line) { line.to_owned() } else { broken(line, width) };
    let mut wrapped = text.lines().map(line).collect::<Vec<_>>().join("\n");
    if text.ends_with('\n') {
        wrapped.push('\n');
    }
    wrapped
}

/// Breaks a line of more than `width` characters between words. Further lines are indented to the column `below`.
#[must_use]
pub fn wrapped_below(text: &str, width: usize, below: usize) -> String {
    let kept = text.char_indices().nth(below).map_or(text.len(), |(at, _)| at);
    let (mut lines, mut line) = (String::new(), text[..kept].to_owned());
    let mut is_first = true;
    for word in text[kept..].split(' ') {
        if !is_first && line.chars().count() + 1 + word.chars().count() > width {
            lines += &line;
            line = format!("\n{:below$}", "");
            is_first = true;
        }
        line += if is_first { "" } else { " " };
        line += word;
        is_first = false;
    }
    lines + &line
}

/// Breaks a line at single spaces.
fn broken(line: &str, width: usize) -> String {
    let start = line.len() - line.trim_start().len();
    // Columns are set apart by two spaces at least.
    let last = line.rfind("  ").map_or(start, |at| at + 2).max(start);
    let column = line[..last].chars().count();
    let (kept, hanging) = if last > start && column <= width / 2 {
        (last, column)
    } else {
        (start, if start > 0 { start + 2 } else { 0 })
    };
    let mut broken = line[..kept].to_owned();
    let mut used = broken.chars().count();
    let mut spaces = 0;
    for (place, word) in line[kept..].split(' ').enumerate() {
        spaces += usize::from(place > 0);
        let length = word.chars().count();
        if length == 0 {
            continue;
        }
        if spaces > 0 && used + spaces + length > width {
            broken += &format!("\n{:hanging$}", "");
            used = hanging;
        } else {
            broken += &" ".repeat(spaces);
            used += spaces;
        }
        broken += word;
        used += length;
        spaces = 0;
    }
    broken
}

/// Returns items as a list in a sentence: `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

/// Returns a count with its noun, in the plural unless it is 1: `1 run`, `1,234 branches`.
///
/// # Panics
/// If the count has more than 64 bits.
#[must_use]
pub fn counted(count: impl TryInto<u64, Error: Debug>, noun: &str) -> String {
    let count = count.try_into().expect("a count has at most 64 bits");
    format!("{} {}", grouped(count), noun_of(count, noun))
}

/// Returns a noun, in the plural unless the count is 1.
#[must_use]
pub fn noun_of(count: u64, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) if !noun.ends_with("ay") => format!("{stem}ies"),
        _ if noun.ends_with("ch") || noun.ends_with("ss") => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// Returns a table in CSV (RFC 4180): the header's line, then a line for each row.
///
/// # Panics
/// If a row is not as long as the header.
#[must_use]
pub fn csv(header: Vec<String>, rows: impl Iterator<Item = Vec<String>>) -> String {
    let (mut csv, columns) = (CsvText::default(), header.len());
    for row in std::iter::once(header).chain(rows) {
        assert_eq!(row.len(), columns, "a row is as long as the header");
        csv.line(&row);
    }
    csv.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_has_the_plural_of_its_noun() {
        let counts = [(1_u64, "tree"), (1234, "branch"), (0, "query"), (2, "delay"), (3, "process")];
        let texts = ["1 tree", "1,234 branches", "0 queries", "2 delays", "3 processes"];
        assert_eq!(counts.map(|(count, noun)| counted(count, noun)), texts);
    }

    /// Lines of 18 characters hold the key, `aa` and `bb`; a line of 17 does not.
    #[test]
    fn columns_that_do_not_fit_continue_below() {
        let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let (header, rows) = (texts(&["key", "aa", "bb", "cc"]), [texts(&["k", "1.00", "22.00", "3"])]);
        let table = |width| in_blocks(&header, &rows, 1, 1, width);
        assert_eq!(table(22), " key    aa     bb  cc\n k    1.00  22.00   3");
        assert_eq!(table(18), " key    aa     bb\n k    1.00  22.00\n\n key  cc\n k     3");
        assert_eq!(table(17).lines().map(str::len).max(), Some(17), "{}", table(17));
        assert_eq!(table(1).split("\n\n").count(), 3);
        assert_eq!(in_blocks(&header[..1], &[texts(&["k"])], 1, 1, 80), " key\n k");
    }

    #[test]
    fn long_lines_are_broken_between_words_and_go_on_below_their_last_column() {
        let text =
            "short\n\n audit  one two three\nall of this is prose\n  a-word-that-is-longer-than-the-line b\n";
        assert_eq!(
            wrapped(text, 16),
            "short\n\n audit  one two\n        three\nall of this is\nprose\n  a-word-that-is-longer-than-the-line\n    b\n"
        );
        assert_eq!(wrapped(text, 80), text);
        assert_eq!(wrapped("  backwater sim a --set b", 12), "  backwater sim a --set b");
        assert_eq!(wrapped_below("Lost  one two three", 13, 6), "Lost  one two\n      three");
        assert_eq!(wrapped_below("Lost", 3, 6), "Lost");
        assert_eq!(wrapped("≥ is a bound", 12), "≥ is a bound");
        assert_eq!(wrapped("many  columns  of a table", 16), "many  columns\nof a table");
    }

    #[test]
    fn lists_end_with_and() {
        let items = ["a", "b", "c"].map(str::to_owned);
        assert_eq!([&items[..1], &items[..2], &items].map(listed), ["a", "a and b", "a, b and c"]);
    }
}
