//! Words of a shell's command line.
//!
//! Invariant: a shell reads the word as the text, and as one word, whatever the text is.

/// Returns a word as a shell reads it: in single quotes unless it is plain.
///
/// ```
/// assert_eq!(["a/b=1", "it's", ""].map(names::shell::word), ["a/b=1", r"'it'\''s'", "''"]);
/// ```
#[must_use]
pub fn word(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_+.,=:/@%".contains(letter);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { quoted(text) }
}

/// Returns words as a command line, which a shell divides into the same words.
///
/// ```
/// assert_eq!(names::shell::line(["sim", "my fabric.ron"]), "sim 'my fabric.ron'");
/// ```
#[must_use]
pub fn line<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    words.into_iter().map(|one| word(one.as_ref())).collect::<Vec<_>>().join(" ")
}

/// Returns a word in single quotes.
#[must_use]
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hostile;

    /// Reads a word as a shell does: single quotes, a backslash before a quote, letters without a meaning. `None` if there is
    /// anything else.
    fn read(word: &str) -> Option<String> {
        let (mut text, mut rest) = (String::new(), word);
        while let Some(letter) = rest.chars().next() {
            let taken = match letter {
                '\'' => {
                    let end = rest[1..].find('\'')? + 1;
                    text += &rest[1..end];
                    end + 1
                }
                '\\' => {
                    text.push(rest[1..].chars().next().filter(|next| *next == '\'')?);
                    2
                }
                plain if plain.is_ascii_alphanumeric() || "-_+.,=:/@%".contains(plain) => {
                    text.push(plain);
                    1
                }
                _ => return None,
            };
            rest = &rest[taken..];
        }
        Some(text)
    }

    proptest! {
        #[test]
        fn a_shell_reads_the_text(text in hostile::texts()) {
            prop_assert_eq!(read(&word(&text)), Some(text.clone()));
            prop_assert_eq!(read(&quoted(&text)), Some(text));
        }
    }
}
