//! A fault in a file, and its place in the text.

use core::ops::Range;
use core::str::FromStr;

use units::words::{Word, range};

use crate::error::{FileError, FileFault, InFile};

/// A fault, and the bytes of the text that are wrong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Flaw {
    at: Range<usize>,
    fault: FileFault,
}

impl Flaw {
    pub(super) fn word(word: Word<'_>, fault: FileFault) -> Self {
        Self { at: word.range(), fault }
    }

    pub(super) fn line(words: &[Word<'_>], fault: FileFault) -> Self {
        Self { at: range(words), fault }
    }

    /// A file without numbers.
    pub(super) fn empty(text: &str, expected: &'static str) -> Self {
        Self { at: 0..text.len().min(1), fault: FileFault::Empty { expected } }
    }

    /// The fault with its line and column in the file.
    pub(crate) fn in_file(self, file: &str, text: &str) -> FileError {
        let before = &text[..self.at.start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        FileError::InFile(Box::new(InFile {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            at: self.at,
            fault: self.fault,
        }))
    }
}

/// Reads the number that a word spells.
pub(super) fn number<T: FromStr>(
    word: Word<'_>,
    expected: &'static str,
    right: &'static str,
) -> Result<T, Flaw> {
    word.text.parse().map_err(|_| wrong_number(word, expected, right))
}

/// A word that is not a number of the expected kind.
pub(super) fn wrong_number(word: Word<'_>, expected: &'static str, right: &'static str) -> Flaw {
    Flaw::word(word, FileFault::Number { given: word.text.to_owned(), expected, right })
}
