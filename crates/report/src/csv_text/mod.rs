//! CSV as text (RFC 4180): cells that are appended to a text, and rows that are read from it.
//!
//! Invariant: the text of a cell follows from its value alone. A number is written with the fewest digits that are read as
//! the same number, as the standard library prints it.
//!
//! | module | contents |
//! |---|---|
//! | here | cells as text |
//! | `records` | cells of each line of a text |
//! | `rows` | typed rows of a text |

mod records;
mod rows;

pub(crate) use rows::rows;

/// Appends a text, in quotes where a reader needs them.
pub(crate) fn push_text(csv: &mut String, text: &str) {
    if needs_quotes(text.as_bytes()) {
        csv.push('"');
        csv.push_str(&text.replace('"', "\"\""));
        csv.push('"');
    } else {
        csv.push_str(text);
    }
}

/// Returns true if a reader would take the text for several cells, or for another one. A loop that is written out, as in
/// [`records`].
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

/// Appends a line of texts.
pub(crate) fn push_line<S: AsRef<str>>(csv: &mut String, cells: impl IntoIterator<Item = S>) {
    let start = csv.len();
    for (place, cell) in cells.into_iter().enumerate() {
        if place > 0 {
            csv.push(',');
        }
        push_text(csv, cell.as_ref());
    }
    end_line(csv, start);
}

/// Ends the line that began at this place of the text.
pub(crate) fn end_line(csv: &mut String, start: usize) {
    // A line without any character would be no row.
    if csv.len() == start {
        csv.push_str("\"\"");
    }
    csv.push('\n');
}

/// Appends an integer.
pub(crate) fn push_count(csv: &mut String, count: u64) {
    let mut digits = [0; 20];
    let first = digits_of(count, &mut digits);
    csv.push_str(text_of(&digits[first..]));
}

/// Writes the digits of a number to the end of a buffer, and returns the place of the first of them.
fn digits_of(mut count: u64, digits: &mut [u8; 20]) -> usize {
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (count % 10) as u8;
        count /= 10;
        if count == 0 {
            return first;
        }
    }
}

fn text_of(digits: &[u8]) -> &str {
    core::str::from_utf8(digits).expect("digits are ASCII")
}

/// Decimals that are tried, with their power of ten and the numbers that have at most 15 digits with them. Picoseconds are
/// seconds with 12 decimals.
const DECIMALS: [(usize, f64, f64); 3] = [(0, 1.0, 1e15), (12, 1e12, 1e3), (6, 1e6, 1e9)];

/// Appends a number with a point and without an exponent.
pub(crate) fn push_number(csv: &mut String, value: f64) {
    debug_assert!(value.is_finite(), "{value} is no number of a table");
    let size = value.abs();
    for (decimals, power, below) in DECIMALS {
        let scaled = (size * power).round();
        // Up to 15 digits no two decimal numbers are the same `f64`, so this one is the shortest. The quotient of two
        // numbers that are exact is the `f64` nearest to the decimal number.
        if size < below && scaled / power == size {
            if value.is_sign_negative() {
                csv.push('-');
            }
            return push_decimal(csv, scaled as u64, decimals);
        }
    }
    let start = csv.len();
    csv.push_str(&value.to_string());
    if !csv[start..].contains('.') {
        csv.push_str(".0");
    }
}

/// Appends a whole number of units, of which a power of ten are 1, without zeros at its end but one.
fn push_decimal(csv: &mut String, scaled: u64, decimals: usize) {
    let power = 10_u64.pow(decimals as u32);
    push_count(csv, scaled / power);
    csv.push('.');
    let mut digits = [0; 20];
    // The 1 before the decimals keeps their zeros.
    digits_of(scaled % power + power, &mut digits);
    let fraction = &digits[digits.len() - decimals..];
    let kept = fraction.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
    match &fraction[..kept] {
        [] => csv.push('0'),
        kept => csv.push_str(text_of(kept)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(value: f64) -> String {
        let mut text = String::new();
        push_number(&mut text, value);
        text
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
            let mut text = String::new();
            push_count(&mut text, count);
            prop_assert_eq!(text, count.to_string());
        }

        #[test]
        fn lines_are_those_of_the_csv_crate(cells in proptest::collection::vec("[a,\"\n\r ]{0,4}", 1..4)) {
            let mut text = String::new();
            push_line(&mut text, cells.iter().map(String::as_str));
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(&cells).unwrap();
            prop_assert_eq!(text.as_bytes(), writer.into_inner().unwrap());
        }
    }
}
