//! The rule: which names are accepted.
//!
//! Invariant: an accepted name stands on one line, is seen as it is stored, and acts on no terminal. Everything that names of
//! real clusters hold is accepted: blanks, quotes, slashes, `HCA-1`, letters of any script.

/// Longest name, in characters. A `NodeDescription` has at most 64 bytes.
pub const LONGEST: usize = 255;

/// The reason for which a name is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameFault {
    /// A character that acts on a terminal, or ends the line.
    #[error("the control character U+{:04X} cannot stand in a name", u32::from(*.0))]
    Control(char),
    /// A character that changes the direction of the text around it.
    #[error("U+{:04X}, which changes the direction of text, cannot stand in a name", u32::from(*.0))]
    Direction(char),
    /// A character that cannot be seen, or is none.
    #[error("the invisible character U+{:04X} cannot stand in a name", u32::from(*.0))]
    Invisible(char),
    /// No character that can be seen.
    #[error("a name cannot be of blanks alone")]
    Blank,
    /// More characters than [`LONGEST`].
    #[error("a name cannot have {0} characters")]
    TooLong(usize),
}

impl NameFault {
    /// Returns the correction, as a full clause.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Control(_) | Self::Direction(_) | Self::Invisible(_) => {
                "write letters, digits, blanks and signs that can be seen".to_owned()
            }
            Self::Blank => "write letters, digits or signs".to_owned(),
            Self::TooLong(_) => format!("write at most {LONGEST}"),
        }
    }
}

/// Checks a name.
///
/// ```
/// use names::rule::{NameFault, check};
/// assert_eq!(check("MF0;sw-1:MSB7700/U1 'HCA-1' é"), Ok(()));
/// assert_eq!(check("a\nb"), Err(NameFault::Control('\n')));
/// ```
///
/// # Errors
/// If it is too long, has a character that [`is_plain`] refuses, or none that can be seen.
pub fn check(name: &str) -> Result<(), NameFault> {
    check_letters(name)?;
    if is_of_blanks(name) {
        return Err(NameFault::Blank);
    }
    // Bytes are no fewer than characters, and are known without counting.
    let letters = if name.len() > LONGEST { name.chars().count() } else { 0 };
    if letters > LONGEST { Err(NameFault::TooLong(letters)) } else { Ok(()) }
}

/// Checks a text of one line that may be longer than a name.
///
/// # Errors
/// If it has a character that [`is_plain`] refuses.
pub fn check_letters(text: &str) -> Result<(), NameFault> {
    text.chars().find_map(fault_of).map_or(Ok(()), Err)
}

/// Checks a text of several lines.
///
/// # Errors
/// If it has a character that [`is_plain`] refuses, other than the end of a line and the tabulator.
pub fn check_prose(text: &str) -> Result<(), NameFault> {
    let ends_line = |letter: &char| matches!(letter, '\n' | '\t');
    let text = text.replace("\r\n", "\n");
    text.chars().filter(|letter| !ends_line(letter)).find_map(fault_of).map_or(Ok(()), Err)
}

/// Returns true if a character may stand in a name.
#[must_use]
pub fn is_plain(letter: char) -> bool {
    // Most names are ASCII.
    if letter.is_ascii() { !letter.is_ascii_control() } else { fault_of(letter).is_none() }
}

/// Returns true if an accepted character shows nothing by itself: a blank, or a part of the letter beside it.
#[must_use]
pub const fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || is_joined(letter)
}

/// Returns a name that the rule accepts: `_` for each other character, and cut where it is too long.
///
/// ```
/// assert_eq!(names::rule::plain("node\u{1b}[31m"), "node_[31m");
/// ```
#[must_use]
pub fn plain(name: &str) -> String {
    let letter = |letter: char| if is_plain(letter) { letter } else { '_' };
    let name: String = name.chars().map(letter).take(LONGEST).collect();
    if is_of_blanks(&name) { "_".to_owned() } else { name }
}

/// Returns true for a text of blanks alone. A text without characters is no name, which its reader says.
fn is_of_blanks(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_blank)
}

/// Returns true for the default-ignorable code points that may stand in a name: joiners, and selectors of a letter's variant.
/// Persian, Mongolian, rare ideographs and pictures need them.
const fn is_joined(letter: char) -> bool {
    matches!(
        letter,
        '\u{200c}' | '\u{200d}' | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}'
    )
}

