//! An `opensm.conf`: a key and its value in each line.
//!
//! Invariant: the last of several lines with the same key holds, as in OpenSM, except for keys that name a service
//! level.

use core::ops::Range;

use super::values;
use crate::import::account::{KeyAccount, KeyFate};
use crate::import::source::SourceText;
use scenario::Diagnostic;

/// The lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpensmOptions {
    /// Keys with their values, in the order of the file.
    pub lines: Vec<OpensmOption>,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpensmOption {
    /// The key.
    pub key: String,
    /// The value as written; `(null)` stands for none.
    pub value: String,
    /// Bytes of the value in the file; the key's bytes if it has no value.
    pub at: Range<usize>,
}

impl OpensmOptions {
    /// Reads a file. Every text is valid.
    #[must_use]
    pub fn read(source: SourceText<'_>) -> Self {
        let mut lines = Vec::new();
        for line in source.lines().filter(|line| !line.text.starts_with('#')) {
            // OpenSM ends a value at a comment.
            let line = line.split('#').map_or(line, |(line, _)| line).trimmed();
            let Some(key) = line.words().next() else { continue };
            let value = line.at(key.text.len()).1.trimmed();
            let at = if value.text.is_empty() { key.range() } else { value.range() };
            lines.push(OpensmOption { key: key.text.to_owned(), value: value.text.to_owned(), at });
        }
        Self { lines }
    }

    /// Returns the last line with a key.
    #[must_use]
    pub fn last(&self, key: &str) -> Option<&OpensmOption> {
        self.lines.iter().rev().find(|line| line.key == key)
    }

    /// Returns the number of a key, at most `most`; `None` without the key.
    pub(super) fn number(
        &self,
        source: SourceText<'_>,
        key: &str,
        most: u64,
    ) -> Result<Option<u64>, Diagnostic> {
        self.last(key).map(|line| values::number(source, &line.at, &line.value, most)).transpose()
    }

    /// Returns the entry of a key in the account; `None` without the key.
    pub(super) fn entry(&self, key: &str, fate: KeyFate, what: impl Into<String>) -> Option<KeyAccount> {
        self.last(key).map(|line| KeyAccount::new(key, line.value.clone(), fate, what))
    }
}
