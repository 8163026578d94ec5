//! The account of an import: the fate of each key of a configuration.

/// A key, and its fate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyAccount {
    /// Name of the key.
    pub key: String,
    /// Values of the key, as written.
    pub given: String,
    /// The key's fate.
    pub fate: KeyFate,
    /// The corresponding field, or the reason for leaving the key out.
    pub what: String,
}

/// The fate of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFate {
    /// The scenario has it exactly.
    Used,
    /// The scenario has something similar.
    Approximated,
    /// The scenario does not have it.
    NotUsed,
}

impl KeyFate {
    /// Returns the word for the fate in tables.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Approximated => "approximated",
            Self::NotUsed => "not used",
        }
    }
}
