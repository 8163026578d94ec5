//! The text of an imported file, with the places of its parts.
//!
//! Invariant: a range of bytes lies within the text, at whole characters.

use core::ops::Range;

use scenario::{Diagnostic, Excerpt, LocatedFault};

/// A file: its name and its text.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'a> {
    /// Name of the file in messages.
    pub name: &'a str,
    /// Text of the file.
    pub text: &'a str,
}

/// A line, or a part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// Its text.
    pub text: &'a str,
    /// Offset of the first byte in the file.
    pub start: usize,
}

impl<'a> SourceText<'a> {
    /// Returns the lines without white space at their ends; empty lines are left out.
    pub fn lines(self) -> impl Iterator<Item = Part<'a>> {
        let mut start = 0;
        let lines = self.text.split_inclusive('\n').map(move |line| {
            let here = Part { text: line, start };
            start += line.len();
            here.trimmed()
        });
        lines.filter(|line| !line.text.is_empty())
    }

    /// Returns a fault at a place of the file.
    pub fn wrong(self, at: &Range<usize>, message: impl Into<String>, help: &str) -> Diagnostic {
        self.fault(at, "", message, help).into()
    }

    /// Returns a fault of a setting, at a place of the file.
    pub fn fault(
        self,
        at: &Range<usize>,
        path: &str,
        message: impl Into<String>,
        help: &str,
    ) -> LocatedFault {
        LocatedFault {
            file: self.name.to_owned(),
            place: Some(self.excerpt(at)),
            path: path.to_owned(),
            message: message.into(),
            help: Some(help.to_owned()),
        }
    }

    /// Returns a fault of the file as a whole.
    pub fn whole(self, message: impl Into<String>, help: &str) -> Diagnostic {
        let (file, path) = (self.name.to_owned(), String::new());
        LocatedFault { file, place: None, path, message: message.into(), help: Some(help.to_owned()) }.into()
    }

    /// Returns a place with its line.
    pub fn excerpt(self, at: &Range<usize>) -> Box<Excerpt> {
        Box::new(Excerpt::new(self.text, at.start, at.end))
    }
}

impl<'a> Part<'a> {
    /// Returns the bytes in the file.
    pub const fn range(self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Returns the part without white space at its ends.
    pub fn trimmed(self) -> Self {
        let text = self.text.trim_start();
        Self { text: text.trim_end(), start: self.start + self.text.len() - text.len() }
    }

    /// Returns what stands behind a prefix.
    pub fn behind(self, prefix: &str) -> Option<Self> {
        self.text.strip_prefix(prefix).map(|text| Self { text, start: self.start + prefix.len() })
    }

    /// Splits the part at a byte offset within it, which is a character's first.
    pub fn at(self, offset: usize) -> (Self, Self) {
        let (left, right) = self.text.split_at(offset);
        (Self { text: left, start: self.start }, Self { text: right, start: self.start + offset })
    }

    /// Splits the part before and behind the first of these characters.
    pub fn split(self, mark: char) -> Option<(Self, Self)> {
        let offset = self.text.find(mark)?;
        Some((self.at(offset).0, self.at(offset + mark.len_utf8()).1))
    }

    /// Returns the parts between these letters, without empty ones.
    pub fn pieces<const N: usize>(self, marks: [char; N]) -> impl Iterator<Item = Self> + use<'a, N> {
        let place = move |piece: &str| self.start + (piece.as_ptr() as usize - self.text.as_ptr() as usize);
        let pieces = self.text.split(marks).filter(|piece| !piece.is_empty());
        pieces.map(move |text| Self { text, start: place(text) })
    }

    /// Returns the words, which white space separates.
    pub fn words(self) -> impl Iterator<Item = Self> + use<'a> {
        let place = move |word: &str| self.start + (word.as_ptr() as usize - self.text.as_ptr() as usize);
        self.text.split_whitespace().map(move |text| Self { text, start: place(text) })
    }
}

/// Reads a hexadecimal number, with or without `0x`.
pub fn hex(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    let digits = Some(digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u64::from_str_radix(digits, 16).ok()
}

/// Reads a decimal number of digits alone.
pub fn decimal<N: core::str::FromStr>(text: &str) -> Option<N> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}
