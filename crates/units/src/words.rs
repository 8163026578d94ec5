//! Text files of other tools, line by line, as words with their positions.
//!
//! Invariant: the words of a line keep their order, and the text at a word's range is the word. Only white space, empty
//! lines, and comments behind a `#` are left out.
//!
//! ```
//! use units::words::{lines, range};
//!
//! let text = "6 2\n\n4 5 # switches\n";
//! let lines: Vec<_> = lines(text).collect();
//! assert_eq!((lines.len(), lines[1][1].text), (2, "5"));
//! assert_eq!(&text[range(&lines[1])], "4 5");
//! ```

use core::ops::Range;

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The characters of the word.
    pub text: &'a str,
    /// Offset of its first byte in the text.
    pub start: usize,
}

impl Word<'_> {
    /// Returns the range of its bytes in the text.
    #[must_use]
    pub const fn range(self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// Splits every line that is not empty into words. A `#` begins a comment.
pub fn lines(text: &str) -> impl Iterator<Item = Vec<Word<'_>>> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        let here = start;
        start += line.len();
        let content = line.split('#').next().unwrap_or_default();
        let place = |word: &str| here + (word.as_ptr() as usize - content.as_ptr() as usize);
        content.split_whitespace().map(|text| Word { text, start: place(text) }).collect::<Vec<_>>()
    });
    lines.filter(|words| !words.is_empty())
}

/// Returns the range of bytes from the first word to the last; an empty range for no words.
#[must_use]
pub fn range(words: &[Word<'_>]) -> Range<usize> {
    match words {
        [] => 0..0,
        [first, .., last] => first.start..last.range().end,
        [only] => only.range(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_its_position() {
        let text = "# none\n  à bc\r\n\n\td#e\nf";
        let found: Vec<Vec<&str>> =
            lines(text).map(|words| words.iter().map(|word| &text[word.range()]).collect()).collect();
        assert_eq!(found, [vec!["à", "bc"], vec!["d"], vec!["f"]]);
        assert!(lines(text).flatten().all(|word| &text[word.range()] == word.text));
        let ranges: Vec<_> = lines(text).map(|words| &text[range(&words)]).collect();
        assert_eq!((ranges, range(&[])), (vec!["à bc", "d", "f"], 0..0));
    }
}
