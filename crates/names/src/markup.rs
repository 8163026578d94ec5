//! Text in SVG and HTML.
//!
//! Invariant: the result holds no markup, and no character that XML refuses or that changes the direction of what follows.

use crate::shown;

/// Returns a text for the content of an element.
#[must_use]
pub fn content(text: &str) -> String {
    escaped(text, false)
}

/// Returns a text for the content of an element, or for a value in quotes of either kind.
#[must_use]
pub fn quoted(text: &str) -> String {
    escaped(text, true)
}

fn escaped(text: &str, quotes: bool) -> String {
    let mut markup = String::with_capacity(text.len());
    for letter in shown::lines(text).chars() {
        match letter {
            '&' => markup += "&amp;",
            '<' => markup += "&lt;",
            '>' => markup += "&gt;",
            '"' if quotes => markup += "&quot;",
            '\'' if quotes => markup += "&#39;",
            other => markup.push(other),
        }
    }
    markup
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hostile;

    /// Returns a text without references to characters, or `None` if it has others than those.
    fn read(markup: &str) -> Option<String> {
        let known = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
        let mut text = markup.to_owned();
        if text.contains(['<', '>']) {
            return None;
        }
        let references = text.matches('&').count();
        if known.iter().map(|(reference, _)| markup.matches(reference).count()).sum::<usize>() < references {
            return None;
        }
        known.iter().for_each(|(reference, letter)| text = text.replace(reference, letter));
        Some(text)
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(content("a < b & \"c\""), "a &lt; b &amp; \"c\"");
        assert_eq!(quoted("\"a'\u{202e}"), "&quot;a&#39;&lt;U+202E&gt;");
    }

    proptest! {
        #[test]
        fn the_text_is_read_as_it_is_shown(text in hostile::texts()) {
            let shown = shown::lines(&text).into_owned();
            prop_assert_eq!(read(&content(&text)), Some(shown.clone()));
            prop_assert_eq!(read(&quoted(&text)), Some(shown));
            prop_assert!(!quoted(&text).contains(['"', '\'']));
            // Characters of XML 1.0 (production 2).
            let is_of_xml = |letter: char| matches!(letter, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
            prop_assert!(content(&text).chars().all(is_of_xml));
        }
    }
}
