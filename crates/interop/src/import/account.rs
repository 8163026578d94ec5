//! The account of an import: the fate of each key of a configuration.
//!
//! Invariant: a change of the experiment is a fault, with its place, until the user accepts it.

use scenario::{Diagnostic, Excerpt, LocatedFault};

/// A scenario, the files that belong beside it, and the fate of every part of what was imported.
#[derive(Clone, Debug)]
pub struct ImportedScenario {
    /// The scenario as text.
    pub scenario: String,
    /// Files beside the scenario: name and text.
    pub files: Vec<(String, String)>,
    /// The fate of every key of the files.
    pub account: Vec<KeyAccount>,
    /// Findings that its user should know of.
    pub warnings: Vec<String>,
}

/// A key, and its fate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyAccount {
    /// Name of the key.
    pub key: String,
    /// Values of the key, as written; empty if the file does not have the key.
    pub given: String,
    /// The key's fate.
    pub fate: KeyFate,
    /// The corresponding field, or the reason for leaving the key out.
    pub what: String,
    /// Place of the values; `None` if the file does not have the key.
    pub place: Option<Box<Excerpt>>,
    /// The file, if it is not the first of several.
    pub file: Option<String>,
}

/// The fate of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFate {
    /// The scenario has it exactly.
    Used,
    /// The scenario has something similar, and the experiment is the same.
    Approximated,
    /// The scenario has something else, which makes it another experiment.
    Changed,
    /// It has no effect on results, neither in that simulator nor here, or it is unknown to both.
    NotUsed,
}

impl KeyAccount {
    /// Enters a key without a place.
    pub fn new(
        key: impl Into<String>,
        given: impl Into<String>,
        fate: KeyFate,
        what: impl Into<String>,
    ) -> Self {
        Self { key: key.into(), given: given.into(), fate, what: what.into(), place: None, file: None }
    }
}

impl KeyFate {
    /// Returns the word for the fate in tables.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Approximated => "approximated",
            Self::Changed => "changed",
            Self::NotUsed => "not used",
        }
    }
}

/// Returns the keys that change the experiment, as faults of their files. `file` is the first file. `None` if there are
/// no such keys.
#[must_use]
pub fn changes(account: &[KeyAccount], file: &str) -> Option<Diagnostic> {
    let changed = account.iter().filter(|key| key.fate == KeyFate::Changed);
    let fault = |key: &KeyAccount| LocatedFault {
        file: key.file.clone().unwrap_or_else(|| file.to_owned()),
        place: key.place.clone(),
        path: key.key.clone(),
        message: key.what.clone(),
        help: Some("change the file, or accept this other experiment with `--approximate`".to_owned()),
    };
    let faults: Vec<_> = changed.map(fault).collect();
    (!faults.is_empty()).then(|| Diagnostic::new(faults))
}
