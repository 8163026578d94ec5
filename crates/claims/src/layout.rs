//! Line width and line breaks of printed text.
//!
//! Invariant: no line is longer than [`WIDTH`], unless a single word is.

/// Columns of printed text and tables.
pub(crate) const WIDTH: u16 = 120;

/// Breaks text into lines of at most [`WIDTH`] columns.
pub(crate) fn wrapped(text: &str) -> String {
    let mut wrapped = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        let (separator, before) = match column {
            0 => ("", 0),
            _ if column + 1 + length > usize::from(WIDTH) => ("\n", 0),
            _ => (" ", column + 1),
        };
        wrapped += separator;
        wrapped += word;
        column = before + length;
    }
    wrapped
}
