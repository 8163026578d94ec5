//! The account of an import: what became of each key of a configuration.

/// What became of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyAccount {
    /// The key.
    pub key: String,
    /// Its values, as written.
    pub given: String,
    /// Whether it is in the scenario.
    pub fate: KeyFate,
    /// As what, or why not.
    pub what: String,
}

/// Whether a key is in the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFate {
    /// As it was meant.
    Used,
    /// As something that comes near.
    Approximated,
    /// Not at all.
    NotUsed,
}

impl KeyFate {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Approximated => "approximated",
            Self::NotUsed => "not used",
        }
    }
}
