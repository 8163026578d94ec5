//! Text for a terminal, and for comments of one line in files that other programs read.
//!
//! Invariant: no character of the result acts on a terminal, changes the direction of text or ends a line, except the ends of
//! lines that are asked for. Characters that can be seen stay as they are.

use std::borrow::Cow;

use crate::rule::is_plain;

/// Returns a text of one line, as it is shown: a picture for each control character (`␛`, `␊`), the number of each other
/// character that may not stand in a name (`<U+202E>`).
///
/// ```
/// assert_eq!(names::shown::line("a\u{1b}[31m\nb\u{202e}"), "a␛[31m␊b<U+202E>");
/// ```
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    with(text, |_| false)
}

/// Returns a text of several lines, as [`line()`] does, with the ends of its lines and its tabulators.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    with(text, |letter| matches!(letter, '\n' | '\t'))
}

/// Returns a text of several lines with colours: as [`lines`] does, with sequences that set colours and weights of letters
/// (`ESC [ ... m`). Names in the text must have been through [`line()`] before colours were put around them.
#[must_use]
pub fn coloured(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        shown += &lines(&rest[..at]);
        let length = colour(&rest[at..]);
        shown += if length > 0 { &rest[at..at + length] } else { "␛" };
        rest = &rest[at + length.max(1)..];
    }
    shown + &lines(rest)
}

/// Returns a text as a comment of one line has it, in a file that another program reads.
#[must_use]
pub fn comment(text: &str) -> Cow<'_, str> {
    line(text)
}

/// Returns the length of the sequence at the beginning of a text, if it sets colours; else 0.
fn colour(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\u{1b}[") else { return 0 };
    let end = parameters.find(|letter: char| !letter.is_ascii_digit() && letter != ';');
    end.filter(|end| parameters[*end..].starts_with('m')).map_or(0, |end| 2 + end + 1)
}

fn with(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_shown = |letter: char| is_plain(letter) || stays(letter);
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_shown(letter) {
            shown.push(letter);
        } else {
            push_picture(&mut shown, letter);
        }
    }
    Cow::Owned(shown)
}

/// Appends the picture of a character that does not stand for itself.
fn push_picture(shown: &mut String, letter: char) {
    match letter {
        // Unicode has a picture of each, in their order.
        '\0'..='\u{1f}' => shown.push(char::from_u32(0x2400 + u32::from(letter)).unwrap_or('\u{fffd}')),
        '\u{7f}' => shown.push('␡'),
        other => *shown += &format!("<U+{:04X}>", u32::from(other)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hostile;

    #[test]
    fn colours_stay_and_other_sequences_do_not() {
        let text = "\u{1b}[1m\u{1b}[38;5;9merror\u{1b}[0m: \u{1b}]0;x\u{7}\u{1b}[2J\n\u{1b}";
        assert_eq!(
            coloured(text),
            "\u{1b}[1m\u{1b}[38;5;9merror\u{1b}[0m: \u{241b}]0;x\u{2407}\u{241b}[2J\n\u{241b}"
        );
    }

    #[test]
    fn pictures_have_their_place() {
        assert_eq!(line("\0\t\u{7f}\u{9b}\u{2028}"), "␀␉␡<U+009B><U+2028>");
        assert!(matches!(line("é/\"'"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn nothing_acts_on_a_terminal(text in hostile::texts()) {
            prop_assert!(line(&text).chars().all(is_plain));
            prop_assert!(comment(&text).chars().all(is_plain));
            let lines = lines(&text);
            prop_assert!(lines.chars().all(|letter| is_plain(letter) || matches!(letter, '\n' | '\t')));
            prop_assert_eq!(lines.matches('\n').count(), text.matches('\n').count());
            // Without its sequences of colours, nothing of a coloured text acts.
            let mut bare = coloured(&text);
            while let Some(at) = bare.find('\u{1b}') {
                let length = colour(&bare[at..]);
                prop_assert!(length > 0);
                bare.replace_range(at..at + length, "");
            }
            prop_assert!(bare.chars().all(|letter| is_plain(letter) || matches!(letter, '\n' | '\t')));
        }
    }
}
