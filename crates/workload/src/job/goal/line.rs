//! Words of a line, without blanks and comments.
//!
//! Invariant: a word is a range of bytes of its line. `/*` without `*/` ends the line, and the next lines up to `*/`
//! have no words.

use core::ops::Range;

use super::fault::{GoalError, GoalFault};

/// A word of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word<'a> {
    /// Letters, digits and `_`, a letter or `_` first.
    Name(&'a [u8]),
    /// Digits.
    Digits(&'a [u8]),
    /// Another byte.
    Mark(u8),
    /// End of the line.
    End,
}

/// A line, and the place in it up to which words were taken.
#[derive(Debug)]
pub(super) struct Line<'a> {
    bytes: &'a [u8],
    number: u64,
    at: usize,
    /// Range of the word that was taken last.
    last: Range<usize>,
}

/// A `/*` that has found no `*/` yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Comment(pub(super) Option<(u64, usize)>);

impl<'a> Line<'a> {
    /// Takes a line, or the part of it behind the end of a comment of the lines before.
    pub(super) fn new(bytes: &'a [u8], number: u64, comment: &mut Comment) -> Self {
        let mut line = Self { bytes, number, at: 0, last: 0..0 };
        if comment.0.is_some() {
            match find(bytes, b"*/") {
                Some(end) => {
                    line.at = end + 2;
                    comment.0 = None;
                }
                None => line.at = bytes.len(),
            }
        }
        line.skip(comment);
        line
    }

    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// Returns the next word, which stays.
    pub(super) fn peek(&self) -> Word<'a> {
        let rest = &self.bytes[self.at..];
        match rest.first() {
            None => Word::End,
            Some(b'0'..=b'9') => {
                Word::Digits(&rest[..rest.iter().take_while(|byte| byte.is_ascii_digit()).count()])
            }
            Some(byte) if byte.is_ascii_alphabetic() || *byte == b'_' => {
                let inside = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
                Word::Name(&rest[..rest.iter().take_while(inside).count()])
            }
            Some(byte) => Word::Mark(*byte),
        }
    }

    /// Takes the next word.
    pub(super) fn next(&mut self, comment: &mut Comment) -> Word<'a> {
        let word = self.peek();
        let length = match word {
            Word::Name(text) | Word::Digits(text) => text.len(),
            Word::Mark(_) => 1,
            Word::End => 0,
        };
        self.last = self.at..self.at + length;
        self.at += length;
        self.skip(comment);
        word
    }

    /// Returns a fault of the last word.
    pub(super) fn wrong(&self, fault: GoalFault) -> Box<GoalError> {
        let Range { start, end } = self.last;
        let (column, width) = (start + 1, (end - start).max(1));
        Box::new(GoalError { line: self.number, column, width, fault })
    }

    /// Returns the fault that the last word, which is this, is another than expected.
    pub(super) fn unexpected(&self, word: Word<'_>, expected: &'static str) -> Box<GoalError> {
        let given = match word {
            Word::Name(text) | Word::Digits(text) => format!("`{}`", String::from_utf8_lossy(text)),
            Word::Mark(_) => {
                // A character of several bytes is shown whole.
                let rest = String::from_utf8_lossy(&self.bytes[self.last.start..]).into_owned();
                format!("`{}`", rest.chars().next().unwrap_or_default())
            }
            Word::End => "the end of the line".to_owned(),
        };
        self.wrong(GoalFault::Expected { given, expected })
    }

    /// Skips blanks and comments.
    fn skip(&mut self, comment: &mut Comment) {
        loop {
            let rest = &self.bytes[self.at..];
            match rest {
                [b' ' | b'\t' | b'\r' | b'\n' | b'\x0b' | b'\x0c', ..] => self.at += 1,
                [b'/', b'/', ..] => self.at = self.bytes.len(),
                [b'/', b'*', behind @ ..] => match find(behind, b"*/") {
                    Some(end) => self.at += 2 + end + 2,
                    None => {
                        comment.0 = Some((self.number, self.at + 1));
                        self.at = self.bytes.len();
                    }
                },
                _ => return,
            }
        }
    }
}

fn find(bytes: &[u8], wanted: &[u8; 2]) -> Option<usize> {
    bytes.windows(2).position(|pair| pair == wanted)
}