/// Returns the fault of a character, if it has one.
const fn fault_of(letter: char) -> Option<NameFault> {
    match letter {
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => Some(NameFault::Control(letter)),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(NameFault::Direction(letter))
        }
        letter if is_joined(letter) => None,
        // The default-ignorable code points of Unicode 17 (`DerivedCoreProperties.txt`) that are left: soft hyphen, fillers,
        // blanks without width, codes of notation, tags.
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}'
        // Cell of Braille without dots, marks of annotations, and code points that are no characters.
        | '\u{2800}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{fdd0}'..='\u{fdef}' => Some(NameFault::Invisible(letter)),
        // The last two of each plane are no characters.
        letter if letter as u32 & 0xfffe == 0xfffe => Some(NameFault::Invisible(letter)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hostile;

    #[test]
    fn names_of_real_clusters_are_accepted() {
        for name in [
            "node-01 HCA-1",
            "MF0;switch-ib2:MSB7700/U1",
            "SwitchX -  Mellanox Technologies",
            "'r1i0n0' mlx5_0",
            "ISR9024D Voltaire \"core\" #2",
            "=leaf",
            "rack 3/7 (left)",
            "größe",
            "节点-1",
            "می‌خواهم",
            "葛\u{e0100}",
            "rack ⚡\u{fe0f}",
            " h1",
        ] {
            assert_eq!(check(name), Ok(()), "{name}");
            assert_eq!(plain(name), name);
        }
        assert_eq!(check(&"é".repeat(LONGEST)), Ok(()));
    }

    #[test]
    fn faults_name_the_character() {
        assert_eq!(check("a\u{1b}[31m"), Err(NameFault::Control('\u{1b}')));
        assert_eq!(check("a\u{9b}"), Err(NameFault::Control('\u{9b}')));
        assert_eq!(check("a\u{2028}b"), Err(NameFault::Control('\u{2028}')));
        assert_eq!(check("a\u{202e}b"), Err(NameFault::Direction('\u{202e}')));
        assert_eq!(check("a\u{200b}b"), Err(NameFault::Invisible('\u{200b}')));
        assert_eq!(check("a\u{ffff}"), Err(NameFault::Invisible('\u{ffff}')));
        assert_eq!(check(&"x".repeat(256)), Err(NameFault::TooLong(256)));
        let fault = check("\0").unwrap_err();
        assert_eq!(fault.to_string(), "the control character U+0000 cannot stand in a name");
        assert_eq!(NameFault::TooLong(256).help(), "write at most 255");
    }

    #[test]
    fn names_can_be_seen() {
        for blank in [" ", "   ", "\u{a0}", "\u{3000}\u{2003}", "\u{200d}", "\u{fe0f}", " \u{200c} \u{e0100}"]
        {
            assert_eq!(check(blank), Err(NameFault::Blank), "{blank:?}");
            assert_eq!(
                (check_letters(blank), check_prose(blank), plain(blank).as_str()),
                (Ok(()), Ok(()), "_")
            );
        }
        for filler in
            ['\u{3164}', '\u{115f}', '\u{1160}', '\u{ffa0}', '\u{2800}', '\u{17b4}', '\u{e0020}', '\u{e0fff}']
        {
            assert_eq!(check(&format!("a{filler}")), Err(NameFault::Invisible(filler)));
        }
        assert_eq!(check("\u{a0}-\u{200d}"), Ok(()));
    }

    #[test]
    fn prose_has_lines() {
        assert_eq!(check_prose("a\n\tb\r\nc"), Ok(()));
        assert_eq!(check_prose("a\rb"), Err(NameFault::Control('\r')));
        assert_eq!(check_letters("a\tb"), Err(NameFault::Control('\t')));
        assert_eq!(check_letters(&"x".repeat(1000)), Ok(()));
    }

    proptest! {
        #[test]
        fn any_text_becomes_a_name(text in hostile::texts()) {
            prop_assert_eq!(check(&plain(&text)), Ok(()));
            if check(&text).is_ok() {
                prop_assert_eq!(plain(&text), text);
            }
        }

        #[test]
        fn no_control_character_is_plain(letter in any::<char>()) {
            prop_assert!(!(letter.is_control() && is_plain(letter)));
            prop_assert_eq!(is_plain(letter), fault_of(letter).is_none());
        }
    }
}
