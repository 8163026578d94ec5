//! JSON without characters that act on a terminal.
//!
//! Invariant: the result is the same JSON. Writers of JSON escape the control characters of ASCII alone; all others that may not
//! stand in a name are escaped here.

use std::fmt::Write as _;

use crate::rule::is_plain;

/// Returns JSON text with an escape for each character within its strings that may not stand in a name.
///
/// ```
/// assert_eq!(names::json::escaped("[\"a\u{202e}\u{9b}\"]\n".to_owned()), "[\"a\\u202e\\u009b\"]\n");
/// ```
#[must_use]
pub fn escaped(json: String) -> String {
    // Such characters stand in strings alone; blanks between values are the ends of lines and tabulators.
    let stays = |letter: char| is_plain(letter) || matches!(letter, '\n' | '\t' | '\r');
    if json.chars().all(stays) {
        return json;
    }
    let mut text = String::with_capacity(json.len() + 16);
    for letter in json.chars() {
        if stays(letter) {
            text.push(letter);
            continue;
        }
        for unit in letter.encode_utf16(&mut [0; 2]) {
            write!(text, "\\u{unit:04x}").expect("a string takes it");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hostile;

    /// Writes a string as JSON does: quotes, backslashes and control characters of ASCII are escaped.
    fn string(text: &str) -> String {
        let letter = |letter: char| match letter {
            '"' | '\\' => format!("\\{letter}"),
            '\0'..='\u{1f}' => format!("\\u{:04x}", u32::from(letter)),
            other => other.to_string(),
        };
        format!("\"{}\"", text.chars().map(letter).collect::<String>())
    }

    /// Reads what [`string`] and [`escaped`] have written.
    fn read(json: &str) -> String {
        let mut units: Vec<u16> = Vec::new();
        let mut letters = json[1..json.len() - 1].chars();
        while let Some(letter) = letters.next() {
            match (letter, if letter == '\\' { letters.next() } else { None }) {
                ('\\', Some('u')) => {
                    let digits: String = letters.by_ref().take(4).collect();
                    units.push(u16::from_str_radix(&digits, 16).expect("four digits"));
                }
                (_, other) => units.extend(other.unwrap_or(letter).encode_utf16(&mut [0; 2]).iter()),
            }
        }
        String::from_utf16(&units).expect("pairs are whole")
    }

    proptest! {
        #[test]
        fn strings_are_read_as_they_were(text in hostile::texts()) {
            let json = escaped(string(&text));
            prop_assert!(json.chars().all(is_plain), "{}", json);
            prop_assert_eq!(read(&json), text);
        }
    }
}
